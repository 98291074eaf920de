"""The settings that a release of a framework knows: the interface of every kind of table."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from bot.base.allowance import Allowance
from bot.base.fast_dataclass import dataclass
from bot.frameworks.settings.setting import Setting
from bot.report import JsonValue

Status: TypeAlias = Literal[
    "ok", "unknown", "needs-plus", "exists", "absent", "below-leaf", "group", "invalid", "undecided"
]


@dataclass(frozen=True, slots=True)
class Key:
    """One setting of a release."""

    name: str
    """Dotted key."""
    type: str
    """int, float, bool, str, list, dict, null, or "mandatory" (`???`); for a default that refers to
    another setting, the type of what it refers to ("any" when only a run decides that)."""
    default: JsonValue
    """As the release writes it; references to other settings stay as `${other.key}`."""
    free: bool = False
    """True for an empty mapping below which any key may be added with `+`."""
    choices: tuple[JsonValue, ...] = ()
    """The only values that the framework takes; empty when it takes any."""
    arity: str = ""
    """Options of argparse: "" takes one value, "0" none (a flag), "?", "*", "+" or a count;
    "?true" is "?" that is True where it is given without a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyVerdict:
    """Whether the framework would take one setting, and what is wrong with it."""

    status: Status
    """ok · unknown: no such key to override · needs-plus: the key is new below a free-form mapping,
    which takes `+` · exists: `+` on a key that is there · absent: `~` on a key that is not ·
    below-leaf: the key goes on below a setting that is no mapping, or the value is none and the
    setting is one · group: a wrong choice of a configuration group · invalid: the value cannot be
    put there · undecided: see `message`."""
    accepted: bool | None
    """Whether the framework itself takes it; None when that is not known. True with `below-leaf`
    means that it would silently put the one in the place of the other."""
    message: str = ""
    """One sentence; empty when all is well."""
    names_key: bool = True
    """Whether the message names the key as a whole."""
    suggestion: str | None = None
    """What to write instead of the key, with its operator: "+actor_rollout_ref.x.y"."""
    choice: str | None = None
    """A group choice under which the key does exist: "model_engine=megatron"."""

    def __bool__(self) -> bool:
        """True unless something is wrong for sure."""
        return self.status in ("ok", "undecided")


OK = KeyVerdict(status="ok", accepted=True)


def refusal(
    status: Status,
    message: str = "",
    *,
    names_key: bool = True,
    suggestion: str | None = None,
    choice: str | None = None,
) -> KeyVerdict:
    """That the framework does not take the setting."""
    return KeyVerdict(
        status=status,
        accepted=False,
        message=message,
        names_key=names_key,
        suggestion=suggestion,
        choice=choice,
    )


_SIMILAR = 0.7
"""How similar the last parts of two keys must be for one to be meant by the other."""


_SPEAKING = 2
"""Underscores of a name that means one setting, wherever it stands: `model_source_baseline`."""


_CLOSE = 0.7
"""Least score of a suggestion: a moved setting of the same name passes, a chance likeness fails."""


class KeyTable:
    """The settings of one release (and, for Hydra, of one root configuration)."""

    version: str
    root: str
    """The root configuration (ppo_trainer) or the module that parses the options."""

    def get(self, key: str) -> Key | None:
        """The key (a leaf or a mapping), or None when the release does not have it."""
        raise NotImplementedError

    def __contains__(self, key: str) -> bool:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        """Every key, leaves and mappings."""
        raise NotImplementedError

    def spells(self, key: str) -> bool:
        """Whether there is a key of this very name; `in` takes an abbreviation for its option."""
        return key in self

    def deprecated(self, _key: str, /) -> str | None:
        """What to use instead of an accepted but deprecated key; "" when nothing is needed.

        None where nothing is deprecated before it goes, as with OpenRLHF, or nothing says so.
        """
        return None

    def nearest(self, key: str) -> str | None:
        """The most similar key of this release, or None when none is close."""
        return closest(key, tuple(self))

    def history(self, _key: str, /) -> str | None:
        """Where the key exists, in words: "in verl 0.2 to 0.9.0, removed in 0.9.1"; else None."""
        return None

    def verdicts(self, settings: Sequence[Setting]) -> tuple[KeyVerdict, ...]:
        """What the framework would say to each, in their order, which counts.

        `+a.b=1 a.b=2` is right, the reverse is not.
        """
        raise NotImplementedError

    def refused(self, settings: Sequence[Setting]) -> tuple[bool, ...]:
        """For each setting, whether its verdict refuses it for sure; cheaper than the verdicts."""
        return tuple(verdict.accepted is False for verdict in self.verdicts(settings))


NEAR_MISSES: Final = Allowance("near misses")
"""Keys whose like is looked for, which takes milliseconds each among the settings of a release."""
_AT_ONCE: Final = 2_000
"""Settings that a release has at most; among more of them a key counts several times."""
_LONGEST: Final = 300
_MODELS: Final = {
    "actor_rollout_ref": "actor",
    "critic": "critic",
    "reward": "reward",
    "reward_model": "reward",
}
"""Sections of verl, and whose models each has the settings of."""


def closest(key: str, candidates: tuple[str, ...]) -> str | None:
    """The candidate most similar to a dotted key; None when none is close.

    The last part counts most, since sections move more often than settings are renamed, and alone
    where only one setting has a long one; then the sections that both have, whatever their order,
    and the whole text.
    """
    if len(key) > _LONGEST or not NEAR_MISSES.takes(1 + len(candidates) // _AT_ONCE):
        return None
    return _closest(key, candidates)


@lru_cache(maxsize=1024)
def _closest(key: str, candidates: tuple[str, ...]) -> str | None:
    *sections, name = key.split(".")
    same = _by_last_part(candidates).get(name, [])
    if len(same) == 1 and name.count("_") >= _SPEAKING and not _is_of_another(key, same[0][0]):
        return same[0][0]
    last = difflib.SequenceMatcher(b=name)
    whole = difflib.SequenceMatcher(b=key)
    best, best_score = None, 0.0
    for other, having in _by_last_part(candidates).items():
        # What `real_quick_ratio` says, without its cost: most names differ in length alone.
        if 2 * min(len(other), len(name)) < _SIMILAR * (len(other) + len(name)):
            continue
        last.set_seq1(other)
        if last.quick_ratio() < _SIMILAR:
            continue
        similar = last.ratio()
        if similar < _SIMILAR:
            continue
        for candidate, others in having:
            shared = sum(section in others for section in sections) / max(1, len(sections))
            if 0.6 * similar + 0.2 * shared + 0.2 <= best_score:
                continue  # Even the same text could not be better.
            if _is_of_another(key, candidate):
                continue
            whole.set_seq1(candidate)
            score = 0.6 * similar + 0.2 * shared + 0.2 * whole.ratio()
            if score > best_score:
                best, best_score = candidate, score
    return best if best_score >= _CLOSE else None


def _is_of_another(key: str, candidate: str) -> bool:
    """Whether a setting is the same of another model: the critic's tokenizer for the actor's."""
    one, other = (_MODELS.get(text.partition(".")[0]) for text in (key, candidate))
    return one is not None and other is not None and one != other


@lru_cache(maxsize=16)
def _by_last_part(candidates: tuple[str, ...]) -> dict[str, list[tuple[str, list[str]]]]:
    """Last part of a key to the keys that end with it, each with its sections."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for candidate in candidates:
        *sections, name = candidate.split(".")
        found.setdefault(name, []).append((candidate, sections))
    return found


_LEGACY = "trainer.use_legacy_worker_impl"
"""A setting of verl 0.6 and 0.7 alone: which of two implementations of its workers runs."""
_MARKS = (
    ("actor_rollout_ref.actor.pad_to_length", (0, 9)),
    ("actor_rollout_ref.rollout.disaggregation", (0, 8)),
    ("actor_rollout_ref.actor.tau_pos", (0, 7)),
    ("actor_rollout_ref.actor.freeze_vision_tower", (0, 6)),
    ("actor_rollout_ref.actor.data_loader_seed", (0, 5)),
    ("actor_rollout_ref.actor.loss_agg_mode", (0, 4)),
    ("actor_rollout_ref.rollout.val_kwargs", (0, 3)),
)
"""Settings of verl with the release that brought each, newest first."""


@lru_cache(maxsize=8)
def era(keys: KeyTable) -> tuple[int, ...]:
    """The release, such as (0, 4), of a configuration with these keys; (0,) for an older one."""
    newest = next((release for key, release in _MARKS if key in keys), (0,))
    return min(newest, (0, 7)) if _LEGACY in keys else newest
