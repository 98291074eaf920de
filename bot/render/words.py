"""Words that reports hold as values, for programs; renderers show them in the reader's language."""

from __future__ import annotations

from typing import Final, get_args

from bot.base.messages import mark_plural
from bot.report.base import ClaimVerdict, Severity
from bot.report.claims import ClaimName, SourceName

VERDICTS: Final = (*get_args(Severity), *get_args(ClaimVerdict))

MEMORY: Final = (
    "weights",
    "gradients",
    "optimizer's temporaries",
    "activations",
    "images",
    "gathered weights",
    "whole gradients",
    "retained embeddings",
    "reduction buffer",
    "copies of the head",
    "logits",
    "DoRA's product",
    "experts with factors",
    "allocator",
    "contexts",
    "engine weights",
    "engine cache",
    "engine activations",
    "sleeping engine",
    "other engines",
    "actor, idle",
    "critic, idle",
    "reference, idle",
    "reward, idle",
    "loading",
    "rollout",
    "scoring",
    "weight sync",
    "log-prob",
    "reward",
    "critic",
    "update",
    "optimizer",
    "evaluation",
    "impossible",
    "likely OOM",
    "tight",
    "fits",
)
"""Stages and components of an estimate, and what it comes to."""

CHECKS: Final = (
    "evidence",
    "page",
    "row",
    "script",
)
"""Checks that were not made."""

CLAIMS: Final = tuple(name.value for name in ClaimName)
"""What a script or a row claims."""

SOURCES: Final = (
    *(name.value for name in SourceName),
    # Of the parts that strength counts, and of two that are read together.
    "configuration",
    "metrics",
    "host",
    "printed configuration, host metadata",
    "run config, host metadata",
    "system stream, history",
    "page, scripts",
)
"""Where an observation comes from."""

WORDS: Final = (*VERDICTS, *MEMORY, *CHECKS, *CLAIMS, *SOURCES)

SCRIPT: Final = mark_plural("{count} script", "{count} scripts")
PAGE: Final = mark_plural("{count} page", "{count} pages")
ROW: Final = mark_plural("{count} row", "{count} rows")
STEP: Final = mark_plural("{count} step", "{count} steps")
CLAIM: Final = mark_plural("{count} claim", "{count} claims")
CLAIM_IS: Final = mark_plural("{count} claim is", "{count} claims are")
FINDING: Final = mark_plural("{count} finding", "{count} findings")
SETTING: Final = mark_plural("{count} setting", "{count} settings")
REASON: Final = mark_plural("{count} reason", "{count} reasons")
SEVERITY: Final = {
    "error": mark_plural("{count} error", "{count} errors"),
    "warning": mark_plural("{count} warning", "{count} warnings"),
    "note": mark_plural("{count} note", "{count} notes"),
}
CLAIMS_LEFT: Final = {
    "inconsistent": mark_plural("{count} inconsistent claim", "{count} inconsistent claims"),
    "inconclusive": mark_plural("{count} inconclusive claim", "{count} inconclusive claims"),
}
