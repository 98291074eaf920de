"""Finding and reading run folders: what is refused, what becomes a gap, what is bounded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.evidence import EvidenceError, Facts, read
from bot.evidence.claims.compare import compare
from bot.evidence.folder import read_folder
from bot.evidence.limits import RunLimits
from bot.evidence.transaction_log import FRAGMENT, HEADER, IDENT, MAGIC, record_type
from tests.conftest import WrittenRun
from tests.evidence.samples import MATCHING, NAME, plan
from tests.evidence.test_transaction_log import framed, framed_after, reader
from tests.profiles import scaled
from tests.runs.console import OUT_OF_MEMORY


def log_of(folder: Path) -> Path:
    (log,) = folder.glob("*.wandb")
    return log


def open_descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


@contextmanager
def unprivileged() -> Iterator[None]:
    """Without root's right to read everything, where the tests run as root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def refused(path: Path) -> str:
    with pytest.raises(EvidenceError) as caught:
        read(path)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_every_way_to_name_a_run_gives_the_same_facts(own_run: Path) -> None:
    (own_run.parent / "latest-run").symlink_to(own_run.name)
    ways = [
        own_run,
        own_run.parent,
        own_run.parent.parent,
        own_run.parent / "latest-run",
        log_of(own_run),
    ]
    found = [read(way) for way in ways]
    assert len({(f.run, f.history_rows, f.system_rows, f.gaps) for f in found}) == 1
    assert found[0].source == f"W&B run folder {own_run.name}"
    assert found[-1].source == "W&B transaction log run-abc123.wandb"
    assert found[-1].requirements == found[0].requirements


def test_reading_changes_nothing_and_leaves_nothing_open(own_run: Path) -> None:
    before = {p: p.lstat().st_mtime_ns for p in own_run.rglob("*")}
    descriptors = open_descriptors()
    read(own_run)
    assert {p: p.lstat().st_mtime_ns for p in own_run.rglob("*")} == before
    assert open_descriptors() == descriptors


def test_what_is_not_a_run_is_refused(tmp_path: Path) -> None:
    assert "does not exist: a run is a link, what a tracker wrote" in refused(tmp_path / "nowhere")
    assert "is named by its link, https://wandb.ai/" in refused(Path("team/project/abc12345"))
    assert "is an empty folder" in refused(tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    assert "holds no run: no run-ID.wandb file" in refused(tmp_path)
    assert "holds no line of verl's console logger" in refused(tmp_path / "notes.txt")
    (tmp_path / "run-a.wandb").touch()
    assert "run-a.wandb is empty" in refused(tmp_path)
    (tmp_path / "run-b.wandb").touch()
    assert "several transaction logs (run-a.wandb, run-b.wandb)" in refused(tmp_path)


@pytest.mark.parametrize("part", ["files", "logs"])
def test_a_part_of_a_run_s_folder_names_the_folder(own_run: Path, part: str) -> None:
    (own_run / part).mkdir(exist_ok=True)
    assert f"is a part of a run's folder: give {own_run.name}" in refused(own_run / part)
    other = own_run.parent / "other" / part
    other.mkdir(parents=True)
    assert "is an empty folder" in refused(other)


@pytest.mark.parametrize("form", ["zip", "tar", "gztar", "bztar", "xztar"])
def test_an_archive_is_to_be_unpacked(own_run: Path, tmp_path: Path, form: str) -> None:
    path = Path(shutil.make_archive(str(tmp_path / "run"), form, own_run))
    assert refused(path).startswith(f"{path.name} is an archive, or compressed: unpack it")


def saved_beside(run: Path) -> Facts:
    """The files that W&B saves of a run, which an offline one may lack, and what its log says."""
    whole = read(run)
    config = {key: {"value": value} for key, value in whole.config.items()}
    (run / "files" / "config.yaml").write_text(json.dumps(config))
    gpus = [{"name": gpu.name, "memoryTotal": str(gpu.memory_bytes)} for gpu in whole.gpus]
    metadata = {"gpu_count": len(gpus), "gpu_nvidia": gpus}
    (run / "files" / "wandb-metadata.json").write_text(json.dumps(metadata))
    return whole


def test_a_log_that_was_never_written_leaves_what_stands_beside_it(own_run: Path) -> None:
    """W&B writes the log in blocks: a process that is killed early leaves none."""
    whole, log = saved_beside(own_run), log_of(own_run)
    log.write_bytes(b"")
    (own_run / "files" / "output.log").write_text(f"step:1 - actor/x:1\n{OUT_OF_MEMORY}\n")
    facts = read(own_run)
    assert (facts.run.id, facts.gpus, facts.requirements) == (
        whole.run.id,
        whole.gpus,
        whole.requirements,
    )
    found = compare(plan(), NAME, facts)
    assert (found.settings_compared, found.settings_consistent) == (20, 20)
    assert (facts.history_rows, facts.out_of_memory) == (1, OUT_OF_MEMORY)
    assert facts.printed == {"history"}
    assert facts.gaps[0].startswith("run-abc123.wandb is empty, as a process that is killed")
    for name in ("output.log", "config.yaml"):
        (own_run / "files" / name).unlink()
    assert "is empty" in refused(own_run)


def test_a_log_that_holds_its_header_alone_is_empty_too(own_run: Path) -> None:
    saved_beside(own_run)
    log = log_of(own_run)
    log.write_bytes(log.read_bytes()[:7])
    facts = read(own_run)
    assert facts.gaps[0].startswith("run-abc123.wandb is empty")
    log.write_bytes(log_of(own_run).read_bytes()[:5])
    assert "inside its header" in refused(own_run)


def test_a_run_whose_log_was_left_out_is_read_from_its_files(own_run: Path) -> None:
    """As in repositories that hold `files/` alone."""
    whole = saved_beside(own_run)
    log_of(own_run).unlink()
    (own_run / "files" / "output.log").write_text("step:1 - actor/x:1\n")
    for place in (own_run, own_run.parent, own_run.parent.parent):
        facts = read(place)
        assert (facts.run.id, facts.gpus) == (whole.run.id, whole.gpus)
        assert (facts.history_rows, facts.system_rows) == (1, 0)
        assert facts.gaps[0].startswith("run-abc123.wandb is missing: what stands in the other")
    found = compare(plan(), NAME, read(own_run))
    assert (found.settings_compared, found.settings_consistent) == (20, 20)
    peak = next(one for one in found.claims if one.claim == "peak memory")
    assert peak.verdict == "inconclusive"
    for name in ("output.log", "config.yaml"):
        (own_run / "files" / name).unlink()
    assert "run-abc123.wandb is missing, and the files beside it hold neither" in refused(own_run)


def test_a_copy_of_the_link_latest_run_names_no_run(own_run: Path) -> None:
    """Its run was called "run", which no link names."""
    saved_beside(own_run)
    log_of(own_run).unlink()
    facts = read(own_run.rename(own_run.with_name("latest-run")))
    assert facts.run.id is None
    assert facts.gaps[0].startswith("run-*.wandb is missing")


def test_a_folder_with_two_runs_names_them(own_run: Path) -> None:
    shutil.copytree(own_run, own_run.parent / "run-20260102_000000-def456", symlinks=True)
    message = refused(own_run.parent)
    assert "holds 2 runs" in message
    assert own_run.name in message
    assert "run-20260102_000000-def456" in message


def test_a_link_that_leaves_the_folder_is_refused(own_run: Path, tmp_path: Path) -> None:
    log = log_of(own_run)
    shutil.move(log, tmp_path / "elsewhere.wandb")
    log.symlink_to(tmp_path / "elsewhere.wandb")
    assert "is a link that leaves the run's folder" in refused(own_run)


def test_a_file_beside_the_log_that_leaves_the_folder_is_a_gap(
    own_run: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("vllm==9.9.9")
    beside = own_run / "files" / "requirements.txt"
    beside.unlink()
    beside.symlink_to(secret)
    facts = read(own_run)
    assert facts.requirements == {}
    assert any("requirements.txt is a link that leaves" in gap for gap in facts.gaps)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_does_not_hold_the_program(own_run: Path) -> None:
    log = log_of(own_run)
    log.unlink()
    os.mkfifo(log)
    assert "is not a regular file" in refused(own_run)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_file_without_permission_is_refused() -> None:
    # Not pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        log = folder / "run-x.wandb"
        log.touch()
        log.chmod(0)
        with unprivileged():
            message = refused(folder)
        assert "run-x.wandb may not be read (permission denied)" in message
        closed = folder / "closed"
        closed.mkdir(mode=0)
        with unprivileged():
            message = refused(closed)
        assert "closed may not be read (permission denied)" in message


def test_a_log_cut_anywhere_is_refused_or_has_a_gap(own_run: Path) -> None:
    log = log_of(own_run)
    whole = log.read_bytes()
    seen: list[Facts] = []
    # The second record says which run it is; both lie in the first block.
    named = HEADER.size + sum(FRAGMENT.size + len(p) for p in list(reader(whole))[:2])
    for at in [5, *range(100, 4000, 173), named - 1, named, 20_000, len(whole) - 1]:
        log.write_bytes(whole[:at])
        if at < named:
            assert "copy the whole file" in refused(own_run)
            continue
        facts = read(own_run)
        seen.append(facts)
        assert facts.run.id == "abc123"
        assert facts.exit_code is None
        assert all("ends in the middle of a record at byte" in gap for gap in facts.gaps)
        verdict = compare(plan(), NAME, facts).verdict
        assert verdict == "inconclusive"
    assert [facts.history_rows for facts in seen][-2:] == [seen[-2].history_rows, 60]
    assert 0 < seen[-2].history_rows < 60
    assert sum(bool(facts.gaps) for facts in seen) > len(seen) * 0.8


def test_cut_before_the_run_record_says_at_which_byte(own_run: Path) -> None:
    log = log_of(own_run)
    log.write_bytes(log.read_bytes()[:200])
    assert "ends in the middle of a record at byte" in refused(own_run)
    log.write_bytes(HEADER.pack(IDENT, MAGIC, 0))
    for name in ("output.log", "config.yaml"):
        (own_run / "files" / name).unlink(missing_ok=True)
    assert "holds no record that says which run it is" in refused(own_run)
    log.write_bytes(HEADER.pack(IDENT, MAGIC, 0) + b"\x01" * 500)
    assert "is damaged at byte 7" in refused(own_run)


def test_a_damaged_block_is_a_gap_and_the_rest_is_read(own_run: Path) -> None:
    log = log_of(own_run)
    data = bytearray(log.read_bytes())
    data[40_000] ^= 0xFF
    log.write_bytes(data)
    facts = read(own_run)
    assert any("is damaged in 1 place, at byte" in gap for gap in facts.gaps)
    assert facts.exit_code == 0
    assert 0 < facts.history_rows + facts.system_rows < 300


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (RunLimits(rows=10), "stopped after 10 rows"),
        (RunLimits(seconds=-1.0), "stopped after -1 seconds"),
        (RunLimits(log_bytes=32_768), "stopped after 32768 bytes"),
        (RunLimits(metrics=2), "Only the first 2 metrics"),
        (RunLimits(side_file_bytes=10), "files/requirements.txt is longer than 10 bytes"),
        (RunLimits(record_bytes=1500), "was longer than 1500 bytes and was skipped"),
        (RunLimits(config_bytes=90), "more than 100000 values, or megabytes of text"),
        (RunLimits(output_bytes=3), "files/output.log is longer than 3 bytes"),
    ],
)
def test_each_bound_that_is_hit_is_said(own_run: Path, limits: RunLimits, words: str) -> None:
    # A long line, so that there is a record longer than any of a plain run.
    log = log_of(own_run)
    long = record_type()(output_raw={"line": "x" * 5000}).SerializeToString()
    log.write_bytes(log.read_bytes() + framed_after(log.stat().st_size, [long]))
    (own_run / "files" / "output.log").write_text("lines\n")
    facts = read_folder(own_run, limits)
    assert any(words in gap for gap in facts.gaps)


def test_metadata_and_config_of_a_synced_folder_are_used(own_run: Path) -> None:
    record = record_type()
    log = log_of(own_run)
    log.write_bytes(framed([record(run={"run_id": "abc123"}).SerializeToString()]))
    (own_run / "files" / "config.yaml").write_text(
        "wandb_version: 1\n_wandb:\n  desc: null\n  value: {cli_version: 0.31.0}\n"
        "data:\n  desc: null\n  value:\n    train_batch_size: 128\n"
    )
    (own_run / "files" / "wandb-metadata.json").write_text(
        json.dumps(
            {
                "gpu": "NVIDIA H800",
                "gpu_count": 8,
                "gpu_nvidia": [{"name": "NVIDIA H800", "memoryTotal": "85520809984"}] * 8,
                "program": "main_ppo.py",
                "args": ["a=1"],
                "git": {"remote": "r", "commit": "c0ffee"},
            }
        )
    )
    facts = read(own_run)
    assert facts.config == {"data": {"train_batch_size": 128}}
    assert (facts.host_gpu_count, len(facts.gpus)) == (8, 8)
    assert facts.gpus[0].memory_bytes == 85_520_809_984
    assert (facts.program, facts.args) == ("main_ppo.py", ("a=1",))
    assert facts.gaps == ()


def test_metadata_that_differs_from_the_log_is_a_gap(own_run: Path) -> None:
    (own_run / "files" / "wandb-metadata.json").write_text('{"gpu": "NVIDIA H100 80GB HBM3"}')
    facts = read(own_run)
    assert facts.gpus[0].name == "NVIDIA H800"
    assert any("name different GPUs" in gap for gap in facts.gaps)


def test_a_configuration_that_multiplies_itself_is_a_gap(own_run: Path) -> None:
    """A few lines of aliases are any number of values."""
    log_of(own_run).write_bytes(
        framed([record_type()(run={"run_id": "abc123"}).SerializeToString()])
    )
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 3)]
    (own_run / "files" / "config.yaml").write_text("\n".join(lines))
    assert "files/config.yaml is not valid YAML; it was left out." in read(own_run).gaps


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000, "\x00\xff"])
def test_broken_files_beside_the_log_are_gaps(own_run: Path, text: str) -> None:
    (own_run / "files" / "wandb-metadata.json").write_text(text)
    facts = read(own_run)
    assert facts.gaps == ("files/wandb-metadata.json is not a JSON object; it was left out.",)


def test_the_console_file_counts_when_the_log_holds_no_output(own_run: Path) -> None:
    (own_run / "files" / "output.log").write_text(
        "step 1\n\x1b[31mtorch.OutOfMemoryError: CUDA out of memory. "
        "Tried to allocate 2 GiB\x1b[0m\n"
    )
    found = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
    assert read(own_run).out_of_memory == found


def test_records_are_merged_in_order(tmp_path: Path) -> None:
    record = record_type()

    def config(*items: tuple[list[str], str]) -> list[dict[str, object]]:
        return [{"nested_key": key, "value_json": value} for key, value in items]

    made = [
        record(run={"run_id": "r", "config": {"update": config((["a"], '{"b": 1, "c": 2}'))}}),
        record(config={"update": config((["a", "b"], "3"), (["d", "e"], "null"), (["x"], "{"))}),
        record(config={"update": [{"key": "f", "value_json": "true"}]}),
        record(config={"remove": [{"nested_key": ["a", "c"]}, {"key": "none"}]}),
        record(history={"item": [{"key": "m", "value_json": "NaN"}], "step": {"num": 0}}),
        record(history={"item": [{"key": "m", "number": 2.5}], "step": {"num": 7}}),
        record(history={"item": [{"key": "m", "value_json": "1"}], "step": {"num": 9}}),
        record(run={"run_id": "another"}),
    ]
    log = tmp_path / "run-r.wandb"
    log.write_bytes(framed([m.SerializeToString() for m in made] + [b"\xff\xff"]))
    facts = read(log)
    assert facts.config == {"a": {"b": 3}, "d": {"e": None}, "f": True}
    m = facts.history["m"]
    assert (m.rows, m.maximum, m.at_step, m.last, m.monotone) == (2, 2.5, 7, 1.0, False)
    assert facts.history_rows == 3
    assert facts.gaps == (
        "1 record of run-r.wandb could not be decoded and was skipped.",
        "1 entry of the configuration is not valid JSON.",
        "The log holds records of more than one run; only the first run's name is used.",
    )


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"forked": True, "branch_point": {"run": "base", "value": 40}}, "at step 40 of run base"),
        ({"resumed": True, "starting_step": 12}, "resumed at step 12"),
    ],
)
def test_a_forked_or_resumed_run_is_only_a_part(
    tmp_path: Path, run: dict[str, object], words: str
) -> None:
    log = tmp_path / "run-r.wandb"
    record = record_type()(run={"run_id": "r", **run})
    log.write_bytes(framed([record.SerializeToString()]))
    assert any(words in gap for gap in read(log).gaps)


@given(st.lists(st.binary(max_size=300), max_size=6), st.booleans())
@settings(
    max_examples=scaled(120),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_arbitrary_records_raise_nothing_but_evidence_errors(
    tmp_path: Path, payloads: list[bytes], started: bool
) -> None:
    log = tmp_path / "run-x.wandb"
    first = [record_type()(run={"run_id": "r"}).SerializeToString()] if started else []
    log.write_bytes(framed(first + payloads))
    try:
        facts = read(log)
    except EvidenceError:
        return
    compare(plan(), NAME, facts)


def test_reading_a_run_does_not_import_the_sdk(written: WrittenRun) -> None:
    script = (
        "import sys, pathlib\n"
        "from bot.evidence import read\n"
        "facts = read(pathlib.Path(sys.argv[1]))\n"
        "assert facts.history_rows == 60 and facts.config\n"
        "heavy = {'wandb', 'yaml', 'pydantic', 'hydra'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(written(MATCHING))],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="measures memory in /proc")
def test_a_long_run_is_read_in_bounded_memory(tmp_path: Path) -> None:
    items = [
        {"nested_key": [f"actor/metric_number_{n}"], "value_json": "0.123456789"} for n in range(20)
    ]
    row = record_type()(history={"item": items}).SerializeToString()
    start = record_type()(run={"run_id": "long"}).SerializeToString()
    log = tmp_path / "run-long.wandb"
    log.write_bytes(framed([start, *[row] * 40_000]))
    script = (
        "import pathlib, re, sys\n"
        "from bot.evidence import read\n"
        "print(read(pathlib.Path(sys.argv[1])).history_rows)\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(log)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    rows, kilobytes = map(int, done.stdout.split())
    assert rows == 40_000
    # The log has 36 MB; its decoded records would take ten times that.
    assert kilobytes < 40_000
