"""TRL's GKD: a student whose chances of all tokens are compared with a teacher's.

Sources: `gkd_trainer.py` of TRL 0.13 to 1.16 (`generalized_jsd_loss`, `compute_loss`), Liger's
`chunked_loss` 0.8 and TRL's copy of it (`losses/`, 1.13), accelerate's `prepare_model`. What is
there at once was followed tensor by tensor (`tests/memory/fake_losses.py`).
"""

from __future__ import annotations

from dataclasses import replace

from bot.base.regex import regex
from bot.frameworks.plan_values import version_at_least
from bot.memory import constants
from bot.memory.readers.settings import MemorySettings, NoEstimateError
from bot.memory.readers.trl.precision import Precision, unsaid_type, width_of
from bot.memory.readers.trl.rewards import reward_role
from bot.memory.shapes.shape import Shape
from bot.memory.workload import Role, Tokens

NAME = "gkd"
TEACHER = "teacher_model_name_or_path"
_LOADING = "teacher_model_init_kwargs"
_OTHERWISE = ("load_in_4bit", "load_in_8bit", "quantization_config")
_SPREADS = "device_map"
_TYPE = regex(r"dtype[\"']?\s{0,9}:\s{0,9}[\"']?([\w.]{1,20})")
"""The type in those, whose key is `torch_dtype` in older releases."""


def divergence(get: MemorySettings, precision: Precision) -> float:
    """Bytes of one of the student's logits, with the teacher's beside it, which has as many.

    The mixture of both (`beta` between 0 and 1; whatever it is up to 0.15) takes more than the
    divergence one way. Liger's loss (0.22 to 1.13) cuts along the first axis of what it is given,
    which is the batch: so all logits of a pass are there at once, in the type of the models.
    """
    beta = get.number(0.5, "beta")
    mixed = 0 < beta < 1 or not version_at_least(get.plan, 0, 16)
    if is_liger(get):
        if mixed:
            return constants.GKD_LIGER_MIXED
        return constants.GKD_LIGER_STUDENT if beta else constants.GKD_LIGER_TEACHER
    whole = precision.computes >= 4 or precision.casts_outputs
    return (constants.GKD_MIXED if mixed else constants.GKD) * (2 if whole else 1)


def is_liger(get: MemorySettings) -> bool:
    """Whether Liger makes the loss."""
    some = version_at_least(get.plan, 0, 22) and not version_at_least(get.plan, 1, 14)
    return some and get.on(False, "use_liger_kernel")


def teacher(
    get: MemorySettings, shape: Shape, student: Role, tokens: Tokens, *, loaded: float
) -> Role:
    """The teacher, of `loaded` bytes a parameter where TRL's example loads it as the student.

    ZeRO-3 divides it as the student. `prepare_model` leaves it as it is where it is not trained
    (`evaluation_mode`), so that under FSDP each GPU has all of it. Raises NoEstimateError for one
    that is quantized, or whose layers are spread over several GPUs.
    """
    how = str(get.value(_LOADING))
    for name in _OTHERWISE if student.layout.gpus == 1 else (*_OTHERWISE, _SPREADS):
        if name in how:
            raise NoEstimateError("{name} in {key} is not modelled.", name=name, key=_LOADING)
    kind = _TYPE.search(how)
    width = width_of(kind[1]) if kind else None
    if student.backend.startswith("zero"):
        width = 2.0  # `prepare_deepspeed` gives it the type of the student's engine.
    elif width is None and get.plan.written is not None:
        width = width_of(unsaid_type(get))
    return replace(
        # As a reward model stands beside its policy.
        reward_role(student, shape, loaded=width or loaded, divided=student.backend == "zero3"),
        name="reference",
        head=student.head,
        forward=tokens,
        forward_logits=0.0 if is_liger(get) else constants.FORWARD_FP32,
    )
