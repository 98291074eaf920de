"""What a claim is made from, and the keys of a run's configuration that answer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, mark, message
from bot.evidence.facts import Facts
from bot.evidence.links import RunLink
from bot.evidence.origins import no_settings
from bot.evidence.values import MISSING, Missing, lookup, same, shown
from bot.frameworks.fields import placeholder
from bot.frameworks.plan import Field, Plan
from bot.frameworks.settings.setting import UNKNOWN, Setting
from bot.report import Claim, ClaimVerdict, JsonValue, Scalar
from bot.report.claims import ClaimName, ClaimSource, SourceName, SourcePart, claim_source
from bot.script.name import ScriptName
from bot.script.trial_log import Trial

HELD_OPEN: Final = mark(
    "The script holds the placeholder {placeholder}: write the value that the run used."
)
UNCOUNTED: Final = mark("The run does not record how many processes its launcher started.")
MIN_STEPS: Final = 20
"""Steps after which responses of full length have been seen (verl's runs reach them within 20)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPeak:
    """Predicted peak of what one GPU shows, in GiB (2**30 bytes)."""

    floor_gib: float
    """What must be resident: no run can stay below it."""
    expected_gib: float
    conservative_gib: float
    """What a run with full-length responses everywhere may show, freed blocks among it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimContext:
    """Everything around; what is not known leaves its claim out."""

    contributor: str | None = None
    """Login of the author of the pull request, or a name of the header comment."""
    trials: tuple[Trial, ...] = ()
    """The script's own trial log, scaled to all GPUs."""
    used_by: Mapping[str, tuple[str, ...]] | None = None
    """Run, as `entity/project/id`, to the other rows and scripts that name it; None when nobody
    looked."""
    estimate: ExpectedPeak | None = None
    tag: str | None = None
    """The tag that the row bears: MIN or RECOMMENDED."""
    device: str | None = None
    """The card that somebody states, for a script whose name states none."""
    min_steps: int = MIN_STEPS
    """Steps that a run must have completed before its batch counts as having run."""


NOTHING: Final = ClaimContext()


KEYS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "verl": {
        ClaimName.MODEL: ("actor_rollout_ref.model.path", "model.partial_pretrain", "model.path"),
        ClaimName.ALGORITHM: ("algorithm.adv_estimator",),
        "lora rank": (
            "actor_rollout_ref.model.lora_rank",
            "actor_rollout_ref.model.lora.rank",
            "model.lora_rank",
        ),
        "lora path": ("actor_rollout_ref.model.lora_adapter_path",),
        "lora type": ("actor_rollout_ref.model.lora.type", "actor_rollout_ref.model.use_dora"),
        "gpus per node": ("trainer.n_gpus_per_node",),
        "nodes": ("trainer.nnodes",),
        ClaimName.TRAIN_BACKEND: (
            "actor_rollout_ref.actor.strategy",
            "engine.strategy",
            "model.strategy",
        ),
        ClaimName.INFERENCE_ENGINE: ("actor_rollout_ref.rollout.name", "rollout.name"),
        ClaimName.TRAIN_BATCH: ("data.train_batch_size",),
        ClaimName.MINI_BATCH: ("actor_rollout_ref.actor.ppo_mini_batch_size",),
        ClaimName.MICRO_BATCH: ("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",),
        ClaimName.ROLLOUT_N: ("actor_rollout_ref.rollout.n",),
        ClaimName.PROMPT_LENGTH: ("data.max_prompt_length",),
        ClaimName.RESPONSE_LENGTH: ("data.max_response_length",),
    },
    "openrlhf": {
        ClaimName.MODEL: ("pretrain", "actor.model_name_or_path"),
        ClaimName.ALGORITHM: ("advantage_estimator", "algo.advantage.estimator"),
        "lora rank": ("lora_rank", "ds.lora.rank"),
        "lora type": ("use_dora",),
        ClaimName.TRAIN_BATCH: ("rollout_batch_size", "rollout.batch_size"),
        ClaimName.MINI_BATCH: ("train_batch_size", "train.batch_size"),
        ClaimName.MICRO_BATCH: ("micro_train_batch_size", "train.micro_batch_size"),
        ClaimName.ROLLOUT_N: ("n_samples_per_prompt", "rollout.n_samples_per_prompt"),
        ClaimName.PROMPT_LENGTH: ("prompt_max_len", "data.prompt_max_len"),
        ClaimName.RESPONSE_LENGTH: ("generate_max_len", "rollout.max_new_tokens"),
    },
    "trl": {
        ClaimName.MODEL: ("model_name_or_path",),
        ClaimName.ALGORITHM: ("algorithm",),
        "lora rank": ("lora_r",),
        "lora type": ("use_dora",),
        ClaimName.TRAIN_BATCH: ("train_batch_size",),
    },
}
"""Framework to fact to the keys that may hold it; the plan's own key is asked before. Of TRL, some
are those that `trl_runs.with_recorded` adds."""
_MADE: Final = frozenset({("trl", ClaimName.TRAIN_BATCH), ("trl", ClaimName.ALGORITHM)})
"""Facts that no one setting holds: the plan's own key is at most that of a factor."""


def keys_of(plan: Plan, fact: str, key: str | None = None) -> tuple[str, ...]:
    """The keys under which a run's configuration may hold a fact; `key` is the plan's own."""
    keys = KEYS.get(plan.framework, {}).get(fact, ())
    if fact == ClaimName.MINI_BATCH:  # OpenRLHF without rollouts: its train batch is the whole.
        keys = tuple(name for name in keys if name != plan.train_batch_size.key)
    own = (key,) if key is not None and (plan.framework, fact) not in _MADE else ()
    return tuple(dict.fromkeys((*own, *keys)))


@dataclass(frozen=True, slots=True)
class Observation:
    """What is claimed, what the run says, and where it says so."""

    claim: str
    """A `ClaimName`, or the dotted key of a setting."""
    claimed: JsonValue
    observed: JsonValue
    source: str

    def judged(self, verdict: ClaimVerdict, reason: str) -> Claim:
        """The claim with this verdict; values are cut to what a report shows.

        They are data, never markup.
        """
        return Claim(
            claim=self.claim,
            claimed=shown(self.claimed, self.claim),
            observed=shown(self.observed, self.claim),
            source=self.source,
            verdict=verdict,
            reason=reason,
        )

    def consistent(self, reason: str, /, **values: object) -> Claim:
        """The run backs the claim; `reason` is a template, as of `message`, or a message."""
        return self.judged("consistent", _sentence(reason, values))

    def inconsistent(self, reason: str, /, **values: object) -> Claim:
        """The run contradicts the claim; `reason` as of `consistent`."""
        return self.judged("inconsistent", _sentence(reason, values))

    def inconclusive(self, reason: str, /, **values: object) -> Claim:
        """The run neither backs nor contradicts the claim; `reason` as of `consistent`."""
        return self.judged("inconclusive", _sentence(reason, values))


def _sentence(reason: str, values: Mapping[str, object]) -> Message:
    return reason if isinstance(reason, Message) else message(reason, **values)


@dataclass(frozen=True, slots=True)
class Observed:
    """An entry of the run's configuration."""

    key: str
    value: JsonValue

    @property
    def source(self) -> ClaimSource:
        """Where it stands, for a report."""
        return claim_source(SourcePart(SourceName.RUN_CONFIG, self.key))


@dataclass(frozen=True, slots=True)
class ClaimSubject:
    """One script's plan and name, and the run that is to back them."""

    plan: Plan
    name: ScriptName
    facts: Facts
    link: RunLink | None = None
    context: ClaimContext = NOTHING

    def observe(self, fact: str, key: str | None = None) -> Observed | None:
        """The run's entry for a fact of KEYS, asked for under `key` first; None without one."""
        for candidate in keys_of(self.plan, fact, key):
            value = lookup(self.facts.config, candidate)
            if not isinstance(value, Missing):
                return Observed(candidate, value)
        return None

    def observe_all(self, fact: str, key: str | None = None) -> list[Observed]:
        """Every entry of the run for a fact of KEYS, and for `key`."""
        keys = keys_of(self.plan, fact, key)
        found = ((candidate, lookup(self.facts.config, candidate)) for candidate in keys)
        return [Observed(key, value) for key, value in found if not isinstance(value, Missing)]

    def unanswered(self, claim: str, claimed: JsonValue, key: str | None) -> Claim:
        """The claim where the run's configuration has nothing to compare with."""
        unseen = Observation(claim, claimed, None, SourceName.RUN_CONFIG)
        return unseen.inconclusive(self.absent(key))

    def absent(self, key: str | None) -> str:
        """Why the configuration does not answer, a sentence."""
        if not self.facts.config:
            return no_settings(self.facts)
        if key is None:
            return message("The run's configuration does not say it.")
        return message("The run's configuration has no such key ({key}).", key=key)


def given_to_launcher(plan: Plan, field: Field[int]) -> bool:
    """Whether torchrun or its like was told, which the run's configuration does not record."""
    return field.key is not None and "." not in field.key and plan.last(field.key) is None


def known(value: object) -> JsonValue | Missing:
    """The value of a setting, or MISSING when a hole decides it."""
    return MISSING if value is UNKNOWN else cast("JsonValue", value)


def setting_claim(
    subject: ClaimSubject, claim: str, field: Field[int] | Field[str], named: Scalar = None
) -> Claim | None:
    """A claim that one entry of the configuration answers; None when there is nothing to claim.

    `named` is what the file's name says, for when the script's own value cannot be known.
    """
    claimed = field.value if field.value is not None else named
    seen = subject.observe(claim, field.key)
    if seen is None:
        if claimed is None and field.key is None:
            return None  # Training without reinforcement has no rollout, for one.
        keys = keys_of(subject.plan, claim, field.key)
        made = (subject.plan.framework, claim) in _MADE
        if made and claim == ClaimName.TRAIN_BATCH and subject.facts.config:
            return Observation(claim, claimed, None, SourceName.RUN_CONFIG).inconclusive(UNCOUNTED)
        return subject.unanswered(claim, claimed, keys[0] if keys and not made else None)
    written = subject.plan.last(field.key) if field.key else None
    if claimed is None:
        if written is None and seen.value is None:
            return None  # Neither side sets it.
        reason = message("The script's value cannot be known by reading it.")
        if written is None:
            reason = message("The script does not set it.")
        return Observation(claim, None, seen.value, seen.source).inconclusive(reason)
    # What the script writes is what the run records; the plan's word for it may be another one.
    exact = written is not None and written.key == seen.key and same(known_or(written), seen.value)
    equal = exact or same(_folded(claimed), _folded(seen.value))
    both = Observation(claim, claimed, seen.value, seen.source)
    if equal is False and field.value is None:
        return both.inconclusive(
            "The file's name says otherwise; the script's own value cannot be known."
        )
    if equal is False and field.default and not same_release(subject):
        return both.inconclusive(other_default(subject))
    return judged(claim, claimed, seen, equal, default=field.default)


def known_or(setting: Setting) -> JsonValue:
    """The value of a setting, or its text when a hole decides it."""
    value = known(setting.value)
    return setting.text if isinstance(value, Missing) else value


def _folded(value: JsonValue) -> JsonValue:
    return value.casefold() if isinstance(value, str) else value


def other_default(subject: ClaimSubject) -> Message:
    """Why a default that differs contradicts nothing, a sentence."""
    plan, found = subject.plan, subject.plan.configuration
    if found.source == "tree":
        return message(
            "The script leaves it to {place}, whose default differs; the run may have had another "
            "one.",
            place=found.release,
        )
    return message(
        "The script leaves it to the framework, whose default in {framework} {release} "
        "differs; the run's release is not known to be that.",
        framework=plan.framework,
        release=found.release,
    )


def same_release(subject: ClaimSubject) -> bool:
    """Whether the run had the release installed that the plan was read with."""
    installed = subject.facts.requirements.get(subject.plan.framework)
    return installed == subject.plan.configuration.release


def judged(
    claim: str, claimed: Scalar, seen: Observed, equal: bool | None, *, default: bool = False
) -> Claim:
    """A claim from the outcome of a comparison."""
    both = Observation(claim, claimed, seen.value, seen.source)
    if equal is None:
        return both.inconclusive("One side is not resolved: it refers to others.")
    if not equal and isinstance(claimed, str) and (holder := placeholder(claimed)):
        return both.inconclusive(HELD_OPEN, placeholder=holder)
    if default and equal:
        return both.consistent("The run used the framework's default, which the script leaves.")
    if default:
        return both.inconsistent(
            "The run did not use the framework's default, which the script leaves."
        )
    if equal:
        return both.consistent("The run used the script's value.")
    return both.inconsistent("The run did not use the script's value.")
