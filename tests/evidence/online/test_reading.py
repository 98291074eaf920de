"""What the online reader gives: the folder reader's facts, whole or honestly incomplete."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.evidence import read
from bot.evidence.facts import Facts
from bot.evidence.metrics import EVIDENCE
from tests.conftest import WrittenRun
from tests.evidence.online.conftest import Room, Uploaded
from tests.evidence.samples import MATCHING
from tests.runs.writer import write_run
from tests.wandb_server.exports import export
from tests.wandb_server.faults import Fault
from tests.wandb_server.server import KEY
from tests.wandb_server.store import StoredRun

pytestmark = pytest.mark.usefixtures("forked")

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.52 GiB."
RESERVED = "perf/max_memory_reserved_gb"


def without_empty(value: Any) -> Any:
    """The SDK uploads no empty mappings."""
    if isinstance(value, dict):
        made = {key: without_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in made.items() if inner != {}}
    return value


def comparable(facts: Facts) -> Facts:
    """Facts without what only one reader can know, and of the history what both read."""
    return replace(
        facts,
        source="",
        kind="online",
        run=replace(facts.run, user=None),
        history={key: series for key, series in facts.history.items() if key in EVIDENCE},
        config=without_empty(facts.config),
        state=None,
        created=None,
    )


RECIPES = {
    "matching": MATCHING,
    "peak in the history alone": MATCHING.but(steps=400, allocator_peak_gib=72.9, peak_gib=None),
    "names of 2026": MATCHING.but(memory_keys=("actor/perf/max_memory_reserved_gb",)),
    "no memory metrics": MATCHING.but(memory_keys=()),
    "no GPUs": MATCHING.but(gpu=None),
    "OpenRLHF strings": MATCHING.but(
        config={
            "actor": "Namespace(model_name_or_path='Qwen/Qwen2.5-7B', lr=1e-06, gpus=[0, 1])",
            "rollout": "Namespace(batch_size=128, sampling=Namespace(top_p=None))",
            "note": "Namespace(of=what(it, is))",
        }
    ),
    "out of memory": MATCHING.but(console=("step 1", OOM, "more"), steps=7),
}


@pytest.mark.parametrize("exported", [False, True], ids=["live", "exported"])
@pytest.mark.parametrize("name", RECIPES)
def test_both_readers_give_the_same_facts(
    room: Room, uploaded: Uploaded, written: WrittenRun, name: str, exported: bool
) -> None:
    run = uploaded(RECIPES[name])
    room.server.store.add(run)
    if exported:
        export(run, parts=2, live_from=50)
    online, folder = room.read(), read(written(RECIPES[name]))
    assert comparable(online) == comparable(folder)
    assert online.history.keys() == folder.history.keys() & EVIDENCE
    assert online.history_rows == RECIPES[name].steps
    assert (online.kind, online.state) == ("online", "finished")
    assert online.created == "2026-01-01T12:00:00Z"
    assert online.source == "W&B run verl-team/verl_tuning/abc123"


def test_a_run_that_was_logged_online(room: Room, tmp_path: Path) -> None:
    room.server.store.runs.clear()
    recipe = MATCHING.but(run_id="live01", console=("one", "two"), steps=25)
    folder = write_run(tmp_path, recipe, server=(room.server.url, KEY))
    online = room.read("live01")
    assert comparable(online) == comparable(read(folder))
    assert online.gaps == ()


def test_a_failed_run_says_so(room: Room, uploaded: Uploaded) -> None:
    room.server.store.add(uploaded(MATCHING.but(run_id="dead", exit_code=1, console=(OOM,))))
    facts = room.read("dead")
    assert (facts.state, facts.exit_code) == ("failed", None)
    assert facts.out_of_memory == OOM


def test_a_run_that_is_still_going_on(room: Room) -> None:
    run = next(iter(room.server.store.runs.values()))
    run.state = "running"
    (gap,) = room.read().gaps
    assert gap.startswith("The run is still going on (W&B says: running)")


def test_progress_is_told_stage_by_stage(room: Room) -> None:
    stages: list[str] = []
    room.read(progress=lambda stage, _done, _of: stages.append(stage))
    assert list(dict.fromkeys(stages)) == [
        "the run",
        "the history",
        "the system stream",
        "the metadata",
        "the console",
    ]


def made(room: Room, rows: list[dict[str, Any]], **fields: Any) -> StoredRun:
    """A run with a history of one's own."""
    run = StoredRun(
        entity="verl-team",
        project="verl_tuning",
        name="made",
        state="finished",
        history=rows,
        **fields,
    )
    return room.server.store.add(run)


def plain_rows(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [{"_step": first + n, RESERVED: 60.0 + n % 7} for n in range(count)]


def test_metrics_that_stand_in_different_rows(room: Room) -> None:
    rows = plain_rows(300)
    for number, row in enumerate(rows):
        if number % 10 == 5:
            row["response_length/max"] = 900 + number
        if number % 10 == 6:
            row["prompt_length/max"] = 100 + number
        if number % 3 == 0:
            del row[RESERVED]
    made(room, rows)
    facts = room.read("made")
    assert facts.gaps == ()
    assert facts.history_rows == 300
    found = {key: (s.rows, s.maximum, s.at_step) for key, s in facts.history.items()}
    assert found == {
        RESERVED: (200, 66.0, 13),
        "response_length/max": (30, 1195, 295),
        "prompt_length/max": (30, 396, 296),
    }


@pytest.mark.parametrize("exported", [False, True], ids=["live", "exported"])
def test_a_run_that_does_not_start_at_step_0(room: Room, exported: bool) -> None:
    run = made(room, plain_rows(50, first=1_000_000))
    if exported:
        export(run)
    facts = room.read("made")
    assert facts.gaps == ()
    assert facts.history[RESERVED].rows == 50
    assert facts.history[RESERVED].at_step == 1_000_006


def test_a_server_that_thins_out_large_pages_is_asked_for_small_ones(room: Room) -> None:
    rows = plain_rows(5_000)
    rows[3_217][RESERVED] = 77.5
    made(room, rows)
    room.server.max_samples = 1_000
    facts = room.read("made")
    assert facts.gaps == ()
    assert facts.history[RESERVED].maximum == 77.5
    assert facts.history[RESERVED].rows == 5_000


def test_rows_that_the_server_counts_and_does_not_give(room: Room) -> None:
    made(room, plain_rows(100), key_rows={"_step": 120, RESERVED: 120}, lost_rows=20)
    facts = room.read("made")
    assert facts.gaps == (
        f"W&B counts 120 rows of {RESERVED} and gave 100: 20 are not part of the comparison.",
    )


def test_rows_are_counted_where_the_server_counts_no_keys(room: Room) -> None:
    rows = plain_rows(100)
    for row in rows[::2]:
        del row[RESERVED]
    run = made(room, rows)
    room.server.uncounted = True
    assert room.read("made").gaps == ()
    run.lost_rows = 5
    (gap,) = room.read("made").gaps
    assert gap == "W&B counts 105 rows and gave 100: 5 are not part of the comparison."


def test_an_export_that_changed_is_read_anew(room: Room) -> None:
    run = made(room, plain_rows(60))
    export(run)
    assert room.read("made").history[RESERVED].maximum == 66
    run.history[30][RESERVED] = 79.0
    export(run)
    assert room.read("made").history[RESERVED].maximum == 79


def test_an_export_that_cannot_be_fetched(room: Room) -> None:
    export(made(room, plain_rows(60)))
    room.server.faults.append(Fault("status", "/exports", status=404))
    message = room.refused(run="made")
    assert "HTTP 404" in message
    assert "the history" in message


def test_values_that_are_no_numbers_are_left_out(room: Room) -> None:
    rows = plain_rows(4)
    rows[1][RESERVED] = "NaN"
    rows[2][RESERVED] = True
    made(room, rows)
    facts = room.read("made")
    assert facts.gaps == ()
    assert (facts.history[RESERVED].rows, facts.history[RESERVED].maximum) == (2, 63.0)


def test_a_run_without_a_history(room: Room) -> None:
    made(room, [])
    facts = room.read("made")
    assert (facts.history, facts.history_rows, facts.gaps) == ({}, 0, ())


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"rows": 100}, "stopped after 100 rows"),
        ({"bytes": 1}, "stopped after 1 bytes"),
        ({"seconds": 0.0}, "stopped after 0 seconds"),
    ],
)
def test_a_bound_of_the_history_is_said(room: Room, bounds: dict[str, Any], words: str) -> None:
    made(room, plain_rows(60_000))
    facts = room.read("made", page_steps=1_000, **bounds)
    (gap,) = facts.gaps
    assert words in gap
    assert "of 60000" in gap
    assert 0 < facts.history[RESERVED].rows < 60_000


def samples(count: int) -> list[str]:
    made_ = [{"system.gpu.0.memoryAllocatedBytes": 1000 + n} for n in range(count)]
    return [json.dumps(sample) for sample in made_]


def test_a_system_stream_that_the_server_thins_out(room: Room) -> None:
    made(room, plain_rows(5), events=samples(3_000))
    room.server.max_samples = 500
    facts = room.read("made")
    assert facts.system[0].rows == 500
    assert facts.gaps == (
        "Of 3000 samples of the system stream W&B gave 500: a higher peak may lie between them.",
    )


def test_a_system_stream_beyond_the_bound(room: Room) -> None:
    made(room, plain_rows(5), events=samples(3_000))
    facts = room.read("made", samples_bytes=50_000)
    assert 500 < facts.system[0].rows < 2_000
    assert "Of 3000 samples" in facts.gaps[0]
    assert room.read("made").system[0].maximum == 3_999


def test_a_server_that_does_not_count_its_streams(room: Room) -> None:
    run = made(room, plain_rows(5), events=samples(50), console={0: "x", 1: OOM})
    room.server.unknown_fields = {"eventsLineCount"}
    facts = room.read("made")
    assert (facts.system_rows, facts.out_of_memory, facts.gaps) == (50, OOM, ())
    run.events = samples(120)
    (gap,) = room.read("made", samples=100).gaps
    assert "does not say how many there are" in gap


def test_a_long_console_is_searched_at_both_ends(room: Room) -> None:
    lines = {number: f"step {number}" for number in range(20_000)}
    run = made(room, plain_rows(5), console=lines)
    bounds: dict[str, Any] = {"console_lines": 5_000, "console_tail": 1_000}
    assert room.read("made").gaps == ()
    (gap,) = room.read("made", **bounds).gaps
    assert "the first 5000 and the last 1000 lines of 20000" in gap
    run.console[19_990] = OOM
    assert room.read("made", **bounds).out_of_memory == OOM
    run.console[3] = f"\x1b[31m{OOM} first\x1b[0m"
    assert room.read("made", **bounds).out_of_memory == f"{OOM} first"


def test_an_old_server_gives_the_end_of_the_console(room: Room) -> None:
    run = made(room, plain_rows(5), console={n: f"step {n}" for n in range(50)})
    room.server.unknown_fields = {"useImprovedPagination"}
    assert room.read("made").gaps == ()
    (gap,) = room.read("made", console_tail=10).gaps
    assert "the last 10 lines of 50" in gap
    run.console[49] = OOM
    assert room.read("made").out_of_memory == OOM


def test_the_console_file_counts_when_there_are_no_lines(room: Room) -> None:
    made(room, plain_rows(5), files={"output.log": f"a\n{OOM}\n".encode()})
    assert room.read("made").out_of_memory == OOM


def test_files_that_are_missing_broken_or_too_large(room: Room) -> None:
    run = made(room, plain_rows(5), files={"wandb-metadata.json": b"[]"})
    facts = room.read("made")
    assert facts.gaps == ("files/wandb-metadata.json is not a JSON object; it was left out.",)
    assert (facts.gpus, facts.requirements) == ((), {})
    run.files = {"requirements.txt": b"vllm==0.8.3\n"}
    room.server.claimed_sizes["requirements.txt"] = 1 << 30
    (gap,) = room.read("made").gaps
    assert gap.startswith("files/requirements.txt has 1073741824 bytes, more than")
    room.server.claimed_sizes.clear()
    assert room.read("made").requirements == {"vllm": "0.8.3"}
    room.server.faults.append(Fault("status", "/storage", status=404))
    (gap,) = room.read("made").gaps
    assert gap == "files/requirements.txt is listed but could not be fetched (HTTP 404)."


def test_a_configuration_that_is_only_a_file(room: Room) -> None:
    text = b"data:\n  desc: null\n  value: {train_batch_size: 128}\n"
    made(room, plain_rows(5), files={"config.yaml": text})
    assert room.read("made").config == {"data": {"train_batch_size": 128}}


def test_a_run_that_changes_while_it_is_read(room: Room) -> None:
    run = made(room, plain_rows(5), events=samples(3))

    def grow() -> None:
        run.events.extend(samples(2))

    # The samples are counted before the first stream is read, and again after the last.
    room.server.faults.append(Fault("change", "RunCounts", change=grow, after=1, times=1))
    (gap,) = room.read("made").gaps
    assert gap.startswith("The run was changed while it was read")
