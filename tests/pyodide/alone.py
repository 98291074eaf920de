"""Prints what commands answer, as JSON: `python -m tests.pyodide.alone COMMAND…`.

Imports nothing that does not come with Python, besides the package.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from bot.commands.cli import main


def answer(command: str) -> dict[str, object]:
    """Status and output of a command, its words split at blanks."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("out", "err")}
    with contextlib.redirect_stdout(streams["out"]), contextlib.redirect_stderr(streams["err"]):
        try:
            status: object = main(command.split())
        except SystemExit as end:
            status = end.code
    printed: dict[str, object] = {}
    for name, stream in streams.items():
        stream.flush()
        printed[name] = stream.buffer.getvalue().decode()
    return {"command": command, "status": status, **printed}


if __name__ == "__main__":
    sys.stdout.write(json.dumps([answer(command) for command in sys.argv[1:]]))
