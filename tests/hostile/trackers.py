"""Trackers' files, by class of file: each text stands for the bytes of one."""

from __future__ import annotations

import json
from typing import Final

from bot.evidence.transaction_log import HEADER
from tests.hostile.files import RAW
from tests.trackers.writers import (
    SWANLAB_MAGIC,
    event,
    field,
    swanlab_json,
    swanlab_scalar,
)


def _text(data: bytes) -> str:
    return data.decode("latin-1")


_TRACKIO: Final = (
    "CREATE TABLE metrics (run_id, run_name, step, timestamp, metrics);"
    "CREATE TABLE system_metrics (run_id, run_name, timestamp, metrics);"
    "CREATE TABLE configs (run_id, run_name, config);"
)
_MLFLOW: Final = (
    "CREATE TABLE runs (run_uuid, name, status, experiment_id);"
    "CREATE TABLE experiments (experiment_id, name);"
    "CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan);"
    "CREATE TABLE params (key, value, run_uuid); CREATE TABLE tags (key, value, run_uuid);"
    "INSERT INTO runs VALUES ('a', 'a', 'RUNNING', 1);"
)
_NUMBERS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) "


def _wrong() -> list[str]:
    kinds: list[object] = ["Scalar", "Project", "Experiment", "Footer", [], None]
    data: list[object] = [{}, [], {"metric": []}, {"id": 7, "name": {}}, {"key": [], "metric": {}}]
    return [json.dumps({"model_type": kind, "data": each}) for kind in kinds for each in data]


_BEGIN: Final = '{"schema":"run-manifest-v1","kind":"begin","id":"a","gpus":[{"name":"x"}]}'
MANIFESTS: Final[dict[str, str]] = {
    "a few": _BEGIN + '\n{"kind":"minute","number":0,"peak_bytes":[1]}\n'
    '{"kind":"end","minutes":1,"exit_code":0}',
    "many minutes": "\n".join(
        [_BEGIN, *(f'{{"kind":"minute","number":{n},"peak_bytes":[{n}]}}' for n in range(9_000))]
    ),
    "many cards": '{"schema":"run-manifest-v1","kind":"begin","gpus":['
    + ",".join(['{"name":"x"}'] * 30_000) + "]}",
    "samples without an end": _BEGIN
    + '\n{"kind":"minute","number":0,"peak_bytes":[1],"samples":"' + "0" * 400_000 + '"}',
    "nested lists": _BEGIN + '\n{"kind":"minute","number":0,"peak_bytes":' + "[" * 200_000 + "}",
    "other kinds": _BEGIN + '\n{"kind":"minute","number":0,"peak_bytes":{"a":1},"samples":[7]}\n'
    '{"kind":"end","minutes":1,"metrics":{"x":{"rows":1e999,"maximum":[],"last":{}}}}',
    "a signature that is none": _BEGIN.replace(
        '"id"', '"signer":"ssh-ed25519 ' + "A" * 64 + '","id"'
    )
    + '\n{"kind":"end","minutes":0}\n{"kind":"signature","signature":"x\\ny\\nz\\n"}',
    "long settings": _BEGIN.replace(
        '"id"', '"script":{"settings":{' + ",".join(f'"k{n}":1' for n in range(60_000)) + '}},"id"'
    ),
    "no chain": RAW + _BEGIN + "\n" * 300_000,
}  # fmt: skip
EVENTS: Final[dict[str, str]] = {
    "a few": "\n".join(_text(event("x", step, step)) for step in range(1, 9)),
    "many tags": "\n".join(_text(event(f"t{n}", 1, 1)) for n in range(30_000)),
    "one event of many values": _text(
        field(2, 1) + b"".join(field(5, field(1, field(1, f"t{n}"))) for n in range(60_000))
    ),
    "long tags": "\n".join(_text(event("t" * 60_000, 1, 1)) for _ in range(8)),
    "steps that are none": "\n".join(
        _text(event("training/global_step", 1, step)) for step in (-1, 2**63, 2**64 - 1)
    ),
    "times that are none": "\n".join(
        _text(event("x", 1, 1, at)) for at in (float("nan"), float("inf"), -1e308)
    ),
    "no numbers": "\n".join(_text(event("x", v, 1)) for v in (float("nan"), float("-inf"))),
    "records that are no events": "\n".join("\xff" * 40 for _ in range(20_000)),
    "nested fields": _text(field(5, b"\x0a\x80\x80\x80\x80\x08" * 9_000)),
    "endless number": "\x10" + "\xff" * 100_000,
    "a length of everything": RAW + "\xff" * 8 + "\x00" * 400_000,
    "a length without an end": RAW + "\x00\x00\x00\x00\x00\x00\x00\x7f\xd8\xea\x82\xa2",
    "zeros": RAW + "\x00" * 600_000,
}
STEPS: Final[dict[str, str]] = {
    "a few": "".join(f'{{"step":{n},"data":{{"x":{n}}}}}\n' for n in range(1, 9)),
    "many metrics": '{"step":1,"data":' + json.dumps({f"m{n}": n for n in range(60_000)}) + "}\n",
    "one long line": '{"step":1,"data":{"x":1}}\n{"step":2,"data":{"' + "x" * 900_000,
    "nested lists": '{"step":1,"data":{"x":' + "[" * 200_000 + "\n",
    "nested objects": '{"step":1,"data":' * 60_000 + "\n",
    "long numbers": '{"step":1,"data":{"x":' + "9" * 200_000 + "}}\n",
    "steps that are none": '{"step":1,"data":{"x":1}}\n{"step":1e999,"data":{"x":1}}\n'
    '{"step":-5,"data":{"x":1}}\n{"step":99999999999999999999999999,"data":{"x":1}}\n',
    "no objects": '{"step":1,"data":{"x":1}}\n' + "[]\nnull\n7\n" * 60_000,
    "blank lines": '{"step":1,"data":{"x":1}}\n' + "\n" * 600_000,
    "words": '{"step":1,"data":{"x":NaN,"y":-Infinity,"z":"NaN","a":true}}\n',
}
SWANLAB: Final[dict[str, str]] = {
    "a few": "1\n" + "\n".join(_text(swanlab_json("x", n, n)) for n in range(1, 9)),
    "a few of version 2": "2\n"
    + "\n".join(_text(swanlab_scalar("x", n, n)) for n in range(11, 19)),
    "many metrics": "1\n" + "\n".join(_text(swanlab_json(f"m{n}", 1, 1)) for n in range(20_000)),
    "many cards": "1\n"
    + "\n".join(
        _text(swanlab_json(f"__swanlab__.gpu.{n}.mem.value", 1e300, 1)) for n in range(9_999)
    ),
    "nested lists": "1\n" + "[" * 300_000,
    "nested objects": "1\n" + '{"data":' * 60_000,
    "wrong kinds": "1\n" + "\n".join(_wrong()),
    "messages that are none": "2\n"
    + "\n".join("\x6a\x05\xff\xff\xff\xff\xff" for _ in range(20_000)),
    "a message in a number's place": "2\n\x68\x01\n\x50\x01\n\x58\x01",
    "times that are none": "2\n" + _text(field(13, field(1, "x") + field(4, field(1, 2**63)))),
    "another version": "0\n{}",
    "no checksum": RAW + _text(HEADER.pack(b":SWL", SWANLAB_MAGIC, 2)) + "\xff" * 500_000,
    "empty fragments": RAW + _text(HEADER.pack(b":SWL", SWANLAB_MAGIC, 2)) + "\x00" * 600_000,
}
DATABASES: Final[dict[str, str]] = {
    "a few": _TRACKIO + "INSERT INTO metrics VALUES ('a', 'a', 1, 't', '{\"x\": 1}')",
    "a few of MLflow": _MLFLOW + "INSERT INTO metrics VALUES ('x', 1.5, 1, 'a', 1, 0)",
    "many rows": _TRACKIO + "INSERT INTO metrics " + _NUMBERS.format(count=40_000)
    + "SELECT 'a', 'a', i, 't', '{\"x\": 1}' FROM n",
    "many runs": _TRACKIO + "INSERT INTO metrics " + _NUMBERS.format(count=40_000)
    + "SELECT i, i, i, 't', '{\"x\": 1}' FROM n",
    "other kinds": _TRACKIO
    + "INSERT INTO metrics VALUES (NULL, NULL, 'x', 7, zeroblob(90000)), (1.5, x'ff', 1, 1, 9e99)",
    "nested objects": _TRACKIO + "INSERT INTO metrics VALUES ('a', 'a', 1, 't', '"
    + '{"a":' * 60_000 + "')",
    "a view of everything": "CREATE TABLE system_metrics (a); CREATE TABLE configs (a);"
    "CREATE VIEW metrics AS WITH RECURSIVE n(step, run_id, run_name, timestamp, metrics) AS "
    "(SELECT 1, 1, 1, 1, '{}' UNION ALL SELECT step + 1, 1, 1, 1, '{}' FROM n) SELECT * FROM n",
    "made columns": "CREATE TABLE system_metrics (a); CREATE TABLE configs (a);"
    "CREATE TABLE metrics (run_id, run_name, step, timestamp, metrics AS (zeroblob(4000000)));"
    "INSERT INTO metrics VALUES (1, 1, 1, 1)",
    "long parameters": _MLFLOW + "INSERT INTO params " + _NUMBERS.format(count=4_000)
    + "SELECT 'p' || i, hex(zeroblob(4000)), 'a' FROM n",
    "deep parameters": _MLFLOW + "INSERT INTO params VALUES ('" + "a/" * 200_000 + "', '1', 'a')",
    "lists of any length": _MLFLOW + "INSERT INTO params VALUES ('l/list_len', '999999999999', "
    "'a'), ('l/0', '1', 'a')",
    "numbers that are none": _MLFLOW + "INSERT INTO metrics VALUES ('x', 9e999, 9e18, 'a', "
    "9223372036854775807, 0), ('x', 'y', 'z', 'a', 'b', 0), (zeroblob(9), 1, 1, 'a', 1, 1)",
    "no database": RAW + "SQLite format 3\x00" + "\xff" * 200_000,
    "zeros": RAW + "SQLite format 3\x00" + "\x00" * 200_000,
}  # fmt: skip
