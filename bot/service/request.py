"""How the App checks: the base's configuration, and linked runs read online."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.check.request import CheckOptions
from bot.review.check import CheckRequest
from bot.service.readings import watched

if TYPE_CHECKING:
    from bot.base.config import Config
    from bot.evidence.facts import Facts
    from bot.evidence.links import RunLink
    from bot.evidence.online import Access
    from bot.service.metrics import Metrics

READERS = 4
"""Runs that are read at once: each reading is a process of its own."""


def access_of(config: Config, environment: Mapping[str, str], *, private_runs: bool) -> Access:
    """How runs are read for a repository with this configuration.

    The key is the operator's and the configuration is the repository's, so both must want private
    runs to be read: else whoever may install the App could show what its key sees.
    """
    from bot.evidence.online import Access

    return Access.from_environment(
        environment, allow_private_runs=private_runs and config.allow_private_runs
    )


def check_request(
    metrics: Metrics, *, private_runs: bool = False, environment: Mapping[str, str] = os.environ
) -> CheckRequest:
    """Options for the App; W&B is read with WANDB_API_KEY, or without a key."""
    from bot.evidence.online import read_online

    slots = threading.Semaphore(READERS)

    def options(config: Config) -> CheckOptions:
        access = access_of(config, environment, private_runs=private_runs)

        @watched
        def linked(link: RunLink) -> Facts:
            with slots:
                started = time.perf_counter()
                try:
                    return read_online(link, access)
                finally:
                    metrics.wandb_seconds.observe(time.perf_counter() - started)

        hosts = access.run_hosts(config.wandb_hosts, config.mlflow_hosts)
        return CheckOptions(config=config, evidence="required", linked=linked, hosts=hosts)

    return CheckRequest(options=options)
