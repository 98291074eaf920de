from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, verl
from tests.rules.helpers import marked, quiet

SLUG = "no-wandb-logger"


@pytest.mark.parametrize(
    "script",
    [
        verl('trainer.logger=\'["console","wandb"]\''),
        verl("trainer.logger=wandb"),
        verl("trainer.logger=['console','wandb']"),
        verl("trainer.logger=$LOGGER"),
        lines("trainer.nnodes=1"),  # console and wandb are verl's defaults
        verl("trainer.logger=console") + verl("trainer.logger=wandb"),
        "echo\n",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl("trainer.logger=console"),
        verl('trainer.logger=\'["console","tensorboard","file"]\''),
        verl("trainer.logger=$logger", before="logger=['console']"),
    ],
)
def test_names_the_loggers(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot
