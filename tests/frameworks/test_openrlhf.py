"""OpenRLHF's options against argparse, and its plans."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.frameworks import plans
from bot.frameworks.plan import Plan
from bot.frameworks.python.argparse_options import SourceOptions
from bot.frameworks.settings.key_table import KeyVerdict
from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.options import read_line
from bot.frameworks.settings.releases import release, releases
from bot.frameworks.settings.setting import UNKNOWN
from bot.frameworks.tables import table
from bot.shell import read
from tests.frameworks.made import holed, word
from tests.profiles import scaled

OPTIONS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=int(1e3))
parser.add_argument("--rate", type=float, default=1e-5, help="x")
parser.add_argument("--ratio.high", type=float, default=float("inf"))
parser.add_argument("--name", type=str, default=None, choices=["one", "two"])
parser.add_argument("--on", action="store_true", default=False)
parser.add_argument("--pair", type=float, nargs=2, default=(0.9, 0.95))
parser.add_argument("--many", type=str, nargs="*", default="all")
parser.add_argument("--some", type=str, nargs="+")
parser.add_argument("--maybe", type=str, nargs="?")
parser.add_argument("--when", type=str, default="run_%s" % now())
for role in ("actor", "critic"):
    parser.add_argument(f"--{role}.lr", type=float, default=1e-6 if role == "actor" else 9e-6)
    parser.add_argument(f"--{role}.off", dest=f"{role}.fast", action="store_false")
"""
KINDS = {"int": int, "float": float, "str": str}


@pytest.fixture(scope="session")
def options(generate: ModuleType) -> OptionTable:
    roots = {"made.cli.train_x": generate.options_of(OPTIONS)}
    data: dict[str, Any] = {"framework": "made", "version": "1", "roots": roots}
    return OptionTable(data, "made.cli.train_x")


def parser_of(table: OptionTable) -> argparse.ArgumentParser:
    """The parser that the table describes, made by argparse itself."""
    parser = argparse.ArgumentParser()
    for name in table:
        key = table.get(name)
        assert key is not None
        dest = table.destination(name)
        if key.arity == "0":
            action = "store_true" if table.switches_to(name) else "store_false"
            parser.add_argument(f"--{name}", dest=dest, action=action)
        else:
            arity = int(key.arity) if key.arity.isdigit() else key.arity or None
            parser.add_argument(
                f"--{name}",
                dest=dest,
                type=KINDS[key.type],
                nargs=arity,
                choices=key.choices or None,
            )
    return parser


def test_sources_are_read_without_running_them(options: OptionTable) -> None:
    found = {name: options.get(name) for name in options}
    read_off = {name: (k.type, k.default, k.arity) for name, k in found.items() if k}
    assert read_off == {
        "count": ("int", 1000, ""),
        "rate": ("float", 1e-5, ""),
        "ratio.high": ("float", "inf", ""),
        "name": ("str", None, ""),
        "on": ("bool", False, "0"),
        "pair": ("float", [0.9, 0.95], "2"),
        "many": ("str", "all", "*"),
        "some": ("str", None, "+"),
        "maybe": ("str", None, "?"),
        "when": ("str", "${computed}", ""),
        "actor.lr": ("float", 1e-6, ""),
        "actor.off": ("bool", True, "0"),
        "critic.lr": ("float", 9e-6, ""),
        "critic.off": ("bool", True, "0"),
    }
    assert options.destination("critic.off") == "critic.fast"


@pytest.mark.parametrize(
    "more",
    [
        "choices=sorted(SPECS)",
        "choices=list(SPECS)",
        "choices=SPECS",
        "choices=['one', DEFAULT]",
        "choices=['one', 'two'], type=str.lower",
    ],
)
def test_choices_that_only_a_run_knows_refuse_nothing(more: str) -> None:
    """han67890/ARIA: `choices=sorted(…)` was said to take the letters of a mark of ours."""
    line = ("--rag", "One")
    assert all(verdicts_of(f'parser.add_argument("--rag", {more})', *line))


@pytest.mark.parametrize(
    "choices", ["['one', 'two']", "('one', 'two')", "{'one': 1, 'two': 2}", "{'two', 'one'}"]
)
def test_choices_that_are_written_out_count(choices: str) -> None:
    source = f'parser.add_argument("--rag", choices={choices})'
    assert all(verdicts_of(source, "--rag", "two"))
    (refused,) = verdicts_of(source, "--rag", "three")
    assert refused.message == "--rag takes one of one, two, not 'three'"


def verdicts_of(source: str, *line: str) -> Sequence[KeyVerdict]:
    table = SourceOptions("openrlhf", "here", {"x": source}).table("x")
    assert table is not None
    return table.verdicts(read_line([word(text) for text in line], table).settings)


WORDS = (
    "--count --count=3 --cou 3 -1 -.5 --rate 1e-4 x --name one --name=four --on --on=1 --pair 0.1 "
    "0.2 --many --some --maybe --actor.lr --act --critic.off --r --unknown --ratio 1.5"
)


@settings(max_examples=scaled(700))
@given(words=st.lists(st.sampled_from(WORDS.split()), max_size=6))
def test_argparse_takes_what_the_table_takes(options: OptionTable, words: list[str]) -> None:
    line = read_line([word(text) for text in words], options)
    ours = not line.bad and all(options.verdicts(line.settings))
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            namespace = vars(parser_of(options).parse_args(words))
        except SystemExit:
            assert not ours
            return
    assert ours
    for setting in line.settings:
        last = [s for s in line.settings if s.key == setting.key][-1]
        assert namespace[options.destination(setting.key)] == last.value


def test_places_and_values(options: OptionTable) -> None:
    texts = ["--pair", "0.1", "0.2", "--count=7", "--on", "--many", "a", "b"]
    words, at = [], 0
    for text in texts:
        words.append(word(text, at))
        at += len(text) + 1
    script = " ".join(texts)
    line = read_line(words, options)
    shown = [
        (
            setting.key,
            setting.value,
            script[setting.key_span.start : setting.key_span.end],
            script[setting.value_span.start : setting.value_span.end],
        )
        for setting in line.settings
    ]
    assert shown == [
        ("pair", [0.1, 0.2], "--pair", "0.1 0.2"),
        ("count", 7, "--count", "7"),
        ("on", True, "--on", "--on"),
        ("many", ["a", "b"], "--many", "a b"),
    ]


def test_holes(options: OptionTable) -> None:
    words = [word("--count"), holed(None), holed(None), holed("--name=", None), holed("--", None)]
    line = read_line(words, options)
    assert [(s.key, s.value, s.text) for s in line.settings] == [
        ("count", UNKNOWN, "${?X is not set}"),
        ("name", UNKNOWN, "${?X is not set}"),
    ]
    assert line.bad == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--count"], "--count needs a value"),
        # TIGER-AI-Lab/Pixel-Reasoner: `--save_path ${dir=-"/path"}`.
        (["--count", "-/p/x"], "--count needs a value: -/p/x begins with a dash, as options do"),
        (["--pair", "1"], "--pair needs 2 values"),
        (["--on=1"], "--on is a flag and takes no value"),
        (["--on", "yes"], "'yes' belongs to no option; the program refuses it"),
    ],
)
def test_bad_arguments(options: OptionTable, words: Sequence[str], message: str) -> None:
    line = read_line([word(text) for text in words], options)
    assert [bad.message for bad in line.bad] == [message]


def test_how_many_values_an_unknown_option_takes_is_not_known(options: OptionTable) -> None:
    words = [word(text) for text in ("--own", "0.9", "0.999", "--count", "7")]
    for having in (None, options):
        line = read_line(words, having)
        assert line.bad == []
        assert [(s.key, s.text) for s in line.settings] == [("own", "0.9"), ("count", "7")]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--count", "x"], "invalid", "--count takes a whole number, not 'x'"),
        (["--name", "six"], "invalid", "--name takes one of one, two, not 'six'"),
        (["--act", "1"], "unknown", "--act may mean any of --actor.lr, --actor.off"),
        (["--rat.high", "1"], "unknown", "made.cli.train_x of made 1 has no --rat.high"),
    ],
)
def test_verdicts(options: OptionTable, words: Sequence[str], status: str, message: str) -> None:
    line = read_line([word(text) for text in words], options)
    verdict = options.verdict(line.settings[0])
    assert (verdict.status, verdict.accepted, verdict.message) == (status, False, message)


@pytest.mark.slow
def test_every_older_name_has_a_successor_that_exists() -> None:
    newest = release("openrlhf", "0.11.2")["roots"]
    gone = {
        "actor_init_on_gpu", "algo.advantage.is_correction_enable",
        "algo.advantage.is_correction_type", "data.prompt_max_len", "disable_trace_cache",
        "normalize_reward", "perf", "pretrain_data", "pretrain_data_probs", "pretrain_split",
        "prompt_max_len", "ptx_coef", "torch_compile", "use_icepop", "vllm_is_correction_type",
    }  # fmt: skip
    missing = set()
    for version in releases("openrlhf"):
        for root, old in release("openrlhf", version)["roots"].items():
            new = table("openrlhf", "0.11.2", root) if root in newest else None
            if new is not None:
                names = set(old) - set(newest[root])
                missing |= {name for name in names if new.nearest(name) not in newest[root]}
    assert missing <= gone
    assert gone - missing <= {"normalize_reward", *(name for name in gone if "." in name)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zero_stage", "ds.zero_stage"),
        ("pretrain", "actor.model_name_or_path"),
        ("use_wandb", "logger.wandb.key"),
        ("num_workers", None),
        ("per_device_train_batch_size", None),
    ],
)
def test_renamed_options(old: str, new: str | None) -> None:
    known = table("openrlhf", "0.11.2", "openrlhf.cli.train_ppo_ray")
    assert known is not None
    assert known.nearest(old) == new
    expected = "in openrlhf 0.3.8 to 0.10.1.post2, removed in 0.10.2" if new else None
    assert known.history(old) == expected


@pytest.mark.parametrize(
    "name",
    [
        "num_gpus_per_worker",
        "num_workers",
        "per_device_train_batch_size",
        "gradient_accumulation_steps",
    ],
)
def test_names_that_no_release_has(name: str) -> None:
    # A published article on OpenRLHF prints these four.
    for version in releases("openrlhf"):
        for root in release("openrlhf", version)["roots"]:
            known = table("openrlhf", version, root)
            assert known is not None
            assert known.history(name) is None
            assert known.nearest(name) not in ("dataloader_num_workers", name)


def test_an_option_of_other_modules_is_said_to_be_theirs() -> None:
    known = table("openrlhf", "0.9.10", "openrlhf.cli.train_sft")
    assert known is not None
    assert known.history("margin_loss") == (
        "in openrlhf 0.3.8 to 0.10.1.post2, removed in 0.10.2, but only for train_rm"
    )
    assert known.history("prompt_data") == (
        "in openrlhf 0.3.8 to 0.10.1.post2, removed in 0.10.2, "
        "but only for train_ppo and train_ppo_ray"
    )


def plan_of(script: str, **versions: str) -> Plan:
    (plan,) = plans(read(script.encode(), "made.sh"), versions=versions)
    return plan


RM = """
read -r -d '' training_commands <<EOF
openrlhf.cli.train_rm \\
   --model.model_name_or_path OpenRLHF/Llama-3-8b-sft \\
   --train.batch_size 256 \\
   --train.micro_batch_size 1 \\
   --ds.zero_stage 2 \\
   --ds.lora.rank 64 --ds.lora.alpha 64 \\
   --ds.packing_samples \\
   --adam.lr 9e-6 --logger.wandb.key {your_key}
EOF
if [[ ${1} != "slurm" ]]; then
    deepspeed --include localhost:0,1,2,3,4,5 --module $training_commands
fi
"""


def test_a_reward_model_from_a_here_document() -> None:
    plan = plan_of(RM)
    assert (plan.launch.entry, plan.launch.launcher) == ("openrlhf.cli.train_rm", ("deepspeed",))
    assert (plan.algorithm.value, plan.adapter.value, plan.train.value) == (
        "rm",
        "lora",
        "deepspeed",
    )
    assert (plan.gpus.value, plan.gpus_per_node.value, plan.nodes.value) == (6, 6, 1)
    assert (plan.train_batch_size.value, plan.mini_batch_size.value) == (256, None)
    assert plan.micro_batch_size_per_gpu.value == 1
    assert plan.model.value == "OpenRLHF/Llama-3-8b-sft"
    assert plan.model.span is not None
    assert RM[plan.model.span.start : plan.model.span.end] == "OpenRLHF/Llama-3-8b-sft"
    assert (plan.loggers.value, plan.loggers.key) == (("wandb",), "logger.wandb.key")
    assert plan.bad_arguments == ()
    assert plan.table is not None
    assert all(plan.table.verdicts(plan.settings))


PPO = "ray job submit --address=x -- python3 -m openrlhf.cli.train_ppo_ray "


@pytest.mark.parametrize(
    ("arguments", "gpus"),
    [
        ("", 32),
        ("--algo.kl.init_coef 0", 24),
        ("--algo.advantage.estimator rloo", 24),
        ("--algo.advantage.estimator rloo --reward.remote_url http://x", 16),
        ("--train.colocate_actor_ref --train.colocate_critic_reward", 16),
        ("--train.colocate_actor_ref --vllm.num_engines 2 --vllm.tensor_parallel_size 2", 28),
        ("--train.colocate_all --vllm.num_engines 8", 8),
        ("--train.colocate_all --train.async_enable --vllm.num_engines 4", 12),
        ("--actor.num_gpus_per_node 4 --ref.num_gpus_per_node 2 --train.agent_func_path x", 14),
        ("--train.colocate_all --actor.num_nodes $NODES", None),
    ],
)
def test_gpus_of_all_roles(arguments: str, gpus: int | None) -> None:
    assert plan_of(PPO + arguments).gpus.value == gpus


def test_a_plan_of_ppo() -> None:
    plan = plan_of(
        PPO + "--actor.model_name_or_path x/Llama-3-8B --algo.advantage.estimator group_norm "
        "--rollout.batch_size 1024 --rollout.n_samples_per_prompt 8 --train.batch_size 128 "
        "--vllm.num_engines 4 --rollout.max_new_tokens 1024"
    )
    assert (plan.algorithm.value, plan.infer.value) == ("grpo", "vllm")
    assert (plan.train_batch_size.value, plan.mini_batch_size.value) == (1024, 128)
    assert (plan.rollout_n.value, plan.max_response_length.value) == (8, 1024)
    assert (plan.loggers.value, plan.loggers.default) == ((), True)
    assert (plan.adapter.value, plan.adapter.default) == ("", True)


def test_a_script_for_an_older_release() -> None:
    arguments = "--pretrain x/y --zero_stage 3 --rollout_batch_size 64 --use_wandb k --lora_rank 8"
    old = plan_of(PPO + arguments, openrlhf="0.9.10")
    new = plan_of(PPO + arguments, openrlhf=releases("openrlhf")[-1])
    assert old.table is not None
    assert new.table is not None
    assert all(old.table.verdicts(old.settings))
    assert [v.suggestion for v in new.table.verdicts(new.settings)] == [
        "actor.model_name_or_path",
        "ds.zero_stage",
        "rollout.batch_size",
        "logger.wandb.key",
        "ds.lora.rank",
    ]
    # What the author means is read all the same.
    for plan in (old, new):
        assert (plan.model.value, plan.train_batch_size.value) == ("x/y", 64)
        assert (plan.loggers.value, plan.adapter.value) == (("wandb",), "lora")


@pytest.mark.parametrize(
    "key", ["", "a", "actor", "actor.", "ds.", "ds.zero_stage", "h", "help", "ref.x", "rollout."]
)
def test_the_options_that_begin_with_a_key_are_found_in_the_order_of_the_module(key: str) -> None:
    options = table("openrlhf", "0.10.2", "openrlhf.cli.train_ppo_ray")
    assert isinstance(options, OptionTable)
    every = [*dict.fromkeys((*options, "help"))]
    assert options.fitting(key) == [name for name in every if key and name.startswith(key)]
