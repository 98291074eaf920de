"""The row of a script: what its plan, its name and its run say, in the table's words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from bot.base.device_words import named
from bot.base.devices import by_report, by_token, label_of
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Notes, mark, message
from bot.base.naming_profiles import TUNING
from bot.base.regex import regex
from bot.evidence.facts import Facts
from bot.evidence.subject import keys_of
from bot.evidence.trl_runs import with_recorded
from bot.evidence.values import Missing, lookup
from bot.frameworks.launchers.processes import is_launched, without_launcher
from bot.frameworks.plan import Field, Plan
from bot.report import Claim, Evidence, JsonValue, Row
from bot.report.claims import ClaimName
from bot.script.choice import LaunchChoice
from bot.script.name import ScriptName, cached_name, model_size, naming_parts
from bot.script.plan import task_label
from bot.table.rst import UNKNOWN_CELL
from bot.table.tag import deserved_tag

_ENDING = regex(r"-(?:instruct|chat|base|it)\Z", re.IGNORECASE)
_HUB_NAME = regex(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*\Z")
_PACKAGES = {"trtllm": ("tensorrt-llm", "tensorrt_llm")}
"""Engines whose package has another name."""
_VERSION = regex(r"[0-9][A-Za-z0-9.+!-]{0,40}\Z")
_PLACES: Final = {
    "option": mark("--device"),
    "header": mark("the script's comment"),
    "slurm": mark("the script's #SBATCH lines"),
    "job": mark("the script's --flavor"),
}
"""Who says which device it is, besides the name."""
_VERSIONLESS = {"hf": "transformers"}
"""Engines that are part of a package with a life of its own: no version is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDetails:
    """The cells that neither a setting nor a run decides."""

    link: str
    """The script's address, a permalink where the commit is known."""
    contributor: str | None = None
    tag: str | None = None
    """The tag that the script or its author states."""
    device: LaunchChoice | None = None
    """Which device the script is read for, and who says so."""
    unread: bool = False
    """Whether a run is named that was not read."""


def make_row(
    plan: Plan,
    name: ScriptName,
    details: RowDetails,
    *,
    facts: Facts | None,
    evidence: Evidence | None = None,
) -> Row:
    """Make the row of one launch; `evidence` is what comparing it with the run's `facts` gave.

    What cannot be known is a backslash, with a note that says why and what would help. Never
    raises.
    """
    notes = Notes()
    return Row(
        tag=_tag(plan, details.tag, notes),
        model=_model(plan, facts, notes),
        task=_task(plan, notes),
        resource=_resource(plan, name, details, facts, notes),
        max_batch=_max_batch(plan, facts, evidence, notes)
        if facts is not None and evidence is not None
        else _without_run(details, notes),
        train=_train(plan, notes),
        infer=_infer(plan, details, facts, notes),
        link=details.link or UNKNOWN_CELL,
        contributor=_contributor(details.contributor, notes),
        notes=tuple(notes),
    )


def model_name(path: str) -> str | None:
    """The model's name in a path or hub name; None when the path does not hold one.

    Qwen2.5-7B for Qwen/Qwen2.5-7B-Instruct, and for a folder of Hugging Face's cache. The last part
    of another local path counts when it states a size, as a model's name does; folders of a
    checkpoint below it do not.
    """
    last = "".join(naming_parts(path)[-1:])
    hub = _HUB_NAME.match(path) and path.endswith(last)
    if not (cached_name(path) or hub or model_size(last)):
        return None
    return _ENDING.sub("", last) or None


def _tag(plan: Plan, tag: str | None, notes: Notes) -> str:
    if tag and tag.strip():
        return tag.strip().upper()
    deserved = deserved_tag(plan)
    notes.append(deserved.reason)
    return deserved.tag or UNKNOWN_CELL


def _recorded(field: Field[int] | Field[str], facts: Facts | None) -> JsonValue:
    """What the run's configuration holds where the script's own value cannot be known.

    None without a run, without a key, and for what the configuration leaves open itself.
    """
    if facts is None or field.key is None:
        return None
    found = lookup(facts.config, field.key)
    return None if isinstance(found, Missing) or "${" in str(found) else found


def _model(plan: Plan, facts: Facts | None, notes: Notes) -> str:
    path = plan.model.value
    if path is None:
        tail = _known_tail(plan)
        found = model_name(tail) if tail else None
        recorded = _recorded(plan.model, facts)
        if found is None and isinstance(recorded, str) and (found := model_name(recorded)):
            notes.note("The model {model} is the run's; the script leaves it open.", model=found)
        if found is None:
            notes.note(
                "The model is unknown because the settings do not give its path; write the "
                "path or hub name into the script."
            )
        return found or UNKNOWN_CELL
    found = model_name(path)
    if found is None:
        notes.note(
            "The model is unknown because the path {path} does not end in a model's name; use "
            "its hub name or a folder named after it.",
            path=path,
        )
    return found or UNKNOWN_CELL


def _known_tail(plan: Plan) -> str | None:
    """The last part of the model's path when only what stands before it cannot be known."""
    setting = plan.last(plan.model.key) if plan.model.key else None
    if setting is None:
        return None
    holes = setting.word.holes
    if not holes:
        return None
    known = setting.word.text.rsplit("${?" + holes[-1].reason + "}", 1)[-1].rstrip("/")
    return known.rsplit("/", 1)[-1] if "/" in known else None


def _task(plan: Plan, notes: Notes) -> str:
    label = task_label(plan)
    if label is None:
        notes.note("The task is unknown because the settings do not give the algorithm.")
    elif plan.adapter.value is None:
        notes.note(
            "The task is unknown because the settings do not tell whether an adapter such as "
            "LoRA is trained."
        )
        return UNKNOWN_CELL
    return label or UNKNOWN_CELL


def _resource(
    plan: Plan, name: ScriptName, details: RowDetails, facts: Facts | None, notes: Notes
) -> str:
    device = _device(name, details, facts, notes)
    count = plan.gpus.value if plan.gpus.value is not None else _gpus(plan, name, facts, notes)
    return f"{count}*{device}" if count is not None and device else UNKNOWN_CELL


def _gpus(plan: Plan, name: ScriptName, facts: Facts | None, notes: Notes) -> int | None:
    """The GPUs of a launch whose settings do not give them: one, where nothing starts more."""
    host = (facts.host_gpu_count or len(facts.gpus)) if facts else 0
    if without_launcher(plan) and host < 2 and name.gpus in (None, 1):
        notes.note("One GPU is taken, since no launcher starts more processes.")
        return 1
    advice = message("Write nodes and GPUs per node as numbers.")
    if is_launched(plan):
        advice = message(
            "Give it to the launcher as a number, such as accelerate launch --num_processes 8."
        )
    if name.gpus:
        notes.note(
            "The number of GPUs is unknown because the settings do not give it; the name says "
            "{gpus}. {advice}",
            gpus=name.gpus,
            advice=advice,
        )
    else:
        notes.note(
            "The number of GPUs is unknown because the settings do not give it. {advice}",
            advice=advice,
        )
    return None


def _device(name: ScriptName, details: RowDetails, facts: Facts | None, notes: Notes) -> str | None:
    """The device as the page writes it: by the run's name and memory, else by the file's name.

    Else by what else states one: the caller, a comment of the script, what it asks Slurm for.
    """
    seen = {by_report(gpu.name, gpu.memory_bytes) for gpu in facts.gpus} if facts else set()
    (recorded,) = seen if len(seen) == 1 else (None,)
    known = by_token(name.device) if name.device else ()
    if recorded is not None:
        if name.device is None:
            notes.note(
                "The device {device} is the run's; the script's name states none.",
                device=recorded.label,
            )
        elif recorded.token not in {device.token for device in known}:
            notes.note(
                "The device {device} is the run's; the script's name says {name}.",
                device=recorded.label,
                name=name.device.upper(),
            )
        return recorded.label
    if name.device:
        if not known:
            notes.note(
                "The device {device} is taken from the script's name; it is not in the list "
                "of known devices.",
                device=name.device.upper(),
            )
        return label_of(name.device) or name.device.upper()
    stated = details.device.card if details.device else None
    cards = named(stated) if stated else ()
    if details.device and stated and cards:
        label = label_of(stated.lower()) or cards[0].label
        notes.note(
            "The device {device} is taken from {place}; the script's name states none.",
            device=label,
            place=message(_PLACES.get(details.device.source or "", _PLACES["header"])),
        )
        return label
    _note_no_device(details, facts, notes)
    return None


def _note_no_device(details: RowDetails, facts: Facts | None, notes: Notes) -> None:
    """Say why the device is not known, and what would help that was not given."""
    form = TUNING.form
    if facts is not None:
        notes.note(
            "The device is unknown because neither the script's name nor the run states one that "
            "is known; name the script {form}, or write a comment `# device: NAME` into it.",
            form=form,
        )
    elif details.unread:
        notes.note(
            "The device is unknown because the script's name states none, and the run was not "
            "read; name the script {form}, or write a comment `# device: NAME` into it.",
            form=form,
        )
    else:
        notes.note(
            "The device is unknown because the script's name states none; name the script {form}, "
            "write a comment `# device: NAME` into it, or give its run.",
            form=form,
        )


def _without_run(details: RowDetails, notes: Notes) -> str:
    if details.unread:
        notes.note("MaxBatch is left open because the run was not read.")
    else:
        notes.note(
            "MaxBatch is left open because no run shows which batch fits; give the run that "
            "the row rests on."
        )
    return UNKNOWN_CELL


def _max_batch(plan: Plan, facts: Facts, evidence: Evidence, notes: Notes) -> str:
    """The train batch that fits: prompts a step over all GPUs, not times the responses of each.

    Only where the run shows that it does, in enough steps at full length.
    """
    claims = {claim.claim: claim for claim in evidence.claims}
    shown, lasted = claims.get(ClaimName.MAX_BATCH), claims.get(ClaimName.STEPS)
    if shown is not None and shown.verdict == "consistent":
        return str(shown.observed)
    if lasted is None or (shown is not None and shown.claimed is not None):
        doubt = shown or _doubt(evidence)
        notes.note("MaxBatch is left open. {why}", why=doubt.reason)
        return UNKNOWN_CELL
    keys = keys_of(plan, ClaimName.TRAIN_BATCH, plan.train_batch_size.key)
    key = keys[0] if keys else None
    recorded = _recorded(replace(plan.train_batch_size, key=key), with_recorded(plan, facts))
    if not isinstance(recorded, int) or isinstance(recorded, bool):
        notes.note("MaxBatch is unknown because the settings do not give the train batch size.")
    elif lasted.verdict != "consistent":
        notes.note("MaxBatch is left open. {why}", why=lasted.reason)
    else:
        notes.note("MaxBatch {batch} is the run's; the script leaves it open.", batch=recorded)
        return str(recorded)
    return UNKNOWN_CELL


def _doubt(evidence: Evidence) -> Claim:
    """The claim that kept the others from being compared: that the run is the linked one."""
    return next(claim for claim in evidence.claims if claim.verdict != "consistent")


def _train(plan: Plan, notes: Notes) -> str:
    if not plan.train.value:
        notes.note("The training backend is unknown because the settings do not give it.")
    return plan.train.value or UNKNOWN_CELL


def _infer(plan: Plan, details: RowDetails, facts: Facts | None, notes: Notes) -> str:
    engine = plan.infer.value
    if not engine:
        notes.note("The inference engine is unknown because the settings do not give it.")
        return UNKNOWN_CELL
    if engine in _VERSIONLESS:
        return engine
    if facts is None and details.unread:
        notes.note(
            "The version of {engine} is unknown because the run was not read.", engine=engine
        )
        return engine
    if facts is None:
        notes.note(
            "The version of {engine} is unknown without a run; give the run that the row rests on.",
            engine=engine,
        )
        return engine
    packages = _PACKAGES.get(engine, (engine, engine.replace("_", "-")))
    version = next((v for p in packages if (v := facts.requirements.get(p))), None)
    if version is None or not _VERSION.match(version):
        notes.note(
            "The version of {engine} is unknown because the run does not list the package.",
            engine=engine,
        )
        return engine
    # A local label (`+cu124`) says how the package was built, not which release it is.
    return engine + version.split("+", 1)[0]


def _contributor(contributor: str | None, notes: Notes) -> str:
    if contributor and contributor.strip():
        return contributor.strip()
    notes.note(
        "The contributor is unknown; write a comment `# contributor: LOGIN` into the script, or "
        "pass --contributor to verify, contribute or table add."
    )
    return UNKNOWN_CELL
