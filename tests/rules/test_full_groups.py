from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import trl
from tests.rules.helpers import marked, quiet

SLUG = "full-groups"
EACH, GROUP = "--per_device_train_batch_size", "--num_generations"


@pytest.mark.parametrize(
    "script",
    [
        trl(f"{EACH} 8", f"{GROUP} 8"),
        trl(f"{EACH} 1", f"{GROUP} 8", "--gradient_accumulation_steps 8"),
        trl(f"{EACH} 3", f"{GROUP} 8", "--steps_per_generation 8"),
        trl(f"{EACH} $EACH", f"{GROUP} 8"),
        trl(f"{EACH} 3", f"{GROUP} 8", "--config recipe.yaml"),
        trl(f"{EACH} 3", f"{GROUP} 8").replace("--nproc_per_node 1", "--nproc_per_node gpu"),
        "# trl: 0.14.0\n" + trl(f"{EACH} 3", f"{GROUP} 8"),
        "# trl: 0.14.0\n" + trl(f"{EACH} 4", f"{GROUP} 1"),
        "# trl: 0.16.1\n" + trl(f"{EACH} 8", f"{GROUP} 8", "--gradient_accumulation_steps 3"),
        "# trl: 0.17.0\n" + trl(f"{EACH} 1", f"{GROUP} 8", "--gradient_accumulation_steps 8"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        trl(f"{EACH} 3", f"{GROUP} 8"),
        trl(f"{EACH} 4", f"{GROUP} 1"),
        trl(f"{EACH} 2", f"{GROUP} 7").replace("--nproc_per_node 1", "--nproc_per_node 4"),
        "# trl: 0.15.0\n" + trl(f"{EACH} 1", f"{GROUP} 8", "--gradient_accumulation_steps 8"),
        "# trl: 0.17.0\n" + trl(f"{EACH} 1", f"{GROUP} 8", "--gradient_accumulation_steps 4"),
        "# trl: 0.18.0\n" + trl(f"{EACH} 1", f"{GROUP} 8", "--gradient_accumulation_steps 4"),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


@pytest.mark.parametrize(
    ("launch", "fires"),
    [
        ("python3", True),
        ("nohup python3", True),
        ("uv run", True),
        ("uv run python", True),
        ("poetry run python", True),
        ("srun python3", False),
        ("mpirun -n 8 python3", False),
        ("$LAUNCH", False),
        ("WORLD_SIZE=8 python3", False),
    ],
)
def test_a_program_that_is_started_once_is_one_process(launch: str, fires: bool) -> None:
    script = trl(f"{EACH} 3", f"{GROUP} 8")
    once = script.replace("torchrun --nproc_per_node 1 -m trl.scripts.grpo", f"{launch} grpo.py")
    assert quiet(SLUG, once.replace("grpo.py", "trl/scripts/grpo.py")) is not fires


@pytest.mark.parametrize(
    "options",
    [
        ("--generation_batch_size 64",),
        ("--generation_batch_size $BATCH",),
        ("--per_device_train_batch_size 4", "--steps_per_generation 2"),
        ("--eval_strategy steps", "--per_device_eval_batch_size 16"),
        ("--eval_strategy no", "--per_device_eval_batch_size 3"),
        (
            *("--eval_strategy steps", "--per_device_eval_batch_size 4"),
            "--num_generations_eval 2",
        ),
    ],
)
def test_batches_that_are_given_whole(options: tuple[str, ...]) -> None:
    assert quiet(SLUG, trl("--per_device_train_batch_size 8", "--num_generations 8", *options))


@pytest.mark.parametrize(
    "options",
    [
        ("--generation_batch_size 20",),
        ("--per_device_train_batch_size 10", "--generation_batch_size 20"),
        ("--per_device_train_batch_size 3", "--steps_per_generation 4"),
        ("--eval_strategy steps", "--per_device_eval_batch_size 6"),
    ],
)
def test_batches_that_are_given_and_split(
    options: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    given = {option.split()[0] for option in options}
    base = ("--per_device_train_batch_size 8", "--num_generations 8")
    kept = [option for option in base if option.split()[0] not in given]
    assert marked(SLUG, trl(*kept, *options)) == snapshot


PROGRAM = """from dataclasses import dataclass, field
import trl
from trl import GRPOTrainer, ModelConfig, ScriptArguments, TrlParser

@dataclass
class GRPOConfig(trl.GRPOConfig):
    {name}: int = field(default=64)

_, args, _ = TrlParser((ScriptArguments, GRPOConfig, ModelConfig)).parse_args_and_config()
GRPOTrainer(args=args).train()
"""


@pytest.mark.parametrize(("name", "count"), [("generation_batch_size", 0), ("diffusion_steps", 1)])
def test_a_class_may_mean_another_batch(name: str, count: int) -> None:
    """Completions that apple/ml-diffucoder makes at a time."""
    data = (
        "# trl: 0.18.0\naccelerate launch --num_processes 8 train.py --num_generations 10 "
        f"{EACH} 5 --generation_batch_size 10\n"
    )
    place = InCheckout(Checkout({"train.py": PROGRAM.format(name=name).encode()}))
    script = ScriptFile(path="run.sh", data=data.encode())
    report = check_script(script, CheckOptions(place=place))
    assert [one.id for one in report.findings].count("RLB100") == count


UNSLOTH = """
from unsloth import FastLanguageModel
from trl import GRPOConfig, GRPOTrainer
model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Qwen3-4B-Base", max_seq_length=2048)
model = FastLanguageModel.get_peft_model(model, r=32)
args = GRPOConfig(per_device_train_batch_size=1, num_generations=4{more})
GRPOTrainer(model=model, args=args, reward_funcs=[]).train()
"""
PARSED = """
import unsloth
from trl import GRPOConfig, GRPOTrainer, TrlParser
args, = TrlParser((GRPOConfig,)).parse_args_and_config()
GRPOTrainer(model="a/b", args=args, reward_funcs=[]).train()
"""


def _of_program(program: str, words: str) -> tuple[str, str, str | None]:
    """The severity, the sentence and the advice of the one finding."""
    place = InCheckout(Checkout({"train.py": program.encode()}))
    script = ScriptFile(path="run.sh", data=f"# trl: 0.24.0\npython3 train.py {words}\n".encode())
    report = check_script(script, CheckOptions(place=place))
    (found,) = [one for one in report.findings if one.id == "RLB100"]
    return found.severity, found.message, found.help


@pytest.mark.parametrize(
    ("program", "words"),
    [(UNSLOTH.format(more=""), ""), (PARSED, f"{EACH} 1 {GROUP} 4")],
)
def test_unsloth_changes_the_batch_and_goes_on(program: str, words: str) -> None:
    """aws-samples/amazon-sagemaker-generativeai, with `trl==0.24.0`: it was an error."""
    severity, text, _ = _of_program(program, words)
    assert severity == "warning"
    assert text == (
        "1 completion a device × 1 process × 1 step = 1 is no multiple of num_generations 4: "
        "unsloth trains with per_device_train_batch_size 4"
    )


def test_unsloth_leaves_the_steps_of_a_batch_to_trl() -> None:
    severity, _, _ = _of_program(UNSLOTH.format(more=", steps_per_generation=2"), "")
    assert severity == "error"


@pytest.mark.parametrize(
    ("program", "words", "advice"),
    [
        (UNSLOTH.format(more=""), "", "use gradient_accumulation_steps 4"),
        (PARSED, f"{EACH} 1 {GROUP} 4", "use --gradient_accumulation_steps 4"),
    ],
)
def test_advice_is_written_as_the_setting_is(program: str, words: str, advice: str) -> None:
    """A field of a program's was told to be an option."""
    assert _of_program(program, words)[2] == advice
