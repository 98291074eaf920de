"""RLB120: a module that no release has, that the release lacks, or without its `-m`."""

from __future__ import annotations

from typing import Final

from bot.base.regex import regex
from bot.base.spelling import slip
from bot.frameworks.programs.trainers import TRAINS
from bot.frameworks.settings.releases import modules, release, releases, spans_of_releases
from bot.rules._support.base import Example, Hits, Meta, RuleContext, TextEdit, hit, message
from bot.rules._support.example import verl
from bot.rules._support.trl_refusals import has_own_trainer
from bot.rules._support.verl import installs_fork
from bot.shell.words import Word

META = Meta(
    id="RLB120",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="Python is given a module that is misspelt or is not there, or one without its -m.",
    why=(
        "Python looks for the module, or for a file that is called like it, and ends with an error."
    ),
    instead="Start the module that is meant: `python3 -m verl.trainer.main_ppo`.",
    limits=(
        "Only names that are one letter away from a module that a release of verl or OpenRLHF "
        "has, and that the script's repository does not hold: another one may be its own, or that "
        "of a fork that it installs. A module that other releases of verl have is named where "
        "somebody says which release is meant, and as a warning where the repository's whole copy "
        "of verl lacks it; of TRL a script, and GRPO of a program, where the release that is named "
        "or pinned is older."
    ),
    source="The modules of every release of verl, OpenRLHF and TRL on PyPI; `python3 --help`",
    example=Example(
        bad=verl().replace("main_ppo", "main_pop"),
        good=verl(),
    ),
)

_LAUNCHERS: Final = regex(r"(?:python|pypy)[0-9.]*|torchrun|deepspeed|accelerate")
_FRAMEWORKS: Final = ("verl", "openrlhf")
_SWITCH: Final = regex(r"-[A-Za-z]*m|--module")
_MODULE: Final = regex(r"(?:verl|openrlhf)(?:\.\w{1,80}){1,8}")


def check(context: RuleContext) -> Hits:
    """Look at the words behind a program that starts Python."""
    yield from _removed(context)
    yield from _not_yet(context)
    for command in context.reading.commands:
        name = command.argv[0].text.rsplit("/", 1)[-1] if command.argv else ""
        if not _LAUNCHERS.fullmatch(name):
            continue
        before: list[str] = []
        for word in command.argv[1:]:
            if _MODULE.fullmatch(word.text) and not word.text.endswith(".py"):
                yield from _judged(context, word, before)
                break
            before.append(word.text)


def _removed(context: RuleContext) -> Hits:
    """Modules of other releases than the one that a launch is for."""
    for plan in context.plans:
        entry, stated = plan.launch.entry, plan.configuration.source in ("requested", "header")
        if plan.framework != "verl":
            continue
        lacks = stated and entry not in release("verl", plan.configuration.release)["entries"]
        if not lacks and (stated or not _copy_lacks(context, entry)):
            continue
        if entry not in modules("verl"):  # Asked last: it reads every release.
            continue
        word = next((one for one in plan.launch.command.argv if one.text == entry), None)
        having = [one for one in releases("verl") if entry in release("verl", one)["entries"]]
        yield hit(
            word.span_of(0, len(entry)) if word else plan.launch.command.span,
            "{there} has no module {name}; it is {history}",
            there=(
                message("verl {release}", release=plan.configuration.release)
                if lacks
                else message("this repository's verl")
            ),
            name=entry,
            history=spans_of_releases("verl", having) or "",
            severity=None if lacks else "warning",
            help=message("start what took its place, or name the release that is meant"),
        )


def _not_yet(context: RuleContext) -> Hits:
    """Scripts of TRL's, and GRPO of programs, where the release that is named is from before."""
    for plan in context.plans:
        entry, read_by = plan.launch.entry, plan.configuration
        older = read_by.source == "beyond" and read_by.release == releases("trl")[0]
        stated = read_by.source in ("requested", "header", "pin") or older
        own = has_own_trainer(plan)
        if plan.framework != "trl" or not stated or not (own or plan.algorithm.value == "grpo"):
            continue
        if entry in release("trl", read_by.release)["entries"] or entry not in modules("trl"):
            continue
        word = next((one for one in plan.launch.command.argv if one.text == entry), None)
        having = [one for one in releases("trl") if entry in release("trl", one)["entries"]]
        written = plan.settings[0].key_span if plan.settings and not own else None
        yield hit(
            word.span_of(0, len(entry)) if word else written or plan.launch.command.span,
            "{there} has no {name}; it is {history}",
            there=message("trl up to {release}", release=read_by.release)
            if older
            else message("trl {release}", release=read_by.release),
            name=entry if own else TRAINS[entry.rpartition(".")[2]],
            history=spans_of_releases("trl", having) or "",
            help=message("install a release that has it"),
        )


def _copy_lacks(context: RuleContext, entry: str) -> bool:
    """Whether the whole package stands in the script's repository, and has no such module."""
    place = context.place
    if place is None or place.checkout.module(entry, place.path) is not None:
        return False
    return bool(place.checkout.verl.text(place.path, "protocol.py"))


def _judged(context: RuleContext, word: Word, before: list[str]) -> Hits:
    """A module's name behind these words; behind another program it is that program's affair."""
    named = bool(before) and _SWITCH.fullmatch(before[-1]) is not None
    if not named and any(_SWITCH.fullmatch(one) or one.endswith(".py") for one in before):
        return
    span = word.span_of(0, len(word.text))
    exact = context.source.written(span) == word.text
    framework = word.text.partition(".")[0]
    if framework not in _FRAMEWORKS:
        return
    known = word.text in release(framework, releases(framework)[-1])["entries"]
    known = known or word.text in modules(framework)
    own = context.place is not None and context.place.checkout.module(word.text, context.place.path)
    near = None if known or own else slip(word.text, modules(framework))
    if near is not None and not installs_fork(context, framework):
        yield hit(
            span,
            "no release has the module {name}",
            name=word.text,
            help=message("did you mean {near}?", near=near),
            fix_title=message("write {name}", name=near),
            edits=(TextEdit(span=span, text=near),) if exact else (),
        )
    elif known and not named:
        yield hit(
            span,
            "{name} is a module, and without -m Python looks for a file of that name",
            name=word.text,
            help=message("write -m {name}", name=word.text),
            fix_title=message("write {name}", name="-m"),
            edits=(TextEdit(span=span, text=f"-m {word.text}"),) if exact else (),
        )
