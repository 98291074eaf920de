"""`python -m bot` is `rlbot`."""

from bot.cli import script

script()
