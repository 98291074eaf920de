"""Repositories, each with the script that stands in it: files as of a configuration folder."""

from __future__ import annotations

from typing import Final

from tests.hostile.files import RUN_SCRIPT
from tests.hostile.trees import tree

_LAUNCH: Final = "python3 -m verl.trainer.main_ppo data.train_batch_size=64\n"
_CONFIG: Final = "verl/trainer/config/ppo_trainer.yaml"
_OWN: Final = (
    "python3 -m recipe.own.main_own --config-path=config --config-name=own data.a=1 trainer.b=1\n"
)
_MAIN: Final = "@hydra.main(config_path='config', config_name='own')\ndef main(c): pass\n"
_TRL: Final = "accelerate launch src/grpo.py --config recipe.yaml --a 1\n"
_STARS: Final = "import yaml\nfrom trl import SFTConfig, SFTTrainer\n" + "".join(
    f"from src.m{n} import *\n" for n in range(200)
)
_DEEP: Final = "/".join("d" * 1_900)


def _lines(form: str, count: int) -> str:
    return "".join(form.format(n) for n in range(count))


def _files(form: str, count: int, text: str) -> dict[str, str]:
    return {form.format(n): text for n in range(count)}


def _imported(count: int) -> str:
    bases = ", ".join(f"B{n}" for n in range(count))
    names = _lines("from own import B{}\n", count)
    return f"class A({bases}): pass\n{'x = [' + '1, ' * 200_000 + ']'}\n{names}"


PLACES: Final[dict[str, str]] = {
    name: tree(files)
    for name, files in {
        "a deep script that names recipes": {
            f"{_DEEP}/{RUN_SCRIPT}": _LAUNCH + _lines("a{0}/r.yaml ../b{0}/r.yaml\n", 24_000),
            "r.yaml": "a: 1\n",
            **_files("c{}/r.yaml", 2_000, "a: 1\n"),
        },
        "a deep script that names programs": {
            f"{_DEEP}/{RUN_SCRIPT}": _TRL + _lines("a{0}/main.py ../b{0}/main.py\n", 24_000),
            **_files("c{}/main.py", 2_000, _MAIN),
        },
        "modules of many names": {
            RUN_SCRIPT: _LAUNCH + _lines("python3 -m a{}.main_x\n", 10_000),
            **_files("c{}/main_x.py", 2_000, _MAIN),
        },
        "many folders and paths": {
            RUN_SCRIPT: _OWN + _lines("$PWD/a{0}/config /a{0}/configs\n", 20_000),
            **_files("c{}/a/config/x.yaml", 2_000, "a: 1\n"),
        },
        "a long search path": {
            RUN_SCRIPT: _OWN,
            "recipe/own/main_own.py": _MAIN,
            "recipe/own/config/own.yaml": "hydra:\n  searchpath:\n"
            + _lines("    - file://more/config\n", 5_000),
            **_files("more/config/o{}.yaml", 8_000, "a: 1\n"),
        },
        "search paths of nothing": {
            RUN_SCRIPT: _OWN,
            "recipe/own/main_own.py": _MAIN,
            "recipe/own/config/own.yaml": "hydra:\n  searchpath: ["
            + _lines("'pkg://a.b{}.config', ", 20_000)
            + "]\n",
            _CONFIG: "a: 1\n",
        },
        "a layer of many files": {
            RUN_SCRIPT: _OWN
            + _lines("python3 -m recipe.own.main_own actor_rollout_ref.a{}=1\n", 200),
            "recipe/own/main_own.py": _MAIN,
            "recipe/own/config/own.yaml": "hydra: {searchpath: [pkg://verl.trainer.config]}\n"
            "defaults: [ppo_trainer"
            + _lines(", g{0}@a.b{0}: o", 40)
            + ", _self_]\n"
            + _lines("k{}: {{a: {{b: '${{data.x}}'}}}}\n", 400),
            **_files("recipe/own/config/g{}/o.yaml", 40, "a: {b: 1}\n"),
            "requirements.txt": "verl>=0.1\n",
        },
        "a layer without an end": {
            RUN_SCRIPT: _OWN + "python3 -m recipe.own.main_own actor_rollout_ref.a=1\n",
            "recipe/own/main_own.py": _MAIN,
            "recipe/own/config/own.yaml": "hydra: {searchpath: [pkg://verl.trainer.config]}\n"
            "defaults: [own, ppo_trainer]\nactor_rollout_ref: " + "{a: " * 25 + "1" + "}" * 25,
        },
        "classes from elsewhere": {
            RUN_SCRIPT: _TRL,
            "recipe.yaml": "a: 1\n",
            "src/grpo.py": "from trl import GRPOConfig, TrlParser\n"
            + _imported(90)
            + "parser = TrlParser((GRPOConfig, A))\n",
            "src/own.py": _lines("class B{}: pass\n", 90),
        },
        "modules that have each other's names": {
            RUN_SCRIPT: "python src/train.py --config a.yaml\n",
            "src/train.py": _STARS + "with open('a.yaml') as f:\n    c = yaml.safe_load(f)\n"
            "SFTConfig(" + "".join(f"k{n}=c['a']['b{n}'] or d{n}, " for n in range(400)) + ")\n",
            **_files("src/m{}.py", 200, _STARS + "def e(x):\n    return e(x)\n" * 900),
            "a.yaml": "a:\n" + "".join(f"  b{n}: {{c: [1, 2, 3]}}\n" for n in range(3_000)),
        },
        "modules that define nothing": {
            RUN_SCRIPT: _TRL,
            "recipe.yaml": "model_name_or_path: a\ntrl: b\n",
            **_files("src/arg{}.py", 300, "@dataclass\nclass A:\n    trl: int\n" * 200),
        },
        "pins without end": {
            RUN_SCRIPT: _LAUNCH,
            "requirements.txt": "verl=={}\n".format("1." * 200_000) + "verl>=0\n" * 40_000,
            "pyproject.toml": "[project]\ndependencies = [" + "'verl>=0.1'," * 50_000 + "]\n",
        },
        "pins that no reader takes": {
            RUN_SCRIPT: _LAUNCH,
            "pyproject.toml": "a = " + "[" * 50_000,
            "a/pyproject.toml": "a = " + "9" * 50_000,
            "verl/version/version": "0.1.post" + "9" * 50_000,
        },
        "deep keys of a project": {
            RUN_SCRIPT: _LAUNCH,
            "pyproject.toml": "a" + ".a" * 20_000 + " = 'verl==0.1'\n",
        },
        "a long number of a project": {
            RUN_SCRIPT: _LAUNCH,
            "pyproject.toml": "a = " + "9" * 50_000 + "\n",
        },
        "copies of verl": {
            RUN_SCRIPT: _LAUNCH,
            **_files("c{}/" + _CONFIG, 1_500, "a: 1\n"),
        },
        "arguments of one long program": {
            RUN_SCRIPT: "".join(f"python train.py --max_steps {n}\n" for n in range(500)),
            "train.py": "from trl import GRPOConfig, GRPOTrainer, TrlParser\n"
            "(args,) = TrlParser((GRPOConfig,)).parse_args_and_config()\n"
            "GRPOTrainer(model='Qwen/Qwen3-4B', args=args)\n" + "x=1\n" * 20_000,
        },
        "a copy of OpenRLHF": {
            RUN_SCRIPT: "python3 -m openrlhf.cli.train_sft --a 1\n",
            **_files("openrlhf/cli/train_s{}.py", 300, "parser.add_argument('--a')\n" * 300),
            "openrlhf/cli/train_sft.py": "parser.add_argument('--a')\n" * 30_000,
        },
    }.items()
}
