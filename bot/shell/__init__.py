"""Reads a shell script as bash would, without running it."""

from bot.shell.limits import ShellLimits
from bot.shell.reader import Invocation, read, readings
from bot.shell.world.tree import Files

__all__ = ["Files", "Invocation", "ShellLimits", "read", "readings"]
