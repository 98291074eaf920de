from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import lines, verl
from tests.rules.helpers import found, marked, quiet

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


@pytest.mark.parametrize(
    ("settings", "release", "switch"),
    [
        ("--use_tensorboard logs", "0.9.0", "--use_wandb"),  # yfzhang114/r1_reward
        ("--logger.tensorboard_dir logs", "0.11.2", "--logger.wandb.key"),
        ("", "0.9.0", "--use_wandb"),
    ],
)
def test_openrlhf_has_a_switch_for_each_logger(settings: str, release: str, switch: str) -> None:
    launch = f"# openrlhf: {release}\ndeepspeed --module openrlhf.cli.train_sft {settings}\n"
    (one,) = found(SLUG, launch)
    assert (one.help or "").startswith(f"write {switch}: ")
