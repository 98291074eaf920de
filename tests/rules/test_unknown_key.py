from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import fixed, found, marked, quiet

SLUG = "unknown-key"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("+trainer.my_own=1"),
        verl("++trainer.my_own=1"),
        verl("+actor_rollout_ref.model.override_config.attn_implementation=eager"),
        verl("data.train_files=$UNKNOWN", "data.train_batch_size=$(date +%s)"),
        verl("model_engine=megatron", "actor_rollout_ref.actor.megatron.param_offload=True"),
        verl("'data.train_files=[a.parquet,b.parquet]'"),
        verl("'~trainer.val_before_train'"),
        verl("$EXTRA"),
        verl(end=' "$@"'),
        verl("hydra.run.dir=out"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "setting",
    [
        "actor_rollout_ref.actor.ppo_minibatch_size=256",
        "actor_rollout_ref.rollout.enable_chunked_prefil=False",
        "actor_rollout_ref.actor.megatron.param_offload=True",
        "actor_rollout_ref.rollout.nothing_of_the_kind_anywhere=1",
        "trainer.nnodes.count=1",
        "'~trainer.nothing'",
        "critic.model.fsdp_config.grad_offload=True",
    ],
)
def test_a_key_that_verl_does_not_have(setting: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, verl(setting, before="# verl: 0.9.1")) == snapshot


def test_settings_of_one_missing_choice_are_told_once(snapshot: SnapshotAssertion) -> None:
    megatron = "actor_rollout_ref.actor.megatron"
    script = verl(
        f"{megatron}.param_offload=True",
        f"{megatron}.tensor_model_parallel_size=8",
        "actor_rollout_ref.ref.megatron.param_offload=True",
    )
    assert marked(SLUG, script) == snapshot


def test_does_not_suggest_what_is_set_already(snapshot: SnapshotAssertion) -> None:
    megatron = "actor_rollout_ref.actor.megatron"
    script = verl(
        "model_engine=megatron",
        f"{megatron}.param_offload=True",
        f"{megatron}.grad_offload=True",
        before="# verl: 0.9.1",
    )
    assert marked(SLUG, script) == snapshot


def test_a_key_of_another_release(snapshot: SnapshotAssertion) -> None:
    script = verl("reward_model.launch_reward_fn_async=True", before="# verl: 0.4.1")
    assert quiet(SLUG, script)
    script = verl("reward_model.launch_reward_fn_async=True", before="# verl: 0.9.1")
    assert marked(SLUG, script) == snapshot


def test_a_key_of_another_release_where_nobody_says_which_is_meant() -> None:
    assert quiet(SLUG, verl("reward_model.launch_reward_fn_async=True"))


def test_points_into_an_array(snapshot: SnapshotAssertion) -> None:
    script = "ARGS=(\n    data.train_batch_sizes=64\n)\n" + verl('"${ARGS[@]}"')
    assert marked(SLUG, script) == snapshot


def test_a_configuration_of_ones_own_is_something_unchecked(snapshot: SnapshotAssertion) -> None:
    script = "python3 -m recipe.mine.main_mine trainer.my_own=1\n"
    assert marked(SLUG, script) == snapshot


def test_openrlhf(snapshot: SnapshotAssertion) -> None:
    script = "# openrlhf: 0.11.2\n"
    script += "python3 -m openrlhf.cli.train_ppo_ray --zero_stage 3 --num_workers 4\n"
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    "settings",
    [
        ["critic.diversity.scale=1"],
        ["critic.diversity.scale=1", "critic.enabel=True", "trainer.of.no.use=1"],
        ["+diversity.scale=1", "++diversity.clip=2"],
    ],
)
def test_settings_of_no_common_section_are_told_one_by_one(settings: list[str]) -> None:
    told = [f.message for f in found(SLUG, verl(*settings, before="# verl: 0.9.1"))]
    assert len(told) == sum(not setting.startswith("+") for setting in settings)
    assert not any("section" in text for text in told)


def test_a_missing_section_is_told_once(snapshot: SnapshotAssertion) -> None:
    own = [f"diversity_reward.{name}=1" for name in ("enable", "scale", "clip", "mean", "v_ref")]
    script = verl(*own, "diversity_reward.encoder.path=a", before="# verl: 0.9.1")
    assert marked(SLUG, script) == snapshot
    script = verl(*own, "diversity_reward.a=1", "diversity_reward.b=1", before="# verl: 0.9.1")
    assert marked(SLUG, script) == snapshot


def test_a_misspelt_section_is_corrected_in_each_of_its_settings(
    snapshot: SnapshotAssertion,
) -> None:
    section = "actor_rollout_ref.rolout"
    script = verl(f"{section}.top_p=0.9", f"{section}.temperature=0.7", before="# verl: 0.9.1")
    assert marked(SLUG, script) == snapshot
    fine = fixed(SLUG, script)
    assert "actor_rollout_ref.rollout.top_p=0.9" in fine
    assert "actor_rollout_ref.rollout.temperature=0.7" in fine


def test_a_section_of_an_older_release_says_so(snapshot: SnapshotAssertion) -> None:
    names = ("enable", "len", "penalty_factor")
    own = [f"reward_model.overlong_buffer.{name}=1" for name in names]
    old = [f"trainer.npu_profile.options.{name}=1" for name in ("level", "record_shapes")]
    assert marked(SLUG, verl(*own, *old, before="# verl: 0.9.1")) == snapshot


@pytest.mark.parametrize(
    ("before", "severity"),
    [
        ('export PYTHONPATH="$PWD/external/Search-R1:$PWD"', "warning"),
        ("export PYTHONPATH=/opt/verl:$PYTHONPATH", "warning"),
        ("# verl: 0.9.1\nexport PYTHONPATH=/opt/verl:$PYTHONPATH", "error"),
        ('export PYTHONPATH="$PWD:${PYTHONPATH:-}"', "error"),
        ("export PYTHONPATH=.:/opt/other", "error"),
        ("", "error"),
    ],
)
def test_a_copy_of_verl_that_is_elsewhere(before: str, severity: str) -> None:
    """TiandaSun/KG_GRPO starts the verl of a clone of Search-R1, which it does not hold."""
    (finding,) = found(SLUG, verl("data.max_obs_length=500", before=before))
    assert finding.severity == severity


@pytest.mark.parametrize(
    ("setting", "near"),
    [
        (
            "actor_rollout_ref.actor.ppo_mini_bach_size=8",
            "actor_rollout_ref.actor.ppo_mini_batch_size",
        ),
        ("actor_rollout_ref.rolout.n=8", "actor_rollout_ref.rollout.n"),
        ("trainer.save_frq=5", "trainer.save_freq"),
        ("actor_rollout_ref.rollout.n_val=1", None),  # A fork's own, as those below.
        ("actor_rollout_ref.actor.clip_ratio_2=1", None),
        ("trainer.use_legacy_worker_impl=auto", None),  # Of another release.
        ("data.max_obs_length=5", None),
        ("+trainer.save_frq=5", None),
    ],
)
def test_a_slip_in_a_setting_for_a_fork_is_a_warning(setting: str, near: str | None) -> None:
    files = {"requirements.txt": b"verl @ git+https://github.com/somebody/verl@main\n"}
    script = ScriptFile(path="run.sh", data=verl("trainer.of_the_fork=1", setting).encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    told = [(f.severity, f.help) for f in report.findings if f.id == "RLB020"]
    assert told == ([("warning", f"did you mean {near}?")] if near else [])
    assert any("installs a fork" in one.reason for one in report.unchecked)


@pytest.mark.parametrize(
    ("settings", "help_"),
    [
        (  # minjayb/my-verl pins verl 0.7.0.
            ("reward.custom_reward_function.path=a.py", "reward.custom_reward_function.name=b"),
            "did you mean custom_reward_function.path and custom_reward_function.name?",
        ),
        (
            (
                "reward.custom_reward_function.path=a.py",
                "reward.custom_reward_function.name=b",
                "custom_reward_function.path=a.py",
            ),
            "remove the settings",
        ),
        (  # A data set of frelam/verl's own reads it.
            ("data.format_only=True",),
            "remove the setting, or write +data.format_only if code of yours reads it",
        ),
        (("actor_rollout_ref.actor.mine=True",), "remove the setting"),  # It becomes an object.
        (  # A field of its class that stands in no file of the configuration.
            ("actor_rollout_ref.rollout.limit_images=64",),
            "write +actor_rollout_ref.rollout.limit_images",
        ),
    ],
)
def test_what_helps(settings: tuple[str, ...], help_: str) -> None:
    (finding,) = found(SLUG, verl(*settings, before="# verl: 0.7.0"))
    assert finding.help == help_


@pytest.mark.parametrize(
    "setting",
    [
        "reward.reward_manager.name=naive",
        "actor_rollout_ref.actor.profiler=null",
        "reward.reward_manager=$MANAGER",
        "'reward.reward_manager=${reward.other}'",
        "reward.reward_manager={name:naive}",
        "actor_rollout_ref.rollout.engine_kwargs.vllm=1",  # Empty, so that nothing is lost.
    ],
)
def test_a_section_that_stays_one(setting: str) -> None:
    assert not [f for f in found(SLUG, verl(setting)) if "is a section" in f.message]


def test_a_text_in_the_place_of_a_section() -> None:
    """verl-recipe's flash_rl_ascend in March 2026."""
    (finding,) = found(SLUG, verl("reward.reward_manager=naive"))
    assert (finding.severity, finding.help) == (
        "warning",
        "did you mean reward.reward_manager.name?",
    )
    assert finding.message == (
        "reward.reward_manager is a section: naive takes the place of all its settings"
    )


@pytest.mark.parametrize(
    ("name", "shown"), [('"$1"', "…"), ('"$CFG"', "…"), ("ppo_${CFG}", "ppo_…")]
)
def test_a_name_of_a_configuration_that_only_a_run_knows(name: str, shown: str) -> None:
    """The repository was said to lack verl/trainer/main_ppo.py, which it need not have."""
    data = f"python3 -m verl.trainer.main_ppo --config-name {name} trainer.bogus=1\n".encode()
    place = InCheckout(Checkout({"run.sh": data}))
    report = check_script(ScriptFile(path="run.sh", data=data), CheckOptions(place=place))
    assert all(one.id != "RLB020" for one in report.findings)
    (reason,) = [one.reason for one in report.unchecked if one.check.startswith("RLB020")]
    assert reason == (
        "the settings of verl.trainer.main_ppo are not known: only a run knows which "
        f"configuration --config-name {shown} names"
    )


@pytest.mark.parametrize(
    ("asked", "installs", "unknown"),
    [
        ("transformers==4.57.1", "", []),
        ("transformers<5", "", []),
        ("transformers[torch]>=4.56,<5.0.0", "", []),
        ("transformers~=4.57", "", []),
        ("transformers==5.1.0", "", []),
        ("", "pip install -U transformers==4.57.1", []),
        ("transformers==5.3.0", "", ["group_by_length"]),
        ("transformers>=5.2,<6", "", ["group_by_length", "warmup_ratio"]),
        ("transformers~=5.0", "", ["group_by_length", "warmup_ratio"]),
        ("transformers!=5.15.0", "", ["group_by_length", "warmup_ratio"]),
        ("transformers-stream-generator==0.1", "", ["group_by_length", "warmup_ratio"]),
        ("", "", ["group_by_length", "warmup_ratio"]),
    ],
)
def test_an_option_that_an_older_transformers_has(
    asked: str, installs: str, unknown: list[str]
) -> None:
    files = {"requirements.txt": f"trl==1.16.0\n{asked}\n".encode()}
    text = f"{installs}\ntrl sft --model_name_or_path m --group_by_length true --warmup_ratio 0.1\n"
    script = ScriptFile(path="run.sh", data=text.encode())
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    told = [f.message for f in report.findings if f.id == "RLB020"]
    assert [message.split()[3].strip("-") for message in told] == unknown


@pytest.mark.parametrize(
    ("asked", "unknown"),
    [
        ("", 0),
        ("transformers", 0),
        ("transformers>=4.56", 0),
        ("transformers==5.23.0", 0),
        ("transformers~=5.0", 0),
        ("transformers==5.12.0", 1),
        ("transformers<5", 1),
    ],
)
def test_an_option_that_a_newer_transformers_has(asked: str, unknown: int) -> None:
    """Since its 5.23, and TRL 1.15 is read with 5.19; who asks for none gets the newest."""
    files = {"requirements.txt": f"trl==1.15.0\n{asked}\n".encode()}
    text = b"trl sft --model_name_or_path m --activation_checkpointing true\n"
    report = check_script(
        ScriptFile(path="run.sh", data=text), CheckOptions(place=InCheckout(Checkout(files)))
    )
    assert [f.id for f in report.findings].count("RLB020") == unknown


def test_what_trl_added_itself_is_not_there_before_with_any_transformers() -> None:
    files = {"requirements.txt": b"trl==0.25.1\n"}
    text = b"trl sft --model_name_or_path m --use_peft --bnb_4bit_quant_storage bfloat16\n"
    report = check_script(
        ScriptFile(path="run.sh", data=text), CheckOptions(place=InCheckout(Checkout(files)))
    )
    assert [f.id for f in report.findings].count("RLB020") == 1


def test_what_trl_dropped_itself_is_gone_with_any_transformers() -> None:
    files = {"requirements.txt": b"trl==1.16.0\ntransformers==4.57.1\n"}
    text = b"trl sft --model_name_or_path m --torch_dtype bfloat16 --max_seq_length 512\n"
    report = check_script(
        ScriptFile(path="run.sh", data=text), CheckOptions(place=InCheckout(Checkout(files)))
    )
    assert [f.id for f in report.findings].count("RLB020") == 2


@pytest.mark.parametrize(
    ("option", "help_"),
    [
        ("--max_seq_length 512", "did you mean --max_length?"),
        ("--torch_dtype bfloat16", "did you mean --dtype?"),
        ("--evaluation_strategy steps", "did you mean --eval_strategy?"),
        ("--max_seq_length 512 --max_length 512", "remove the setting"),
        ("--overwrite_output_dir true", "remove the setting"),
    ],
)
def test_what_trl_renamed_is_named_by_what_it_is_now(option: str, help_: str) -> None:
    (finding,) = found(SLUG, f"# trl: 1.16.0\ntrl sft --model_name_or_path m {option}\n")
    assert finding.help == help_


def test_a_field_that_only_the_class_names_is_added_with_a_plus() -> None:
    script = verl("actor_rollout_ref.rollout.limit_images=64", before="# verl: 0.9.1")
    (finding,) = found(SLUG, script)
    assert finding.message == (
        "the configuration names no actor_rollout_ref.rollout.limit_images, which its class "
        "RolloutConfig takes"
    )
    assert quiet(
        SLUG, script.replace("actor_rollout_ref.rollout.limit", "+actor_rollout_ref.rollout.limit")
    )


@pytest.mark.parametrize(
    ("first", "severity"), [("from unsloth import FastModel\n", "warning"), ("", "error")]
)
def test_unsloth_drops_what_it_does_not_know(first: str, severity: str) -> None:
    """the-submitter/nvidia-nemotron: since 2026.8.17 its classes tell of it, and go on."""
    load = "FastModel" if first else "AutoModelForCausalLM"
    text = (
        f"# trl: 1.15.0\n{first}from transformers import AutoModelForCausalLM\n"
        "from trl import DPOConfig, DPOTrainer\n"
        f"model, tokenizer = {load}.from_pretrained('unsloth/Qwen3-4B')\n"
        "args = DPOConfig(output_dir='o', dataset_text_field='text')\n"
        "DPOTrainer(model=model, args=args).train()\n"
    )
    report = check_script(ScriptFile(path="train.py", data=text.encode()), CheckOptions())
    assert [f.severity for f in report.findings if f.id == "RLB020"] == [severity]


def test_a_launch_without_settings_says_that_its_configuration_is_not_there() -> None:
    """turboweii/ig-grpo-agent: a folder too near the script, of which nothing was said."""
    files = {
        "configs/mine.yaml": b"defaults: [ppo_trainer, _self_]\nmine: 1\n",
        "scripts/train/requirements.txt": b"hydra-core\n",
    }
    data = (
        b"python -m verl.trainer.main_ppo --config-path=$PWD/scripts/configs --config-name=mine\n"
    )
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="scripts/train/run.sh", data=data), options)
    (reason,) = [one.reason for one in report.unchecked if one.check.startswith("RLB020")]
    assert reason == (
        "the settings of verl.trainer.main_ppo are not known: --config-path leads to "
        "…/scripts/configs, which is no configuration folder of this repository; configs is one"
    )


@pytest.mark.parametrize(
    ("patch", "unknown"),
    [
        ("+++ b/verl/trainer/config/actor/actor.yaml\n+tandem_weight: 0.0\n", 0),
        ("+++ b/verl/workers/config/actor.py\n+    tandem_weight: float = 0.0\n", 0),
        ("+++ b/verl/workers/config/actor.py\n     tandem_weight: float = 0.0\n", 1),
        ("-tandem_weight: 0.0\n", 1),
        ("+# tandem_weight is read elsewhere\n", 1),
        ("+other_weight: 0.0\n", 1),
        ("", 1),
    ],
)
def test_a_patch_that_the_repository_keeps_may_add_a_setting(patch: str, unknown: int) -> None:
    """As ChrisG777/Tandem-RLVR's of verl, in `third_party`."""
    files = {"third_party/verl-tandem.patch": patch.encode()} if patch else {}
    script = ScriptFile(
        path="run.sh", data=verl("actor_rollout_ref.actor.tandem_weight=0.1").encode()
    )
    report = check_script(script, CheckOptions(place=InCheckout(Checkout(files))))
    assert [f.id for f in report.findings].count("RLB020") == unknown


def test_a_patch_may_add_an_option_of_openrlhf() -> None:
    patch = b'+++ b/openrlhf/cli/train_sft.py\n+    parser.add_argument("--own_weight", type=int)\n'
    launch = b"python -m openrlhf.cli.train_sft --pretrain m --own_weight 3 --other_weight 3\n"
    text = b"# openrlhf: 0.9.0\n" + launch
    place = InCheckout(Checkout({"own.diff": patch}))
    report = check_script(ScriptFile(path="run.sh", data=text), CheckOptions(place=place))
    (told,) = [f.message for f in report.findings if f.id == "RLB020"]
    assert "--other_weight" in told
