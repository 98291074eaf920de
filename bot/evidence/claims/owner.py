"""Whose run it is, when it was made, and whether another row rests on it already."""

from __future__ import annotations

from bot.evidence.facts import RunId
from bot.evidence.subject import ClaimSubject, Observation
from bot.frameworks.settings.releases import released
from bot.report import Claim
from bot.report.claims import ClaimName, SourceName, claim_source


def owner_claims(subject: ClaimSubject) -> list[Claim]:
    """Every claim about the run's origin that there is something to say about."""
    found = [_contributor(subject), _age(subject), _used_once(subject)]
    return [claim for claim in found if claim is not None]


def _contributor(subject: ClaimSubject) -> Claim | None:
    """The run's user beside the contributor: two services' names, so a difference says little."""
    user, contributor = subject.facts.run.user, subject.context.contributor
    if not user or not contributor:
        return None
    claim, source = ClaimName.CONTRIBUTOR, SourceName.RUN_RECORD
    # A commit's author reads `name <address>`, and an address may name the login too.
    parts = contributor.replace("<", " ").replace(">", " ").replace("@", " ").replace("+", " ")
    names = {_bare(name) for name in (contributor, *parts.split()) if _bare(name)}
    seen = Observation(claim, contributor, user, source)
    if _bare(user) in names:
        return seen.consistent("The run's W&B user bears the contributor's name.")
    return seen.inconclusive(
        "The run was logged by the W&B user {user}, the contribution comes from {contributor}. "
        "These are names on two services, so it may well be one person.",
        user=user,
        contributor=contributor,
    )


def _bare(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _age(subject: ClaimSubject) -> Claim | None:
    """That the run is not older than the release of the framework that it had installed."""
    facts = subject.facts
    package = subject.plan.framework
    version = facts.requirements.get(package)
    day = released(package).get((version or "").split("+", 1)[0])
    if facts.created is None or day is None:
        return None
    claim, created = ClaimName.RELEASE_DATE, facts.created[:10]
    claimed = f"{package} {version} of {day}"
    source = claim_source(SourceName.RUN_RECORD, SourceName.REQUIREMENTS)
    seen = Observation(claim, claimed, created, source)
    if created < day:
        return seen.inconclusive(
            "The run was created on {created}, before {package} {version} was released on "
            "{released}: one of the two was changed, or the version is that of a copy.",
            created=created,
            package=package,
            version=version,
            released=day,
        )
    return seen.consistent(
        "The run is newer than the release of {package} that it used.", package=package
    )


def _names_run(used: str, run: RunId) -> bool:
    """Whether a name `entity/project/id`, or an id, is a run's, as far as the run says its own."""
    if "/" not in used:  # MLflow's are ids alone.
        return used == run.id
    holder, _, run_id = used.rpartition("/")
    entity, _, project = holder.rpartition("/")  # A Space of trackio's has a / of its own.
    return run_id == run.id and run.entity in (None, entity) and run.project in (None, project)


def _used_once(subject: ClaimSubject) -> Claim | None:
    """That no other row or script rests on this run."""
    run, used_by = subject.facts.run, subject.context.used_by
    if used_by is None or run.id is None:
        return None
    claim, source = ClaimName.USED_ONCE, claim_source(SourceName.PAGE, SourceName.SCRIPTS)
    name = f"{run.entity or '?'}/{run.project or '?'}/{run.id}"
    places = tuple(place for used, of in used_by.items() if _names_run(used, run) for place in of)
    if places:
        return Observation(claim, name, ", ".join(places), source).inconsistent(
            "The run {run} is linked for {places} too, and a row needs a run of its own: link "
            "another one for one of them.",
            run=name,
            places=", ".join(places[:3]),
        )
    return Observation(claim, name, None, source).consistent(
        "No other row and no other script names this run."
    )
