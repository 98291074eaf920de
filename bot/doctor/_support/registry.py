"""Finds the checks and runs them."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module

import bot.doctor
from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings


@cache
def checks() -> Mapping[str, Callable[[Surroundings], Iterable[CheckAnswer]]]:
    """Name to check, of every module of this package that holds one."""
    return {
        info.name: import_module(f"bot.doctor.{info.name}").check
        for info in pkgutil.iter_modules(bot.doctor.__path__)
        if not info.name.startswith("_")
    }


def run_checks(around: Surroundings) -> list[CheckAnswer]:
    """The answers of all checks; one that fails becomes an answer, and the others still run.

    A setting that several of them need is reported once, if possible by the check of that setting.
    """
    answers: list[CheckAnswer] = []
    stopped: dict[str, str] = {}
    for name, check in checks().items():
        try:
            answers += check(around)
        except UserError as error:
            stopped.setdefault(sentence_of(error), name)
        except Exception as error:
            text = message(
                "The check {name} failed: {kind}. This is a fault of rlbot.",
                name=name,
                kind=type(error).__name__,
            )
            answers.append(CheckAnswer(name, "unknown", text))
    for answer in answers:
        stopped.pop(answer.message, None)
    remedy = message("Correct it.")
    return answers + [CheckAnswer(name, "wrong", text, remedy) for text, name in stopped.items()]


def exit_status(answers: Iterable[CheckAnswer]) -> int:
    """1 when something is wrong, 3 when something could not be found out."""
    states = {answer.state for answer in answers}
    if "wrong" in states:
        return 1
    return 3 if "unknown" in states else 0
