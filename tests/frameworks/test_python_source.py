"""Python that nobody would write: it ends soon, and in "not known"."""

from __future__ import annotations

import ast

import pytest

from bot.frameworks.programs.repository_programs import TrlPrograms
from bot.frameworks.python import hydra_main as module
from bot.frameworks.python.argparse_options import SourceOptions
from bot.frameworks.python.fstrings import plain
from bot.frameworks.python.hydra_main import hydra_main
from bot.frameworks.python.source import parsed, written
from bot.frameworks.python.structured import structured_table

DEEP = ".".join(["a"] * 2_500)
MAIN = "from trl import GRPOConfig, TrlParser\n{}\nparser = TrlParser(({}))\n"


def classes(width: int) -> str:
    """Six classes, each of which names the next `width` times."""
    bases = (", ".join([f"A{n + 1}"] * width) for n in range(6))
    return "\n".join(f"class A{n}({names}): pass" for n, names in enumerate(bases))


@pytest.mark.parametrize("source", ["(" * 3_000, "a = 1\0", "if", "\ud800", "-" * 100_000 + "1"])
def test_what_is_no_python_has_no_tree(source: str) -> None:
    assert parsed(source) is None


def test_python_says_nothing_of_a_file_on_the_way(recwarn: pytest.WarningsRecorder) -> None:
    source = "x = '\\d'\nif 1is 1: pass\n"
    assert parsed(source) is not None
    SourceOptions("openrlhf", "this change", {"train_sft": source}).table("openrlhf.cli.train_sft")
    assert not recwarn.list


def test_a_deep_expression_has_no_text() -> None:
    tree = parsed(DEEP)
    assert tree is not None
    (statement,) = tree.body
    assert written(statement.value) == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("more", "given"),
    [
        (f"x = {DEEP}(1)", f"GRPOConfig, {DEEP}"),
        (classes(9), "GRPOConfig, A0"),
        (f"class A({DEEP}): pass", "GRPOConfig, A"),
    ],
)
def test_a_program_of_trl_that_cannot_be_followed(more: str, given: str) -> None:
    programs = TrlPrograms({"src/grpo.py": MAIN.format(more, given).encode()})
    assert programs.find("src/grpo.py", "run.sh") is None


def test_a_deep_expression_beside_it_hides_no_program_of_trl() -> None:
    source = MAIN.format(f"x = {DEEP}(1)\nclass A(GRPOConfig):\n    b: {DEEP} = 1", "A,")
    found = TrlPrograms({"src/grpo.py": source.encode()}).find("src/grpo.py", "run.sh")
    assert found is not None
    assert (found.trainer, list(found.options)) == ("grpo", ["b"])


MARK = '@hydra.main(config_path="{}")\n'


@pytest.mark.parametrize(
    "source",
    [
        MARK.format("here") + "def main(config):\n    pass\n",
        "import hydra\n\n" + MARK.format("here") + "def main(config):\n    return (\n",
        '"""\n'
        + MARK.format("there")
        + 'def main():\n"""\n'
        + MARK.format("here")
        + "def f(): 1\n",
        "import hydra\n" + MARK.format("here") + "def main(\n    config,\n):\n    pass\n",
        "import hydra\n" + MARK.format("here") + "async def main(c: dict[str, int]) -> None: ...",
    ],
)
def test_the_decorator_of_a_program(source: str) -> None:
    found = hydra_main(source)
    assert found is not None
    assert found.config_path == "here"


def test_the_rest_of_a_program_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(text: str) -> ast.Module | None:
        read.append(text)
        return parsed(text)

    monkeypatch.setattr(module, "parsed", noted)
    hydra_main("import hydra\n" + MARK.format("here") + "def main(config):\n    x = 1\n" * 2)
    assert ["x = 1" in text for text in read] == [False]


def test_structured_configurations() -> None:
    main = f"x = {DEEP}(1)\ncli = OmegaConf.structured(A0())\n"
    many = "\n".join(f"class A{n}:\n" + f"    b: A{n + 1}\n" * 9 for n in range(9))
    for text in (many, classes(9), f"class A0({DEEP}): pass"):
        assert structured_table(main, [text], "1.0") is None
    known = structured_table(main, [f"class A0:\n    b: {DEEP} = 1\n    c: int = 2"], "1.0")
    assert known is not None


def test_decorators() -> None:
    source = f"@{DEEP}()\n@hydra.main(config_path='config')\ndef main(): pass\n"
    found = hydra_main(source)
    assert found is not None
    assert found.config_path == "config"


def test_loops_within_loops_around_options() -> None:
    loops = "".join(f"{' ' * n}for v{n} in {[*range(50)]}:\n" for n in range(8))
    parser = "parser = argparse.ArgumentParser()\nparser.add_argument('--x')\n"
    for more in (loops + " " * 8 + "pass\n", f"x = {DEEP}(1)\n"):
        copy = SourceOptions("openrlhf", "this copy", {"train_sft": parser + more})
        assert copy.table("openrlhf.cli.train_sft") is None


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ('a = f"{b["c"]}"\n', 'a = f"{______}"\n'),
        (
            "a = f'{b['c']:>{d['e']}}' + f\"{g['h']}\"\n",
            "a = f'{______:>{______}}' + f\"{g['h']}\"\n",
        ),
        ('a = rf"\\d{"\\n".join(b)!r}{{c}}"\n', 'a = rf"\\d{____________!r}{{c}}"\n'),
        ('a = f"{f"{b}" if c != d else "{"}"\n', 'a = f"{_________________________}"\n'),
        ('a = f"""{\n  "\\n".join(b)\n}"""\n', 'a = f"""{\n______________\n}"""\n'),
        ('a = f"{"é"}\\N{BULLET}"  # f"{"\n', 'a = f"{____}\\N{BULLET}"  # f"{"\n'),
    ],
)
def test_an_f_string_of_python_3_12_is_read_by_any_python(newer: str, older: str) -> None:
    """aws-samples/amazon-sagemaker-generativeai: a program of TRL's was no Python to 3.11."""
    assert plain(newer) == older
    assert parsed(newer) is not None
    assert ast.parse(older) is not None


@pytest.mark.parametrize(
    "source",
    [
        "a = f\"{b['c']} {d:{e}} {{f}} {g!r} {h=}\" 'i' r'\\' b\"j\"\n",
        'a = f"""{b["c"]}"""  # f"{b["c"]}"\n',
        'a = f"{b["c"]',
        'a = f"{\nb["c"]\n}"\n',
        'a = "{b["\n',
    ],
)
def test_any_other_text_is_left_as_it_is(source: str) -> None:
    assert plain(source) == source
