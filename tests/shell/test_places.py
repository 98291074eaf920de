"""Every character of a word keeps its place, also through variables."""

from __future__ import annotations

import pytest

from bot.shell import read
from bot.shell.words import Command, Piece, Reading, Word
from tests.shell.cases import CASES


def reading(text: str) -> Reading:
    return read(text.encode(), "x.sh")


def only(text: str) -> Command:
    commands = reading(text).commands
    assert len(commands) == 1
    return commands[0]


def written(text: str, word: Word, start: int, end: int) -> str:
    span = word.span_of(start, end)
    return text[span.start : span.end]


def every_piece(result: Reading) -> list[Piece]:
    words = [word for command in result.commands for word in command.argv]
    words += [word for command in result.commands for word in command.environment.values()]
    words += [variable.value for variable in result.variables]
    return [piece for word in words for piece in word.pieces]


def test_value_of_a_variable_lies_at_its_assignment() -> None:
    text = "N=16\npython -m x data.n=$N\n"
    word = only(text).argv[3]
    assert word.text == "data.n=16"
    assert [piece.via for piece in word.pieces] == [(), ("N",)]
    assert written(text, word, 7, 9) == "16"
    assert word.span_of(7, 9).start == 2
    assert text[word.span.start : word.span.end] == "data.n=$N"


def test_value_through_two_variables() -> None:
    text = 'A=Qwen\nB="$A-7B"\ncmd m=$B\n'
    word = only(text).argv[1]
    assert word.text == "m=Qwen-7B"
    assert [piece.via for piece in word.pieces] == [(), ("B", "A"), ("B",)]
    assert word.span_of(2, 6).start == text.index("Qwen")
    assert written(text, word, 6, 9) == "-7B"


def test_value_through_an_array() -> None:
    text = "A=(\n  x.a=1\n  x.b='2'\n)\ncmd \"${A[@]}\"\n"
    first, second = only(text).argv[1:]
    assert written(text, first, 4, 5) == "1"
    assert first.pieces[0].via == ("A",)
    assert written(text, second, 4, 5) == "2"
    assert second.pieces[1].quoted


def test_part_of_a_value_keeps_its_place() -> None:
    text = (
        "P=/models/Qwen2.5-7B.tar\n"
        "cmd ${P##*/} ${P%.tar} ${P:8:4} ${P/Qwen/Llama} $(basename $P .tar)\n"
    )
    words = only(text).argv[1:]
    assert [word.text for word in words] == [
        "Qwen2.5-7B.tar", "/models/Qwen2.5-7B", "Qwen", "/models/Llama2.5-7B.tar", "Qwen2.5-7B",
    ]  # fmt: skip
    assert written(text, words[0], 0, 4) == "Qwen"
    assert words[0].span_of(0, 4).start == text.index("Qwen")
    assert written(text, words[2], 0, 4) == "Qwen"
    assert written(text, words[3], 8, 13) == "Llama"
    assert words[4].span_of(0, 4).start == text.index("Qwen")


def test_split_words_keep_their_places() -> None:
    text = "O='--a 1 --b'\ncmd $O\n"
    words = only(text).argv[1:]
    assert [written(text, word, 0, len(word.text)) for word in words] == ["--a", "1", "--b"]


def test_computed_text_lies_at_its_construct() -> None:
    text = "N=2\nT=$((N * 8))\ncmd n=$T\n"
    piece = only(text).argv[1].pieces[1]
    assert piece.text == "16"
    assert not piece.literal
    assert piece.via == ("T",)
    assert text[piece.span.start : piece.span.end] == "$((N * 8))"


def test_default_says_whose_it_is() -> None:
    text = "N=${GPUS:-8}\ncmd n=$N ${M:-a}b\n"
    first, second = only(text).argv[1:]
    assert (first.pieces[1].default_of, first.pieces[1].via) == ("GPUS", ("N",))
    assert written(text, first, 2, 3) == "8"
    assert [piece.default_of for piece in second.pieces] == ["M", None]


def test_default_of_a_variable_that_the_script_sets_is_no_default() -> None:
    pieces = only("N=\ncmd ${N:-8}\n").argv[1].pieces
    assert [piece.default_of for piece in pieces] == [None]


def test_default_assigned() -> None:
    result = reading(": ${N:=8}\ncmd $N\n")
    (variable,) = result.variables
    assert (variable.name, variable.value.text) == ("N", "8")
    assert result.source.text[variable.name_span.start : variable.name_span.end] == "N"
    assert result.source.text[variable.value_span.start : variable.value_span.end] == "8"
    assert result.commands[0].argv[1].pieces[0].default_of == "N"


def test_quotes_are_marked() -> None:
    pieces = only("""cmd a"b"'c'\\d\n""").argv[1].pieces
    assert [(piece.text, piece.quoted) for piece in pieces] == [
        ("a", False), ("b", True), ("c", True), ("d", True),
    ]  # fmt: skip


def test_assignments_are_listed_once() -> None:
    result = reading("for i in 1 2 1; do X=a; Y=$i; done\nX=b\n")
    assert [(v.name, v.value.text) for v in result.variables] == [
        ("i", "1"), ("X", "a"), ("Y", "1"), ("i", "2"), ("Y", "2"), ("X", "b"),
    ]  # fmt: skip


def test_spans_of_a_variable() -> None:
    text = "export  LR='1e-6'  # note\n"
    (variable,) = reading(text).variables
    assert text[variable.name_span.start : variable.name_span.end] == "LR"
    assert text[variable.value_span.start : variable.value_span.end] == "'1e-6'"


def test_command_span_leaves_redirections_out() -> None:
    text = "X=1 cmd a \\\n  b > log 2>&1 | tee x\n"
    command = reading(text).commands[0]
    assert text[command.span.start : command.span.end] == "X=1 cmd a \\\n  b"
    assert [(v.name, v.value.text) for v in command.prefix] == [("X", "1")]
    assert command.environment["X"].text == "1"
    assert command.piped_to == "tee"


def test_pipeline_and_pipefail() -> None:
    commands = reading(
        "set -o pipefail\n{ cmd a; } | grep x | tee y\nset +o pipefail\ncmd b\n"
    ).commands
    assert [(c.argv[0].text, c.piped_to, c.pipefail) for c in commands] == [
        ("cmd", "tee", True),
        ("grep", "tee", True),
        ("tee", None, True),
        ("cmd", None, False),
    ]


def test_environment_of_a_command() -> None:
    command = only("A=1\nexport B=2 C\nC=3\nD=4\nunset B\nE=5 cmd\n")
    assert {name: word.text for name, word in command.environment.items()} == {"C": "3", "E": "5"}


def test_comments() -> None:
    text = "# one\ncmd a#b # two\nA=(x # three\n)\nX='# no'\n$(cmd # four\n)\n"
    result = reading(text)
    assert [comment.text for comment in result.comments] == ["# one", "# two", "# three", "# four"]
    for comment in result.comments:
        assert text[comment.span.start : comment.span.end] == comment.text


def test_eval_keeps_places() -> None:
    text = 'M=Qwen\nC="cmd model=$M \\\n  n=8"\neval "$C" x=1\n'
    command = only(text)
    assert [word.text for word in command.argv] == ["cmd", "model=Qwen", "n=8", "x=1"]
    assert command.argv[1].span_of(6, 10).start == text.index("Qwen")
    assert written(text, command.argv[2], 2, 3) == "8"
    assert written(text, command.argv[3], 0, 3) == "x=1"


def test_backquotes_with_escapes_keep_places() -> None:
    text = "cmd `echo \\`echo inner\\``\n"
    word = only(text).argv[1]
    assert written(text, word, 0, 5) == "inner"


def test_windows_line_ends_keep_places() -> None:
    text = 'N=16\r\ncmd a \\\r\n  n=$N "x\r\ny" # note\r\ncat <<EOF\r\nz\r\nEOF\r\ncmd end\r\n'
    result = read(text.encode(), "x.sh")
    assert [[w.text for w in c.argv] for c in result.commands] == [
        ["cmd", "a", "n=16", "x\ny"], ["cat"], ["cmd", "end"],
    ]  # fmt: skip
    (problem,) = result.problems
    assert problem.kind == "syntax"
    assert "dos2unix" in problem.message
    assert result.source.text == text
    word = result.commands[0].argv[2]
    assert text[word.span.start : word.span.end] == "n=$N"
    assert word.span_of(2, 4).start == 2
    assert result.source.place(result.commands[2].span).line == 8
    assert result.comments[0].text == "# note"
    span = result.comments[0].span
    assert text[span.start : span.end] == "# note"


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_literal_pieces_are_the_characters_of_the_script(name: str, windows: bool) -> None:
    text = CASES[name]
    if windows:
        text = text.replace("\n", "\r\n")
    result = read(text.encode(), "x.sh")
    assert result.source.text == text
    for piece in every_piece(result):
        assert 0 <= piece.span.start <= piece.span.end <= len(text)
        if piece.literal and isinstance(piece.text, str):
            assert text[piece.span.start : piece.span.end] == piece.text
    for command in result.commands:
        for word in command.argv:
            assert 0 <= word.span.start <= word.span.end <= len(text)


@pytest.mark.parametrize("name", CASES)
def test_windows_line_ends_change_no_word(name: str) -> None:
    plain = read(CASES[name].encode(), "x.sh")
    windows = read(CASES[name].replace("\n", "\r\n").encode(), "x.sh")
    assert [[w.text for w in c.argv] for c in plain.commands] == [
        [w.text for w in c.argv] for c in windows.commands
    ]
