"""Processes that have imported the SDK already: importing it takes most of the time of a short run.

One process imports `wandb` and forks for each call; what a call changes (its environment, its
folder, `sys.path`, the SDK's own state) ends with its fork. The server ends with who started it.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NoReturn

_ROOT = Path(__file__).resolve().parents[2]
_ONE_AT_A_TIME = Lock()


def call(
    function: str, arguments: Sequence[str], *, environment: Mapping[str, str], folder: Path
) -> str:
    """What `function`, "module:name" of a program, prints with these arguments in `folder`.

    Raises CalledProcessError, with what it printed, when the process ends otherwise than with 0.
    """
    request = {
        "function": function,
        "arguments": list(arguments),
        "environment": dict(environment),
        "folder": str(folder),
    }
    with _ONE_AT_A_TIME:
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
    said = (folder / _OUTPUT).read_text(encoding="utf-8", errors="replace")
    if status != 0:
        raise subprocess.CalledProcessError(status, [function, *arguments], said)
    return said


_OUTPUT = "output-of-the-sdk.txt"


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.runs.sdk"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env={key: value for key, value in os.environ.items() if not key.startswith("WANDB_")},
        start_new_session=True,
    )
    atexit.register(server.communicate)  # It ends with its input.
    return server


def main() -> int:
    """Serve until nobody asks any more."""
    importlib.import_module("wandb.cli.cli")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _work(json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    return 0


def _work(request: Mapping[str, object]) -> NoReturn:
    """Be the process that was asked for; never returns."""
    folder = str(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])  # type: ignore[call-overload]
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(f"{folder}/{_OUTPUT}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    module, _, name = str(request["function"]).partition(":")
    sys.argv = [module, *request["arguments"]]  # type: ignore[misc]
    try:
        getattr(importlib.import_module(module), name)()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    # As at the end of any program: the SDK ends its service.
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
