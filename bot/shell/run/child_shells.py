"""Scripts that run in a shell of their own: `bash file`, `bash -c text`, `bash <<EOF`, `path/file`.

Also the texts that other programs hand to a shell: `srun … bash -c text`, `sbatch --wrap text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from bot.base.digits import is_digits
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.shell.pieces import Value, cut, joined, known, part
from bot.shell.run.inner_texts import InnerText, file_text, parsed, run_lines, shown, value_text
from bot.shell.run.runner import Runner
from bot.shell.run.slurm import OF_A_JOB, alters_step, header_words, job_variables
from bot.shell.run.subshells import gathered
from bot.shell.run.terminals import TerminalText, typed
from bot.shell.run.traps import run_exit_traps
from bot.shell.source import Span
from bot.shell.words import Word
from bot.shell.world.state import ShellVariable, World, arguments_of

_SHELLS = frozenset({"bash", "sh"})
CARRIERS: Final = frozenset(
    {
        "apptainer", "caffeinate", "conda", "enroot", "flock", "ionice", "mamba", "micromamba",
        "mpiexec", "mpirun", "nsys", "numactl", "pixi", "poetry", "screen", "singularity",
        "singularity_wrapper", "srun", "systemd-run", "taskset", "unbuffer", "xvfb-run",
    }
)  # fmt: skip
"""Programs with many options of their own that start another one in this environment."""
CONTAINERS: Final = frozenset({"docker", "kubectl", "nerdctl", "podman"})
"""Those that start it where this script's variables are not known."""
_STARTERS = CARRIERS | {"nice", "setsid", "stdbuf", "sudo", "time", "uv"}
_WRAPPERS = frozenset({"command", "env", "exec", "nohup", "timeout"})
STARTERS: Final = _STARTERS | _WRAPPERS
"""All that start another program in this environment."""
_ELSEWHERE = CONTAINERS | {"ray"}
_EXPANDED = frozenset("$`")
_SSH_VALUED = frozenset("BbcDEeFIiJLlmOopQRSWw")
"""Options of ssh that take a value."""
_ALONE = frozenset({"-", "-i", "--ignore-environment"})
"""What env starts a program without this environment by."""
_UNSET = regex(r"-u|--unset(?:=|\Z)")
_VALUED = {
    "exec": ("-a",),
    "timeout": ("-k", "-s", "--kill-after", "--signal"),
}
"""Options of wrappers that take a value."""
_LETTERS = {"e": "errexit", "u": "nounset", "x": "xtrace", "a": "allexport", "f": "noglob"}


@dataclass(frozen=True, slots=True)
class _Start:
    """How a shell starts."""

    zero: Value
    positional: tuple[Value, ...]
    options: frozenset[str] = frozenset()
    pane: str | None = None
    """The terminal whose shell runs already; None for a shell of its own."""
    job: Sequence[Value] | None = None
    """The options of the sbatch that submits it; None where something else starts it."""


@dataclass(frozen=True, slots=True)
class _Called:
    """A call of bash."""

    words: Sequence[Word]
    """Those behind the options: the text or file, and its arguments."""
    options: frozenset[str]
    command: bool = False
    """Whether the first word is a text (`-c`); there are no words where nothing is run (`-n`)."""
    piped: bool = False
    """Whether it runs its input, and the words are arguments."""


def run_child(runner: Runner, words: Sequence[Word], world: World, span: Span) -> bool:
    """Runs the script that a command starts; False when it starts none, or an unknown one."""
    kept = world.variables
    words, world.variables = _unwrapped(words, kept)
    done = _program(runner, words, world, span)
    world.variables = kept
    return done


def _program(runner: Runner, words: Sequence[Word], world: World, span: Span) -> bool:
    program = known(words[0].pieces) if words else None
    if program is None:
        # `"$(dirname "$0")/other.sh"`: the folder is unknown, and the file is not.
        return bool(words) and _file(runner, words, world, span)
    name = program.rsplit("/", 1)[-1]
    if name in _SHELLS:
        return _shell(runner, words, world, span)
    if name in ("tmux", "screen") and (texts := [*typed(name, words[1:])]):
        done = [_type(runner, one, words[0], world, span) for one in texts]
        return all(done)
    if name in _STARTERS or name in _ELSEWHERE:
        return _run_handed_text(runner, words, world, span, elsewhere=name in _ELSEWHERE)
    if name == "ssh":
        return _run_text_elsewhere(runner, _remote(words) or world.stdin, world, span, words[0])
    if name == "sbatch":
        text = _job(words)
        start = _Start(words[0].pieces, (), job=tuple(word.pieces for word in words[1:]))
        if text is None and _submitted(runner, words, world, span):
            return True
        return _text(runner, text or world.stdin, world, span, start)
    return "/" in program and _file(runner, words, world, span)


def _shell(runner: Runner, words: Sequence[Word], world: World, span: Span) -> bool:
    """Runs what bash is given: a text, a file, or its input."""
    call = _called(words[1:])
    given = call.words
    if call.piped:
        start = _Start(words[0].pieces, arguments_of(given), call.options)
        return _text(runner, world.stdin, world, span, start)
    if not given:
        return False
    if call.command:
        zero = given[1] if len(given) > 1 else words[0]
        start = _Start(zero.pieces, arguments_of(given[2:]), call.options)
        return _text(runner, given[0].pieces, world, span, start)
    text = file_text(runner.session, given[0], world, span)
    if text is None:
        _missing(runner, given[0], world, span)
        return False
    return _run(runner, text, world, _Start(given[0].pieces, arguments_of(given[1:]), call.options))


def _text(runner: Runner, value: Value | None, world: World, span: Span, start: _Start) -> bool:
    """Runs a value as a text, where enough of it is known."""
    text = value_text(value, span, "bash -c") if value is not None else None
    return text is not None and _run(runner, text, world, start)


def _run_handed_text(
    runner: Runner, words: Sequence[Word], world: World, span: Span, *, elsewhere: bool
) -> bool:
    """Runs what a program with options of its own hands to a shell, or the script it starts."""
    runner.session.work(8 * len(words))  # Each `env` among them is looked behind again.
    if known(words[0].pieces) == "srun":
        world.variables = _of_step(words[1:], world.variables, runner.session.given)
    for at, word in enumerate(words[1:], start=1):
        name = (known(word.pieces) or "").rsplit("/", 1)[-1]
        if name.endswith(".py"):
            return False  # A program of Python's own: `uv run python mason.py … -- bash …`.
        if name in _SHELLS and not elsewhere:
            return _shell(runner, words[at:], world, span)
        if name in _SHELLS:
            call = _called(words[at + 1 :])
            given = call.words[0].pieces if call.command and call.words else world.stdin
            asked = call.command or call.piped
            return asked and _run_text_elsewhere(runner, given, world, span, word)
        if name == "env" and not elsewhere and run_child(runner, words[at:], world, span):
            return True
        if not elsewhere and _is_script(word) and _file(runner, words[at:], world, span):
            return True
    return False


def _of_step(
    words: Sequence[Word], variables: dict[str, ShellVariable], given: frozenset[str]
) -> dict[str, ShellVariable]:
    """The variables in a step of a job, for which srun sets some of the job's anew."""
    inner = (at for at, word in enumerate(words) if word.text in _SHELLS or _is_script(word))
    if not alters_step([word.pieces for word in words[: next(inner, len(words))]]):
        return variables
    anew = OF_A_JOB - given
    return {name: one for name, one in variables.items() if not (one.caller and name in anew)}


def _run_text_elsewhere(
    runner: Runner, value: Value | None, world: World, span: Span, program: Word
) -> bool:
    """Runs a text where this script's variables are not known, if it has none."""
    texts = [piece.text for piece in value or () if isinstance(piece.text, str)]
    if any(_EXPANDED & set(text) for text in texts):
        return False
    return _text(runner, value, world, span, _Start(program.pieces, ()))


def _type(runner: Runner, typed: TerminalText, program: Word, world: World, span: Span) -> bool:
    """Runs a text in the shell of a terminal, which keeps what earlier texts have set."""
    text = value_text(typed.text, span, program.text)
    if text is None:
        return False
    pane = None if typed.starts else typed.pane
    return _run(runner, text, world, _Start(program.pieces, (), pane=pane))


def _missing(runner: Runner, word: Word, world: World, span: Span) -> None:
    """Reports a script that is not where it is looked for, and what it launches with it."""
    session = runner.session
    path = session.tree.path(world, word.pieces)
    if path is not None and session.tree.lacks(path, span):
        name = shown(session, word)
        session.unsupported(f"{name} is not read: there is no file {path} in the tree", span)


def _is_script(word: Word) -> bool:
    """Whether a word ends as the names of scripts of bash do."""
    last = word.pieces[-1].text if word.pieces else None
    return isinstance(last, str) and last.endswith((".sh", ".bash"))


def _file(
    runner: Runner,
    words: Sequence[Word],
    world: World,
    span: Span,
    *,
    job: Sequence[Value] | None = None,
) -> bool:
    """Runs `path/file`, when its first line names a shell.

    Bash runs a file of the tree whose first line names nothing itself, and Slurm refuses it.
    """
    text = file_text(runner.session, words[0], world, span)
    if text is None:
        return False
    first = text.text.split("\n", 1)[0].split()
    if not first or not first[0].startswith("#!"):
        if job is not None or text.file is None or not _is_script(words[0]):
            return False
    elif not any(name.rsplit("/", 1)[-1] in _SHELLS for name in (first[0][2:], *first[1:2])):
        return False
    start = _Start(words[0].pieces, arguments_of(words[1:]), job=job)
    return _run(runner, text, world, start)


def _submitted(runner: Runner, words: Sequence[Word], world: World, span: Span) -> bool:
    """Runs the script that Slurm's `sbatch … job.sh arguments` names."""
    options = tuple(word.pieces for word in words[1:])
    return any(
        _file(runner, words[at:], world, span, job=options[: at - 1]) for at in range(1, len(words))
    )


def _run(runner: Runner, text: InnerText, world: World, start: _Start) -> bool:
    """Runs a text in a new shell, which has what is exported and nothing else.

    False where it is not certain what its commands are.
    """
    session = runner.session
    script = parsed(session, text)
    if not script.certain:
        return False
    session.enter(text.span.start, text.span.end)
    inner = world.copy()
    inner.variables = {
        name: variable
        for name, variable in world.variables.items()
        if variable.exported or name in ("PWD", "OLDPWD")
    }
    if start.pane is not None:
        inner.variables = {**inner.variables, **world.terminals.get(start.pane, {})}
        inner.sourced = inner.sourced or "source ~/.bashrc"
    if start.job is not None:
        own = header_words(text.text, text.span)
        kept = {n: one for n, one in inner.variables.items() if n not in OF_A_JOB - session.given}
        inner.variables = job_variables((*own, *start.job)) | kept
    inner.exported = None
    inner.exporting = frozenset()
    inner.functions = {}
    inner.frames = ()
    inner.zero, inner.positional, inner.options = start.zero, start.positional, start.options
    inner.sources = ()
    inner.exit_trap = None
    inner.output = None if world.output is None else []
    inner.settle(0)
    session.running.append(text.path)
    with session.looping(0):
        worlds = run_lines(runner, script.lines, [inner])
    if start.pane is None:
        worlds = run_exit_traps(runner, worlds)
    elif worlds:
        left = worlds[0].variables
        if any(one.variables != left for one in worlds):
            left = {}
        world.terminals = {**world.terminals, start.pane: left}
    result = gathered(session, worlds, text.span)
    session.running.pop()
    session.leave()
    result.settle(world)
    script.report(session, [world])
    if world.output is not None:
        world.output.extend(result.output or ())
    return True


def _job(words: Sequence[Word]) -> Value | None:
    """The text of Slurm's `sbatch --wrap text`, which starts with this environment."""
    for word, following in pairwise(words):
        option = known(following.pieces) or ""
        if option.startswith("--wrap="):
            return cut(following.pieces, len("--wrap="))
        if known(word.pieces) == "--wrap":
            return following.pieces
    return None


def _remote(words: Sequence[Word]) -> Value | None:
    """What ssh runs on its host: the words behind it with blanks between them."""
    at = 1
    while at < len(words) and (known(words[at].pieces) or "").startswith("-"):
        option = known(words[at].pieces) or ""
        at += 2 if len(option) == 2 and option[1] in _SSH_VALUED else 1
    return joined(words[at + 1 :]) or None


def _called(words: Sequence[Word]) -> _Called:
    """What the words behind `bash` ask for."""
    options: set[str] = set()
    command = piped = False
    at = 0
    while at < len(words):
        option = known(words[at].pieces)
        if option is None or option[:1] not in ("-", "+"):
            break
        at += 1
        if option in ("--", "-"):
            break
        if option.startswith("--"):
            at += option in ("--init-file", "--rcfile")
            continue
        command = command or "c" in option
        piped = piped or "s" in option
        names = [_LETTERS[letter] for letter in option[1:] if letter in _LETTERS]
        if option[-1] in "oO" and at < len(words):
            names.append(known(words[at].pieces) or "")
            at += 1
        if option[0] == "-":
            options.update(names)
        if "n" in option:
            return _Called((), frozenset(), command=True)
    piped = not command and (piped or at == len(words))
    return _Called(words[at:], frozenset(options), command, piped)


def _unwrapped(
    words: Sequence[Word], variables: dict[str, ShellVariable]
) -> tuple[Sequence[Word], dict[str, ShellVariable]]:
    """The words behind `exec`, `nohup`, `env X=1` and `timeout 10`, and the variables there."""
    wrapper = ""
    rest = iter(enumerate(words))
    for at, word in rest:
        text = known(word.pieces)
        first = word.pieces[0].text if word.pieces else ""
        option = isinstance(first, str) and first[:1] == "-"
        if text in _WRAPPERS:
            wrapper = text
        elif wrapper == "env" and isinstance(first, str) and "=" in first and not option:
            name = first.partition("=")[0]
            value = (part(word.pieces[0], len(name) + 1, len(first)), *word.pieces[1:])
            variables = variables | {name: ShellVariable(value, exported=True)}
        elif text in _ALONE and wrapper == "env":
            variables = {name: one for name, one in variables.items() if name == "PWD"}
        elif option and wrapper == "env":
            # `-u NAME`, `-uNAME` or `--unset=NAME`; the others change more.
            taken = _UNSET.sub("", text or "", count=1) or known(next(rest, (0, word))[1].pieces)
            if taken is None or taken.startswith("-"):
                return (), variables
            variables = {name: one for name, one in variables.items() if name != taken}
        elif option and text in _VALUED.get(wrapper, ()):
            next(rest, None)
        elif not _of_wrapper(wrapper, text):
            return words[at:], variables
    return (), variables


def _of_wrapper(wrapper: str, text: str | None) -> bool:
    """Whether a word is an option of the wrapper in front of it, or its duration."""
    if not wrapper or text is None:
        return False
    return text.startswith("-") or (wrapper == "timeout" and is_digits(text[:1]))
