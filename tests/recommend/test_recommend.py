"""`rlbot recommend`: from a question to hardware, as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.command import ROOT, Result, rlbot
from tests.schemas import holds_to
from tools.schemas import recommend_schema

PAGE = "docs/perf/device_tuning.rst"
GRPO = ("recommend", "--model", "Qwen/Qwen2.5-7B-Instruct", "--task", "grpo")
LENGTHS = ("--lengths", "1024+1024")


def _ask(*more: str, cwd: Path = ROOT) -> Result:
    return rlbot(*GRPO, *LENGTHS, *more, cwd=cwd)


def test_published_rows_come_first(snapshot: SnapshotAssertion) -> None:
    result = _ask("--page", PAGE, "--device", "h800", "--device", "rtx4090")
    assert (result.status, result.err) == (0, "")
    assert result.out == snapshot


def test_in_chinese(snapshot: SnapshotAssertion) -> None:
    result = _ask("--page", PAGE, "--device", "h800", "--device", "l4", "--lang", "zh")
    assert result.status == 0
    assert result.out == snapshot


def test_as_markdown(snapshot: SnapshotAssertion) -> None:
    result = _ask("--page", PAGE, "--device", "h800", "--device", "l4", "--format", "markdown")
    assert result.status == 0
    assert result.out == snapshot


def test_the_nearest_miss_is_said_with_its_sum(snapshot: SnapshotAssertion) -> None:
    result = _ask("--device", "rtx4090", "--budget-gpus", "2")
    assert result.status == 1
    assert result.out == snapshot


@pytest.mark.slow
def test_where_nothing_fits_the_nearest_are_shown_and_what_would_do(
    snapshot: SnapshotAssertion,
) -> None:
    asked = ("--model", "deepseek-ai/DeepSeek-V3", "--task", "grpo", *LENGTHS)
    result = rlbot("recommend", *asked)
    assert result.status == 1
    assert result.out == snapshot
    more = rlbot("recommend", *asked, "--budget-gpus", "32", "--device", "b300")
    assert more.status == 0
    assert "1  32 × B300" in more.out


@pytest.mark.slow
def test_json_follows_its_schema() -> None:
    content = json.loads(_ask("--page", PAGE, "--format", "json").out)
    holds_to(recommend_schema(), content)
    assert content["published"][0]["device"] == "H800"
    ranks = [one["rank"] for one in (*content["published"], *content["predicted"])]
    assert ranks == list(range(1, len(ranks) + 1))
    sure = [not one["may_fit"] for one in content["predicted"]]
    assert sure == sorted(sure, reverse=True)
    for one in content["predicted"]:
        assert one["margin_gib"] == pytest.approx(one["usable_gib"] - one["peak_gib"], abs=0.02)
        assert one["may_fit"] or one["conservative_gib"] <= one["usable_gib"]
    for miss in content["misses"]:
        assert sum(miss["components"].values()) == pytest.approx(miss["needed_gib"], abs=0.1)


def test_a_script_is_written_once_and_named_by_the_convention(tmp_path: Path) -> None:
    first = _ask("--device", "h800", "--write", str(tmp_path))
    (script,) = tmp_path.iterdir()
    assert (first.status, script.name) == (0, "qwen2.5-7b_grpo_4_h800_fsdp_vllm.sh")
    assert first.err == f"rlbot: wrote {script}; check it: rlbot lint {script}\n"
    assert "Next: " not in first.out
    content = script.read_bytes()
    again = _ask("--device", "h800", "--write", str(tmp_path))
    assert (again.status, again.out) == (2, "")
    assert "not overwritten" in again.err
    assert script.read_bytes() == content
    assert rlbot("lint", str(script)).status == 0
    assert "79.3 GiB usable): fits, 56.3 GiB expected" in rlbot("estimate", str(script)).out


def test_what_may_fit_is_written_only_when_it_is_asked_for(tmp_path: Path) -> None:
    asked = ("--device", "h800", "--budget-gpus", "2")
    refused = _ask(*asked, "--write", str(tmp_path))
    assert refused.status == 2
    assert "Nothing fits for certain" in refused.err
    assert "--choice 2" in refused.err
    assert not list(tmp_path.iterdir())
    assert _ask(*asked, "--choice", "2", "--write", str(tmp_path)).status == 0
    (script,) = tmp_path.iterdir()
    assert "tight" in rlbot("estimate", str(script)).out


def test_another_choice_is_written(tmp_path: Path) -> None:
    target = tmp_path / "mine.sh"
    result = _ask("--device", "h800", "--choice", "3", "--write", str(target))
    assert result.status == 0
    assert "n_gpus_per_node=8" in target.read_text()
    for rank in ("1", "9"):  # a published row, and none
        other = tmp_path / "other.sh"
        refused = _ask("--device", "h800", "--choice", rank, "--write", str(other))
        assert refused.status == 2
        assert "A published row has its script already" in refused.err
        assert not other.exists()


def test_without_a_page_verls_rows_are_shown_with_their_date(tmp_path: Path) -> None:
    result = _ask("--device", "h800", cwd=tmp_path)
    assert result.status == 0
    assert "verl's page of 2025-06-25" in result.out


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (("--model", "my/own"), "The shape of the model my/own is not known"),
        (("--model", "Qwen2.5-7B; rm -rf /"), "letters, digits"),
        (("--device", "x99"), '"x99" is no known accelerator'),
        (("--device", "v100"), "The V100 has no bf16: scripts for it are made with trl alone"),
        (("--device", "910b", "--framework", "trl"), "For a 910B scripts are made with verl alone"),
        (("--task", "dance"), "no prediction for dance with verl; use one of"),
        (("--task", "rm"), "use --framework openrlhf"),
        (("--task", "ppo", "--method", "dora"), "No script is made for PPO with DoRA"),
        (("--framework", "trl", "--task", "ppo", "--method", "dora"), "TRL's PPO is experimental"),
        (("--budget-gpus", "2000"), "from 1 to 1024"),
        (("--method", "dora"), "trains no DoRA on FSDP"),
        (("--lengths", "long"), "--lengths takes PROMPT+RESPONSE"),
        (("--lengths", "1024+0"), "The response is 0"),
        (("--lengths", "0+1024"), "The prompt is 0"),
        (("--method", "full", "--lora-rank", "8"), "A rank is an adapter's, and full training"),
        (("--batch", "0"), "The batch is 0"),
        (("--budget-gpus", "0"), "--budget-gpus is 0"),
        (("--choice", "1"), "give --write PATH too"),
        (("--page", "none.rst"), "none.rst does not exist"),
    ],
)
def test_what_is_unknown_or_contradictory_gets_a_sentence(
    changed: tuple[str, ...], sentence: str
) -> None:
    result = _ask(*changed)
    assert result.status == 2
    assert sentence in result.err
    assert "GiB" not in result.out + result.err


def test_a_step_that_cannot_be_shared_out_is_said() -> None:
    asked = ("--model", "Qwen/Qwen3-0.6B", "--task", "sft", "--framework", "trl")
    result = rlbot("recommend", *asked, "--lengths", "512", "--batch", "3", "--device", "h100")
    assert result.status == 0
    assert "A batch of 3 cannot be shared out over 2, 4, 8 GPUs" in result.out


def test_the_gpus_that_are_there_are_listed_too() -> None:
    asked = ("--device", "a100-40", "--batch", "96", "--format", "json")
    without = json.loads(_ask(*asked).out)["predicted"]
    given = json.loads(_ask(*asked, "--budget-gpus", "12").out)["predicted"]
    assert 12 not in {one["gpus"] for one in without}
    assert 12 in {one["gpus"] for one in given}


def test_a_batch_that_would_do_is_named() -> None:
    result = _ask("--device", "a100", "--budget-gpus", "6")
    assert "cannot be shared out over 6 GPUs; these were left out. --batch 129 can be." in " ".join(
        result.out.split()
    )
    again = _ask("--device", "a100", "--budget-gpus", "6", "--batch", "129")
    assert "6 × A100" in again.out
