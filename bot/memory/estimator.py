"""The staged model: a workload and a device to an estimate.

Roles and engine of a pool share each GPU. In a stage the role at work has its states there, the
others what they do not offload; the peak is the fullest stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from bot.base.devices import Device, Vendor
from bot.base.fast_dataclass import dataclass
from bot.memory.bands import ABOVE, NEAR, edge_of, kept_of, kind_of
from bot.memory.components.activations import Parts, frozen_copy, held_besides, update_parts
from bot.memory.components.engines import Card, asleep, generating, shortage, weights
from bot.memory.components.forward_pass import evaluation_parts, forward_parts
from bot.memory.components.gathered import gathered_ends, standing_bucket
from bot.memory.components.overhead import overhead
from bot.memory.components.states import States, states
from bot.memory.estimate import NOT_ALLOCATED, MemoryEstimate, Shortage, Stage, StageName
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import LEVELS, Engine, MemoryLevel, Pool, Role, RoleName, Workload

_Kind: TypeAlias = Literal["load", "generate", "sync", "forward", "update", "step", "evaluate"]
_TRAINING: tuple[_Kind, ...] = ("update", "step")
_FORWARD: Mapping[RoleName, StageName] = {
    "actor": "log-prob",
    "reference": "log-prob",
    "critic": "critic",
    "reward": "reward",
}


@dataclass(frozen=True, slots=True)
class _Work:
    """Who works in a stage, and at what."""

    name: StageName
    kind: _Kind
    role: Role | None = None


def estimate_workload(workload: Workload, device: Device) -> MemoryEstimate:
    """What the workload takes of each GPU of the device; arithmetic alone."""
    return Estimator(workload).on(device)


def expected_peak(workload: Workload, device: Device) -> Bytes:
    """The `peak()` of that estimate, for a third less: nothing is made at the highest level."""
    total, ascend = Bytes(device.memory_bytes), device.vendor == Vendor.ASCEND
    gpus = (_Gpu(pool, ascend=ascend) for pool in workload.pools)
    return max(amount for gpu in gpus for amount in gpu.amounts(total, ("floor", "expected")))


class Estimator:
    """The estimates of one workload; what neither device nor share changes is worked out once."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._gpus: dict[bool, list[_Gpu]] = {}
        hosts = (_host(pool, workload.gpus_per_node) for pool in workload.pools)
        self._host = max(hosts, default=NOTHING)

    def on(self, device: Device, share: float | None = None) -> MemoryEstimate:
        """The estimate on a device; with a share, the engines have it instead of their own."""
        total, ascend = Bytes(device.memory_bytes), device.vendor == Vendor.ASCEND
        gpus = self._gpus.get(ascend)
        if gpus is None:
            gpus = [_Gpu(pool, ascend=ascend) for pool in self._workload.pools]
            self._gpus[ascend] = gpus
        return MemoryEstimate(
            device=device,
            gpus=sum(pool.gpus for pool in self._workload.pools),
            stages=tuple(stage for gpu in gpus for stage in gpu.stages(total, share)),
            host=self._host,
            short=max(
                (short for gpu in gpus if (short := gpu.shortage(total, share)) is not None),
                key=lambda short: short.lacking,
                default=None,
            ),
            assumptions=self._workload.assumptions,
            measured=self._workload.measured,
            certain=not self._workload.guessed,
        )


def _works(pool: Pool) -> Iterator[_Work]:
    if pool.engine is not None:
        yield _Work("rollout" if pool.engine.generates else "scoring", "generate")
        actor = next((role for role in pool.roles if role.name == "actor"), None)
        if actor is not None and pool.engine.name != "hf":
            yield _Work("weight sync", "sync", actor)
    for role in pool.roles:
        if role.loaded_bytes:
            yield _Work("loading", "load", role)
        if role.forward.conservative:
            yield _Work(_FORWARD[role.name], "forward", role)
        if role.trained:
            critic = role.name == "critic"
            yield _Work("critic" if critic else "update", "update", role)
            yield _Work("critic" if critic else "optimizer", "step", role)
        if role.evaluation.conservative:
            yield _Work("evaluation", "evaluate", role)


def _bounds(work: _Work) -> tuple[float, ...]:
    """How much of what is usable a stage may take, what its allocator keeps, how far figures go."""
    role = work.role if work.kind != "sync" else None
    if role is None:
        return (NEAR,)
    return edge_of(role, step=work.kind == "step"), kept_of(role), ABOVE[kind_of(role)]


def _by_card(work: _Work, engine: Engine | None) -> bool:
    """Whether the card's size or the engine's share of it decides what a stage takes."""
    return engine is not None and (work.kind == "generate" or not engine.sleeps)


class _Gpu:
    """One GPU of a pool: what is on it at a level while someone works."""

    def __init__(self, pool: Pool, *, ascend: bool) -> None:
        self._pool, self._ascend = pool, ascend
        self._states: Mapping[RoleName, States] = {r.name: states(r) for r in pool.roles}
        self._works = tuple(_works(pool))
        self._kept: dict[int, Stage] = {}

    def stages(self, total: Bytes, share: float | None) -> Iterator[Stage]:
        """Every stage on a card of `total` bytes, in the order of a step."""
        engine = self._engine(share)
        for place, work in enumerate(self._works):
            stage = self._kept.get(place)
            if stage is None:
                parts = {level: self._parts(work, level, engine, total) for level in LEVELS}
                stage = Stage(work.name, self._pool.name, parts, *_bounds(work))
                if not _by_card(work, engine) and not self._pool.held:
                    self._kept[place] = stage
            yield stage

    def shortage(self, total: Bytes, share: float | None) -> Shortage | None:
        """What its engine lacks to start on a card of `total` bytes; None where it starts."""
        engine = self._engine(share)
        return shortage(engine, self._card(engine, total, "expected")) if engine else None

    def _engine(self, share: float | None) -> Engine | None:
        engine = self._pool.engine
        return replace(engine, fraction=share) if engine and share is not None else engine

    def _card(self, engine: Engine, total: Bytes, level: MemoryLevel) -> Card:
        contexts = overhead(self._pool, level, ascend=self._ascend)
        return Card(total=total, at_start=self._at_start(engine) + contexts)

    def amounts(self, total: Bytes, levels: Sequence[MemoryLevel]) -> Iterator[Bytes]:
        """What each stage takes of a card of `total` bytes, at each of the levels."""
        for work in self._works:
            for level in levels:
                yield together(self._parts(work, level, self._pool.engine, total).values())

    def _parts(self, work: _Work, level: MemoryLevel, engine: Engine | None, total: Bytes) -> Parts:
        """Everything on the GPU, by name; as a model is loaded nothing else is there yet."""
        contexts = overhead(self._pool, level, ascend=self._ascend)
        if work.kind == "load" and work.role is not None:
            loaded = Bytes.of(work.role.loaded_bytes * work.role.shape.parameters)
            return {"weights": loaded, "contexts": contexts}
        idle = self._idle(work.role, level)
        parts = self._at_work(work.role, work.kind, level) if work.role is not None else {}
        if engine is not None:
            card = self._card(engine, total, level)
            if work.kind == "generate":
                parts |= generating(engine, level, card, together(idle.values()))
                parts |= self._brought_back() if engine.name == "hf" else {}
            elif work.kind == "sync" and work.role is not None:
                moments = _handing_over(work.role, parts, engine, asleep(engine, level, card))
                parts = max(moments, key=lambda moment: together(moment.values()))
                if engine.wakes_beside_cache:
                    before = together(parts[name] for name in parts if name not in NOT_ALLOCATED)
                    parts["allocator"] += self._cached(work.role, level).less(before)
            else:
                parts |= asleep(engine, level, card)
        parts |= idle
        if level != "floor":  # They may stand on another card than the trainer's.
            parts["other engines"] = total * self._pool.held
        parts["contexts"] = contexts
        return {name: amount for name, amount in parts.items() if amount}

    def _brought_back(self) -> Parts:
        """The weights of a policy that writes itself, where they are on the host between passes."""
        actors = (role for role in self._pool.roles if role.name == "actor")
        idle = (role.name for role in actors if role.weights_offload == "idle")
        return {"weights": together(self._states[name].weights for name in idle)}

    def _at_work(self, role: Role, kind: _Kind, level: MemoryLevel) -> Parts:
        """What the process of a role takes for it while it works."""
        parts = self._resident(role, kind, level)
        for name, amount in self._work(role, kind, level).items():
            parts[name] = parts.get(name, NOTHING) + amount
        taken, spread = together(parts.values()), kind != "sync"
        parts["allocator"] = held_besides(role, level, taken, spread=spread)
        if kind in ("forward", "update", "evaluate"):
            parts["allocator"] += frozen_copy(role, level)
        return parts

    def _cached(self, role: Role, level: MemoryLevel) -> Bytes:
        """What torch has of a role's update, where nothing has emptied its cache since.

        verl's engines empty it as they move weights to the host, Megatron's also as they move the
        optimizer; FSDP's optimizer leaves after that (`to` of `workers/engine/`). How much of it
        is free by then is not certain: only the conservative level has it.
        """
        moved = role.optimizer_offload == "idle"
        if level != "conservative" or (role.backend == "megatron" and moved):
            return NOTHING
        if role.weights_offload == "idle":
            return self._states[role.name].optimizer if moved else NOTHING
        return max(together(self._at_work(role, k, level).values()) for k in _TRAINING)

    def _at_start(self, engine: Engine) -> Bytes:
        """The roles' weights that are on the GPU when the engine starts; nobody has trained yet."""
        return together(
            self._states[role.name].weights
            for role in self._pool.roles
            if role.weights_offload == "none" or role.name in engine.starts_beside
        )

    def _resident(self, role: Role, kind: _Kind, level: MemoryLevel) -> Parts:
        """The states of the role at work."""
        of = self._states[role.name]
        parts: Parts = {}
        if role.weights_offload != "always":
            # Another transformers than is assumed quantizes experts: least that is for the floor.
            quantized = level == "floor" and role.whole_experts
            parts["weights"] = (
                states(replace(role, whole_experts=False)).weights if quantized else of.weights
            )
        if kind in ("update", "step"):
            if kind == "step" and role.gradients_offload != "always":
                parts["gradients"] = of.gradients
            if role.optimizer_offload != "always":
                parts["optimizer"] = of.optimizer
            parts["reduction buffer"] = standing_bucket(role, level)
        elif role.trained:
            parts |= self._between(role, level)
        return parts

    def _between(self, role: Role, level: MemoryLevel) -> Parts:
        """What a trained role keeps between its updates, besides its weights."""
        of = self._states[role.name]
        parts: Parts = {}
        if role.optimizer_offload == "none":
            parts["optimizer"] = of.optimizer
        if role.backend in ("megatron", "zero3") and role.gradients_offload == "none":
            # Megatron's and ZeRO-3's gradients have a buffer of their own; the others free theirs.
            parts["gradients"] = of.gradients
        parts["reduction buffer"] = standing_bucket(role, level)
        return parts

    def _work(self, role: Role, kind: _Kind, level: MemoryLevel) -> Parts:
        if kind == "forward":
            return forward_parts(role, level)
        if kind == "evaluate":
            return evaluation_parts(role, level)
        if kind == "update":
            held = role.gradients_offload != "always"
            return update_parts(role, level, self._states[role.name].gradients if held else NOTHING)
        if kind == "sync":
            copies = 2 if role.sync_copied else 1
            whole = Bytes.of(copies * role.sync_whole_bytes * role.parameters)
            whole = whole or gathered_ends(role)
            return {} if level == "floor" else {"gathered weights": whole}
        if level == "floor" or role.optimizer_offload == role.gradients_offload == "always":
            return {}
        return {"optimizer's temporaries": self._states[role.name].step}

    def _idle(self, at_work: Role | None, level: MemoryLevel) -> Parts:
        """What the roles leave on the GPU while another one works."""
        parts: Parts = {}
        for role in self._pool.roles:
            if role is at_work:
                continue
            held = NOTHING
            if role.weights_offload == "none":
                held += self._states[role.name].weights
            if role.trained:
                held += together(self._between(role, level).values())
            if held:
                parts[f"{role.name}, idle"] = held
        return parts


def _handing_over(role: Role, parts: Parts, engine: Engine, sleeping: Parts) -> Iterator[Parts]:
    """What is there while weights are collected, and while the engine takes them.

    verl's FSDP1 collects what is whole before the engine wakes, where that does not wake first: an
    adapter goes to the host, and weights that are offloaded leave once they are copied
    (`rollout_mode` of its workers). What an engine keeps asleep it has when it wakes, too.
    """
    loading = parts | sleeping | {"engine weights": weights(engine)}
    if role.backend == "fsdp" and role.sync_whole_bytes and not engine.wakes_first:
        yield parts | sleeping
        if role.adapter is not None:
            loading.pop("gathered weights", None)
        elif role.weights_offload != "none":
            loading.pop("weights", None)
    yield loading


def _host(pool: Pool, gpus_per_node: int) -> Bytes:
    """What one host holds of states that are not on its GPUs, and of an engine that sleeps."""
    each = NOTHING
    for role in pool.roles:
        of = states(role)
        if role.weights_offload != "none":
            each += of.weights
        if role.gradients_offload == "always":
            each += of.gradients
        if role.trained and role.optimizer_offload != "none":
            each += of.optimizer
        if role.optimizer_host_bytes:
            each += states(replace(role, optimizer_bytes=role.optimizer_host_bytes)).optimizer
    if pool.engine is not None and pool.engine.sleeps and pool.roles:
        each += weights(pool.engine)
    return each * min(gpus_per_node, pool.gpus)
