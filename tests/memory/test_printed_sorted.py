"""What a GPU's sequences are when they lie in order of length, and when their longest is known."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from bot.memory.constants import PACKED
from tests.memory.printed import component, printed
from tests.memory.test_printed import GIB, VOCAB, verl

_A = "actor_rollout_ref.actor"
_MEANS = ("--prompt-tokens", "100", "--response-tokens", "300")
_LIMITS = ("data.max_prompt_length=2048", "data.max_response_length=2048")


def tokens(*settings: str, release: str = "0.7.1", given: tuple[str, ...] = _MEANS) -> int:
    """Tokens of an update's pass, where a mean prompt has 100 and a mean response 300."""
    made = verl(
        f"{_A}.entropy_coeff=0.001",
        f"{_A}.use_torch_compile=True",
        "actor_rollout_ref.model.use_remove_padding=True",
        *_LIMITS,
        *settings,
        release=release,
        given=given,
    )
    return round(component(made, "update", "logits") * GIB / VOCAB / PACKED)


def step(prompts: int, mini: int, each: int) -> tuple[str, ...]:
    """So many prompts and responses of a step, and of its mini batches, on eight GPUs."""
    return (
        f"data.train_batch_size={prompts}",
        "actor_rollout_ref.rollout.n=8",
        f"{_A}.ppo_mini_batch_size={mini}",
        f"{_A}.ppo_micro_batch_size_per_gpu={each}",
    )


def simulated(step: int, mini: int, each: int) -> float:
    """The fullest pass of a step, drawn: sorted, folded, cut into mini batches and passes."""
    draw = Random(7)  # noqa: S311 - draws of lengths.
    fullest = []
    for _ in range(60):
        lengths = sorted(min(2048, max(1, draw.gauss(400, 360))) for _ in range(step))
        folded = lengths[::2] + lengths[1::2][::-1]
        passes = [
            folded[first + at : min(first + at + each, first + mini)]
            for first in range(0, step, mini)
            for at in range(0, mini, each)
        ]
        fullest.append(max(map(sum, passes)))
    return fmean(fullest)


@pytest.mark.parametrize(
    ("prompts", "mini", "each"),
    [
        (640, 160, 16),  # Between two passes of the same size.
        (640, 640, 16),
        (640, 128, 16),  # Within a mini batch.
        (96, 96, 32),  # In the middle of a pass.
        (512, 128, 32),
        (1024, 256, 64),
    ],
)
def test_the_longest_lie_in_one_pass(prompts: int, mini: int, each: int) -> None:
    wanted = simulated(prompts, mini, each)
    # Normal draws below one token are none: what is drawn has a higher mean than 400.
    assert tokens(*step(prompts, mini, each)) == pytest.approx(wanted, rel=0.12)
    assert wanted > 1.3 * (each * 400 + 4096 - 400)


def test_a_whole_step_in_one_pass_has_no_order() -> None:
    whole = step(64, 64, 64)
    assert tokens(*whole) == tokens(*whole, "trainer.balance_batch=False")
    assert tokens(*whole) == pytest.approx(63 * 400 + 4096, rel=0.001)


def test_the_longest_are_at_most_of_full_length() -> None:
    assert 3 * 400 + 4096 < tokens(*step(640, 160, 4)) < 4 * 4096


@pytest.mark.parametrize(
    ("settings", "release"),
    [
        (("trainer.balance_batch=False",), "0.7.1"),
        ((f"{_A}.shuffle=True",), "0.7.1"),
        ((), "0.5.0"),
        ((), "0.6.0"),
    ],
)
def test_elsewhere_they_lie_as_they_come(settings: tuple[str, ...], release: str) -> None:
    mixed = tokens(*step(640, 160, 16), *settings, release=release)
    assert mixed == pytest.approx(15 * 400 + 4096, abs=2)


def test_the_trainer_of_0_9_does_not_sort() -> None:
    first = tokens(*step(640, 160, 16), release="0.9.1")
    before = tokens(*step(640, 160, 16), "trainer.use_v1=False", release="0.9.1")
    assert before > 1.5 * first


def test_a_mini_batch_of_the_longest_is_fuller_than_a_mean_one() -> None:
    """Half of the sequences are in the second and third of four: no limit cuts them here."""
    dynamic = (f"{_A}.use_dynamic_bsz=True", f"{_A}.ppo_max_token_len_per_gpu=1000000")
    of_four = tokens(*dynamic, *step(640, 160, 1))
    of_two = tokens(*dynamic, *step(640, 320, 1))
    assert of_two == pytest.approx(320 * 400 + 4096 - 400, rel=0.01)
    assert of_four == pytest.approx(simulated(640, 160, 160), rel=0.12)


def test_the_longest_sequence_there_is() -> None:
    known = (*_MEANS, "--longest-tokens", "900")
    mixed = (*step(640, 160, 16), "trainer.balance_batch=False")
    assert tokens(*mixed, given=known) == pytest.approx(15 * 400 + 900, rel=0.001)
    assert tokens(*step(640, 160, 8), given=known) == pytest.approx(8 * 900, rel=0.001)
    # A longer one than the settings allow is cut.
    assert tokens(*mixed, given=(*_MEANS, "--longest-tokens", "9000")) == tokens(*mixed)


def test_the_longest_alone_stands_for_what_the_settings_allow() -> None:
    mixed = (*step(640, 160, 16), "trainer.balance_batch=False")
    assert 0 < tokens(*mixed, given=("--longest-tokens", "450")) <= 16 * 450 + 2 + 2
    assert tokens(*mixed, given=("--longest-tokens", "90000")) == tokens(*mixed, given=())


def test_rows_padded_to_the_settings_stay_as_long() -> None:
    rows = (*step(640, 160, 2), "actor_rollout_ref.model.use_remove_padding=False")
    known = (*_MEANS, "--longest-tokens", "900")
    assert tokens(*rows, given=known) == tokens(*rows)
    # Since 0.8 to the longest of the pass: 2.3 means, where only these are known.
    newer = tokens(*rows, release="0.8.0")
    assert tokens(*rows, given=known, release="0.8.0") == pytest.approx(newer * 900 / 920, rel=0.01)


_SFT = """accelerate launch --num_processes 1 -m trl.scripts.dpo --bf16 true --dtype bfloat16 \\
    --model_name_or_path Qwen/Qwen2.5-7B --gradient_checkpointing true --max_length 4096 \\
    --per_device_train_batch_size 4 --gradient_accumulation_steps 2"""


def test_a_batch_is_padded_to_the_longest_there_is() -> None:
    """Two means where nothing says it, as in half of the public data sets."""
    options = ("--device", "h200", "--framework", "trl@1.0.0", "--response-tokens", "200")
    made = printed(_SFT, *options)
    known = printed(_SFT, *options, "--longest-tokens", "450")
    logits = (component(one, "update", "logits") for one in (made, known))
    assert next(logits) / next(logits) == pytest.approx(400 / 450, rel=0.01)
    alone = printed(_SFT, *options[:-2], "--longest-tokens", "450")
    assert component(alone, "update", "logits") == component(known, "update", "logits")
