"""Programs of a repository that take TRL's arguments: open-r1's `src/open_r1/grpo.py`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout, ScriptPlace, needed, plans
from bot.frameworks.plan_values import values_of
from bot.frameworks.programs.repository_programs import TrlPrograms
from bot.report import ScriptReport
from bot.shell import read

PROGRAM = """
from open_r1.configs import GRPOConfig, GRPOScriptArguments
from trl import ModelConfig, TrlParser
if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
"""
CONFIGS = """
import trl
class ScriptArguments(trl.ScriptArguments):
    dataset_mixture: dict | None = None
class GRPOScriptArguments(ScriptArguments):
    cosine_max_len: int = 1000
class GRPOConfig(trl.GRPOConfig):
    benchmarks: list[str] = field(default_factory=list)
    overwrite_hub_revision: bool = False
    push_details: bool = True
"""
RECIPE = """\
model_name_or_path: Qwen/Qwen3-0.6B
dataset_mixture: {datasets: []}
cosine_max_len: 2
benchmarks: [aime, math]
per_device_train_batch_size: 4
num_generations: 4
"""
FILES = {
    "src/open_r1/grpo.py": PROGRAM,
    "src/open_r1/configs.py": CONFIGS,
    "recipes/a.yaml": RECIPE,
    "c/zero3.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3}\n",
}
LAUNCH = (
    "accelerate launch --config_file c/zero3.yaml --num_processes 2 {program} --config {more}\n"
)
GRPO = "src/open_r1/grpo.py"


def check(
    more: str = "recipes/a.yaml",
    program: str = GRPO,
    head: str = "",
    path: str = "run/one.sh",
    **files: str,
) -> ScriptReport:
    changed = {name.replace("__", "/").replace("0", "."): text for name, text in files.items()}
    contents = {name: text.encode() for name, text in {**FILES, **changed}.items()}
    script = ScriptFile(path=path, data=(head + LAUNCH.format(program=program, more=more)).encode())
    return check_script(script, CheckOptions(place=InCheckout(Checkout(contents))))


def model(report: ScriptReport) -> str | None:
    return report.plan.model if report.plan is not None else None


def found(report: ScriptReport) -> list[tuple[str, str, str, int]]:
    return [
        (f.severity, f.id, f.path, f.line)
        for f in report.findings
        if f.severity in ("error", "warning")
    ]


@pytest.mark.parametrize(
    "more",
    [
        "recipes/a.yaml",
        "recipes/a.yaml --num_generations 8 --learning_rate 1e-6 --bf16 true",
        "recipes/a.yaml --cosine_max_len 5 --benchmarks aime math --max_steps 5",
        "recipes/a.yaml --overwrite_hub_revision --max_steps 5 --no_push_details",
    ],
)
def test_a_right_launch_has_no_finding(more: str) -> None:
    report = check(more)
    assert found(report) == []
    assert report.unchecked == ()
    (launch,) = report.launches
    assert launch.framework == "trl"
    assert report.plan is not None
    assert (report.plan.algorithm, report.plan.model) == ("grpo", "Qwen/Qwen3-0.6B")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("$ROOT/src/open_r1/grpo.py", 1),
        ('"$(cd "$(dirname "$0")/.." && pwd)"/src/open_r1/grpo.py', 1),
        ("$ROOT/open_r1/grpo.py", 1),
        ("grpo-metaMATH/src/open_r1/grpo.py", 1),  # CohenQU starts it from the folder above.
        ("grpo-metaMATH/open_r1/grpo.py", 0),
        ("/home/me/test/R1-V/src/open_r1/grpo.py", 1),  # raoulritter/R1-V
        ("/home/me/test/R1-V/open_r1/grpo.py", 0),
        ("~/a-clone/src/open_r1/grpo.py", 1),  # xiyang-aads-lilly/alignment-handbook
        ("$HOME/a/clone/src/open_r1/grpo.py", 1),
        ("$ELSEWHERE/a-clone/src/open_r1/grpo.py", 0),
        ("~/grpo.py", 0),
        ("/home/me/grpo.py", 0),
        ("/home/me/other/grpo.py", 0),
        ("$ROOT/grpo.py", 0),  # It may lie in any folder.
        ("$ROOT/other/grpo.py", 0),
        ("$ROOT/src/open_r1/$TASK.py", 0),
    ],
)
def test_a_program_below_a_folder_that_only_a_run_knows(program: str, expected: int) -> None:
    report = check("recipes/a.yaml --learning_rte 1", program)
    assert (len(report.launches), len(found(report))) == (expected, expected)


@pytest.mark.parametrize(("option", "expected"), [("--attributes a", 0), ("--atributes a", 1)])
def test_a_parser_may_be_given_options_besides(option: str, expected: int) -> None:
    """tathagatoroy/Controllable_Summarization_Experiments adds one to TRL's parser."""
    added = PROGRAM + '    parser.add_argument("--attributes", default="length")\n'
    report = check(f"recipes/a.yaml {option}", **{"src/open_r1/grpo0py": added})
    assert [one for _, one, *_ in found(report)] == ["RLB020"] * expected


@pytest.mark.parametrize(("place", "expected"), [("trl.commands.cli_utils", 0), ("trl", 1)])
def test_arguments_of_a_release_without_a_table_have_their_options(
    place: str, expected: int
) -> None:
    program = PROGRAM.replace("GRPOScriptArguments\n", "GRPOConfig as _\n").replace(
        "GRPOScriptArguments,", "DPOScriptArguments,"
    )
    program = f"from {place} import DPOScriptArguments\n{program}"
    files = {"src/open_r1/grpo0py": program, "recipes/b0yaml": "model_name_or_path: a/b\n"}
    report = check("recipes/b.yaml --sanity_check", **files)
    assert [one for _, one, *_ in found(report)] == ["RLB020"] * expected


def test_a_class_that_no_program_takes_does_not_hide_a_recipes_settings() -> None:
    """dreaming-panda/open-r1 has a copy of ModelConfig for one of its programs."""
    copy = (
        "@dataclass\nclass ConvConfig:\n    model_name_or_path: str = None\n    num_conv: int = 0\n"
    )
    assert model(check(src__open_r1__conv0py=copy)) == "Qwen/Qwen3-0.6B"


@pytest.mark.parametrize("way", ["$ROOT/src", "${ROOT}/src", "$ROOT/work/src"])
def test_a_pull_request_asks_for_a_program_below_a_variable(way: str) -> None:
    text = LAUNCH.format(program=f"{way}/open_r1/grpo.py", more="recipes/a.yaml").encode()
    there = "work" not in way
    assert (GRPO in needed(FILES, {"run/one.sh": text})) is there


@pytest.mark.parametrize(
    "program", ["./src/open_r1/grpo.py", "-m open_r1.grpo", "/opt/x/open-r1/src/open_r1/grpo.py"]
)
def test_other_ways_to_name_it(program: str) -> None:
    expected = program[0] != "/"  # What lies outside is not known.
    report = check("recipes/a.yaml --learning_rte 1", program)
    assert bool(report.launches) is expected
    assert bool(found(report)) is expected


def test_what_is_wrong_stands_at_its_file_and_line() -> None:
    recipe = RECIPE.replace("num_generations: 4", "num_generations: 3\nlearning_rte: 1e-6")
    report = check("recipes/a.yaml --max_stps 5 --cosine_max_ln 3", recipes__a0yaml=recipe)
    assert sorted(found(report)) == [
        ("error", "RLB020", "recipes/a.yaml", 7),
        ("error", "RLB020", "run/one.sh", 1),
        ("error", "RLB020", "run/one.sh", 1),
        ("error", "RLB100", "recipes/a.yaml", 5),
    ]


OTHER = PROGRAM.replace("(GRPOScriptArguments, GRPOConfig,", "(GRPOScriptArguments, {name},")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("trl.experimental.async_grpo", "AsyncGRPOConfig"),
        ("trl", "AlignPropConfig"),
        ("trl.experimental.distillation", "DistillationConfig"),
    ],
)
def test_a_trainer_that_no_table_has_is_named(module: str, name: str) -> None:
    program = f"from {module} import {name}\n" + OTHER.format(name=name)
    report = check(src__open_r1__grpo0py=program)
    assert report.launches == ()
    (reason,) = [one.reason for one in report.unchecked]
    assert reason == f"{GRPO} takes the options of TRL's {name}, which are not known"


def test_distillation_is_a_trainer_of_trl() -> None:
    program = "from trl import DistillationConfig\n" + OTHER.format(name="DistillationConfig")
    recipe = "model_name_or_path: a/b\nbeta: 0.5\nteacher_model_name_or_path: c/d\n"
    report = check(src__open_r1__grpo0py=program, recipes__a0yaml=recipe)
    (launch,) = report.launches
    assert (launch.framework, launch.framework_version) == ("trl", "1.16.0")
    assert found(report) == []


def test_a_recipe_takes_no_beginning_of_a_name() -> None:
    report = check(recipes__a0yaml=RECIPE + "gradient_checkpoint: true\n")
    assert found(report) == [("error", "RLB020", "recipes/a.yaml", 7)]


@pytest.mark.parametrize(("release", "severity"), [("0.18.0", "warning"), ("0.19.1", "error")])
def test_older_releases_ignore_what_they_do_not_know_of_a_recipe(
    release: str, severity: str
) -> None:
    recipe = RECIPE + "num_processes: 2\n"
    report = check(head=f"# trl: {release}\n", recipes__a0yaml=recipe)
    assert found(report) == [(severity, "RLB020", "recipes/a.yaml", 7)]
    report = check("recipes/a.yaml --learning_rte 1", head=f"# trl: {release}\n")
    assert found(report) == [("error", "RLB020", "run/one.sh", 2)]


def test_a_switch_of_an_older_release_is_no_error() -> None:
    """Since TRL 0.19 `--bf16` alone needs a value; which release it was read by is said."""
    report = check("recipes/a.yaml --bf16 --max_steps 5")
    assert found(report) == [("warning", "RLB028", "run/one.sh", 1)]
    assert report.unchecked == ()


@pytest.mark.parametrize(
    ("module", "name", "key"),
    [
        ("trl.experimental.gold", "GOLDConfig", "lmbda"),  # OPSD's opsd_train.py.
        ("trl", "GKDConfig", "lmbda"),
        ("trl", "ORPOConfig", "beta"),
        ("trl", "PPOConfig", "num_ppo_epochs"),
    ],
)
def test_trainers_of_examples_are_known(module: str, name: str, key: str) -> None:
    program = f"from {module} import {name}\n" + OTHER.format(name=name)
    report = check(f"recipes/a.yaml --{key} 1 --{key}_x 1", src__open_r1__grpo0py=program)
    (said,) = [one.message for one in report.findings if f"--{key}" in one.message]
    assert said == f"there is no --{key}_x here, nor in any release of trl since 0.13.0"


FORMER = """
from trl import PPOConfig, PPOTrainer
config = HfArgumentParser(PPOConfig).parse_args_into_dataclasses()[0]
trainer = PPOTrainer(config, model, None, tokenizer, dataset=data)
trainer.step(queries, responses, scores)
"""


OWN_FORMER = """
from trl import PPOConfig, PPOTrainer
class CustomPPOTrainer(PPOTrainer, Trainer):
    def __init__(self, args):
        config = PPOConfig(model_name=args.model, ppo_epochs=4, log_with=args.report_to)
        PPOTrainer.__init__(self, config=config, model=model)
"""


def test_a_trainer_of_ones_own_as_ppo_was_before() -> None:
    """LLaMA-Factory's `train/ppo/trainer.py` had ten false errors in thunlp/OPD."""
    assert found(check("x", src__open_r1__grpo0py=OWN_FORMER)) == []


def test_ppo_as_it_was_before_the_first_release_that_is_known() -> None:
    """TRL 0.12 made the trainer anew: of `--ppo_epochs` no table knows anything."""
    report = check("recipes/a.yaml --ppo_epochs 4", src__open_r1__grpo0py=FORMER)
    assert (report.launches, found(report)) == ((), [])
    (reason,) = [one.reason for one in report.unchecked]
    assert reason == f"{GRPO} takes the options of TRL's PPOTrainer, which are not known"


@pytest.mark.parametrize(
    "files",
    [
        {"src__open_r1__grpo0py": PROGRAM.replace("TrlParser", "HfArgumentParser")},
        {"src__open_r1__grpo0py": PROGRAM.replace("TrlParser(", "TrlParser(*")},
        {"src__open_r1__grpo0py": PROGRAM.replace("ModelConfig)", "Unknown)")},
        {"src__open_r1__grpo0py": PROGRAM.replace("open_r1.configs", "elsewhere.configs")},
        {"src__open_r1__grpo0py": "x = (" + PROGRAM},
        {"src__open_r1__configs0py": CONFIGS.replace("trl.GRPOConfig", "TrainingArguments")},
        {"src__open_r1__configs0py": CONFIGS.replace("trl.GRPOConfig", "trl.DDPOConfig")},
        {"src__open_r1__configs0py": CONFIGS.replace("trl.GRPOConfig", "GRPOConfig")},
        {"other__open_r1__grpo0py": PROGRAM, "src__open_r1__grpo0py": ""},
        {"third_party__trl__trainer__grpo_config0py": ""},
    ],
)
def test_what_is_not_sure_is_no_launch(files: dict[str, str]) -> None:
    report = check("recipes/a.yaml --learning_rte 1", **files)
    assert report.launches == ()
    assert found(report) == []


def test_of_two_programs_the_one_above_the_script_is_meant() -> None:
    copy = {"run__src__open_r1__grpo0py": PROGRAM.replace("GRPOConfig, ", "SFTConfig, ")}
    copy["src__open_r1__configs0py"] = CONFIGS + "class SFTConfig(trl.SFTConfig): ...\n"
    assert check(**copy).launches[0].settings["num_generations"] == 4
    inside = check("a.yaml", "open_r1/grpo.py", path="src/x/one.sh", **copy, src__a0yaml=RECIPE)
    assert [one.framework for one in inside.launches] == ["trl"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("src/scripts/a.sh", 1), ("old/src/run.sh", 1), ("scripts/a.sh", 0)],
)
def test_of_two_programs_the_one_closest_to_the_script_is_meant(path: str, expected: int) -> None:
    """Video-R1 keeps its former version, and each script goes to its `src/r1-v` first."""
    grpo, configs = FILES["src/open_r1/grpo.py"], FILES["src/open_r1/configs.py"]
    files = {
        f"{folder}/src/open_r1/{name}.py": text
        for folder in ("src/r1-v", "old/src/r1-v")
        for name, text in (("grpo", grpo), ("configs", configs))
    }
    launch = "cd src/r1-v\ntorchrun src/open_r1/grpo.py --num_generations 8 --no 1\n"
    place = InCheckout(Checkout({name: text.encode() for name, text in files.items()}))
    report = check_script(ScriptFile(path=path, data=launch.encode()), CheckOptions(place=place))
    assert len(report.launches) == expected
    assert [rule for _, rule, *_ in found(report)] == ["RLB020"] * expected


def test_a_pin_beside_the_program_counts_where_none_is_above_the_script() -> None:
    """Video-R1 pins TRL in `src/r1-v/setup.py`, and starts that from `src/scripts`."""
    one = "recipes/a.yaml --per_device_train_batch_size 1 --num_generations 8"
    pin = {"src__setup0py": "install_requires = ['trl==0.16.0']\n"}
    assert [rule for _, rule, *_ in found(check(one))] == ["RLB100"]
    assert found(check(one, **pin)) == []
    assert check(one, **pin).launches[0].framework_version == "0.16.0"
    nearer = check(one, **pin, run__requirements0txt="trl==0.19.1\n")
    assert nearer.launches[0].framework_version == "0.19.1"
    asked = needed([*FILES, "src/setup.py"], {"run/a.sh": f"model_name_or_path {GRPO}".encode()})
    assert "src/setup.py" in asked


TRAINS = "    GRPOTrainer(model, args=args)\n"
FROM_TRL = f"from trl import GRPOTrainer\n{PROGRAM}{TRAINS}"
OLD = "--per_device_train_batch_size 1 --num_generations 8 --gradient_accumulation_steps 4"


@pytest.mark.parametrize(
    ("program", "pin", "more", "expected"),
    [
        (FROM_TRL, "trl==0.16.0\n", "", ["error"]),
        (FROM_TRL, "trl==0.14.0\n", "", []),
        (FROM_TRL, "trl==0.17.0\n", "", []),
        (FROM_TRL, "trl==0.16.0\n", "--per_device_train_batch_size 4", []),
        (f"from open_r1.trainer import GRPOTrainer\n{PROGRAM}{TRAINS}", "trl==0.16.0\n", "", []),
        (f"from .trainer import GRPOTrainer\n{FROM_TRL}", "trl==0.16.0\n", "", []),
        (f"from trl import GRPOTrainer\n{PROGRAM}", "trl==0.16.0\n", "", []),
        (FROM_TRL, "trl\n", "--vllm_device auto", ["warning"]),  # 0.14.0 to 0.17.0
        (FROM_TRL, "trl\n", "", []),  # up to the newest
        (PROGRAM, "trl\n", "--vllm_device auto", []),
    ],
)
def test_the_batch_of_trls_own_trainer(
    program: str, pin: str, more: str, expected: list[str]
) -> None:
    """open-r1's issues 217, 236 and 365, which name no release of TRL's."""
    report = check(
        f"recipes/a.yaml {OLD} {more}",
        requirements0txt=pin,
        src__open_r1__grpo0py=program,
    )
    assert [f.severity for f in report.findings if f.id == "RLB100"] == expected


TRANSFORMERS = """
from transformers import HfArgumentParser
from trl import SFTConfig
@dataclass
class ModelArguments:
    model_name_or_path: str = field()
    use_peft_lora: bool = False
if __name__ == "__main__":
    parser = HfArgumentParser((ModelArguments, SFTConfig))
    model_args, training_args = parser.parse_args_into_dataclasses()
"""
"""peft's examples/sft/train.py."""


def test_the_parser_of_transformers_takes_options_alone() -> None:
    def of(arguments: str) -> ScriptReport:
        line = f"torchrun --nproc_per_node 2 {GRPO} {arguments}\n"
        contents = {GRPO: TRANSFORMERS.encode()}
        script = ScriptFile(path="run/one.sh", data=line.encode())
        return check_script(script, CheckOptions(place=InCheckout(Checkout(contents))))

    right = of("--model_name_or_path a/b --use_peft_lora True --max_length 2048 --packing True")
    assert [launch.framework for launch in right.launches] == ["trl"]
    assert found(right) == []
    assert right.plan is not None
    assert (right.plan.algorithm, right.plan.model) == ("sft", "a/b")
    wrong = of("--model_name_or_path a/b --max_lenght 5")
    assert found(wrong) == [("error", "RLB020", "run/one.sh", 1)]
    for elsewhere in ("a.yaml", "", "--config recipes/a.yaml", "--lr 1 --config recipes/a.yaml"):
        assert of(elsewhere).launches == ()


@pytest.mark.parametrize(
    ("body", "more", "expected"),
    [
        ("", "", 1024),  # TRL's own default
        ("", "max_length: int = 512", 512),
        ("", "max_length: int | None = field(default=256, metadata={'help': 'a'})", 256),
        ("", "max_length: int = longest()", None),
        ("", "max_length: int = (512,)", None),
        ("    self.max_length = 3", "", 1024),
        ("    args.max_length = 3", "", None),
        ("    if a: args.model.max_length += 3", "", None),
        ("    args.max_length = 3", "max_length: int = 512", None),
        (f"    x = {'-' * 3000}1", f"max_length: int = {'-' * 3000}1", None),
    ],
)
def test_what_a_program_makes_of_an_option(body: str, more: str, expected: int | None) -> None:
    program = (
        "import trl\n"
        f"class Config(trl.SFTConfig):\n    {more or 'own: int'}\n"
        f"if True:\n    trl.TrlParser((Config, trl.ModelConfig))\n{body}\n"
    )
    place = ScriptPlace(Checkout({"sft.py": program.encode()}), "one.sh")
    reading = read(b"python sft.py --model_name_or_path a/b\n", "one.sh")
    found = plans(reading, versions={"trl": "0.19.1"}, place=place)
    # A source that is too deep for Python is no program that is known.
    assert [values_of(plan).number("max_length") for plan in found] == [expected] * len(found)
    assert found or "---" in more


@pytest.mark.parametrize(
    ("program", "adapter"),
    [
        (PROGRAM, ""),
        (PROGRAM.replace(", ModelConfig)", ")"), None),
        (PROGRAM + "    trainer = GRPOTrainer(peft_config=peft.LoraConfig(r=32))\n", None),
    ],
)
def test_of_an_adapter_of_the_programs_own_nothing_is_known(
    program: str, adapter: str | None
) -> None:
    files = {GRPO: program.encode(), "src/open_r1/configs.py": CONFIGS.encode()}
    reading = read(f"python {GRPO} --model_name_or_path a/b\n".encode(), "one.sh")
    (plan,) = plans(reading, place=ScriptPlace(Checkout(files), "one.sh"))
    assert plan.adapter.value == adapter


@pytest.mark.parametrize(
    "call",
    [
        "parse_yaml_file('a.yaml')",
        "parse_args_into_dataclasses(args=rest)",
        "parse_args_into_dataclasses(rest)",
        "parse_args_into_dataclasses(return_remaining_strings=True)",
    ],
)
def test_a_part_of_the_command_line_is_not_judged(call: str) -> None:
    text = TRANSFORMERS.replace("parse_args_into_dataclasses()", call)
    assert TrlPrograms({GRPO: text.encode()}).find(GRPO, "run/one.sh") is None


@pytest.mark.parametrize(
    ("more", "arguments", "launches"),
    [
        ("", "a.yaml", 1),
        ("", "--beta 0.1", 1),
        ("", "a.json", 0),
        ("", "a.yaml --beta 0.1", 0),
        (", allow_extra_keys=True", "a.yaml", 0),
    ],
)
def test_a_file_may_be_all_that_a_program_is_given(
    more: str, arguments: str, launches: int
) -> None:
    """xinyue097/medical-reasoning: `parser.parse_yaml_file(sys.argv[1])`, with TRL's own parser."""
    files = {
        GRPO: f"{PROGRAM}    parser.parse_yaml_file(sys.argv[1]{more})\n".encode(),
        "src/open_r1/configs.py": CONFIGS.encode(),
    }
    reading = read(f"accelerate launch {GRPO} {arguments}\n".encode(), "one.sh")
    assert len(plans(reading, place=ScriptPlace(Checkout(files), "one.sh"))) == launches


def test_what_stands_in_the_file_that_a_program_is_given_counts() -> None:
    """CrowdStrike/automaldesc: `accelerate launch -m automaldesc.train configs/train.yaml`."""
    program = f"{PROGRAM}    parser.parse_yaml_file(yaml_file=sys.argv[1])\n"
    given = {"src__open_r1__grpo0py": program, "program": f"{GRPO} recipes/a.yaml #"}
    report = check(**given)
    (launch,) = report.launches
    assert launch.settings["num_generations"] == 4
    assert model(report) == "Qwen/Qwen3-0.6B"
    assert not [f for f in report.findings if f.severity != "note"]
    (wrong,) = [
        f
        for f in check(recipes__a0yaml=f"{RECIPE}bta: 0.1\n", **given).findings
        if f.severity == "error"
    ]
    assert (wrong.id, wrong.path) == ("RLB020", "recipes/a.yaml")


def test_the_parser_of_a_handbook_has_its_file_in_front() -> None:
    """alignment-handbook up to 2025: `run_dpo.py recipe.yaml --beta=0.1`, the rest passed over."""
    program = PROGRAM.replace("TrlParser(", "H4ArgumentParser(")
    given = {"src__open_r1__grpo0py": program, "program": f"{GRPO} recipes/a.yaml --beta=0.1 #"}
    report = check(**given)
    (launch,) = report.launches
    assert launch.settings["beta"] == 0.1
    assert model(report) == "Qwen/Qwen3-0.6B"
    assert not [f for f in report.findings if f.severity != "note"]


def test_of_two_classes_of_one_name_the_later_import_counts() -> None:
    """longmalongma/TW-GRPO imports a GRPOConfig of its own, and then TRL's."""
    program = PROGRAM.replace("if __name__", "from trl import GRPOConfig\nif __name__")
    report = check(more="recipes/a.yaml --beta 0.1", src__open_r1__grpo0py=program)
    (launch,) = report.launches
    assert launch.settings["beta"] == 0.1
    refused = [f.message for f in report.findings if f.id == "RLB020"]
    assert refused == ["there is no benchmarks here, nor in any release of trl since 0.13.0"]


def test_a_package_may_hand_its_classes_on() -> None:
    """alignment-handbook: `from alignment import SFTConfig`, in src/alignment/__init__.py."""
    files = {
        "scripts/sft.py": b"from alignment import SFTConfig\nTrlParser((SFTConfig,))\n",
        "src/alignment/__init__.py": b"from .configs import SFTConfig\n",
        "src/alignment/configs.py": b"import trl\nclass SFTConfig(trl.SFTConfig):\n    own: int\n",
    }
    program = TrlPrograms(files).find("scripts/sft.py", "recipes/run.sh")
    assert program is not None
    assert (program.trainer, list(program.options)) == ("sft", ["own"])


def test_a_pull_request_asks_for_the_program_and_its_classes() -> None:
    paths = [*FILES, "src/other.py", "README.md"]
    text = LAUNCH.format(program=GRPO, more="recipes/a.yaml").encode()
    assert needed(paths, {"run/one.sh": text}) == tuple(sorted(FILES))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_source_is_a_fault(program: str, classes: str) -> None:
    files = {
        GRPO: f"{PROGRAM}{program}".encode(),
        "src/open_r1/configs.py": f"{CONFIGS}{classes}".encode(),
    }
    TrlPrograms(files).find(GRPO, "one.sh")


COPY = """
from transformers import TrainingArguments
class GRPOConfig(TrainingArguments):
    num_generations: int = 8
    reward_names: list[str] = field(default_factory=list)
class GRPOScriptArguments:
    cosine_max_len: int = 1000
"""


def test_a_copy_of_a_trainers_class_has_its_own_options() -> None:
    """VLM-R1's `GRPOConfig`; its trainer may take groups that TRL's does not."""
    more = "recipes/a.yaml --reward_names a b --num_generations 3"
    recipe = RECIPE.replace("dataset_mixture: {datasets: []}\n", "").replace("benchmarks", "names")
    recipe = recipe.replace("names: [aime, math]\n", "")
    report = check(more, src__open_r1__configs0py=COPY, recipes__a0yaml=recipe)
    assert found(report) == []
    assert report.launches[0].framework == "trl"
    assert report.plan is not None
    assert (report.plan.algorithm, report.plan.train_batch_size) == ("grpo", None)
    wrong = check(f"{more} --reward_nams a", src__open_r1__configs0py=COPY, recipes__a0yaml=recipe)
    assert [name for _, name, *_ in found(wrong)] == ["RLB020"]
    number = check(
        "recipes/a.yaml --num_generations few",
        src__open_r1__configs0py=COPY,
        recipes__a0yaml=recipe,
    )
    assert [name for _, name, *_ in found(number)] == ["RLB027"]


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("TGRPOConfig", None),
        ("GRPOConfigs", None),
        ("GRPOConfig", "grpo"),
        ("DiffuGRPOConfig", "grpo"),
    ],
)
def test_such_a_class_may_have_a_name_of_its_own(name: str, algorithm: str | None) -> None:
    """xiaohangt/wd1, whose trainer is of a model of diffusion."""
    report = check(
        "--output_dir o --num_generations 3",
        src__open_r1__grpo0py=PROGRAM.replace("GRPOConfig", name),
        src__open_r1__configs0py=COPY.replace("class GRPOConfig", f"class {name}"),
    )
    assert (report.plan.algorithm if report.plan is not None else None) == algorithm


@pytest.mark.parametrize(
    ("imported", "used", "expected"),
    [
        ("from trl import GRPOTrainer", "GRPOTrainer(args=a)", ""),
        ("from trl import SFTTrainer", "class Mine(SFTTrainer): pass", ""),
        ("from open_r1.trainer import VLMGRPOTrainer", "", ""),  # Imported, and no more.
        ("from open_r1.trainer import VLMGRPOTrainer", "made = VLMGRPOTrainer", "VLMGRPOTrainer"),
        ("from .trainer import MineTrainer", "MineTrainer(args=a)", "MineTrainer"),
        ("", "class OwnTrainer: pass\nOwnTrainer(args=a)", "OwnTrainer"),
    ],
)
def test_who_trains(imported: str, used: str, expected: str) -> None:
    """VLM-R1 trains with a class of its own, by TRL's settings."""
    program = f"{imported}\n{PROGRAM}\n{used}\n"
    files = {GRPO: program.encode(), "src/open_r1/configs.py": CONFIGS.encode()}
    reading = read(f"python {GRPO} --model_name_or_path a/b\n".encode(), "one.sh")
    (plan,) = plans(reading, place=ScriptPlace(Checkout(files), "one.sh"))
    assert plan.own_trainer == expected


@pytest.mark.parametrize(
    ("way", "known"),
    [
        ("$ROOT/recipes/a.yaml", True),
        ('"$(cd "$(dirname "$0")/.." && pwd)"/recipes/a.yaml', True),
        ("$ROOT/other/recipes/a.yaml", False),
        ("$ROOT/$NAME.yaml", False),
        ("$RECIPE", False),
    ],
)
def test_a_recipe_below_a_folder_that_only_a_run_knows(way: str, known: bool) -> None:
    assert model(check(way)) == ("Qwen/Qwen3-0.6B" if known else None)
    contents = {name: text.encode() for name, text in FILES.items()}
    asked = needed(contents, {"run/one.sh": LAUNCH.format(program=GRPO, more=way).encode()})
    assert ("recipes/a.yaml" in asked) is known


SCRIPT_OF_TRL = """
from trl import DatasetMixtureConfig, DPOConfig, ModelConfig, ScriptArguments, TrlParser
def make_parser(subparsers=None):
    dataclass_types = (ScriptArguments, DPOConfig, ModelConfig, DatasetMixtureConfig)
    if subparsers is not None:
        return subparsers.add_parser("dpo", dataclass_types=dataclass_types)
    return TrlParser(dataclass_types)
"""


def test_a_copy_of_a_script_of_trl_s_own_is_followed() -> None:
    """`python scripts/DPO.py` of a repository was no known launch."""
    files = {"scripts/DPO.py": SCRIPT_OF_TRL.encode()}
    script = "python scripts/DPO.py --model_name_or_path a/b --max_steps 5\n"
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="scripts/run.sh", data=script.encode()), options)
    (launch,) = report.launches
    assert (launch.framework, launch.settings["max_steps"]) == ("trl", 5)


def test_classes_that_two_places_name_are_not_followed() -> None:
    two = SCRIPT_OF_TRL.replace("    if sub", "    dataclass_types = ()\n    if sub")
    options = CheckOptions(place=InCheckout(Checkout({"DPO.py": two.encode()})))
    script = ScriptFile(path="run.sh", data=b"python DPO.py --max_steps 5\n")
    assert check_script(script, options).launches == ()


@pytest.mark.parametrize(("given", "errors"), [("return_remaining_strings=True", 0), ("", 1)])
def test_a_program_that_drops_what_is_left_refuses_no_stray_word(given: str, errors: int) -> None:
    """As TRL's own scripts do, and what JlPang863/QualityDPO made of one does not."""
    program = SCRIPT_OF_TRL + f"make_parser().parse_args_and_config({given})\n"
    options = CheckOptions(place=InCheckout(Checkout({"DPO.py": program.encode()})))
    script = ScriptFile(path="run.sh", data=b"python DPO.py --output_dir o conf.yaml\n")
    found = check_script(script, options).findings
    assert [one.id for one in found if one.severity == "error"] == ["RLB024"] * errors


@pytest.mark.parametrize(("given", "severity"), [("return_remaining_strings=True", 1), ("", 0)])
@pytest.mark.parametrize("path", ["run.sh", "recipes/sft.yaml"])
def test_a_program_that_drops_what_is_left_refuses_no_option(
    given: str, severity: bool, path: str
) -> None:
    """metacognitive-behavioral-tuning has a stale key in the recipe of such a program."""
    program = SCRIPT_OF_TRL + f"make_parser().parse_args_and_config({given})\n"
    recipe = "model_name_or_path: a/b\nraw_rollout: false\nlearning_rate: 1e-4\nmax_length: 9\n"
    files = {"DPO.py": program, "recipes/sft.yaml": recipe}
    checkout = Checkout({name: text.encode() for name, text in files.items()})
    text = {
        **files,
        "run.sh": "# trl: 1.16.0\npython DPO.py --config recipes/sft.yaml --no_such 1\n",
    }
    script = ScriptFile(path=path, data=text[path].encode())
    findings = check_script(script, CheckOptions(place=InCheckout(checkout))).findings
    unknown = {one.severity for one in findings if one.id == "RLB020"}
    assert unknown == {"warning" if severity else "error"}


COPY_OF_TRL = {
    "trl/__init__.py": "",
    "trl/trainer/grpo_config.py": "class GRPOConfig:\n    judges: int = 2\n",
    "trl/scripts/grpo.py": """
from trl import GRPOConfig, ModelConfig, ScriptArguments, TrlParser
def make_parser(subparsers=None):
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    parser.add_argument("--level", type=str, choices=["low", "high"])
    return parser
make_parser().parse_args_and_config()
""",
}


@pytest.mark.parametrize(
    ("more", "errors"),
    [
        ("--level high --judges 3", []),
        ("--level none", ["RLB027"]),
        ("--levl high", ["RLB020"]),
        # The program may have rewards of its own.
        ("--reward_weights 1 1", []),
    ],
)
def test_a_script_of_a_copy_of_trl_has_the_options_of_the_copy(
    more: str, errors: list[str]
) -> None:
    """youpengl/OpenVul adds options to the script of the TRL that it has."""
    checkout = Checkout({name: text.encode() for name, text in COPY_OF_TRL.items()})
    launch = f"# trl: 1.16.0\naccelerate launch trl/scripts/grpo.py --output_dir o {more}\n"
    script = ScriptFile(path="grpo.sh", data=launch.encode())
    findings = check_script(script, CheckOptions(place=InCheckout(checkout))).findings
    assert [one.id for one in findings if one.severity == "error"] == errors


@pytest.mark.parametrize(
    ("more", "findings"),
    [
        ("--judges 3 --benchmarks a", []),
        # A copy may divide its batches otherwise, and be of any release.
        ("--num_generations 1 --max_prompt_length 5", []),
        ("--learning_rte 1", ["RLB020"]),
    ],
)
def test_a_program_beside_a_copy_of_trl_takes_its_fields(more: str, findings: list[str]) -> None:
    """AMAP-ML/MathForge, with its trl-0.20.0."""
    copy = {"trl-0.20.0/" + name: text for name, text in COPY_OF_TRL.items()}
    contents = {name: text.encode() for name, text in {**FILES, **copy}.items()}
    script = f"python {GRPO} --model_name_or_path a/b --output_dir o {more}\n"
    report = check_script(
        ScriptFile(path="run.sh", data=script.encode()),
        CheckOptions(place=InCheckout(Checkout(contents))),
    )
    assert [one[1] for one in found(report)] == findings
    assert report.launches[0].framework == "trl"
    (plan,) = plans(
        read(script.encode(), "run.sh"), place=ScriptPlace(Checkout(contents), "run.sh")
    )
    assert plan.own_trainer == "trl-0.20.0/trl"


PARTIAL = """
from transformers import HfArgumentParser
from trl import GRPOConfig
args = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses(args=sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (
            "import sys\n" + PARTIAL,
            "run/train.py takes settings of TRL in a way that is not followed",
        ),
        (
            "from trl import GRPOConfig, TrlParser\nargs = TrlParser((GRPOConfig,)).parse_args(\n",
            "run/train.py is no Python that can be read",
        ),
    ],
)
def test_a_program_of_trl_that_is_not_followed_is_named(program: str, reason: str) -> None:
    """After-Wind/grpo_gsm8k: it was said that no command starts a known framework."""
    files = {"run/train.py": program.encode()}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    data = b"accelerate launch train.py Qwen/Qwen2.5-3B --num_generations 4\n"
    report = check_script(ScriptFile(path="run/one.sh", data=data), options)
    assert [one.reason for one in report.unchecked] == [reason]
