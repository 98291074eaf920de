from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf, verl
from tests.command import rlbot
from tests.rules.helpers import found, marked, quiet

SLUG = "undefined-variable"
_JOINED = """: "${A:=}"
if [[ -z "$A" ]]; then exit 1; fi
join() { local root="${1%/}"; printf '%s/x.parquet' "$root"; }
path=$(join "$A")
cat <<END
A=$A
END
"""
"""RAC's, which asks for a folder and prints where it looks for it."""


@pytest.mark.parametrize(
    "script",
    [
        verl("data.train_files=$path", before="path=a"),
        verl("data.train_files=${path:-a}"),
        verl("data.train_files=$HOME/a"),
        verl("data.train_files=$1"),
        verl("data.train_files=$(ls)"),
        verl(end=' "$@"'),
        verl(end=" 2>&1 | tee $log"),
        "echo $unset\n" + verl(),
        "for f in a b; do\n" + verl("data.train_files=$f") + "done\n",
        "read -r path < where.txt\n" + verl("data.train_files=$path"),
        verl("data.train_files=$data_path", before="source env.sh"),
        verl("data.train_files=$data_path", before=". ./env.sh"),
        verl("data.train_files=$data_pth", before="source env.sh\ndata_path=a\necho $data_path"),
        verl("data.train_files=$data_pat", before="source env.sh\nmodel_path=a"),
        'if [ -n "$A" ]; then path=a; fi\n' + verl("data.train_files=$path"),
        verl("data.train_files=$path", before=': "${path:?set path}"'),
        verl("data.train_files=${path?}", before="set -u"),
        verl("data.train_files=$A", before='set -u\n: "${A:?}"\nif [ "$1" = b ]; then A=$B; fi'),
        verl("data.train_files=$path", before=f"set -u\n{_JOINED}"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize("condition", ["[[ -v resume_from ]]", '[ -n "$resume_from" ]'])
def test_what_a_condition_asks_for_may_be_empty(condition: str) -> None:
    """ktolnos/Reward-Model-Overoptimization: an error, where the script asks first."""
    before = f'dir=a\nif {condition}; then\n  dir="${{resume_from}}"\nfi'
    (one,) = found(SLUG, verl("trainer.default_local_dir=$dir", before=before))
    assert one.severity == "note"


@pytest.mark.parametrize(
    ("before", "severity"),
    [
        ('echo "training recipe: $recipe"', "note"),
        ('  printf "%s\\n" "${recipe}"', "note"),
        ('echo "training recipe: $recipe"\nset -u', "error"),
        ("echo $recipes", "error"),
    ],
)
def test_what_a_script_tells_its_user_was_given_by_him(before: str, severity: str) -> None:
    """aws-samples/amazon-sagemaker-generativeai: SageMaker sets `training_recipe`."""
    (one,) = found(SLUG, verl("data.train_files=$recipe", before=before))
    assert one.severity == severity


@pytest.mark.parametrize(
    "script",
    [
        verl("data.train_files=$data_path", before="gsm8k_train_path=a\nmodel_path=b"),
        verl("data.train_files=$gsm8k_train_pth/x.parquet", before="gsm8k_train_path=a"),
        verl("data.train_files=$files", before="files=\"['$train_path']\""),
        verl("data.train_files=$DataPath"),
    ],
)
def test_a_lower_case_name_is_an_error(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


_ASYNC = 'mode="sync"\nif [ "$mode" = "async" ]; then\n    raw="True"\nfi'


@pytest.mark.parametrize(
    "script",
    [
        verl("data.return_raw_chat=$raw", before=_ASYNC),
        verl("data.train_files=$raw", before=_ASYNC),
        verl("data.filter_overlong_prompts=$raw"),
        verl("trainer.experiment_name=grpo-7b${raw}"),
        verl("data.train_files=$raw", before="f() { raw=1; }"),
        verl("rollout.mode=$raw", before='if [ "$raw" = "async" ]; then\n    echo async\nfi'),
        verl("rollout.mode=$raw", before="case ${raw} in async) echo async ;; esac"),
    ],
)
def test_an_empty_value_that_starts_is_a_note(script: str, snapshot: SnapshotAssertion) -> None:
    assert [finding.severity for finding in found(SLUG, script)] == ["note"]
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    "script",
    [
        verl("data.return_raw_chat=$raw", before=f"set -u\n{_ASYNC}"),
        verl("data.filter_overlong_prompts=$raw", before="set -u"),
        verl("data.filter_overlong_prompts=${raw}e"),
        verl("data.train_files=$raw", before="# raw=1"),
        verl("data.train_files=$raw", before='# [ "$raw" = "" ] is checked elsewhere'),
        verl("data.train_files=$raw", before='[ "$rawer" = "" ] && echo no'),
        verl("trainer.experiment_name=$raw"),
        verl("trainer.experiment_name=grpo-7b${raw}", before="set -u"),
        verl("data.train_files=$raw", before="traw=1"),
        verl("data.train_files=$raw", before='# : "${raw:?}"'),
        verl("data.train_files=$raw", before='my_raw=$raw; raws="$raws"; echo "${raw2:?}"'),
        verl("data.train_files=$raw", before='other=1\n: "${other:?}" "${raw:-}"'),
        verl("data.train_files=$A", before='set -u\nif [ "$1" = b ]; then A=$B; fi'),
    ],
)
def test_an_empty_value_that_does_not_start_is_an_error(script: str) -> None:
    assert [finding.severity for finding in found(SLUG, script)] == ["error"]


@pytest.mark.parametrize(
    "script",
    [
        verl("trainer.nnodes=$SLURM_NNODES"),
        verl("trainer.n_gpus_per_node=$GPUS_PER_NODE"),
        verl("trainer.nnodes=$A", before='set -u\nif [ "$1" = dry ]; then cat <<E\nA=$A\nE\nfi'),
    ],
)
def test_what_others_may_set_is_a_note(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_value_of_an_option_is_a_word_of_its_own(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, openrlhf("--data.prompt_dataset $prompts")) == snapshot
    assert marked(SLUG, openrlhf("--data.prompt_dataset=$prompts")) == snapshot


def test_a_name_that_is_nearly_one_that_nothing_uses(snapshot: SnapshotAssertion) -> None:
    before = "MODEL_PATH=Qwen/Qwen3-8B"
    script = verl("actor_rollout_ref.model.path=$MODLE_PATH", before=before)
    assert marked(SLUG, script) == snapshot
    both = verl("actor_rollout_ref.model.path=$MODLE_PATH", before=f"{before}\necho $MODEL_PATH")
    assert [finding.severity for finding in found(SLUG, both)] == ["note"]


def test_a_misspelt_name_behind_a_file_that_was_not_read(snapshot: SnapshotAssertion) -> None:
    script = verl(
        "data.train_batch_size=$train_promt_bsz",
        before="source /usr/local/Ascend/ascend-toolkit/set_env.sh\ntrain_prompt_bsz=128",
    )
    assert [finding.severity for finding in found(SLUG, script)] == ["warning"]
    assert marked(SLUG, script) == snapshot


def test_settings_that_need_it_at_one_place_are_one_finding(snapshot: SnapshotAssertion) -> None:
    before = "data=$root/data"
    files = [f"data.{part}=$data/{part}" for part in ("train_files", "val_files")]
    assert marked(SLUG, verl(*files, before=before)) == snapshot(name="two")
    keys = ("trainer.a", "trainer.b", "trainer.c", "trainer.d", "trainer.e", "trainer.a")
    more = verl(*(f"+{key}=$data" for key in keys), before=before)
    assert marked(SLUG, more) == snapshot(name="several")
    # Where each setting names the variable itself, each place is one.
    apart = verl("data.train_files=$root/a", "data.val_files=$root/b")
    assert len(found(SLUG, apart)) == 2


@pytest.mark.parametrize(
    ("name", "meant"), [("pwd", "PWD"), ("Home", "HOME"), ("path", None), ("data_dir", "DATA_DIR")]
)
def test_the_same_name_in_other_letters_is_meant(name: str, meant: str | None) -> None:
    (finding,) = found(SLUG, verl(f"data.train_files=${name}/a", before="DATA_DIR=a"))
    help_ = (
        f"did you mean ${meant}?" if meant else f"set {name}, or give it a default: ${{{name}:-…}}"
    )
    assert finding.help == help_


def test_a_text_that_names_a_variable_does_not_set_it() -> None:
    """A script may say what to export, and end."""
    before = 'set -u\nif [ -z "${DATA:-}" ]; then echo "Please export DATA=/path"; exit 1; fi'
    (finding,) = found(SLUG, verl('data.train_files="$DATA"', before=before))
    assert finding.severity == "note"
    assert "which the script never sets" in finding.message


def test_a_started_script_names_the_setting_that_needs_it(tmp_path: Path) -> None:
    """0001Henry/EVE: all words of a script that is started begin at its call."""
    launch = verl("data.train_files=/a", "actor_rollout_ref.model.path=$model_dir")
    (tmp_path / "train.sh").write_text(launch)
    (tmp_path / "main.sh").write_text("bash train.sh base\n")
    result = rlbot("lint", "--root", ".", "--format", "json", "main.sh", cwd=tmp_path)
    findings = json.loads(result.out)["scripts"][0]["findings"]
    (message,) = (one["message"] for one in findings if one["id"] == "RLB031")
    needs = "actor_rollout_ref.model.path needs the variable model_dir"
    assert message == f"{needs}, which the script never sets"
