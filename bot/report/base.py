"""Words and types that all parts of a report share."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]
ClaimVerdict: TypeAlias = Literal["consistent", "inconsistent", "inconclusive"]
Strength: TypeAlias = Literal["strong", "moderate", "weak"]
Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
Scalar: TypeAlias = str | int | float | bool | None
JsonValue: TypeAlias = Scalar | list["JsonValue"] | dict[str, "JsonValue"]


class ReportPart:
    """A part of a published format, described by its JSON Schema."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, object]] = {
        "use_attribute_docstrings": True,
        "extra": "forbid",
        # Every field is always printed, so the schema of what is printed requires it.
        "json_schema_serialization_defaults_required": True,
    }
