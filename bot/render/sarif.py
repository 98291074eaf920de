"""The report as SARIF 2.1.0, the OASIS standard that code scanning services take.

Places keep their lines and columns: SARIF counts as the report does, from 1 with an exclusive end,
once `columnKind` says that columns are code points. What could not be checked becomes a
notification of the invocation, a suppressed finding a suppressed result, and a claim that the run
contradicts a result of the pseudo-rule `run-contradiction`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias
from urllib.parse import quote

from bot.base.regex import regex
from bot.registry.docs import RuleText
from bot.render import wording
from bot.render.broken import new_findings
from bot.render.escape import visible
from bot.render.json_report import to_json
from bot.render.line_hash import line_hashes
from bot.render.places import way_out
from bot.render.speech import speaking, tr, word
from bot.report import (
    Claim,
    Edit,
    Finding,
    Fix,
    PageReport,
    Report,
    ScriptReport,
    Suppressed,
    Unchecked,
    exit_status,
)

SarifObject: TypeAlias = dict[str, Any]
CheckedFile: TypeAlias = ScriptReport | PageReport

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
CONTRADICTION = "run-contradiction"
_ROOT = "SRCROOT"
_INFORMATION = "https://github.com/rlbot-tuning/rlbot"
_PRECISION = {"certain": "very-high", "high": "high", "medium": "medium"}
_RULE_ID = regex(r"RLB\d{3}\b")
_SEMANTIC = regex(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\Z")


def sarif(
    report: Report,
    *,
    rules: Sequence[RuleText],
    sources: Mapping[str, str] | None = None,
    prefix: str = "",
) -> str:
    """The report as a SARIF log with a line end.

    `rules` are those that could be asked; `sources` maps a script's path to its text, for the
    fingerprints by which code scanning follows a result from commit to commit; `prefix` is the
    folder, relative to the repository's root, that relative paths start from.
    """
    with speaking(report.language):
        log = _SarifLog(report, rules, sources or {}, prefix)
        return to_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [log.run()]})


class _SarifLog:
    """One run of the tool."""

    def __init__(
        self,
        report: Report,
        rules: Sequence[RuleText],
        sources: Mapping[str, str],
        prefix: str,
    ) -> None:
        self._report = report
        self._sources = sources
        self._prefix = prefix
        contradicted = any(map(_contradicted, report.scripts))
        self._rules = [_rule(rule) for rule in rules]
        self._rules += [_contradiction_rule()] if contradicted else []
        self._index = {rule["id"]: at for at, rule in enumerate(self._rules)}
        self._files: list[CheckedFile] = [*report.scripts, *report.pages]
        self._artifacts = {file.path: at for at, file in enumerate(self._files)}

    def run(self) -> SarifObject:
        tool = self._report.tool
        driver: SarifObject = {
            "name": tool.name,
            "version": tool.version,
            "informationUri": _INFORMATION,
            "rules": self._rules,
        }
        if _SEMANTIC.match(tool.version):
            driver["semanticVersion"] = tool.version
        run: SarifObject = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {
                _ROOT: {"description": {"text": tr("The root of the repository.")}}
            },
            "automationDetails": {"id": f"{tool.name}/"},
            "invocations": [self._invocation()],
            "artifacts": [self._artifact(file) for file in self._files],
            "results": [
                *(result for file in self._files for result in self._results_of(file)),
                *self._finding_results(new_findings(self._report)),
            ],
        }
        if self._report.change is not None:
            run["properties"] = {
                "base": self._report.change.base,
                "head": self._report.change.head,
            }
        return run

    def _invocation(self) -> SarifObject:
        open_ = wording.unchecked(self._report)
        return {
            "executionSuccessful": True,
            "exitCode": exit_status(self._report),
            "toolExecutionNotifications": [self._notification(s, item) for s, item in open_],
        }

    def _notification(self, script: CheckedFile | None, item: Unchecked) -> SarifObject:
        text = tr(
            "Not checked: {check}: {reason}",
            check=word(item.check),
            reason=wording.sentence(item.reason),
        )
        note: SarifObject = {"level": "warning", "message": {"text": visible(text, keep="\n\t")}}
        rule = _RULE_ID.match(item.check)
        if rule and rule[0] in self._index:
            note["associatedRule"] = {"id": rule[0], "index": self._index[rule[0]]}
        if script is not None:
            note["locations"] = [{"physicalLocation": self._place(script.path)}]
        return note

    def _artifact(self, file: CheckedFile) -> SarifObject:
        script = isinstance(file, ScriptReport)
        artifact: SarifObject = {
            "location": self._uri(file.path),
            "mimeType": "text/x-shellscript" if script else "text/x-rst",
            "hashes": {"sha-256": file.sha256},
        }
        if isinstance(file, ScriptReport) and file.configurations:
            description = tr(
                "Read with {configuration}.", configuration=wording.listed(file.configurations)
            )
            artifact["description"] = {"text": visible(description)}
        return artifact

    def _results_of(self, file: CheckedFile) -> Iterator[SarifObject]:
        hidden = file.suppressed if isinstance(file, ScriptReport) else ()
        yield from self._finding_results([*file.findings, *(one.finding for one in hidden)], hidden)
        if isinstance(file, ScriptReport):
            for claim in _contradicted(file):
                yield self._claim(file, claim)

    def _finding_results(
        self, found: Sequence[Finding], hidden: Sequence[Suppressed] = ()
    ) -> Iterator[SarifObject]:
        counted: dict[str, int] = {}
        lines: dict[str, set[int]] = {}
        for finding in found:
            lines.setdefault(finding.path, set()).add(finding.line)
        hashes = {p: line_hashes(self._sources.get(p, ""), on) for p, on in lines.items()}
        reasons = {id(one.finding): one for one in hidden}
        for finding in found:
            result = self._result(finding)
            on = hashes[finding.path]
            result["partialFingerprints"] = self._fingerprints(finding, on, counted)
            suppressed = reasons.get(id(finding))
            if suppressed is not None:
                result["suppressions"] = [self._suppression(suppressed)]
            yield result

    def _result(self, finding: Finding) -> SarifObject:
        text = visible(finding.message, keep="\n\t") or finding.id
        if (way := way_out(finding)) is not None:
            text = f"{wording.sentence(text)}\n{visible(way, keep=chr(10))}"
        if finding.rename:
            text += "\n" + visible(wording.move(finding))
        where = self._place(finding.path, _region(finding))
        result: SarifObject = {
            "ruleId": finding.id,
            "level": finding.severity,
            "message": {"text": text},
            "locations": [{"physicalLocation": where}],
        }
        if finding.id in self._index:
            result["ruleIndex"] = self._index[finding.id]
        if finding.fix:
            result["fixes"] = [self._fix(finding.path, finding.fix)]
        return result

    def _fix(self, path: str, fix: Fix) -> SarifObject:
        replacements = [
            {
                "deletedRegion": _region(edit),
                "insertedContent": {"text": edit.text},
            }
            for edit in fix.edits
        ]
        return {
            "description": {"text": visible(fix.title)},
            "artifactChanges": [
                {"artifactLocation": self._location(path), "replacements": replacements}
            ],
            "properties": {"safe": fix.safe},
        }

    def _fingerprints(
        self, finding: Finding, hashes: Mapping[int, str], counted: dict[str, int]
    ) -> SarifObject:
        """What stays the same when the lines above change: never a line's number."""
        lines = self._sources.get(finding.path, "").split("\n")
        line = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        parts = (finding.id, finding.path, line, finding.message)
        text = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        counted[text] = counted.get(text, 0) + 1
        prints: SarifObject = {"rlbotFinding/v1": f"{text}:{counted[text]}"}
        if finding.line in hashes:
            prints["primaryLocationLineHash"] = hashes[finding.line]
        return prints

    def _suppression(self, suppressed: Suppressed) -> SarifObject:
        where = self._place(suppressed.finding.path, {"startLine": suppressed.line})
        return {
            "kind": "inSource",
            "status": "accepted",
            "justification": visible(suppressed.reason),
            "location": {"physicalLocation": where},
        }

    def _claim(self, script: ScriptReport, claim: Claim) -> SarifObject:
        line = script.launches[0].line if script.launches else 1
        why = wording.sentence(claim.reason)
        text = tr("{what}: {why}", what=wording.contradiction(claim), why=why)
        prints = sha256(f"{script.path}\0{claim.claim}".encode("utf-8", "surrogatepass"))
        fingerprints = {"rlbotFinding/v1": f"{prints.hexdigest()[:32]}:1"}
        where = self._place(script.path, {"startLine": line})
        return {
            "ruleId": CONTRADICTION,
            "ruleIndex": self._index[CONTRADICTION],
            "level": "error",
            "message": {"text": visible(text, keep="\n\t")},
            "locations": [{"physicalLocation": where}],
            "partialFingerprints": fingerprints,
        }

    def _place(self, path: str, region: SarifObject | None = None) -> SarifObject:
        """A file, and what of it; the whole without a region."""
        where = {"artifactLocation": self._location(path)}
        return where if region is None else {**where, "region": region}

    def _location(self, path: str) -> SarifObject:
        location = self._uri(path)
        if path in self._artifacts:
            location["index"] = self._artifacts[path]
        return location

    def _uri(self, path: str) -> SarifObject:
        """A path below the root stays relative to it; any other is an address of its own."""
        whole = repository_path(self._prefix, path)
        try:
            data = whole.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a surrogate that no file system made
            data = whole.encode("utf-8", "surrogatepass")
        address = quote(data, safe="/")
        if whole.startswith("/"):
            return {"uri": f"file://{address}"}
        return {"uri": address, "uriBaseId": _ROOT}


def _region(stretch: Finding | Edit) -> SarifObject:
    return {
        "startLine": stretch.line,
        "startColumn": stretch.column,
        "endLine": stretch.end_line,
        "endColumn": stretch.end_column,
    }


def repository_path(prefix: str, path: str) -> str:
    """A path as the repository's root sees it; an absolute one stays as it is.

    `prefix` is the folder, below the root, that relative paths start from.
    """
    if path.startswith("/"):
        return path
    parts = [part for part in prefix.split("/") if part]
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _contradicted(script: ScriptReport) -> list[Claim]:
    return wording.claims(script.evidence, "inconsistent")


def _rule(rule: RuleText) -> SarifObject:
    name = "".join(part.capitalize() for part in rule.slug.split("-"))
    return {
        "id": rule.id,
        "name": name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.description},
        "help": {"text": rule.help, "markdown": rule.markdown},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "precision": _PRECISION[rule.confidence],
            "problem.severity": "recommendation" if rule.severity == "note" else rule.severity,
            "tags": [rule.slug],
        },
    }


def _contradiction_rule() -> SarifObject:
    says = tr("The script claims what its run does not have.")
    return {
        "id": CONTRADICTION,
        "name": "RunContradiction",
        "shortDescription": {"text": says},
        "fullDescription": {"text": says},
        "help": {"text": tr("Correct the script, or link the run that it was made from.")},
        "helpUri": _INFORMATION,
        "defaultConfiguration": {"level": "error"},
        "properties": {"precision": "high", "problem.severity": "error", "tags": ["evidence"]},
    }
