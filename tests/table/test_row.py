from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.evidence.facts import Facts, GpuInfo
from bot.frameworks.plan import Field, Plan
from bot.report import Claim, ClaimVerdict, Evidence, JsonValue, Row
from bot.report.claims import ClaimName
from bot.script.name import read_name
from bot.table import RowDetails, make_row
from bot.table.row import model_name
from tests.table.factories import MODEL_KEY, plan

ACTOR = "actor_rollout_ref.actor."
OFFLOAD: dict[str, JsonValue] = {
    ACTOR + "fsdp_config.param_offload": True,
    ACTOR + "fsdp_config.optimizer_offload": True,
}
SCRIPT = "examples/tuning/7b/qwen2.5-7b_grpo_8_h20_fsdp_vllm.sh"
_ONE = "One GPU is taken, since no launcher starts more processes."
LINK = "https://github.com/example-org/example/blob/main/" + SCRIPT


def row(
    of: Plan,
    path: str = SCRIPT,
    *,
    facts: Facts | None = None,
    tag: str | None = "MIN",
    contributor: str | None = "octocat",
) -> Row:
    details = RowDetails(link=LINK, contributor=contributor, tag=tag)
    evidence = compared(of.train_batch_size.value) if facts is not None else None
    return make_row(of, read_name(path), details, facts=facts, evidence=evidence)


def run(**packages: str) -> Facts:
    return Facts(source="a run", requirements=packages)


def _claim(name: str, claimed: str | int | None, verdict: ClaimVerdict, reason: str) -> Claim:
    return Claim(
        claim=name,
        claimed=claimed,
        observed=claimed,
        source="history",
        verdict=verdict,
        reason=reason,
    )


def compared(batch: int | None, steps: ClaimVerdict = "consistent") -> Evidence:
    """What a run of 20 steps, or of fewer, shows of a batch."""
    largest = steps if batch is not None else "inconclusive"
    return Evidence(
        source="a run",
        verdict=steps,
        claims=(
            _claim(ClaimName.STEPS, "at least 20", steps, "These are the steps."),
            _claim(ClaimName.MAX_BATCH, batch, largest, "It is open."),
        ),
    )


def test_a_row_with_its_run_needs_no_note() -> None:
    assert row(plan(), facts=run(vllm="0.8.3")) == Row(
        tag="MIN",
        model="Qwen2.5-7B",
        task="GRPO",
        resource="8*H20",
        max_batch="1024",
        train="fsdp",
        infer="vllm0.8.3",
        link=LINK,
        contributor="octocat",
        notes=(),
    )


def test_a_batch_is_written_where_the_run_shows_that_it_fits() -> None:
    details = RowDetails(link=LINK, contributor="octocat", tag="MIN")
    verdicts: tuple[ClaimVerdict, ...] = ("inconclusive", "inconsistent")
    for verdict in verdicts:
        found = compared(1024, verdict)
        name = read_name(SCRIPT)
        made = make_row(plan(), name, details, facts=run(vllm="0.8.3"), evidence=found)
        assert (made.max_batch, made.notes) == ("\\", ("MaxBatch is left open. It is open.",))


def test_another_run_than_the_linked_one_shows_no_batch() -> None:
    other = _claim(ClaimName.RUN, "a/b/c", "inconclusive", "It is another.")
    found = Evidence(source="a run", verdict="inconclusive", claims=(other,))
    details = RowDetails(link=LINK, contributor="octocat", tag="MIN")
    made = make_row(plan(), read_name(SCRIPT), details, facts=run(vllm="1"), evidence=found)
    assert (made.max_batch, made.notes) == ("\\", ("MaxBatch is left open. It is another.",))


def test_what_is_not_known_is_a_backslash_with_a_note(snapshot: SnapshotAssertion) -> None:
    nothing = plan(
        model=None,
        algorithm=None,
        adapter=None,
        gpus=None,
        train=None,
        infer=None,
        batch=None,
        defaults=None,
    )
    made = row(nothing, "scripts/run.sh", tag=None, contributor=None)
    cells = asdict(made)
    assert [v for k, v in cells.items() if k not in ("link", "notes")] == ["\\"] * 8
    assert made.notes == snapshot


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("Qwen/Qwen2.5-7B", "Qwen2.5-7B"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B"),
        ("deepseek-ai/deepseek-llm-7b-chat", "deepseek-llm-7b"),
        ("google/gemma-2-9b-it", "gemma-2-9b"),
        ("Qwen/Qwen3-8B-Base", "Qwen3-8B"),
        ("Qwen/Qwen3-30B-A3B", "Qwen3-30B-A3B"),
        ("deepseek-ai/DeepSeek-V3", "DeepSeek-V3"),
        ("/data/models/Qwen2-7B-Instruct/", "Qwen2-7B"),
        ("/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/0a1b2c3d", "Qwen2.5-7B"),
        ("/root/.cache/modelscope/hub/Qwen/Qwen2___5-7B-Instruct", "Qwen2.5-7B"),
        ("ck/Qwen3-4B-RA-SFT/global_step_372/huggingface", "Qwen3-4B-RA-SFT"),
        ("out/checkpoint-500", None),
        ("./checkpoints/actor/huggingface", None),
        ("/data/hf_model", None),
        ("/", None),
    ],
)
def test_the_model_is_named_without_its_ending(path: str, name: str | None) -> None:
    assert model_name(path) == name
    assert row(plan(model=path)).model == (name or "\\")


def test_a_model_below_an_unknown_folder_is_known() -> None:
    known = plan({MODEL_KEY: "${?HOME}/models/Qwen2.5-7B-Instruct"}, model=None)
    assert row(known).model == "Qwen2.5-7B"
    unknown = plan({MODEL_KEY: "/models/${?MODEL}"}, model=None)
    assert row(unknown).model == "\\"
    torn = plan({MODEL_KEY: "/models/${?FAMILY}-7B"}, model=None)
    assert row(torn).model == "\\"


@pytest.mark.parametrize(
    ("algorithm", "adapter", "task"),
    [
        ("grpo", "", "GRPO"),
        ("grpo", "lora", "GRPO-LoRA"),
        ("gae", "", "PPO"),
        ("dapo", "", "DAPO"),
        ("rloo", "dora", "RLOO-DoRA"),
        ("grpo", None, "\\"),
        (None, "", "\\"),
    ],
)
def test_tasks(algorithm: str | None, adapter: str | None, task: str) -> None:
    made = row(plan(algorithm=algorithm, adapter=adapter), facts=run(vllm="0.8.3"))
    assert made.task == task
    assert bool(made.notes) is (task == "\\")


@pytest.mark.parametrize(
    ("device", "resource", "notes"),
    [
        ("h20", "8*H20", 0),
        ("h100", "8*H100", 0),
        ("a100-80", "8*A100", 0),
        ("4090", "8*RTX4090", 0),
        ("x9000", "8*X9000", 1),
    ],
)
def test_the_device_is_the_names(device: str, resource: str, notes: int) -> None:
    made = row(plan(), SCRIPT.replace("h20", device), facts=run(vllm="0.8.3"))
    assert made.resource == resource
    assert len(made.notes) == notes


def test_the_runs_device_is_the_rows_and_a_difference_is_said() -> None:
    facts = Facts(source="a run", gpus=(GpuInfo(name="NVIDIA H800", memory_bytes=85520809984),))
    made = row(plan(), facts=facts)
    assert made.resource == "8*H800"
    assert made.notes[0] == "The device H800 is the run's; the script's name says H20."
    # One name, two memories: what the run reports decides.
    large = Facts(source="a run", gpus=(GpuInfo(name="NVIDIA H20-3e", memory_bytes=150755868672),))
    assert row(plan(), facts=large).resource == "8*H20-141"
    torn = Facts(source="a run", gpus=(GpuInfo(name="NVIDIA H20", memory_bytes=150755868672),))
    assert row(plan(), facts=torn).resource == "8*H20"
    made = row(plan(), "lora/run_qwen.sh", facts=facts)
    assert made.resource == "8*H800"
    assert "The device H800 is the run's" in made.notes[0]


def test_a_program_alone_is_not_taken_for_one_gpu_on_a_host_of_several() -> None:
    alone = plan(framework="trl", gpus=None)
    assert row(alone, "7b/dpo_h100.sh").notes.count(_ONE) == 1
    facts = Facts(source="a run", gpus=(GpuInfo(name="NVIDIA H800"),) * 8)
    for made in (row(alone, "7b/dpo_h100.sh", facts=facts), row(alone)):  # The name says 8.
        assert made.resource == "\\"
        assert _ONE not in made.notes
        assert any("Give it to the launcher as a number" in note for note in made.notes)


def test_runs_on_unlike_or_unknown_devices_name_none() -> None:
    unlike = (GpuInfo(name="NVIDIA H800"), GpuInfo(name="NVIDIA L4"))
    unknown = (GpuInfo(name="NVIDIA H800"), GpuInfo(name="Nothing"))
    for gpus in (unlike, unknown, ()):
        made = row(plan(), "lora/run_qwen.sh", facts=Facts(source="a run", gpus=gpus))
        assert made.resource == "\\"


@pytest.mark.parametrize(
    ("engine", "packages", "infer", "noted"),
    [
        ("vllm", {"vllm": "0.8.3"}, "vllm0.8.3", False),
        ("vllm", {"vllm": "0.8.5.post1+cu124"}, "vllm0.8.5.post1", False),
        ("sglang", {"sglang": "0.4.6"}, "sglang0.4.6", False),
        ("trtllm", {"tensorrt-llm": "1.0"}, "trtllm1.0", False),
        ("vllm", {"torch": "2.6"}, "vllm", True),
        ("hf", {"transformers": "4.51"}, "hf", False),
    ],
)
def test_the_engines_version_is_the_runs(
    engine: str, packages: dict[str, str], infer: str, noted: bool
) -> None:
    made = row(plan(infer=engine), facts=run(**packages))
    assert made.infer == infer
    assert bool(made.notes) is noted


def test_without_a_run_the_engine_has_no_version() -> None:
    made = row(plan())
    assert made.infer == "vllm"
    assert "The version of vllm is unknown without a run" in made.notes[1]


@pytest.mark.parametrize(
    ("of", "tag", "note"),
    [
        (plan(OFFLOAD), "MIN", "turn parameter offload, optimizer offload and gradient"),
        (plan(), "RECOMMENDED", "leave parameter offload and optimizer offload off"),
        (plan(OFFLOAD, train="megatron"), "RECOMMENDED", "leave parameter offload"),
        (
            plan(
                {
                    ACTOR + "megatron.param_offload": True,
                    ACTOR + "megatron.optimizer_offload": True,
                    ACTOR + "megatron.override_transformer_config.recompute_granularity": "full",
                },
                train="megatron",
            ),
            "MIN",
            "a comment `# tag: RECOMMENDED` in the script overrides it",
        ),
        (plan({ACTOR + "fsdp_config.offload_policy": True}, train="fsdp2"), "MIN", "turn"),
        (
            plan({**OFFLOAD, "actor_rollout_ref.model.enable_gradient_checkpointing": "${?X}"}),
            "\\",
            "do not tell whether gradient checkpointing is on",
        ),
        (plan(OFFLOAD, defaults=None), "\\", "gradient checkpointing is on"),
        (
            plan({"adam_offload": True, "gradient_checkpointing": True}, framework="openrlhf"),
            "MIN",
            "turn optimizer offload and gradient checkpointing on",
        ),
        (
            plan({"ds.adam_offload": True}, framework="openrlhf"),
            "RECOMMENDED",
            "leave gradient checkpointing off; a comment `# tag: MIN`",
        ),
        (plan(framework="other"), "\\", "do not tell whether offload and gradient"),
    ],
)
def test_the_tag_follows_the_pages_definition(of: Plan, tag: str, note: str) -> None:
    made = row(of, tag=None, facts=run(vllm="0.8.3"))
    assert made.tag == tag
    assert note in made.notes[0]


def test_a_stated_tag_wins() -> None:
    made = row(plan(OFFLOAD), tag=" recommended ", facts=run(vllm="0.8.3"))
    assert (made.tag, made.notes) == ("RECOMMENDED", ())


def test_what_the_script_leaves_open_is_the_runs_with_a_note() -> None:
    key = "data.train_batch_size"
    open_ = plan({MODEL_KEY: "${?MODEL}", key: "${?BATCH}"}, model=None, batch=None)
    open_ = replace(
        open_, model=Field(None, None, MODEL_KEY), train_batch_size=Field(None, None, key)
    )
    config: dict[str, JsonValue] = {
        "data": {"train_batch_size": 176},
        "actor_rollout_ref": {"model": {"path": "/models/Qwen2.5-32B-Instruct"}},
    }
    facts = replace(run(vllm="0.8.3"), config=config)
    made = row(open_, facts=facts)
    assert (made.model, made.max_batch) == ("Qwen2.5-32B", "176")
    assert made.notes == (
        "The model Qwen2.5-32B is the run's; the script leaves it open.",
        "MaxBatch 176 is the run's; the script leaves it open.",
    )
    details = RowDetails(link=LINK, contributor="octocat", tag="MIN")
    few = compared(None, "inconclusive")
    made = make_row(open_, read_name(SCRIPT), details, facts=facts, evidence=few)
    assert (made.max_batch, made.notes[1]) == (
        "\\",
        "MaxBatch is left open. These are the steps.",
    )
    values: tuple[JsonValue, ...] = ("${x}", True, None)
    for value in values:
        broken: dict[str, JsonValue] = {"data": {"train_batch_size": value}}
        made = row(open_, facts=replace(facts, config=broken))
        assert (made.model, made.max_batch) == ("\\", "\\")


@pytest.mark.parametrize("version", ["", "@ada", "0.8.3 | x", "1" * 60, "0.8`3", "0.8.3\n.. raw::"])
def test_what_is_no_version_is_none(version: str) -> None:
    assert row(plan(), facts=run(vllm=version)).infer == "vllm"
