"""Holds the stand-in to GitHub's own descriptions: no request and no answer may deviate.

What GitHub requires of an answer and the stand-in has no state for is filled in, by the schema.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.jsonschema import DRAFT202012

OFFICIAL = Path(__file__).parent / "official"
DESCRIPTION: dict[str, Any] = json.loads((OFFICIAL / "openapi.json").read_text(encoding="utf-8"))
_REGISTRY: Registry[Any] = Registry().with_resource(
    "github", DRAFT202012.create_resource(DESCRIPTION)
)
_ERROR = {"$ref": "github#/components/schemas/basic-error"}
# Answers that come before any operation is looked at, so that no operation documents them.
GENERAL = (301, 401, 403, 404, 429, 500, 502, 503)


class ContractError(AssertionError):
    """The stand-in, or who asked it, does not keep to GitHub's description."""


@dataclass(frozen=True)
class Operation:
    method: str
    template: str

    @property
    def description(self) -> dict[str, Any]:
        found: dict[str, Any] = DESCRIPTION["paths"][self.template][self.method]
        return found

    def answer_schema(self, status: int) -> dict[str, Any] | None:
        """Of the body; None for an answer without one. Raises ContractError when undocumented."""
        responses = self.description["responses"]
        if str(status) not in responses:
            if status in GENERAL or status == 304:
                return None if status == 304 else _ERROR
            raise ContractError(f"{self.method} {self.template} never answers {status}")
        response = responses[str(status)]
        if "$ref" in response:
            response = _follow(response["$ref"])
        content = response.get("content", {})
        chosen = content.get("application/json") or next(iter(content.values()), None)
        return _absolute(chosen["schema"]) if chosen else None

    def check_request(self, query: dict[str, str], body: Any) -> str | None:
        """What is wrong with a request; None when nothing is."""
        known = set()
        for parameter in self.description.get("parameters", ()):
            found = _follow(parameter["$ref"]) if "$ref" in parameter else parameter
            if found["in"] == "query":
                known.add(found["name"])
        if unknown := set(query) - known:
            raise ContractError(f"{self.method} {self.template} has no parameter {unknown}")
        content = self.description.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            if body is not None:
                raise ContractError(f"{self.method} {self.template} takes no body")
            return None
        if body is None and not self.description["requestBody"].get("required"):
            return None
        error = best_match(
            _validator(json.dumps(_absolute(content["application/json"]["schema"]))).iter_errors(
                body
            )
        )
        return None if error is None else f"{error.json_path}: {error.message[:200]}"

    def answer(self, status: int, body: Any) -> Any:
        """The body, completed; raises ContractError when it is not what GitHub would send."""
        schema = self.answer_schema(status)
        if schema is None:
            if body is not None:
                raise ContractError(f"{self.method} {self.template} {status} has no body")
            return None
        whole = complete(schema, body)
        error = best_match(_validator(json.dumps(schema)).iter_errors(whole))
        if error is not None:
            raise ContractError(
                f"{self.method} {self.template} {status}: {error.json_path}: {error.message[:300]}"
            )
        return whole


def operation(method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation of a path and its parameters; None when GitHub's description has none."""
    for template, pattern, methods in _patterns():
        found = pattern.fullmatch(path)
        if found and method.lower() in methods:
            return Operation(method.lower(), template), found.groupdict()
    return None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str], frozenset[str]]]:
    found = []
    for template, methods in DESCRIPTION["paths"].items():
        pattern = ""
        for part in re.split(r"(\{\w+\})", template):
            if part.startswith("{"):
                name = part[1:-1]
                pattern += f"(?P<{name}>.+)" if name in ("path", "ref") else f"(?P<{name}>[^/]+)"
            else:
                pattern += re.escape(part)
        found.append((template, re.compile(pattern), frozenset(methods)))
    # Fixed words before parameters.
    return sorted(found, key=lambda item: (item[0].count("{"), -len(item[0])))


def complete(schema: dict[str, Any], given: Any) -> Any:
    """`given` with what the schema requires beside it."""
    schema = _resolved(schema)
    for several in ("allOf", "anyOf", "oneOf"):
        if several in schema:
            return _of_several(schema, several, given)
    if isinstance(given, dict) and _is(schema, "object"):
        properties = schema.get("properties", {})
        whole = {}
        for name, item in given.items():
            whole[name] = complete(properties[name], item) if name in properties else item
        for name in schema.get("required", ()):
            if name not in whole:
                whole[name] = invented(properties.get(name, {}), name)
        return whole
    if isinstance(given, list) and _is(schema, "array"):
        return [complete(schema.get("items", {}), item) for item in given]
    return given


def _of_several(schema: dict[str, Any], several: str, given: Any) -> Any:
    if several == "allOf":
        for part in schema["allOf"]:
            given = complete(part, given)
        return given
    if given is None:
        return None
    whole = given
    for part in schema[several]:
        if _resolved(part).get("type") == "null":
            continue
        whole = complete(part, given)
        if _validator(json.dumps(part)).is_valid(whole):
            return whole
    return whole


def invented(schema: dict[str, Any], name: str) -> Any:
    """A value that the schema allows, for what no test asks about."""
    schema = _resolved(schema)
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    if _is(schema, "null"):
        return None
    for several in ("anyOf", "oneOf"):
        if several in schema:
            parts = [_resolved(part) for part in schema[several]]
            if any(part.get("type") == "null" for part in parts):
                return None
            return invented(parts[0], name)
    if "allOf" in schema or "properties" in schema or _is(schema, "object"):
        return complete(schema, {})
    return _invented_scalar(schema)


def _invented_scalar(schema: dict[str, Any]) -> Any:
    if _is(schema, "array"):
        return []
    if _is(schema, "boolean"):
        return False
    if _is(schema, "integer") or _is(schema, "number"):
        return max(0, int(schema.get("minimum", 0)))
    texts = {"uri": "https://example.org/", "date-time": "2026-01-01T00:00:00Z"}
    return texts.get(schema.get("format", ""), "")


def _is(schema: dict[str, Any], kind: str) -> bool:
    stated = schema.get("type", "object" if "properties" in schema else "")
    return kind in stated if isinstance(stated, list) else kind == stated


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = _absolute(_follow(schema["$ref"]))
    return schema


def _follow(reference: str) -> dict[str, Any]:
    found: Any = DESCRIPTION
    for step in reference.split("#/", 1)[1].split("/"):
        found = found[step]
    result: dict[str, Any] = found
    return result


def _absolute(schema: Any) -> Any:
    """References that hold outside of the description too."""
    if isinstance(schema, list):
        return [_absolute(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"github{item}" if key == "$ref" and item.startswith("#") else _absolute(item)
        for key, item in schema.items()
    }


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema), registry=_REGISTRY)
