"""Pages of the documentation that are made from the program itself.

`python -m tools.guides` writes `docs/commands.md` from the argument parser, `docs/configuration.md`
and `docs/report.md` from the published schemas, `docs/memory-settings.md` from the readers of the
model of memory; a test compares the files on disk.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.commands.cli import parser
from tools import memory_settings
from tools.schemas import config_schema, report_schema

DOCS = Path(__file__).resolve().parents[1] / "docs"

_COMMANDS = """\
# Commands

Made from `rlbot --help`. Every command ends with one of these statuses:

| status | means |
| --- | --- |
| 0 | nothing wrong |
| 1 | errors found, evidence inconsistent, or nothing that fits (`rlbot recommend`) |
| 2 | wrong usage or configuration |
| 3 | something could not be checked, and nothing is wrong besides |

`NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `RLBOT_TRACEBACK=1` are read from the environment.
"""

_ACTION = """\
# Inputs and outputs of the Action

Made from `action.yml`. [Which workflow to choose](action.md).

"""

_CONFIGURATION = """\
# Configuration

A repository sets its own ways in `.rlbot.yml` at its root. For a pull request the file is read from
the base branch, so that a change cannot relax the rules that it is checked by. Every key has a
default; an unknown key is refused with the nearest known one.

```yaml
# .rlbot.yml
scripts: [examples/tuning/]
page: docs/perf/device_tuning.rst
framework: {verl: 0.9.1}
rules:
  no-wandb-logger: error
  RLB303: off  # scripts without a row
```

Editors complete the keys with [the schema](https://json-schema.org/):
`schemas/config-v1.schema.json`.

| key | type | default | what it sets |
| --- | --- | --- | --- |
"""

_REPORT = """\
# Report format

`--format json` prints a report of the form `report-v1`, described by
`schemas/report-v1.schema.json` (JSON Schema 2020-12). Fields may be added in later releases; none
is renamed or removed. Every field is always there; what is not known is `null`.

```console
$ rlbot lint examples/tuning/7b --format json | head -3
{
  "schema": "report-v1",
  "tool": {
```

In `argv`, a part that cannot be known without running something reads `${?reason}`, and `complete`
is false.
"""


def files() -> dict[str, str]:
    """File name to content, of every page made here."""
    return {
        "commands.md": commands(),
        "configuration.md": _CONFIGURATION + "\n".join(_keys(config_schema(), "")) + "\n",
        "action-inputs.md": action(),
        "memory-settings.md": memory_settings.page(),
        "report.md": _REPORT + "".join(_objects(report_schema())),
    }


def action() -> str:
    """The inputs and outputs of `action.yml`, in Markdown."""
    import yaml

    described = yaml.safe_load((DOCS.parent / "action.yml").read_text(encoding="utf-8"))
    text = _ACTION + "| input | default | what it does |\n| --- | --- | --- |\n"
    for name, given in described["inputs"].items():
        default = f"`{given['default']}`" if given["default"] else ""
        text += f"| `{name}` | {default} | {_cell(given['description'])} |\n"
    text += "\n| output | what it holds |\n| --- | --- |\n"
    for name, given in described["outputs"].items():
        text += f"| `{name}` | {_cell(given['description'])} |\n"
    return text


def commands() -> str:
    """Every command with its arguments, in Markdown."""
    return _COMMANDS + "".join(_command(parser(), "rlbot"))


def _command(described: argparse.ArgumentParser, name: str, level: int = 2) -> Iterator[str]:
    if name != "rlbot":
        first, _, rest = (described.description or "").partition("\n")
        summary = re.sub(r"^`[^`]*`: ", "", first.strip())
        yield f"\n{'#' * level} {name}\n\n"
        yield f"{_cell(summary[:1].upper() + summary[1:])}\n" if summary else ""
        yield f"\n{rest.strip()}\n" if rest.strip() else ""
    rows: list[str] = []
    below: list[tuple[str, argparse.ArgumentParser]] = []
    for action in described._actions:
        if action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            below = list(action.choices.items())
        elif not isinstance(action, argparse._HelpAction):
            rows.append(f"| `{_flags(action).replace('|', '/')}` | {_cell(_help(action))} |\n")
    if rows:
        yield "\n| argument | does |\n| --- | --- |\n"
        yield from rows
    for word, parsed in below:
        yield from _command(parsed, f"{name} {word}", level + (name != "rlbot"))


def _flags(action: argparse.Action) -> str:
    """The argument as a user types it."""
    if action.choices:
        value = "|".join(map(str, action.choices))
    else:
        value = str(action.metavar or action.dest.upper())
    if not action.option_strings:
        name = str(action.metavar or action.dest)
        return {"?": f"[{name}]", "+": f"{name}…", "*": f"[{name}…]"}.get(str(action.nargs), name)
    flags = ", ".join(action.option_strings)
    return flags if action.nargs == 0 else f"{flags} {value}"


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    default = action.default
    stated = "default" in text or default in (None, False, "", argparse.SUPPRESS) or default == []
    return (
        text
        if stated or isinstance(action, argparse._VersionAction)
        else f"{text} (default: {default})"
    )


def _keys(schema: Mapping[str, Any], above: str) -> Iterator[str]:
    """A row for each key, those of an object below it with a dot."""
    definitions = schema.get("$defs", {})
    for name, given in schema["properties"].items():
        reference = given.get("$ref", "").rsplit("/", 1)[-1]
        default = given.get("default")
        inner = definitions.get(reference)
        shown = "" if inner else f"`{json.dumps(default, ensure_ascii=False)}`"
        if "default" not in given and not inner:
            shown = "`{}`" if given.get("type") == "object" else ""
        sets = _cell(given.get("description", ""))
        yield f"| `{above}{name}` | {_type(given, definitions)} | {shown} | {sets} |"
        if inner:
            yield from _keys({**inner, "$defs": definitions}, f"{name}.")


def _objects(schema: Mapping[str, Any]) -> Iterator[str]:
    """A section for each object of a schema: the whole first, then those that it is made of."""
    definitions = schema.get("$defs", {})
    order = ["Report", *(name for name in definitions if name != "Report")]
    for name in order:
        given = schema if name == "Report" and "properties" in schema else definitions.get(name)
        if not given or "properties" not in given:
            continue
        yield f"\n## {name}\n\n"
        summary = given.get("description", "").split("\n\n")[0]
        yield f"{_cell(summary)}\n\n" if summary else ""
        yield "| field | type | holds |\n| --- | --- | --- |\n"
        for key, field in given["properties"].items():
            holds = _cell(field.get("description", ""))
            yield f"| `{key}` | {_type(field, definitions, link=True)} | {holds} |\n"


def _type(given: Mapping[str, Any], definitions: Mapping[str, Any], *, link: bool = False) -> str:
    """A type in words."""
    if "$ref" in given:
        name = given["$ref"].rsplit("/", 1)[-1]
        if "properties" not in definitions.get(name, {}):
            return _type(definitions[name], {}) if name not in ("JsonValue",) else "any JSON"
        return f"[{name}](#{name.lower()})" if link else "object"
    if "anyOf" in given:
        return " or ".join(dict.fromkeys(_type(g, definitions, link=link) for g in given["anyOf"]))
    if "const" in given:
        return f"`{json.dumps(given['const'])}`"
    if "enum" in given:
        return ", ".join(f"`{value}`" for value in given["enum"])
    kind = given.get("type", "any JSON")
    if kind == "array":
        return f"list of {_type(given.get('items', {}), definitions, link=link)}"
    if kind == "object":
        values = given.get("additionalProperties")
        inner = _type(values, definitions, link=link) if isinstance(values, dict) and values else ""
        return f"object of {inner}" if inner else "object"
    return {"boolean": "true or false"}.get(str(kind), str(kind))


def _cell(text: str) -> str:
    """Text of a program's own for a table's cell; names in angle brackets and pipes as code."""
    flat = " ".join(text.split())
    return flat.replace("|", r"\|").replace("<", "&lt;")


def write(folder: Path = DOCS) -> None:
    """Write every page to `folder`."""
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
