"""Words against Hydra's own parser and argparse, and the places of keys and values."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hydra._internal.utils import get_args_parser
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.frameworks.hydra import overrides
from bot.frameworks.hydra.grammar import GRAMMAR, NoAnswerError, fast, parse_with_hydra
from bot.frameworks.hydra.overrides import read_line, read_override
from bot.frameworks.settings.setting import UNKNOWN, BadArgument, Setting
from bot.shell.source import Span
from tests.frameworks.made import command, holed, word
from tests.profiles import scaled

PIECES = r"""
0 1 -1 +5 1_000 007 1.5 .5 1. -.5 1e6 1E-5 1e 1.e5 inf -inf nan infx true FALSE True null Null nullx
abc a-b a_b /data/x ~/x a:b a.b.c 1.2.3 x=y a,b [ ] [] [1,2] [a, 'b'] { } {} {a:1} '' "" 'a b' "x,y"
'it''s' 'a\'b' ${x.y} ${oc.env:HOME} $x \, ( ) f(1) @ % * ? | < > ; & # é
choice(a,b) int(3) tag(x,1) 'a$' "$b$$" "${x}" '$'
"""
KEYS = "a a.b a.b_c a-b.c _x a.0 a/b a@b.c a.b@c.d +a ++a.b ~a ~a.b +++a 1a $a a..b .a a. A"
FLAGS = (
    "a=1 b=2 --config-name=x --config-name|y -cn|y --config-path|p --cfg|job -m --run --bad "
    "--config-n=x -cp=z --resolve"
)
pieces = st.sampled_from([*PIECES.split(), "a b", "'a b'", "[a, 'b']", " "])
values = st.lists(pieces, max_size=4).map("".join) | st.text(
    alphabet="ab01._-+/:'\"[]{}(),=$\\~ \t%*@?|eE<>;&#!", max_size=12
)
keys = st.sampled_from(KEYS.split())


@settings(max_examples=scaled(1500))
@given(key=keys, value=values)
def test_the_fast_path_gives_the_answer_of_hydra(key: str, value: str) -> None:
    text = f"{key}={value}"
    try:
        quick = fast(text)
    except NoAnswerError:
        return
    slow = parse_with_hydra(text)
    assert quick == slow
    assert repr(quick) == repr(slow)  # 1 and True and 1.0 are equal


@pytest.mark.parametrize(
    "text",
    [
        "a.b=1", "a=0.5", "a=1e-6", "a=True", "a=null", "a=", "a=vllm", "a=Qwen/Qwen2.5-7B",
        "a=uv -v run", "a=1 2", "a=<path>", "a.b=x<y>", "+a@b=x y<", "~a=x;", "a=x}", "a=x y}",
        "a=['console','wandb']", 'a=["console","wandb"]', "a=[a, b]", "a=[]", "+a.b=1", "++a=x",
        "~a.b", "a=/x/y.parquet", "a=10.0.0.1:8000", "a='x y'", "actor@a.b=mega", "a=all-linear",
        "a=['x$', \"$\"]",
    ],
)  # fmt: skip
def test_plain_words_never_need_hydra(text: str) -> None:
    assert fast(text) == parse_with_hydra(text)


@pytest.mark.process
def test_plain_words_do_not_import_hydra() -> None:
    code = (
        "import sys; from tests.frameworks.made import setting; setting('a.b=[x,1]');"
        "print([m for m in ('hydra', 'omegaconf', 'yaml', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def read(text: str) -> Setting | BadArgument | None:
    return read_override(word(text))


@settings(max_examples=scaled(300))
@given(key=keys, value=values, cuts=st.lists(st.integers(0, 12), max_size=3))
def test_what_is_kept_of_a_plain_word_is_what_is_read_of_it(
    key: str, value: str, cuts: list[int]
) -> None:
    text = f"{key}={value}"
    at = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    parts = [text[start:end] for start, end in pairwise(at) if start < end]
    kept = read_override(holed(*parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overrides, "_plain", lambda _: None)
        # `nan` is no number that equals itself.
        assert repr(read_override(holed(*parts))) == repr(kept)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.b", "'a.b' is no override: settings are written key=value"),
        (
            "a=~/data",
            (
                "Hydra cannot take the character '~' in the value of a: "
                "put the value in quotes of its own, or a backslash before the character"
            ),
        ),
        ("a=x,y", None),
        ("a=b=c", None),
        ('a={"x":1}', None),
        ("a=<your path>", None),
        ("a b=1", None),
    ],
)
def test_what_hydra_refuses_is_a_bad_argument(text: str, message: str | None) -> None:
    found = read(text)
    assert isinstance(found, BadArgument)
    assert found.span == Span(0, len(text))
    assert found.message
    assert "\n" not in found.message
    if message is not None:
        assert found.message == message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a=" + "9" * 6_000, "more digits than Python converts"),
        ("a=" + "{b:" * 900 + "1" + "}" * 900, "nested too deeply"),
        (".".join(["a"] * 20_000) + "=1", "more than 100 levels"),
    ],
)
def test_what_python_cannot_hold_is_a_bad_argument(text: str, says: str) -> None:
    bad = read_override(word(text))
    assert isinstance(bad, BadArgument)
    assert says in bad.message
    assert len(bad.message) < 200


def test_what_a_script_hands_to_hydras_grammar_is_bounded() -> None:
    words = [word(f"+a{number}={{b:[1,{{c:d}}]}}") for number in range(40)]
    with GRAMMAR.granted(1_000):
        read = [read_override(one) for one in words]
    bad = [one for one in read if isinstance(one, BadArgument)]
    assert 0 < len(bad) < 40
    assert all("is not read" in one.message for one in bad)
    # The next script has an allowance of its own.
    assert not any(isinstance(read_override(one), BadArgument) for one in words)


def test_references_stay_text() -> None:
    found = read("a=${trainer.nnodes}")
    assert isinstance(found, Setting)
    assert found.value == "${trainer.nnodes}"


def test_mappings_and_nested_lists_come_from_hydra() -> None:
    found = read("+a.b={x:[1,{y:null}],z:'q'}")
    assert isinstance(found, Setting)
    assert (found.operator, found.value) == ("+", {"x": [1, {"y": None}], "z": "q"})


def test_places_of_a_literal_word() -> None:
    found = read_override(word("+a.b=12", 100))
    assert isinstance(found, Setting)
    assert (found.key_span, found.value_span) == (Span(100, 104), Span(105, 107))
    assert (found.key, found.text, found.known) == ("a.b", "12", True)


def test_an_empty_value_stands_behind_the_sign() -> None:
    found = read_override(word("a.b=", 10))
    assert isinstance(found, Setting)
    assert (found.value, found.value_span) == ("", Span(14, 14))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("a=", None), "${?X is not set}"),
        (("a=/data/", None, "/x"), "/data/${?X is not set}/x"),
        (("a=[", None, ",b]"), "[${?X is not set},b]"),
        (("a=1", None), "1${?X is not set}"),
    ],
)
def test_a_hole_in_the_value_makes_it_unknown(parts: tuple[str | None, ...], text: str) -> None:
    found = read_override(holed(*parts))
    assert isinstance(found, Setting)
    assert found.value is UNKNOWN
    assert (found.key, found.text) == ("a", text)


def test_a_hole_does_not_hide_what_is_wrong_beside_it() -> None:
    found = read_override(holed("a=~/", None))
    assert isinstance(found, BadArgument)
    assert read_override(holed("a=", None, "=b")) is not None


@pytest.mark.parametrize("parts", [(None,), (None, "=1"), ("a.", None, "=1"), ("+", None, ".x=1")])
def test_a_hole_in_the_key_may_be_any_setting(parts: tuple[str | None, ...]) -> None:
    line = read_line([holed(*parts)])
    assert (line.settings, line.bad) == ((), ())


def test_hydras_own_flags_are_no_settings() -> None:
    text = "x --config-path=config --config-name ppo_megatron_trainer a=1 -m --cfg job"
    line = read_line(command(text).argv[1:])
    assert [setting.key for setting in line.settings] == ["a"]
    assert {name: flag.value for name, flag in line.flags.items()} == {
        "--config-path": "config",
        "--config-name": "ppo_megatron_trainer",
        "--multirun": None,
        "--cfg": "job",
    }
    assert line.flags["--config-name"].span == Span(37, 57)
    assert line.bad == ()


def test_several_values_are_tried_with_multirun_alone() -> None:
    """From liruiluo/rlvr."""
    words = [word("seed=0,1,2"), word("a.lr=range(1,3)"), word("b=1"), word("/c=1,2")]
    line = read_line([word("-m"), *words])
    assert [(s.key, s.known, s.text) for s in line.settings] == [
        ("seed", False, "0,1,2"),
        ("a.lr", False, "range(1,3)"),
        ("b", True, "1"),
    ]
    assert [bad.word.text for bad in line.bad] == ["/c=1,2"]
    assert [bad.word.text for bad in read_line(words).bad] == [
        "seed=0,1,2",
        "a.lr=range(1,3)",
        "/c=1,2",
    ]


def test_an_unknown_flag_is_refused() -> None:
    line = read_line([word("--lr=1"), word("a=1"), word("--config_path=a")])
    assert [bad.message for bad in line.bad] == [
        "Hydra has no option --lr: settings are written key=value, without dashes",
        "Hydra has no option --config_path; it has --config-path",
    ]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Hydra 1.3 cannot make its parser there")
@settings(max_examples=scaled(200))
@given(words=st.lists(st.sampled_from(FLAGS.split()), max_size=6))
def test_flags_and_rows_as_argparse_takes_them(words: list[str]) -> None:
    argv = [part for text in words for part in text.split("|")]
    line = read_line([word(part) for part in argv])
    known, extra = get_args_parser().parse_known_args(argv)
    assert [f"{s.key}={s.text}" for s in line.settings] == known.overrides
    assert [bad.word.text for bad in line.bad] == extra
    name = line.flags.get("--config-name")
    assert (name.value if name else None) == known.config_name
