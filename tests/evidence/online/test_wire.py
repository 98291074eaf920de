"""What the reading process hands over arrives as it was sent, sentences with their making."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.base.messages import Message, message, translated
from bot.evidence.online.failure import ReadFailure, ReadStage
from bot.evidence.online.wire import from_json, to_json
from tests.evidence.samples import facts, series

GAP = message(
    "Reading the history stopped after {bound}, at row {row} of {counted}: what follows is not "
    "part of the comparison.",
    bound=message("{seconds} seconds", seconds="300"),
    row=128,
    counted=4_000,
)


def _journey(data: Any) -> Any:
    return json.loads(json.dumps(data))


def test_facts_arrive_whole() -> None:
    sent = facts(
        gaps=(GAP, "as it is"), sibling_gaps=(GAP,), source=message("W&B run {run}", run="a")
    )
    arrived = from_json(_journey(to_json(sent)))
    assert arrived == sent
    assert arrived.history.keys() == sent.history.keys()
    assert translated(arrived.gaps[0], "zh") == translated(GAP, "zh") != GAP
    assert isinstance(arrived.sibling_gaps[0], Message)
    assert isinstance(arrived.source, Message)
    assert not isinstance(arrived.gaps[1], Message)


def test_what_other_sources_say_arrives_as_well() -> None:
    sampled = replace(series("a", 1), values={7: 1.0})
    sent = facts(printed=frozenset({"config"}), window=(1.0, 2.0), history={"a": sampled})
    arrived = from_json(_journey(to_json(sent)))
    assert arrived == sent
    assert arrived.history["a"].values == {7: 1.0}


def test_a_failure_arrives_whole() -> None:
    sent = ReadFailure(
        kind="too-much", stage=ReadStage.HISTORY, detail=message("more than {count} bytes", count=5)
    )
    arrived = ReadFailure.from_json(_journey(sent.to_json()))
    assert arrived == sent
    assert isinstance(arrived.detail, Message)


@pytest.mark.parametrize("name", ["gaps", "sibling_gaps"])
@pytest.mark.parametrize(
    "gap",
    [
        None,
        1,
        [],
        {},
        {"template": "{a.__class__}", "values": {"a": "x"}},
        {"template": "{a:>9999999999}", "values": {"a": "x"}},
    ],
)
def test_what_is_no_sentence_is_refused(name: str, gap: object) -> None:
    with pytest.raises(ValueError, match="not a"):
        from_json({**_journey(to_json(facts())), name: [gap]})
    with pytest.raises(ValueError, match="not a"):
        ReadFailure.from_json({**ReadFailure(kind="sdk").to_json(), "detail": gap})
