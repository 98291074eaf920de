from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import fixed, marked, quiet

SLUG = "trial-log"
LOG = "32√ → 64× → 48× → 40√ → 44√ → 46× → 45×"


def script(line: str, use: str = "${nproc_per_gpu}") -> str:
    """A script whose batch is the value on `line` times the GPUs."""
    head = f"{line}\nnnodes=1\nngpu_per_node=4\n"
    head += f"total_procs=$(( {use} * nnodes * ngpu_per_node ))"
    return verl("data.train_batch_size=${total_procs}", "trainer.n_gpus_per_node=4", before=head)


@pytest.mark.parametrize(
    "text",
    [
        script(f"nproc_per_gpu=44 # {LOG}"),
        script("nproc_per_gpu=45"),
        script("nproc_per_gpu=45 # about 32 to 48"),
        script("nproc_per_gpu=45 # 8x H100"),
        script("nproc_per_gpu=45 # 4x faster, 2x cheaper"),
        script("nproc_per_gpu=45 # 2×8 GPUs"),
        script("nproc_per_gpu=45 # 45 was ok"),
        script("nproc_per_gpu=45 # 0.5√ → 0.6×"),
        script(f"nproc_per_gpu=$(nproc) # {LOG}"),
        f"nproc_per_gpu=45 # {LOG}\n" + verl(),
        script(f"nproc_per_gpu=45 # {LOG}\nnproc_per_gpu=44"),
        f"nproc_per_gpu=45 # {LOG}\n",
        f"# {LOG}\n" + verl("data.train_batch_size=45"),
    ],
)
def test_stays_silent(text: str) -> None:
    assert quiet(SLUG, text)


@pytest.mark.parametrize(
    "line",
    [
        f"nproc_per_gpu=45 # {LOG}",
        f"# {LOG}\nnproc_per_gpu=45",
        "nproc_per_gpu=64 # 32 ok, 64 oom",
        "nproc_per_gpu=64 # 64×",
        "nproc_per_gpu=64 # 32x → 16√ → 64x",
        "nproc_per_gpu=64 # tried 32 (pass) → 64 (OOM) on H100",
        "nproc_per_gpu=64 # 64√ → 128× → 64×",
        "nproc_per_gpu=${N:-45} # 44√ → 45×",
    ],
)
def test_a_value_marked_as_failing(line: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script(line)) == snapshot


@pytest.mark.parametrize(
    "line",
    [
        "nproc_per_gpu=16 # 64√ → 128× → 96√ → 112× → 104× → 100√ → 102× → 101×",
        "nproc_per_gpu=32 # 32√ → 64√ → 128×",
    ],
)
def test_a_value_below_one_that_passed(line: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script(line)) == snapshot


@pytest.mark.parametrize("line", ["nproc_per_gpu=50 # 48√ → 64×", "nproc_per_gpu=50 # 60× → 64×"])
def test_a_value_that_was_not_tried(line: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script(line)) == snapshot


def test_beside_the_setting_itself(snapshot: SnapshotAssertion) -> None:
    text = f"ARGS=(\n    data.train_batch_size=45 # {LOG}\n)\n" + verl('"${ARGS[@]}"')
    assert marked(SLUG, text) == snapshot


def test_without_arithmetic(snapshot: SnapshotAssertion) -> None:
    text = verl("data.train_batch_size=$bsz", before=f"bsz=45 # {LOG}")
    assert marked(SLUG, text) == snapshot


def test_the_fix_uses_the_largest_that_passed() -> None:
    text = script(f"nproc_per_gpu=45 # {LOG}")
    mended = fixed(SLUG, text)
    assert mended == text.replace("nproc_per_gpu=45 ", "nproc_per_gpu=44 ")
    assert quiet(SLUG, mended)
