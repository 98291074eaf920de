"""The claims that make a row: which run, which model, with which backend and engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.base.messages import mark, message, plural_message
from bot.evidence.subject import HELD_OPEN, ClaimSubject, Observation, setting_claim
from bot.evidence.trl_runs import another_program
from bot.evidence.values import Missing, lookup, same
from bot.frameworks.fields import placeholder
from bot.report import Claim
from bot.report.claims import ClaimName, SourceName, SourcePart, claim_source, read_together
from bot.script.name import cached_name, model_size

_OTHER_PROGRAM: Final = mark("The run started another program than the script.")


def run_claim(subject: ClaimSubject) -> Claim | None:
    """Whether the run that was read is the linked one; None without a link."""
    link, run = subject.link, subject.facts.run
    if link is None:
        return None
    claimed = link.name
    observed = f"{run.entity or '?'}/{run.project or '?'}/{run.id or '?'}"
    pairs: tuple[tuple[str, str | None], ...] = ((link.run_id, run.id),)
    if link.service == "wandb":
        pairs += ((link.entity, run.entity), (link.project, run.project))
    else:
        observed = str(run.id)
    if run.id is None:
        return Observation(ClaimName.RUN, claimed, None, SourceName.RUN_RECORD).inconclusive(
            "The run does not say its own id."
        )
    read = Observation(ClaimName.RUN, claimed, observed, SourceName.RUN_RECORD)
    if any(there is not None and here != there for here, there in pairs):
        return read.inconclusive(
            "The run that was read is not the one that the link names, so it says nothing about "
            "this script; give the linked run, or correct the link."
        )
    return read.consistent("The run that was read is the one that the link names.")


def agreement_claim(subject: ClaimSubject) -> Claim | None:
    """Whether several sources are of one run; None for a single one."""
    found = subject.facts.agreement
    if found is None:
        return None
    shared = plural_message(
        "{count} value or setting in common",
        "{count} values and settings in common",
        found.shared,
    )
    seen = Observation(ClaimName.SOURCES_AGREE, message("one run"), shared, SourceName.EVERY_SOURCE)
    return seen.judged(found.verdict, found.reason)


def model_name(path: str) -> str:
    """The last part of a model's path or hub name, lower case; caches of the hub are understood."""
    path = path.replace("\\", "/")
    last = cached_name(path) or path.rstrip("/").rpartition("/")[2].replace("___", ".")
    return last.casefold()


def same_model(claimed: str, observed: str) -> bool:
    """Whether two paths name one model: equal, or equal in their last part."""
    return claimed == observed or model_name(claimed) == model_name(observed) != ""


def model_claim(subject: ClaimSubject) -> Claim:
    """The trained model, by name rather than by where it lies on a disk."""
    field = subject.plan.model
    seen = subject.observe(ClaimName.MODEL, field.key)
    token = subject.name.model
    claimed = field.value if field.value is not None else token
    if seen is None or not isinstance(seen.value, str):
        return subject.unanswered(ClaimName.MODEL, claimed, field.key)
    trained = Observation(ClaimName.MODEL, claimed, seen.value, seen.source)
    if "${" in seen.value or claimed is None:
        return trained.inconclusive(
            "The model's path is not resolved in the run, or not known from the script."
        )
    if field.value is not None:
        if not same_model(field.value, seen.value):
            if holder := placeholder(field.value):
                return trained.inconclusive(HELD_OPEN, placeholder=holder)
            return trained.inconsistent("The run trained another model than the script's.")
        elsewhere = field.value != seen.value
        reason = message("The run trained the script's model.")
        if elsewhere:
            reason = message("The run trained the script's model, from another path.")
        return trained.consistent(reason)
    # Only the file's name is left to compare with: a family and a size.
    observed = model_name(seen.value)
    if claimed.casefold() in observed:
        return trained.consistent("The run's model bears the name that the file's name gives.")
    sizes = model_size(claimed), model_size(observed)
    if None not in sizes and sizes[0] != sizes[1]:
        return trained.inconsistent("The run's model has another size than the file's name gives.")
    return trained.inconclusive(
        "The script's model cannot be known by reading it, and the names differ."
    )


def algorithm_claim(subject: ClaimSubject) -> Claim | None:
    """The algorithm: a setting, or the program that was started where that decides it."""
    plan, source = subject.plan, SourceName.HOST_METADATA
    if plan.framework == "trl" and (file := another_program(plan, subject.facts.program)):
        other = Observation(ClaimName.ALGORITHM, plan.algorithm.value, file, source)
        return other.inconsistent(_OTHER_PROGRAM)
    started = (subject.facts.program or "").removeprefix("-m ")
    entry = plan.launch.entry
    decides = plan.algorithm.key is None and plan.framework != "trl"
    if not decides or not started.startswith(f"{entry.partition('.')[0]}."):
        return setting_claim(subject, ClaimName.ALGORITHM, plan.algorithm, subject.name.algorithm)
    seen = Observation(ClaimName.ALGORITHM, plan.algorithm.value, started, source)
    if started == entry:
        return seen.consistent("The run started the script's program.")
    return seen.inconsistent(_OTHER_PROGRAM)


def adapter_claim(subject: ClaimSubject) -> Claim:
    """LoRA or full training, by the rank in the configuration."""
    field = subject.plan.adapter
    value = field.value if field.value is not None else subject.name.adapter
    claimed = None if value is None else value or "none"
    if not subject.facts.config:
        return subject.unanswered(ClaimName.ADAPTER, claimed, None)
    ranks = [
        seen
        for seen in subject.observe_all("lora rank", field.key)
        if isinstance(seen.value, (int, float))
    ]
    loaded = [seen for seen in subject.observe_all("lora path") if seen.value]
    if subject.plan.framework == "trl" and not ranks:
        # transformers logs nothing of PEFT before 4.46.
        return subject.unanswered(ClaimName.ADAPTER, claimed, field.key)
    used = [seen for seen in ranks if isinstance(seen.value, int) and seen.value > 0] + loaded
    source = (used or ranks)[0].source if used or ranks else SourceName.RUN_CONFIG
    observed = ("dora" if _dora(subject) else "lora") if used else "none"
    if claimed is None:
        return Observation(ClaimName.ADAPTER, None, observed, source).inconclusive(
            "The script's adapter cannot be known by reading it."
        )
    found = Observation(ClaimName.ADAPTER, claimed, observed, source)
    if claimed == observed:
        return found.consistent("The run's configuration agrees.")
    reason = message("The run trained without an adapter.")
    if used:
        reason = message("The run trained with {adapter}.", adapter=observed)
    return found.inconsistent(reason)


def _dora(subject: ClaimSubject) -> bool:
    """Whether the adapter is DoRA: verl's Megatron backend names its type, PEFT has a switch."""
    for kind in subject.observe_all("lora type"):
        if kind.value is True or (isinstance(kind.value, str) and "dora" in kind.value.casefold()):
            return True
    return False


def train_claim(subject: ClaimSubject) -> Claim | None:
    """The training backend."""
    if subject.plan.framework == "openrlhf":
        return _by_presence(
            subject, ClaimName.TRAIN_BACKEND, "deepspeed", ("ds.zero_stage", "zero_stage")
        )
    if subject.plan.framework == "trl" and subject.facts.config.get("deepspeed"):
        # Without the option accelerate's launcher may have it, which no run records.
        return _by_presence(subject, ClaimName.TRAIN_BACKEND, "deepspeed", ("deepspeed",))
    # The backend may be chosen by a configuration group, which the run names otherwise: its own
    # entry is the strategy.
    field = replace(subject.plan.train, key=None)
    return setting_claim(subject, ClaimName.TRAIN_BACKEND, field, subject.name.train)


def engine_claim(subject: ClaimSubject) -> Claim | None:
    """The inference engine, with the version that was installed."""
    engine = subject.plan.infer
    if engine.key is None and engine.value is None and subject.name.infer == "hf":
        return None  # Training without rollouts, whose name has to have the part.
    if subject.plan.framework == "openrlhf":
        keys = ("vllm.num_engines", "vllm_num_engines")
        claim: Claim | None = _by_presence(subject, ClaimName.INFERENCE_ENGINE, "vllm", keys)
        if claim is not None and claim.claimed is None and claim.observed is None:
            return None  # Training without rollouts.
    else:
        named = _with_engine_named(subject)
        claim = setting_claim(named, ClaimName.INFERENCE_ENGINE, engine, subject.name.infer)
    if claim is None:
        return None
    observed = str(claim.observed or "").casefold()
    version = subject.facts.requirements.get(observed)
    if version is None:
        return claim
    return Observation(
        claim.claim,
        claim.claimed,
        f"{observed} {version}",
        read_together(claim.source, SourceName.REQUIREMENTS),
    ).judged(claim.verdict, claim.reason)


def _with_engine_named(subject: ClaimSubject) -> ClaimSubject:
    """The subject whose run names its engine where TRL's records whether it is vLLM."""
    facts = subject.facts
    on = same(facts.config.get("use_vllm"), True) if subject.plan.framework == "trl" else None
    if on is None or "use_vllm" not in facts.config:
        return subject
    config = {**facts.config, "use_vllm": "vllm" if on else "hf"}
    return replace(subject, facts=replace(facts, config=config))


def _by_presence(subject: ClaimSubject, claim: str, implied: str, keys: tuple[str, ...]) -> Claim:
    """A claim that settings answer by being there, as OpenRLHF has one backend and one engine."""
    field = subject.plan.train if claim == ClaimName.TRAIN_BACKEND else subject.plan.infer
    named = subject.name.train if claim == ClaimName.TRAIN_BACKEND else subject.name.infer
    claimed = field.value if field.value is not None else named
    config = subject.facts.config
    if claimed is None or all(isinstance(lookup(config, key), Missing) for key in keys):
        return subject.unanswered(claim, claimed, keys[0])
    source = claim_source(SourcePart(SourceName.RUN_CONFIG, keys[0]))
    seen = Observation(claim, claimed, implied, source)
    if claimed == implied:
        return seen.consistent("The run's settings show it.")
    return seen.inconsistent("The run's settings are those of {implied}.", implied=implied)
