"""Runs a rule over a script's text, through the real reader and the real frameworks."""

from __future__ import annotations

from bot.check.read import read_script
from bot.check.request import CheckOptions, ScriptFile
from bot.report import Finding, Unchecked
from bot.rules._support.base import RuleContext
from bot.rules._support.registry import check_context

PATH = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"


def context(script: str | bytes, path: str = PATH) -> RuleContext:
    """A script as rules see it, which stands in no repository."""
    data = script.encode() if isinstance(script, str) else script
    return read_script(ScriptFile(path=path, data=data), CheckOptions())


def check(
    slug: str, script: str | bytes, path: str = PATH
) -> tuple[tuple[Finding, ...], tuple[Unchecked, ...]]:
    """What one rule finds, and what it could not check."""
    return check_context(context(script, path), select=[slug])


def found(slug: str, script: str | bytes, path: str = PATH) -> tuple[Finding, ...]:
    """What one rule finds."""
    findings, unchecked = check(slug, script, path)
    assert not any("failed" in one.reason for one in unchecked), unchecked
    return findings


def quiet(slug: str, script: str | bytes, path: str = PATH) -> bool:
    """Whether the rule finds nothing."""
    return not found(slug, script, path)


def marked(slug: str, script: str | bytes, path: str = PATH) -> str:
    """What the rule says and where: each finding under its line, with the stretch marked."""
    source = context(script, path).source
    findings, unchecked = check(slug, script, path)
    blocks: list[str] = []
    for finding in findings:
        one_line = finding.line == finding.end_line
        width = finding.end_column - finding.column if one_line else 1
        mark = " " * (finding.column - 1) + "^" * max(1, width) + ("" if one_line else "…")
        block = [
            f"{finding.line}:{finding.column} {finding.severity} {finding.id} {finding.message}",
            f"  | {source.line(finding.line)}",
            f"  | {mark}",
        ]
        if finding.help:
            block.append(f"  help: {finding.help}")
        if finding.fix:
            safe = "safe" if finding.fix.safe else "to be judged"
            block.append(f"  fix ({safe}): {finding.fix.title}")
        blocks.append("\n".join(block))
    assert findings or unchecked, "the rule says nothing"
    blocks += [f"unchecked: {one.check}: {one.reason}" for one in unchecked]
    return "\n".join(blocks)


def fixed(slug: str, script: str, path: str = PATH) -> str:
    """The script with the fixes of the rule's findings applied."""
    edits = [
        edit for finding in found(slug, script, path) if finding.fix for edit in finding.fix.edits
    ]
    starts = [0]
    for line in script.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        start = starts[edit.line - 1] + edit.column - 1
        end = starts[edit.end_line - 1] + edit.end_column - 1
        script = script[:start] + edit.text + script[end:]
    return script
