"""The claims about hardware: how many GPUs the job used, and which ones the host has."""

from __future__ import annotations

from typing import Final

from bot.base.device_words import named
from bot.base.devices import Device, by_report
from bot.base.messages import message, plural_message
from bot.base.regex import regex
from bot.evidence.facts import Facts, GpuInfo
from bot.evidence.origins import no_cards, tracker_name
from bot.evidence.subject import (
    UNCOUNTED,
    ClaimSubject,
    Observation,
    given_to_launcher,
    known,
    other_default,
    same_release,
)
from bot.evidence.trl_runs import PROCESSES
from bot.evidence.values import Missing, lookup, same
from bot.frameworks.fields import product
from bot.report import Claim
from bot.report.claims import ClaimName, SourceName, claim_source

_PLACEMENT: Final = regex(
    r"(?:(?:^|[._])(?:n_gpus_per_node|nnodes|num_nodes|num_gpus_per_node|num_engines"
    r"|tensor_parallel_size|enable_resource_pool)|colocate_\w{1,200})\Z"
)
"""Settings that decide how many GPUs a job takes, whatever the sum that is made of them."""
_TOLERANCE: Final = 0.03
"""Reported memory of one card differs by this share between drivers."""
_SOURCE: Final = claim_source(SourceName.RUN_CONFIG, SourceName.HOST_METADATA)


def gpus_claim(subject: ClaimSubject) -> Claim:
    """The GPUs that the job used: its configuration, and whether the host could give them."""
    plan = subject.plan
    claimed = plan.gpus.value if plan.gpus.value is not None else subject.name.gpus
    observed = _configured(subject)
    if claimed is None:
        return Observation(ClaimName.GPUS, None, observed, _SOURCE).inconclusive(
            "The number of GPUs cannot be known by reading the script."
        )
    equal = _as_claimed(subject, claimed, observed)
    if equal is False:
        return _other_number(subject, Observation(ClaimName.GPUS, claimed, observed, _SOURCE))
    host = _host_gpus(subject.facts)
    needed = plan.gpus_per_node.value or -(-claimed // (plan.nodes.value or 1))
    if host is not None and host < needed:
        reason = plural_message(
            "The host has {count} GPU, fewer than the {needed} that a node must give.",
            "The host has {count} GPUs, fewer than the {needed} that a node must give.",
            host,
            needed=needed,
        )
        return Observation(ClaimName.GPUS, claimed, host, _SOURCE).inconsistent(reason)
    if equal is None:
        return Observation(ClaimName.GPUS, claimed, None, _SOURCE).inconclusive(
            UNCOUNTED
            if given_to_launcher(plan, plan.gpus_per_node)
            else subject.absent(plan.gpus_per_node.key)
        )
    return _agreed(subject, claimed, host, needed)


def _agreed(subject: ClaimSubject, claimed: int, host: int | None, needed: int) -> Claim:
    """The claim where the configuration agrees, of a node with `host` GPUs that gives `needed`."""
    agreed = Observation(ClaimName.GPUS, claimed, claimed, _SOURCE)
    nodes = subject.plan.nodes.value or 1
    if host is None and subject.facts.kind == "log":
        return agreed.inconclusive(
            "The configuration agrees, but a console log does not name the host's GPUs."
        )
    if host is None and (unnamed := no_cards(subject.facts)) is not None:
        return agreed.inconclusive(unnamed)
    if host is None:
        return agreed.inconclusive(
            "The configuration agrees, but the host's GPUs were not recorded (the process that "
            "wrote the run may sit on another node)."
        )
    if nodes > 1:
        return agreed.inconclusive(
            "The configuration agrees, but {tracker} records one host of the {nodes} nodes.",
            tracker=tracker_name(subject.facts),
            nodes=nodes,
        )
    reason = plural_message(
        "The configuration agrees, and the job used {count} GPU.",
        "The configuration agrees, and the job used {count} GPUs.",
        claimed,
    )
    if host > needed:
        reason = plural_message(
            "The configuration agrees, and the job used {count} GPU of the host's {host}.",
            "The configuration agrees, and the job used {count} GPUs of the host's {host}.",
            claimed,
            host=host,
        )
    return agreed.consistent(reason)


def _as_claimed(subject: ClaimSubject, claimed: int, observed: int | None) -> bool | None:
    """Whether the run's configuration has the claimed number; None when it does not say."""
    plan = subject.plan
    # One pool: the product is the number. Several (rollout apart from training): each setting.
    alone = plan.gpus.value in (None, product(plan.gpus_per_node, plan.nodes).value)
    if alone and observed is not None:
        return observed == claimed
    # What a launcher starts, no setting places: verl's fine-tuning logs one that it does not read.
    return None if given_to_launcher(plan, plan.gpus_per_node) else _same_placement(subject)


def _other_number(subject: ClaimSubject, other: Observation) -> Claim:
    """The claim of a number that differs: open where a default of another release is all of it."""
    differ = [
        field.default
        for field in (subject.plan.gpus_per_node, subject.plan.nodes)
        if field.key and field.value != lookup(subject.facts.config, field.key)
    ]
    if differ and all(differ) and not same_release(subject):
        return other.inconclusive(other_default(subject))
    return other.inconsistent("The run's configuration asks for another number of GPUs.")


def _configured(subject: ClaimSubject) -> int | None:
    """GPUs a node times nodes in the run's configuration; None when that does not decide them."""
    plan = subject.plan
    if given_to_launcher(plan, plan.gpus_per_node):
        every = subject.observe(ClaimName.GPUS, PROCESSES)
        return every.value if every is not None and isinstance(every.value, int) else None
    per_node = subject.observe("gpus per node", plan.gpus_per_node.key)
    nodes = subject.observe("nodes", plan.nodes.key)
    if per_node is None or nodes is None:
        return None
    here, there = per_node.value, nodes.value
    return here * there if isinstance(here, int) and isinstance(there, int) else None


def _host_gpus(facts: Facts) -> int | None:
    """GPUs of the host: those listed with their memory, which nobody can override, come first."""
    if any(gpu.memory_bytes is not None for gpu in facts.gpus):
        return len(facts.gpus)
    return facts.host_gpu_count or len(facts.gpus) or len(facts.system) or None


def _same_placement(subject: ClaimSubject) -> bool | None:
    """Whether every setting that places models on GPUs is the run's; None when it is not known."""
    outcomes: list[bool | None] = []
    for key, given in subject.plan.resolved().items():
        if _PLACEMENT.search(key):
            value, seen = known(given), lookup(subject.facts.config, key)
            if isinstance(value, Missing) or isinstance(seen, Missing):
                outcomes.append(None)
            else:
                outcomes.append(same(value, seen))
    if False in outcomes:
        return False
    return True if outcomes and None not in outcomes else None


def device_claim(subject: ClaimSubject) -> Claim:
    """The kind of GPU: the file name's token, or what else states one, against name and memory."""
    facts, token = subject.facts, subject.name.device or subject.context.device
    source = SourceName.HOST_METADATA
    unseen = Observation(ClaimName.DEVICE, token, None, source)
    if not facts.gpus and facts.kind == "log":
        return unseen.inconclusive(
            "A console log names no GPU: `rlbot record -- bash SCRIPT.sh` records them."
        )
    if (unnamed := no_cards(facts)) is not None and not facts.gpus:
        return unseen.inconclusive(unnamed)
    if not facts.gpus:
        reason = (
            message("W&B records nothing of Ascend devices.")
            if lookup(facts.config, "trainer.device") == "npu"
            else message(
                "The run's metadata names no GPU: `rlbot record -- bash SCRIPT.sh`, on a node that "
                "has some, records them."
            )
        )
        return unseen.inconclusive(reason)
    observed = _described(facts.gpus)
    if token is None:
        return Observation(ClaimName.DEVICE, None, observed, source).consistent(
            "The script claims no device; this is the run's."
        )
    candidates = named(token)
    seen = Observation(ClaimName.DEVICE, token, observed, source)
    if not candidates:
        return seen.inconclusive(
            "{token} is not a device that rlbot knows the memory of.", token=f"'{token}'"
        )
    fits = [_is_one_of(gpu, candidates) for gpu in facts.gpus]
    if all(fit is True for fit in fits):
        device = by_report(facts.gpus[0].name, facts.gpus[0].memory_bytes) or candidates[0]
        reason = message("Name and memory are those of {label}.", label=device.label)
        if any(gpu.memory_bytes is None for gpu in facts.gpus):
            reason = message(
                "The name is that of {label}; the memory was not recorded.", label=device.label
            )
        return seen.consistent(reason)
    if all(fit is False for fit in fits):
        reason = message(
            "Neither name nor memory allow {token}: the run was on another device.", token=token
        )
        if any(by_report(gpu.name, None) in candidates for gpu in facts.gpus):
            reason = message(
                "The name is that of {token}, but no {token} has this memory.", token=token
            )
        return seen.inconsistent(reason)
    unknown = message("The host's GPUs are not all of a kind that rlbot knows.")
    return seen.inconclusive(no_cards(facts) or unknown)


def _is_one_of(gpu: GpuInfo, candidates: tuple[Device, ...]) -> bool | None:
    device = by_report(gpu.name, gpu.memory_bytes)
    if device is not None:
        return device.token in {candidate.token for candidate in candidates}
    memory = gpu.memory_bytes
    if memory is not None and all(
        abs(candidate.memory_bytes - memory) > _TOLERANCE * memory for candidate in candidates
    ):
        return False
    return None


def _described(gpus: tuple[GpuInfo, ...]) -> str:
    parts: dict[str, int] = {}
    for gpu in gpus:
        size = "" if gpu.memory_bytes is None else f" ({gpu.memory_bytes / 2**30:.1f} GiB)"
        parts[gpu.name + size] = parts.get(gpu.name + size, 0) + 1
    return ", ".join(f"{count} × {name}" for name, count in parts.items())
