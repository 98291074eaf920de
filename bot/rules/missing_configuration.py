"""RLB029: a launch whose root configuration is not there, or that Hydra cannot compose."""

from __future__ import annotations

from bot.base.regex import regex
from bot.frameworks.plan import Plan
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, Skip, TextEdit, message
from bot.rules._support.code import without_comments
from bot.rules._support.example import verl

META = Meta(
    id="RLB029",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="The configuration that the launch starts from is not there, or cannot be composed.",
    why=(
        "Every setting of the command line changes a configuration that Hydra composes first. "
        "Where that fails, the program ends before it reads any of them."
    ),
    instead=(
        "Name a configuration that exists (`--config-name`), or mend the file and line that the "
        "finding names."
    ),
    limits=(
        "A file that Hydra refuses is an error only in a configuration that is there as a whole. A "
        "name that no release has is an error where it is nearly the name of one: another may be "
        "a fork's own. A relative `--config-path` is one where its folder is there from the root, "
        "but not from the program's folder, where Hydra looks; of an installed verl that has "
        "`config` alone. Nothing is said where the command "
        "line adds folders (`--config-dir`, `hydra.searchpath`), or where the script itself writes "
        "the file."
    ),
    source="Hydra 1.3: composition and the defaults list",
    refusal=True,
    example=Example(
        bad=verl("--config-name=ppo_trianer"),
        good=verl("--config-name=ppo_trainer"),
    ),
)

_TARGET = regex(r">\s{0,9}([^\s;&|<>]{1,999})")
"""A file that output goes to, as it is written."""


def check(context: RuleContext) -> Hits:
    """The launches that cannot start for the sake of their configuration."""
    for plan in context.plans:
        if (problem := plan.configuration.problem) is None:
            continue
        if problem.lacks and _writes(context, plan, problem.lacks):
            yield Skip(reason=message("the script itself writes {name}", name=problem.lacks))
            continue
        near, span = problem.suggestion, problem.span
        edits = (TextEdit(span=span, text=near),) if near and span else ()
        if near and "$" in near and span and context.source.text[: span.start].endswith("'"):
            edits = ()
        yield Hit(
            message=problem.text,
            span=span or plan.launch.command.argv[0].span,
            help=message("did you mean {near}?", near=near)
            if near
            else message("mend the configuration, or name another one")
            if problem.lacks
            else message("mend the configuration; .gitignore may leave a file of it out"),
            fix_title=message("write {name}", name=near) if edits else None,
            edits=edits,
        )


def _writes(context: RuleContext, plan: Plan, name: str) -> bool:
    """Whether another command may make the file, as `cp` does in a framework's own folder."""
    others = (c for c in context.reading.commands if c.span != plan.launch.command.span)
    words = [word.text for command in others for word in command.argv]
    words += (found[1].strip("\"'") for found in _TARGET.finditer(without_comments(context)))
    return any(word.rpartition("/")[2] == name for word in words)
