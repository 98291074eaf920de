"""`rlbot` with links: what a person sees, and what is left on their machine: nothing."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.command import RLBOT, ROOT, Result, rlbot
from tests.evidence.online.conftest import Uploaded, processes_of
from tests.evidence.samples import MATCHING
from tests.wandb_server.faults import Fault
from tests.wandb_server.server import KEY, Wandb

pytestmark = pytest.mark.usefixtures("forked")

NAME = "qwen2.5-7b_grpo-lora_2_h800_fsdp_vllm.sh"
SCRIPT = """#!/bin/bash
# verl: 0.4.1
{comment}
python3 -m verl.trainer.main_ppo \\
  algorithm.adv_estimator=grpo \\
  data.train_files=/data/gsm8k/train.parquet \\
  data.train_batch_size=128 data.max_prompt_length=512 data.max_response_length=1024 \\
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.model.lora_rank=32 \\
  actor_rollout_ref.actor.strategy=fsdp actor_rollout_ref.actor.optim.lr=3e-5 \\
  actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=32 \\
  actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=5 \\
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=32 \\
  trainer.n_gpus_per_node=2 trainer.nnodes=1 'trainer.logger=[console,wandb]'
"""


@dataclass
class Desk:
    """A person's home with a script, and a server that holds its run."""

    home: Path
    server: Wandb
    script: Path

    @property
    def link(self) -> str:
        return self.server.link("abc123")

    def environment(self, **more: str) -> dict[str, str]:
        place = {"HOME": str(self.home), "TMPDIR": str(self.home / "tmp")}
        return {"PATH": os.environ["PATH"], "WANDB_BASE_URL": self.server.url, **place, **more}

    def rlbot(self, *arguments: str | Path, **more: str) -> Result:
        done = rlbot(*arguments, cwd=self.home, environment=self.environment(**more))
        assert KEY not in done.out + done.err
        return done

    def start(self, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """A `verify` of the script, with the key."""
        return subprocess.Popen(
            [RLBOT, "verify", self.script],
            cwd=self.home,
            env=self.environment(WANDB_API_KEY=KEY),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
        )

    def becomes_clean(self) -> bool:
        """Whether everything is gone in the end: who was killed leaves it to the other process."""
        deadline = time.monotonic() + 300
        while self.left_behind() and time.monotonic() < deadline:
            time.sleep(0.1)
        return not self.left_behind()

    def left_behind(self) -> list[str]:
        """Files below the home that were not there before, and processes."""
        # A folder may vanish while it is looked at: os.walk passes over it.
        found = [(Path(top), name) for top, _, names in os.walk(self.home) for name in names]
        files = [name for folder, name in found if folder != self.home]
        known = {NAME, "device_tuning.rst"}
        return [f for f in files if f not in known] + [str(p) for p in processes_of(self.home)]


@pytest.fixture
def desk(server: Wandb, uploaded: Uploaded) -> Iterator[Desk]:
    server.store.add(uploaded(MATCHING))
    home = Path(tempfile.mkdtemp(prefix="desk-"))
    (home / "tmp").mkdir()
    script = home / "examples/tuning/7b" / NAME
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT.format(comment=f"# wandb: {server.link('abc123')}"))
    made = Desk(home, server, script)
    try:
        yield made
        assert made.left_behind() == []
    finally:
        shutil.rmtree(home, ignore_errors=True)


def test_verify_reads_the_link_that_is_given(desk: Desk) -> None:
    done = desk.rlbot("verify", desk.script, "--run", desk.link)
    assert (done.status, done.err) == (0, "")
    for part in (
        "consistent: 16 of 16 settings, peak 71.2 of 79.6 GiB, 60 steps",
        f"W&B run verl-team/verl_tuning/abc123, {desk.link}",
        "RECOMMENDED · Qwen2.5-7B · GRPO-LoRA · 2*H800 · 128 (not confirmed as the largest) · fsdp",
    ):
        assert part in done.out


def test_verify_reads_the_link_of_the_script(desk: Desk) -> None:
    given = desk.rlbot("verify", desk.script, "--run", desk.link)
    own = desk.rlbot("verify", desk.script)
    assert (own.status, own.out) == (given.status, given.out)


def test_offline_fetches_nothing(desk: Desk) -> None:
    done = desk.rlbot("verify", desk.script, "--offline")
    assert done.status == 3
    assert "nothing is to be fetched" in done.out
    done = desk.rlbot("verify", desk.script, "--run", desk.link, "--offline")
    assert done.status == 3
    assert "leave --offline out" in done.out
    assert desk.server.requests == []


def test_a_link_that_is_none_is_wrong_usage(desk: Desk) -> None:
    done = desk.rlbot("verify", desk.script, "--run", "https://wandb.ai/a/b/reports/c")
    assert done.status == 2
    assert done.err.startswith("rlbot: --run: The link is not one to a run")
    done = desk.rlbot("verify", desk.script, "--run", "http://127.0.0.1:1/a/b/runs/c")
    assert done.status == 2
    assert desk.server.requests == []


def test_a_base_url_without_tls_is_wrong_usage(desk: Desk) -> None:
    done = desk.rlbot("verify", desk.script, WANDB_BASE_URL="http://wandb.example.com")
    assert done.status == 2
    assert "WANDB_BASE_URL must begin with https://" in done.err


def test_a_private_run_needs_a_key_and_permission(desk: Desk) -> None:
    desk.server.store.access["verl-team", "verl_tuning"] = "PRIVATE"
    done = desk.rlbot("verify", desk.script)
    assert done.status == 3
    assert "set WANDB_API_KEY" in done.out
    done = desk.rlbot("verify", desk.script, WANDB_API_KEY=KEY, CI="true")
    assert done.status == 3
    assert "allow_private_runs" in done.out
    (desk.home / ".rlbot.yml").write_text("allow_private_runs: true\n")
    assert desk.rlbot("verify", desk.script, WANDB_API_KEY=KEY, CI="true").status == 0
    netrc = desk.home / ".netrc"
    netrc.write_text(f"machine 127.0.0.1 login user password {KEY}\n")
    netrc.chmod(0o600)
    before = netrc.stat()
    assert desk.rlbot("verify", desk.script).status == 0
    assert netrc.stat().st_mtime_ns == before.st_mtime_ns


MARK = " of a private project"


def test_t10_a_private_run_on_ones_own_terminal(desk: Desk) -> None:
    """What the caller's key may read is read for the caller, and marked in every form."""
    public = desk.rlbot("verify", desk.script, WANDB_API_KEY=KEY)
    assert (public.status, public.err) == (0, "")
    assert MARK not in public.out
    desk.server.store.access["verl-team", "verl_tuning"] = "PRIVATE"
    for form in ("text", "markdown", "json"):
        done = desk.rlbot("verify", desk.script, "--verbose", "--format", form, WANDB_API_KEY=KEY)
        assert done.status == 0
        assert MARK in done.out.replace("\\", ""), form
        assert done.err.startswith("rlbot: The project verl-team/verl_tuning is private: ")
    report = desk.home / "report.json"
    report.write_text(done.out, encoding="utf-8")
    again = desk.rlbot("verify", "--again", report, WANDB_API_KEY=KEY)
    assert again.status == 0
    assert "is private" in again.err
    desk.rlbot("verify", desk.script, "--report", "page.html", WANDB_API_KEY=KEY)
    assert MARK in (desk.home / "page.html").read_text(encoding="utf-8")


def test_t10_what_is_for_others_holds_no_private_run(desk: Desk) -> None:
    """A row is published, and so is a log of CI."""
    desk.server.store.access["verl-team", "verl_tuning"] = "PRIVATE"
    page = desk.home / "device_tuning.rst"
    shutil.copy(ROOT / "examples/demo/device_tuning.rst", page)
    done = desk.rlbot("table", "add", page, desk.script, "--dry-run", WANDB_API_KEY=KEY)
    assert "vllm0.8.3" not in done.out
    assert desk.rlbot("verify", desk.script, WANDB_API_KEY=KEY, CI="true").status == 3
    plan = desk.rlbot("bisect", "read", desk.script, desk.link, WANDB_API_KEY=KEY)
    assert "allow_private_runs" in plan.out


def test_a_row_from_a_linked_run(desk: Desk) -> None:
    page = desk.home / "device_tuning.rst"
    shutil.copy(ROOT / "examples/demo/device_tuning.rst", page)
    done = desk.rlbot("table", "add", page, desk.script, "--dry-run")
    assert done.status == 0
    assert "vllm0.8.3" in done.out
    assert "2*H800" in done.out.replace("\\", "")
    done = desk.rlbot("table", "add", page, desk.script, "--dry-run", "--offline")
    assert "vllm0.8.3" not in done.out


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A shell starts what runs in the background with SIGINT ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_leaves_nothing(desk: Desk, sign: signal.Signals) -> None:
    desk.server.faults.append(Fault("hang", "RunFullHistory"))
    with desk.start(stderr=subprocess.PIPE) as running:
        deadline = time.monotonic() + 600
        while "RunFullHistory" not in desk.server.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(processes_of(desk.home)) == 3
        running.send_signal(sign)
        _, err = running.communicate(timeout=600)
    if sign is signal.SIGINT:
        assert (running.returncode, err) == (130, "rlbot: stopped.\n")
        return
    assert running.returncode == (143 if sign is signal.SIGTERM else -sign)
    assert desk.becomes_clean()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("requests", [0, 2, 4])
def test_a_kill_amid_messages_leaves_nothing(desk: Desk, requests: int) -> None:
    with desk.start() as running:
        while len(desk.server.requests) <= requests and running.poll() is None:
            time.sleep(0.001)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    assert desk.becomes_clean()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
def test_a_kill_behind_the_answer_leaves_nothing(desk: Desk) -> None:
    with desk.start() as running:
        while not desk.server.requests and running.poll() is None:
            time.sleep(0.001)
        running.send_signal(signal.SIGSTOP)
        seen = -1
        while seen < len(desk.server.requests):  # The reading goes on to its end.
            seen = len(desk.server.requests)
            time.sleep(1)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    assert desk.becomes_clean()


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_a_long_reading_shows_a_line_on_a_terminal(desk: Desk) -> None:
    desk.server.delays["RunFullHistory"] = 1.5
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [RLBOT, "verify", desk.script],
        cwd=desk.home,
        env=desk.environment(),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as running:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:  # The other end is closed.
            pass
        assert running.wait(600) == 0
    os.close(ours)
    assert b"Reading the metadata of verl-team/verl_tuning/abc123" in seen
    assert seen.endswith(b"\r\x1b[K")
    # Nothing of it where nobody looks.
    assert desk.rlbot("verify", desk.script).err == ""


def test_the_key_is_in_no_file_that_the_reading_writes(desk: Desk, tmp_path: Path) -> None:
    """The reading process alone, in a folder that is looked through before it is removed."""
    import json

    from bot.evidence.online import Bounds

    (tmp_path / "run").mkdir()
    request = {
        "service": "wandb",
        "host": "wandb.ai",
        "api": desk.server.url,
        "entity": "verl-team",
        "project": "verl_tuning",
        "run": "abc123",
        "key": KEY,
        "allow_private": False,
        "siblings": True,
        "place": str(tmp_path),
        "folder": str(tmp_path / "run"),
        "bounds": asdict(Bounds()),
    }
    places = ("HOME", "TMPDIR", "WANDB_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR")
    with subprocess.Popen(
        [sys.executable, "-m", "bot.evidence.online.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            **dict.fromkeys((*places, "WANDB_DATA_DIR"), str(tmp_path)),
        },
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(json.dumps(request).encode())
        child.stdin.close()
        said = []
        for line in child.stdout:
            said.append(line)
            if b'"facts"' in line:
                break
        child.kill()  # As its parent does, which it waits for with the folder.
        errors = child.stderr.read()
    assert json.loads(said[-1])["facts"]["run"]["id"] == "abc123"
    assert KEY in desk.server.keys
    written = dict(_held(tmp_path))
    assert any("core-debug" in path.name for path in written)  # The SDK's own log is among them.
    for text in [*said, errors, *written.values()]:
        assert KEY.encode() not in text


def _held(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder; the SDK's service may still be removing its own as it ends."""
    for place, _, names in os.walk(folder):
        for path in (Path(place) / name for name in names):
            if path.is_file():
                with suppress(FileNotFoundError):
                    yield path, path.read_bytes()
