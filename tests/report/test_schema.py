"""The published schemas are the models', and what the program prints fits them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from jsonschema import Draft202012Validator

from tools.schemas import config_schema, files, report_schema


def test_the_files_on_disk_are_the_models_schemas() -> None:
    made = files()
    stored = {path: path.read_text(encoding="utf-8") for path in made}
    assert len(made) > 5
    assert stored == made, "run `make schemas`"


@pytest.mark.parametrize("schema", [report_schema, config_schema])
def test_the_schema_is_valid_itself(schema: Callable[[], dict[str, object]]) -> None:
    Draft202012Validator.check_schema(schema())


def test_a_field_that_nobody_declared_is_refused() -> None:
    report = {
        "schema": "report-v1",
        "tool": {"name": "rlbot", "version": "0", "colour": "red"},
        "verdict": "pass",
    }
    errors = list(Draft202012Validator(report_schema()).iter_errors(report))
    assert "additionalProperties" in [error.validator for error in errors]


def test_every_field_of_the_report_is_always_there() -> None:
    for name, definition in report_schema()["$defs"].items():
        assert sorted(definition["properties"]) == sorted(definition["required"]), name
