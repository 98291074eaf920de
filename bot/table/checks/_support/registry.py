"""The checks of the documentation page, one in each module of `bot.table.checks`."""

from __future__ import annotations

import bot.table.checks
from bot.base.messages import mark
from bot.registry.registry import Registry
from bot.table.checks._support.base import PageContext

_FAULT = mark(
    "check {id} failed: {kind}. This is a fault of rlbot, not of the page; please report it with "
    "the page."
)
_INDEX = mark(
    """\
# Checks of the page

`rlbot table check PAGE` compares every row of the tuning page with its script, and every script
with its row. An **error** is a contradiction between the two, or a row that cannot be followed; a
**warning** is probably not meant; a **note** is advice. What cannot be known without asking anyone
is reported as not checked. `--select`, `--ignore` and `rules:` in `.rlbot.yml` take ids and slugs.

| Id | Check | Severity | Finds |
| --- | --- | --- | --- |
{rows}
"""
)

CHECKS: Registry[PageContext] = Registry(
    package=bot.table.checks, folder="table", fault=_FAULT, index=_INDEX
)
