"""Transaction logs of W&B, by class: each line is a record in JSON, or the bytes of one.

A text that begins with the log's own mark stands for the bytes of a whole log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final


def _lines(*records: object) -> str:
    run = {"run": {"run_id": "abcd1234", "entity": "e", "project": "p"}}
    return "\n".join(
        record if isinstance(record, str) else json.dumps(record) for record in (run, *records)
    )


def _settings(entries: Iterable[tuple[Sequence[str], str]]) -> dict[str, object]:
    update = [{"nested_key": list(names), "value_json": text} for names, text in entries]
    return {"config": {"update": update}}


def _history(items: Iterable[tuple[str, str]], step: int) -> dict[str, object]:
    found = [{"key": key, "value_json": text} for key, text in items]
    return {"history": {"item": found, "step": {"num": step}}}


def _output(texts: Iterable[str]) -> Iterator[dict[str, object]]:
    return ({"output_raw": {"line": text}} for text in texts)


LOGS: Final[dict[str, str]] = {
    "many settings": _lines(_settings(((str(n),), "1") for n in range(150_000))),
    "settings of one entry": _lines(
        _settings([(("a",), json.dumps({str(n): 1 for n in range(250_000)}))])
    ),
    "a long list": _lines(_settings([(("a",), "[" + "1," * 1_900_000 + "1]")])),
    "empty mappings": _lines(_settings([(("a",), "[" + "{}," * 1_200_000 + "{}]")])),
    "a setting many times": _lines(*[_settings([(("a",), "[" + "1," * 90_000 + "1]")])] * 40),
    "long names": _lines(_settings([(["a"] * 200_000, "1")])),
    "nested settings": _lines(_settings([(("a",), '{"b":' * 900 + "1" + "}" * 900)])),
    "nested lists": _lines(_settings([(("a",), "[" * 100_000 + "]" * 100_000)])),
    "a long number": _lines(_settings([(("a",), "9" * 100_000)])),
    "namespaces": _lines(
        _settings(((f"a{n}",), json.dumps("Namespace(" + "b=1, " * 900 + ")")) for n in range(99))
    ),
    "many metrics": _lines(
        *(_history(((f"m{row}.{n}", "1") for n in range(900)), row) for row in range(60))
    ),
    "long metrics": _lines(_history((("m" * n, "1") for n in range(2_000)), 0)),
    "numbers of many digits": _lines(_history([("m", "9" * 60_000), ("n", "1e999999999")], 0)),
    "no numbers": _lines(*[_history([("m", "NaN"), ("n", "Infinity")], -(2**63))] * 3_000),
    "cards": _lines({"environment": {"gpu_nvidia": [{"name": "x"}] * 100_000}}),
    "arguments": _lines({"environment": {"args": ["a"] * 200_000}}),
    "many cards": _lines({"environment": {"gpu_type": "x", "gpu_count": 4_000_000_000}}),
    "a card of a large number": _lines(
        {"stats": {"item": [{"key": f"gpu.{n}.memoryAllocatedBytes", "value_json": "1"}
                            for n in range(9_999)]}}
    ),
    "output without an end of line": _lines(*_output(["a" * 50] * 20_000)),
    "output of errors": _lines(*_output(["CUDA out of memory. Tried to allocat\n"] * 20_000)),
    "output of escapes": _lines(*_output(["\x1b[" * 100_000 + "\n"])),
    "output of returns": _lines(*_output(["a\r" * 200_000])),
    "many runs": _lines(*[{"run": {"run_id": f"r{n}"}} for n in range(30_000)]),
    "a fork": _lines({"run": {"run_id": "abcd1234", "forked": True,
                              "branch_point": {"value": 1e308, "run": "x" * 9_000}}}),
    "no records": _lines(*["\xff" * 9] * 60_000),
    "no run": "\xff",
    "damaged": ":W&B\xe1\xbe\x00" + "\xff" * 500_000,
    "empty fragments": ":W&B\xe1\xbe\x00" + "\x00" * 600_000,
    "a length that is too long": ":W&B\xe1\xbe\x00\x00\x00\x00\x00\xff\xff\x01",
    "another version": ":W&B\xe1\xbe\x09",
}  # fmt: skip
"""Most are below the size that a run's real log has: the fuzzer takes a megabyte."""
