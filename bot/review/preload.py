"""Warms up the process that reading processes fork from (`bot.base.isolated.prepare`).

Reading an example imports what a reading imports late, and loads what it looks up: the rules, the
releases of verl, the shapes of models.
"""

from contextlib import suppress

import bot.review.reading  # noqa: F401
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.rules._support.example import verl

_PATH = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"

# What fails here, as for a library that is missing, fails again where somebody is told.
with suppress(Exception):
    check_script(ScriptFile(path=_PATH, data=verl().encode()), CheckOptions(evidence="optional"))
