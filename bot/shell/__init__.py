"""Reads a shell script as bash would, without running it."""

from bot.shell.limits import Limits
from bot.shell.reader import read
from bot.shell.tree import Files

__all__ = ["Files", "Limits", "read"]
