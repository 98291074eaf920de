from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import openrlhf, verl
from tests.rules.helpers import found, marked, quiet

SLUG = "placeholder"
MODEL = "actor_rollout_ref.model.path"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        verl("data.train_files=$HOME/data/path_tools/train.parquet"),
        verl("trainer.experiment_name=young_7"),
        verl("trainer.experiment_name=maxxxl"),
        verl("trainer.default_local_dir=checkpoints/pathto"),
        verl("trainer.project_name=a > run.log 2>&1 < /dev/null"),
        verl("trainer.project_name=a <<< b"),
        verl("trainer.project_name=a <in.txt >out.txt"),
        verl("trainer.project_name=a  # <NAME> is no word"),
        "echo <NAME> a\n" + verl(),
        openrlhf("--model.pad_token '<unk>'"),  # A token, of mickelliu's OpenRLHF.
        # taoszhang/EasyR1: the tags of what a tool says.
        verl("+retriever.start=\"'<information>'\"", "+retriever.end=\"'</information>'\""),
        openrlhf("--data.input_template '{% if tools %}<tool_call>{% endif %}'"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "before",
    [
        "M=${M:-}\n",
        "M=\nM=Qwen/Qwen3-8B\n",
        'M=""\nif [ -n "$1" ]; then M=$1; fi\n',
        'M=""\nwhile [ $# -gt 0 ]; do case $1 in -m) M=$2; shift 2;; *) shift;; esac; done\n',
        "M=\nread M\n",
        "declare -n other=M\nM=\n",
        "for M in a/b; do :; done\n",
        "M=\nsource conf.sh\n",
        'M=\neval "$(python3 settings.py)"\n',
    ],
)
def test_a_model_that_somebody_may_set_is_not_empty(before: str) -> None:
    assert quiet(SLUG, verl(f"{MODEL}=$M", before=before))
    assert quiet(SLUG, verl(f'{MODEL}="${{M}}"', before=before))


def test_a_setting_that_is_given_again_is_filled_in() -> None:
    """Chengsong-Huang/R-Zero fills in what the YAML file of EasyR1 leaves open."""
    assert quiet(SLUG, verl("data.train_files=/path/to/x", "data.train_files=x/y.parquet"))


def test_it_is_shown_where_it_is_written() -> None:
    """Gen-Verse/Open-AgentRL: the place of the run's name was shown, which ends the value."""
    before = "name=qwen\nsave=/path/to/your/checkpoint/$name"
    (one,) = found(SLUG, verl("trainer.default_local_dir=$save", before=before))
    assert (one.line, one.column, one.end_column) == (2, 6, 31)


def test_what_stands_around_an_unknown_part_is_as_the_default_before_it() -> None:
    """a-rookie-create/EasyR1: `/roll` was quoted, as a warning."""
    before = "O=${O:-/path/to/x}\nD=$O/name_$(date +%s)"
    settings = ("trainer.default_local_dir=$D", "trainer.rollout_data_dir=$D/roll")
    (one,) = found(SLUG, verl(*settings, before=before))
    assert (one.line, one.column, one.severity) == (1, 8, "note")
    assert one.message == (
        "trainer.default_local_dir and trainer.rollout_data_dir hold the placeholder "
        "/path/to/x/name_"
    )


def test_another_setting_may_be_empty() -> None:
    assert quiet(SLUG, verl('trainer.default_hdfs_dir=""'))


def test_a_word_in_single_quotes_is_no_variable() -> None:
    assert quiet(SLUG, verl(f"{MODEL}='$M'", before="M=\n"))


@pytest.mark.parametrize("value", ["$M", '"${M}"', '""', "''"])
@pytest.mark.parametrize("before", ["export M=\n", 'M=""  # M is to be set\necho "$M"\n'])
def test_a_model_that_the_script_leaves_empty(before: str, value: str) -> None:
    """Search-R1's evaluate.sh, in each of its forks."""
    (finding,) = found(SLUG, verl(f"{MODEL}={value}", before=before))
    why = ": M is set to nothing" if "M" in value else ""
    assert finding.message == f"{MODEL} is empty{why}"


@pytest.mark.parametrize(
    "script",
    [
        verl(f"{MODEL}=/path/to/model"),
        verl(f"{MODEL}=${{MODEL:-/path/to/model}}"),
        verl("data.train_files=YOUR_DATA/train.parquet"),
        verl("trainer.experiment_name=your_name"),
        verl("trainer.project_name=xxx"),
        openrlhf("--data.prompt_dataset path/to/prompts"),
        openrlhf(
            "--data.prompt_dataset <PROMPTS> --logger.wandb.key <your_token> --ds.zero_stage 3"
        ),
        openrlhf("--data.prompt_dataset '<PROMPTS>' --ds.zero_stage 3"),
        verl("trainer.project_name=<NAME> trainer.nnodes=1"),
        'C="--data.prompt_dataset <PROMPTS>"\n' + openrlhf("$C --ds.zero_stage 3"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_one_placeholder_in_many_settings_is_one_finding() -> None:
    """`exp_name=xxx` of VERL070's sh/bs256_6k_mix.sh, which a name and four folders hold."""
    settings = "trainer.experiment_name=$N trainer.default_local_dir=out/$N"
    (one,) = found(SLUG, verl(settings, before="N=xxx"))
    keys = "trainer.experiment_name and trainer.default_local_dir"
    assert (one.line, one.message) == (1, f"{keys} hold the placeholder xxx")
    assert len(found(SLUG, verl("trainer.experiment_name=xxx trainer.project_name=xxx"))) == 2


def test_braces_around_what_is_to_be_filled_in_are_no_mapping() -> None:
    script = verl("data.train_files={your_home_path}/data/train.parquet")
    assert "RLB032" in marked("placeholder", script)
    assert quiet("bad-override", script)


def test_an_unknown_part_is_shown_as_the_script_writes_it() -> None:
    found = marked("bad-override", verl("trainer.default_local_dir=DIR=$HOME/ckpts"))
    assert "DIR=$HOME/ckpts" in found
    assert "${?" not in found


@pytest.mark.parametrize(
    "line",
    [
        'system_prompt: "Write within <think> and </think> tags."',
        "chat_template: \"{{ 'format: <think> Thought </think> Solution' }}\"",
        "dataset_name: a  # of <NAME> alone",
    ],
)
def test_a_recipe_goes_through_no_shell(line: str) -> None:
    recipe = f"# trl: 0.18.0\nmodel_name_or_path: Qwen/Qwen3-0.6B\n{line}\n"
    assert quiet(SLUG, recipe, "recipes/demo/grpo/config.yaml")


def test_what_a_prompt_asks_for_is_nothing_to_fill_in() -> None:
    template = "--data.input_template 'First <think> a </think>, then <answer>b</answer>{}'"
    assert quiet(SLUG, openrlhf(template.format("")))
    assert "<PROMPT>" in marked(SLUG, openrlhf(template.format(" <PROMPT>")))


def test_what_a_recipe_leaves_open_is_said() -> None:
    recipe = "# trl: 0.18.0\nmodel_name_or_path: <MODEL>\n"
    assert "RLB032" in marked(SLUG, recipe, "recipes/demo/grpo/config.yaml")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ("--use_wandb <my secret key> --bf16", "<my secret key>"),
        ("--save_path <OUT_DIR> --bf16", "<OUT_DIR>"),
        ("--save_path [<OUT_DIR>] --bf16", "<OUT_DIR>"),
        ("--use_wandb [<my secret key>]", "<my secret key>"),  # yuh-zha/Vision-G1
        ("--save_path [<answers.txt] --bf16", None),
        ("--bf16 <answers.txt >log", None),
        ("--bf16 <answers 2> log", None),
        ("--bf16 < answers > log", None),
        ("--bf16 <in.txt 1> log", None),
        ("--use_wandb '<my secret key>'", "<my secret key>"),
    ],
)
def test_a_placeholder_of_several_words(more: str, text: str | None) -> None:
    script = f"deepspeed --module openrlhf.cli.train_dpo --dataset d {more} \\\n --pretrain a\n"
    assert [text] * (text is not None) == [
        one.message.split("placeholder ")[1].removesuffix(" for redirections")
        for one in found(SLUG, script)
    ]


def test_a_value_behind_a_redirection_is_not_the_option_before_it() -> None:
    """wantbook-book/SeRL: bash takes `> --eval_dir` for a file."""
    script = (
        "deepspeed --module openrlhf.cli.train_dpo --dataset d --pretrain /path/to/your/model \\\n"
        "  --use_wandb <your_wandb_key> \\\n  --eval_dir /path/to/your/evals\n"
    )
    assert [one.line for one in found(SLUG, script)] == [1, 2]
