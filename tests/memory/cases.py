"""Labelled cases: what ran, what ran out of memory, and measured peaks, each with its source."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.base.devices import Device, by_token
from bot.frameworks import plans
from bot.memory.constants import ENGINE_WORKING
from bot.memory.estimate import MemoryEstimate
from bot.memory.estimator import estimate_workload
from bot.memory.from_plan import workload_of
from bot.memory.shapes.models import find
from bot.memory.units import Bytes, together
from bot.memory.workload import Adapter, Layout, Pool, Role, Tokens, Workload
from bot.shell import read
from tests.memory.printed import printed


@dataclass(frozen=True)
class Case:
    """One case; `data` is its row of cases.json."""

    data: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def kind(self) -> str:
        """ran, oom, peak, or logits (one tensor)."""
        return str(self.data["kind"])

    @property
    def device(self) -> Device:
        return by_token(self.data["device"])[0]

    def workload(self) -> Workload:
        """What the case loads, with its own number of tokens where that is known."""
        made = self._from_roles() if "roles" in self.data else self._from_settings()
        tokens = self.data.get("tokens")
        if tokens is None:
            return made
        # The floor stays what the settings say: a measured length is no part of it.
        pools = tuple(
            replace(
                pool,
                roles=tuple(
                    replace(
                        role,
                        update=_known(role.update, tokens) if role.trained else role.update,
                        forward=_known(role.forward, tokens)
                        if role.forward.conservative
                        else role.forward,
                    )
                    for role in pool.roles
                ),
            )
            for pool in made.pools
        )
        return replace(made, pools=pools)

    @property
    def launch(self) -> str:
        """The command line of a case that is given by settings."""
        settings = self.data["settings"]
        if self.data["framework"] == "verl":
            config = [f"--config-name={self.data['config']}"] if "config" in self.data else []
            words = ["python3", "-m", "verl.trainer.main_ppo", *config]
            words += [f"{key}={value}" for key, value in settings.items()]
        else:
            words = ["deepspeed", "--module", self.data["entry"]]
            for key, value in settings.items():
                words += [f"--{key}"] if value is True else [f"--{key}", str(value)]
        return " ".join(shlex.quote(word) for word in words)

    def printed(self) -> dict[str, Any]:
        """What `rlbot estimate` prints of it, with no lengths given."""
        release = f"{self.data['framework']}@{self.data['release']}"
        options = ["--device", self.data["device"], "--framework", release]
        if self.data.get("gpus"):
            options += ["--gpus", str(self.data["gpus"])]
        return printed(self.launch, *options)

    def _from_settings(self) -> Workload:
        versions = {self.data["framework"]: self.data["release"]}
        plan = plans(read(f"{self.launch}\n".encode(), "case.sh"), versions=versions)[0]
        return workload_of(plan, gpus=self.data.get("gpus"))

    def _from_roles(self) -> Workload:
        roles = []
        for row in self.data["roles"]:
            fields = dict(row)
            model = find(fields.pop("model"))
            assert model is not None, row
            layout = Layout(**fields.pop("layout"))
            if "activation_share" in fields:  # A compiled model keeps so much of what layers do.
                fields["compute_bytes"] = 2 * fields.pop("activation_share")
            if "adapter" in fields:
                fields["adapter"] = Adapter(**fields["adapter"])
            tokens = Tokens(2, self.data["tokens"], self.data["tokens"])
            roles.append(Role(shape=model.shape, layout=layout, update=tokens, **fields))
        gpus = roles[0].layout.gpus
        pool = Pool(name="training", gpus=gpus, roles=tuple(roles))
        return Workload(framework="case", pools=(pool,), gpus_per_node=gpus)

    def estimate(self) -> MemoryEstimate:
        return estimate_workload(self.workload(), self.device)

    def predicted_gib(self, workload: Workload | None = None) -> float:
        """What the case's own metric would read."""
        if self.kind == "logits":
            vocab: int = self.data.get("vocab") or _vocabulary(self.data["model"])
            return float(self.data["per_logit"] * vocab * self.data["tokens"] / 2**30)
        load = workload or self.workload()
        estimate = estimate_workload(load, self.device)
        metric = self.data.get("metric", "card")
        if metric == "card":
            return estimate.peak().in_gib
        left_out = {"reserved": {"contexts", "sleeping engine"}}.get(
            metric, {"contexts", "sleeping engine", "allocator"}
        )
        held = max(
            together(
                amount for name, amount in s.components["expected"].items() if name not in left_out
            ).in_gib
            for s in estimate.stages
            if s.name not in ("rollout", "weight sync")
        )
        engine = load.pools[0].engine
        if metric == "allocated and pool" and engine is not None:
            # vLLM in the worker's process: its weights and cache count even while it sleeps.
            share = (Bytes(self.device.memory_bytes) * engine.fraction).in_gib
            held += share - ENGINE_WORKING["expected"]
        return held


def _known(tokens: Tokens, count: int) -> Tokens:
    return Tokens(min(tokens.floor, count), count, count)


def _vocabulary(path: str) -> int:
    model = find(path)
    assert model is not None, path
    return model.shape.vocab


def cases(*kinds: str) -> list[Case]:
    """The cases of these kinds, all without any."""
    return [Case(row) for row in _rows("cases.json") if not kinds or row["kind"] in kinds]


def held_out() -> list[Case]:
    """Measured peaks that no constant was ever fitted to."""
    return [Case(row) for row in _rows("held_out.json")]


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((Path(__file__).parent / name).read_text("utf-8"))
    return rows
