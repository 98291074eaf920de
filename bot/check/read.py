"""Reads a script: its commands, its name, its comments, its launches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath
from typing import Any

from bot.base.deadline import DeadlineError, deadline
from bot.base.errors import UncheckedError
from bot.base.messages import message
from bot.check.request import CheckOptions, ScriptFile
from bot.frameworks import Checkout, ScriptPlace, plans
from bot.frameworks.files.named_files import above
from bot.frameworks.plan import Plan
from bot.frameworks.python.notebook import is_notebook, read_export
from bot.rules._support.base import RuleContext
from bot.rules._support.registry import check_context
from bot.script.choice import choose
from bot.script.divided_by import with_unread_file
from bot.script.header import read_header
from bot.script.name import is_program, is_recipe, read_name
from bot.script.named_recipes import with_settings
from bot.script.recipe import read_recipe
from bot.script.written_programs import with_programs
from bot.shell import Files, Invocation, readings
from bot.shell.words import Reading

SECONDS = 30.0
"""Processor time of one script: ten times what the largest one of a repository takes."""


@contextmanager
def bounded(path: str) -> Iterator[None]:
    """Within it a script is read or checked.

    Raises UncheckedError when that takes too long, or needs a library that is not installed.
    """
    try:
        with deadline(SECONDS):
            yield
    except DeadlineError:
        raise UncheckedError(
            "{path} takes more than {count} seconds of processor time; simplify it.",
            path=path,
            count=round(SECONDS),
        ) from None
    except ModuleNotFoundError as error:
        from bot.base.extras import missing_library

        if (missing := missing_library(error)) is None:
            raise
        raise UncheckedError(
            "{path} was not checked. {reason}", path=path, reason=missing.args[0]
        ) from None


def read_script(script: ScriptFile, options: CheckOptions) -> RuleContext:
    """Read a script; the tree counts for one that stands in it.

    Each launch is read under the release that the options name, else the one that the script's own
    comment states. Raises UserError when an option names an unknown release, UncheckedError when
    the reading takes too long.
    """
    with bounded(script.path):
        return _read_context(script, options)


def _read_context(script: ScriptFile, options: CheckOptions) -> RuleContext:
    place = options.place(script) if options.place is not None else None
    if place is None and is_program(script.path):
        # A program is read through the repository that it stands in, which here is no more.
        alone = PurePath(script.path).name
        place = ScriptPlace(Checkout({alone: script.data}), alone)
    ways = _readings(script, options, place)
    reading = next(ways)
    place = with_programs(place, reading, script.path)
    header = read_header(reading.comments, reading.source.text)
    name = read_name(script.full_path or script.path, options.config.name_profiles())
    planned = partial(
        _plans,
        given=not script.path.endswith(".py") or bool(options.script_arguments),
        versions={**options.config.framework, **options.versions},
        header_versions={name: stated.text for name, stated in header.versions.items()},
        trees=options.trees,
        place=place,
    )
    launches = planned(reading)
    if not launches and (whole := next(ways, None)) is not None:
        launches = planned(whole)
        reading = whole if launches else reading
    joined = with_settings(reading, launches, place)
    launches = launches if joined is reading else planned(joined)
    reading = joined
    if options.settings:
        from bot.script.given_settings import refuse_values, with_given  # Few ask.

        reading = with_given(joined, launches, place, options.settings)
        launches = planned(reading)
        refuse_values(launches, script.path)
    files = _tree_files(options, place)
    launches = with_unread_file(launches, reading, place, files)
    return RuleContext(
        path=script.path,
        reading=reading,
        name=name,
        header=header,
        plans=launches,
        choice=choose(launches, name, header, device=options.device),
        gpus=options.gpus,
        files=files,
        place=place,
        model=options.model,
        hub=options.hub,
    )


def _plans(reading: Reading, *, given: bool, **how: Any) -> tuple[Plan, ...]:
    """The plans of a reading; none of a program that is `given` no settings and has no model."""
    found = plans(reading, **how)
    if given:
        return found
    return tuple(p for p in found if p.launch.command.written is not None or p.model.value)


def _tree_files(options: CheckOptions, place: ScriptPlace | None) -> Files | None:
    """What reads a model's or DeepSpeed's file by the path that names it; None without a tree.

    The tree that is given comes first, then the repository around the script.
    """
    if place is None:
        return options.files

    def content(path: str) -> bytes | None:
        data = options.files(path) if options.files is not None else None
        if data is None:
            data = place.checkout.json(place.path, path)
        if data is None and place.files is not None and path.endswith(".json"):
            found = (place.files(f"{folder}/{path}".lstrip("/")) for folder in above(place.path))
            data = next((one for one in found if one is not None), None)
        return data

    return content


def _readings(
    script: ScriptFile, options: CheckOptions, place: ScriptPlace | None
) -> Iterator[Reading]:
    """What a script would run, and then what it would for all that its caller may give.

    A YAML recipe, a notebook or a Python program has the first alone: what it stands for.
    """
    if is_recipe(script.path):
        if place is None:
            yield read_recipe(script.data, script.path)
            return
        own, program = place.checkout.own_arguments(), place.checkout.program(place.path)
        yield read_recipe(script.data, script.path, own, program)
    elif is_notebook(script.path) or _is_export(script):
        from bot.script.program import read_cells

        tree_path = place.path if place else script.path
        yield read_cells(
            script.data, script.path, tree_path, lambda text: next(_shell(script, options, text))
        )
    elif is_program(script.path):
        from bot.script.program import read_program

        tree_path = place.path if place else script.path
        given = options.script_arguments or ()
        yield read_program(script.data, script.path, tree_path, given, _assumed(options))
    else:
        yield from _shell(script, options, script.data)


def _is_export(script: ScriptFile) -> bool:
    return is_program(script.path) and read_export(script.data) is not None


def files_of(script: ScriptFile, options: CheckOptions) -> tuple[Files | None, str | None]:
    """The files that a script may source or start, and its own path among them."""
    if script.tree_path is not None:
        return options.files, script.tree_path
    place = options.place(script) if options.place is not None else None
    if place is None or place.files is None:
        return None, None
    return place.files, place.path


def _shell(script: ScriptFile, options: CheckOptions, text: bytes) -> Iterator[Reading]:
    files, path = files_of(script, options)
    invocation = Invocation(
        environment={} if options.clean_environment else None,
        assumed=_assumed(options),
        arguments=options.script_arguments,
        path=path,
    )
    return readings(text, script.path, invocation, files=files)


def _assumed(options: CheckOptions) -> dict[str, str]:
    """The variables that the caller is said to set."""
    return {**options.config.env, **options.environment}


def why_no_launch(context: RuleContext) -> str:
    """Why a script without a launch has none, in the words of the rules that say so."""
    findings, unchecked = check_context(context, select=["syntax", "no-launch"])
    reasons = [*(found.message for found in findings), *(item.reason for item in unchecked)]
    return reasons[-1] if reasons else message("starts no known framework")


class ScriptReader:
    """Reads scripts under one set of options, each content of a path once."""

    def __init__(self, options: CheckOptions) -> None:
        self._options = options
        self._contexts: dict[tuple[str, bytes], RuleContext] = {}

    def read(self, path: str, data: bytes) -> RuleContext:
        """The script, as `read_script` reads it."""
        key = (path, data)
        if key not in self._contexts:
            self._contexts[key] = read_script(ScriptFile(path=path, data=data), self._options)
        return self._contexts[key]
