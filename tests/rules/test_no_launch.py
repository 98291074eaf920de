from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import check, found, marked, quiet

SLUG = "no-launch"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        "if [ -d /data ]; then\n" + verl() + "fi\n",
        "ray job submit -- " + verl(),
        "python3 train.py --lr 1e-6\n",
        "bash other.sh\n",
        'if [ "$#" -lt 2 ]; then\n  echo "two arguments"; exit 1\nfi\n' + verl(),
        'echo "unclosed\n',
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script", ["", "\n\n", "# to be written\n", "#!/bin/bash\nset -x\nX=1\nexport Y=2\necho $X\n"]
)
def test_a_script_that_starts_nothing(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_a_pointer_of_git_lfs_is_no_script_and_gets_no_fix() -> None:
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 1234\n"
    report = check_script(ScriptFile(path="run.sh", data=text.encode()), CheckOptions())
    assert [finding for finding in report.findings if finding.fix] == []
    (reason,) = [item.reason for item in report.unchecked if SLUG in item.check]
    assert reason == "a Git LFS pointer stands in the place of the script: commit the script itself"


@pytest.mark.parametrize("script", ["", "# later\n", "export WANDB_MODE=offline\n"])
def test_a_file_that_may_be_there_to_be_sourced_is_no_error(script: str) -> None:
    """verl-tool's env.example.sh, slime's scripts/models/qwen3-4B.sh, ColossalAI's test_ci.sh."""
    assert [one.severity for one in found(SLUG, script, "scripts/env.example.sh")] == ["note"]
    assert [one.severity for one in found(SLUG, script)] == ["error"]


@pytest.mark.parametrize(
    "script",
    [
        "python3 train.py --lr 1e-6\n",
        "cd out\nbash other.sh\nmake\nmake\ntrue\n",
        'echo "not yet"; exit 1\n' + verl(),
        'RANK=""\nmkdir -p out\nif [ "$RANK" = "0" ]; then\n' + verl() + "fi\n",
        "train() {\n" + verl() + "}\nmkdir -p out\n",
        "i=0\nwhile ((i < 9999)); do ((++i)); mkdir $i; done\nmkdir a\n" + verl(),
        "python3 -m verl.trainer.main_generation model.path=a\n",
        'python "$(dirname "$0")/serve.py"; $TOOL a\n',
        'mkdir a; exec bash "${ROOT:-$(cd $(dirname "$0") && pwd)}/x.sh" b\n',
        "tmux send-keys -t a 'bash train.sh' C-m\n",
        "torchrun --nproc_per_node 8 -m RL2.trainer.ppo a=b\n",
        "timeout 3600 python3 -u train.py --lr 1; nohup ${BIN}python3 serve.py &\n",
        "nohup accelerate launch --config_file a.yaml train.py --lr 1 &\n",
        "accelerate launch --mixed_precision bf16 \\ \n",
        "python -c 'import a'; python -\n",
        "sbatch -N 2 --time=1 jobs/a.slurm b\n",
        "exec env A=1 B=2 bash other.sh b\n",
        "echo python3 -m verl.trainer.main_ppo\nmkdir a\n",
        "mkdir a # python3 -m verl.trainer.main_ppo\n",
        'mkdir a\nLATER="$PY -m verl.trainer.main_ppo"\n',
        'mkdir a\necho "$PY" -m verl.trainer.main_ppo\n',
        # HanyunReady/Search-R1-DeepFactCite: it was said to run mkdir.
        'mkdir a\nif [ "${DRY:-1}" != 0 ]; then exit 0; fi\n"$PY" -m verl.trainer.main_ppo\n',
        "mkdir a\ntrl grpo --help\n",
        "python3 -m verl.trainer.main_ppo --cfg job data.train_batch_size=32\n",
    ],
)
def test_unknown_programs_are_something_unchecked(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("program", "made"),
    [
        ("from trl import GRPOConfig\nprint('GRPOConfig(a=1)')\n", False),
        ("from trl import GRPOConfig\nconfig = GRPOConfig()\n", False),
        ("import trl\nconfig = trl.GRPOConfig(learning_rate=1e-6, **more)\n", True),
    ],
)
def test_settings_that_a_program_makes(program: str, made: bool) -> None:
    """gardan4/AgenticRAG: `accelerate launch train_trl.py --lr 1e-6`, with options of its own.

    The repository may be a folder of what its scripts name (wallacexuhanxiao/FinQA…).
    """
    checkout = Checkout({"agent/train.py": program.encode()})
    script = b"mkdir out\naccelerate launch train.py --lr 1e-6\n"
    options = CheckOptions(place=InCheckout(checkout))
    report = check_script(ScriptFile(path="agent/run.sh", data=script), options)
    (reason,) = [one.reason for one in report.unchecked if one.check.startswith("RLB002")]
    for path in (b"/home/me/code/agent/train.py", b"scripts/agent/train.py"):
        elsewhere = script.replace(b"train.py", path)
        again = check_script(ScriptFile(path="run.sh", data=elsewhere), options).unchecked
        assert any(one.reason == reason for one in again) == made
    sentence = "the settings of TRL stand in Python, GRPOConfig(…) in agent/train.py"
    assert reason.startswith(sentence) == made


@pytest.mark.parametrize(
    "line",
    [
        'source "$(dirname -- "${BASH_SOURCE[0]}")/_common.sh"',
        ". ./_common.sh; true",
        "if true; then\n  source _common.sh b\nfi",
        "source conda.sh\n. '_common.sh'",
    ],
)
def test_what_is_sourced_may_start_it(line: str) -> None:
    """From ssangyeon/if-rlvr-rlvr: it was said to end before it starts anything."""
    findings, (skipped,) = check(SLUG, f"export X=1\n{line}\n")
    assert not findings
    assert skipped.reason == (
        "the script sources _common.sh, which was not read; --root names the folder to read it from"
    )


def test_what_is_sourced_may_be_what_runs() -> None:
    """From m-Just/InSight-doc: a function of a sourced file starts verl."""
    base = "source recipe/vsearch/_base.sh\nrun_experiment a=1\n"
    _, (skipped,) = check(SLUG, base)
    assert skipped.reason.endswith(
        "the script runs run_experiment; it sources _base.sh, which was not read; --root names "
        "the folder to read it from"
    )
    _, (skipped,) = check(SLUG, "source ~/miniconda3/etc/profile.d/conda.sh\nlm_eval\n")
    assert skipped.reason.endswith("the script runs lm_eval")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('exec "$(dirname "$0")/b.sh" "$@"', True),  # kkkkkkon/verl, where the tree was known.
        ("for one in b.sh c.sh; do ./$one; done", True),
        ("bash b.sh", True),
        ("exec env A=1 bash b.sh", True),  # zz1358m/Agentic-ESOpt: it was said to run env.
        ("env -u A bash b.sh", False),
        # RobertMcCarthy97/TinyZero: said to run nohup; cxcscmu/verl-agent-deepresearch: date.
        ("nohup bash b.sh > log.txt &", True),
        ("date; stdbuf -oL -eL ./b.sh", True),
        ("python3 -m vllm.server & bash b.sh", True),  # emrecanacikgoz/verl-agent
        # ztlmememe/VERL-NSCC
        ('singularity exec --nv --pwd /workspace "$IMAGE" /bin/bash b.sh', True),
        ("srun bash -c 'date'", False),
        ("python3 a.py", False),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_a_script_that_is_run_may_start_it(line: str, hint: bool, inside: bool) -> None:
    script = b"#!/bin/bash\nmkdir a\n"
    files = {"b.sh": script, "c.sh": script}
    place = InCheckout(Checkout(files))
    outer = ScriptFile(path="a.sh", data=line.encode(), tree_path="a.sh")

    def hints(options: CheckOptions) -> bool:
        (one,) = [u for u in check_script(outer, options).unchecked if "RLB002" in u.check]
        return "--root names" in one.reason

    assert hints(CheckOptions(place=place if inside else None)) == hint
    assert not hints(CheckOptions(place=place if inside else None, files=files.get))


@pytest.mark.parametrize(
    ("line", "absolute"),
    [
        ("bash /groups/x/run.sh", True),
        ("nohup env A=1 /groups/x/run.sh &", True),
        ("source /groups/x/train_env.sh", True),
        ("mkdir a; source /groups/x/train_env.sh", True),
        ("bash /groups/x/run.sh; bash run.sh", False),
        ("bash $ROOT/run.sh", False),
        ("mkdir a; source $ROOT/train_env.sh", False),
    ],
)
def test_no_root_supplies_what_stands_at_an_absolute_path(line: str, *, absolute: bool) -> None:
    _, (skipped,) = check(SLUG, f"export X=1\n{line}\n")
    assert ("check it by itself" in skipped.reason) is absolute
    assert ("--root" in skipped.reason) is not absolute


def test_what_is_sourced_was_read_or_not() -> None:
    script = ScriptFile(path="run.sh", data=b"export X=1\nsource env.sh\n", tree_path="run.sh")

    def reason(files: dict[str, bytes]) -> str:
        report = check_script(script, CheckOptions(files=files.get))
        (one,) = [each for each in report.unchecked if each.check.startswith("RLB002")]
        return one.reason

    assert reason({}).startswith("the script sources env.sh, which was not read")
    assert reason({"env.sh": b"A=1\n"}) == "the script ends before it starts anything"


@pytest.mark.parametrize(
    ("start", "launches"),
    [
        # RUCAIBox/Slow_Thinking_with_LLMs: the node's number is an argument.
        ('RANK=$1\nray start --head\nif [ "$RANK" = "0" ]; then\n{}fi\n', 1),
        ("ray start\ncase $1 in train)\n{};;\n*) echo usage;; esac\n", 1),
        ('[ "${{ONLY_DATA-}}" ] || exit\n{}', 1),
        # What is started without arguments stays what counts.
        ('if [ "$1" = small ]; then\n{}fi\n{}', 1),
        ("python3 prepare.py $1\nif [ 1 = 2 ]; then\n{}fi\n", 0),
    ],
)
def test_what_only_arguments_start_is_a_launch(start: str, launches: int) -> None:
    text = start.format(verl(), verl())
    report = check_script(ScriptFile(path="run.sh", data=text.encode()), CheckOptions())
    assert len(report.launches) == launches
    named = CheckOptions(script_arguments=("eval",), clean_environment=True)
    report = check_script(ScriptFile(path="run.sh", data=text.encode()), named)
    assert len(report.launches) == ("small" in start)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("$COMMAND data.train_files=a trainer.nnodes=1", True),
        ("${COMMAND} --model a", True),
        ("$COMMAND a", False),
        ("COMMAND=train; $COMMAND data.train_files=a", False),
        ('[ -z "$COMMAND" ] && COMMAND=train; $COMMAND --model a', False),  # Tinyzero-Qwen3
        ("${COMMAND}/bin/python -m vllm.server --model a", False),  # horizon-llm/CoMem
    ],
)
def test_a_command_that_is_a_variable_without_a_value_is_named(line: str, *, named: bool) -> None:
    """verl's examples/sft/gsm8k/run_mimo_7b_mtp_megatron.sh."""
    script = ScriptFile(path="run.sh", data=f"mkdir out\n{line}\n".encode())
    report = check_script(script, CheckOptions())
    (reason,) = [one.reason for one in report.unchecked if one.check.startswith("RLB002")]
    text = "line 2 starts what the variable COMMAND holds, which the script never sets"
    assert (reason == text) is named


@pytest.mark.parametrize(("option", "launches"), [("--help", 0), ("-h", 0), ("--lr 1", 1)])
def test_a_program_that_makes_its_settings_may_only_print_its_options(
    option: str, launches: int
) -> None:
    program = b"""
import argparse
from trl import GRPOConfig, GRPOTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=1e-5)
args = parser.parse_args()
GRPOTrainer(model="a/b", args=GRPOConfig(output_dir="x", learning_rate=args.lr)).train()
"""
    options = CheckOptions(place=InCheckout(Checkout({"train.py": program})))
    script = ScriptFile(path="run.sh", data=f"python3 train.py {option}\n".encode())
    assert len(check_script(script, options).launches) == launches


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({}, True),
        ({"train/requirements.txt": b"trl==1.16.0\n"}, False),
        ({"trl-own/trl/trainer/utils.py": b"class Own:\n    judges: int = 2\n"}, False),
    ],
)
def test_a_program_may_import_the_repositorys_own_trl(more: dict[str, bytes], named: bool) -> None:
    """NVlabs/GDPO, whose trl-0.18.0-gdpo stands beside the programs that need it."""
    program = b"""
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser
parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
script_args, training_args, model_args = parser.parse_args_and_config()
GRPOTrainer(model=model_args.model_name_or_path, args=training_args).train()
"""
    own = {"trl-own/trl/trainer/grpo_config.py": b"GRPOConfig = make()\n"}
    place = InCheckout(Checkout({"train/run.py": program, **own, **more}))
    script = ScriptFile(path="run.sh", data=b"accelerate launch train/run.py --config a.yaml\n")
    report = check_script(script, CheckOptions(place=place))
    reasons = [one.reason for one in report.unchecked if one.check.startswith("RLB002")]
    sentence = "train/run.py takes the options of TRL and may import the copy in trl-own/trl"
    assert [one.startswith(sentence) for one in reasons] == ([True] if named else [])
    assert len(report.launches) == (not named)


RECIPES = "of YAML only the recipes of TRL are read"


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        (
            "learning_rate: 1\n",
            f"{RECIPES}, and this names no model; name the script that starts the training",
        ),
        (
            "name: job\nrun: |\n  python3 -m verl.trainer.main_ppo trainer.nnodes=1\n",  # SkyPilot
            f"line 3 starts verl.trainer.main_ppo, and {RECIPES}; put that command into a script",
        ),
        ("model_name_or_path: a/b\n", None),
    ],
)
def test_a_recipe_without_a_launch_says_why(recipe: str, reason: str | None) -> None:
    script = ScriptFile(path="recipes/grpo/config.yaml", data=recipe.encode())
    report = check_script(script, CheckOptions())
    said = [one.reason for one in report.unchecked if one.check.startswith("RLB002")]
    assert said == ([] if reason is None else [reason])
