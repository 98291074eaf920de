"""A program of a repository that takes TRL's arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.source import calls
from bot.shell.words import Word

ADAPTERS: Final = ("LoraConfig", "get_peft_model", "prepare_model_for_kbit_training")
"""PEFT's functions that programs give a model an adapter with."""
OTHER_NAMES: Final = (
    ("torch_dtype", "dtype"),
    ("dtype", "torch_dtype"),
    ("max_length", "max_seq_length"),
    ("max_seq_length", "max_length"),
)
"""Names of options in other releases: of the first where they do not have the second."""


@dataclass(frozen=True, slots=True)
class TrlProgram:
    """A program that a launch starts by its path."""

    path: str
    trainer: str
    """The script of TRL's with the same options: grpo; empty where no class is TRL's."""
    options: Mapping[str, list[Any]]
    """Those of the repository's own classes, as an `OptionTable` has them."""
    takes_file: bool = True
    """Whether `--config` names a file of settings, and no word beside the options does."""
    assigned: frozenset[str] = frozenset()
    """Options whose values the program may change: `args.gradient_checkpointing = True`."""
    own_adapter: bool = False
    """Whether the adapter is no option of TRL's: without `ModelConfig`, or made by the program."""
    own_trainer: bool = False
    """Whether the trainer's settings are a class of the repository's, as its trainer then is."""
    trains_with: str = ""
    """The repository's class that trains in the place of TRL's."""
    drops_rest: bool = False
    """Whether a word that belongs to no option is passed over, and not refused."""
    file_first: bool = False
    """Whether the file of settings is the first word: `run_dpo.py recipe.yaml --beta=0.1`."""
    file_alone: bool = False
    """Whether such a file may be the only word (`parse_yaml_file(sys.argv[1])`)."""

    def takes(self, argv: Sequence[Word]) -> bool:
        """Whether the arguments are options, or a file that is read, and not one that is not."""
        if self.begins_with_file(argv):
            return True
        words = [word.text for word in argv]
        file = not words[:1] or not words[0].startswith("-") or "--config" in words
        return self.takes_file or not file

    def begins_with_file(self, argv: Sequence[Word]) -> bool:
        """Whether the first of the arguments is the file of settings."""
        if not argv or argv[0].text.startswith("-"):
            return False
        alone = self.file_alone and len(argv) == 1 and argv[0].text.endswith((".yaml", ".yml"))
        return self.file_first or alone


def reads_and_adapts(text: bytes) -> bool:
    """Whether a program's text names TRL's parser of recipes, and what makes an adapter."""
    return b"TrlParser" in text and any(name.encode() in text for name in ADAPTERS)


def makes_adapter(tree: ast.Module) -> bool:
    """Whether one of PEFT's functions is called."""
    return any(name in ADAPTERS for _, name in calls(tree))
