"""YAML by libyaml where it and PyYAML's own parser cannot differ: a tenth of the time.

Hydra reads its files by PyYAML's own parser. The two agree on files of plain lines, which nearly
all configurations are: one key, one item or one comment a line, values of one line, no anchors,
tags, block texts or rare escapes. Any other file, and any that is refused, is PyYAML's.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Protocol

import yaml

from bot.base.regex import regex

_REMARK = r"\#[^\x00-\x08\n-\x1f\x7f]*+"
_SAFE = r"[!-\"$-9;-~]"
_FIRST = r"(?:[A-Za-z0-9_./~$+=<(]|-(?=[A-Za-z0-9_.])|\?(?=\?))"
_WORD = rf"(?:{_SAFE}|:(?=[!-~]))(?:{_SAFE}|[:\#](?=[!-~]))*"
_WORDS = rf"{_FIRST}(?:{_SAFE}|[:\#](?=[!-~]))*(?:[ ]++{_WORD})*"
_INSIDE = r"[ !#-\[\]-~]*+"
_QUOTED = rf"(?:'[ -&(-~]*+'|\"{_INSIDE}(?:\\[\\\"nt]{_INSIDE})*\")"
_ITEM = rf"(?:{_QUOTED}|-?[A-Za-z0-9_./][A-Za-z0-9_./-]*+)"
_FLOW = rf"(?:\[[ ]*+\]|\{{[ ]*+\}}|\[[ ]?+{_ITEM}(?:,[ ]?+{_ITEM})*[ ]?+\])"
_VALUE = rf"(?:{_FLOW}|{_QUOTED}|{_WORDS})"
_KEY = r"(?:[A-Za-z_./][A-Za-z0-9_./@-]{0,200}+|'[A-Za-z0-9_]{1,200}+')"
_CONTENT = rf"(?:-[ ])?(?:{_KEY}:(?:[ ]++{_VALUE})?|{_VALUE})(?:[ ]++{_REMARK}|[ ]*+)"
# At most 64 blanks before a line, so that nothing nests deeper than libyaml's recursion bears.
_LINE = rf"[ ]{{0,64}}+(?:{_REMARK}|{_CONTENT})?"
_PLAIN = regex(_LINE)
_ODD = regex(r"[\x80-\x9f\u2028-\u202f\ud800-\udfff\ufeff-\U0010ffff]")
"""Rare characters beyond ASCII, apart since it takes long to compile: the others are in remarks."""
_FLOAT, _DATE = "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"
_EXPONENT = r"\A[-+]?[0-9]++(?:_[0-9]++)*(?:\.[0-9_]*+)?[eE][-+]?[0-9]++\Z"
"""Numbers to OmegaConf that are texts to PyYAML: `1e-5`, `1.5e3`. Dates are texts to it."""
_MOST = 1 << 18
"""Characters: libyaml makes the whole tree before anybody can count its values."""


class YamlParser(Protocol):
    """What is asked of either parser."""

    def get_single_node(self) -> yaml.Node | None:
        """The tree of the one document; None of none."""
        ...

    def construct_document(self, node: yaml.Node) -> Any:
        """The data of a tree."""
        ...


def quick_loader(text: str) -> YamlParser | None:
    """A loader on libyaml with OmegaConf's scalars; None for what only PyYAML may read."""
    text = text.replace("\r\n", "\n")  # The end of a line to either.
    made = _quick_class() if len(text) <= _MOST else None
    if made is None or not all(map(_PLAIN.fullmatch, text.split("\n"))):
        return None
    if not text.isascii() and _ODD.search(text):
        return None
    loader: YamlParser = made(text)
    return loader


@cache
def omegaconf_class() -> Any:
    """OmegaConf's own loader, which it makes anew at each call."""
    from omegaconf._utils import get_yaml_loader

    return get_yaml_loader()


@cache
def _quick_class() -> Any:
    if not yaml.__with_libyaml__:
        return None
    from yaml.constructor import SafeConstructor
    from yaml.cyaml import CParser  # type: ignore[attr-defined]
    from yaml.resolver import Resolver

    class Quick(CParser, SafeConstructor, Resolver):
        """As `omegaconf_class`, whose import takes longer than what is read here."""

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            SafeConstructor.__init__(self)
            Resolver.__init__(self)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
            """Refuses a key that stands there twice."""
            made = super().construct_mapping(node, deep=deep)
            if len(made) < len(node.value):
                raise yaml.YAMLError
            return made

    Quick.add_implicit_resolver(_FLOAT, re.compile(_EXPONENT), list("-+0123456789"))
    Quick.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag != _DATE]
        for first, known in Quick.yaml_implicit_resolvers.items()
    }
    return Quick
