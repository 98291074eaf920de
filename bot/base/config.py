"""`.rlbot.yml`: the configuration's model and its reading.

Read from the base branch, so that a pull request cannot relax its own rules. Standard dataclasses;
pydantic validates them only when a configuration file exists.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, fields
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from bot.base.adapters import adapter_of
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Language, mark, message, sentence_of, with_help
from bot.base.naming_profiles import Profile, ProfileError, chosen
from bot.base.regex import regex
from bot.base.yaml_size import MISFITS, NestingError, size_of

if TYPE_CHECKING:
    import yaml

FILE_NAME = ".rlbot.yml"
SCRIPT_SUFFIXES = (
    ".sh",
    ".bash",
    ".slurm",
    ".slrm",
    ".sbatch",
    ".batch",
    ".pbs",
    ".lsf",
    ".sub",
    ".job",
)
"""What the names of scripts end in; those of Slurm, PBS and LSF are bash."""
SCRIPT_ENDING = rf"(?:{'|'.join(map(re.escape, SCRIPT_SUFFIXES))})\Z"
"""The same as a part of a regular expression."""
SCRIPT_NAMES = ", ".join(f"*{suffix}" for suffix in SCRIPT_SUFFIXES)
MAX_BYTES = 1 << 16
MAX_VALUES = 10_000
MAX_DEPTH = 50

RuleLevel: TypeAlias = Literal["error", "warning", "note", "off"]
RepositoryRole: TypeAlias = Literal["read", "triage", "write", "maintain", "admin"]
"""Roles of a repository on GitHub, from the least on."""

FRAMEWORKS = ("verl", "openrlhf", "trl", "open-instruct")

PYDANTIC_CONFIG: dict[str, object] = {"use_attribute_docstrings": True, "extra": "forbid"}

_VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HOST = regex(r"(?=.{1,253}\Z)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\Z", re.I)


def is_variable(name: str) -> bool:
    """Whether a text is a name of a shell variable."""
    return _VARIABLE.match(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Who may ask for what in a comment: the lowest role in the repository that may."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    verify: RepositoryRole = "triage"
    """`/verify`; the pull request's author always may."""
    apply: RepositoryRole = "write"
    """`/apply`, which writes the row into the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of `.rlbot.yml`; every key has a default."""

    __pydantic_config__: ClassVar[dict[str, object]] = PYDANTIC_CONFIG

    version: Literal[1] = 1
    """Version of this format."""
    language: Language = "en"
    """Language of results, comments and replies: en or zh. On a terminal `--help`, `rlbot doctor`
    and errors are in the language that LC_ALL or LANG asks for, and so is text where this key is
    not set."""
    scripts: tuple[str, ...] = ("examples/tuning/",)
    """Folders whose scripts are tuning scripts."""
    naming: tuple[str, ...] = ("tuning", "run")
    """Naming profiles that a script's name may follow: tuning, run, or one of `profiles`."""
    profiles: dict[str, str] = field(default_factory=dict)
    """Further naming profiles: name to pattern, such as `{model}_{task}_{gpus}x{device}`.
    Parts are model, task, gpus, device, train, infer and any; `{model...}` may hold underscores."""
    page: str | None = "docs/perf/device_tuning.rst"
    """The documentation page with the table; null for none."""
    framework: dict[str, str] = field(default_factory=dict)
    """Framework to the release that scripts are checked against; the newest known by default."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables that scripts are read with, as their caller would set them: name to value."""
    wandb_hosts: tuple[str, ...] = ()
    """Hosts of run pages besides wandb.ai and forge.coreweave.com."""
    mlflow_hosts: tuple[str, ...] = ()
    """Hosts of MLflow servers that runs are read from, over https."""
    allow_private_runs: bool = False
    """Whether runs of projects that are not public may be read and quoted."""
    min_steps: int = 20
    """Steps that a run must have completed before its batch counts as having run; at least 1."""
    rules: dict[str, RuleLevel] = field(default_factory=dict)
    """Rule, by id or name, to its severity here, or off."""
    permissions: Permissions = field(default_factory=Permissions)
    """Who may use which command in a comment."""

    def owns(self, path: str) -> bool:
        """True when `path` (POSIX, relative to the repository) is a tuning script."""
        return path.endswith(SCRIPT_SUFFIXES) and self._beside(path)

    def may_be_recipe(self, path: str) -> bool:
        """True for a YAML file beside the tuning scripts, or below a folder `recipes`."""
        pure = PurePosixPath(path)
        among = self._beside(path) or "recipes" in pure.parts[:-1]
        return pure.suffix in (".yaml", ".yml") and among

    def _beside(self, path: str) -> bool:
        return any(PurePosixPath(path).is_relative_to(folder) for folder in self.scripts)

    def name_profiles(self) -> tuple[Profile, ...]:
        """The naming profiles that `naming` lists; raises UserError when one of them is wrong."""
        return chosen(self.naming, self.profiles)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration with the places of what its file says."""

    config: Config
    lines: Mapping[str, int] = field(default_factory=dict)
    """Dotted key to the line, from 1, that gives it: "rules", "permissions.verify"."""


def parse_config(data: bytes, origin: str) -> Config:
    """Read a configuration; `origin` names the file in messages.

    Raises UserError when it is too large, not YAML, has an unknown key or one twice, or a value
    that the key cannot have.
    """
    return read_config(data, origin).config


def read_config(data: bytes, origin: str) -> ConfigFile:
    """As `parse_config`, with the line of every key."""
    if len(data) > MAX_BYTES:
        raise UserError(
            "{origin} has {size} bytes; a configuration has at most {limit}.",
            origin=origin,
            size=f"{len(data):,}",
            limit=f"{MAX_BYTES:,}",
        )
    content, lines = _loaded(data, origin)
    if content is None:
        return ConfigFile(Config())
    if not isinstance(content, dict):
        raise UserError(
            "{origin} must hold keys and values, such as `page: docs/tuning.rst`.", origin=origin
        )
    _refuse_unknown_keys(Config, content, origin, lines)
    if isinstance(content.get("rules"), dict):
        # YAML 1.1 reads a bare `off` as false.
        rules = content["rules"].items()
        content["rules"] = {rule: "off" if level is False else level for rule, level in rules}
    from pydantic import ValidationError

    try:
        config: Config = adapter_of(Config).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UserError(
            "{where}: {place}: {sentence}.",
            where=_at(origin, lines, place),
            place=place,
            sentence=_sentence(first),
        ) from None
    _check_values(config, origin, lines)
    return ConfigFile(config, lines)


def _loaded(data: bytes, origin: str) -> tuple[object, dict[str, int]]:
    """What the YAML holds, None for nothing, and the line of every key; raises UserError."""
    import yaml

    try:
        loader = yaml.SafeLoader(data)
        root = loader.get_single_node()
        lines = dict(_keys(root, origin))
        if root is not None and size_of(root, MAX_DEPTH) > MAX_VALUES:
            many = message(
                "{origin} has more than {count} values, each alias counted as what it stands for",
                origin=origin,
                count=f"{MAX_VALUES:,}",
            )
            raise UserError(with_help(many, message("shorten it.")))
        return None if root is None else loader.construct_document(root), lines
    except NestingError:
        deep = message("{origin} nests its values too deeply", origin=origin)
        raise UserError(with_help(deep, message("write them flat."))) from None
    except (yaml.YAMLError, RecursionError, *MISFITS) as error:
        mark = getattr(error, "problem_mark", None)
        where = (
            message(" at line {line}, column {column}", line=mark.line + 1, column=mark.column + 1)
            if mark
            else ""
        )
        raise UserError(
            "{origin} is not valid YAML{where}: {problem}.",
            origin=origin,
            where=where,
            problem=_problem(error),
        ) from None


def _keys(node: yaml.Node | None, origin: str, above: str = "") -> Iterator[tuple[str, int]]:
    """Dotted key and line of every key down to the second level; raises UserError for a double."""
    import yaml

    seen: set[str] = set()
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        name = f"{above}{key.value}" if isinstance(key, yaml.ScalarNode) else ""
        line = key.start_mark.line + 1
        if name in seen:
            raise UserError(
                '{origin}, line {line}: the key "{name}" stands there twice.',
                origin=origin,
                line=line,
                name=name,
            )
        seen.add(name)
        yield name, line
        if not above:
            yield from _keys(value, origin, f"{name}.")


def _refuse_unknown_keys(
    model: type, content: Mapping[object, Any], origin: str, lines: Mapping[str, int]
) -> None:
    """Raises UserError for a key that the model does not have, at any level."""
    _refuse(content, [f.name for f in fields(model)], "", origin, lines)
    for key, names in (
        ("permissions", [f.name for f in fields(Permissions)]),
        ("framework", list(FRAMEWORKS)),
    ):
        if isinstance(content.get(key), dict):
            _refuse(content[key], names, f"{key}.", origin, lines)


def _refuse(
    content: Mapping[object, Any],
    known: list[str],
    above: str,
    origin: str,
    lines: Mapping[str, int],
) -> None:
    for key in content:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = (
                message('did you mean "{name}"?', name=near[0])
                if near
                else message("known are {names}.", names=", ".join(known))
            )
            where = _at(origin, lines, f"{above}{key}")
            unknown = message(
                '{where}: unknown key "{above}{key}"', where=where, above=above, key=key
            )
            raise UserError(with_help(unknown, hint))


def _check_values(config: Config, origin: str, lines: Mapping[str, int]) -> None:
    """What the types alone do not tell."""
    try:
        config.name_profiles()
    except ProfileError as error:
        raise UserError(
            "{where}: {error}", where=_at(origin, lines, error.key), error=sentence_of(error)
        ) from None
    for name in config.env:
        if not is_variable(name):
            raise UserError(
                '{where}: env: "{name}" is no name of a shell variable.',
                where=_at(origin, lines, "env"),
                name=name,
            )
    for key, host in (
        *(("wandb_hosts", host) for host in config.wandb_hosts),
        *(("mlflow_hosts", host) for host in config.mlflow_hosts),
    ):
        if not _HOST.match(host):
            where = _at(origin, lines, key)
            none = message(
                '{where}: {key}: "{host}" is no host name', where=where, key=key, host=host
            )
            form = message(
                "write it without https:// and without a path, such as {service}.example.org.",
                service=key.removesuffix("_hosts"),
            )
            raise UserError(with_help(none, form))
    if config.min_steps < 1:
        raise UserError(
            "{where}: min_steps: write a number from 1 on.", where=_at(origin, lines, "min_steps")
        )
    for key, paths in (("scripts", config.scripts), ("page", (config.page or "page",))):
        for path in paths:
            pure = PurePosixPath(path)
            if not path.strip() or pure.is_absolute() or ".." in pure.parts:
                raise UserError(
                    '{where}: {key}: "{path}" must be a path below the repository\'s root.',
                    where=_at(origin, lines, key),
                    key=key,
                    path=path,
                )


def _at(origin: str, lines: Mapping[str, int], key: str) -> str:
    """The file, with the line of the key or of the nearest one above it."""
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return message("{origin}, line {line}", origin=origin, line=lines[key]) if key else origin


_KINDS: Final = {
    "tuple_type": mark("must be a list, such as [one, two]"),
    "dict_type": mark("must hold keys and values"),
    "string_type": mark("must be text; put it in quotes"),
    "int_parsing": mark("must be a whole number"),
    "bool_parsing": mark("must be true or false"),
}
"""pydantic's name of a wrong kind of value, and what YAML calls the right one."""


def _sentence(error: Any) -> str:
    if error["type"] in _KINDS:
        return message(_KINDS[error["type"]])
    expected = error.get("ctx", {}).get("expected")
    if error["type"] == "literal_error" and expected:
        return message("must be {expected}", expected=expected)
    plain = str(error["msg"]).removeprefix("Input should be ")
    return message("must be {expected}", expected=plain) if plain != error["msg"] else plain


def _problem(error: Exception) -> str:
    if isinstance(error, MISFITS) and not isinstance(error, ValueError):
        return message("a value does not fit its tag")
    return str(getattr(error, "problem", None) or error).splitlines()[0].rstrip(".")
