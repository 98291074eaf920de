"""What tests need besides Python, by folder, file and fixture: the marks that they get.

`make check` runs the tests without a mark. It fails a test without one that starts a program, so
that this list stays complete. Git may be started: it is there wherever this repository is, takes
milliseconds, and keeps what the stand-in for GitHub serves.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import PurePath
from typing import Final

MARKS: Final = {
    "process": "starts programs other than git",
    "sdk": "reads or writes runs with W&B's SDK in processes of its own",
    "browser": "drives a browser",
    "database": "opens a database",
    "tools": "imports what only the whole environment has",
    "slow": "takes half a second of processor time and more",
}

PLACES: Final[Mapping[str, str]] = {
    "tests/architecture/test_start.py": "process",
    "tests/base/test_messages.py": "tools",
    "tests/commands/test_contribute.py": "process",
    "tests/commands/test_parallel.py": "process",
    "tests/commands/test_process.py": "process",
    "tests/commands/test_windows.py": "process",
    "tests/docs/test_demo.py": "process",
    "tests/doctor": "process",
    "tests/evidence/online": "sdk",
    "tests/evidence/test_records.py": "sdk",
    "tests/evidence/test_writer.py": "sdk",
    "tests/github/test_act.py": "process",
    "tests/github/test_places.py": "process",
    "tests/hostile": "process",
    "tests/base/test_isolated.py": "process",
    "tests/locale/test_translations.py": "tools",
    "tests/memory/test_bands.py": "slow",
    "tests/packaging/test_core.py": "process",
    "tests/packaging/test_package.py": "process",
    "tests/record/test_record.py": "process",
    "tests/render/test_widths.py": "browser",
    "tests/recommend/test_grid.py": "slow",
    "tests/service": "database",
    "tests/service/test_pages.py": "browser",
    "tests/review/test_bounds.py": "process",
    "tests/shell/test_against_bash.py": "process",
    "tests/trackers/test_hub_server.py": "sdk",
    "tests/trackers/test_mlflow_server.py": "sdk",
    "tests/trackers/test_swanlab_server.py": "sdk",
}
"""Folders and files, from the root of the repository; what stands in a marked folder is marked."""

FREE: Final = frozenset(
    (
        "tests/doctor/test_doctor.py",
        "tests/evidence/online/test_access.py",
        "tests/evidence/online/test_guide.py",
        "tests/evidence/online/test_wire.py",
        "tests/hostile/test_regexes.py",
        "tests/service/test_buttons.py",
        "tests/service/test_deploy.py",
        "tests/service/test_events.py",
        "tests/service/test_rechecks.py",
        "tests/service/test_retries.py",
        "tests/service/test_slots.py",
        "tests/service/test_threats.py",
        "tests/service/test_webhook.py",
    )
)
"""Files of marked folders that need nothing."""

FIXTURES: Final[Mapping[str, str]] = {
    "written": "sdk",
    "uploaded": "sdk",
    "judge": "process",
    "ssh_key": "process",
}
"""Fixtures, directly or through others."""

_STARTS = frozenset(
    ("subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system")
)


def needs_of(file: str, fixtures: Collection[str] = ()) -> set[str]:
    """The marks of a test in `file`, a path from the root of the repository with slashes."""
    return {FIXTURES[name] for name in fixtures if name in FIXTURES} | _of_file(file)


@cache
def _of_file(file: str) -> frozenset[str]:
    if file in FREE:
        return frozenset()
    return frozenset(mark for place, mark in PLACES.items() if f"{file}/".startswith(f"{place}/"))


class Guard:
    """Notes what is started in this process: programs, and with them the databases of servers."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        sys.addaudithook(self._note)

    def taken(self) -> list[str]:
        """What was started since the last call."""
        seen, self._seen = self._seen, []
        return seen

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "subprocess.Popen" and PurePath(str(arguments[0])).name == "git":
            return
        if event in _STARTS:
            self._seen.append(f"{event} {arguments[:1]}")
