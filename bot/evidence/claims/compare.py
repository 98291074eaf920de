"""What a script claims, compared with what its run says: a pure function of plan, name and facts.

Everything in a run is reported by the client and can be edited afterwards, so a verdict is
consistent, inconsistent or inconclusive, never "proved".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.base.devices import GIB
from bot.base.messages import message
from bot.base.regex import regex
from bot.base.secret_values import is_secret
from bot.evidence.claims.batch import MaxBatch, batch_claim
from bot.evidence.claims.hardware import device_claim, gpus_claim
from bot.evidence.claims.key import (
    adapter_claim,
    agreement_claim,
    algorithm_claim,
    engine_claim,
    model_claim,
    run_claim,
    same_model,
    train_claim,
)
from bot.evidence.claims.least import least_claim
from bot.evidence.claims.owner import owner_claims
from bot.evidence.claims.peak import device_memory, peak_claims, peak_seen
from bot.evidence.claims.progress import steps_claim, steps_completed
from bot.evidence.claims.strength import sources, strength
from bot.evidence.facts import Facts
from bot.evidence.links import RunLink
from bot.evidence.record import record
from bot.evidence.subject import (
    NOTHING,
    ClaimContext,
    ClaimSubject,
    Observation,
    Observed,
    judged,
    known,
    setting_claim,
)
from bot.evidence.trl_runs import with_recorded
from bot.evidence.values import Missing, fits, lookup, same, same_file, shown
from bot.frameworks.fields import placeholder
from bot.frameworks.plan import Field, Plan
from bot.frameworks.settings.setting import Setting
from bot.report import Claim, ClaimVerdict, Evidence, JsonValue, Run
from bot.report.claims import ClaimName, ClaimSource, SourceName, source_groups
from bot.script.name import ScriptName

_BARE_NAME = regex(r"\$\{\?(\w{1,200})\}")
DECISIVE: Final = frozenset(
    (
        ClaimName.RUN,
        ClaimName.SOURCES_AGREE,
        ClaimName.MODEL,
        ClaimName.GPUS,
        ClaimName.DEVICE,
        ClaimName.TRAIN_BATCH,
        ClaimName.STEPS,
        ClaimName.PEAK,
    )
)
"""Claims without which the evidence as a whole stays inconclusive."""


def compare(
    plan: Plan,
    name: ScriptName,
    facts: Facts,
    *,
    link: RunLink | None = None,
    context: ClaimContext = NOTHING,
) -> Evidence:
    """Compare one launch with one run: the row's claims in a fixed order, then every setting.

    The verdict is inconsistent if any claim is; otherwise inconclusive if a decisive claim is, if
    no setting could be compared, or if part of the run is missing; otherwise consistent. A run that
    is not the linked one is compared no further: inconclusive.
    """
    subject = ClaimSubject(plan, name, with_recorded(plan, facts), link, context)
    ours = run_claim(subject)
    if ours is not None and ours.verdict != "consistent" and facts.run.id is not None:
        # Nothing else that another run says is about this script.
        return Evidence(
            source=_source(facts), verdict="inconclusive", run=_run(facts, None), claims=(ours,)
        )
    first, max_batch = _row_claims(subject)
    # The setting that decides for each key is the last one given.
    settings = {setting.key: setting for setting in plan.settings}
    outcomes = {key: _setting(subject, setting) for key, setting in settings.items()}
    covered = {plan.model.key, plan.algorithm.key}
    covered |= {field.key for field in _sizes(plan).values()}
    # What a row's claim compares is not repeated; a backend's claim compares the strategy alone,
    # and that of OpenRLHF's engine only that there are engines, not how many.
    if (plan.train.key or "").endswith(".strategy"):
        covered.add(plan.train.key)
    if plan.framework != "openrlhf":
        covered.add(plan.infer.key)
    rest = [outcomes[key] for key in sorted(outcomes) if key not in covered]
    claims = tuple(_marked(claim, facts) for claim in (*first, *rest))
    compared = [claim for claim in outcomes.values() if claim.verdict != "inconclusive"]
    peak, total = peak_seen(facts), device_memory(facts)
    found = sources(claims, facts)
    return Evidence(
        source=_source(facts),
        verdict=_overall(claims, compared, facts),
        run=_run(facts, link),
        claims=claims,
        settings_compared=len(compared),
        settings_consistent=sum(claim.verdict == "consistent" for claim in compared),
        steps=steps_completed(facts),
        peak_gib=None if peak is None else round(peak.gib, 3),
        device_gib=None if total is None else round(total / GIB, 3),
        strength=strength(found, facts),
        sources=found,
        max_batch=max_batch,
        facts=record(facts, outcomes),
    )


def _row_claims(subject: ClaimSubject) -> tuple[list[Claim], MaxBatch | None]:
    plan = subject.plan
    steps = steps_claim(subject)
    batch, max_batch = batch_claim(subject, steps)
    peak, *plausibility = peak_claims(subject)
    least = least_claim(subject, steps, (peak, *plausibility))
    claims = [
        run_claim(subject),
        agreement_claim(subject),
        model_claim(subject),
        algorithm_claim(subject),
        adapter_claim(subject),
        gpus_claim(subject),
        device_claim(subject),
        train_claim(subject),
        engine_claim(subject),
        *(setting_claim(subject, claim, field) for claim, field in _sizes(plan).items()),
        steps,
        peak,
        batch,
        *plausibility,
        least,
        *owner_claims(subject),
    ]
    return [claim for claim in claims if claim is not None], max_batch


def _sizes(plan: Plan) -> dict[ClaimName, Field[int]]:
    """The sizes that are claimed as they are set."""
    return {
        ClaimName.TRAIN_BATCH: plan.train_batch_size,
        ClaimName.MINI_BATCH: plan.mini_batch_size,
        ClaimName.MICRO_BATCH: plan.micro_batch_size_per_gpu,
        ClaimName.ROLLOUT_N: plan.rollout_n,
        ClaimName.PROMPT_LENGTH: plan.max_prompt_length,
        ClaimName.RESPONSE_LENGTH: plan.max_response_length,
    }


_PRINTED: Final = {
    "config": (SourceName.RUN_CONFIG, SourceName.PRINTED_CONFIG),
    "arguments": (SourceName.RUN_CONFIG, SourceName.RECORDED_ARGUMENTS),
    "history": (SourceName.HISTORY, SourceName.PRINTED_STEPS),
}


def _source(facts: Facts) -> str:
    """What was read; a report of a private run says in every form that it is one."""
    if not facts.private:
        return facts.source
    return message("{source} of a private project", source=facts.source)


def _marked(claim: Claim, facts: Facts) -> Claim:
    """The claim with the source that a console log is: what the process printed."""
    if not facts.printed:
        return claim
    names = dict(_PRINTED[part] for part in facts.printed if part in _PRINTED)
    return replace(claim, source=ClaimSource(source_groups(claim.source)).renamed(names))


def _partly_known(setting: Setting, observed: JsonValue | Missing, source: str) -> Claim:
    """A value with holes: what HOME and its like stand for differs between machines.

    The rest of such a value must agree with the run's; any other hole leaves it open.
    """
    holes, text, key = setting.word.holes, setting.text, setting.key
    # The value of an option is another word: what is called by its bare name is the environment's.
    parts = [hole.name or hole.reason for hole in holes if hole.kind == "environment"]
    parts = parts if holes else _BARE_NAME.findall(text)
    decided = None
    if not isinstance(observed, Missing) and 0 < len(parts) == text.count("${?"):
        decided = fits(text, observed)
    both = Observation(key, text, shown(observed, key), source)
    if decided is None:
        return both.inconclusive("The script's value cannot be known without running it.")
    names = ", ".join(dict.fromkeys(parts))
    if decided:
        return both.consistent(
            "The run agrees with what the script says besides {names}.", names=names
        )
    return _elsewhere(both, text, observed) or both.inconsistent(
        "The run does not agree with what the script says besides {names}.", names=names
    )


def _elsewhere(
    both: Observation, claimed: JsonValue, observed: JsonValue | Missing
) -> Claim | None:
    """The claim of a path that another machine has elsewhere, as of a data set; else None."""
    found = False if isinstance(observed, Missing) else same_file(claimed, observed)
    if found:
        return both.consistent("The run used the script's path, in another folder.")
    if found is None:
        return both.inconclusive(
            "The run used a path of the same name in another folder; whether it holds the same is "
            "open."
        )
    return None


def _setting(subject: ClaimSubject, setting: Setting) -> Claim:
    key = setting.key
    observed = lookup(subject.facts.config, key)
    source = SourceName.RUN_CONFIG
    if setting.operator == "~":
        if not subject.facts.config:
            return subject.unanswered(key, "(deleted)", key)
        both = Observation(key, "(deleted)", shown(observed, key), source)
        if isinstance(observed, Missing):
            return both.consistent("The script deletes this key, and the run has none.")
        return both.inconsistent("The script deletes this key, and the run still has it.")
    claimed = known(setting.value)
    if isinstance(claimed, Missing):
        return _partly_known(setting, observed, source)
    if key.startswith("hydra."):
        return Observation(key, setting.text, None, source).inconclusive(
            "Settings of Hydra itself are not part of the run's configuration."
        )
    if isinstance(observed, Missing):
        return subject.unanswered(key, claimed, key)
    if isinstance(claimed, str) and isinstance(observed, dict):
        return Observation(key, claimed, observed, source).inconclusive(
            "The script chooses a group of the configuration here; its entries are compared."
        )
    return replace(_compared(subject, key, claimed, observed), source=source)


def _compared(subject: ClaimSubject, key: str, claimed: JsonValue, observed: JsonValue) -> Claim:
    equal = same(claimed, observed)
    if equal is not False:
        return judged(key, shown(claimed, key), Observed(key, observed), equal)
    if key == subject.plan.model.key and isinstance(claimed, str) and isinstance(observed, str):
        equal = same_model(claimed, observed)
    both = Observation(key, shown(claimed, key), shown(observed, key), SourceName.RUN_CONFIG)
    if is_secret(key, str(observed)):
        return both.inconclusive("A key is each user's own: it is not compared.")
    elsewhere = None
    if not equal and not (isinstance(claimed, str) and placeholder(claimed)):
        elsewhere = _elsewhere(both, claimed, observed)
    return elsewhere or judged(key, shown(claimed, key), Observed(key, observed), equal)


def _overall(claims: Sequence[Claim], compared: list[Claim], facts: Facts) -> ClaimVerdict:
    if any(claim.verdict == "inconsistent" for claim in claims):
        return "inconsistent"
    open_ = any(c.verdict == "inconclusive" and c.claim in DECISIVE for c in claims)
    if open_ or not compared or facts.gaps:
        return "inconclusive"
    return "consistent"


def _run(facts: Facts, link: RunLink | None) -> Run:
    run = facts.run
    linked = link is not None and link.run_id == run.id

    def text(value: str | None) -> str | None:
        return None if value is None else str(shown(value))

    return Run(
        id=text(run.id),
        entity=text(run.entity),
        project=text(run.project),
        name=text(run.name),
        url=link.url if link is not None and linked else None,
    )
