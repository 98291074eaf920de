"""What the launches that frameworks ship log to, and which claims that decides.

    python -m benchmarks.launch_sources FOLDER…

Each folder is a checkout of verl, verl-recipe, ROLL, AReaL or slime. A launch is a shell script
that starts a trainer of verl's or slime's, or a configuration of ROLL's or AReaL's that says where
it logs to. Nothing is run. What each source decides is what docs/evidence.md shows of it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CLAIMS: Final = ("peak", "steps", "settings", "device")
DECIDES: Final[dict[str, frozenset[str]]] = {
    "wandb": frozenset(CLAIMS),
    "swanlab": frozenset(CLAIMS),
    "trackio": frozenset({"peak", "steps", "settings"}),
    "mlflow": frozenset({"peak", "steps", "settings"}),
    "tensorboard": frozenset({"peak", "steps"}),
    "file": frozenset({"peak", "steps"}),
}
"""Source to the claims that it decides (the peak of the last two is the allocator's)."""
CONSOLE: Final = frozenset({"peak", "steps", "settings"})
_VERL: Final = re.compile(
    r"-m\s+(?:verl|recipe|\w+)\.[\w.]*(?:main|trainer)|main_\w+\.py|\bverl\.trainer"
)
_LOGGER: Final = re.compile(r"^[^#\n]*\btrainer\.logger=(\S+(?:\s*,\s*\S+)*)", re.MULTILINE)
_SLIME: Final = re.compile(r"^[^#\n]*\btrain(?:_async)?\.py\b", re.MULTILINE)
_ROLL: Final = re.compile(r"^track_with:\s*(\S+)", re.MULTILINE)
_AREAL: Final = re.compile(r"^stats_logger:\n((?:[ ]+.*\n|\n)*)", re.MULTILINE)


def launches(folder: Path) -> Iterator[tuple[Path, frozenset[str]]]:
    """Each launch below a folder with the sources it logs to, the console left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".sh", ".yaml", ".yml") or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = _of_shell(text) if path.suffix == ".sh" else _of_configuration(text)
        if found is not None:
            yield path, found


def _of_shell(text: str) -> frozenset[str] | None:
    loggers = _LOGGER.findall(text)
    if loggers:
        words = set(re.findall(r"[a-z]+", " ".join(loggers)))
        return frozenset(words & DECIDES.keys())
    if _SLIME.search(text):
        used = re.findall(r"^[^#\n]*--use-(wandb|tensorboard|swanlab)", text, re.MULTILINE)
        return frozenset(used)
    if _VERL.search(text):
        return frozenset({"wandb"})  # verl's own default: ["console", "wandb"].
    return None


def _of_configuration(text: str) -> frozenset[str] | None:
    if tracked := _ROLL.search(text):
        return frozenset({tracked[1].strip("'\"")} & DECIDES.keys())
    stats = _AREAL.search(text)
    if stats is None:
        return None
    found = set()
    for name in ("wandb", "swanlab"):
        section = re.search(rf"^\s+{name}:\s*\n\s+mode: *(\S+)", stats[1], re.MULTILINE)
        if section and section[1] != "disabled":
            found.add(name)
    if re.search(r"^\s+tensorboard:\s*\n\s+path: *(?!null|None)\S", stats[1], re.MULTILINE):
        found.add("tensorboard")
    return frozenset(found)


def main() -> int:
    """Count."""
    every = [found for name in sys.argv[1:] for _, found in launches(Path(name))]
    if not every:
        print("no launch was found")
        return 1
    by_source = Counter(source for found in every for source in found)
    by_source["console alone"] = sum(not found for found in every)
    head = ["source", "launches", *CLAIMS]
    print(f"{len(every)} launches\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for source, count in by_source.most_common():
        decides = DECIDES.get(source, frozenset())
        print(
            f"| {source} | {_share(count, every)} | "
            + " | ".join(_share(count, every) if claim in decides else "0 %" for claim in CLAIMS)
            + " |"
        )
    for name, more in (
        ("as shipped", frozenset[str]()),
        ("and the console log", CONSOLE),
        ("under rlbot record", frozenset(CLAIMS)),
    ):
        decided = [more.union(*(DECIDES[source] for source in found)) for found in every]
        shares = [_share(sum(claim in each for each in decided), every) for claim in CLAIMS]
        any_ = _share(sum(bool(each) for each in decided), every)
        print(f"| {name} | {any_} | {' | '.join(shares)} |")
    return 0


def _share(count: int, every: list[frozenset[str]]) -> str:
    return f"{100 * count / len(every):.0f} %"


if __name__ == "__main__":
    sys.exit(main())
