"""Answers of an MLflow server: a line `### METHOD` begins that to each method."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.hostile.files import MLFLOW_RUN
from tests.hostile.trees import tree

_HISTORY: Final = "metrics/get-history"
_POINT: Final = {"key": "loss", "value": 1.5, "step": 1, "timestamp": 1_700_000_000_000}

_VALUES: Final[tuple[object, ...]] = ("NaN", 10**400, None, [], {}, True, 1e308)


def _run(**data: Any) -> str:
    info = {
        "run_id": MLFLOW_RUN,
        "experiment_id": "1",
        "status": "FINISHED",
        "lifecycle_stage": "active",
    }
    return json.dumps({"run": {"info": info, "data": {"metrics": [_POINT], **data}}})


def _answers(run: str, history: str, experiment: str = "{}") -> str:
    return tree({"runs/get": run, _HISTORY: history, "experiments/get": experiment})


def _points(*points: Any, **more: Any) -> str:
    return json.dumps({"metrics": points, **more})


_ONE: Final = _points(_POINT)
MLFLOW: Final[dict[str, str]] = {
    "a plain run": _answers(_run(), _ONE, '{"experiment": {"name": "x"}}'),
    "deep answers": _answers("[" * 400_000, "{" * 400_000),
    "a deep parameter": _answers(
        _run(params=[{"key": "a", "value": "{" * 100_000}, {"key": "a." * 5_000, "value": "1"}]),
        _ONE,
    ),
    "many parameters": _answers(
        _run(params=[{"key": f"a{n}", "value": "1"} for n in range(20_000)]), _ONE
    ),
    "parameters below each other": _answers(
        _run(params=[{"key": "/".join("a" * n), "value": "b"} for n in range(1, 900)]), _ONE
    ),
    "many metrics": _answers(
        _run(metrics=[{**_POINT, "key": f"m{n}"} for n in range(8_000)]), _ONE
    ),
    "many points": _answers(_run(), _points(*({**_POINT, "step": n} for n in range(12_000)))),
    "pages without end": _answers(_run(), _points(_POINT, next_page_token="again")),
    "numbers that are none": _answers(
        _run(),
        _points(
            *({**_POINT, "value": value} for value in _VALUES),
            *({**_POINT, "step": step} for step in ("9" * 19, "²", 10**400, -(10**30), None, 1.5)),
            *({**_POINT, "timestamp": at} for at in (10**300, -(10**18), "8" * 19, None, "x")),
        ),
    ),
    "a number of many digits": _answers(_run(), _ONE.replace("1.5", "9" * 100_000)),
    "kinds of values": _answers(_run(params=[1, None, {"key": 1}], tags={}, metrics=None), "[]"),
    "a run without parts": _answers('{"run": {"info": 1, "data": []}}', "{}"),
    "surrogates and nulls": _answers(
        _run(tags=[{"key": "mlflow.runName", "value": "\ud800\0\x1b[31m"}]), _ONE
    ),
    "system metrics": _answers(
        _run(
            metrics=[
                {**_POINT, "key": f"system/gpu_{n}_memory_usage_megabytes"} for n in range(3_000)
            ]
        ),
        _ONE,
    ),
    "no answer": "",
}
