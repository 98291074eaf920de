"""What a program makes of the model that it trains with TRL."""

from __future__ import annotations

import ast
from dataclasses import replace

from bot.base.fast_dataclass import dataclass
from bot.frameworks.python.scope import Scope
from bot.frameworks.trl.trainers import module_of
from bot.shell.words import Placed, Unsloth, WrittenProgram


@dataclass(frozen=True, slots=True)
class ModelWritten:
    """The model that a program trains."""

    keywords: tuple[tuple[ast.keyword, Scope], ...]
    """Options of TRL's scripts, each with the expression of its value and where that stands."""
    prepared: bool = False
    """Whether PEFT's `prepare_model_for_kbit_training` is called with it."""
    placed: Placed = None
    """Where `device_map` puts it."""
    goes_on: bool = False
    """Whether an adapter of an earlier training is trained on (`PeftModel.from_pretrained`)."""
    reference: bool = False
    """Whether a copy of the model stands beside an adapter, as DPO's reference."""
    unsloth: Unsloth | None = None
    """How unsloth makes it; None where transformers does."""
    recomputed: bool = False
    """Whether that function has its layers recomputed."""
    unfollowed: str = ""
    """What stands where it is not followed, so that nothing else is known."""
    trains_with: str = ""
    """The repository's class that trains, which derives from TRL's; empty for TRL's own."""

    def shown(self) -> tuple[object, ...]:
        """What is known of it as text, to compare it by."""
        words = (f"{one.arg}={ast.unparse(one.value)}" for one, _ in self.keywords)
        how = (self.prepared, self.placed, self.goes_on, self.reference, self.unsloth)
        return (*words, *how, self.recomputed, self.unfollowed)


def program_of(
    trainer: str,
    trained: ModelWritten | None,
    otherwise: Unsloth | None = None,
    optional: frozenset[str] = frozenset(),
) -> WrittenProgram:
    """A program that trains as a script of TRL's does, by the model that it makes."""
    program = WrittenProgram(module_of(trainer), unsloth=otherwise, optional=optional)
    if trained is None:
        return program
    return replace(
        program,
        prepared=trained.prepared,
        recomputed=trained.recomputed,
        placed=trained.placed,
        goes_on=trained.goes_on,
        reference=trained.reference,
        unsloth=trained.unsloth or otherwise,
        unfollowed=trained.unfollowed,
        trains_with=trained.trains_with,
    )
