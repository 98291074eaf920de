"""Published formats, held to their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def holds_to(schema: Mapping[str, Any], content: object) -> None:
    """Fails where the content does not hold to the schema, a JSON Schema of 2020-12."""
    # Compiled, and not to be had for Pyodide.
    jsonschema = pytest.importorskip("jsonschema", exc_type=ImportError)
    jsonschema.Draft202012Validator(schema).validate(content)
