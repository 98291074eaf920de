"""What a program reads before it makes TRL's settings: files, its command line, other modules."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.report import ScriptReport

HEAD = """\
import argparse, copy, json, os, sys, yaml
from dataclasses import dataclass, field
from pathlib import Path
from omegaconf import OmegaConf
from trl import SFTConfig, SFTTrainer
"""
YAML = """\
model:
  name: Qwen/Qwen3-4B
  load: {dtype: bfloat16}
training: {per_device_train_batch_size: 4, learning_rate: 2e-4, max_length: 2048}
name: ${model.name}
layers: [1, 2]
"""
MAKE = "SFTConfig(max_length=config['training']['max_length'])\n"
OPEN = "with open('configs/a.yaml') as f:\n    config = yaml.safe_load(f)\n"


TRAIN = "SFTTrainer(model=NAME, args=SFTConfig(max_length=5))\n"


def check(
    program: str, launch: str = "python train.py", more: Mapping[str, str] | None = None
) -> ScriptReport:
    files = {"train.py": HEAD + program, "configs/a.yaml": YAML, "configs/b.json": '{"a": [7]}'}
    files |= more or {}
    checkout = Checkout({path: text.encode() for path, text in files.items()})
    options = CheckOptions(place=InCheckout(checkout), evidence="off", launches=True)
    return check_script(ScriptFile(path="run.sh", data=f"{launch}\n".encode()), options)


def settings(
    program: str, launch: str = "python train.py", more: Mapping[str, str] | None = None
) -> dict[str, object]:
    (found,) = check(program, launch, more).launches
    return found.settings


def length(
    program: str, launch: str = "python train.py", more: Mapping[str, str] | None = None
) -> object:
    return settings(program, launch, more).get("max_length")


@pytest.mark.parametrize(
    "program",
    [
        OPEN + "config['training']['max_length'] = args.length\n" + MAKE,
        OPEN + "config.update(vars(args))\n" + MAKE,
        OPEN + "config['training'].update(max_length=5)\n" + MAKE,
        OPEN + "for key, value in more.items():\n    config[key] = value\n" + MAKE,
        OPEN + "def merge(c, more):\n    c.update(more)\nmerge(config, args)\n" + MAKE,
        OPEN + "setattr(config, name, 8)\n" + MAKE,
        OPEN + "config |= more\n" + MAKE,
        OPEN + "del config['training']\n" + MAKE,
        OPEN + "config = wrap(config)\n" + MAKE,
        OPEN + "if args.other:\n    config = other\n" + MAKE,
        OPEN + "training = config['training']\ntraining['max_length'] = 5\n" + MAKE,
        OPEN.replace("a.yaml", "none.yaml") + MAKE,
        OPEN.replace("configs/a.yaml", "/elsewhere/a.yaml") + MAKE,
        OPEN.replace("'configs/a.yaml'", "args.config") + MAKE,
        OPEN.replace("'configs/a.yaml'", "os.environ['CONFIG']") + MAKE,
        OPEN.replace("'configs/a.yaml'", "sys.argv[1]") + MAKE,
        OPEN + MAKE.replace("['max_length'])", "['other'])"),
        OPEN + MAKE.replace("['training']['max_length']", "['name']"),
        OPEN + MAKE.replace("['training']['max_length']", "['layers'][2]"),
        OPEN + MAKE.replace("['training']", "[section]"),
        "os.environ['LENGTH'] = pick()\n" + MAKE.replace("config['training']", "os.environ"),
        "try:\n    config = yaml.safe_load(open('configs/a.yaml'))\nexcept OSError:\n    pass\n"
        + MAKE,
        "def load(path):\n    if there(path):\n        return {}\n"
        "    return yaml.safe_load(open(path))\nconfig = load('configs/a.yaml')\n" + MAKE,
        "from elsewhere import config\n" + MAKE,
        "import torch\nSFTConfig(max_length=torch.LENGTH)\n",
    ],
)
def test_what_may_be_something_else_is_not_known(program: str) -> None:
    report = check(program)
    (launch,) = report.launches
    assert str(launch.settings["max_length"]).startswith("${?")
    assert [one.id for one in report.findings if one.severity != "note"] == []


@pytest.mark.parametrize(
    "program",
    [
        OPEN,
        "config = yaml.safe_load(open('configs/a.yaml'))\n",
        "config = yaml.load(Path('configs/a.yaml').open(), Loader=yaml.FullLoader) or {}\n",
        "config = yaml.safe_load(Path('configs/a.yaml').read_text(encoding='utf-8'))\n",
        "with open('configs/a.yaml') as f:\n    config = yaml.safe_load(f.read())\n",
        (
            "HERE = Path(__file__).resolve().parent\nPATH = HERE / 'configs' / 'a.yaml'\n"
            "config = yaml.safe_load(PATH.open())\n"
        ),
        (
            "HERE = os.path.dirname(os.path.abspath(__file__))\n"
            "config = yaml.safe_load(open(os.path.join(HERE, 'configs', 'a.yaml')))\n"
        ),
        "config = copy.deepcopy(yaml.safe_load(open('/home/me/project/configs/a.yaml')))\n",
        (
            "def load(path='configs/a.yaml'):\n    try:\n        with open(path) as f:\n"
            "            return yaml.safe_load(f)\n    except OSError as error:\n"
            "        raise SystemExit(1) from error\nconfig = load()\n"
        ),
        "config = {'training': {'max_length': 2048}}\n",
        'config = json.loads(\'{"training": {"max_length": 2048}}\')\n',
        'TEXT = """\ntraining:\n  max_length: 2048\n"""\nconfig = yaml.safe_load(TEXT)\n',
    ],
)
def test_a_file_of_settings_is_read(program: str) -> None:
    assert length(program + MAKE) == 2048


@pytest.mark.parametrize(
    "value",
    [
        "config.get('training', {}).get('max_length', 1)",
        "config.get('other', 2048)",
        "int(config['training']['max_length'] / 2) * 2",
        "config['layers'][1] * 1024",
        "1 if 'other' in config else 2048",
        "2048 if config['training']['max_length'] >= 2000 else 1",
        "2048 if config['training'] and not config.get('debug') else 1",
        "2048 if config['model']['load']['dtype'].upper() == 'BFLOAT16' else 1",
        "json.load(open('configs/b.json'))['a'][0] + 2041",
    ],
)
def test_what_is_made_of_its_values_is_known(value: str) -> None:
    assert length(f"{OPEN}SFTConfig(max_length={value})\n") == 2048


def test_attributes_of_omegaconf_are_keys() -> None:
    opened = "config = OmegaConf.load('configs/a.yaml')\n"
    program = f"{opened}SFTConfig(max_length=config.training.max_length)\n"
    assert length(program) == 2048
    assert length(program.replace("SFT", "config.training.max_length = 4\nSFT", 1)) != 2048


def test_a_part_of_a_file_gives_the_settings_of_a_call() -> None:
    program = (
        OPEN + "config['training']['max_length'] = n\nSFTConfig(**config['training'], bf16=True)\n"
    )
    assert settings(program) == {
        "per_device_train_batch_size": 4,
        "learning_rate": 2e-4,
        "max_length": "${?2048}",
        "bf16": True,
    }
    assert (
        check(program.replace("config['training']['max_length'] = n", "config.update(n)")).launches
        == ()
    )


HYDRA = """\
import hydra
@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    SFTConfig(max_length=cfg.training.max_length, seed=cfg.seed)
"""
CONF = {
    "conf/train.yaml": "defaults: [_self_, {training: small}]\nseed: ${training.seed}\n",
    "conf/training/small.yaml": "{max_length: 512, seed: 3}\n",
    "conf/training/large.yaml": "{max_length: 4096, seed: 4}\n",
    "conf/other.yaml": "{training: {max_length: 64}, seed: 5}\n",
}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", (512, 3)),
        ("training=large", (4096, 4)),
        ("training.max_length=128 seed=7", (128, 7)),
        ("--config-name other", (64, 5)),
        ("training.max_length=$N", ("${?cfg.training.max_length}", 3)),
        ("~training", ("${?cfg.training.max_length}", "${?cfg.seed}")),
        ("--config-dir elsewhere", ("${?cfg.training.max_length}", "${?cfg.seed}")),
        ("training=none", ("${?cfg.training.max_length}", "${?cfg.seed}")),
        ("other=1", ("${?cfg.training.max_length}", "${?cfg.seed}")),
    ],
)
def test_hydra_composes_what_a_main_function_gets(words: str, expected: object) -> None:
    found = settings(HYDRA, f"python train.py {words}", CONF)
    assert (found["max_length"], found["seed"]) == expected


def test_references_are_followed_where_omegaconf_reads() -> None:
    program = f"config = OmegaConf.load('configs/a.yaml')\n{TRAIN.replace('NAME', 'config.name')}"
    assert settings(program)["model_name_or_path"] == "Qwen/Qwen3-4B"
    program = program.replace(
        "OmegaConf.load('configs/a.yaml')", "yaml.safe_load('configs/a.yaml')"
    )
    assert "model_name_or_path" not in settings(program)


def test_a_wrong_key_of_a_file_is_an_error_where_the_call_is() -> None:
    program = OPEN + "SFTConfig(**config['model'])\n"
    report = check(program)
    found = [(one.id, one.path, one.line) for one in report.findings if one.severity == "error"]
    assert ("RLB020", "train.py", 8) in found


OPTIONS = """\
parser = argparse.ArgumentParser()
parser.add_argument('--config', type=Path, default=Path('configs/a.yaml'))
parser.add_argument('--length', type=int, default=None)
parser.add_argument('--scale', type=float, required=True)
args = parser.parse_args()
"""


def test_the_command_line_says_which_file() -> None:
    program = OPTIONS + OPEN.replace("'configs/a.yaml'", "args.config") + MAKE
    assert length(program) == 2048
    script = "python train.py --config configs/none.yaml\npython train.py --config configs/a.yaml"
    lengths = [one.settings["max_length"] for one in check(program, script).launches]
    assert lengths == ["${?config['training']['max_length']}", 2048]


def test_no_limit_of_lengths_is_known() -> None:
    for release in ("0.24.0", "1.16.0"):
        program = f"# trl: {release}\nSFTConfig(max_length=None, save_total_limit=None)\n"
        report = check(program, f"# trl: {release}\npython train.py")
        assert report.launches[0].settings["max_length"] is None
        assert [one.id for one in report.findings if one.severity != "note"] == []
    kept = settings("SFTConfig(max_length=None, run_name=None, optim=None)\n")
    assert (kept["optim"], "run_name" in kept) == ("${?None}", False)


def test_options_count_as_they_are_given() -> None:
    program = OPTIONS + OPEN + MAKE.replace("config[", "args.length or config[")
    assert length(program) == 2048
    assert length(program, "python train.py --length 512") == 512
    assert length(program, "N=512; python train.py --length $N") == 512
    program = OPTIONS + "SFTConfig(learning_rate=args.scale * 2)\n"
    assert settings(program)["learning_rate"] == "${?args.scale * 2}"
    assert settings(program, "python train.py --scale 1e-3")["learning_rate"] == 2e-3


@pytest.mark.parametrize("taken", ["'path'", "sys.argv[1]"])
def test_a_word_may_name_the_file(taken: str) -> None:
    parse = "p = argparse.ArgumentParser()\np.add_argument('path')\na = p.parse_args()\n"
    opened = OPEN.replace("'configs/a.yaml'", "a.path" if taken == "'path'" else taken)
    program = (parse if taken == "'path'" else "") + opened + MAKE
    assert length(program, "python train.py configs/a.yaml") == 2048


def test_the_environment_counts_as_the_script_sets_it() -> None:
    program = "LENGTH = int(os.environ.get('LENGTH', '512'))\nSFTConfig(max_length=LENGTH)\n"
    assert length(program) == 512
    assert length(program, "LENGTH=1024 python train.py") == 1024
    assert length(program, "export LENGTH=1024\npython train.py") == 1024
    assert length(program, "export LENGTH=$(pick)\npython train.py") == "${?LENGTH}"
    assert length(f"os.environ['LENGTH'] = pick()\n{program}") == "${?LENGTH}"


def test_what_a_function_is_called_with_is_followed() -> None:
    program = "def train(config):\n    return " + MAKE + OPEN + "train(config)\n"
    assert length(program) == 2048
    assert length(program + "train(other)\n") != 2048
    assert length(program.replace("    return", "    config = dict(config)\n    return")) == 2048


CONFIG = "import yaml\nfrom pathlib import Path\nLENGTH = 2048\n"
LOAD = "def load(path):\n    return yaml.safe_load(Path(path).read_text())\n"


@pytest.mark.parametrize(
    "program",
    [
        "from src.config import LENGTH\nSFTConfig(max_length=LENGTH)\n",
        "from src.config import LENGTH as N\ndef main():\n    SFTConfig(max_length=N)\n",
        "from src.config import *\nSFTConfig(max_length=LENGTH)\n",
        "from src import config\nSFTConfig(max_length=config.LENGTH)\n",
        "def main():\n    import src.config as c\n    SFTConfig(max_length=c.LENGTH)\n",
        "import src.config as c\nSFTConfig(max_length=c.LENGTH)\n",
        "from src.config import load\nconfig = load('configs/a.yaml')\n" + MAKE,
        "from src import config as c\nconfig = c.load('configs/a.yaml')\n" + MAKE,
    ],
)
def test_other_modules_of_the_repository_are_read(program: str) -> None:
    assert length(program, more={"src/config.py": CONFIG + LOAD}) == 2048
    unknown = "LENGTH = pick()\n" + LOAD.replace("yaml", "own")
    assert length(program, more={"src/config.py": unknown}) != 2048


def test_a_model_may_be_loaded_in_another_module() -> None:
    own = (
        "import torch\nfrom transformers import AutoModelForCausalLM\n"
        "def load(name):\n"
        "    model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)\n"
        "    return model, 1\n"
    )
    program = (
        "from src.models import load\nmodel, other = load('Qwen/Qwen3-4B')\n"
        "args = SFTConfig(max_length=5)\nSFTTrainer(model=model, args=args)\n"
    )
    found = settings(program, more={"src/models.py": own})
    assert (found["model_name_or_path"], found["dtype"]) == ("Qwen/Qwen3-4B", "bfloat16")


CLASS = """\
@dataclass
class Config:
    max_length: int = 2048
    layers: list = field(default_factory=lambda: [2048])

    @classmethod
    def read(cls, path):
        return cls(**yaml.safe_load(open(path))['training'])
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Config().max_length", 2048),
        ("Config.max_length", 2048),
        ("Config(max_length=5).max_length", 5),
        ("Config().layers[0]", 2048),
        ("Config.read('configs/a.yaml').max_length", 2048),
        ("Config(**{'max_length': 7}).max_length", 7),
        ("Config(**args).max_length", "${?Config(**args).max_length}"),
    ],
)
def test_the_fields_of_a_class_are_read(made: str, expected: object) -> None:
    assert length(f"{CLASS}SFTConfig(max_length={made})\n") == expected


def test_a_program_that_never_ends_is_left() -> None:
    program = "".join(f"a{n} = a{n + 1} or a{n + 2}\n" for n in range(2_000))
    assert str(length(f"{program}SFTConfig(max_length=a0)\n")).startswith("${?")
    loop = "def a(x):\n    return b(x)\ndef b(x):\n    return a(x)\n"
    assert str(length(f"{loop}SFTConfig(max_length=a(1))\n")).startswith("${?")
    nested = "x" + " / 'a'" * 300
    assert str(length(f"SFTConfig(max_length={nested})\n")).startswith("${?")


PLAIN = "from transformers import TrainingArguments\nargs = TrainingArguments('o')\n".replace(
    "'o'", "output_dir='o', optim='adamw_hf', num_train_epochs=1"
)
TRAINS = "SFTTrainer(model='Qwen/Qwen3-4B', args=args, max_seq_length=512, tokenizer=tokenizer)\n"


def test_a_trainer_takes_the_arguments_of_transformers() -> None:
    report = check(PLAIN + TRAINS)
    (launch,) = report.launches
    assert launch.settings["max_seq_length"] == 512
    assert launch.settings["model_name_or_path"] == "Qwen/Qwen3-4B"
    assert "tokenizer" not in launch.settings
    # The value is of an older release, as an option may be.
    assert launch.framework_version == "0.15.2"
    # The trainer itself took it before those that are known.
    assert [one.id for one in report.findings if one.severity != "note"] == ["RLB028", "RLB132"]


@pytest.mark.parametrize(
    "program",
    [
        PLAIN + TRAINS + "TrainingArguments(output_dir='p')\n",
        PLAIN.replace("transformers", "own") + TRAINS,
        PLAIN.replace("(output_dir", "('p', output_dir") + TRAINS,
        PLAIN + TRAINS.replace("SFT", "GRPO"),
        PLAIN + TRAINS.replace("args=args", "args=args, **more"),
        PLAIN + TRAINS + TRAINS.replace("512", "1024"),
        PLAIN + TRAINS + TRAINS.replace("args=args", "args=other()"),
        PLAIN + TRAINS + TRAINS.replace("args=args, ", ""),
        PLAIN + TRAINS + TRAINS.replace("SFT", "DPO"),
        PLAIN + TRAINS * 6,
    ],
)
def test_other_arguments_are_not_read(program: str) -> None:
    assert check(program).launches == ()


def test_a_trainer_that_is_made_in_several_ways_takes_the_arguments() -> None:
    """jbejjani2022/misalignment-inoculation and others that have its program."""
    given = "given = dict(model='Qwen/Qwen3-4B', args=args, max_seq_length=512)\n"
    trains = (
        "if wraps:\n    given['data_collator'] = made()\n    t = wrap(SFTTrainer(**given))\n"
        "else:\n    t = SFTTrainer(**given)\n"
    )
    report = check(f"{PLAIN}{given}{trains}t.train()\n")
    (launch,) = report.launches
    assert launch.settings["max_seq_length"] == 512
    assert launch.settings["model_name_or_path"] == "Qwen/Qwen3-4B"
    assert [one.id for one in report.findings if one.severity != "note"] == ["RLB028"]


LOOP = "for part in parts():\n    n = 256\n    m = n\n    args = SFTConfig(max_length=m)\n"


@pytest.mark.parametrize(
    "program",
    [
        LOOP.replace("    m = n\n", "    if part: n = 512\n    m = n\n"),
        LOOP.replace("    m = n\n", "    for one in part:\n        m = n\n        n = 512\n"),
        LOOP.replace("    m = n\n", "    m = n\n    m += part\n"),
        LOOP.replace("    n = 256\n", "    if part: n = 256\n"),
        LOOP.replace("    m = n\n", "") + "    m = n\n",
        LOOP.replace(
            "    m = n\n", "    try:\n        n = part()\n    except KeyError:\n        m = n\n"
        ),
        "if args.long:\n    n = 256\n    SFTConfig(max_length=n)\n",
        "def f():\n    global n\n    n = 512\nn = 256\nf()\nSFTConfig(max_length=n)\n",
    ],
)
def test_what_another_pass_or_a_condition_may_change_is_not_known(program: str) -> None:
    assert str(length(program)).startswith("${?")


@pytest.mark.parametrize(
    "program",
    [
        LOOP,
        LOOP.replace("    args", "    for one in part:\n        args"),
        LOOP + "    n = 1024\n",
        f"n = 8\n{LOOP}",
        "try:\n    n = 256\n    args = SFTConfig(max_length=n)\nexcept KeyError:\n    pass\n",
        "n = 256\nm = [n for n in range(9)]\nSFTConfig(max_length=n)\n",
    ],
)
def test_what_each_pass_gives_a_name_first_is_known(program: str) -> None:
    """JasperTan-03/guac makes its settings and its trainer in a loop over epochs."""
    assert length(program) == 256


GIVES = "def settings(n, **more):\n    return {'max_length': n * 2, 'learning_rate': rate()}\n"
MAPPED = "config = settings(256)\nSFTConfig(**config)\n"


def test_a_mapping_that_a_function_gives_back_is_followed() -> None:
    assert settings(GIVES + MAPPED) == {"max_length": 512, "learning_rate": "${?rate()}"}


@pytest.mark.parametrize(
    "program",
    [
        MAPPED.replace("SFT", "config['max_length'] = rate()\nSFT"),
        MAPPED.replace("256", "rate()"),
    ],
)
def test_what_may_be_another_of_it_is_not_known(program: str) -> None:
    assert str(length(GIVES + program)).startswith("${?")


@pytest.mark.parametrize(
    ("gives", "program"),
    [
        (GIVES, MAPPED.replace("SFT", "config.update(more())\nSFT")),
        (GIVES, MAPPED.replace("SFT", "for key in keys:\n    config[key] = 1\nSFT")),
        (GIVES.replace("{'max", "{**more, 'max"), MAPPED),
        (GIVES.replace("    return", "    if n: return {}\n    return"), MAPPED),
        (f"@cached\n{GIVES}", MAPPED),
    ],
)
def test_a_mapping_that_may_hold_anything_is_none_of_them(gives: str, program: str) -> None:
    assert not check(gives + program).launches


def test_each_of_many_settings_is_followed_through_the_functions_that_load_them() -> None:
    """farhan-syah/unsloth-finetuning: the model came last, when no step was left."""
    loads = (
        "def place(path=None):\n    return Path('configs') / 'a.yaml' if path is None else path\n"
        "def load(path=None):\n    return yaml.safe_load(open(place(path)))\n"
        "class Config:\n    length = load()['training']['max_length']\n"
        "def both(path=None):\n    config = load(path)\n    return config, 5\n"
        "config, other = both()\n"
    )
    names = "".join(
        f"V{n} = int(config['training']['max_length']) + Config.length\n" for n in range(200)
    )
    given = ", ".join(f"option_{n}=V{n}" for n in range(200))
    found = settings(f"{loads}{names}SFTConfig({given})\n")
    assert set(found.values()) == {4096}


OPENED = OPEN.replace("'configs/a.yaml'", "sys.argv[1]") + MAKE
WRITTEN = "N=%s\ncat > %s <<J\ntraining: {max_length: $N}\nJ\npython train.py %s"


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        (WRITTEN % (512, "own.yaml", "own.yaml"), 512),
        (WRITTEN % (512, "configs/a.yaml", "configs/a.yaml"), 512),  # In place of the repository's.
        (WRITTEN % (512, "own.yaml", "configs/a.yaml"), 2048),
        (WRITTEN % ("$1", "own.yaml", "own.yaml"), "${?config['training']['max_length']}"),
        (WRITTEN % ("'[a: {'", "own.yaml", "own.yaml"), "${?config['training']['max_length']}"),
        (
            WRITTEN.replace("max_length: $N", "other: $N") % (5, "own.yaml", "own.yaml"),
            "${?config['training']['max_length']}",
        ),
    ],
)
def test_a_file_that_the_script_writes_is_read(launch: str, expected: object) -> None:
    assert length(OPENED, launch) == expected


def test_a_list_is_no_key_of_a_mapping() -> None:
    program = (
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--names', nargs='*', default=['size'])\n"
        "args = parser.parse_args()\n" + OPEN + "SFTConfig(max_length=config[args.names])\n"
    )
    assert str(length(program)).startswith("${?")
    assert str(length(program, "python train.py --names size")).startswith("${?")


def test_each_launch_reads_what_its_file_has_then() -> None:
    text = "\n".join(WRITTEN % (number, "own.yaml", "own.yaml") for number in (512, 256, 512))
    found = check(OPENED, text).launches
    assert [one.settings["max_length"] for one in found] == [512, 256, 512]


OWN = "config = {'training': {'max_length': 5}, 'size': 7}\n"
PUT = "with open('configs/a.yaml') as f:\n    config.update(yaml.safe_load(f))\n"
SIZE = "SFTConfig(max_length=config['size'])\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (OWN + PUT + MAKE, 2048),
        (OWN + PUT + SIZE, 7),
        (OWN + PUT + "config.update(json.load(open('configs/b.json')))\n" + MAKE, 2048),
        (OWN + "config.update(json.load(open('configs/b.json')))\n" + MAKE, 5),
        (OWN + "more = {'size': 9}\nconfig.update(more)\nmore = {'size': 8}\n" + SIZE, 9),
        (OWN + PUT + f"def f():\n    {MAKE}f()\n", 2048),
        (OWN + MAKE + PUT, None),  # Made before.
        (OWN + "if args.config:\n    config.update(read())\n" + MAKE, None),
        (OWN + "config.update(read())\n" + SIZE, None),
        (OWN + PUT + "config['size'] = 1\n" + SIZE, None),
        (OWN + PUT + "for key in keys:\n    config[key] = 1\n" + SIZE, None),
        (OWN + PUT + "def f(c):\n    c.update(read())\nf(config)\n" + SIZE, None),
        (OWN + "def f():\n    config.update(read())\nf()\n" + PUT + SIZE, None),
        (OWN + PUT + "def f():\n    config = {'size': 3}\n    " + SIZE + "f()\n", None),
        (OWN + PUT + "config = read()\n" + SIZE, None),
    ],
)
def test_a_mapping_that_another_is_put_into(program: str, expected: int | None) -> None:
    found = length(program)
    assert found == expected if expected is not None else str(found).startswith("${?")
