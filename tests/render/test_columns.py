from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.columns import cells, excerpt
from tests.render.judge import hostile


@pytest.mark.parametrize(
    ("line", "start", "end", "shown", "carets"),
    [
        ("lr=1e-6", 3, 7, "lr=1e-6", "   ^^^^"),
        ("\tlr=1", 1, 3, "    lr=1", "    ^^"),
        ("ab\tlr=1", 3, 5, "ab  lr=1", "    ^^"),
        ("a\tb", 1, 2, "a   b", " ^^^"),
        ("批量=45", 3, 5, "批量=45", "     ^^"),
        ("批量=45", 0, 1, "批量=45", "^^"),
        ("e\u0301x=1", 2, 3, "e\u0301x=1", " ^"),
        ("a\u202eb=1", 2, 3, r"a\u202eb=1", "       ^"),
        ("a\u202eb", 1, 2, r"a\u202eb", " ^^^^^^"),
        ("58 # 32√ → 64×", 9, 10, "58 # 32√ → 64×", "         ^"),
        ("ab", 2, 2, "ab", "  ^"),
        ("ab", 9, 12, "ab", "  ^"),
        ("", 0, 0, "", "^"),
    ],
)
def test_carets_stand_under_the_characters(
    line: str, start: int, end: int, shown: str, carets: str
) -> None:
    assert excerpt(line, start, end, 100) == (shown, carets)


def test_a_long_line_is_cut_around_the_stretch() -> None:
    line = "python3 -m verl.trainer.main_ppo " + "x=1 " * 50 + "lr=2 " + "y=1 " * 50
    at = line.index("lr=2")
    assert excerpt(line, at, at + 4, 40) == (
        "…1 x=1 x=1 x=1 x=1 x=1 lr=2 y=1 y=1 y=1…",
        "                       ^^^^",
    )
    assert excerpt(line, 0, 7, 30) == ("python3 -m verl.trainer.main…", "^^^^^^^")
    shown, carets = excerpt(line, 10, 300, 30)
    assert (len(shown), carets) == (30, " " + "^" * 28)


@given(hostile, st.integers(0, 60), st.integers(0, 20), st.integers(20, 80))
def test_any_stretch_of_any_line(text: str, start: int, length: int, width: int) -> None:
    line = text.replace("\n", "")
    start = min(start, len(line))
    end = min(start + length, len(line))
    shown, carets = excerpt(line, start, end, width)
    assert shown.isprintable()
    assert set(carets) <= {" ", "^"}
    assert "^" in carets
    assert carets.rstrip(" ") == carets
    # Where a whole line fits, the carets stand exactly below the stretch.
    measured = cells(line)
    if sum(columns for _, columns in measured) <= width:
        before = sum(columns for _, columns in measured[:start])
        under = sum(columns for _, columns in measured[start:end])
        assert (len(carets) - carets.count("^"), carets.count("^")) == (before, max(under, 1))
    else:
        assert sum(columns for _, columns in cells(shown)) <= width
        assert len(carets) <= width


def test_of_a_long_line_only_the_neighbourhood_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A script of one line with a finding for each of its words took a minute to print."""
    seen: list[int] = []

    def measured(line: str) -> list[tuple[str, int]]:
        seen.append(len(line))
        return cells(line)

    monkeypatch.setattr("bot.render.columns.cells", measured)
    line = "data.train_batch_size=1 " * 20_000
    for at in (0, 240_000, len(line) - 5):
        shown, carets = excerpt(line, at, len(line), 80)
        assert len(shown) <= 80
        assert shown[len(carets) - len(carets.lstrip()) :].startswith(line[at : at + 3])
        assert shown.startswith("…") == (at > 0)
        assert shown.endswith("…") == (at < len(line) - 5)
    assert max(seen) < 3_000
