"""The files that the SDK saves beside the log: metadata, requirements, config, console output."""

from __future__ import annotations

import json
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from bot.base.digits import natural_number
from bot.base.fast_dataclass import dataclass
from bot.base.messages import Notes, message, sentence_of
from bot.base.regex import regex
from bot.base.yaml_size import MISFITS
from bot.evidence.console import Console
from bot.evidence.facts import EvidenceError, GpuInfo
from bot.evidence.json_values import dicts, parsed, text, whole
from bot.evidence.limits import RunLimits
from bot.evidence.locate import UNREADABLE, Located, open_inside
from bot.report import JsonValue

if TYPE_CHECKING:
    import yaml

MOST_GPUS = 1024
"""GPUs of one host."""
_MOST_NODES = 30_000
"""Nodes of `config.yaml`: PyYAML makes ten thousand in a second."""
_REQUIREMENT = regex(r"([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)\Z")


@dataclass(slots=True)
class Host:
    """The machine and program of the process that wrote the run."""

    gpu: str | None = None
    gpu_count: int | None = None
    gpus: tuple[GpuInfo, ...] = ()
    program: str | None = None
    args: tuple[str, ...] = ()

    def listed(self) -> tuple[GpuInfo, ...]:
        """The GPUs; when only the first one's name is known, that name for each."""
        if self.gpus or self.gpu is None:
            return self.gpus
        return (GpuInfo(name=self.gpu),) * max(1, min(self.gpu_count or 1, MOST_GPUS))


@dataclass(slots=True)
class SideFiles:
    """Reads the files beside a log; what cannot be read becomes a sentence in `gaps`."""

    located: Located
    limits: RunLimits
    gaps: Notes = field(default_factory=Notes)

    def requirements(self) -> dict[str, str]:
        """Installed packages of `requirements.txt`: name, lower case with dashes, to version."""
        return requirements_of(self._text("requirements.txt"))

    def metadata(self) -> Host | None:
        """What `wandb-metadata.json` says of the host; None when there is none."""
        data = self.json_object("wandb-metadata.json")
        if not data:
            return None
        args = data.get("args")
        return Host(
            gpu=text(data.get("gpu")),
            gpu_count=whole(data.get("gpu_count"), least=1),
            gpus=_gpus(data.get("gpu_nvidia")),
            program=text(data.get("program")),
            args=tuple(str(arg) for arg in args) if isinstance(args, list) else (),
        )

    def json_object(self, name: str) -> dict[str, JsonValue]:
        """The object of a JSON file; empty where there is none."""
        content = self._text(name)
        data = parsed(content) if content else {}
        if data is None:
            self.gaps.note("files/{name} is not a JSON object; it was left out.", name=name)
        return data or {}

    def config(self) -> dict[str, JsonValue]:
        """The configuration of `config.yaml`, as written."""
        text = self._text("config.yaml")
        if not text:
            return {}
        import yaml

        try:
            data = yaml.load(text, Loader=_loader())  # noqa: S506 - a SafeLoader
            # Dates and the like become text, as in the records.
            plain = json.loads(json.dumps(data, default=str))
        except (yaml.YAMLError, RecursionError, *MISFITS):
            self.gaps.note("files/config.yaml is not valid YAML; it was left out.")
            return {}
        return plain if isinstance(plain, dict) else {}

    def out_of_memory(self) -> str | None:
        """The line of `output.log` that reports an out-of-memory error, if any."""
        console = Console(self.limits.line_characters)
        console.feed(self._text("output.log", self.limits.output_bytes))
        return console.close()

    def _text(self, name: str, limit: int | None = None) -> str:
        limit = limit or self.limits.side_file_bytes
        try:
            with open_inside(self.located.root, self.located.files / name) as file:
                data = file.read(limit + 1)
        except FileNotFoundError:
            return ""
        except EvidenceError as error:
            self.gaps.append(sentence_of(error))
            return ""
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or message("a loop of links")
            self.gaps.note(UNREADABLE, name=f"files/{name}", reason=reason)
            return ""
        if len(data) > limit:
            self.gaps.note(
                "files/{name} is longer than {limit} bytes; the rest was not read.",
                name=name,
                limit=limit,
            )
        return data[:limit].decode("utf-8", errors="replace")


@cache
def _loader() -> type[yaml.SafeLoader]:
    """A loader that refuses aliases, of which a few make any size and W&B writes none.

    It refuses any number of nodes, too.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        nodes = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.nodes += 1
            if self.nodes > _MOST_NODES or self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError
            return super().compose_node(parent, index)

    return Loader


def _gpus(value: object) -> tuple[GpuInfo, ...]:
    found = []
    for gpu in dicts(value)[:MOST_GPUS]:
        if isinstance(gpu.get("name"), str):
            # JSON of a uint64 is text: "85520809984".
            memory = str(gpu.get("memoryTotal", ""))
            known = natural_number(memory) if len(memory) < 20 else None
            found.append(GpuInfo(name=gpu["name"], memory_bytes=known))
    return tuple(found)


def requirements_of(text: str) -> dict[str, str]:
    """Packages that a requirements.txt pins: name, lower case with dashes, to version."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _REQUIREMENT.match(line.strip())
        if match:
            found[match[1].lower().replace("_", "-")] = match[2]
    return found
