"""`.rlbot.yml`: the configuration's model and its reading.

Read from the base branch, so that a pull request cannot relax its own rules. Standard dataclasses;
pydantic validates them only when a configuration file exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import ClassVar, Literal, TypeAlias

from bot.errors import UserError

FILE_NAME = ".rlbot.yml"
MAX_BYTES = 1 << 16

RuleLevel: TypeAlias = Literal["error", "warning", "note", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of `.rlbot.yml`; every key has a default."""

    __pydantic_config__: ClassVar[dict[str, object]] = {
        "use_attribute_docstrings": True,
        "extra": "forbid",
    }

    version: Literal[1] = 1
    """Version of this format."""
    scripts: tuple[str, ...] = ("examples/tuning/",)
    """Folders whose scripts are tuning scripts."""
    page: str | None = "docs/perf/device_tuning.rst"
    """The documentation page with the table; null for none."""
    framework: dict[str, str] = field(default_factory=dict)
    """Framework to the release that scripts are checked against; the newest known by default."""
    wandb_hosts: tuple[str, ...] = ()
    """Hosts of run pages besides wandb.ai and forge.coreweave.com."""
    rules: dict[str, RuleLevel] = field(default_factory=dict)
    """Rule, by id or name, to its severity here, or off."""

    def owns(self, path: str) -> bool:
        """True when `path` (POSIX, relative to the repository) is a tuning script."""
        pure = PurePosixPath(path)
        return pure.suffix == ".sh" and any(pure.is_relative_to(folder) for folder in self.scripts)


def parse_config(data: bytes, origin: str) -> Config:
    """Read a configuration; `origin` names the file in messages.

    Raises UserError when it is too large, not YAML, has an unknown key, or a value of a wrong type.
    """
    if len(data) > MAX_BYTES:
        raise UserError(
            f"{origin} has {len(data):,} bytes; a configuration has at most {MAX_BYTES:,}."
        )
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        content = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{origin} is not valid YAML{where}: {_problem(error)}.") from None
    if content is None:
        return Config()
    if not isinstance(content, dict):
        raise UserError(f"{origin} must hold keys and values, such as `page: docs/tuning.rst`.")
    known = [f.name for f in fields(Config)]
    for key in content:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else f"; known are {', '.join(known)}."
            raise UserError(f'{origin} has the unknown key "{key}"{hint}')
    if isinstance(content.get("rules"), dict):
        # YAML 1.1 reads a bare `off` as false.
        rules = content["rules"].items()
        content["rules"] = {rule: "off" if level is False else level for rule, level in rules}
    try:
        return TypeAdapter(Config).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{origin}: {place}: {first['msg']}.") from None


def _problem(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0].rstrip(".")
