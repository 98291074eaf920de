"""Whatever a script writes, an estimate is made or a sentence says why not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.base.devices import by_token
from bot.frameworks import plans
from bot.memory.from_plan import estimate_plan
from bot.memory.readers.settings import NoEstimateError
from bot.memory.report import report_estimate
from bot.rules._support.example import openrlhf, verl
from bot.shell import read
from tests.profiles import scaled

H100 = by_token("h100")[0]
_ACTOR, _ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
VERL = (
    "data.max_prompt_length",
    "data.max_response_length",
    "data.train_batch_size",
    "actor_rollout_ref.model.lora_rank",
    "actor_rollout_ref.model.use_remove_padding",
    f"{_ACTOR}.ppo_mini_batch_size",
    f"{_ACTOR}.ppo_micro_batch_size_per_gpu",
    f"{_ACTOR}.ppo_max_token_len_per_gpu",
    f"{_ACTOR}.use_dynamic_bsz",
    f"{_ACTOR}.strategy",
    f"{_ACTOR}.entropy_coeff",
    f"{_ACTOR}.fsdp_config.fsdp_size",
    f"{_ACTOR}.fsdp_config.model_dtype",
    f"{_ACTOR}.ulysses_sequence_parallel_size",
    f"{_ROLLOUT}.n",
    f"{_ROLLOUT}.gpu_memory_utilization",
    f"{_ROLLOUT}.tensor_model_parallel_size",
    f"{_ROLLOUT}.max_model_len",
    "algorithm.adv_estimator",
    "trainer.n_gpus_per_node",
    "trainer.nnodes",
)
OPENRLHF = (
    "--ds.zero_stage",
    "--ds.lora.rank",
    "--ds.ring_attn_size",
    "--data.max_len",
    "--rollout.max_new_tokens",
    "--train.micro_batch_size",
    "--vllm.num_engines",
    "--vllm.tensor_parallel_size",
    "--vllm.gpu_memory_utilization",
    "--actor.num_gpus_per_node",
    "--algo.kl.init_coef",
)
values = st.one_of(
    st.integers(-3, 70_000).map(str),
    st.sampled_from(
        ["0", "-1", "1", "2", "3", "8", "0.5", "1e9", "99999999999999", "null", "True", "false"]
    ),
    st.sampled_from(["fsdp2", "megatron", "gae", "bf16", "[1]", "{}", "$X", "nan", "inf", "''"]),
)


def made(script: str) -> None:
    for plan in plans(read(script.encode(), "x.sh")):
        estimate, reason = None, "."
        try:
            estimate = report_estimate(estimate_plan(plan, H100))
        except NoEstimateError as error:
            reason = str(error)
        assert reason.endswith(".")
        assert "\n" not in reason
        for stage in estimate.stages if estimate else ():
            assert 0 <= stage.floor_gib <= stage.expected_gib <= stage.conservative_gib


@given(st.dictionaries(st.sampled_from(VERL), values, max_size=6))
@settings(max_examples=scaled(300))
def test_verl(given_values: dict[str, str]) -> None:
    base = {"trainer.nnodes": "1", f"{_ACTOR}.ppo_micro_batch_size_per_gpu": "2"}
    made(verl(*(f"{key}={value}" for key, value in {**base, **given_values}.items())))


@given(st.dictionaries(st.sampled_from(OPENRLHF), values, max_size=5))
@settings(max_examples=scaled(150))
def test_openrlhf(given_values: dict[str, str]) -> None:
    base = {"--reward.model_name_or_path": "meta-llama/Llama-3.1-8B"}
    made(openrlhf(*(f"{key} {value}" for key, value in {**base, **given_values}.items())))
