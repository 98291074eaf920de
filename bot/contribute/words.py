"""The words of a launch, from what a run logged: overrides of Hydra, and TRL's command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.base.errors import UserError
from bot.base.regex import regex
from bot.base.secret_values import is_secret
from bot.evidence.facts import Facts
from bot.evidence.trl_runs import module_of, processes_of
from bot.frameworks.hydra.overrides import read_override
from bot.frameworks.settings.key_table import Key
from bot.frameworks.settings.setting import Setting
from bot.report import JsonValue
from bot.shell.source import Span
from bot.shell.words import Piece, Word

_NOWHERE = Span(0, 0)
_BACKSLASH = "\\"
_BEFORE_QUOTE = regex(r'(?<!\\)(\\++)(?="|\Z)')


def override(key: str, value: JsonValue, operator: str = "") -> Setting:
    """The override `key=value` as Hydra reads it. Raises UserError where Hydra has no such word."""
    text = f"{operator}{key}={_hydra(value)}"
    read = read_override(Word((Piece(text, _NOWHERE),), _NOWHERE))
    if not isinstance(read, Setting) or read.value != value:
        raise UserError(
            "The run's setting {key} cannot be written as an override of Hydra's; name the "
            "script that it ran with --script.",
            key=key,
        )
    return read


def _hydra(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{','.join(map(_hydra, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{_text(key)}:{_hydra(item)}' for key, item in value.items())}}}"
    return _text(value)


def _text(text: str) -> str:
    """A text as it is where Hydra takes it for one, else in its quotes."""
    read = read_override(Word((Piece(f"x={text}", _NOWHERE),), _NOWHERE))
    plain = re.fullmatch(r"[\w/.:+%*@?|-]+", text, re.ASCII)
    if plain and isinstance(read, Setting) and read.value == text:
        return text
    # Hydra doubles the backslashes before a quote, those at the end included.
    if "'" not in text:
        return f"'{text}{text[len(text.rstrip(_BACKSLASH)) :]}'"
    escaped = _BEFORE_QUOTE.sub(r"\1\1", text).replace('"', '\\"')
    return f'"{escaped}"'


def option(name: str, value: JsonValue, key: Key, *, off: bool) -> list[str]:
    """The words `--name value` of an option; none for its default. `off`: it sets False."""
    if value is None or value == key.default:
        return []
    if key.arity == "0":
        return [f"--{name}"] if (value is False if off else bool(value)) else []
    if isinstance(value, list):
        return [f"--{name}", *map(str, value)]
    return [f"--{name}", str(value)]


_MOST: Final = 2_000
"""Words of a command line."""
_ENDS: Final = regex(r"[^\x00\r\n]*\Z")
"""A word that one line of a script can hold."""


def trl_words(facts: Facts, launcher: str | None) -> tuple[str, tuple[str, ...], str]:
    """Module, its arguments, and the words that start it, of a run of TRL's.

    The settings that such a run logs name neither its dataset nor what TRL's own classes take; the
    command line that W&B records does (`wandb-metadata.json`). accelerate's or torchrun's words
    stand nowhere: the number of processes follows from GRPO's settings, the rest is asked for.
    `launcher` is the caller's word, "accelerate launch --num_processes 8 …". Raises UserError where
    the run does not record what the script needs.
    """
    module = module_of(facts.program)
    if module is None or not facts.args:
        raise UserError(
            "The run logged the training arguments of a Hugging Face trainer (TRL), which name "
            "no dataset, and not the command line of one of TRL's scripts, as W&B records it; "
            "name the script that it ran with --script."
        )
    if len(facts.args) > _MOST or not all(map(_ENDS.match, facts.args)):
        raise UserError(
            "The command line that the run recorded cannot be written on lines of a script; "
            "name the script that it ran with --script."
        )
    if launcher is None:
        count = processes_of(facts.config)
        if count is None:
            raise _unsaid("accelerate launch --num_processes 8")
        launcher = f"accelerate launch --num_processes {count}"
    return module, tuple(_public(facts.args)), launcher


def torchrun(processes: int | None) -> str:
    """What starts so many processes of one machine; raises UserError where nothing says how many.

    verl's fine-tuning logs `trainer.n_gpus_per_node`, which it does not read.
    """
    if processes is None:
        raise _unsaid("torchrun --standalone --nproc_per_node=8")
    return f"torchrun --standalone --nproc_per_node={processes}"


def _unsaid(example: str) -> UserError:
    return UserError(
        "The run does not say how it was started, nor with how many processes; say it "
        "with --launcher, such as --launcher '{example}'.",
        example=example,
    )


def _public(words: tuple[str, ...]) -> Iterator[str]:
    """The words without tokens, whose value W&B records with them."""
    skip = False
    for word in words:
        name, equals, _ = word.partition("=")
        if skip:
            skip = False
        elif is_secret(name):
            skip = not equals
        else:
            yield word
