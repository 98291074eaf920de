"""RLB002: the script starts nothing."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.base.config import SCRIPT_SUFFIXES
from bot.base.messages import enumeration
from bot.base.regex import regex
from bot.frameworks import ScriptPlace, frameworks, printing_command
from bot.frameworks.launchers.launch import Started, printing_option, unwrap
from bot.frameworks.launchers.processes import environment_of
from bot.frameworks.python.notebook import is_notebook
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, Skip, message
from bot.rules._support.code import pointer, shortened, without_comments
from bot.rules._support.example import verl
from bot.rules._support.names import FILE
from bot.script.name import is_program, is_recipe
from bot.shell.run.child_shells import STARTERS
from bot.shell.source import Span
from bot.shell.words import Command, Hole, Word

if TYPE_CHECKING:
    from bot.frameworks.programs.settings_written import WrittenSettings

META = Meta(
    id="RLB002",
    severity="error",
    confidence="certain",
    added_in="0.1.0",
    summary="The script runs no program at all.",
    why="A tuning script exists to start a training; one that starts nothing backs no row.",
    instead=(
        "Add the command that starts the training, such as `python3 -m verl.trainer.main_ppo …`."
    ),
    limits=(
        "A script that runs programs of which none is known to start a framework is reported "
        "as something that could not be checked, not as an error; so is one that ends before "
        "it starts anything, one that never comes to its launch, and one that has a framework "
        "print its options or its configuration (`--help`, `--cfg job`). A note where the name is "
        "not that of a tuning script: such a file may be there to be sourced. "
        "Scripts with a syntax error are left to the rule syntax."
    ),
    source="verl's docs/perf/device_tuning.rst: a row needs a script that can be run.",
    example=Example(
        bad="#!/usr/bin/env bash\nset -x\nMODEL_PATH=Qwen/Qwen2.5-7B-Instruct\n",
        good=verl(before="MODEL_PATH=Qwen/Qwen2.5-7B-Instruct"),
    ),
)

# Builtins that set up the shell, print, or end it: running only these starts no program.
_IDLE = frozenset((
    ":", "[", "[[", "alias", "cd", "declare", "echo", "exit", "export", "false", "hash", "let",
    "local", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift",
    "shopt", "test", "trap", "true", "type", "typeset", "ulimit", "umask", "unset", "wait",
))  # fmt: skip

_SHELLS = ("bash", "sh", "exec", "sbatch")
"""What runs another script or program, which is then named."""
_INTERPRETERS = ("bash", "sh")
_SETS_UP = ("conda.sh", "set_env.sh", "setvars.sh", "lmod.sh", "modules.sh", "nvm.sh")
"""What conda, CANN, oneAPI and modules have their users source."""
_BEFORE = ("exec", "env")
"""What stands before the program, as assignments may behind `env`."""
_MODULE = regex(r"(?<![\w-])-m[ \t]+([A-Za-z_]\w{0,80}(?:\.\w{1,80}){1,8})(?![\w.])")
_PYTHON = regex(r"…?(?:python|pypy)[0-9.]*\Z")
_IS_MODULE = regex(r"(?:-[A-Za-z]*m|--module)\Z")
_QUOTED = regex(r"\"[^\"\n]*\"|'[^'\n]*'")
_SAID = regex(r"[\"']|\b(?:echo|printf)\b")
"""What stands before a module where it is a text: an open quote, but no word in quotes."""
_EXIT = regex(r"(?m)^[^\S\n]*exit\b")
_ASSIGNMENT = regex(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")


def check(context: RuleContext) -> Hits:
    """Whether a script without a plan runs anything."""
    if context.plans:
        return
    started = [one for one in context.reading.commands if _program(one.argv) not in _IDLE]
    programs = [one.argv for one in started]
    if (unreached := pointer(context) or _unreached(context) or _unset(context)) is not None:
        yield Skip(reason=unreached)
    elif programs:
        if (made := _made_in_python(context, started)) is not None:
            yield Skip(reason=made)
            return
        yield Skip(reason=_what_runs(context, programs))
    elif context.reading.problems:
        if not any(p.kind in ("syntax", "encoding") for p in context.reading.problems):
            unread = message("no command was found, and a part of the script could not be read")
            first = context.reading.problems[0].message
            yield Skip(reason=first if is_recipe(context.path) else unread)
    elif context.reading.unread:
        path = context.reading.unread[-1]
        sources = message(
            "the script sources {path}, which was not read", path=path.rpartition("/")[2]
        )
        yield Skip(reason=_with_way(sources, [path]))
    elif is_notebook(context.path):
        yield Skip(reason=message("no cell runs a command, or makes settings of TRL's"))
    elif _has_program_word(context):
        yield Skip(reason=message("the script ends before it starts anything"))
    else:
        yield Hit(
            message=_why_nothing(context),
            span=FILE,
            severity=None if _should_launch(context) else "note",
            help=message("add the command that starts the training"),
        )


def _made_in_python(context: RuleContext, commands: Sequence[Command]) -> Message | None:
    """That a program makes TRL's settings itself, or takes those of another trainer; else None."""
    place = context.place
    if place is None:
        return None
    from bot.frameworks.programs.repository_programs import takes_settings  # Few scripts come here.

    for command in commands:
        if (started := unwrap(command.argv)) is None or printing_option("trl", started.argv):
            continue
        programs = place.checkout.trl_programs
        if (other := programs.other_trainer(started.entry, place.path)) is not None:
            return message(
                "{path} takes the options of TRL's {name}, which are not known",
                path=other[0],
                name=other[1],
            )
        copied = programs.of_own_trl(started.entry, place.path)
        if copied is not None and programs.find(started.entry, place.path) is None:
            return message(
                "{path} takes the options of TRL and may import the copy in {folder}, whose "
                "options are not known",
                path=copied[0],
                folder=copied[1],
            )
        alone = is_program(context.path) and not started.argv and started.entry.endswith(".py")
        if alone and takes_settings(context.source.text):
            file = "TrlParser" in context.source.text
            return message(
                "{path} takes its settings from the command line: give them with --args, such as "
                '--args "{words}", or name the script that starts it',
                path=posixpath.basename(context.path),
                words="--config recipe.yaml" if file else "--model_name_or_path NAME",
            )
        found = programs.written_in(
            started.entry, place.path, started.argv, command, environment_of(started, command)
        )
        if found:
            return _written(context, place, started, found[0])
        if (trained := programs.trained_otherwise(started.entry, place.path)) is not None:
            return message(
                "{path} trains with TRL's {name}, whose settings are not known",
                path=trained[0],
                name=trained[1],
            )
        if (unread := programs.unread(started.entry, place.path)) is not None:
            return unread
    return None


def _written(
    context: RuleContext, place: ScriptPlace, started: Started, one: WrittenSettings
) -> Message:
    place_of = {"name": one.name, "path": one.path}
    options = b".add_argument(" in place.checkout.files.get(one.path, b"") and not one.foreign
    if is_program(context.path) and not started.argv and options:
        return message(
            "the settings of TRL stand in Python, {name}(…) in {path}, and are not read "
            "without its arguments: give them with --args",
            **place_of,
        )
    return message(
        "the settings of TRL stand in Python, {name}(…) in {path}, and are not read there: {why}",
        **place_of,
        why=one.why,
    )


def _stands_there(context: RuleContext, argv: Sequence[Word]) -> bool:
    """Whether a command's program stands in the text as it is."""
    span = argv[0].span_of(0, len(argv[0].text)) if argv else FILE
    return bool(span) and context.source.written(span) == argv[0].text


def _program(argv: Sequence[Word]) -> str:
    return argv[0].text if argv else ":"


def _program_text(argv: Sequence[Word]) -> str:
    """A program, with what it starts: `accelerate launch train.py`, `python3 -m RL2.trainer`."""
    started = unwrap(argv)
    argv = _without_env(argv)
    first, *rest = map(_word_text, argv)
    if started is None:
        given = [one for one in rest if one.endswith(SCRIPT_SUFFIXES)] or rest
        return f"{first} {given[0]}" if first in _SHELLS and given else first
    entry = next((word for word in argv if word.text == started.entry), None)
    shown = started.entry if entry is None else _word_text(entry)
    names = (word.rsplit("/", 1)[-1] for word in (first, *rest))
    python = next(filter(_PYTHON.match, names), first.rsplit("/", 1)[-1])
    name = started.launcher[-1] if started.launcher else python
    module = entry is None or any(_IS_MODULE.match(word.text) for word in argv)
    shown = f"-m {shown}" if module and not shown.endswith(".py") else shown
    return f"{name} {shown}".rstrip()  # A blank behind a backslash is an empty name.


def _without_env(argv: Sequence[Word]) -> Sequence[Word]:
    """A command without `exec`, `env` and the assignments before its program."""
    given = argv
    while len(given) > 1 and (given[0].text in _BEFORE or _ASSIGNMENT.match(given[0].text)):
        given = given[1:]
    return argv if given[0].text.startswith("-") else _without_starters(given)


def _without_starters(argv: Sequence[Word]) -> Sequence[Word]:
    """A command without what stands before a script: `nohup stdbuf -oL bash run.sh`."""
    if _program(argv).rpartition("/")[2] not in STARTERS:
        return argv
    scripts = (
        at
        for at, word in enumerate(argv[1:], start=1)
        if word.text.endswith(SCRIPT_SUFFIXES) or word.text.rpartition("/")[2] in _INTERPRETERS
    )
    found = argv[next(scripts, 0) :]
    return found if _scripts(found) else argv


def _what_runs(context: RuleContext, programs: list[tuple[Word, ...]]) -> Message:
    """What a script runs in the place of a framework, and what of it was not read."""
    if is_notebook(context.path):  # Not what a magic of IPython's is read as.
        programs = [argv for argv in programs if _stands_there(context, argv)]
    if not programs:
        return message("no cell runs a command, or makes settings of TRL's")
    programs.sort(key=lambda argv: (not _runs_unread(context, argv), unwrap(argv) is None))
    named = ", ".join(dict.fromkeys(shortened(_program_text(argv)) for argv in programs[:3]))
    reason = message(
        "no command starts the training of a known framework ({frameworks}); the script "
        "runs {named}",
        frameworks=enumeration(framework.name for framework in frameworks()),
        named=named,
    )
    if unread := [
        one
        for argv in programs
        if _runs_unread(context, argv)
        for one in _scripts(_without_env(argv))
    ]:
        return _with_way(reason, unread)
    if (sourced := _sourced(context)) is not None:
        name = sourced.rpartition("/")[2]
        sources = message("{what}; it sources {path}, which was not read", what=reason, path=name)
        return _with_way(sources, [sourced])
    if (printing := printing_command(context.reading)) is not None:
        command, entry, option = printing
        return message(
            "line {line} starts {entry} with {option}, which only prints: nothing is trained",
            line=context.source.place(command.span).line,
            entry=entry,
            option=option,
        )
    return reason


def _with_way(what: Message, paths: Sequence[str]) -> Message:
    """What was not read, with what to do about it."""
    if all(path.startswith("/") for path in paths):
        return message(
            "{what}; no file here is surely the one of that absolute path: check it by itself",
            what=what,
        )
    return message("{what}; --root names the folder to read it from", what=what)


def _runs_unread(context: RuleContext, argv: Sequence[Word]) -> bool:
    """Whether another script is run whose name is known, and no command of it was read.

    What was read has the place of what runs it.
    """
    commands = context.reading.commands
    places = [one.span for one in commands if one.argv is argv]
    return _runs_script(argv) and all(
        _runs_script(one.argv) for one in commands if one.span in places
    )


def _sourced(context: RuleContext) -> str | None:
    """A script that is sourced and was not read, but for those that set up an environment."""
    for path in context.reading.unread:
        name = path.rpartition("/")[2]
        if name.endswith(SCRIPT_SUFFIXES) and "…" not in name and name not in _SETS_UP:
            return path
    return None


def _runs_script(argv: Sequence[Word]) -> bool:
    """Whether another script is run whose name is known."""
    return bool(_scripts(_without_env(argv)))


def _scripts(argv: Sequence[Word]) -> list[str]:
    """The paths of scripts that a command runs and whose names are known."""
    words = argv[1:] if _program(argv).rpartition("/")[2] in _SHELLS else argv[:1]
    paths = (word.text for word in words if word.text.endswith(SCRIPT_SUFFIXES))
    return [path for path in paths if "${?" not in path.rpartition("/")[2]]


def _word_text(word: Word) -> str:
    """A word whose unknown parts are left out; of a long path the file's name."""
    text = "".join(p.text if isinstance(p.text, str) else "…" for p in word.pieces)
    return text if len(text) <= 40 or "/" not in text else f"…/{text.rsplit('/', 1)[-1]}"


def _unreached(context: RuleContext) -> Message | None:
    """Why the launch that stands in the text is none of those that the script makes.

    None where nothing stands there, and where bash itself refuses the script.
    """
    problems = {problem.kind for problem in context.reading.problems}
    if problems & {"syntax", "encoding"}:
        return None
    text = without_comments(context)
    ran = [command.span for command in context.reading.commands]
    for found in _MODULE.finditer(text):
        at = found.start(1)
        known = any(framework.matches(found[1], ()) for framework in frameworks())
        said = _SAID.search(_QUOTED.sub("", text[text.rfind("\n", 0, at) + 1 : at]))
        if said or not known or any(span.start <= at < span.end for span in ran):
            continue
        line = context.source.place(Span(at, at)).line
        if is_recipe(context.path):
            return message(
                "line {line} starts {module}, and of YAML only the recipes of TRL are read; put "
                "that command into a script",
                line=line,
                module=found[1],
            )
        if "limit" in problems:
            return message(
                "the script was not read up to line {line}, which starts {module}",
                line=line,
                module=found[1],
            )
        return message(
            "line {line} starts {module}, but no way through the script as it stands leads there",
            line=line,
            module=found[1],
        )
    return None


def _unset(context: RuleContext) -> Message | None:
    """That what a command with settings starts is a variable without a value: `$COMMAND a.b=1`.

    Nothing is said of one that the script sets on another way to the command.
    """
    set_here = {variable.name for variable in context.reading.variables}
    for command in context.reading.commands:
        pieces = command.argv[0].pieces if command.argv else ()
        hole = pieces[0].text if pieces else None
        if not isinstance(hole, Hole) or hole.kind != "unset" or isinstance(pieces[-1].text, str):
            continue  # Of `$BIN/python` it is known what it starts.
        if hole.name not in set_here and any(map(_sets, command.argv[1:])):
            line = context.source.place(pieces[0].span).line
            return message(
                "line {line} starts what the variable {name} holds, which the script never sets",
                line=line,
                name=hole.name,
            )
    return None


def _sets(word: Word) -> bool:
    """Whether an argument is a setting: `--lr`, `a.b=1`."""
    key, equals, _ = word.text.partition("=")
    return key.startswith("--") or (bool(equals) and "." in key)


def _should_launch(context: RuleContext) -> bool:
    """Whether the script is there to start a training, as its name says.

    Others are to be sourced, or keep a place; one that says why and ends is no attempt either.
    """
    return context.name.valid and not _EXIT.search(without_comments(context))


def _has_program_word(context: RuleContext) -> bool:
    """True when the text holds a word that may be a program, even if no way through runs it."""
    starts = (line.split()[0] for line in without_comments(context).splitlines() if line.strip())
    return any(word not in _IDLE and not _ASSIGNMENT.match(word) for word in starts)


def _why_nothing(context: RuleContext) -> Message:
    if without_comments(context).strip():
        return message("the script only sets up the shell and starts nothing")
    if context.reading.comments:
        return message("the script holds only comments and starts nothing")
    return message("the script is empty and starts nothing")
