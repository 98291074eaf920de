"""The tables of trainers whose options are dataclasses.

TRL's are read from its wheels, open-instruct's from a checkout, since no index has it.
"""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dataclass_options import Sources, options_of_classes, parsed_classes

_CONFIGS = {
    "bco": "BCOConfig",
    "cpo": "CPOConfig",
    "dpo_online": "OnlineDPOConfig",
    "gkd": "GKDConfig",
    "gold": "GOLDConfig",
    "nash_md": "NashMDConfig",
    "orpo": "ORPOConfig",
    "ppo": "PPOConfig",
    "prm": "PRMConfig",
    "reward_modeling": "RewardConfig",
    "tpo": "TPOConfig",
    "xpo": "XPOConfig",
}
EXAMPLES = {
    f"examples.scripts.{name}": ("ScriptArguments", config, "ModelConfig")
    for name, config in _CONFIGS.items()
}
"""Trainers that TRL starts from its repository's examples instead of from a script of the wheel,
with the classes that those examples hand to their parser."""
CONFIG = ["config", "str", "", None, None]
"""`TrlParser` takes `--config FILE` off the command line before anything else."""
TRL_TRAINERS = (
    "DPOTrainer",
    "GRPOTrainer",
    "KTOTrainer",
    "RewardTrainer",
    "RLOOTrainer",
    "SFTTrainer",
)
"""Those of TRL's package; others moved among its experiments."""
TRAINERS = ("grpo", "ppo", "dpo", "finetune", "reward_m", "online")
"""How the names of open-instruct's trainers begin."""


def texts_of(wheel: Path, wanted: Sequence[str]) -> dict[str, str]:
    """The sources of a wheel whose path begins with one of some prefixes."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name).decode("utf-8")
            for name in sorted(archive.namelist())
            if name.endswith(".py") and name.startswith(tuple(wanted))
        }


def trl_release(wheel: Path, transformers: Path) -> dict[str, Any]:
    """The options of the scripts that `trl NAME` starts, and of `EXAMPLES`.

    The bases of TRL's classes are those of the transformers wheel.
    """
    own = {
        path: text
        for path, text in texts_of(wheel, ("trl/",)).items()
        if "@dataclass" in text or "/scripts/" in path
    }
    # Of two classes with one name the trainers' own comes before the experimental one.
    ordered = sorted(own, key=lambda path: ("experimental" in path, "/trainer/" not in path, path))
    base = texts_of(transformers, ("transformers/train", "transformers/utils/generic.py"))
    sources = Sources.of({path: own[path] for path in ordered} | base)
    roots: dict[str, dict[str, Any]] = {}
    for path in ordered:
        if not path.startswith("trl/scripts/"):
            continue
        names = parsed_classes(sources.trees[path])
        name = path.removesuffix(".py").replace("/", ".")
        if names and name.rsplit(".", 1)[-1] not in ("utils", "_hf_argparser", "vllm_serve"):
            roots[name] = {"config": CONFIG} | options_of_classes(sources, path, names)
    for name, classes in EXAMPLES.items():
        if all(item in sources.classes for item in classes):
            path = f"{name.replace('.', '/')}.py"
            roots[name] = {"config": CONFIG} | options_of_classes(sources, path, classes)
    return {**_release(roots), "trainers": trainer_arguments(texts_of(wheel, ("trl/",)))}


def trainer_arguments(texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What each of `TRL_TRAINERS` takes by name, as rows of options.

    A former name that it still takes (`deprecate_kwarg`) has the present one for its default. Of a
    class that hands all on to the experimental one of its name (`**kwargs`) that one counts.
    """
    found: dict[str, dict[str, Any]] = {}
    ordered = sorted(texts, key=lambda path: ("/trainer/" not in path, path))
    for path in ordered:
        for node in ast.parse(texts[path]).body if path.endswith("_trainer.py") else ():
            if isinstance(node, ast.ClassDef) and node.name in TRL_TRAINERS:
                made = next((one for one in node.body if _is_init(one)), None)
                if isinstance(made, ast.FunctionDef) and not made.args.kwarg:
                    found.setdefault(node.name, dict(sorted(_arguments(made))))
    return dict(sorted(found.items()))


def _is_init(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _arguments(made: ast.FunctionDef) -> Iterator[tuple[str, list[Any]]]:
    given = made.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)[1:]:
        yield one.arg, [one.arg, "argument", "", None, None]
    for call in made.decorator_list:
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "deprecate_kwarg":
            former, _, present = (ast.literal_eval(one) for one in call.args[:3])
            yield former, [former, "argument", "", present, None]


def open_instruct_release(checkout: Path) -> dict[str, Any]:
    """The options of the trainers in `open_instruct/` of a checkout."""
    files = {
        path.relative_to(checkout).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((checkout / "open_instruct").rglob("*.py"))
        if not path.name.startswith("test_")
    }
    sources = Sources.of(files)
    roots: dict[str, dict[str, Any]] = {}
    for path, tree in sources.trees.items():
        names = parsed_classes(tree)
        stem = Path(path).stem
        trains = stem.startswith(TRAINERS) and not stem.endswith(("_utils", "_eval"))
        if not names or not trains or path.count("/") > 1:
            continue
        try:
            options = options_of_classes(sources, path, names)
        except KeyError as error:
            # A class of an installed package: the options are then not known whole.
            sys.stderr.write(f"  {path} left out: {error} is not in the checkout\n")
            continue
        roots[f"open_instruct.{stem}"] = options
    return _release(roots)


def _release(roots: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    ordered = {name: dict(sorted(options.items())) for name, options in sorted(roots.items())}
    return {
        "kind": "argparse",
        "dashed": True,
        "entries": {root: root for root in ordered},
        "roots": ordered,
    }
