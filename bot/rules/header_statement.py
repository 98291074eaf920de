"""RLB006: a statement of the header that nobody can use."""

from __future__ import annotations

from bot.evidence.links import FORM, why_no_run
from bot.frameworks.settings.releases import find_release, releases
from bot.rules._support.base import Example, Hits, Meta, RuleContext, hit, message
from bot.rules._support.example import verl
from bot.script.header import TAGS

META = Meta(
    id="RLB006",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    shell_only=True,
    summary="A comment states a tag or a release that is not known, or links to no run.",
    why=(
        "What a script says about itself in comments decides the row's tag and the release that "
        "its settings are checked against. A statement that is not understood is left out, and "
        "the row or the check is then another one than the author meant. A link to a project or a "
        "report leaves the row without the run behind it."
    ),
    instead=(
        "Write `# tag: MIN` or `# tag: RECOMMENDED`, a released version (`# verl: 0.9.1`), and the "
        f"address of the run's own page: `# wandb: {FORM}`."
    ),
    limits="Of links (`# wandb: …`) only those to W&B's public service are looked at.",
    source="The tags of verl's docs/perf/device_tuning.rst; the wheels of verl and OpenRLHF",
    example=Example(
        bad=verl(before="# tag: FASTEST"),
        good=verl(before="# tag: RECOMMENDED\n# verl: 0.9.1"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The tag and the releases that the script's comments state."""
    header = context.header
    if header.tag and header.tag.text not in TAGS:
        yield hit(
            header.tag.span,
            '"{text}" is no tag of the page',
            text=header.tag.text,
            help=message("write {known}", known=" or ".join(TAGS)),
        )
    for framework, stated in header.versions.items():
        if find_release(framework, stated.text) is None:
            yield hit(
                stated.span,
                '"{text}" is no known release of {framework}',
                text=stated.text,
                framework=framework,
                help=message("write one of {known}", known=", ".join(releases(framework))),
            )
    for stated in header.links:
        why = why_no_run(stated.text)
        if why is not None:
            yield hit(
                stated.span,
                "the link is not one to a run: {why}",
                why=why,
                help=message("write {known}", known=FORM),
            )
