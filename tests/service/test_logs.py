"""Lines of the log: one JSON object each, and what the engine warns of in a sentence."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from bot.service import logs


@pytest.mark.parametrize(
    ("warning", "sentence"),
    [
        ("Exception listing queues: gone\nmore", "Exception listing queues: gone"),
        (
            "Exception polling: Traceback (most recent call last):\n  File x\nOSError: gone\n",
            "Exception polling: OSError: gone",
        ),
        ("Traceback (most recent call last):", "Traceback (most recent call last):"),
    ],
)
def test_a_warning_of_the_engine_is_a_line_that_says_what_happened(
    warning: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    logs.configure(())
    logging.getLogger("dbos").warning(warning)
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == sentence


def test_the_words_for_terminals_are_left_out() -> None:
    record = logging.makeLogRecord({"msg": "Started", "color_message": "\x1b[36mStarted"})
    assert "color_message" not in json.loads(logs.JsonLines().format(record))
