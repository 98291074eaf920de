"""The translations: `make translations` brings `bot/locale` up to date with the code.

It reads the English texts out of the code and of what rules and checks say about themselves, adds
the new ones to each `.po` without a guess and takes the unused ones out, compiles the `.mo`, and
lists what has no translation yet. It exits with 1 where a translation names other values than its
English text; with `--complete`, which a release asks for, also where one is missing.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any, BinaryIO

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from bot.commands.cli import parser
from bot.registry.base import PROSE, Rule
from bot.render.words import WORDS
from bot.rules._support.registry import RULES
from bot.table.checks._support.registry import CHECKS

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "bot" / "locale"

KEYWORDS = {
    "ComposeError": None,
    "EvidenceError": None,
    "FileChangedError": None,
    "GitHubError": None,
    "HydraRefusalError": None,
    "LimitedError": None,
    "MovedError": None,
    "NotAllowedError": None,
    "NoEstimateError": None,
    "NotFoundError": None,
    "NotReadError": None,
    "_ConfigError": None,
    "PageError": None,
    "RefusedError": None,
    "TooMuchError": None,
    "UncheckedError": None,
    "UnreachableError": None,
    "UserError": None,
    "UnwrittenError": None,
    "WhichRunError": None,
    "consistent": None,
    "hit": (2,),
    "inconclusive": None,
    "inconsistent": None,
    "mark": None,
    "mark_plural": (1, 2),
    "message": None,
    "needed": (2,),
    "note": None,
    "note_plural": (1, 2),
    "notice": None,
    "plural_message": (1, 2),
    "pmessage": ((1, "c"), 2),
    "tr": None,
    "tr_plural": (1, 2),
    "write_message": None,
}
"""The functions of ours that take a text, and the places of its forms and its context."""


def template() -> Catalog:
    """Every text that can be translated, in the order of the code."""
    catalog = Catalog(fuzzy=False, charset="utf-8")
    for name, _, texts, _, context in extract_from_dir(
        ROOT / "bot",
        [("**.py", "tools.translations:calls")],
        keywords=KEYWORDS,
        directory_filter=_is_code,
    ):
        catalog.add(texts, context=context, locations=[(f"bot/{name}", 0)])
    for text in sorted(set(_help(parser()))):
        catalog.add(text, locations=[("bot/commands/cli.py", 0)])
    for word in WORDS:
        catalog.add(word, locations=[("bot/render/words.py", 0)])
    for one, path in _documented():
        for field in PROSE:
            text = getattr(one.meta, field)
            catalog.add(text, context=f"{one.slug} {field}", locations=[(path, 0)])
    for message in catalog:
        message.flags.discard("python-format")  # A percent sign in a sentence is none of ours.
    return catalog


def calls(
    file: BinaryIO,
    keywords: Collection[str],
    _tags: object,
    options: object,  # noqa: ARG001 - Babel names it
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """The calls of the keywords in a file, as Babel's extractors yield them.

    Babel's own extractor does not see the calls inside of f-strings.
    """
    found: list[tuple[int, str, tuple[str | None, ...], list[str]]] = []
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and (name := name_of(node.func)) in keywords:
            texts = tuple(
                each.value
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
                else None
                for each in node.args
            )
            found.append((node.lineno, name, texts, []))
    yield from sorted(found, key=lambda call: call[0])


def name_of(function: ast.expr) -> str:
    """What a function or method is called by; "" for what has no name."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _help(one: argparse.ArgumentParser) -> Iterator[str]:
    """What `--help` shows of a parser and of its commands' parsers."""
    yield from filter(None, (one.description, one.epilog))
    for action in one._actions:
        if action.help and action.help is not argparse.SUPPRESS:
            yield action.help
        if isinstance(action, argparse._SubParsersAction):
            yield from (each.help for each in action._choices_actions if each.help)
            for each in action.choices.values():
                yield from _help(each)


def _is_code(folder: str | Path) -> bool:
    return Path(folder).name != "__pycache__"


def _documented() -> Iterator[tuple[Rule[Any], str]]:
    for rule in RULES.rules:
        yield rule, f"bot/rules/{rule.slug.replace('-', '_')}.py"
    for check in CHECKS.rules:
        yield check, f"bot/table/checks/{check.slug.replace('-', '_')}.py"


def read(language: str) -> Catalog:
    """The translations as they stand in the `.po`."""
    with (LOCALE / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str) -> Catalog:
    """The texts of the code, each with the translation that the `.po` has for it."""
    known, catalog = read(language), template()
    catalog.locale, catalog.header_comment = known.locale, known.header_comment
    catalog.mime_headers = known.mime_headers
    for one in catalog:
        before = known.get(one.id, one.context) if one.id else None
        if before is not None and len(forms(before.id)) == len(forms(one.id)):
            one.string, one.user_comments = before.string, before.user_comments
            one.flags |= before.flags & {"fuzzy"}
    return catalog


def text(catalog: Catalog) -> bytes:
    """The `.po`."""
    file = BytesIO()
    write_po(file, catalog, width=100, sort_by_file=True, include_lineno=False)
    return file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The `.mo`."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def missing(catalog: Catalog) -> list[Message]:
    """The texts without a translation, or with one that is marked as a guess (fuzzy)."""
    return [one for one in catalog if one.id and (one.fuzzy or not all(forms(one.string)))]


def wrong(catalog: Catalog) -> list[Message]:
    """The translations that name other values than their English text."""
    return [
        one
        for one in catalog
        if one.id and any(f and _names(f) != _names(forms(one.id)[-1]) for f in forms(one.string))
    ]


def forms(texts: str | Iterable[str] | None) -> list[str]:
    """A text, or its singular and its plurals."""
    return [texts or ""] if isinstance(texts, str | None) else list(texts)


def _names(form: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(form) if name is not None}


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring every language up to date; the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--complete", action="store_true", help="fail where one is missing")
    complete = options.parse_args(arguments).complete
    failed = False
    for path in sorted(LOCALE.glob("*.po")):
        catalog = updated(path.stem)
        path.write_bytes(text(catalog))
        path.with_suffix(".mo").write_bytes(compiled(read(path.stem)))
        left, bad = missing(catalog), wrong(catalog)
        for one in left:
            print(f"{path.name}: no translation: {forms(one.id)[0]!r}")
        for one in bad:
            print(f"{path.name}: names other values: {forms(one.id)[0]!r}")
        print(f"{path.name}: {len(catalog) - len(left)} of {len(catalog)} texts are translated.")
        failed |= bool(bad) or (complete and bool(left))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
