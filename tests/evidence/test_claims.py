"""Comparing a plan with facts: each claim's three verdicts, and the verdict of the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.base.naming_profiles import RUN
from bot.evidence.claims.compare import DECISIVE, compare
from bot.evidence.facts import RunId, SourceAgreement
from bot.evidence.links import RunLink
from bot.evidence.metrics import EACH_STEP
from bot.frameworks.plan import Field
from bot.frameworks.settings.setting import UNKNOWN
from bot.report import Claim, Evidence
from bot.script.name import read_name
from tests.evidence.samples import (
    MATCHING,
    NAME,
    claim,
    config,
    evidence,
    facts,
    gpu,
    named,
    plan,
    series,
    setting,
)

GIB = 2**30
LINK = RunLink("wandb.ai", "verl-team", "verl_tuning", "abc123")


def history(**values: Any) -> dict[str, Any]:
    """The history of `facts` with other maxima; None leaves a metric out."""
    made = dict(facts().history)
    for key, value in values.items():
        name = key.replace("__", "/")
        made.pop(name, None)
        if value is not None:
            made[name] = value if not isinstance(value, int | float) else series(name, value)
    return made


def test_what_backs_the_script_fires_nothing() -> None:
    found = evidence(link=LINK)
    assert {c.verdict for c in found.claims} == {"consistent"}
    assert found.verdict == "consistent"
    assert found.run.url == LINK.url
    assert (found.steps, found.peak_gib, found.device_gib) == (60, 71.2, 79.647)


@pytest.mark.parametrize(
    "path",
    [
        "Qwen/Qwen2.5-7B-Instruct/",
        "/mnt/models/Qwen2.5-7B-Instruct",
        "/root/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/a09a35458c70",
        "/root/.cache/modelscope/hub/models/Qwen/Qwen2___5-7B-Instruct",
        "qwen/qwen2.5-7b-instruct",
    ],
)
def test_the_same_model_from_another_place(path: str) -> None:
    found = evidence(facts(config=config(actor_rollout_ref__model__path=path)))
    assert claim(found, "model").verdict == "consistent"
    assert found.settings_consistent == found.settings_compared == 20


@pytest.mark.parametrize("path", ["Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-14B-Instruct", "", "/"])
def test_another_model(path: str) -> None:
    found = evidence(facts(config=config(actor_rollout_ref__model__path=path)))
    assert claim(found, "model").verdict == "inconsistent"
    assert found.verdict == "inconsistent"


@pytest.mark.parametrize(
    ("observed", "verdict"),
    [
        ("/models/Qwen2.5-7B-Instruct", "consistent"),
        ("/models/Qwen2.5-32B", "inconsistent"),
        ("/models/checkpoint-100", "inconclusive"),
    ],
)
def test_a_model_from_a_variable_is_compared_with_the_files_name(
    observed: str, verdict: str
) -> None:
    run = facts(config=config(actor_rollout_ref__model__path=observed))
    found = evidence(run, actor_rollout_ref__model__path=UNKNOWN)
    assert claim(found, "model").verdict == verdict


@pytest.mark.parametrize(
    ("changes", "verdict", "words"),
    [
        ({}, "consistent", "60 steps, with responses of up to 1024 of 1024 tokens."),
        ({"exit_code": None}, "consistent", "the log has no end"),
        ({"exit_code": 255}, "consistent", "60 steps"),
        ({"exit_code": 1}, "inconclusive", "exit code 1"),
        ({"out_of_memory": "CUDA out of memory"}, "inconsistent", "after 60 steps"),
        ({"history": history(training__global_step=19)}, "inconclusive", "19 steps are too few"),
        ({"history": history(training__global_step=None)}, "inconclusive", "training/global_step"),
        ({"history": history(response_length__max=512)}, "inconclusive", "512 of 1024 tokens"),
        ({"history": history(response_length__max=1025)}, "inconclusive", "more than the 1024"),
        ({"history": history(response_length__max=None)}, "inconclusive", "response_length/max"),
        (
            {"history": history(training__global_step=series("training/global_step", 412, 12))},
            "inconclusive",
            "12 steps are too few",
        ),
        (
            {"history": history(training__global_step=series("training/global_step", 3, 500))},
            "inconclusive",
            "3 steps are too few",
        ),
    ],
)
def test_steps(changes: dict[str, Any], verdict: str, words: str) -> None:
    found = evidence(facts(**changes))
    steps = claim(found, "steps without OOM")
    assert (steps.verdict, words in steps.reason) == (verdict, True), steps.reason
    assert found.verdict == verdict


@pytest.mark.parametrize("name", EACH_STEP)
def test_steps_whose_number_is_no_metric(name: str) -> None:
    """verl before 0.4, and its fine-tuning."""
    rows = history(training__global_step=None) | {name: series(name, 3.5, rows=27)}
    steps = claim(evidence(facts(history=rows)), "steps without OOM")
    assert (steps.verdict, steps.observed) == ("consistent", 27)


def test_an_out_of_memory_line_without_any_step() -> None:
    run = facts(history={}, out_of_memory="torch.OutOfMemoryError: CUDA out of memory.")
    found = claim(evidence(run), "steps without OOM")
    assert found.observed == "torch.OutOfMemoryError: CUDA out of memory."
    assert found.verdict == "inconsistent"


def test_a_notebook_may_run_out_of_memory_after_its_training() -> None:
    """shaiiikh/Math-Meme-Repair: 60 steps, and then a cell that loads the model once more."""
    run = facts(out_of_memory="CUDA out of memory. Tried to allocate", program="Q2.ipynb")
    found = claim(evidence(run), "steps without OOM")
    assert (found.verdict, found.observed) == ("inconclusive", run.out_of_memory)


def test_a_host_with_more_gpus_than_the_job_used_is_said() -> None:
    two, eight = (
        claim(
            evidence(facts(system={i: series("s", 70 * GIB) for i in range(gpus)})), "peak memory"
        )
        for gpus in (2, 8)
    )
    assert two.verdict == eight.verdict == "consistent"
    assert "another's" not in two.reason
    assert eight.reason.endswith(
        "The job used 2 GPUs of the 8 that were watched: the fullest may be another's."
    )


def physical(gib: float) -> dict[str, Any]:
    return {"system": {0: series("s0", 3 * GIB, 9), 3: series("s3", gib * GIB, 240)}}


@pytest.mark.parametrize(
    ("changes", "verdict", "observed", "source"),
    [
        (physical(71.2), "consistent", "71.2 GiB", "system stream, GPU 3"),
        (physical(80.3), "consistent", "80.3 GiB", "system stream, GPU 3"),
        (physical(80.6), "inconsistent", "80.6 GiB", "system stream, GPU 3"),
        # An idle host: the process that wrote the run sat elsewhere.
        (physical(3.5), "inconclusive", "3.5 GiB", "system stream, GPU 3"),
        ({"system": {0: series("s", 0.0)}}, "inconclusive", "0.0 GiB", "system stream, GPU 0"),
        (
            {"system": {}},
            "consistent",
            "61.0 GiB",
            "history: perf/max_memory_allocated_gb (allocated)",
        ),
        # vLLM's released pool counts: more than the card holds is no fraud.
        (
            {"system": {}, "history": history(perf__max_memory_reserved_gb=112.9)},
            "inconclusive",
            "112.9 GiB",
            "history: perf/max_memory_reserved_gb (reserved)",
        ),
        (
            {"system": {}, "history": history(perf__max_memory_allocated_gb=None)},
            "inconclusive",
            None,
            "system stream, history",
        ),
    ],
)
def test_peak_memory(
    changes: dict[str, Any], verdict: str, observed: str | None, source: str
) -> None:
    peak = claim(evidence(facts(**changes)), "peak memory")
    assert (peak.verdict, peak.observed, peak.source) == (verdict, observed, source)


def test_a_peak_against_the_claimed_device_when_the_host_names_none() -> None:
    run = facts(gpus=(), **physical(90.0))
    assert claim(evidence(run), "peak memory").verdict == "inconsistent"
    unnamed = compare(plan(), named("run_qwen2.5-7b_fsdp.sh"), run)
    assert claim(unnamed, "peak memory").verdict == "inconclusive"


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (RunId(id="abc123", entity="verl-team", project="verl_tuning"), "consistent"),
        (RunId(id="abc123"), "consistent"),
        (RunId(id="abc124", entity="verl-team", project="verl_tuning"), "inconclusive"),
        (RunId(id="abc123", entity="someone", project="verl_tuning"), "inconclusive"),
        (RunId(id="abc123", entity="verl-team", project="other"), "inconclusive"),
        (RunId(), "inconclusive"),
    ],
)
def test_the_run_is_the_linked_one(run: RunId, verdict: str) -> None:
    found = evidence(facts(run=run), link=LINK)
    assert claim(found, "run").verdict == verdict
    assert found.verdict == verdict
    assert (found.run.url is not None) == (verdict == "consistent")


def test_adapters_that_are_loaded_and_adapters_of_megatron() -> None:
    loaded = config(
        actor_rollout_ref__model__lora_rank=0,
        actor_rollout_ref__model__lora_adapter_path="/adapters/a",
    )
    assert claim(evidence(facts(config=loaded)), "adapter").verdict == "consistent"
    dora = config(
        actor_rollout_ref__model__lora_rank=0,
        actor_rollout_ref__model__lora={"rank": 16, "type": "dora"},
    )
    found = claim(evidence(facts(config=dora)), "adapter")
    assert (found.verdict, found.claimed, found.observed) == ("inconsistent", "lora", "dora")
    script = replace(plan(), adapter=Field("dora", None, "actor_rollout_ref.model.lora.rank"))
    assert claim(compare(script, NAME, facts(config=dora)), "adapter").verdict == "consistent"


@pytest.mark.parametrize(
    ("rank", "script", "verdict"),
    [
        (32, {}, "consistent"),
        (0, {}, "inconsistent"),
        (0, {"actor_rollout_ref__model__lora_rank": 0}, "consistent"),
        (16, {"actor_rollout_ref__model__lora_rank": 0}, "inconsistent"),
    ],
)
def test_the_adapter(rank: int, script: dict[str, Any], verdict: str) -> None:
    run = facts(config=config(actor_rollout_ref__model__lora_rank=rank))
    assert claim(evidence(run, **script), "adapter").verdict == verdict


def test_max_batch_never_says_that_more_would_not_fit() -> None:
    assert "Whether more fits was not shown" in claim(evidence(), "max batch").reason
    less = evidence(facts(config=config(data__train_batch_size=116)))
    found = claim(less, "max batch")
    assert (found.verdict, found.claimed, found.observed) == ("inconsistent", 128, 116)
    assert claim(less, "train batch").verdict == "inconsistent"


def test_the_frameworks_default_counts_only_for_its_own_release() -> None:
    run = facts(config=config(actor_rollout_ref__actor__strategy="fsdp2"))
    found = claim(evidence(run), "train backend")
    assert found.verdict == "inconclusive"
    assert "whose default in verl 0.9.1 differs" in found.reason
    same_release = replace(run, requirements={"verl": "0.9.1"})
    assert claim(evidence(same_release), "train backend").verdict == "inconsistent"


def test_a_backend_chosen_by_a_configuration_group() -> None:
    chosen = setting("model_engine", "megatron")
    base = plan(chosen)
    script = replace(base, train=Field("megatron", None, "model_engine"))
    run = facts(config=config(actor_rollout_ref__actor__strategy="megatron", model_engine={"x": 1}))
    found = compare(script, NAME, run)
    assert claim(found, "train backend").verdict == "consistent"
    assert claim(found, "model_engine").verdict == "inconclusive"
    assert "chooses a group" in claim(found, "model_engine").reason
    script = replace(script, train=Field("fsdp", None, "model_engine"))
    assert claim(compare(script, NAME, run), "train backend").verdict == "inconsistent"


def test_a_name_against_the_run_where_the_script_is_silent() -> None:
    run = facts(config=config(actor_rollout_ref__rollout__name="sglang"))
    found = claim(evidence(run, actor_rollout_ref__rollout__name=UNKNOWN), "inference engine")
    assert (found.verdict, found.claimed) == ("inconclusive", "vllm")
    known = claim(evidence(actor_rollout_ref__rollout__name=UNKNOWN), "inference engine")
    assert known.verdict == "consistent"


def test_what_a_name_has_in_the_place_of_a_backend_claims_none() -> None:
    """dingxianzhong/play-verl: `run_demo_qwen2.5b_grpo_8gpu.sh` claimed the backend 8gpu."""
    name = read_name("run_demo_grpo_8gpu.sh", [RUN])
    script = replace(plan(), train=Field(None, None, None))
    claims = compare(script, name, facts()).claims
    assert [c.claimed for c in claims if c.claim == "train backend"] == [None]


def test_what_neither_side_sets_is_no_claim() -> None:
    key = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
    base = plan()
    script = replace(
        base,
        settings=tuple(s for s in base.settings if s.key != key),
        micro_batch_size_per_gpu=Field(None, None, key),
    )
    unset = config(actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu=None)
    names = [c.claim for c in compare(script, NAME, facts(config=unset)).claims]
    assert "micro batch per GPU" not in names
    found = claim(compare(script, NAME, facts()), "micro batch per GPU")
    assert (found.verdict, found.reason) == ("inconclusive", "The script does not set it.")


def one_setting(found: Evidence, key: str) -> Claim:
    return claim(found, key)


def test_settings_that_cannot_be_compared_are_counted_apart() -> None:
    extra = (
        setting("trainer.default_local_dir", UNKNOWN),
        setting("actor_rollout_ref.rollout.max_num_batched_tokens", "${data.max_prompt_length}"),
        setting("no.such.key", 1, "+"),
        setting("hydra.run.dir", "out"),
        setting("algorithm.gamma", "${oc.env:GAMMA}"),
    )
    found = compare(plan(*extra), NAME, facts())
    for key in (s.key for s in extra):
        assert one_setting(found, key).verdict == "inconclusive"
    assert "has no such key" in one_setting(found, "no.such.key").reason
    assert (found.settings_compared, found.settings_consistent) == (20, 20)
    assert found.verdict == "consistent"


@pytest.mark.parametrize("text", ["/path/to/gsm8k/train.parquet", "<path-to-your-dataset>"])
def test_a_placeholder_of_the_script_contradicts_no_run(text: str) -> None:
    found = evidence(data__train_files=text, actor_rollout_ref__model__path="<your-model>")
    for of_script in (one_setting(found, "data.train_files"), claim(found, "model")):
        assert of_script.verdict == "inconclusive"
        assert "placeholder" in of_script.reason
    assert found.verdict == "inconclusive"


def test_a_key_of_the_run_stands_nowhere_in_the_report() -> None:
    key, private = "trainer.api_key", "0123456789abcdef0123456789abcdef01234567"
    run = facts(config=config(trainer__api_key=private))
    found = compare(plan(setting(key, "none of mine")), NAME, run)
    assert one_setting(found, key).verdict == "inconclusive"
    assert private not in repr(found)
    assert "***" in repr(found)


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("-m verl.trainer.main_ppo", "consistent"),
        ("-m verl.trainer.fsdp_sft_trainer", "inconsistent"),
        ("/venv/lib/python3.12/site-packages/ray/_private/workers/default_worker.py", None),
        ("-m my.wrapper", None),
        (None, None),
    ],
)
def test_the_program_where_it_decides_the_algorithm(
    program: str | None, verdict: str | None
) -> None:
    run = facts(program=program, config=config(algorithm__adv_estimator=None))
    script = replace(plan(), algorithm=Field("sft"))
    found = claim(compare(script, NAME, run), "algorithm")
    assert found.verdict == (verdict or "inconsistent")
    assert ("program" in found.reason) is (verdict is not None)
    of_setting = claim(compare(plan(), NAME, facts(program=program)), "algorithm")
    assert of_setting.verdict == "consistent"


def test_the_last_of_a_repeated_key_counts() -> None:
    extra = setting("trainer.total_epochs", 99), setting("trainer.total_epochs", 15, "++")
    found = compare(plan(*extra), NAME, facts())
    assert one_setting(found, "trainer.total_epochs").verdict == "consistent"
    assert found.settings_compared == 20


@pytest.mark.parametrize(
    ("key", "verdict"),
    [("algorithm.not_there", "consistent"), ("algorithm.gamma", "inconsistent")],
)
def test_a_deleted_key_must_be_gone(key: str, verdict: str) -> None:
    found = compare(plan(setting(key, None, "~")), NAME, facts())
    assert one_setting(found, key).verdict == verdict


def test_settings_come_after_the_rows_claims_in_alphabetical_order() -> None:
    names = [c.claim for c in evidence(link=LINK).claims]
    assert names[:5] == ["run", "model", "algorithm", "adapter", "gpus"]
    assert names[16] == "max batch"
    assert names[17:20] == ["peak memory, allocator", "running maximum", "peak above the weights"]
    assert names[20:] == sorted(names[20:])
    assert len(set(names)) == len(names)


def test_without_a_configuration_everything_stays_open() -> None:
    found = evidence(facts(config={}), link=LINK)
    about_config = [c for c in found.claims if "config" in c.source]
    assert len(about_config) > 20
    assert {c.verdict for c in about_config} == {"inconclusive"}
    assert found.settings_compared == 0
    assert found.verdict == "inconclusive"


def test_a_gap_keeps_the_whole_open_and_hides_no_contradiction() -> None:
    gap = ("The log ends in the middle of a record at byte 5: what the run wrote is missing.",)
    assert evidence(facts(gaps=gap)).verdict == "inconclusive"
    wrong = facts(gaps=gap, config=config(data__train_batch_size=1))
    assert evidence(wrong).verdict == "inconsistent"


def test_each_decisive_claim_is_made() -> None:
    one = facts(agreement=SourceAgreement("consistent", 1, ""))
    assert {c.claim for c in evidence(one, link=LINK).claims} >= DECISIVE


def test_values_of_the_run_are_cut_and_say_so() -> None:
    run = facts(config=config(data__train_files="<b>" + "x" * 5000))
    found = one_setting(evidence(run), "data.train_files")
    assert isinstance(found.observed, str)
    assert found.observed.endswith("…(+4803 characters)")
    assert len(found.observed) < 230


def test_openrlhf_is_compared_by_its_own_settings() -> None:
    values: dict[str, Any] = {
        "pretrain": "OpenRLHF/Llama-3-8b-sft-mixture",
        "advantage_estimator": "group_norm",
        "actor_num_nodes": 1,
        "actor_num_gpus_per_node": 4,
        "vllm_num_engines": 4,
        "rollout_batch_size": 1024,
        "zero_stage": 3,
    }
    base = plan(framework="openrlhf")
    script = replace(
        base,
        settings=tuple(setting(key, value) for key, value in values.items()),
        model=Field(values["pretrain"], None, "pretrain"),
        algorithm=Field("grpo", None, "advantage_estimator"),  # OpenRLHF's name is another one.
        adapter=Field(""),
        gpus=Field(4),
        gpus_per_node=Field(4),
        nodes=Field(1),
        train=Field("deepspeed", default=True),
        infer=Field("vllm", None, "vllm_num_engines"),
        train_batch_size=Field(1024, None, "rollout_batch_size"),
    )
    name = named("llama3-8b_ppo_4_h800_deepspeed_vllm.sh")
    host = (gpu("NVIDIA H800", 79.65),) * 8
    run = facts(config={**values, "lora_rank": 0}, host_gpu_count=8, gpus=host)
    found = compare(script, name, run)
    for about in ("model", "algorithm", "adapter", "gpus", "train backend", "train batch"):
        assert claim(found, about).verdict == "consistent", about
    assert claim(found, "inference engine").observed == "vllm 0.8.3"
    assert found.settings_consistent == found.settings_compared == 7
    other = replace(run, config={**run.config, "actor_num_gpus_per_node": 8})
    assert claim(compare(script, name, other), "gpus").verdict == "inconsistent"
    # The engine's claim asks for engines alone: how many is a claim of its own.
    other = replace(run, config={**run.config, "vllm_num_engines": 8})
    assert claim(compare(script, name, other), "inference engine").verdict == "consistent"
    assert claim(compare(script, name, other), "vllm_num_engines").verdict == "inconsistent"


def test_the_recipe_of_the_matching_run_agrees_with_the_plain_facts() -> None:
    assert dict(facts().config) == MATCHING.config
