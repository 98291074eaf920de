"""The teacher that a program gives TRL's GKD."""

from __future__ import annotations

import pytest

from tests.frameworks.test_trl_models import LOAD, estimate, model_of

GKD = (
    "from trl.experimental.gkd import GKDConfig, GKDTrainer\n"
    "a = GKDConfig(max_length=512, per_device_train_batch_size=1, bf16=True)\n"
)
TEACHER = LOAD.replace("model =", "teacher =").replace("0.5B", "1.5B")
TRAIN = "t = GKDTrainer(model=model, teacher_model=teacher, args=a)\n"
RUN = "t.train()\n"


def weights(text: str) -> float:
    """GiB of the teacher's weights while the student is updated."""
    stages = {one.stage: one for one in estimate(text).stages}
    return stages["update"].components.get("reference, idle", 0.0)


@pytest.mark.parametrize(
    ("teacher", "width"),
    [
        (TEACHER, 2),
        (TEACHER.replace(", dtype=torch.bfloat16", ", torch_dtype=torch.float16"), 2),
        (TEACHER.replace("torch.bfloat16", "torch.float32"), 4),
        (TEACHER.replace(", dtype=torch.bfloat16", ""), 2),
        (TEACHER + "teacher = teacher.eval()\n", 2),
        (TEACHER.replace("B',", "B', device_map='cuda:0',"), 2),
    ],
)
def test_a_teacher_is_read_from_what_loads_it(teacher: str, width: int) -> None:
    made = weights(GKD + LOAD + teacher + TRAIN + RUN)
    assert made == pytest.approx(width * 1.54e9 / 2**30, rel=0.02)


def test_a_teacher_may_be_named_by_itself() -> None:
    named = TRAIN.replace("=teacher", "='Qwen/Qwen2.5-1.5B'")
    as_stored = weights(GKD + LOAD + named + RUN)
    assert as_stored == pytest.approx(2 * 1.54e9 / 2**30, rel=0.02)
    wide = GKD.replace("bf16", "teacher_model_init_kwargs={'dtype': 'float32'}, bf16")
    assert weights(wide + LOAD + named + RUN) == pytest.approx(2 * as_stored, rel=0.01)


@pytest.mark.parametrize(
    ("kwargs", "gpus", "reason"),
    [
        ("{'device_map': 'auto'}", 1, None),
        ("{'device_map': 'auto'}", 4, "device_map in teacher_model_init_kwargs is not modelled."),
        ("{'load_in_4bit': True}", 1, "load_in_4bit in teacher_model_init_kwargs is not modelled."),
    ],
)
def test_a_teacher_in_pieces_or_in_few_bits_is_not_estimated(
    kwargs: str, gpus: int, reason: str | None
) -> None:
    named = TRAIN.replace("=teacher", "='Qwen/Qwen2.5-1.5B'")
    how = GKD.replace("bf16", f"teacher_model_init_kwargs={kwargs}, bf16")
    assert estimate(how + LOAD + named + RUN, gpus).reason == reason


def test_a_teacher_that_is_loaded_over_several_gpus_is_not_estimated() -> None:
    spread = GKD + LOAD + TEACHER.replace("B',", "B', device_map='auto',") + TRAIN + RUN
    assert weights(spread) == pytest.approx(2 * 1.54e9 / 2**30, rel=0.02)
    reason = estimate(spread, 4).reason
    assert reason is not None
    assert "device_map" in reason


@pytest.mark.parametrize(
    "frozen",
    [
        "for p in t.teacher_model.parameters():\n    p.requires_grad_(False)\n",
        "t.teacher_model.requires_grad_(False)\n",
    ],
)
def test_freezing_the_teacher_leaves_the_student_trained(frozen: str) -> None:
    found = model_of(GKD + LOAD + TEACHER + TRAIN + frozen + RUN)
    assert found == {"model_name_or_path": "Qwen/Qwen2.5-0.5B", "dtype": "bfloat16"}


def test_freezing_the_student_does_not() -> None:
    frozen = "for p in t.model.parameters():\n    p.requires_grad_(False)\n"
    assert model_of(GKD + LOAD + TEACHER + TRAIN + frozen + RUN) == {}


@pytest.mark.parametrize(
    "teacher",
    [
        TEACHER.replace("dtype=", "load_in_4bit=True, dtype="),
        TEACHER.replace("dtype=", "quantization_config=c, dtype="),
        "teacher = pick()\n",
        "teacher = AutoModelForCausalLM.from_config(c)\n",
    ],
)
def test_a_teacher_that_is_not_followed_leaves_the_run_without_a_model(teacher: str) -> None:
    assert model_of(GKD + LOAD + teacher + TRAIN + RUN) == {}
