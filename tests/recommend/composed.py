"""Whether what is written starts: real Hydra composes verl's settings, argparse reads the others.

`python -m tests.recommend.composed --verl WHEEL --openrlhf WHEEL FOLDER…` asks them about every
script in the folders, with the configuration and the options in the wheels of the releases.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.frameworks import plans
from bot.frameworks.plan import Plan
from bot.shell import read
from tests.frameworks.corpus import Hydra, parser_of, scripts_of, text_of, unpacked


def plan_of(text: bytes, name: str) -> Plan:
    """The one launch of a script."""
    (plan,) = plans(read(text, name))
    return plan


def hydra_refusal(folder: Path, root: str, overrides: list[str]) -> str | None:
    """What Hydra says against overrides of a configuration in a folder; None when it composes."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    with initialize_config_dir(config_dir=str(folder), version_base=None):
        try:
            composed = compose(config_name=root, overrides=overrides)
        except (HydraException, OmegaConfBaseException) as error:
            return str(error).partition("\n")[0]
    return None if composed else "nothing is composed"


def argparse_refusal(parser: argparse.ArgumentParser, plan: Plan) -> str | None:
    """What argparse says against the words of a launch; None when it takes them."""
    words = [text_of(word) for word in plan.launch.argv if word.text != _REST]
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            parser.parse_args(words)
        except SystemExit:
            return said.getvalue().rpartition("error:")[2].strip()
    return None


_REST = "${?arguments of the script}"


def overrides_of(plan: Plan) -> list[str]:
    """The settings of a launch as its shell hands them over; what only a run knows is 1."""
    return [text_of(setting.word) for setting in plan.settings]


def _parsers(wheel: Path) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser of each of OpenRLHF's programs, made of the calls in its source."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "openrlhf/cli/" in name and name.endswith(".py"):
                source = archive.read(name).decode()
                yield f"openrlhf.cli.{Path(name).stem}", parser_of(source)


def refusals(
    scripts: Iterator[Path], hydra: Hydra, parsers: Mapping[str, argparse.ArgumentParser]
) -> Iterator[tuple[str, str, str | None]]:
    """The judge of each script, its name and what the judge says against it."""
    for path in scripts:
        plan = plan_of(path.read_bytes(), path.name)
        if plan.framework == "verl" and plan.table is not None:
            folder = hydra.folder_of(plan.table.root)
            yield "Hydra", path.name, hydra_refusal(folder, plan.table.root, overrides_of(plan))
        elif plan.framework == "openrlhf":
            yield "argparse", path.name, argparse_refusal(parsers[plan.launch.entry], plan)


def main() -> int:
    """Print what is refused; 1 when anything is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--verl", metavar="WHEEL", type=Path, required=True)
    parser.add_argument("--openrlhf", metavar="WHEEL", type=Path, required=True)
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="+")
    given = parser.parse_args()
    taken = {"Hydra": 0, "argparse": 0}
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        hydra = Hydra(unpacked(given.verl, Path(folder)))
        parsers = dict(_parsers(given.openrlhf))
        for judge, name, why in refusals(scripts_of(given.folders), hydra, parsers):
            taken[judge] += why is None
            if why is not None:
                refused += 1
                sys.stdout.write(f"{judge} refuses {name}: {why}\n")
    counts = ", ".join(f"{count} taken by {judge}" for judge, count in taken.items())
    sys.stdout.write(f"{counts}; {refused} refused\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
