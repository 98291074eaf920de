"""Answers of SwanLab's server: a line `### PATH` begins that to each request."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.hostile.trees import tree

_PROJECT: Final = '{"cuid": "p", "visibility": "PUBLIC"}'


def _run(config: Any = None, metadata: Any = None, requirements: Any = "", **more: Any) -> str:
    profile = {"config": config or {}, "metadata": metadata or {}, "requirements": requirements}
    made = {"cuid": "r", "slug": "r", "name": "a", "state": "FINISHED", "profile": profile}
    return json.dumps({**made, "createdAt": "2026-09-30T08:00:00.000Z", **more})


def _answers(run: str, keys: object, table: str, project: str = _PROJECT) -> str:
    return tree(
        {
            "login/api_key": '{"sid": "s"}',
            "project/u/p": project,
            "project/u/p/runs/r": run,
            "house/metrics/scalar/keys": keys if isinstance(keys, str) else json.dumps(keys),
            "house/metrics/scalar/export": '{"cosKey": "x"}',
            "files/presigned/get": '{"urls": ["http://127.0.0.1:9/x"]}',
            "store": table,
        }
    )


def _keys(*names: object, **more: object) -> dict[str, object]:
    return {"keys": list(names), "hasMore": False, "nextCursor": "", **more}


_ROWS: Final = "step,a_step,a_timestamp\n1,2.5,1790000000000\n"
_CELLS: Final = ("²", "9" * 5_000, "1e400", "-inf", "nan", "1_0", " 1", "0x1f", '"a\nb"')
_GPU: Final = "__swanlab__.gpu.0.mem.value"
SWANLAB_ANSWERS: Final[dict[str, str]] = {
    "a plain run": _answers(_run({"a": {"value": 1}}), _keys("a"), _ROWS),
    "memory of a card": _answers(_run(), _keys(_GPU), _ROWS),
    "cells that are none": _answers(
        _run(), _keys("a"), _ROWS + "".join(f"{c},{c},{c}\n" for c in _CELLS)
    ),
    "a row too long": _answers(_run(), _keys("a"), _ROWS + "1," * 200_000),
    "a cell too long": _answers(_run(), _keys("a"), f'{_ROWS}1,"{"x" * 400_000}'),
    "quotes without an end": _answers(_run(), _keys("a"), f'{_ROWS}1,"2\n' * 9_000),
    "many rows": _answers(_run(), _keys("a"), _ROWS + "1,2.5,3\n" * 60_000),
    "empty lines": _answers(_run(), _keys("a"), _ROWS + "\r\n" * 200_000),
    "many metrics": _answers(_run(), _keys(*(f"m{n}" for n in range(6_000))), _ROWS),
    "one metric many times": _answers(_run(), _keys(*["a"] * 16), "s" + ",a,b" * 16 + "\n"),
    "long names": _answers(_run(), _keys("a" * 200_000), _ROWS),
    "cards without number": _answers(
        _run(), _keys(*(_GPU.replace("0", str(n)) for n in range(4_000))), _ROWS
    ),
    "pages without end": _answers(_run(), _keys("a", hasMore=True, nextCursor="1"), _ROWS),
    "deep answers": _answers("[" * 300_000, "{" * 300_000, "[" * 300_000),
    "a deep configuration": _answers(
        json.dumps({"profile": 1})[:-2] + '{"config": ' + '{"a": ' * 50_000, _keys(), ""
    ),
    "many settings": _answers(
        _run({str(n): {"value": n} for n in range(30_000)}), _keys(), "step\n"
    ),
    "settings below each other": _answers(
        _run({".".join("a" * n): 1 for n in range(1, 700)}), _keys(), "step\n"
    ),
    "kinds of values": _answers(
        _run([1], "x", {"a": 1}, state=[], name={}, rootProId=1), _keys(1, None), ""
    ),
    "no profile": _answers(_run(profile=None), _keys(), ""),
    "times that are none": _answers(_run(createdAt="9" * 39), _keys("a"), _ROWS),
    "a year of its own": _answers(_run(createdAt="0001-01-01T00:00:00+23:59"), _keys("a"), _ROWS),
    "many cards": _answers(
        _run({}, {"gpu": {"nvidia": {"type": ["x"] * 50_000, "memory": ["9" * 9] * 3}}}),
        _keys("a"), _ROWS,
    ),
    "requirements": _answers(_run({}, {}, "a==1\n" * 100_000 + "²==²\n"), _keys("a"), _ROWS),
    "surrogates and nulls": _answers(
        _run({"\ud800": "\0"}, {"runtime": {"command": "\x1b[31m\ud800"}}), _keys("\ud800\0"), _ROWS
    ),
    "a private project": _answers(_run(), _keys("a"), _ROWS, '{"cuid": "p"}'),
    "no answers": "",
}  # fmt: skip
