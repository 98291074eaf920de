"""A finding on a setting is where its value was written, however it came to the launch."""

from __future__ import annotations

import pytest

from tests.rules.helpers import found

LAUNCH = 'python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo "${ARGS[@]}"\n'


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (f"A=megatrom\nB=$A\nARGS=(\n  model_engine=$B\n)\n{LAUNCH}", 1),
        (f"A=${{KL:-megatrom}}\nB=$A\nARGS=(model_engine=$B)\n{LAUNCH}", 1),
        (f"A=1\nARGS=(x)\nARGS=(\n  model_engine=megatrom\n)\n{LAUNCH}", 4),
        (f"f() {{\n  local A=$1\n  ARGS=(model_engine=$A)\n  {LAUNCH}}}\nf megatrom\n", 6),
    ],
)  # fmt: skip
def test_place_of_a_value(script: str, line: int) -> None:
    (finding,) = found("bad-value", script)
    assert finding.line == finding.end_line == line
    text = script.splitlines()[line - 1]
    assert text[finding.column - 1 : finding.end_column - 1] == "megatrom"
