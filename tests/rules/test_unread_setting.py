from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "unread-setting"
ACTOR, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
RANK = "actor_rollout_ref.model.lora"
CLIP = f"{ACTOR}.grad_clip=0.5"
TOWER = f"{ACTOR}.freeze_vision_tower=True"
GROUPS = "+algorithm.filter_groups.enable=True"
CHUNKS = f"{ROLLOUT}.enable_chunked_prefill=False"
NEW = "# verl: 0.9.1"


@pytest.mark.parametrize(
    "script",
    [
        verl(before=NEW),
        verl(TOWER, before="# verl: 0.7.1"),
        verl(f"{ACTOR}.freeze_vision_tower=False", before=NEW),
        verl(CLIP, before="# verl: 0.7.1"),
        verl(f"{ACTOR}.grad_clip=1.0", before=NEW),
        verl(CLIP, f"{ACTOR}.optim.clip_grad=0.5", before=NEW),
        verl(f"{ACTOR}.grad_clip=$CLIP", before=NEW),
        verl("actor_rollout_ref.nccl_timeout=600", before=NEW),
        verl(f"{ACTOR}.fsdp_config.strategy=fsdp", before=NEW),
        verl(f"{ACTOR}.fsdp_config.strategy=fsdp2", f"{ACTOR}.strategy=fsdp2", before=NEW),
        verl(f"{ROLLOUT}.ignore_eos=True", before=NEW),
        verl("algorithm.filter_groups.enable=True", before=NEW),
        verl(GROUPS, before="# verl: 0.6.1").replace("verl.trainer.main_ppo", "recipe.dapo.main"),
        verl(CHUNKS, before=NEW),
        verl(CHUNKS, before="# verl: 0.6.1"),
        verl(CHUNKS, f"{ROLLOUT}.name=sglang", before="# verl: 0.8.0"),
        verl(f"{ROLLOUT}.enable_prefix_caching=True", before="# verl: 0.8.0"),
        verl(f"{RANK}.rank=0", before="# verl: 0.8.0"),
        verl(f"{RANK}.rank=8", f"{RANK}_rank=8", before="# verl: 0.8.0"),
        verl(f"{RANK}.rank=8", "model_engine=megatron", before="# verl: 0.8.0"),
        verl(f"{RANK}.rank=8", "model_engine=$ENGINE", before="# verl: 0.8.0"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(CLIP, before=NEW),
        verl(CLIP),
        verl(TOWER, before="# verl: 0.8.0"),
        verl(f"{ACTOR}.fsdp_config.strategy=fsdp2", before="# verl: 0.8.0"),
        verl("actor_rollout_ref.nccl_timeout=$WAIT", before=f"{NEW}\nWAIT=7200"),
        verl(f"{ROLLOUT}.over_sample_rate=0.1", before="# verl: 0.7.0"),
        verl(f"{ROLLOUT}.ignore_eos=True", before="# verl: 0.8.0"),
        verl(GROUPS, before="# verl: 0.7.1"),
        verl(CHUNKS, f"{ROLLOUT}.enable_prefix_caching=False", before="# verl: 0.8.0"),
        # YPFsam/agentic-rl and two more that train with "LoRA".
        verl(f"{RANK}.rank=8", f"{RANK}.merge=True", before="# verl: 0.8.0"),
        verl(f"{RANK}.rank=8", f"{ACTOR}.strategy=fsdp2", before="# verl: 0.9.1"),
    ],
)
def test_says_what_nothing_reads(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


CONFIG = b"""
actor_rollout_ref:
  nccl_timeout: 600
  actor: {strategy: fsdp, pad_to_length: false}
  rollout: {name: vllm, disaggregation: {}}
"""
COPY = {
    "verl/trainer/config/ppo_trainer.yaml": CONFIG,
    "verl/protocol.py": b"",
    "verl/workers/config/critic.py": b"nccl_timeout: int = 600\n",
    "verl/workers/engine_workers.py": b"my_nccl_timeout = None\n",
}


def ids(files: dict[str, bytes]) -> list[str]:
    script = b"python3 -m verl.trainer.main_ppo actor_rollout_ref.nccl_timeout=7200\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="examples/run.sh", data=script), options)
    return [one.id for one in report.findings]


def test_a_copy_of_verl_that_reads_it() -> None:
    own = {"verl/workers/worker.py": b"seconds = config.get('nccl_timeout', 600)\n"}
    assert "RLB130" not in ids({**COPY, **own})


def test_what_a_copy_of_verl_imports_from_beside_it_may_read_it() -> None:
    """Three forks of verl-agent, whose rollouts read algorithm.filter_groups."""
    own = {"agent_system/rollout.py": b"seconds = config.nccl_timeout\n"}
    assert "RLB130" in ids({**COPY, **own})
    uses = {"verl/trainer/main_ppo.py": b"def f():\n    from agent_system.rollout import X\n"}
    assert "RLB130" in ids({**COPY, **uses})
    assert "RLB130" not in ids({**COPY, **own, **uses})


def test_a_copy_of_verl_whose_python_is_not_all_there() -> None:
    assert "RLB130" not in ids({name: COPY[name] for name in COPY if "protocol" not in name})


def test_a_copy_of_verl_that_only_declares_it() -> None:
    """verl-project/verl of 2026-08: six of its examples set nccl_timeout (issue 7815)."""
    assert "RLB130" in ids(COPY)


HOST = "--vllm_server_host node-8"
ON = "--use_vllm True"


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("1.16.0", f"{ON} {HOST} --vllm_mode server"),
        ("1.16.0", f"{ON} {HOST} --vllm_mode $MODE"),
        ("1.16.0", HOST),
        ("1.16.0", f"{ON} --vllm_server_timeout 600"),
        ("0.29.0", f"{ON} {HOST}"),
    ],
)
def test_the_address_of_a_server_counts(release: str, words: str) -> None:
    assert quiet(SLUG, f"# trl: {release}\ntrl grpo --model_name_or_path a/b {words}\n")


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("# trl: 1.0.0\n", f"{ON} {HOST} --vllm_server_port 8000"),
        ("# trl: 0.29.0\n", f"{ON} {HOST} --vllm_mode colocate"),
        ("", f"{ON} {HOST}"),
    ],
)
def test_beside_an_engine_of_its_own_nothing_asks_a_server(
    head: str, words: str, snapshot: SnapshotAssertion
) -> None:
    """aws-samples/awsome-distributed-training starts one on a node of its own."""
    assert marked(SLUG, f"{head}trl grpo --model_name_or_path a/b {words}\n") == snapshot
