"""The published JSON Schemas, made from the models themselves.

`python -m tools.schemas` writes them; a test compares the files on disk. Each is made once in a
process, and not to be changed by who asks for it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from bot.base.config import Config
from bot.base.resources import schemas
from bot.bisect.report import Bracket, SeriesPlan
from bot.recommend.report import CardOverview, Recommendations
from bot.report import Report
from bot.report.manifest import ManifestRecord

BASE = "https://github.com/rlbot-tuning/rlbot/blob/main/schemas/"


@cache
def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `report-v1`."""
    from pydantic import TypeAdapter

    return _published(TypeAdapter(Report).json_schema(mode="serialization"), "report-v1")


@cache
def config_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `.rlbot.yml`."""
    from pydantic import TypeAdapter

    return _published(TypeAdapter(Config).json_schema(mode="validation"), "config-v1")


@cache
def recommend_schema() -> dict[str, Any]:
    """JSON Schema of `recommend-v1`."""
    from pydantic import TypeAdapter

    adapter = TypeAdapter(Recommendations)
    return _published(adapter.json_schema(mode="serialization"), "recommend-v1")


@cache
def cards_schema() -> dict[str, Any]:
    """JSON Schema of `recommend-cards-v1`."""
    from pydantic import TypeAdapter

    adapter = TypeAdapter(CardOverview)
    return _published(adapter.json_schema(mode="serialization"), "recommend-cards-v1")


@cache
def bisect_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas of `bisect-plan-v1` and `bisect-read-v1`, by these names."""
    from pydantic import TypeAdapter

    return {
        name: _published(TypeAdapter(model).json_schema(mode="serialization"), name)
        for name, model in (("bisect-plan-v1", SeriesPlan), ("bisect-read-v1", Bracket))
    }


@cache
def manifest_schema() -> dict[str, Any]:
    """JSON Schema of a line of `run-manifest-v1`."""
    from pydantic import TypeAdapter

    made = TypeAdapter(ManifestRecord).json_schema(mode="serialization")
    for model in made["$defs"].values():
        if "kind" in model["properties"]:
            digest = {"pattern": "^[0-9a-f]{64}$", "type": "string"}
            digest["description"] = "Of this line and the ones before it; the line's last entry."
            model["properties"]["sha256"] = digest
    return _published(made, "run-manifest-v1")


def _published(schema: dict[str, Any], name: str) -> dict[str, Any]:
    # A definition has the name of its title, which stays when a class is renamed.
    for key, model in list(schema.get("$defs", {}).items()):
        title = model.get("title", key)
        if title != key and "properties" in model:
            text = json.dumps(schema).replace(f'"#/$defs/{key}"', f'"#/$defs/{title}"')
            schema = json.loads(text)
            schema["$defs"][title] = schema["$defs"].pop(key)
    if "$defs" in schema:
        schema["$defs"] = dict(sorted(schema["$defs"].items()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{BASE}{name}.schema.json",
        **schema,
    }


def files() -> dict[Path, str]:
    """Path and content of every published schema."""
    made = {
        "report-v1": report_schema(),
        "config-v1": config_schema(),
        "recommend-v1": recommend_schema(),
        "recommend-cards-v1": cards_schema(),
        "run-manifest-v1": manifest_schema(),
        **bisect_schemas(),
    }
    return {
        schemas() / f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in made.items()
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
