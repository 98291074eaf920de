"""Sentences that the renderers share, before any escaping, in the language spoken now."""

from __future__ import annotations

import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from posixpath import dirname

from bot.base.regex import regex
from bot.render import broken
from bot.render.speech import counted, current, tr, tr_plural, word
from bot.render.unread import headlines, problems_of_config, unread
from bot.render.words import CLAIM, CLAIMS_LEFT, PAGE, REASON, ROW, SCRIPT, SEVERITY, SOURCES, STEP
from bot.report import (
    Claim,
    CountedLaunch,
    Evidence,
    Finding,
    Report,
    Row,
    Scalar,
    ScriptReport,
    Unchecked,
)
from bot.report.claims import ClaimName, SourcePart, source_groups
from bot.report.result import OPEN

ORDER = ("error", "warning", "note")
_STOP = unicodedata.lookup("IDEOGRAPHIC FULL STOP")
_WIDE = (
    _STOP,
    unicodedata.lookup("FULLWIDTH QUESTION MARK"),
    unicodedata.lookup("FULLWIDTH EXCLAMATION MARK"),
)
"""What ends a Chinese sentence; no space follows."""
_NEXT_SENTENCE = regex(rf"(?<=[.?!])\s+(?=[A-Z])|(?<=[{''.join(_WIDE)}])")
_HEADLINE = 90
"""Characters of a reason that stands in a headline."""
_WORST_FIRST = {"fail": 0, "inconclusive": 1, "pass": 2}


def join(parts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *rest, last = [part for part in parts if part] or [""]
    return tr("{first} and {last}", first=listed(rest), last=last) if rest else last


def listed(parts: Iterable[str]) -> str:
    """`a, b, c`."""
    return tr(", ").join(part for part in parts if part)


def named(names: Sequence[str], most: int) -> str:
    """`a, b, c and 4 more`: the first of several names, and how many there are besides."""
    first, more = listed(names[:most]), len(names) - most
    return tr("{names} and {count} more", names=first, count=more) if more > 0 else first


def phrases(parts: Iterable[str]) -> str:
    """`a, b, c`, of parts that could each be a sentence."""
    given = [part for part in parts if part]
    return reduce(lambda one, other: tr("{one}, {other}", one=one, other=other), given or [""])


def sentence(text: str) -> str:
    """`text` with a full stop unless it ends with a mark of its own."""
    stripped = text.strip()
    if stripped.endswith((".", "?", "!", "…", *_WIDE)):
        return stripped
    # A sentence that has no translation ends as its own language does.
    return stripped + ("." if stripped[-1:].isascii() else _STOP)


def first_sentence(text: str) -> str:
    """The first sentence of several."""
    return sentence(_NEXT_SENTENCE.split(text, maxsplit=1)[0])


def value(given: Scalar) -> str:
    """A claimed or observed value, as Python writes it but for the quotes."""
    return repr(given) if isinstance(given, float) else str(given)


def by_place(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; each by path, line and column."""
    return sorted(findings, key=lambda f: (ORDER.index(f.severity), f.path, f.line, f.column, f.id))


def worst_first(scripts: Iterable[ScriptReport]) -> list[ScriptReport]:
    """Failed scripts, then those that could not be checked, then the rest; else as given."""
    return sorted(scripts, key=lambda script: _WORST_FIRST[script.verdict])


def severities(findings: Iterable[Finding]) -> Counter[str]:
    """How many findings there are of each severity."""
    return Counter(finding.severity for finding in findings)


def row_cells(row: Row, evidence: Evidence | None = None) -> tuple[str, ...]:
    """What was run, without link and contributor; cells left open are empty, but for MaxBatch."""
    largest = tr("MaxBatch open") if row.max_batch == OPEN else batch(row.max_batch, evidence)
    cells = (row.tag, row.model, row.task, row.resource, largest, row.train, row.infer)
    return tuple("" if cell == OPEN else cell for cell in cells)


def batch(shown: str, evidence: Evidence | None) -> str:
    """The MaxBatch of a row as it is `shown`, and whether the run proves that it is the largest."""
    state = evidence.max_batch if evidence and evidence.verdict != "inconsistent" else None
    if state == "confirmed":
        return tr("{batch} (confirmed as the largest)", batch=shown)
    return tr("{batch} (not confirmed as the largest)", batch=shown) if state == "fits" else shown


def claims(evidence: Evidence | None, *verdicts: str) -> list[Claim]:
    """The claims that are one of these, in the order of the verdicts."""
    every = evidence.claims if evidence else ()
    return [claim for verdict in verdicts for claim in every if claim.verdict == verdict]


def not_consistent(evidence: Evidence | None) -> list[Claim]:
    """Claims that the run contradicts, then those it leaves open."""
    return claims(evidence, "inconsistent", "inconclusive")


def left_open(against: int, open_: int) -> str:
    """`1 claim contradicted, 2 left open`."""
    if not against:
        return tr("{claims} left open", claims=counted(open_, CLAIM))
    text = tr("{claims} contradicted", claims=counted(against, CLAIM))
    return tr("{said}, {open} left open", said=text, open=f"{open_:,}") if open_ else text


def contradiction(claim: Claim) -> str:
    """`max batch claimed 180, observed 176`; a value that is not there is not mentioned."""
    if claim.claim == ClaimName.USED_ONCE:
        return tr("its run is linked for {places} too", places=value(claim.observed))
    parts = []
    if claim.claimed is not None:
        parts.append(tr("claimed {value}", value=value(claim.claimed)))
    if claim.observed is not None:
        parts.append(tr("observed {value}", value=value(claim.observed)))
    name = word(claim.claim)
    return tr("{matter} {said}", matter=name, said=phrases(parts)) if parts else name


def run_summary(evidence: Evidence) -> str:
    """What the run says, in one line, without a full stop."""
    if evidence.verdict == "inconsistent":
        text = tr("contradicts the script")
        if against := claims(evidence, "inconsistent"):
            text = tr("contradicts: {what}", what=contradiction(against[0]))
        return text + _and_more(len(against) - 1)
    if evidence.verdict == "inconclusive":
        text = tr("inconclusive")
        if open_ := claims(evidence, "inconclusive"):
            text = tr("inconclusive: {why}", why=clause(open_[0].reason))
        return text + _and_more(len(open_) - 1)
    figures = phrases(measured(evidence))
    return tr("consistent: {figures}", figures=figures) if figures else tr("consistent")


def _and_more(number: int) -> str:
    return tr(" (and {count} more)", count=number) if number > 0 else ""


def clause(text: str) -> str:
    """`text` without the full stop at its end."""
    return text.strip().rstrip(f".{_STOP}")


def not_checked(item: Unchecked) -> str:
    """What could not be checked, and why."""
    return tr("{what}: {why}", what=word(item.check), why=sentence(item.reason))


def counted_launch(counts: CountedLaunch) -> str:
    """Which of several launches counts, on which conditions, and why."""
    place = {"number": counts.launch, "reason": counts.reason}
    if not counts.conditions:
        return tr("launch {number} counts: {reason}", **place)
    conditions = listed(counts.conditions)
    return tr("launch {number} counts, if {conditions}: {reason}", conditions=conditions, **place)


def origin(source: str) -> str:
    """Where an observation comes from, such as `run config: KEY, requirements.txt`."""
    if current() == "en":
        return source
    if source in SOURCES:
        return word(source)
    return tr("; ").join(listed(map(_source_part, group)) for group in source_groups(source))


def _source_part(part: SourcePart) -> str:
    if part.name is None or not part.detail:
        return word(part.name or part.detail)
    return tr("{what}: {why}", what=word(part.name), why=part.detail)


def move(finding: Finding) -> str:
    """The command that gives a script the path that it should have."""
    paths = (finding.path, finding.rename or finding.path)
    old, new = (f"./{path}" if path.startswith("-") else path for path in paths)  # no option
    made = dirname(new).strip(".") and dirname(old) != dirname(new)
    first = f"mkdir -p {shlex.quote(dirname(new))} && " if made else ""
    return f"{first}git mv {shlex.quote(old)} {shlex.quote(new)}"


def backing(evidence: Evidence) -> str:
    """Each source of the run with the number of claims that it backs; empty without any."""
    return listed(
        f"{word(each.name)} ({each.consistent})" for each in evidence.sources if each.consistent
    )


def measured(evidence: Evidence) -> list[str]:
    """The figures of the run: settings that agree, peak memory, steps."""
    parts = []
    if evidence.settings_compared:
        parts.append(
            tr(
                "{some} of {all} settings",
                some=evidence.settings_consistent,
                all=evidence.settings_compared,
            )
        )
    if evidence.peak_gib is not None:
        peak = f"{evidence.peak_gib:.1f}"
        if evidence.device_gib is None:
            parts.append(tr("peak {peak} GiB", peak=peak))
        else:
            device = f"{evidence.device_gib:.1f}"
            parts.append(tr("peak {peak} of {device} GiB", peak=peak, device=device))
    if evidence.steps is not None:
        parts.append(counted(evidence.steps, STEP))
    agree = [s for s in evidence.sources if s.consistent and not s.inconsistent]
    if evidence.verdict == "inconsistent":
        return parts  # What contradicts is no evidence for anything.
    if evidence.strength == "weak":
        parts.append(tr("weak evidence"))
    elif evidence.strength is not None:
        parts.append(tr_plural("{count} source agrees", "{count} sources agree", len(agree)))
    return parts


def unchecked(report: Report) -> list[tuple[ScriptReport | None, Unchecked]]:
    """Everything that could not be checked; the report's own entries first, without a script."""
    own: list[tuple[ScriptReport | None, Unchecked]] = [(None, item) for item in report.unchecked]
    own += [(None, item) for page in report.pages for item in page.unchecked]
    own += [(None, item) for item in broken.not_checked(report)]
    return own + [(script, item) for script in report.scripts for item in script.unchecked]


def verdict(report: Report) -> str:
    """The verdict on a change in words, as the comment's first line has it."""
    if report.verdict == "fail":
        others = [*_failed_pages(report), *broken.failure(report)]
        others += map(clause, problems_of_config(report))
        alone = others and not any(script.verdict == "fail" for script in report.scripts)
        what = phrases(others if alone else [_failed(report), *others])
        return tr("Not ready: {what}.", what=what)
    if (change := report.configuration_change) and not report.scripts and not report.pages:
        return tr("Compared: {what}.", what=broken.headline(change))
    if report.verdict == "inconclusive":
        return tr("Could not be checked: {what}", what=_open_reasons(report))
    return _passed(report)


def _failed_pages(report: Report) -> list[str]:
    """Each page that contradicts its scripts, in words."""
    return [
        tr(
            "{errors} in {page}",
            errors=counted(severities(page.findings)["error"], SEVERITY["error"]),
            page=page.path,
        )
        for page in report.pages
        if page.verdict == "fail"
    ]


def _failed(report: Report) -> str:
    total = len(report.scripts) + len(unread(report))
    against = sum(_says(script, "inconsistent") for script in report.scripts)
    wrong = [severities(script.findings)["error"] for script in report.scripts]
    errors, having = sum(wrong), sum(1 for count in wrong if count)
    if total == 1:
        has = tr("has {errors}", errors=counted(errors, SEVERITY["error"])) if errors else ""
        outcome = join((tr("contradicts its run") if against else "", has))
        return tr("1 script {said}", said=outcome or tr("failed"))
    parts = []
    if against:
        parts.append(
            tr_plural(
                "{count} of {total} scripts contradicts its run",
                "{count} of {total} scripts contradict their runs",
                against,
                total=total,
            )
        )
    if errors:
        where = counted(having, SCRIPT) if against else _some(having, total)
        parts.append(
            tr("{errors} in {where}", errors=counted(errors, SEVERITY["error"]), where=where)
        )
    parts += headlines(report)
    failed = sum(script.verdict == "fail" for script in report.scripts)
    return phrases(parts) if parts else tr("{which} failed", which=_some(failed, total))


def _some(some: int, total: int) -> str:
    return tr("{some} of {total} scripts", some=some, total=total)


def _open_reasons(report: Report) -> str:
    open_ = {item.reason: item.check for _, item in unchecked(report)}
    for script in report.scripts:
        for claim in claims(script.evidence, "inconclusive"):
            open_.setdefault(claim.reason, claim.claim)
    reasons = list(open_)
    left = len(unread(report))
    total = len(report.scripts) + left
    count = sum(script.verdict != "pass" for script in report.scripts) + left or total
    if not report.scripts:
        return sentence(listed(page.path for page in report.pages) or tr("nothing was named"))
    which = counted(total, SCRIPT) if count == total else _some(count, total)
    if len(reasons) == 1:
        # The rest of the reason says what would help; it stands below.
        why = first_sentence(reasons[0])
        if len(why) > _HEADLINE:
            return tr("{what} of {which}.", what=word(open_[reasons[0]]), which=which)
        return why if total == 1 else tr("{which}. {why}", which=which, why=why)
    if not reasons:
        return sentence(which)
    return tr("{which}, for {reasons}.", which=which, reasons=counted(len(reasons), REASON))


def _passed(report: Report) -> str:
    total = len(report.scripts)
    if not total:
        rows = counted(sum(page.rows for page in report.pages), ROW)
        pages = join(page.path for page in report.pages)
        if report.change:
            return tr("No new errors in {rows} of {pages}.", rows=rows, pages=pages)
        return tr("No errors in {rows} of {pages}.", rows=rows, pages=pages)
    agreeing = sum(_says(script, "consistent") for script in report.scripts)
    if not agreeing:
        scripts = counted(total, SCRIPT)
        return tr("No errors in {scripts}; no run was compared.", scripts=scripts)
    if agreeing == total:
        return tr_plural(
            "Ready: {count} script agrees with its run.",
            "Ready: {count} scripts agree with their runs.",
            total,
        )
    return tr_plural(
        "No errors in {total} scripts; {count} agrees with its run, for the rest no run was "
        "compared.",
        "No errors in {total} scripts; {count} agree with their runs, for the rest no run was "
        "compared.",
        agreeing,
        total=total,
    )


def summary(report: Report, *, hidden: str = "") -> str:
    """The last line of a list of findings: what was found in how many scripts.

    `hidden` says in brackets how the notes can be seen, where they are not shown.
    """
    if not (report.scripts or report.pages or report.configuration_change):
        return tr("No scripts were checked.")
    count = severities(all_findings(report))
    levels = listed(counted(count[each], SEVERITY[each]) for each in ORDER if count[each])
    parts = [levels + (hidden if count["note"] else "") if levels else tr("nothing found")]
    left = Counter(c.verdict for s in report.scripts for c in not_consistent(s.evidence))
    for state in ("inconsistent", "inconclusive"):
        parts += [counted(left[state], CLAIMS_LEFT[state])] if left[state] else []
    open_ = len(unchecked(report))
    parts += [tr("{count} not checked", count=f"{open_:,}")] if open_ else []
    suppressed = sum(len(script.suppressed) for script in report.scripts)
    parts += [tr("{count} suppressed", count=f"{suppressed:,}")] if suppressed else []
    checked = [counted(len(report.scripts), SCRIPT)] if report.scripts else []
    checked += [counted(len(report.pages), PAGE)] if report.pages else []
    what = tr("; ").join([*parts, *broken.headlines(report)])
    return tr("{scripts}: {what}.", scripts=join(checked), what=what) if checked else sentence(what)


def all_findings(report: Report) -> list[Finding]:
    """The findings of every script, of every page, and what a new configuration breaks."""
    own = [finding for script in report.scripts for finding in script.findings]
    own += [finding for page in report.pages for finding in page.findings]
    return own + broken.new_findings(report)


def _says(script: ScriptReport, what: str) -> bool:
    return script.evidence is not None and script.evidence.verdict == what
