"""What a program makes of the model that it trains with TRL."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.frameworks.programs.beside import engines_of
from bot.frameworks.programs.trainers import module_of
from bot.frameworks.python.loading import calls_before, is_value
from bot.frameworks.python.scope import Scope
from bot.shell.words import Placed, Unsloth, WrittenProgram

SWITCHES: Final = ("gradient_checkpointing", "activation_checkpointing")
"""Options of a trainer that recompute layers, and the beginnings of a model's methods for it."""
ENABLES: Final = tuple(f"{switch}_enable" for switch in SWITCHES)
_RECOMPUTES: Final = "use_gradient_checkpointing"


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
    """Whether its layers are recomputed by a call: that function's, or the model's own."""
    tower_frozen: bool = False
    """Whether the vision tower alone is frozen."""
    engines: float = 0.0
    """Share of a card that engines of vLLM's hold which the program makes beside it."""
    adapted: bool = False
    """Whether it has an adapter when the trainer gets it."""
    to_adapt: bool = False
    """Whether the trainer is to make it one (`peft_config`)."""
    unfollowed: str = ""
    """What stands where it is not followed, so that nothing else is known."""
    arguments: tuple[tuple[ast.keyword, ast.Module], ...] = ()
    """What TRL's own trainer is given by name, settings and model among them, and in which
    module."""
    trains_with: str = ""
    """The repository's class that trains, which derives from TRL's; empty for TRL's own."""

    def shown(self) -> tuple[object, ...]:
        """What is known of it as text, to compare it by."""
        words = (f"{one.arg}={ast.unparse(one.value)}" for one, _ in self.keywords)
        how = (self.prepared, self.placed, self.goes_on, self.reference, self.unsloth)
        beside = (self.engines, self.adapted, self.to_adapt)
        return (*words, *how, *beside, self.recomputed, self.tower_frozen, self.unfollowed)


def with_call(model: ModelWritten, trainer: ast.Call, scope: Scope) -> ModelWritten:
    """The model with what the call that makes TRL's own trainer says besides."""
    named = tuple((one, scope.tree) for one in trainer.keywords if one.arg is not None)
    return replace(model, arguments=named, engines=engines_of(trainer, scope))


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
        tower_frozen=trained.tower_frozen,
        engines=trained.engines,
        adapted=trained.adapted,
        to_adapt=trained.to_adapt,
        placed=trained.placed,
        goes_on=trained.goes_on,
        reference=trained.reference,
        unsloth=trained.unsloth or otherwise,
        unfollowed=trained.unfollowed,
        trains_with=trained.trains_with,
    )


def recomputes(prepared: bool, prepares: Sequence[ast.Call], call: ast.Call, scope: Scope) -> bool:
    """Whether layers are recomputed whatever the trainer's arguments say: by a call, or PEFT's."""
    if calls_before(call, scope, *(f"{one}_disable" for one in SWITCHES)):
        return False
    if calls_before(call, scope, *ENABLES):
        return True  # No trainer turns off what is on.
    given = [{str(one.arg): one.value for one in prepare.keywords} for prepare in prepares]
    told = [is_value(one.get(_RECOMPUTES, call), False) for one in given]
    return prepared and not (told and all(told))
