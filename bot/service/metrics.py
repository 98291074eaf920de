"""What the App counts, in the form that Prometheus reads; no label names a repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.github.client import Client
from bot.service.job import Job, JobState


class Metrics:
    """The figures of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self.deliveries = counter(
            "rlbot_deliveries_total",
            "Webhooks by event and by what became of them.",
            ("event", "answer"),
        )
        self.store_seconds = histogram(
            "rlbot_store_seconds",
            "Time to store a delivery.",
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8),
        )
        self.jobs = counter(
            "rlbot_jobs_total", "Jobs that ended, by kind and outcome.", ("kind", "outcome")
        )
        self.verdicts = counter("rlbot_verdicts_total", "Published verdicts.", ("verdict",))
        self.github_remaining = gauge(
            "rlbot_github_requests_remaining",
            "Requests left of the installation that was used last.",
        )
        # Not 0, which would alarm whoever watches it, until GitHub has said something.
        self.github_remaining.set(float("nan"))
        self.github_requests = counter("rlbot_github_requests_total", "Requests sent to GitHub.")
        self.wandb_seconds = histogram(
            "rlbot_wandb_seconds", "Time to read a run.", buckets=(0.5, 1, 2.5, 5, 10, 30, 60, 120)
        )
        self.errors = counter("rlbot_errors_total", "Faults, by where they came up.", ("where",))

    def watch_jobs(
        self, counts: Callable[[], Mapping[JobState, int]], lag: Callable[[], float | None]
    ) -> None:
        """Show the jobs' states and the age of the oldest waiting one, read when asked."""
        self.registry.register(_JobCollector(counts, lag))

    @contextmanager
    def counted(self, client: Client) -> Iterator[Client]:
        """A client whose requests are counted, and which is closed in the end."""
        try:
            yield client
        finally:
            self.github_requests.inc(len(client.log))
            if client.remaining is not None:
                self.github_remaining.set(client.remaining)
            client.close()

    def ended(self, job: Job, outcome: str) -> None:
        """Count a job that ended."""
        self.jobs.labels(job.kind, outcome).inc()

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)


class _JobCollector(Collector):
    def __init__(
        self, counts: Callable[[], Mapping[JobState, int]], lag: Callable[[], float | None]
    ) -> None:
        self._counts = counts
        self._lag = lag

    def describe(self) -> Iterator[GaugeMetricFamily]:
        # Nothing is asked of the database when the collector is registered.
        yield from ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            counts, lag = self._counts(), self._lag()
        except Exception:
            # The other figures matter most when the database is down.
            yield GaugeMetricFamily("rlbot_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("rlbot_database_up", "Whether the database answers.", 1)
        states = GaugeMetricFamily("rlbot_jobs", "Jobs by state.", labels=["state"])
        for state, count in counts.items():
            states.add_metric([state], count)
        yield states
        yield GaugeMetricFamily(
            "rlbot_lag_seconds", "Age of the job that has waited longest.", lag or 0.0
        )
