from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "distillation"
ON = ("distillation.enabled=True", "distillation.n_gpus_per_node=4", "distillation.nnodes=1")
TEACHER = "distillation.teacher_models.teacher_model"
NAMED = f"{TEACHER}.model_path=Qwen/Qwen2.5-32B-Instruct"
LOSS = "distillation.distillation_loss"


def own(name: str, **settings: object) -> tuple[str, ...]:
    given = {"key": name, "model_path": "Qwen/Qwen2.5-32B-Instruct", "num_replicas": 1, **settings}
    below = f"+distillation.teacher_models.{name}"
    return tuple(f"{below}.{key}={value}" for key, value in given.items() if value is not None)


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("distillation.enabled=False", "distillation.nnodes=0"),
        verl(*ON, NAMED),
        verl(*ON, f"{TEACHER}.model_path=$TEACHER"),
        verl(*ON, NAMED, f"{TEACHER}.inference.tensor_model_parallel_size=4"),
        verl(*ON, NAMED, f"{TEACHER}.inference.tensor_model_parallel_size=$TP"),
        verl(*ON[:2], "distillation.nnodes=$NODES", NAMED),
        verl(*ON, NAMED, f"{LOSS}.loss_mode=forward_kl_topk", f"{LOSS}.topk=64"),
        verl(*ON, NAMED, f"{LOSS}.loss_mode=k1", f"{LOSS}.use_policy_gradient=True"),
        verl(*ON, NAMED, f"{LOSS}.loss_mode=$LOSS"),
        # 512 + 512 + 1, as verl's own examples reckon it.
        verl(
            *ON,
            NAMED,
            "data.max_prompt_length=512",
            "data.max_response_length=512",
            f"{TEACHER}.inference.max_model_len=1025",
        ),
        verl(*ON, *own("gsm8k"), *own("math")),
        verl(*ON, *own("gsm8k", num_replicas="$N"), *own("math")),
        # An older verl has no such section; what it says of it is another rule's.
        "# verl: 0.7.1\n" + verl(*ON[:2]),
        verl(*ON[:1], "$(cat settings.txt)"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(*ON[:2], NAMED),
        verl(*ON),
        verl(*ON, "distillation.n_gpus_per_node=0", NAMED),
        verl(*ON, NAMED, f"{TEACHER}.inference.tensor_model_parallel_size=3"),
        verl(*ON, *own("gsm8k"), *own("math"), *own("geo3k")),
        verl(*ON, *own("gsm8k", key=None), *own("math", num_replicas=None)),
        verl(*ON, NAMED, *own("math", num_replicas=2)),
        verl(*ON, NAMED, f"{LOSS}.loss_mode=reverse_kl"),
        verl(*ON, NAMED, f"{LOSS}.loss_mode=k1"),
        verl(*ON, NAMED, f"{LOSS}.policy_loss_mode=gspo"),
        verl(
            *ON,
            NAMED,
            "data.max_prompt_length=512",
            "data.max_response_length=512",
            f"{TEACHER}.inference.max_model_len=1024",
        ),
        verl(
            *ON,
            NAMED,
            f"{LOSS}.loss_mode=forward_kl_topk",
            f"{LOSS}.topk=64",
            f"+{TEACHER}.inference.engine_kwargs.vllm.max_logprobs=32",
        ),
    ],
)
def test_what_verl_refuses(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("distillation", "words", "count"),
    [
        ("teacher_model: {model_path: null, nnodes: 0}", "", 0),
        ("teacher_model: {model_path: null, nnodes: 0}", "distillation.teacher_model.nnodes=1", 0),
        ("teacher_models: {teacher_model: {model_path: null}}", "", 1),
    ],
)
def test_a_copy_of_before_there_were_several(distillation: str, words: str, count: int) -> None:
    """zhijie-os/VeRL, whose copy is of April 2026: three errors that were none."""
    yaml = f"distillation:\n  enabled: false\n  {distillation}\n"
    files = {"verl/trainer/config/ppo_trainer.yaml": yaml.encode()}
    data = f"python3 -m verl.trainer.main_ppo distillation.enabled=True {words}\n"
    script = ScriptFile(path="run.sh", data=data.encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    assert len([one for one in report.findings if one.id == "RLB102"]) == count


@pytest.mark.parametrize(("named", "count"), [("k1_rec", 0), ("k1_other", 1)])
def test_a_loss_that_the_repository_registers(named: str, count: int) -> None:
    """YouAreSpecialToMe/SimOPD, which has no copy of verl."""
    python = f"""
        @register_distillation_loss(
            DistillationLossSettings(names=["{named}"], use_estimator=True)
        )
        def k1_with_recorder(config, distillation_config, model_output, data): ...
    """
    given = " ".join((*ON, NAMED, f"{LOSS}.loss_mode=k1_rec"))
    script = ScriptFile(path="run.sh", data=f"python3 -m verl.trainer.main_ppo {given}\n".encode())
    files = Checkout({"src/losses.py": python.encode()})
    report = check_script(script, CheckOptions(place=InCheckout(files)))
    assert len([one for one in report.findings if one.id == "RLB102"]) == count
