"""What `make check` leaves to `make test`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.command import ROOT
from tests.needs import FREE, MARKS, PLACES, Guard, needs_of


@pytest.mark.parametrize("place", [*PLACES, *sorted(FREE)])
def test_what_is_named_is_there(place: str) -> None:
    assert (ROOT / place).exists()


def test_marks_come_from_folder_file_and_fixture() -> None:
    assert needs_of("tests/service/test_jobs.py") == {"database"}
    assert needs_of("tests/service/test_pages.py") == {"database", "browser"}
    assert needs_of("tests/service/test_events.py") == set()
    assert needs_of("tests/rules/test_unknown_key.py") == set()
    assert needs_of("tests/rules/test_unknown_key.py", ["tmp_path", "written"]) == {"sdk"}
    assert set(PLACES.values()) <= set(MARKS)


@pytest.mark.process
def test_the_guard_notices_a_program() -> None:
    guard = Guard()
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert guard.taken()
    assert not guard.taken()
