"""The commands of `rlbot`, one file each: `add` declares the arguments, `run` carries it out.

A command imports what it needs inside `run`, so that `rlbot --version` stays quick.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Late(ModuleType):
    """A module that is loaded when something of it is first used, not when it is imported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # The import system asks for these.
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        vars(self).update(vars(import_module(self.__name__)))
        return vars(self)[name]


# The standard library's own modules import the first three (and so eight others) for what a plain
# check does without, ours the fourth for the sources of a repository, the fifth for names that are
# not known, and the last for commands that are shown.
for _name in ("inspect", "ipaddress", "copy", "ast", "difflib", "shlex"):
    sys.modules.setdefault(_name, _Late(_name))
