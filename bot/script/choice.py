"""Which launches count: those that the device rules out do not, nor does one of several at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from bot.base.device_words import is_maker, vendor_of
from bot.base.devices import Vendor
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, enumeration, message
from bot.base.regex import regex
from bot.frameworks.launchers.hf_jobs import card_of_jobs
from bot.frameworks.plan import Plan
from bot.report import CountedLaunch
from bot.script.header import Header
from bot.script.name import ScriptName
from bot.script.plan import plan_report
from bot.shell.words import Command, asked

DeviceSource: TypeAlias = Literal["option", "name", "header", "slurm", "job"]
"""Who says which device it is: the caller, the script's name, its comment, or what it asks
Slurm or Hugging Face's jobs for."""

_GPUS = frozenset({Vendor.NVIDIA, Vendor.AMD, Vendor.METAX})
_SIGNS: tuple[tuple[re.Pattern[str], frozenset[Vendor]], ...] = (
    (regex(r"(?i)(?<![a-z])npu|ascend|davinci|\bhccl"), frozenset({Vendor.ASCEND})),
    (regex(r"(?i)nvidia|nvcc"), frozenset({Vendor.NVIDIA})),
    (regex(r"(?i)rocm|amd-smi|torch\.version\.hip|/dev/kfd"), frozenset({Vendor.AMD})),
    (regex(r"(?i)\btorch\.cuda\b|\A(?:gpu|cuda)\Z"), _GPUS),
)
"""What a question names, and whose devices a yes means."""


@dataclass(frozen=True, slots=True)
class LaunchChoice:
    """The launches of a script that count."""

    plans: tuple[Plan, ...]
    """Those that the device does not rule out, in order; all where it rules out every one."""
    ruled_out: int = 0
    """How many it does."""
    device: str | None = None
    """The one that the caller, the script's comment, its name or its `#SBATCH` lines state."""
    source: DeviceSource | None = None

    @property
    def card(self) -> str | None:
        """The device, where it is a card and no maker's name alone."""
        return None if self.device is None or is_maker(self.device) else self.device

    def open(self) -> tuple[Plan, ...]:
        """The launches of which only one runs, and nobody can know which.

        None where they are the same in everything that a row of the page says.
        """
        if not self.plans:
            return ()
        first = self.plans[0]
        others = [plan for plan in self.plans[1:] if exclusive(first, plan)]
        if all(plan_report(plan) == plan_report(first) for plan in others):
            return ()
        return (first, *others)

    def reason(self) -> Message | None:
        """Why some launches do not count; None where all do."""
        if not self.ruled_out or self.device is None:
            return None
        if self.source == "option":
            return message("--device says {device}", device=self.device)
        if self.source == "name":
            return message("the script's name says {device}", device=self.device)
        if self.source == "slurm":
            return message("the script's #SBATCH lines ask for {device}", device=self.device)
        if self.source == "job":
            return message("the script's --flavor asks for {device}", device=self.device)
        return message("the script's comment says {device}", device=self.device)


def choose(
    plans: Sequence[Plan], name: ScriptName, header: Header, *, device: str | None = None
) -> LaunchChoice:
    """The launches that count on a device: `device`, else that of comment, name or job."""
    source: DeviceSource = "option"
    if device is None and header.device is not None:
        device, source = header.device.text, "header"
    if device is None:
        device, source = device_of(name), "name"
        of_job = None if header.requested else card_of_jobs(plans)
        asked = header.requested or of_job
        if asked and (device is None or _says_less(device, asked)):
            device, source = asked, "job" if of_job else "slurm"
    vendor = vendor_of(device) if device else None
    if device is None or vendor is None:
        return LaunchChoice(tuple(plans))
    kept = tuple(plan for plan in plans if not rules_out(vendor, plan.launch.command))
    if not kept:
        return LaunchChoice(tuple(plans), 0, device, source)
    return LaunchChoice(kept, len(plans) - len(kept), device, source)


def _says_less(device: str, card: str) -> bool:
    """Whether a word names no more than the maker of a card: `gpu` beside `h100`."""
    return is_maker(device) and vendor_of(device) is vendor_of(card)


def device_of(name: ScriptName) -> str | None:
    """The device that a name states, where it stands as a word of its own at least."""
    if name.device is not None:
        return name.device
    makers = {maker: word for word in name.words if (maker := vendor_of(word))}
    return next(iter(makers.values())) if len(makers) == 1 else None


def counted_launch(
    plans: Sequence[Plan],
    choice: LaunchChoice,
    chosen: Plan | None = None,
    why: Message | None = None,
) -> CountedLaunch | None:
    """The launch of `plans` that counts: the one `chosen` among those that the device allows.

    None where there is no choice.
    """
    reason = (why if choice.open() else None) or choice.reason()
    if reason is None:
        return None
    plan = chosen or choice.plans[0]
    return CountedLaunch(
        launch=1 + next(at for at, other in enumerate(plans) if other is plan),
        conditions=plan.launch.command.assumptions,
        reason=reason,
    )


def which_launch(plans: Sequence[Plan]) -> Message:
    """Why there is no row: several launches, of which one runs."""
    conditions = dict.fromkeys(
        text for plan in plans for text in plan.launch.command.assumptions[-1:]
    )
    return message(
        "The script launches one of {count}, by what cannot be known here ({conditions}). Say "
        "which with --device or --env NAME=VALUE, or with a comment `# device: h100`.",
        count=len(plans),
        conditions=enumeration(conditions),
    )


def exclusive(one: Plan, other: Plan) -> bool:
    """Whether at most one of two launches runs: they answer a question differently."""
    answers = other.launch.command.answers
    return any(
        answers.get(question, answer) is not answer
        for question, answer in one.launch.command.answers.items()
    )


def rules_out(vendor: Vendor, command: Command) -> bool:
    """Whether a command does not run on a maker's devices."""
    for question, answer in command.answers.items():
        meant = vendors_asked(question)
        if meant and answer is not (vendor in meant):
            return True
    return False


def vendors_asked(question: str) -> frozenset[Vendor]:
    """Whose devices a yes to a question of `Command.answers` means; none where it asks no such."""
    operator, *operands = asked(question) or ("",)
    if operator.startswith(("\2", "(", "!")):
        return frozenset()
    # `[ "$DEVICE" = npu ]` compares with one word; a program is named with its arguments.
    texts = operands if operator in ("=", "~") else [operator, *operands]
    for sign, vendors in _SIGNS:
        if any(sign.search(text) for text in texts):
            return vendors
    return frozenset()
