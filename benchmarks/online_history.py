"""Reading a run of 1,000,000 rows online, beside the SDK's own scan of the same keys.

`python -m benchmarks.online_history [--rows N] [--live N] [--rounds N] [--alone]` serves a run with
a planted peak from the W&B stand-in of the tests, in a process of its own on this machine: exported
to parquet but for the last `--live` rows. It is read by `read_online` and by
`wandb.Api().run(…).scan_history(keys=…)` used directly, each in a process of its own. Bounds: the
peak is found exactly, within 60 s and 500 MB (all processes of the reading together); not above 1.1
times the direct scan's time, with fewer bytes. The direct scan takes minutes; `--alone` leaves it
out.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.wandb_server.server import KEY, Wandb
from tests.wandb_server.store import StoredRun

ROOT = Path(__file__).resolve().parents[1]
SECONDS, MEGABYTES, RATIO = 60.0, 500.0, 1.1
NEEDED = (
    "training/global_step",
    "perf/max_memory_allocated_gb",
    "perf/max_memory_reserved_gb",
    "prompt_length/mean",
    "prompt_length/max",
    "response_length/mean",
    "response_length/max",
    "global_seqlen/max",
)
OTHERS = tuple(f"actor/metric_{number}" for number in range(24))
PEAK = 77.125

OURS = """
import json, sys
from bot.evidence.links import RunHosts, parse_link
from bot.evidence.online import Access, read_online
from bot.base.secrets import Secret
url, link, key = sys.argv[1:]
hosts = RunHosts(origins=(url,))
facts = read_online(parse_link(link, hosts), Access(base_url=url, key=Secret(key)))
found = facts.history["perf/max_memory_reserved_gb"]
print(json.dumps([found.maximum, found.at_step, found.rows, list(facts.gaps)]))
"""
DIRECT = """
import json, os, sys
url, path, keys = sys.argv[1:]
import wandb
best, at, rows = 0.0, None, 0
for row in wandb.Api().run(path).scan_history(keys=json.loads(keys)):
    rows += 1
    if row["perf/max_memory_reserved_gb"] > best:
        best, at = row["perf/max_memory_reserved_gb"], row["_step"]
print(json.dumps([best, at, rows, []]))
"""


@dataclass
class Taken:
    """What one reading took."""

    seconds: float
    megabytes: float
    """Most resident memory of all its processes together."""
    sent: int
    """Bytes that the server sent."""
    requests: int
    found: list[object]


def main() -> int:
    """Measure and print; returns 1 when a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--live", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="leave the direct scan out")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return _serve(arguments.rows, arguments.live)
    command = [sys.executable, "-m", "benchmarks.online_history", "--serve"]
    command += ["--rows", str(arguments.rows), "--live", str(arguments.live)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            return _measure(server, arguments.rows, arguments.rounds, alone=arguments.alone)
        finally:
            server.kill()


def _measure(server: subprocess.Popen[str], rows: int, rounds: int, *, alone: bool) -> int:
    url = _line(server)
    path = "verl-team/verl_tuning/long"
    link = f"{url}/verl-team/verl_tuning/runs/long"
    ours: list[Taken] = []
    direct: list[Taken] = []
    for _ in range(rounds):
        ours.append(_taken(server, [OURS, url, link, KEY], url))
        if alone:
            continue
        direct.append(_taken(server, [DIRECT, url, path, json.dumps(NEEDED)], url))
    expected = [PEAK, _peak_row(rows), rows, []]
    for name, all_taken in (("rlbot", ours), ("scan_history", direct)):
        if not all_taken:
            continue
        seconds = statistics.median(taken.seconds for taken in all_taken)
        worst = max(taken.megabytes for taken in all_taken)
        last = all_taken[-1]
        print(
            f"{name:<13} {seconds:6.1f} s  {worst:6.0f} MB  {last.sent / 1e6:7.1f} MB sent  "
            f"{last.requests:5} requests  peak {last.found[0]} at step {last.found[1]}"
        )
        for taken in all_taken:
            if taken.found != expected:
                print(f"wrong: {taken.found}, not {expected}")
                return 1
    memory = max(taken.megabytes for taken in ours)
    time_ = statistics.median(t.seconds for t in ours)
    if alone:
        return int(time_ > SECONDS or memory > MEGABYTES)
    ratio = time_ / statistics.median(t.seconds for t in direct)
    share = ours[-1].sent / direct[-1].sent
    print(f"{ratio:.2f} x the direct scan's time (bound: {RATIO}), {share:.2f} x its bytes")
    return int(time_ > SECONDS or memory > MEGABYTES or ratio > RATIO or share >= 1)


def _taken(server: subprocess.Popen[str], code: list[str], url: str) -> Taken:
    _line(server, "reset")
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "TMPDIR": home,
            "PYTHONPATH": str(ROOT),
            "WANDB_BASE_URL": url,
            "WANDB_API_KEY": KEY,
            "WANDB_CACHE_DIR": home,
            "WANDB_CONFIG_DIR": home,
            "WANDB_DATA_DIR": home,
            "WANDB_ERROR_REPORTING": "false",
            "WANDB_SILENT": "true",
        }
        begun = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", *code], env=environment, stdout=subprocess.PIPE, text=True
        ) as reader:
            most = 0.0
            while reader.poll() is None:
                most = max(most, _resident(home))
                time.sleep(0.1)
            seconds = time.perf_counter() - begun
            out = reader.stdout.read() if reader.stdout else ""
    sent, requests = json.loads(_line(server, "count"))
    return Taken(seconds, most, sent, requests, json.loads(out.splitlines()[-1]))


def _resident(home: str) -> float:
    """Megabytes of every process whose environment names the folder: the SDK's service too."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if home.encode() in (entry / "environ").read_bytes():
                text = (entry / "smaps_rollup").read_text()
                total += int(text.split("Pss:")[1].split()[0])
        except (OSError, IndexError):
            continue
    return total / 1024


def _line(server: subprocess.Popen[str], command: str = "") -> str:
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server has no pipes")
    if command:
        server.stdin.write(command + "\n")
        server.stdin.flush()
    return server.stdout.readline().strip()


def _peak_row(rows: int) -> int:
    return rows * 617 // 1000


def _serve(rows: int, live: int) -> int:
    """Serve the run; answers `reset` and `count` on standard input."""
    server = Wandb()
    run = StoredRun(entity="verl-team", project="verl_tuning", name="long", state="finished")
    server.store.add(run)
    _fill(run, rows, live)
    with server.serving():
        print(server.url, flush=True)
        for command in sys.stdin:
            if command.strip() == "reset":
                server.bytes_sent = 0
                server.requests.clear()
                print("", flush=True)
            else:
                print(json.dumps([server.bytes_sent, len(server.requests)]), flush=True)
    return 0


def _fill(run: StoredRun, rows: int, live: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    exported = rows - live
    peak = _peak_row(rows)
    steps = range(exported)
    columns: dict[str, object] = {"_step": list(steps)}
    for key in NEEDED:
        columns[key] = [_value(key, step, peak) for step in steps]
    noise = [(step * 7919) % 1000 / 997 for step in steps]
    columns |= dict.fromkeys(OTHERS, noise)
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=100_000)
    run.exports = [out.getvalue()]
    run.live_from = exported if live else None
    run.history = [
        {"_step": step} | {key: _value(key, step, peak) for key in NEEDED}
        for step in range(exported, rows)
    ]
    run.lost_rows = exported  # They are in the export.
    run.key_rows = dict.fromkeys(("_step", *NEEDED, *OTHERS), rows)


def _value(key: str, step: int, peak: int) -> float:
    if key == "training/global_step":
        return step + 1
    if key == "perf/max_memory_reserved_gb":
        return PEAK if step == peak else 60 + step % 13 / 8
    return 100 + step % 17 / 4


if __name__ == "__main__":
    sys.exit(main())
