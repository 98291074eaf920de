"""The code blocks of the guides, taken out by a parser of Markdown, and a place to run them in."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.command import ROOT, rlbot

_LOCALE = {"LC_ALL": "C.UTF-8"}
MADE = ("docs/rules/", "docs/zh/rules/", "docs/table/", "docs/zh/table/")
"""Pages whose blocks are the rules' own examples, which the rules' tests run."""
SECONDS = 600
_NOT_RUN = "<!-- not run -->"
_ANYTHING = "…"
_PLAIN = re.compile(r"rlbot(?:[\w\s./:,+@-]|\"[^\"$`\\]*\"|\\\n)+")
"""A command of ours alone, of words that no shell changes: those run in this process."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    path: str
    line: int
    language: str
    run: bool
    """False below a comment `<!-- not run -->`: then the block is only read."""
    text: str

    @property
    def id(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Step:
    """A command of a console block, and what it must print."""

    command: str
    expected: tuple[str, ...]


def guides() -> list[Path]:
    """Every Markdown page of the repository that is written by hand."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    return [ROOT / name for name in sorted(listed) if name and not name.startswith(MADE)]


def blocks() -> Iterator[Block]:
    """Every fenced block of the guides."""
    parser = MarkdownIt("commonmark").disable("inline")  # Blocks alone are looked at.
    for guide in guides():
        path = guide.relative_to(ROOT).as_posix()
        above = ""
        for token in parser.parse(guide.read_text(encoding="utf-8")):
            if token.type == "fence":
                words = token.info.split()
                yield Block(
                    path=path,
                    line=(token.map or [0])[0] + 1,
                    language=words[0] if words else "",
                    run=above != _NOT_RUN,
                    text=token.content,
                )
            above = token.content.strip()


def steps(text: str) -> list[Step]:
    """The commands of a console block, each with the lines below it."""
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], ()))
        elif found and found[-1].command.endswith("\\"):
            found[-1] = Step(found[-1].command + "\n" + line, ())
        elif found:
            found[-1] = Step(found[-1].command, (*found[-1].expected, line))
        else:
            raise AssertionError(f"a console block starts with a command, not with {line!r}")
    return found


def matches(expected: tuple[str, ...], printed: str) -> bool:
    """Whether a command printed what its block shows: a line `…` is any lines, `…` in one any text.

    A block that shows nothing below a command does not say what it prints.
    """
    if not expected:
        return True
    pattern = ""
    for line in expected:
        if line.strip() == _ANYTHING:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r".*?".join(re.escape(part) for part in line.split(_ANYTHING)) + r"\n"
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None


def sandbox(folder: Path) -> Path:
    """A repository with our examples and page, and a branch that adds a script."""

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@users.noreply.github.com")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    listed = subprocess.run(
        ["git", "ls-files", "examples/tuning", "docs/perf"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in listed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", "https://github.com/rlbot-tuning/rlbot.git")
    git("add", "-A")
    git("commit", "-qm", "The scripts")
    git("switch", "-q", "-c", "add-script")
    tuning = folder / "examples/tuning/7b"
    script = (tuning / "qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh").read_text(encoding="utf-8")
    (tuning / "qwen2.5-7b_grpo_2_h100_fsdp_vllm.sh").write_text(script, encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "A script")
    git("switch", "-q", "main")
    return folder


def run(step: Step, folder: Path) -> str:
    """What a command prints there, both streams together."""
    if _PLAIN.fullmatch(step.command):
        done = rlbot(*shlex.split(step.command)[1:], cwd=folder, environment=_LOCALE)
        return done.out + done.err
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        **_LOCALE,
    }
    process = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    return process.stdout.decode()
