"""What cannot be bisected: each reason is a sentence that says what to do."""

from __future__ import annotations

import pytest

from bot.base.errors import UserError
from tests.bisect.samples import (
    FLAT,
    VARIABLES,
    planned,
    script,
    series_of,
)
from tests.command import ROOT

REFUSED = {
    "computed from several": (
        VARIABLES.replace("n_gpus_per_node=${ngpu_per_node}", "n_gpus_per_node=2"),
        (),
        "computed from nproc_per_gpu and ngpu_per_node; say which one",
    ),
    "from the caller alone": (
        VARIABLES.replace("nproc_per_gpu=58\n", ""),
        (),
        "where a whole number that the script itself holds belongs",
    ),
    "left to the framework": (
        FLAT.replace("    data.train_batch_size=116 \\\n", ""),
        (),
        "leaves data.train_batch_size to the framework",
    ),
    "no such name": (VARIABLES, ("nproc_pr_gpu",), "Did you mean nproc_per_gpu?"),
    "two trainings": (
        FLAT + FLAT.partition("\n\n")[2].replace("=116", "=120"),
        (),
        "starts 2 trainings",
    ),
    "no training": ("echo 1\n", (), "no launch whose batch could vary: the script only sets up"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_bisected_is_a_sentence(case: str) -> None:
    text, vary, sentence = REFUSED[case]
    with pytest.raises(UserError) as raised:
        planned(text, vary)
    assert sentence in str(raised.value)


def test_contradictory_ends_are_refused() -> None:
    with pytest.raises(UserError, match="60 cannot have run when 50"):
        planned(ran=60, failed=50)


@pytest.mark.slow
def test_examples_say_what_decides_their_memory() -> None:
    key = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
    for path in sorted(ROOT.glob("examples/tuning/*/*_h[18]00_fsdp_vllm.sh")):
        example = script(path.read_bytes(), path.relative_to(ROOT).as_posix())
        plan = series_of(example).plan
        assert plan.no_effect is not None
        assert "does not decide the memory of a GPU" in plan.no_effect
        assert (plan.mode, plan.probes, plan.next_command) == ("closed", (), None)
        assert key in plan.vary_instead
        for other in plan.vary_instead:
            assert series_of(example, (other,)).plan.probes
        evident = series_of(example, ran=plan.varied[0].value).plan
        assert (evident.no_effect, evident.mode) == (None, "doubling")
