"""RLB028: a release that is inferred from the settings, and what hangs on that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.base.messages import plural_message
from bot.frameworks.plan import Inference, Plan
from bot.frameworks.repository.pins import read_commit, read_fork
from bot.frameworks.settings.releases import ranges_of_releases
from bot.frameworks.settings.setting import BadArgument, Setting
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.keys import shown

META = Meta(
    id="RLB028",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="Nobody states the release, and only some releases take the script's settings.",
    why=(
        "The configuration of each release is closed: a setting that one release has, or an option "
        "that was a switch in it, stops another. A script that does not say which release it is "
        "for runs for those who guess right."
    ),
    instead=(
        "Say which release the script is for: with a comment such as `# verl: 0.8.0`, with "
        "`framework:` in `.rlbot.yml`, or with a requirement such as `verl==0.8.0` in the "
        "repository."
    ),
    limits=(
        "One finding for each launch, in the place of one for each setting. Only where neither an "
        "option, a comment, a vendored copy of the framework nor a pin decides; a commit of the "
        "framework's repository is a pin, too, and so is a fork that is installed. A setting that "
        "every release refuses stays an error of its own."
    ),
    source="The configuration of every release of verl, OpenRLHF, TRL and open-instruct",
    example=Example(
        bad=verl("actor_rollout_ref.actor.fsdp_config.grad_offload=False"),
        good=verl("actor_rollout_ref.actor.fsdp_config.grad_offload=False", before="# verl: 0.2"),
    ),
)


def check(context: RuleContext) -> Hits:
    """The launches whose release was inferred from their settings."""
    place = context.place
    for plan in context.plans:
        if plan.inference is None:
            continue
        given = (plan.framework, place.checkout.files, place.path) if place is not None else None
        if given is not None and (read_commit(*given) or read_fork(*given)):
            continue
        if not _has_copy(context, plan):
            yield _hit(plan, plan.inference)


def _has_copy(context: RuleContext, plan: Plan) -> bool:
    """Whether a program of TRL's may import a copy in the repository, which no release is."""
    place, entry = context.place, plan.launch.entry
    return (
        place is not None
        and plan.framework == "trl"
        and place.checkout.trl_programs.of_own_trl(entry, place.path) is not None
    )


def _hit(plan: Plan, inference: Inference) -> Hit:
    changed = inference.explained, inference.reshaped
    places = [one.key_span for one in (*inference.explained, *inference.doubtful)]
    if not inference.explained:
        places = [*(bad.span for bad in inference.reshaped), *places]
    say = message(
        "say which release the script is for, such as # {framework}: {release}",
        framework=plan.framework,
        release=plan.configuration.release,
    )
    added = (
        _needs_plus(inference.explained) and not inference.reshaped
        if any(changed)
        else all(_is_added(plan, one) for one in inference.doubtful)
    )
    if added:
        say = message("leave out the +, or {say}", say=say)
    elif inference.reshaped and not inference.explained and all(map(_is_bare, inference.reshaped)):
        options = _listed([bad.word.text for bad in inference.reshaped])
        say = message("write a value behind {options}, or {say}", options=options, say=say)
    return Hit(
        message=_explained(plan, inference) if any(changed) else _doubtful(plan, inference),
        span=places[0],
        help=say,
    )


def _is_bare(bad: BadArgument) -> bool:
    """Whether an option lacks a value, as `--bf16` does that was a switch once."""
    return bad.word.text.startswith("--") and "=" not in bad.word.text


def _is_added(plan: Plan, setting: Setting) -> bool:
    """Whether a `+` adds what the plan's release has already."""
    return setting.operator == "+" and plan.table is not None and setting.key in plan.table


def _needs_plus(settings: Sequence[Setting]) -> bool:
    """Whether all that the preferred release refuses of these is their `+`."""
    return all(setting.operator == "+" for setting in settings)


def _explained(plan: Plan, inference: Inference) -> Message:
    values = {
        "framework": plan.framework,
        "preferred": inference.preferred,
        "releases": ranges_of_releases(plan.framework, inference.releases),
        "release": plan.configuration.release,
    }
    if inference.reshaped:
        text = _reshaped(inference, values)
    elif _needs_plus(inference.explained):
        text = message(
            "{framework} {preferred} refuses the + of {keys}, which {releases} take: read as "
            "{release}",
            keys=_listed([setting.key for setting in inference.explained]),
            **values,
        )
    else:
        text = message(
            "settings that {framework} {preferred} lacks are in {releases}: read as {release}",
            **values,
        )
    if not inference.doubtful:
        return text
    return message("{what}; {more}", what=text, more=_doubtful(plan, inference))


def _reshaped(inference: Inference, values: Mapping[str, str]) -> Message:
    """What is said where an option is written as the preferred release cannot take it."""
    problem = inference.reshaped[0].message
    if inference.explained:
        return message(
            "{framework} {preferred} lacks settings, and {problem} there; {releases} take all as "
            "they are written: read as {release}",
            problem=problem,
            **values,
        )
    return message(
        "{problem} in {framework} {preferred}, but not in {releases}: read as {release}",
        problem=problem,
        **values,
    )


def _doubtful(plan: Plan, inference: Inference) -> Message:
    added = [one.key for one in inference.doubtful if _is_added(plan, one)]
    names = [shown(plan, one.key) for one in inference.doubtful if one.key not in added]
    if not names:
        return message(
            "{framework} {release} has {keys} already and refuses the +, which another release "
            "needs",
            framework=plan.framework,
            release=plan.configuration.release,
            keys=_listed(added),
        )
    return plural_message(
        "{framework} {release} does not have {keys}, which another release has",
        "{framework} {release} does not have {count} settings that other releases have: {keys}",
        len(names),
        framework=plan.framework,
        release=plan.configuration.release,
        keys=_listed(names),
    )


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names[:5])) + (", …" if len(names) > 5 else "")
