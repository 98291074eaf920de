"""Finding the line that reports an out-of-memory error, however the output was cut up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.console import Console
from tests.profiles import scaled

LINE = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def found_in(*fragments: str, limit: int = 65_536) -> str | None:
    console = Console(limit)
    for fragment in fragments:
        console.feed(fragment)
    return console.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "step:1 - perf/max_memory_allocated_gb:61.2",
        "set PYTORCH_CUDA_ALLOC_CONF to avoid running out of memory",
        "except OutOfMemoryError as error",
        "gpu_memory_utilization=0.4 keeps CUDA from out of memory errors",
        "Cuda failure 2 'an illegal memory access was encountered'",
    ],
)
def test_prose_about_memory_is_no_error(text: str) -> None:
    assert found_in(text + "\n") is None


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0;",
        "RuntimeError: CUDA error: out of memory",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1 GiB",
        "RuntimeError: NPU out of memory. Tried to allocate 1 GiB",
        "[rank1]: Cuda failure 2 'out of memory'",  # NCCL's; of DarioVajda/translation_dpo.
        "Cuda failure 'out of memory'",
        "ray.exceptions.RayTaskError(OutOfMemoryError): ray::WorkerDict.actor_update()",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
    ],
)
def test_real_errors(line: str) -> None:
    assert found_in(f"before\n{line}\nafter\n") == line


@given(st.lists(st.integers(1, 30), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=scaled(100))
def test_fragments_make_no_difference(cuts: list[int], newline: str) -> None:
    text = newline.join(["one", "(pid=3) " + LINE, "three", ""])
    fragments, at = [], 0
    for cut in cuts:
        fragments.append(text[at : at + cut])
        at += cut
    assert found_in(*fragments, text[at:]) == "(pid=3) " + LINE


def test_the_first_of_several_and_without_colours() -> None:
    assert found_in(
        f"\x1b[36m(pid=1)\x1b[0m {LINE}\n", "RuntimeError: CUDA error: out of memory\n"
    ) == (f"(pid=1) {LINE}")


def test_a_last_line_without_its_end_counts() -> None:
    assert found_in(LINE) == LINE


def test_an_endless_line_is_kept_in_bounded_memory() -> None:
    console = Console(1000)
    for _ in range(5000):
        console.feed("x" * 97)
    console.feed(" " + LINE)
    found = console.close()
    assert found is not None
    assert found.endswith(LINE)
    assert len(found) < 2000
