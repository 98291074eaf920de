"""Runs scripts of other people's repositories under real bash, walled off.

Bubblewrap gives each script a file system of its own: a throw-away copy of the tree, an empty
home, no network, no process but its own, and recorders in place of every program. Nothing of the
machine is visible but bash, a few tools and the libraries that they need, all read-only.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.shell.judge import Call, afterwards, parse_call

TOOLS = (
    "basename", "cat", "cut", "dirname", "expr", "head", "mkdir", "realpath", "rev", "sed",
    "seq", "sort", "tail", "tr", "uniq", "wc",
)  # fmt: skip
"""Programs that run for real: their output follows from their input, or they make folders."""
_LARGEST = 1 << 18
"""Bytes of a file that is copied; a larger one is there, but empty."""
_ROOT = "/srv/tree"
ENVIRONMENT = {
    "HOME": "/home/user",
    "USER": "user",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PWD": _ROOT,
}
"""The whole environment of a script. PWD is bash's own doing."""


@dataclass(frozen=True)
class Run:
    """What bash did with a script."""

    calls: tuple[Call, ...]
    """The programs that it started, in order."""
    valid: bool
    """Whether `bash -n` takes it."""
    ended: bool
    """False when it ran out of time."""


class Sandbox:
    """A copy of a tree, with bash to run its scripts."""

    def __init__(self, tree: Path, names: Iterable[str], *, walled: bool) -> None:
        """Copies `tree`; `names` are the programs that have recorders.

        Without `walled` scripts run in a copy of the tree as ordinary processes of the caller,
        one at a time.
        """
        self.walled = walled
        self.folder = Path(tempfile.mkdtemp(prefix="judge-"))
        self.tree = self.folder / "tree"
        self.tools = self.folder / "tools"
        self.bin = self.folder / "bin"
        self.runs = self.folder / "runs"
        for folder in (self.tools, self.bin, self.runs):
            folder.mkdir()
        _copy(tree, self.tree)
        self.calls = self.folder / "calls"
        inside = "/judge/tools" if walled else str(self.tools)
        calls = "/calls" if walled else str(self.calls)
        for name in ("bash", "sh", "env", "cp", *TOOLS):
            found = shutil.which(name)
            if found:
                shutil.copy(Path(found).resolve(), self.tools / name)
        for name in {*names, "bash", "sh", "mkdir"}:
            (self.bin / name).write_text(_recorder(name, inside, calls))
            (self.bin / name).chmod(0o755)
        for name in set(TOOLS) - {"mkdir"}:
            (self.bin / name).unlink(missing_ok=True)
            if (self.tools / name).exists():
                (self.bin / name).symlink_to(f"{inside}/{name}")

    def close(self) -> None:
        """Removes the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, paths: Iterable[str], *, seconds: float, workers: int) -> list[Run]:
        """Runs the scripts at `paths`, relative to the tree, `workers` at a time."""
        with ThreadPoolExecutor(workers if self.walled else 1) as pool:
            return list(pool.map(lambda path: self._run(path, seconds), paths))

    def environment(self) -> dict[str, str]:
        """The environment in which scripts start."""
        if self.walled:
            return dict(ENVIRONMENT)
        return {**ENVIRONMENT, "PATH": str(self.bin), "HOME": str(self.folder / "home")}

    def _run(self, path: str, seconds: float) -> Run:
        calls = Path(tempfile.mkdtemp(dir=self.runs)) if self.walled else self.calls
        work = self.folder / "work"
        for folder in () if self.walled else (calls, work):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        where = {"JUDGE": str(self.folder), "CALLS": str(calls), "WORK": str(work)}
        command = [str(self.tools / "bash")]
        if self.walled:
            where = {"JUDGE": "/judge", "CALLS": "/calls", "WORK": "/work"}
            command = [*self._wall(calls), "/judge/tools/bash"]
        given = [f"{k}={v}" for k, v in self.environment().items() if k != "PWD"]
        ended = True
        with subprocess.Popen(
            [*command, "-c", _DRIVER, "driver", path, *given],
            env={"PATH": os.defpath, **where},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:  # fmt: skip
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                ended = False
                os.killpg(process.pid, signal.SIGKILL)
        order = calls / "order"
        names = order.read_text().split() if order.exists() else []
        found = tuple(parse_call((calls / name).read_bytes()) for name in names)
        syntax = calls / "syntax"
        valid = syntax.exists() and syntax.read_text().strip() == "0"
        shutil.rmtree(calls, ignore_errors=True)
        return Run(found, valid, ended)

    def _wall(self, calls: Path) -> list[str]:
        words = [
            "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
        ]
        for name in ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"):
            path = Path(name)
            if path.is_symlink():
                words += ["--symlink", str(path.readlink()), name]
            elif path.is_dir():
                words += ["--ro-bind", name, name]
        for name in ("/bin", "/usr/bin", "/usr/local/bin"):
            words += ["--ro-bind", str(self.bin), name]
        words += ["--ro-bind", str(self.tools), "/judge/tools"]
        words += ["--ro-bind", str(self.tree), "/judge/tree"]
        words += ["--bind", str(calls), "/calls", "--proc", "/proc", "--dev", "/dev"]
        words += ["--size", str(1 << 28), "--tmpfs", "/work"]
        words += ["--size", str(1 << 24), "--tmpfs", "/tmp", "--dir", "/home/user"]
        return words


_DRIVER = """\
export PATH=$JUDGE/tools
cp -a "$JUDGE/tree" "$WORK/tree"
cd "$WORK/tree" || exit 1
path=$1
shift
bash -n "$path" 2>/dev/null
echo $? > "$CALLS/syntax"
ulimit -f 8192 -c 0
exec env -i "$@" "$JUDGE/tools/bash" --norc "$path"
"""


def _recorder(name: str, tools: str, calls: str) -> str:
    """A program that writes down how it was called.

    Here `mkdir` makes its folders too, so that redirections into them succeed.
    """
    then = afterwards(name, f"{tools}/bash")
    if name == "mkdir":
        then = f'exec {tools}/mkdir "$@"\n'
    return (
        f"#!{tools}/sh\nrlbot_call={calls}/$$\n"
        # `exec` keeps the process number.
        'while [ -e "$rlbot_call" ]; do rlbot_call=$rlbot_call.; done\n'
        '{ printf \'%s\\0\' "$#" "${0##*/}" "$@"; export -p; } > "$rlbot_call" 2>/dev/null\n'
        f'echo "${{rlbot_call##*/}}" >> {calls}/order\n{then}'
    )


def _copy(tree: Path, copy: Path) -> None:
    """Copies a tree without its history, links out of it and the content of large files."""
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name not in (".git", ".venv", "node_modules")]
        here = copy / Path(folder).relative_to(tree)
        here.mkdir(parents=True, exist_ok=True)
        for name in files:
            path = Path(folder) / name
            if path.is_symlink():
                target = path.readlink()
                if not target.is_absolute() and path.resolve().is_relative_to(tree.resolve()):
                    (here / name).symlink_to(target)
                continue
            if not path.is_file():
                continue
            if path.stat().st_size > _LARGEST:
                (here / name).touch()
            else:
                shutil.copy(path, here / name)
