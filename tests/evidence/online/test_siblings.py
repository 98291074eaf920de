"""The other runs of a project: which are listed, and what is known of each."""

from __future__ import annotations

from typing import Any

import pytest

from bot.evidence.facts import Sibling
from tests.evidence.online.conftest import Room, Uploaded
from tests.evidence.samples import MATCHING, config
from tests.wandb_server.faults import Fault
from tests.wandb_server.store import StoredRun

pytestmark = pytest.mark.usefixtures("forked")

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.52 GiB."


def by_id(room: Room, **bounds: Any) -> dict[str, Sibling]:
    return {sibling.id: sibling for sibling in room.read(siblings=100, **bounds).siblings}


def other(room: Room, name: str, **fields: Any) -> StoredRun:
    fields = {"project": "verl_tuning", "state": "finished", **fields}
    return room.server.store.add(StoredRun(entity="verl-team", name=name, **fields))


def test_neighbours_that_the_sdk_logged(room: Room, uploaded: Uploaded) -> None:
    passed = MATCHING.but(run_id="b58", config=config(data__train_batch_size=58))
    failed = MATCHING.but(
        run_id="b59",
        config=config(data__train_batch_size=59),
        steps=1,
        console=("step 1", OOM, "Traceback"),
        exit_code=1,
    )
    hidden = failed.but(run_id="b60", exit_code=0)
    for recipe in (passed, failed, hidden):
        room.server.store.add(uploaded(recipe))
    found = by_id(room)
    assert found.keys() == {"b58", "b59", "b60"}
    batches = {run: s.config["data"]["train_batch_size"] for run, s in found.items()}  # type: ignore[call-overload, index]
    assert batches == {"b58": 58, "b59": 59, "b60": 59}
    assert (found["b58"].steps, found["b58"].out_of_memory) == (60, None)
    assert (found["b59"].steps, found["b59"].out_of_memory) == (1, True)
    # It says that it finished, after too few steps to be believed.
    assert found["b60"].out_of_memory is True


def test_a_run_alone_has_none(room: Room) -> None:
    facts = room.read(siblings=100)
    assert (facts.siblings, facts.sibling_gaps) == ((), ())
    assert "Runs" in room.server.requests


def test_none_are_asked_for_where_none_are_wanted(room: Room) -> None:
    room.read()
    assert "Runs" not in room.server.requests


def test_runs_of_other_projects_are_no_siblings(room: Room) -> None:
    other(room, "elsewhere", project="another")
    assert by_id(room) == {}


def test_the_group_and_the_sweep_come_first_then_the_newest(room: Room) -> None:
    run = next(iter(room.server.store.runs.values()))
    run.group, run.sweep = "bisect", "s1"
    other(room, "old-of-group", group="bisect", created="2025-01-01T00:00:00")
    other(room, "old-of-sweep", sweep="s1", created="2025-02-01T00:00:00")
    for day in range(1, 6):
        other(room, f"new{day}", created=f"2026-03-0{day}T00:00:00")
    facts = room.read(siblings=4)
    assert [s.id for s in facts.siblings] == ["old-of-group", "old-of-sweep", "new5", "new4"]
    assert facts.sibling_gaps == (
        "The project has 7 other runs; 4 of them, the newest, were looked at.",
    )
    assert facts.gaps == ()


def test_a_console_that_reports_nothing_is_known_as_such(room: Room) -> None:
    other(room, "calm", state="crashed", console={0: "step 1", 1: "killed"})
    other(room, "silent", state="crashed")
    found = by_id(room)
    assert found["calm"].out_of_memory is False
    assert found["silent"].out_of_memory is None


def test_only_so_many_consoles_are_searched(room: Room) -> None:
    for number in range(5):
        other(room, f"r{number}", state="failed", console={0: OOM})
    facts = room.read(siblings=100, sibling_consoles=2)
    assert sum(s.out_of_memory is True for s in facts.siblings) == 2
    assert facts.sibling_gaps == (
        "Of 5 other runs that may have failed, the consoles of 2 were searched.",
    )


def test_a_listing_that_fails_does_not_take_the_run_with_it(room: Room) -> None:
    other(room, "b59")
    room.server.faults.append(Fault("status", "Runs", status=403))
    facts = room.read(siblings=100)
    assert facts.gaps == ()
    assert facts.sibling_gaps == ("The other runs of the project could not be listed (HTTP 403).",)


def test_consoles_that_cannot_be_read_are_counted(room: Room) -> None:
    other(room, "b59", state="failed", console={0: OOM})
    room.server.faults.append(Fault("status", "RunConsoleLogTail", status=403))
    facts = room.read(siblings=100)
    assert facts.siblings[0].out_of_memory is None
    assert facts.sibling_gaps == ("The console of 1 other run could not be read.",)


def test_summaries_and_configurations_of_any_shape(room: Room) -> None:
    other(room, "odd", summary={"training/global_step": "many"}, config={"a": {"value": None}})
    other(room, "nested", summary={"training/global_step": 12.0}, config={"a": 1})
    found = by_id(room)
    assert (found["odd"].steps, found["nested"].steps) == (None, 12)
    assert found["nested"].config == {"a": 1}


def test_a_listing_that_hangs_does_not_take_the_run_with_it(room: Room) -> None:
    other(room, "b59")
    room.server.faults.append(Fault("hang", "Runs"))
    facts = room.read(siblings=100, stall_seconds=8.0)
    assert (facts.run.id, facts.gaps, facts.siblings) == ("abc123", (), ())
    (gap,) = facts.sibling_gaps
    assert gap.startswith("The other runs of the project were not looked at. ")
    assert "gave no sign for 8 seconds while the list of the project's runs was read" in gap
