"""Findings that were false when the linter was run over real examples: each stays away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.frameworks.plan_values import version_at_least
from bot.rules._support.example import verl
from tests.rules.helpers import PATH, context, found, quiet

MEGATRON = (
    "model_engine=megatron",
    "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2",
)
RUN = "examples/grpo_trainer"
MODEL = "actor_rollout_ref.model.path"
OTHER = verl("actor_rollout_ref.model.lora_rank=32").replace(
    "verl.trainer.main_ppo", "recipe.x.main_x"
)


@pytest.mark.parametrize(
    ("slug", "script", "path"),
    [
        # Megatron-FSDP is a backend of Megatron's.
        ("name-train", verl(*MEGATRON), f"{RUN}/run_qwen2.5-7b_math_megatron_fsdp.sh"),
        # Words behind the size say what a script is about.
        ("name-model", verl(), f"{RUN}/run_qwen2.5-7b_math_fsdp.sh"),
        ("name-model", verl(), f"{RUN}/run_qwen2_5_7b_seq_balance_megatron.sh"),
        # A name that follows no profile cannot be compared part by part.
        ("name-model", verl(), f"{RUN}/run_deepseek_llm.sh"),
        ("name-model", verl(f"{MODEL}=Qwen/Qwen3-30B-A3B"), f"{RUN}/run_qwen3_30b_moe_fsdp.sh"),
        # Six parts between underscores by chance.
        ("size-folder", verl(), "recipe/dapo/test_dapo_7b_megatron_96gb_two.sh"),
        # The model that is meant is the argument that cannot be read.
        (
            "experiment-name",
            verl(f"{MODEL}='<path>'", "trainer.experiment_name=deepseek-671b"),
            PATH,
        ),
        # What mktemp fills in.
        ("placeholder", verl("trainer.default_local_dir=$(mktemp -d /tmp/run.XXXXXX)"), PATH),
        # aime24 is a part of aime.
        (
            "dataset-name",
            verl("data.val_files=$aime24", before="aime24=data/aime-24.parquet"),
            PATH,
        ),
        (
            "single-response",
            verl("actor_rollout_ref.rollout.n=1", "distillation.enabled=True"),
            PATH,
        ),
        # A recipe may give the other devices to roles of its own.
        ("visible-devices", f"export CUDA_VISIBLE_DEVICES=0,1\n{OTHER}", PATH),
    ],
)
def test_stays_silent(slug: str, script: str, path: str) -> None:
    assert quiet(slug, script, path)


@pytest.mark.parametrize(
    ("slug", "script", "path"),
    [
        (
            "no-launch",
            '#!/usr/bin/env bash\nset -e\necho "this example has moved" >&2\nexit 1\n',
            PATH,
        ),
        (
            "duplicate-key",
            "A=(trainer.nnodes=1)\nif [ -n x ]; then\n    A+=(trainer.nnodes=2)\nfi\n"
            + verl('"${A[@]}"'),
            PATH,
        ),
        (
            "undefined-variable",
            verl("trainer.default_local_dir=$DIR", before='DIR=${DIR:-"ckpts/${project}"}'),
            PATH,
        ),
        ("name-pattern", verl(), "recipe/dapo/start.sh"),
        ("no-wandb-logger", verl("trainer.logger=console"), "recipe/dapo/start.sh"),
    ],
)
def test_is_no_more_than_a_note(slug: str, script: str, path: str) -> None:
    findings = found(slug, script, path)
    assert findings
    assert {finding.severity for finding in findings} == {"note"}


def test_a_default_that_set_u_stops_at_is_an_error() -> None:
    script = verl("trainer.default_local_dir=$DIR", before='set -u\nDIR=${DIR:-"ckpts/${project}"}')
    (finding,) = found("undefined-variable", script)
    assert finding.severity == "error"


@pytest.mark.parametrize(
    ("release", "is_at_least", "is_before"),
    [("0.5.0", (0, 5), (0, 6)), ("0.7.1", (0, 7), (0, 8)), ("0.9.1", (0, 8), (1, 0))],
)
def test_a_checkout_is_like_the_release_whose_settings_it_has(
    release: str, is_at_least: tuple[int, ...], is_before: tuple[int, ...]
) -> None:
    (plan,) = context(verl(before=f"# verl: {release}")).plans
    checkout = replace(plan, configuration=replace(plan.configuration, release="checkout"))
    assert version_at_least(checkout, *is_at_least)
    assert not version_at_least(checkout, *is_before)


@pytest.mark.parametrize("rest", ['"$@"', "--config-name $2 $*", 'trainer.nnodes=2 "${@}"'])
def test_a_script_whose_caller_gives_the_settings(rest: str) -> None:
    """UTAustin-SwarmLab/SDPO's launcher shifts three arguments away and hands on the others."""
    usage = '[ $# -ge 3 ] || { echo "usage: $0 NAME CONFIG DATA"; exit 1; }'
    script = f"# verl: 0.9.1\n{usage}\npython -m verl.trainer.main_ppo {rest}\n"
    rules = ("micro-batch-form", "critic-batch-size", "missing-setting", "single-response")
    assert all(quiet(rule, script) for rule in rules)


def test_a_script_with_its_own_settings_is_judged_as_without_arguments() -> None:
    script = verl("actor_rollout_ref.actor.use_dynamic_bsz=False", end=' "$@"')
    assert not quiet("micro-batch-form", script)
