"""Settings that a program gives TRL in its own Python: `GRPOConfig(num_generations=8, …)`."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script, resolve_script
from bot.frameworks import Checkout
from bot.report import ScriptReport

START = "from trl import GRPOConfig, GRPOTrainer\n"
CALL = """GRPOConfig(
    output_dir=args.output_dir,
    per_device_train_batch_size=4,
    num_generations=GENERATIONS,
    learning_rate=1e-6,
    bf16=True,
    report_to=["wandb", "tensorboard"],
)
"""
SCRIPT = "accelerate launch --num_processes 2 train.py --lr 1e-6 --config runs/a.yaml\n"


def _check(program: str, script: str = SCRIPT, **more: str) -> ScriptReport:
    files = {"run/train.py": program.encode(), "run/runs/a.yaml": b"model_name_or_path: a/b\n"}
    files |= {f"{name.replace('__', '/')}.py": text.encode() for name, text in more.items()}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    return check_script(ScriptFile(path="run/one.sh", data=script.encode()), options)


def _settings(program: str) -> dict[str, object]:
    (launch,) = _check(program).launches
    return launch.settings


@pytest.mark.parametrize(
    "program",
    [
        START + "a = GRPOConfig(beta=0.1)\nb = GRPOConfig(beta=0.2)\n",
        START + "a = GRPOConfig(beta=0.1, **more)\n",
        START + "a = GRPOConfig('out', beta=0.1)\n",
        START + "def f(b):\n    a = GRPOConfig(beta=b)\nf(1)\n\n\ndef g():\n    b = 2\n"
        "    a = GRPOConfig(beta=b)\n",
        f"{START}a = GRPOConfig({', '.join(f'a{n}=1' for n in range(20_000))})\n",  # took 30 s
    ],
)
def test_what_cannot_be_followed_is_said_to_stand_in_python(program: str) -> None:
    report = _check(program)
    assert report.launches == ()
    assert [f.id for f in report.findings if f.severity != "note"] == []
    (reason,) = [one.reason for one in report.unchecked]
    assert reason.startswith("the settings of TRL stand in Python, GRPOConfig(…) in run/train.py")


@pytest.mark.parametrize("module", ["mlx_rl", ".config", "rl_master.agent.trainer.grpo"])
def test_another_class_of_that_name_is_not_called_trls(module: str) -> None:
    """The last is zhangsscc99/RLHF_GRPO's, which has no TRL."""
    report = _check(f"from {module} import GRPOConfig\na = GRPOConfig(lora_rank=8)\n")
    (reason,) = [one.reason for one in report.unchecked]
    assert "the script runs accelerate launch train.py" in reason


def test_a_trl_of_the_repositorys_own_may_have_other_settings() -> None:
    own = {"trl__trainer__grpo_config": "class GRPOConfig: pass\n"}
    assert _check(START + "a = GRPOConfig(own=1)\n", **own).launches == ()


@pytest.mark.parametrize(
    ("pin", "launches"),
    [
        ({}, 0),
        ({"run__setup": "install_requires=['transformers']"}, 0),
        ({"setup": "install_requires=['trl==0.17.0']"}, 0),
        # CodeGoat24/UnifiedReward: LLaVA-NeXT has a copy at the root, another project a release.
        ({"run__setup": "install_requires=['trl==0.17.0']"}, 1),
    ],
)
def test_a_copy_of_trl_is_not_what_a_nearer_pin_installs(
    pin: dict[str, str], launches: int
) -> None:
    own = {"trl__trainer__dpo_config": "class DPOConfig: pass\n"}
    assert len(_check(START + "a = GRPOConfig(beta=0.1)\n", **own, **pin).launches) == launches


@pytest.mark.parametrize(
    "call",
    [CALL, "trl." + CALL, "GRPOConfig(beta=None, report_to=[], **{})"[:-6] + ")\n"],
)
def test_a_right_program_has_no_finding(call: str) -> None:
    report = _check(f"import trl\n{START}GENERATIONS = 4\nconfig = {call}")
    assert len(report.launches) == 1
    assert [f for f in report.findings if f.severity != "note"] == []
    assert report.unchecked == ()


OWN = """
from dataclasses import dataclass
from trl import GRPOConfig
@dataclass
class DistilConfig(GRPOConfig):
    lmbda: float = 1.0
    beta: float = 0.5
"""
OWN_START = "from distil_config import DistilConfig\n"


def _own(call: str, config: str = OWN, start: str = OWN_START) -> ScriptReport:
    return _check(f"{start}config = DistilConfig({call})\n", run__distil_config=config)


def test_a_class_of_the_repositorys_has_the_settings_of_its_base_and_its_own() -> None:
    """OPSD's `OPSDConfig(SFTConfig)`."""
    report = _own("num_generations=4, per_device_train_batch_size=4, lmbda=0.5, beta='x'")
    assert [f for f in report.findings if f.severity != "note"] == []
    (launch,) = report.launches
    assert launch.settings == {"num_generations": 4, "per_device_train_batch_size": 4}


@pytest.mark.parametrize(
    ("config", "start"),
    [
        (OWN.replace("from trl", "from areal"), OWN_START),
        (OWN.replace("(GRPOConfig)", "(GRPOConfig, Mixed)"), OWN_START),
        (OWN.replace("trl import GRPOConfig", "trl import DDPOConfig as GRPOConfig"), OWN_START),
        (OWN, "from elsewhere import DistilConfig\n"),
        (OWN, "import unsloth\n" + OWN_START),
    ],
)
def test_a_class_that_is_not_followed_has_no_settings(config: str, start: str) -> None:
    report = _own("num_generation=4", config, start)
    assert report.launches == ()
    assert [f for f in report.findings if f.severity != "note"] == []


def test_what_neither_class_has_is_an_error() -> None:
    """Python takes no beginning of a name, which argparse does."""
    (finding,) = [f for f in _own("num_generation=4").findings if f.severity == "error"]
    assert finding.message.startswith("there is no num_generation here")
    assert finding.path == "run/train.py"


def _mapped(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{START}def main(args):\n{body}    return GRPOConfig(**kept)\n"


@pytest.mark.parametrize(
    "lines",
    [
        ("kept = make(args)",),
        ("kept = dict(base, beta=0.1)",),
        ("kept = dict(**base, beta=0.1)",),
        ("kept = {name: 1}",),
        ("kept = {'beta': 0.1, **base}",),
        ("kept = {'beta': 0.1}", "kept = dict(base)"),
        ("kept = {'beta': 0.1}", "if has('own'): kept = {'own': 0.2}"),
        ("kept = {'beta': 0.1}", "for kept in many: pass"),
        ("kept = {'beta': 0.1}", "kept |= base"),
        ("kept = {'beta': 0.1}", "kept.update(base)"),
        ("kept = {'beta': 0.1}", "kept.pop('beta')"),
        ("kept = {'beta': 0.1}", "change(kept)"),
        ("kept = {'beta': 0.1}", "del kept['beta']"),
        ("kept = {'beta': 0.1}", "kept[args.name] = 1"),
        ("kept = {'beta': 0.1}", "other = kept"),
        ("kept = {'beta': 0.1}", "kept = {k: make(v) for k, v in kept.items() if k in fields}"),
        ("kept = {k: v for k, v in read().items() if k in fields}",),
        ("kept = {'beta': 0.1}", "kept = {k: v for k, v in kept.items() if v}"),
        ("kept = {'beta': 0.1}", "kept = {k: v for k, v in kept.items() if v is not None or k}"),
        ("kept = {'beta': 0.1}", "kept = {k: v for k, v in other.items() if k in fields}"),
    ],
)
def test_a_mapping_that_may_hold_anything_is_not_followed(lines: tuple[str, ...]) -> None:
    assert _check(_mapped(*lines)).launches == ()


@pytest.mark.parametrize(
    ("lines", "settings"),
    [
        # tiziano777/FineTuning-Lineage leaves out what is None.
        (
            (
                "all = {'beta': 0.1, 'own': None}",
                "kept = {k: v for k, v in all.items() if v is not None}",
            ),
            {"beta": 0.1},
        ),
        (
            (
                "kept = dict(beta=0.1, own=None)",
                "kept = {k: v for k, v in kept.items() if v is not None}",
            ),
            {"beta": 0.1},
        ),
        (
            ("all = {'beta': args.beta}", "kept = {k: v for k, v in all.items() if v is not None}"),
            {"beta": "${?args.beta}"},
        ),
        (("kept = dict(beta=0.1, num_generations=4)",), {"beta": 0.1, "num_generations": 4}),
        (("kept: dict = {'beta': 0.1}", "print(kept['beta'], kept.get('b'))"), {"beta": 0.1}),
        # JxKim/0415_llm.
        (
            ("kept = {'beta': 0.1}", "if args.max_steps: kept['max_steps'] = args.max_steps"),
            {"beta": 0.1, "max_steps": "${?args.max_steps}"},
        ),
        (
            ("kept = dict(beta=0.1)", "if not args.no_eval: kept.update(beta=0.2, eval_steps=10)"),
            {"beta": "${?0.1}", "eval_steps": "${?10}"},
        ),
        # luozoupi/HLSmith-GRPO.
        (
            ("kept = {}", "if args.colocate: kept = dict(vllm_mode='colocate', beta=0.1)"),
            {"vllm_mode": "${?'colocate'}", "beta": "${?0.1}"},
        ),
    ],
)
def test_a_mapping_has_the_settings_of_the_call(
    lines: tuple[str, ...], settings: dict[str, object]
) -> None:
    assert _settings(_mapped(*lines)) == settings


def test_of_two_mappings_each_setting_may_be_there() -> None:
    chosen = "{'beta': 0.1} if args.kl else {}"
    program = f"{START}a = GRPOConfig(max_steps=5, **({chosen}))\n"
    assert _settings(program) == {"max_steps": 5, "beta": "${?0.1}"}
    assert _check(program.replace("args.kl", "'beta' in fields")).launches == ()


def test_a_key_of_a_mapping_stands_where_it_is_written() -> None:
    (finding,) = [f for f in _check(_mapped("kept = {'bta': 0.1}")).findings if f.id == "RLB020"]
    assert (finding.path, finding.line, finding.column) == ("run/train.py", 3, 14)


def test_python_takes_a_number_with_a_point_for_a_whole_one() -> None:
    """JxKim/0415_llm: transformers 5 reads `warmup_steps=0.1` as a share."""
    report = _check(f"{START}a = GRPOConfig(warmup_steps=0.1)\n")
    assert [f.id for f in report.findings if f.severity == "error"] == []


@pytest.mark.parametrize(
    ("program", "known"),
    [
        ("G = 4\nG = 8\nGRPOConfig(num_generations=G)\nG = 2\n", 8),
        ("G = 4\nG = G * 2\nGRPOConfig(num_generations=G)\n", 8),
        ("GRPOConfig(num_generations=G)\nG = 4\nG = 8\n", "${?G}"),
        ("G = 4\nGRPOConfig(num_generations=(G :=\n 8))\nG = 2\n", "${?(G := 8)}"),
        ("G = 4\nfor a in b:\n    G = 8\nGRPOConfig(num_generations=G)\n", "${?G}"),
        ("def f():\n    GRPOConfig(num_generations=G)\nG = 4\nf()\nG = 8\n", "${?G}"),
        ("G = 4\nif x:\n    G = 8\nGRPOConfig(num_generations=G)\n", "${?G}"),
        ("G = 4\nG = 8\ndef f(g):\n    GRPOConfig(num_generations=g)\nf(G)\nG = 2\n", 8),
    ],
)
def test_of_several_assignments_the_last_one_above_counts(program: str, known: object) -> None:
    """As cells of a notebook have them, which give a name something else again further down."""
    assert _settings(START + program) == {"num_generations": known}


def test_constants_are_known_and_the_rest_is_a_hole() -> None:
    found = _settings(f"{START}GENERATIONS = 4\nargs = parse()\nconfig = {CALL}")
    assert found == {
        "output_dir": "${?args.output_dir}",
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "learning_rate": 1e-6,
        "bf16": True,
        "report_to": ["wandb", "tensorboard"],
    }


@pytest.mark.parametrize(
    "before",
    [
        "GENERATIONS = 4\nfor GENERATIONS in (2, 8): pass\n",
        "GENERATIONS = 4\nfrom own import GENERATIONS\n",
        "GENERATIONS = 4\ndef main():\n    global GENERATIONS\n    GENERATIONS = 8\n",
        "GENERATIONS = read()\n",
        "if a:\n    GENERATIONS = 4\n",
        "GENERATIONS = None\n",
    ],
)
def test_a_name_that_may_be_something_else_is_not_known(before: str) -> None:
    found = _settings(f"{START}{before}config = {CALL}")
    assert str(found["num_generations"]).startswith("${?")


def test_what_the_program_changes_later_is_not_known() -> None:
    found = _settings(f"{START}GENERATIONS = 4\nconfig = {CALL}config.bf16 = False\n")
    assert found["bf16"] == "${?True}"


def test_an_unknown_setting_is_an_error_at_its_line_of_the_program() -> None:
    program = f"{START}GENERATIONS = 4\nconfig = {CALL}".replace("num_gen", "num_genn")
    (found,) = [f for f in _check(program).findings if f.severity == "error"]
    assert (found.id, found.path, found.line, found.column) == ("RLB020", "run/train.py", 6, 5)
    assert found.help == "did you mean num_generations?"


def test_a_reward_model_of_a_release_without_a_script_for_it() -> None:
    """KlayMa527/autovmr: `evaluation_strategy` is TRL's until 0.16, its own script since 0.24."""
    program = START.replace("GRPO", "Reward") + 'RewardConfig(evaluation_strategy="epoch")\n'
    report = _check(program)
    assert [f.id for f in report.findings if f.severity != "note"] == ["RLB028"]
    (launch,) = report.launches
    assert launch.framework_version == "0.16.1"
    (found,) = [f for f in _check(program.replace("tion_", "te_")).findings if f.severity != "note"]
    assert (found.id, found.severity) == ("RLB020", "error")


def test_settings_that_do_not_go_together_are_found() -> None:
    program = f"{START}GENERATIONS = 3\nconfig = {CALL}"
    (found,) = [f for f in _check(program).findings if f.severity == "error"]
    assert (found.path, found.line) == ("run/train.py", 5)
    assert found.message.endswith("= 8 is no multiple of num_generations 3")
    unknown = program.replace("bf16=True", "gradient_accumulation_steps=args.steps")
    assert [f for f in _check(unknown).findings if f.severity == "error"] == []


@pytest.mark.parametrize(
    ("start", "count"),
    [
        ("python run/train.py", 1),
        ("CUDA_VISIBLE_DEVICES=0,1 python3 run/train.py", 1),
        ("srun python run/train.py", 0),
        ("export WORLD_SIZE=8 LOCAL_RANK=0; python run/train.py", 0),
        ("mpirun -np 8 python run/train.py", 0),
        ("accelerate launch run/train.py", 0),
        ("torchrun --nproc_per_node $GPUS run/train.py", 0),
        ("torchrun --nproc_per_node 4 run/train.py", 0),
    ],
)
def test_python_alone_is_one_process(start: str, count: int) -> None:
    """wyf3/llm_related's issue 13: one completion a device, and 16 of each prompt."""
    made = "GRPOConfig(per_device_train_batch_size=1, gradient_accumulation_steps=4, "
    program = f"{START}config = {made}num_generations=16, bf16=True)\n"
    report = _check(program, f"{start}\n")
    said = [f.message for f in report.findings if f.id == "RLB100"]
    assert len(said) == count
    for one in said:
        assert "1 process × 4 steps = 4 is no multiple of num_generations 16" in one


COUNTED = f"""import os
{START}world = int(os.environ.get("WORLD_SIZE", "1"))
rank = int(os.environ.get("LOCAL_RANK", -1))
config = GRPOConfig(num_generations=4, generation_batch_size=8 * world, beta=rank + 1, bf16=True)
"""


@pytest.mark.parametrize(
    ("start", "batch", "beta"),
    [
        ("torchrun --nproc_per_node 2 run/train.py", 16, 1),
        ("torchrun --nnodes=2 --nproc_per_node=4 run/train.py", 64, 1),
        ("accelerate launch --num_processes 8 run/train.py", 64, 1),
        ("deepspeed --num_gpus 3 run/train.py", 24, 1),
        ("torchrun run/train.py", 8, 1),
        ("WORLD_SIZE=9 torchrun --nproc_per_node 2 run/train.py", 16, 1),
        # zziho/fdsp_summary_format: five false errors where a batch counted one process of two.
        ("torchrun --nproc_per_node=$GPUS run/train.py", None, 1),
        ("accelerate launch run/train.py", None, 1),
        ("accelerate launch --num_processes 1 run/train.py", 8, 0),
        ("python run/train.py", 8, 0),
        ("WORLD_SIZE=3 python run/train.py", 24, 0),
    ],
)
def test_a_launcher_tells_each_process_how_many_there_are(
    start: str, batch: int | None, beta: int
) -> None:
    (launch,) = _check(COUNTED, f"{start}\n").launches
    assert launch.settings["beta"] == beta
    found = launch.settings["generation_batch_size"]
    assert found == batch if batch else "8 * world" in str(found)


def test_a_batch_that_an_older_release_may_take_is_a_warning() -> None:
    """Wang-Xiaodong1899/open-r1-multimodal: its own trainer, and `trl` without a release."""
    own = CALL.replace("bf16=True", "max_prompt_length=9")
    program = f"{START}GENERATIONS = 3\nconfig = {own}"
    (found,) = [f for f in _check(program).findings if f.id == "RLB100"]
    assert found.severity == "warning"


def test_resolve_names_the_file_of_each_setting() -> None:
    files = {"run/train.py": f"{START}GENERATIONS = 4\nconfig = {CALL}".encode()}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = resolve_script(ScriptFile(path="run/one.sh", data=SCRIPT.encode()), options)
    (launch,) = report.launches
    places = {one.key: (one.path, one.line, one.column) for one in launch.origins}
    assert places["per_device_train_batch_size"] == ("run/train.py", 5, 33)
    assert places["num_generations"] == ("run/train.py", 6, 21)
    assert " ".join(launch.argv) == SCRIPT.strip()


def test_launches_of_a_loop_share_the_settings() -> None:
    script = f"for s in 1 2 3; do {SCRIPT.strip()} --seed $s; done\npython other.py\n"
    report = _check(f"{START}GENERATIONS = 4\nconfig = {CALL}", script)
    assert [launch.settings["num_generations"] for launch in report.launches] == [4, 4, 4]


@pytest.mark.parametrize(
    ("path", "launches"),
    [
        ("/home/me/another-name/train.py", 1),  # rubenbalbastre/grpo-llm-unlearning
        ("$SLURM_SUBMIT_DIR/train.py", 1),
        ("/home/me/another-name/other.py", 0),
        ("/home/me/more/sft.py", 0),
    ],
)
def test_a_program_at_the_root_is_found_by_its_name_alone(path: str, launches: int) -> None:
    program = f"{START}c = GRPOConfig(beta=0.1)\n".encode()
    files = {"train.py": program, "a/other.py": program, "sft.py": program, "b/sft.py": program}
    options = CheckOptions(place=InCheckout(Checkout(files)))
    script = ScriptFile(path="scripts/run.sh", data=f"accelerate launch {path}\n".encode())
    assert len(check_script(script, options).launches) == launches


PARSER = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", "-l", type=float, default=1e-6)
parser.add_argument("--beta", type=float, default=0.04)
parser.add_argument("--run-name", default="first")
parser.add_argument("--no-bf16", dest="bf16", action="store_false")
parser.add_argument("--steps", type=int)
parser.add_argument("--eval", type=bool, default=False)
"""
USE = "GRPOConfig(learning_rate=args.lr, beta=args.beta, run_name=args.run_name, bf16=args.bf16)\n"
DEFAULT = (1e-6, 0.04, "first", True)
"""What `USE` comes to where the launch gives nothing."""


def _used(program: str, arguments: str) -> tuple[object, ...]:
    (launch,) = _check(START + program, f"python train.py {arguments}\n").launches
    return tuple(launch.settings[k] for k in ("learning_rate", "beta", "run_name", "bf16"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", DEFAULT),
        ("--beta 0 --other x", (1e-6, 0, "first", True)),
        ("--lr=5e-6 --run-name $NAME --no-bf16", (5e-6, 0.04, "second", False)),
        ("-l 1e-5 --lr 2e-5 --steps 4 --eval True", (2e-5, 0.04, "first", True)),
        ("--lr $1", ("${?argument 1}", 0.04, "first", True)),
    ],
)
def test_an_option_is_what_the_launch_gives_or_its_default(
    arguments: str, expected: tuple[object, ...]
) -> None:
    program = f"{PARSER}args = parser.parse_args()\nconfig = {USE}"
    (launch,) = _check(START + program, f"NAME=second\npython train.py {arguments}\n").launches
    keys = ("learning_rate", "beta", "run_name", "bf16")
    assert tuple(launch.settings[key] for key in keys) == expected


@pytest.mark.parametrize(
    "use",
    [
        f"args, rest = parser.parse_known_args()\nc = {USE}",
        (
            "def parse_args():\n    return parser.parse_args()\n"
            f"def main():\n    args = parse_args()\n    c = {USE}"
        ),
        (
            "def options():\n    found = parser.parse_args()\n    return found\n"
            f"args = options()\ndef main():\n    c = {USE}"
        ),
        # wallacexuhanxiao/FinQA-tool-calling-GRPO-GSPO: another function has its own `args`.
        (
            "def reward(call):\n    args = call or {}\n"
            f"def main():\n    args = parser.parse_args()\n    c = {USE}"
        ),
        (
            f"def train(args):\n    c = {USE}def main():\n    args = parser.parse_args()\n"
            "    train(args)\n"
        ),
        # rlyCarlson/cs234: the module itself parses, below `if __name__ == "__main__"`.
        f"def main(args):\n    c = {USE}if True:\n    args = parser.parse_args()\n    main(args)\n",
    ],
)
def test_the_arguments_are_found_where_programs_keep_them(use: str) -> None:
    assert _used(PARSER + use, "--beta 0.1") == (1e-6, 0.1, "first", True)


@pytest.mark.parametrize(
    ("use", "arguments"),
    [
        ("args = parser.parse_args()", "$(cat options)"),
        ("args = parser.parse_args()", "--bet 0.1"),  # An abbreviation.
        ("args = parser.parse_args(['--beta', '0.1'])", ""),
        ("args = load(parser.parse_args())", ""),
        ("args = parser.parse_args()\nargs = other()", ""),
        ("parser.set_defaults(beta=1)\nargs = parser.parse_args()", ""),
        ("other = argparse.ArgumentParser()\nargs = parser.parse_args()", ""),
        ("first = parser.parse_args()\nargs = parser.parse_args()", ""),
        ("args = parser.parse_args()\nargs.beta = 1", ""),
        ("parser.add_argument('--beta', default=1)\nargs = parser.parse_args()", ""),
        ("parser.parse_args()\nargs = other()", ""),
    ],
)
def test_an_option_that_may_be_something_else_is_not_known(use: str, arguments: str) -> None:
    assert _used(f"{PARSER}{use}\nc = {USE}", arguments)[1] == "${?args.beta}"


@pytest.mark.parametrize(
    ("option", "arguments"),
    [
        ("steps", ""),  # None: a word would say something else.
        ("eval", "--eval False"),  # bool("False") is true.
        ("absent", ""),
    ],
)
def test_an_option_without_a_plain_value_is_not_known(option: str, arguments: str) -> None:
    program = (
        f"{START}{PARSER}args = parser.parse_args()\nc = GRPOConfig(max_steps=args.{option})\n"
    )
    (launch,) = _check(program, f"python train.py {arguments}\n").launches
    assert launch.settings["max_steps"] == f"${{?args.{option}}}"


def test_a_wrong_value_is_told_where_the_program_uses_it() -> None:
    program = (
        f"{START}{PARSER}args = parser.parse_args()\nc = GRPOConfig(\n    bf16=args.run_name)\n"
    )
    report = _check(program, "python train.py --run-name maybe\n")
    (found,) = [f for f in report.findings if f.severity == "error"]
    assert (found.id, found.path, found.line, found.column) == ("RLB027", "run/train.py", 12, 10)


TEXTS = st.text(string.ascii_letters + "äß语 /._", min_size=1, max_size=12)


@given(st.lists(TEXTS, max_size=3), TEXTS, st.integers(-5, 10**6))
def test_places_hold_in_lines_of_any_letters(before: list[str], name: str, steps: int) -> None:
    """Python counts columns in bytes, and the report in characters."""
    line = f"x = {before!r}; c = GRPOConfig(run_name={name!r}, max_steps={steps}, bta=1)"
    (launch,) = (report := _check(f"{START}{line}\n")).launches
    assert launch.settings["run_name"] == name
    assert launch.settings["max_steps"] == steps
    (found,) = [f for f in report.findings if f.severity == "error"]
    assert line[found.column - 1 : found.end_column - 1] == "bta"


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("import trl\n@dataclass\nclass DPOConfig(trl.DPOConfig):\n    own: int = 1\n", {}),
        (
            "from pkg.configs import DPOConfig\nfrom trl import ModelConfig\n",
            {"pkg/configs.py": b"import trl\nclass DPOConfig(trl.DPOConfig):\n    own: int = 1\n"},
        ),
    ],
    ids=["defined", "imported"],
)
def test_a_class_of_that_name_may_have_more(head: str, files: dict[str, bytes]) -> None:
    """open-r1's forks, scripts/run_benchmarks.py: `benchmarks` was no setting of TRL's."""
    text = head + "args = DPOConfig(own=2, beta=0.1, no_such_setting=1)\n"
    place = InCheckout(Checkout({"train.py": text.encode(), **files}))
    script = ScriptFile(path="train.py", data=text.encode())
    report = check_script(script, CheckOptions(place=place, evidence="off"))
    errors = [one.message for one in report.findings if one.severity == "error"]
    assert len(errors) == 1
    assert "no_such_setting" in errors[0]


def test_a_class_without_anything_of_trl_is_no_launch() -> None:
    report = _check("class GRPOConfig: pass\na = GRPOConfig(lora_rank=8)\n")
    (reason,) = [one.reason for one in report.unchecked]
    assert reason.startswith("no command starts the training of a known framework")


@pytest.mark.parametrize(
    ("lines", "settings"),
    [
        (
            ("kept = {'beta': 0.1}", "if 'vllm_mode' in fields: kept['vllm_mode'] = 'server'"),
            {"beta": 0.1, "vllm_mode": "server"},
        ),
        (("kept = {'beta': 0.1}", "if hasattr(GRPOConfig, 'own'): kept['own'] = 1"), {"beta": 0.1}),
        # YuvalShemla/hpml-2026-project
        (
            (
                "kept = dict(beta=0.1)",
                "if 'max_tokens' in signature(GRPOConfig.__init__).parameters:",
                "    kept['max_tokens'] = 512",
                "else:",
                "    kept['max_completion_length'] = 512",
            ),
            {"beta": 0.1, "max_completion_length": 512},
        ),
        # heqi0511/posttrain-lab and PshySimon/DB-Opt-R1
        (
            (
                "all = {'beta': 0.1, 'own': 1, 'num_generations': 4}",
                "if has('epsilon'): all['epsilon'] = 0.3",
                "kept = {k: v for k, v in all.items() if k in fields and k != 'self'}",
            ),
            {"beta": 0.1, "num_generations": 4, "epsilon": "${?0.3}"},
        ),
        # TTtianTT/peft-sft-lab
        (
            (
                "kept = {'beta': 0.1, 'own': 1}",
                "kept = {k: v for k, v in kept.items() if k in fields}",
            ),
            {"beta": 0.1},
        ),
    ],
)
def test_what_the_release_lacks_is_left_out_as_the_program_does(
    lines: tuple[str, ...], settings: dict[str, object]
) -> None:
    report = _check(_mapped(*lines))
    assert report.launches[0].settings == settings
    assert [f for f in report.findings if f.severity == "error"] == []


def test_an_optional_setting_speaks_for_no_release() -> None:
    """TRL 0.13 has `max_seq_length` and 1.16 does not."""
    lines = ("kept = {'beta': 0.1}", "if 'no_cuda' in fields: kept['no_cuda'] = False")
    (launch,) = _check(_mapped(*lines)).launches
    assert launch.framework_version == "1.16.0"


def test_of_two_names_the_release_has_one() -> None:
    """mohammadi-hadi/RA-DPO, which ran by any release, was read by 0.19.1."""
    (launch,) = _check("""
import inspect
from trl import SFTConfig, SFTTrainer
kept = {"learning_rate": 1e-5}
fields = inspect.signature(SFTConfig).parameters
if "max_length" in fields:
    kept["max_length"] = 512
elif "max_seq_length" in fields:
    kept["max_seq_length"] = 512
SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=SFTConfig(**kept)).train()
""").launches
    assert launch.framework_version == "1.16.0"
    assert (launch.settings["max_length"], "max_seq_length" in launch.settings) == (512, False)


def test_what_a_function_adds_to_the_mapping_that_it_gives_back_counts() -> None:
    """`max_completion_length` was silently left out."""
    program = f"""{START}
def settings(longest):
    kept = {{"beta": 0.1}}
    kept["max_completion_length"] = longest
    return kept
config = GRPOConfig(**settings(4096))
"""
    assert _settings(program) == {"beta": 0.1, "max_completion_length": 4096}


def test_a_name_that_a_condition_on_itself_takes_back_ends_soon() -> None:
    """Dhiwakar1997/gluon_openenv: asking whether the condition holds asked for the name again."""
    program = f"""{START}
def main():
    tracked = not args.quiet
    if tracked:
        try:
            import trackio
        except ImportError:
            tracked = False
    try:
        kept = dict(beta=0.1)
        if tracked:
            kept["project"] = "a"
        config = GRPOConfig(**kept)
    finally:
        close()
main()
"""
    assert _settings(program) == {"beta": 0.1, "project": "${?'a'}"}


def test_a_class_of_before_the_releases_that_are_known_is_not_read_by_them() -> None:
    """maxim-saplin/finetuning, of July 2024: TRL 0.12 renamed the setting."""
    report = _check("""
from trl.trainer.rloo_trainer import RLOOConfig, RLOOTrainer
config = RLOOConfig(output_dir="out", non_eos_penalty=True, total_episodes=10)
RLOOTrainer(config=config, tokenizer=tokenizer, policy=policy, ref_policy=policy).train()
""")
    assert (report.launches, [one.id for one in report.findings if one.severity == "error"]) == (
        (),
        [],
    )
    (reason,) = [one.reason for one in report.unchecked]
    assert reason == "run/train.py trains with TRL's RLOOTrainer, whose settings are not known"


def test_a_function_may_give_back_what_the_release_has() -> None:
    program = f"""{START}
def settings():
    kept = {{"beta": 0.1, "own": 2}}
    return {{name: value for name, value in kept.items() if name in supported}}
config = GRPOConfig(**settings())
"""
    assert _settings(program) == {"beta": 0.1}


def test_settings_that_are_made_alike_in_two_places_are_followed() -> None:
    """A program that falls back to the same without an optional argument of its trainer."""
    text = (
        "b = 0.1\ntry:\n    a = GRPOConfig(beta=b)\nexcept TypeError:\n    a = GRPOConfig(beta=b)\n"
    )
    assert _settings(START + text)["beta"] == 0.1


STAGES = """\
import argparse
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
def build(args):
    shared = {"per_device_train_batch_size": args.batch, "bf16": True}
    if args.stage == "sft":
        config = SFTConfig(max_length=512, **shared)
        return SFTTrainer("Qwen/Qwen2.5-0.5B", args=config)
    config = DPOConfig(max_length=512, beta=0.2, **shared)
    return DPOTrainer("Qwen/Qwen2.5-0.5B", args=config)
parser = argparse.ArgumentParser()
parser.add_argument("--stage", required=True)
parser.add_argument("--batch", type=int, default=4)
build(parser.parse_args())
"""


def _alone(given: list[str] | None) -> ScriptReport:
    files = InCheckout(Checkout({"train.py": STAGES.encode()}))
    options = CheckOptions(place=files, script_arguments=given, evidence="off")
    return check_script(ScriptFile(path="train.py", data=STAGES.encode()), options)


@pytest.mark.parametrize("stage", ["sft", "dpo"])
def test_a_mapping_that_several_calls_unpack_is_read(stage: str) -> None:
    """RDAN-GRPO: the settings that both of its stages share."""
    (launch,) = _alone(["--stage", stage]).launches
    assert ("beta" in launch.settings) is (stage == "dpo")
    assert launch.settings["per_device_train_batch_size"] == 4
    assert launch.settings["bf16"] is True


def test_a_program_without_the_arguments_that_decide_asks_for_them() -> None:
    (reason,) = [one.reason for one in _alone(None).unchecked]
    assert "without its arguments: give them with --args" in reason


_OTHER = """
import argparse
from trl.experimental.distillation import DistillationConfig
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
DistillationConfig(learning_rate=parser.parse_args().lr)
"""
_SEVERAL = """
from trl import SFTConfig
from elsewhere import train
train(SFTConfig(output_dir="a", max_length=512))
train(SFTConfig(output_dir="b", max_length=1024))
"""
_OPEN = """
from trl import SFTConfig, SFTTrainer
SFTTrainer("Qwen/Qwen2.5-0.5B", args=SFTConfig(max_length=512, **made())).train()
"""


@pytest.mark.parametrize(
    ("program", "beside", "why"),
    [
        # Arguments are not asked for where they would not help.
        (_OTHER, {}, "DistillationConfig(…) in train.py, {0}the class is none of those {1}"),
        (_SEVERAL, {}, "SFTConfig(…) in train.py, {0}2 places make them, with other values"),
        (_OPEN, {}, "SFTConfig(…) in train.py, {0}only a run knows what it is given"),
        (
            _OPEN,
            {"trl/trainer/sft_config.py": b"class SFTConfig: ..."},
            "SFTConfig(…) in train.py, {0}it may import the copy of TRL in trl",
        ),
    ],
)
def test_settings_that_are_not_read_say_why(
    program: str, beside: dict[str, bytes], why: str
) -> None:
    """johnson7788/DPO_REWARD_GRPO: TRL's own examples beside a copy of TRL."""
    data = program.encode()
    options = CheckOptions(place=InCheckout(Checkout({"train.py": data, **beside})), evidence="off")
    report = check_script(ScriptFile(path="train.py", data=data), options)
    (reason,) = [one.reason for one in report.unchecked]
    assert reason.endswith(why.format("and are not read there: ", "that are known"))
