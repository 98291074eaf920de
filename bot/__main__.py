"""`python -m bot` is `rlbot`."""

from bot.commands.cli import script

script()
