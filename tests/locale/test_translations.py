"""The catalogues: in step with the code, compiled, and where each way of installing looks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from inspect import signature
from pathlib import Path
from string import Formatter

import pytest

from bot.base.messages import translation
from bot.registry.base import hit
from tests.command import ROOT
from tests.parsed import modules, nodes
from tools import translations

CATALOGUES = sorted(path.stem for path in translations.LOCALE.glob("*.po"))


@pytest.mark.parametrize("language", CATALOGUES)
def test_no_translation_is_of_a_text_that_is_no_more(language: str) -> None:
    texts = {(one.context, one.id) for one in translations.template()}
    left = [one.id for one in translations.read(language) if (one.context, one.id) not in texts]
    assert left == [], "run make translations"


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_translation_names_the_values_of_its_text(language: str) -> None:
    assert translations.wrong(translations.read(language)) == []


@pytest.mark.parametrize("language", CATALOGUES)
def test_what_is_read_is_compiled_from_what_is_edited(language: str) -> None:
    compiled = translations.compiled(translations.read(language))
    at = translations.LOCALE / f"{language}.mo"
    assert at.read_bytes() == compiled, "run make translations"


def test_chinese_has_the_marks_of_chinese() -> None:
    mixed = re.compile("[\u4e00-\u9fff][,;:?!]|[,;?!](?=[\u4e00-\u9fff])")
    found = [
        form
        for one in translations.read("zh")
        if one.id
        for form in translations.forms(one.string)
        if mixed.search(re.sub(r"`[^`]*`|\*\*[^*]*\*\*", "", form))
    ]
    assert found == []


def test_a_text_without_a_translation_stays_english() -> None:
    assert translation("no such text", "zh") == "no such text"
    assert translation("", "zh") == ""


def test_a_new_text_is_listed_and_no_guess_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in translations.LOCALE.glob("zh.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(translations, "LOCALE", tmp_path)
    texts = translations.template()
    texts.add("the newest release ever known")
    monkeypatch.setattr(translations, "template", lambda: texts)
    catalogue = translations.updated("zh")
    assert [one.id for one in translations.missing(catalogue)] == ["the newest release ever known"]
    assert translations.main([]) == 0
    assert translations.main(["--complete"]) == 1
    assert translations.missing(translations.read("zh"))


@pytest.mark.parametrize("language", CATALOGUES)
def test_nothing_is_missing_guessed_or_left_over(language: str) -> None:
    """A new text may be without a translation until a release; a guess may not stand at all."""
    catalogue = translations.read(language)
    assert [one.id for one in catalogue if one.id and one.fuzzy] == []
    assert list(catalogue.obsolete) == []


def test_a_guess_counts_as_missing() -> None:
    catalogue = translations.read("zh")
    one = next(one for one in catalogue if one.id)
    one.flags.add("fuzzy")
    assert translations.missing(catalogue) == [one]


def test_a_release_asks_for_all_translations() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "python -m tools.translations --complete" in workflow


def test_every_sentence_is_given_the_values_that_it_names() -> None:
    found = [
        f"{path}:{call.lineno}"
        for path, tree in modules().items()
        for call in nodes(tree, ast.Call)
        if translations.name_of(call.func) in translations.KEYWORDS.keys() - {"mark", "mark_plural"}
        and all(keyword.arg for keyword in call.keywords)
        and not _named(call) <= _given(call)
    ]
    assert found == []


def test_a_hit_is_given_no_value_that_its_sentence_does_not_name() -> None:
    """A part of a finding that is misspelt would be taken for a value, and say nothing."""
    parts = {
        name for name, one in signature(hit).parameters.items() if one.kind is one.KEYWORD_ONLY
    }
    found = [
        f"{path}:{call.lineno}"
        for path, tree in modules().items()
        for call in nodes(tree, ast.Call)
        if translations.name_of(call.func) == "hit"
        and isinstance(call.args[1], ast.Constant)
        and not _given(call) - parts <= _named(call)
    ]
    assert found == []


def test_the_sentences_of_errors_are_read_from_the_code() -> None:
    """Those of the errors that take a template; ProfileError takes a key and what is wrong."""
    errors, before = {"UserError", "EvidenceError", "SentenceError"}, set[str]()
    while errors != before:
        before = set(errors)
        errors |= {
            node.name
            for tree in modules().values()
            for node in nodes(tree, ast.ClassDef)
            if any(isinstance(base, ast.Name) and base.id in errors for base in node.bases)
        }
    read = {name for name in translations.KEYWORDS if name.endswith("Error")}
    # A limit that was reached takes which one it was, a model without a shape its path: they make
    # their sentences themselves.
    own = {"BoundReachedError", "UnknownModelError"}
    assert read == errors - {"ProfileError", "SentenceError"} - own


def _named(call: ast.Call) -> set[str]:
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    templates = [text for text in texts if isinstance(text, str)]
    return {
        name for text in templates for _, name, _, _ in Formatter().parse(text) if name is not None
    }


def _given(call: ast.Call) -> set[str]:
    count = {"count"} if call.args[2:] else set()
    return {keyword.arg for keyword in call.keywords if keyword.arg} | count


def test_english_reads_no_catalogue() -> None:
    code = (
        "import sys; opened = []; "
        "sys.addaudithook(lambda e, a: e == 'open' and opened.append(str(a[0]))); "
        "from bot.commands.cli import main; main(['lint', 'none.sh']); "
        "sys.exit(any(name.endswith('.mo') for name in opened))"
    )
    for language, status in (("C", 0), ("zh_CN.UTF-8", 1)):
        environment = {**os.environ, "LC_ALL": language}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
        assert done.returncode == status
