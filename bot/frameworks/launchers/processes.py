"""How many processes a launcher starts, and what it tells each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.base.regex import regex
from bot.frameworks.fields import AppliedSettings, product
from bot.frameworks.launchers.hf_jobs import cards_of_job
from bot.frameworks.launchers.launch import DISTRIBUTED, Started, is_one_process
from bot.frameworks.launchers.launcher_options import launcher_option, unknown_options
from bot.frameworks.plan import Field, Launch, Plan, nothing
from bot.shell.words import Command, Hole, Piece, Word

_DEVICE = regex(r"\d{1,3}|(?:GPU|MIG)-[\w\-/]+")


def launcher_number(launch: Launch, *names: str) -> Field[int] | None:
    """A whole number given to the launcher; None when it does not have the option.

    `torchrun` starts one process where it is not told (torch/distributed/run.py, `nproc_per_node`).
    """
    found = launcher_option(launch, *names)
    if found is None:
        place = unknown_options(launch)
        if place is not None:
            return Field(None, span=place, key=names[0])
        alone = "nproc_per_node" in names and launch.launcher[-1:] == ("torchrun",)
        return Field(1, key="nproc_per_node", default=True) if alone else None
    number = int(found.value) if found.value and re.fullmatch("[0-9]{1,6}", found.value) else None
    return Field(number, span=found.span, key=found.name)


def without_launcher(plan: Plan) -> bool:
    """Whether a program of TRL's starts by itself, which makes it one process."""
    command = plan.launch.command
    recipe = command.implied and command.written is None
    return plan.framework == "trl" and is_one_process(plan.launch.launcher) and not recipe


def is_launched(plan: Plan) -> bool:
    """Whether a launcher such as torchrun or accelerate decides how many GPUs a launch has."""
    told = DISTRIBUTED.keys() & {*plan.launch.launcher[-1:]}
    return bool(told) or plan.framework in ("trl", "open-instruct")


def processes(launch: Launch, values: AppliedSettings) -> tuple[Field[int], Field[int], Field[int]]:
    """GPUs a node, nodes, and GPUs over all of a launcher with one process a GPU.

    `accelerate launch` counts processes over all machines, `torchrun` and `deepspeed` on each; the
    command `trl` takes accelerate's options among its own. Without a launcher the program uses
    what it finds: one GPU where the script shows it no other, else it is not known.
    """
    nodes = launcher_number(launch, "num_machines", "nnodes", "num_nodes")
    if nodes is None:
        nodes = _integer_if_set(values, "num_machines") or Field(1, default=True)
    stated = launcher_option(launch, "num_processes") is not None
    every = (
        launcher_number(launch, "num_processes")
        if stated
        else _integer_if_set(values, "num_processes")
    )
    if every is not None:
        whole = every.value and nodes.value and every.value % nodes.value == 0
        each = every.value // nodes.value if whole and every.value and nodes.value else None
        return Field(each, span=every.span, key=every.key), nodes, every
    a_node = launcher_number(launch, "nproc_per_node", "num_gpus", "nproc-per-node")
    if a_node is None:
        a_node = _only_device(launch) or _all_of_job(launch)
    if a_node is None:
        return nothing(), nodes, nothing()
    return a_node, nodes, product(a_node, nodes)


def environment_of(started: Started, command: Command) -> Mapping[str, Word]:
    """What a program that a command starts finds in its environment, as `process_environment`."""
    argv = (*command.settings, *started.argv)
    return process_environment(Launch(command, "", started.entry, argv, started.launcher))


def process_environment(launch: Launch) -> Mapping[str, Word]:
    """The environment of a launched program; of several processes that of the first.

    torch's, DeepSpeed's and accelerate's launchers tell each process how many there are and which
    it is; accelerate does not where there is one.
    """
    own = launch.command.environment
    if not DISTRIBUTED.keys() & {*launch.launcher[-1:]}:
        return own
    _, _, every = processes(launch, AppliedSettings((), lambda _: None))
    if every.value == 1 and launch.launcher[-1] == "accelerate launch":
        return own
    span = launch.command.span
    hole = Hole("argument", "number of processes")
    count = Piece(str(every.value) if every.value else hole, span, literal=False)
    first = Word((Piece("0", span, literal=False),), span)
    return {**own, "WORLD_SIZE": Word((count,), span), "RANK": first, "LOCAL_RANK": first}


def _all_of_job(launch: Launch) -> Field[int] | None:
    """The GPUs that a job gives, where the program is one process on each of them.

    accelerate starts that of itself; a program alone takes several in one process, or one.
    """
    cards = cards_of_job(launch)
    if cards is None or cards.value == 1:
        return cards
    return cards if launch.launcher[-1] in ("accelerate launch", "trl") else None


def _only_device(launch: Launch) -> Field[int] | None:
    """One GPU, where the launch sees no other; more may be shared out in several ways."""
    word = launch.command.environment.get("CUDA_VISIBLE_DEVICES")
    if word is None or not word.complete or not re.fullmatch("[0-9]{1,3}", word.text):
        return None
    return Field(1, span=word.span_of(0, len(word.text)))


def devices_listed(word: Word) -> int | None:
    """How many devices a variable of the environment lists; None when that cannot be told."""
    if not word.complete or not word.text.strip():
        return None
    parts = [part.strip() for part in word.text.strip().rstrip(",").split(",")]
    return len(set(parts)) if all(_DEVICE.fullmatch(part) for part in parts) else None


def _integer_if_set(values: AppliedSettings, key: str) -> Field[int] | None:
    return values.integer(key) if values.setting(key) else None
