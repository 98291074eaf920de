"""Which Python programs and notebooks train with TRL, and why another file is no script."""

from __future__ import annotations

import os
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.base.errors import UncheckedError, UserError
from bot.base.messages import Message, mark, message
from bot.base.regex import regex
from bot.commands.files import read_file
from bot.frameworks.python.notebook import is_notebook, is_unfinished, read_export, read_notebook
from bot.script.name import is_program

_OTHER_KINDS: Final = {
    ".py": mark(
        "{path} is a Python program without a trainer of TRL; name the script that starts it, or "
        'give the command, its own or the one that it starts: echo "python {path}" | rlbot lint - '
        "--stdin-filename run.sh."
    ),
    **dict.fromkeys(
        (".json", ".toml", ".md", ".rst", ".html"),
        mark(
            "{path} is no script; name the one that starts the training, and with --root the "
            "folder that it is called from."
        ),
    ),
}
"""What files are that people name for scripts, by the end of their names."""
_STARTED = regex(r"""-m[\s"',\\]{1,20}((?:verl|openrlhf|trl)\.[\w.]{1,80})(?![\w.])""")
"""A launch in a text or a list: `-m verl.trainer.main_ppo`, `"-m", "trl.scripts.grpo"`."""
_PACKAGES = (b"trl", b"unsloth")
"""Of one of which a program that trains so is."""
_IMPORTS = regex(rb"(?m)^[ \t]{0,40}(?:from|import)[ \t]{1,9}(?:trl|unsloth)\b")
_CALLED = regex(rb"(?<!\w)(?<!class )(\w{1,40}Trainer)\(")
_OF_TRANSFORMERS = regex(rb"(?<![\w.])(?:Seq2Seq|transformers\.)?Trainer\(")
"""A call of transformers' own trainer, where the program uses that package."""
_MAIN = regex(rb"__main__|(?m:^\S.{0,400}\.train\()")
"""What a program holds that trains when it is started, not when it is imported."""
_TEST = regex(r"test_|.*_test\.py\Z|conftest\.py\Z")


def is_to_read(program: Path, named: Container[str] | None) -> bool:
    """Whether a program of a folder trains with TRL, or may, and cannot be read.

    Where scripts start Python, only one that is not `named` in them, that makes its settings itself
    when it is started, and that is no test: what it is given is in them otherwise.
    """
    with suppress(UserError):
        if named is not None and (program.name in named or _TEST.match(program.name)):
            return False
        data = read_file(program)
        if named is not None and not is_notebook(program.name) and _MAIN.search(data) is None:
            return False
        if _broken(program, data) is not None or _trains(program, data):
            return True
        if _is_given(program, data):
            return named is None
        return _makes_trainer(program, data) and _MAIN.search(data) is not None
    return False


def broken_notebook(path: Path) -> Message | None:
    """Why a notebook of a folder cannot be read; None for one that can, and for another file."""
    with suppress(UserError):
        if is_notebook(path.name) and is_unfinished(read_file(path)):
            return message("{path} is no notebook: its JSON cannot be read.", path=path)
    return None


def refuse_other_kinds(path: Path) -> None:
    """Raise UserError for a file of another kind, which would be read, and fixed, as shell.

    A program that trains with TRL is none; one that is no Python raises UncheckedError.
    """
    other = _OTHER_KINDS.get(path.suffix)
    if other is None or not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises
        return
    data = read_file(path)
    if (broken := _broken(path, data)) is not None:
        raise UncheckedError(broken)
    if _trains(path, data) or _is_given(path, data) or _makes_trainer(path, data):
        return
    if (started := _STARTED.search(data.decode("utf-8", "replace"))) is not None:
        raise UserError(
            "{path} is no script, and starts {module}; give that command with its settings: "
            'echo "python3 -m {module} …" | rlbot lint - --stdin-filename run.sh.',
            path=path,
            module=started[1],
        )
    if (trainer := _trains_otherwise(path, data)) is not None:
        raise UserError(
            "{path} trains with TRL's {name}, whose settings are not known.",
            path=path,
            name=trainer,
        )
    if path.suffix == ".py" and b"transformers" in data and _OF_TRANSFORMERS.search(data):
        raise UserError(
            "{path} trains with transformers' own Trainer, which is not read: programs of TRL's "
            "trainers are. For what hardware a training needs: rlbot recommend --help.",
            path=path,
        )
    plain = path.suffix == ".py" and read_export(data) is None
    if plain and (broken := _unparsable(path, data)) is not None:
        raise UncheckedError(broken)
    raise UserError(other, path=path)


def _broken(path: Path, data: bytes) -> Message | None:
    """Why a program that uses TRL cannot be read; None where it can be."""
    if (
        is_notebook(path.name)
        or not is_program(path.name)
        or _IMPORTS.search(data) is None
        or not _names_trainer(data)
        or read_export(data) is not None
    ):
        return None
    return _unparsable(path, data)


def _unparsable(path: Path, data: bytes) -> Message | None:
    """Why a file cannot be read as Python; None where it can be."""
    from bot.frameworks.python.source import tree_of

    try:
        tree_of(data.decode("utf-8-sig", "replace"))
    except SyntaxError as error:
        with suppress(UnicodeDecodeError):
            data.decode("utf-8-sig")
            return message(
                "{path} is no Python that can be read: line {line}: {why}.",
                path=path,
                line=error.lineno or 1,
                why=error.msg.rstrip("."),
            )
        return message("{path} is no Python that can be read: it is not text in UTF-8.", path=path)
    except (ValueError, RecursionError, MemoryError):
        return message("{path} is no Python that can be read.", path=path)
    return None


def _names_trainer(data: bytes) -> bool:
    from bot.frameworks.programs.trainers import BARE, TRAINERS

    return any(name.encode() in data for name in (*BARE, *TRAINERS))


def _trains(path: Path, data: bytes) -> bool:
    """Whether a file is a Python program that makes TRL's settings, or a notebook with a launch."""
    from bot.frameworks.programs.settings_written import makes_settings

    if not is_program(path.name):
        return False
    if not is_notebook(path.name):
        if not any(package in data for package in _PACKAGES):
            return False
        # A class that is written there, `class DPOConfig(trl.DPOConfig)`, is not made yet.
        lines = (line for line in data.splitlines() if not line.lstrip().startswith(b"class "))
        return makes_settings(b"\n".join(lines))
    found = read_notebook(data)
    return found is not None and (
        makes_settings(found.python.encode()) or _STARTED.search(found.shell) is not None
    )


def _makes_trainer(path: Path, data: bytes) -> bool:
    """Whether a program makes one of TRL's trainers, whose settings another module may make."""
    if path.suffix != ".py" or _IMPORTS.search(data) is None:
        return False
    from bot.frameworks.programs.trainers import BARE

    names = (match[1].decode() for match in _CALLED.finditer(data))
    return any(name in BARE for name in names)


def _is_given(path: Path, data: bytes) -> bool:
    """Whether a program takes TRL's settings from its command line."""
    if path.suffix != ".py" or _IMPORTS.search(data) is None:
        return False
    from bot.frameworks.programs.repository_programs import takes_settings

    return takes_settings(data.decode("utf-8-sig", "replace"))


def _trains_otherwise(path: Path, data: bytes) -> str | None:
    """TRL's trainer that a program makes and that no table has the settings of; else None."""
    from bot.frameworks.programs.trainers import other_trainer
    from bot.frameworks.python.source import parsed

    tree = parsed(data.decode("utf-8", "replace")) if path.suffix == ".py" else None
    return other_trainer(tree) if tree is not None else None
