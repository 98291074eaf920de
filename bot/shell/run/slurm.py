"""What Slurm's sbatch is asked for, in `#SBATCH` lines and on its command line, and what it sets.

The variables are those of sbatch(1), "Output environment variables", where the options say them
exactly; of all others nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.base.digits import natural_number
from bot.base.regex import regex
from bot.shell.pieces import Value, computed, cut, extent, known
from bot.shell.source import Span
from bot.shell.world.state import ShellVariable

_DIRECTIVE = "#SBATCH"
_WORD = regex(r"""#.*|(?:[^\s"'#]|"[^"]*"|'[^']*')+""")
"""A word of such a line; what follows `#` is a comment."""
_LONG = {"-C": "constraint", "-G": "gpus", "-J": "job-name", "-N": "nodes", "-c": "cpus-per-task"}
_LONG |= {"-n": "ntasks"}
_NAMES = frozenset({*_LONG.values(), "exclusive", "gpus-per-node", "gres", "ntasks-per-node"})
_GPUS = regex(r"(?:gres[:/])?gpu(?::([^:(]+?))??(?::([0-9]+))?(?:\(.*\))?")
"""A kind of GPU and their number, of which either may be left out: `gpu:h100:8`."""
_OF_TASKS = regex(r"--(?:gpus-per-(?:task|socket)|tres-per-)")
"""What asks for GPUs by something else than the node."""
_CHOICE = frozenset("|[(*!")
"""What makes more of a constraint than features that all nodes have."""
_SET_BY = {
    "nodes": ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
    "ntasks": ("SLURM_NTASKS", "SLURM_NPROCS"),
    "ntasks-per-node": ("SLURM_NTASKS_PER_NODE",),
    "cpus-per-task": ("SLURM_CPUS_PER_TASK",),
    "gpus-per-node": ("SLURM_GPUS_PER_NODE",),
    "gpus-on-node": ("SLURM_GPUS_ON_NODE",),
    "job-name": ("SLURM_JOB_NAME",),
}
OF_A_JOB = frozenset(name for names in _SET_BY.values() for name in names)
"""The variables of a job that options of sbatch decide."""


def header_words(text: str, span: Span | None = None) -> tuple[Value, ...]:
    """The words of a script's `#SBATCH` lines above its first command, as sbatch reads them.

    They stand at `span`, else where they are in the text.
    """
    words: list[Value] = []
    at = 0
    for line in text.split("\n"):
        if line.startswith(_DIRECTIVE):
            for found in _WORD.finditer(line, len(_DIRECTIVE)):
                if not found[0].startswith("#"):
                    place = span or Span(at + found.start(), at + found.end())
                    words.append(computed(found[0].replace('"', "").replace("'", ""), place))
        elif line.lstrip()[:1] not in ("", "#"):
            break
        at += len(line) + 1
    return tuple(words)


def job_variables(words: Sequence[Value]) -> dict[str, ShellVariable]:
    """The variables that Slurm sets for the options that words give."""
    asked = _requests(words) or {}
    numbers = {name: value for name, value in asked.items() if _number(value)}
    nodes, tasks = _number(numbers.get("nodes")), _number(numbers.get("ntasks"))
    if "ntasks" in asked and nodes and nodes > (tasks or 1):
        numbers.pop("nodes")  # sbatch takes no more nodes than there are tasks.
    elif "ntasks" not in asked and nodes and "ntasks-per-node" in numbers:
        each = numbers["ntasks-per-node"]
        total = str(nodes * (_number(each) or 0))
        numbers["ntasks"] = computed(total, extent(each, Span(0, 0)))
    if (gpus := _gpus_on_node(asked, nodes)) is not None:
        numbers["gpus-on-node"] = gpus
    if known(asked.get("job-name", ())):
        numbers["job-name"] = asked["job-name"]
    return {
        name: ShellVariable(value, exported=True, caller=True)
        for option, value in numbers.items()
        for name in _SET_BY.get(option, ())
    }


def requested_cards(words: Sequence[Value]) -> Iterator[str]:
    """What may name the kind of GPU that words of sbatch ask for."""
    asked = _requests(words) or {}
    yield from (kind for _, kind, _ in _gpus(asked) if kind)
    features = known(asked.get("constraint", ())) or ""
    if not _CHOICE & set(features):
        yield from features.replace(",", "&").split("&")


def job_size(words: Sequence[Value]) -> dict[str, tuple[int, Span]]:
    """The `nodes`, the GPUs of each (`gpus-per-node`) or of all (`gpus`) that words ask for.

    Each where it is one known number, with its place.
    """
    if any(_OF_TASKS.match(known(word[:1]) or "--tres-per-") for word in words):
        return {}
    asked = _requests(words) or {}
    found = {"nodes": _number(asked.get("nodes"))}
    every = [] if "exclusive" in asked else list(_gpus(asked))
    if len(every) == 1:
        option, _, count = every[0]
        if option != "gres":  # Those without a number are none.
            count = (known(asked[option]) or "").rpartition(":")[2]
        found["gpus" if option == "gpus" else "gpus-per-node"] = natural_number(count) or 0
    places = {**asked, "gpus-per-node": asked.get("gpus-per-node", asked.get("gres", ()))}
    return {
        name: (number, extent(places[name], Span(0, 0))) for name, number in found.items() if number
    }


def alters_step(words: Sequence[Value]) -> bool:
    """Whether options of srun may give its step another number of nodes, tasks or GPUs."""
    return _requests(words) != {}


def _requests(words: Sequence[Value]) -> Mapping[str, Value] | None:
    """The options that decide something, of which the last counts; None where that is not known."""
    found: dict[str, Value] = {}
    before = ""
    for word, following in zip(words, (*words[1:], ()), strict=False):
        text = word[0].text if word else ""
        if text in ("hetjob", "packjob", ":"):
            return None  # Each part of such a job has its own.
        if not isinstance(text, str):
            if len(before) != 2 or not before.startswith("-"):
                return None  # `$OPTIONS` may be any; behind `-p` it is a partition.
        elif text.startswith("--"):
            name, equals, _ = text[2:].partition("=")
            name = "ntasks-per-node" if name == "tasks-per-node" else name
            if name in _NAMES:
                given = cut(word, len(text.partition("=")[0]) + 1) if equals else following
                found[name] = () if name == "exclusive" and not equals else given
        elif name := _LONG.get(text[:2], ""):
            found[name] = cut(word, 2) or following
        before = text if isinstance(text, str) else ""
    return found


def _number(value: Value | None) -> int:
    """The number that a value is; 0 for none, for a range (`1-4`) and the like."""
    return natural_number(known(value or ()) or "") or 0


def _gpus(asked: Mapping[str, Value]) -> Iterator[tuple[str, str, str]]:
    """The options by which GPUs are asked for, their kinds and their numbers."""
    for option in ("gres", "gpus-per-node", "gpus"):
        for entry in (known(asked.get(option, ())) or "").split(","):
            if found := _GPUS.fullmatch(entry if option == "gres" else f"gpu:{entry}"):
                yield option, found[1] or "", found[2] or "1"


def _gpus_on_node(asked: Mapping[str, Value], nodes: int) -> Value | None:
    """How many GPUs each node gives; an exclusive one gives all that it has."""
    every = [(option, count) for option, _, count in _gpus(asked)]
    if len(every) != 1 or asked.get("exclusive") == ():
        return None
    option, count = every[0]
    if not natural_number(count) or (option == "gpus" and nodes != 1):
        return None
    return computed(count, extent(asked[option], Span(0, 0)))
