"""Rows, pages and plans made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from bot.frameworks.configuration import Configuration
from bot.frameworks.plan import Field, Launch, Plan
from bot.frameworks.settings.key_table import Key, KeyTable
from bot.frameworks.settings.setting import UNKNOWN, Setting
from bot.report import JsonValue, Row
from bot.shell.source import Span
from bot.shell.words import Command, Hole, Piece, Word
from bot.table import Page, read_page

PAGES = Path(__file__).parent / "pages"
COMMIT = "89abcdef0123456789abcdef0123456789abcdef"
NOWHERE = Span(0, 0)


def page(name: str) -> Page:
    """A page of the fixture folder, read without touching its line ends."""
    return read_page((PAGES / name).read_bytes().decode(), f"docs/perf/{name}")


def all_pages() -> list[str]:
    return sorted(path.name for path in PAGES.glob("*.rst"))


def script_url(name: str, folder: str, commit: str = COMMIT) -> str:
    return f"https://github.com/example-org/example/blob/{commit}/examples/tuning/{folder}/{name}"


def make(
    size: str = "7b",
    *,
    model: str | None = None,
    name: str | None = None,
    link: str | None = None,
    contributor: str = "octocat",
    max_batch: str = "1024",
    infer: str = "vllm0.8.5",
) -> Row:
    """The row of a script for a model of `size`."""
    name = name or f"qwen3-{size}_grpo_8_h20_fsdp_vllm.sh"
    return Row(
        tag="MIN",
        model=model or f"Qwen3-{size.upper()}",
        task="GRPO",
        resource="8*H20",
        max_batch=max_batch,
        train="fsdp",
        infer=infer,
        link=link or script_url(name, size),
        contributor=contributor,
    )


@dataclass(frozen=True)
class Defaults:
    """As much of a key table as a row asks: the defaults of a release."""

    values: Mapping[str, JsonValue]

    def get(self, key: str) -> Key | None:
        return Key(key, "any", self.values[key]) if key in self.values else None


VERL_DEFAULTS = Defaults(
    {
        "actor_rollout_ref.model.enable_gradient_checkpointing": True,
        "actor_rollout_ref.actor.fsdp_config.param_offload": False,
        "actor_rollout_ref.actor.fsdp_config.optimizer_offload": False,
        "actor_rollout_ref.actor.fsdp_config.offload_policy": False,
        "actor_rollout_ref.actor.megatron.param_offload": False,
        "actor_rollout_ref.actor.megatron.optimizer_offload": False,
        "actor_rollout_ref.actor.megatron.override_transformer_config.recompute_granularity": None,
    }
)


def word(text: str) -> Word:
    """A word; each `${?reason}` in it is a hole."""
    pieces: list[Piece] = []
    rest = text
    while rest:
        known, opening, more = rest.partition("${?")
        if known:
            pieces.append(Piece(known, NOWHERE))
        reason, _, rest = more.partition("}") if opening else ("", "", "")
        if opening:
            pieces.append(Piece(Hole("environment", reason), NOWHERE))
    return Word(tuple(pieces), NOWHERE)


def setting(key: str, value: JsonValue) -> Setting:
    """`key=value`; a string with a hole in it is unknown."""
    text = str(value)
    return Setting(
        key=key,
        value=UNKNOWN if "${?" in text else value,
        text=text,
        operator="",
        word=word(f"{key}={text}"),
        key_span=NOWHERE,
        value_span=NOWHERE,
    )


MODEL_KEY = "actor_rollout_ref.model.path"


def plan(
    settings: Mapping[str, JsonValue] | None = None,
    *,
    framework: str = "verl",
    model: str | None = "Qwen/Qwen2.5-7B-Instruct",
    algorithm: str | None = "grpo",
    adapter: str | None = "",
    gpus: int | None = 8,
    train: str | None = "fsdp",
    infer: str | None = "vllm",
    batch: int | None = 1024,
    defaults: Defaults | None = VERL_DEFAULTS,
) -> Plan:
    """A plan whose cells are all known unless a None says otherwise."""
    given = tuple(setting(key, value) for key, value in (settings or {}).items())
    command = Command((), NOWHERE, {})
    return Plan(
        launch=Launch(command, framework, "verl.trainer.main_ppo", ()),
        framework=framework,
        configuration=Configuration(
            "0.9.1", "newest", "the newest release known", cast("KeyTable | None", defaults)
        ),
        settings=given,
        model=Field(model, key=MODEL_KEY),
        algorithm=Field(algorithm),
        adapter=Field(adapter),
        gpus=Field(gpus),
        train=Field(train),
        infer=Field(infer),
        train_batch_size=Field(batch),
    )
