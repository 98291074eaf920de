"""The launch of a run of TRL's own scripts: the command line that W&B recorded, under a launcher.

The settings that such a run logs name neither its dataset nor what TRL's own classes take; the
command line does (`wandb-metadata.json`: program and arguments). accelerate's or torchrun's words
stand nowhere: the number of processes follows from GRPO's settings, everything else is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.base.errors import UserError
from bot.base.regex import regex
from bot.evidence.facts import Facts
from bot.evidence.trl_runs import module_of, processes_of

_SECRETS: Final = frozenset({"--hub_token", "--push_to_hub_token"})
_MOST: Final = 2_000
"""Words of a command line."""
_ENDS: Final = regex(r"[^\x00\r\n]*\Z")
"""A word that one line of a script can hold."""


def trl_words(facts: Facts, launcher: str | None) -> tuple[str, tuple[str, ...], str]:
    """Module, its arguments, and the words that start it, of a run of TRL's.

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
            raise UserError(
                "The run does not say how it was started, nor with how many processes; say it "
                "with --launcher, such as --launcher 'accelerate launch --num_processes 8'."
            )
        launcher = f"accelerate launch --num_processes {count}"
    return module, tuple(_public(facts.args)), launcher


def _public(words: tuple[str, ...]) -> Iterator[str]:
    """The words without tokens, whose value W&B records with them."""
    skip = False
    for word in words:
        name, equals, _ = word.partition("=")
        if skip:
            skip = False
        elif name in _SECRETS:
            skip = not equals
        else:
            yield word
