from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import marked, quiet

SLUG = "single-response"
N = "actor_rollout_ref.rollout.n"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{N}=5"),
        verl(f"{N}=$N"),
        verl("+actor_rollout_ref.rollout.n_agent=5"),
        verl("+actor_rollout_ref.rollout.n_repeat=8"),  # 7HHHHH/Harness-G
        verl("+agent_grpo.n=$COUNT"),
        verl("+data.n_samples=8"),
        verl(f"{N}=1", "algorithm.adv_estimator=gae"),
        verl(f"{N}=1", "algorithm.adv_estimator=reinforce_plus_plus"),
        verl(f"{N}=1", "algorithm.adv_estimator=$A"),
        verl("$(cat settings.txt)"),
        # wjl-bupt/EasyOPD, whose verl has no such section; 0.6.0 has none either.
        "# verl: 0.6.0\n" + verl(f"{N}=1", "distillation.enabled=True"),
        verl(f"{N}=1", "+opsd.enabled=True"),  # Austin031026/verl-v0.8.0
        verl(f"{N}=1", "trainer.val_only=True"),  # Qwen-Applications/PolicyAlign
        verl("trainer.total_epochs=0"),  # elated-sawyer/Agent-r1-temp, which evaluates so.
        # ta3h30nk1m/verl-agent-custom: a program that validates alone.
        verl(f"{N}=1").replace("main_ppo", "main_webshop_validation"),
        f"python3 -m verl.experimental.vla.main_sac {N}=1\n",  # verl's own example of SAC.
        # Forks with a number, an evaluation or a teacher of their own.
        verl(f"{N}=1", "+actor_rollout_ref.rollout.grpo_rollout_n=16"),  # Jinyeop3110/KG-R1
        verl("+customized_grpo_rollout_n=8"),  # YefanZhou/MemCurator
        verl("+ttrl.n_samples_per_prompt=32"),  # Lumina04/CARE
        verl(f"{N}=1").replace("main_ppo", "main_eval"),
        verl(  # TURLEing/G-OPD
            f"{N}=1", "+actor_rollout_ref.actor.policy_loss.only_reverse_kl_advantages=True"
        ),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{N}=1"),
        verl(),
        verl("actor_rollout_ref.rollout.val_kwargs.n=4"),
        verl(f"{N}=$n", "algorithm.adv_estimator=rloo", before="n=1"),
        verl(f"{N}=1", "+opsd.enabled=False", "+opsd.log=True"),
    ],
)
def test_one_response_a_prompt(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("estimators", "severity"),
    [('["rloo", "group_norm"]', "error"), ('["rloo"]', "warning")],
)
def test_it_is_an_error_where_a_copy_of_openrlhf_refuses_it(estimators: str, severity: str) -> None:
    """yeppp27/VisualScore and two more copies of about 0.6.0."""
    program = f"""
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--n_samples_per_prompt", type=int, default=1)
parser.add_argument("--advantage_estimator", type=str, default="gae")
args = parser.parse_args()
if args.advantage_estimator in {estimators}:
    assert args.n_samples_per_prompt > 1, "requires n_samples_per_prompt > 1"
"""
    script = b"python3 -m openrlhf.cli.train_ppo_ray --advantage_estimator group_norm\n"
    files = {"openrlhf/cli/train_ppo_ray.py": program.encode()}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=script), options)
    assert [one.severity for one in report.findings if one.id == "RLB045"] == [severity]


def test_it_is_an_error_where_the_trainer_refuses_it(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, openrlhf("--rollout.n_samples_per_prompt 1")) == snapshot


OWN = """
from trl import GRPOConfig, ModelConfig, ScriptArguments, TrlParser
from mine import {trainer}
parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
script_args, training_args, model_args = parser.parse_args_and_config()
{trainer}(args=training_args).train()
"""


@pytest.mark.parametrize(("trainer", "count"), [("GRPOTrainer", 1), ("ActorCriticTrainer", 0)])
def test_a_trainer_of_the_repositorys_own_may_have_a_critic(trainer: str, count: int) -> None:
    """luckeciano/stable-pg-llm."""
    program = OWN.format(trainer=trainer).replace("from mine import GRPO", "from trl import GRPO")
    files = {"train.py": program.encode(), "mine.py": b"class ActorCriticTrainer: ...\n"}
    data = b"# trl: 0.14.0\npython train.py --model_name_or_path a/b --num_generations 1\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=data), options)
    assert [one.id for one in report.findings].count("RLB045") == count


@pytest.mark.parametrize(("release", "rules"), [("0.17.0", ["RLB045"]), ("0.18.0", ["RLB100"])])
def test_what_trl_refuses_is_said_once(release: str, rules: list[str]) -> None:
    """An error of the batch and this warning stood at the same value."""
    program = (
        "from own import Trainer\nfrom trl import GRPOConfig\n"
        "Trainer(args=GRPOConfig(num_generations=1, per_device_train_batch_size=2))\n"
    )
    place = InCheckout(Checkout({"train.py": program.encode()}))
    data = f"# trl: {release}\npython train.py\n".encode()
    report = check_script(ScriptFile(path="run.sh", data=data), CheckOptions(place=place))
    found = [one.id for one in report.findings if one.id in ("RLB045", "RLB100")]
    assert found == rules
