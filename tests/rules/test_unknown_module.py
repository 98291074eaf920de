from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import marked, quiet

SLUG = "unknown-module"
SFT = "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer data.train_files=a\n"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl().replace("main_ppo", "main_generation"),
        verl().replace("main_ppo", "main_of_mine"),
        verl().replace("verl.trainer.main_ppo", "recipe.dapo.main_dapo"),
        verl().replace("-m verl.trainer.main_ppo", "verl/trainer/main_ppo.py"),
        "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer data.train_files=a\n",
        "echo verl.trainer.main_pop\n",
        "torchrun -m verl_mlite.launch verl.trainer.sft_trainer data.train_files=a\n",
        "python3 start.py verl.trainer.main_ppo data.train_files=a\n",
        "pip install verl.trainer\n",
        openrlhf(),
        f"# verl: 0.7.0\n{SFT}",
        verl(before="# verl: 0.1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl().replace("main_ppo", "main_pop"),
        verl().replace("-m verl", "verl"),
        "torchrun --nproc_per_node=8 verl.trainer.fsdp_sft_trainer data.train_files=a\n",
        "python3 -m openrlhf.cli.train_ppo_rya --actor.model_name_or_path a\n",
        f"# verl: 0.9.1\n{SFT}",
        f"# verl: 0.5.0\n{SFT.replace('fsdp_', '')}",
        "M=verl.trainer.main_pp\npython3 -m $M data.train_files=a\n",
    ],
)
def test_what_python_does_not_find(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("path", "errors"),
    [
        ("verl/verl/trainer/main_tppo.py", 0),
        ("verl/trainer/main_tppo.py", 0),
        ("verl/trainer/main_ppo.py", 1),
        ("other/main_tppo.py", 1),
    ],
)
def test_a_module_of_the_repository_is_there(path: str, errors: int) -> None:
    """jiajunh/rl_verl: verl/verl/trainer/main_tppo.py beside main_ppo.py."""
    launch = b"python -m verl.trainer.main_tppo data.train_files=a\n"
    script = ScriptFile(path="verl/proj/run.sh", data=launch)
    report = check_script(script, CheckOptions(place=InCheckout(Checkout({path: b""}))))
    assert [one.id for one in report.findings].count("RLB120") == errors


@pytest.mark.parametrize(("owner", "errors"), [("mine", 0), ("volcengine", 1)])
def test_a_module_that_an_installed_fork_may_have(owner: str, errors: int) -> None:
    """yayashuxue/rllm: agentica-project/verl has verl.trainer.main_ppo_async."""
    launch = b"python3 -m verl.trainer.main_ppo_async data.train_files=a\n"
    modules = f'[submodule "verl"]\n\turl = https://github.com/{owner}/verl\n'
    options = CheckOptions(place=InCheckout(Checkout({".gitmodules": modules.encode()})))
    report = check_script(ScriptFile(path="scripts/run.sh", data=launch), options)
    assert [one.id for one in report.findings].count("RLB120") == errors


@pytest.mark.parametrize(
    ("changed", "severities"),
    [
        ({}, ["warning"]),
        ({"verl/trainer/fsdp_sft_trainer.py": b"pass\n"}, []),
        ({"verl/protocol.py": None}, []),  # A part of the package may be anywhere.
    ],
)
def test_a_module_that_the_repositorys_verl_lacks(
    changed: dict[str, bytes | None], severities: list[str]
) -> None:
    """verl-recipe's retool in March 2026."""
    files = {
        "verl/trainer/config/ppo_trainer.yaml": b"trainer: {nnodes: 1}\n",
        "verl/trainer/main_ppo.py": b"pass\n",
        "verl/protocol.py": b"pass\n",
        **changed,
    }
    kept = {path: data for path, data in files.items() if data is not None}
    options = CheckOptions(place=InCheckout(Checkout(kept)))
    report = check_script(ScriptFile(path="recipe/run.sh", data=SFT.encode()), options)
    assert [one.severity for one in report.findings if one.id == "RLB120"] == severities


GRPO = b"""from trl import GRPOConfig, GRPOTrainer
GRPOTrainer(model="a/b", args=GRPOConfig(num_generations=4), reward_funcs=[]).train()
"""
RLOO = b"""from trl import RLOOConfig, RLOOTrainer
RLOOTrainer(config=RLOOConfig(rloo_k=4), policy=policy, ref_policy=policy).train()
"""


def _pinned(pin: str, start: str) -> list[str]:
    files = {"requirements.txt": pin.encode(), "grpo.py": GRPO, "rloo.py": RLOO}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=start.encode()), options)
    return [one.message for one in report.findings if one.id == "RLB120"]


@pytest.mark.parametrize(
    ("pin", "start"),
    [
        ("trl==0.14.0", "python3 grpo.py\n"),
        ("trl>=0.12", "python3 grpo.py\n"),
        ("trl==0.14.0.dev0", "python3 grpo.py\n"),
        ("trl==9.0.0", "python3 grpo.py\n"),
        ("trl==0.17.0", "python3 rloo.py\n"),  # The class is older than the script.
        ("trl==0.13.0", "trl sft --model_name_or_path a/b\n"),
    ],
)
def test_what_the_release_of_trl_has_is_no_finding(pin: str, start: str) -> None:
    assert _pinned(pin, start) == []


@pytest.mark.parametrize(
    ("pin", "start", "text"),
    [
        ("trl==0.12.0", "python3 grpo.py\n", "trl up to 0.13.0 has no GRPOTrainer"),
        ("trl~=0.13.0", "python3 grpo.py\n", "trl 0.13.0 has no GRPOTrainer"),
        ("trl==0.13.0", "torchrun -m trl.scripts.grpo\n", "trl 0.13.0 has no trl.scripts.grpo"),
    ],
)
def test_what_came_after_the_release_of_trl_is_an_error(pin: str, start: str, text: str) -> None:
    """KimayaDixit/rlvr installs 0.12.0, "exact versions that include GRPOTrainer"."""
    assert _pinned(pin, start) == [f"{text}; it is in trl 0.14.0 to 1.16.0"]
