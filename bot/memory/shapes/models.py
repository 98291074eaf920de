"""Which shape a model's name means: hub names, local paths, names of families, a config.json.

A name that fits none exactly is unknown: the defaults of a configuration class match no released
model, and a size alone (7B) is several shapes.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.base.messages import Message, message
from bot.base.regex import regex
from bot.memory.shapes.hub_numbers import NotReadError
from bot.memory.shapes.linear_attention import LinearAttention
from bot.memory.shapes.mixers import Mamba, ShortConvolution, SlidingAttention
from bot.memory.shapes.shape import Experts, Latent, Shape
from bot.memory.shapes.tower import Tower
from bot.script.name import is_checkpoint, naming_parts

# Words for a checkpoint, not for its shape.
_TUNED = regex(
    r"-(?:instruct|chat|base|it|pt|hf|think|thinking|deduped|terminus|preview|reasoning|plus|bf16|"
    r"fp16|sft|dpo|rl|rm|mixture|1m|8k|128k|"
    r"(?:0[1-9]|1[0-2]|19|2[0-9])\d\d)(?=-|\Z)"  # the last: a date, as YYMM, MMDD or a year
)
_VERSION = regex(r"-v\d+(?:\.\d+)*(?=-|\Z)")
_MAKERS = regex(r"\A(?:meta-|google-|nvidia-(?=nemotron)|deepseek-(?=r1-distill))+")
_CACHED = regex(r"(?<![^/])models--(?:[^/-]|-(?!-))+--([^/]+)(?:/snapshots/|/?\Z)")
_SAME_SHAPE = regex(
    r"\A(?:(qwen2\.5|qwen2)-(?:coder|math)-|(qwen3)-coder-(?=30b-a3b)|(gemma)-1\.1-)"
)
_COUSINS = regex(r"\b(qwen2(?:\.5)?)-(?:coder|math)(?=-\d)")
_GENERATION = regex(r"\A(glm-(?:4|z1)-\d+b)-0414")
"""A date that is the name of another shape: with two norms more in each layer."""
_OTHERWISE = regex(
    r"awq|gptq|gguf|mlx|nvfp4|fp[48]|int[48]|[48]bit|bnb|quant|eagle|draft|medusa|mtp|moe|merge|"
    r"embed|vl\b|vision|omni|audio|speech|image|video|prun|slim|expand|upscal"
)
"""Words for a model that is made of another one and has another shape, or other bytes."""
_QUANTIZED = regex(
    r"[-.](?:unsloth-)?(?:awq|gptq|gguf|mlx|hqq|exl\d|bnb|nf4|nvfp4|mxfp4|fp[48]|int[48]|[48]bit|"
    r"w\d+a\d+|quantized|dynamic|static|marlin|q[2-8](?:-[k01])?(?:-[sml])?)(?=[-.]|\Z)"
)
"""Words for a model whose weights take fewer bytes than its maker's."""
_SIZE = regex(r"\d{1,3}(?:\.\d)?b")
_APART = regex(r"(?<=[a-z])(?<!\db)-(?=\d)")
"""The hyphen of `qwen-2.5`, and none behind a size: `3b-5k`."""
_HOLDS = regex(r"(?:\A|[-_])(?:hf|models?|weights|checkpoints?)(?=[-_]|\Z)")
"""Words of a folder's name that say what it holds, beside the family: `hf_llama2_models/7B`."""
_CLOSE = 0.85
"""How similar a name must be for another to be meant (difflib's ratio): one letter of seven."""
_FEW = 3
"""How many known models may begin with a name, for one of them to be offered."""
_MAX_CONFIG = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model whose shape is known."""

    name: str
    """As its maker writes it, such as Qwen2.5-7B."""
    shape: Shape
    source: str
    """Where the shape comes from."""


FindModel: TypeAlias = Callable[[str], Model]
"""The model of a name or path; raises NoEstimateError when it is not known."""


def _keys(name: str) -> tuple[str, str]:
    """A name without the words that do not concern the shape, and the same without its version."""
    low = name.lower().replace("___", ".").replace("_", "-").replace(" ", "-")
    low = _GENERATION.sub(r"\1.0414", low)
    low = _TUNED.sub("", _SAME_SHAPE.sub(r"\1\2\3-", _MAKERS.sub("", low)))
    short = _VERSION.sub("", low)
    # A name without any number (DeepSeek) may be each of its maker's models.
    return low, short if re.search(r"\d", short) else low


@cache
def _file() -> Mapping[str, Any]:
    data: dict[str, Any] = json.loads((Path(__file__).parent / "shapes.json").read_bytes())
    return data


@cache
def _names_by_key() -> Mapping[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name in _file()["models"]:
        for key in dict.fromkeys(_keys(name)):
            names.setdefault(key, []).append(name)
    return names


@cache
def _model(name: str) -> Model:
    row, made_from = _file()["models"][name], _file()["made_from"]
    source = row["source"]
    where = f"{source} ({made_from})" if source != "rows.json" else "its config.json"
    return Model(name=name, shape=read_shape(row), source=where)


def _of_key(key: str) -> Model | None:
    """The model of a key; None without one, and where several shapes share it."""
    made = [_model(name) for name in _names_by_key().get(key, ())]
    return made[0] if made and all(other.shape == made[0].shape for other in made) else None


@cache
def models_by_key() -> Mapping[str, Model]:
    """Every known model by its key; a key that several shapes would share is left out."""
    return {key: model for key in _names_by_key() if (model := _of_key(key)) is not None}


@cache
def pinned() -> Mapping[str, int]:
    """Name to the count of parameters that was computed without our formulas."""
    return {name: row["parameters"] for name, row in _file()["models"].items()}


@lru_cache(maxsize=64)
def find(path: str) -> Model | None:
    """The model that a hub name or a local path names; None when that is not certain.

    Of a path the last part counts, or one before it when what follows is a mere `hf` or a number
    of a checkpoint; a hub cache (`models--Qwen--Qwen2.5-7B/snapshots/…`) names its model itself.
    ModelScope's writes `___` for a dot.
    """
    cached = _CACHED.search(path)
    if cached:
        return _named(cached[1])
    parts = [part for part in path.rstrip("/").split("/") if part]
    for part in reversed(parts[-5:]):
        model = _named(part)
        if model is not None:
            return model
        if not is_checkpoint(part):
            return None
    return None


def _named(name: str) -> Model | None:
    model = _of_key(_keys(name)[0])
    if model is None or model.shape.experts is None or "bf16" not in name.lower():
        return model
    # Somebody widened the experts that their maker publishes in fewer bits.
    widened = replace(model.shape.experts, checkpoint_bytes=2.0)
    return replace(model, shape=replace(model.shape, experts=widened))


def guess(path: str) -> Model | None:
    """The model whose whole name is part of the last part of a path, or that it was trained from.

    A reward model or a further training is often called after what it was made from
    (`Skywork-Reward-V2-Llama-3.2-1B`, `multiturn-sft-qwen-2.5-7b-instruct`). It has that shape as a
    rule; nothing may be called impossible because of it. A folder that is called after a size has
    its family from the one above. None when no name is found, or several.
    """
    from bot.memory.shapes.fine_tunes import (
        trained_from,  # Its expressions cost a start two milliseconds.
    )

    cached = _CACHED.search(path)
    parts = naming_parts(cached[1] if cached else path)
    if len(parts) > 1 and _SIZE.fullmatch(parts[-1].lower()):
        family = _HOLDS.sub("", parts[-2].lower()).strip("-_")
        # Without a number a family has several models of a size: Qwen/7B.
        parts = [f"{family}-{parts[-1]}"] if re.search(r"\d", family) else []
    for part in reversed(parts[-2:]):
        name = _COUSINS.sub(r"\1", part.lower().replace("_", "-"))
        name = _APART.sub("", name)
        if _OTHERWISE.search(name):
            return None
        base = trained_from(part)
        if base is not None:
            return _named(base)
        found = {
            len(key): model
            for key, model in models_by_key().items()
            if re.search(r"\db(?:-|\Z)", key) and _within(_APART.sub("", key), name)
        }
        if found:
            return found[max(found)]
    return None


def near(path: str) -> str | None:
    """The name of a known model that may be meant; None when none is close.

    One that is the name without its words for a quantization; the only ones that begin with it;
    or one that is a few letters, or one number, away.
    """
    name = _unquantized(path)
    models = models_by_key()
    if name in models:
        return models[name].name
    longer = {model.name for key, model in models.items() if key.startswith(f"{name}-")}
    if 0 < len(longer) <= _FEW:
        return max(longer)
    names = {**{model.name.lower(): model for model in models.values()}, **models}
    for close in difflib.get_close_matches(name, names, n=5, cutoff=_CLOSE):
        if _numbers_agree(name, close):
            return names[close].name
    return None


_HOLE = regex(r"\$\{\?(?:variable (\w{1,99}) is not set)?[^}]{0,500}\}")
"""What nobody knows of a path, and the variable that it is."""


def not_known(path: str) -> Message:
    """A sentence: the shape of a path's model is not known, and which one may be meant."""
    close = near(path)
    path = _HOLE.sub(lambda found: f"${found[1]}" if found[1] else "…", path)
    if close is None:
        return message("The shape of the model {path} is not known.", path=path)
    if _QUANTIZED.search(path.lower()):
        return message(
            "{path} is quantized, and what its weights take is not known; {near} is known.",
            path=path,
            near=close,
        )
    return message(
        "The shape of the model {path} is not known; that of {near} is.", path=path, near=close
    )


def _unquantized(path: str) -> str:
    name = "".join(naming_parts(path)[-1:]).lower().replace("_", "-")
    return _keys(_QUANTIZED.sub("", name))[0]


def _numbers_agree(name: str, other: str) -> bool:
    """Whether two names have the same digits, or one number apart and all else alike."""
    mine, theirs = re.findall(r"\d+", name), re.findall(r"\d+", other)
    if "".join(mine) == "".join(theirs):
        return True
    alike = re.sub(r"\d+", "", name) == re.sub(r"\d+", "", other)
    alike = alike and len(mine) == len(theirs)
    return alike and sum(a != b for a, b in zip(mine, theirs, strict=True)) == 1


def _within(key: str, name: str) -> bool:
    at = name.find(key)
    while at >= 0:
        around = name[at - 1 : at] if at else "", name[at + len(key) : at + len(key) + 1]
        if not any(one and (one.isalnum() or one in "_.") for one in around):
            return True
        at = name.find(key, at + 1)
    return False


def from_config(name: str, data: bytes) -> Model:
    """The model that the bytes of a config.json describe.

    A tower that is not counted is that of the model whose name it is, where the text is alike.
    Raises NotReadError, with a sentence, when they are too many, are no JSON object, or describe a
    model whose parameters cannot be counted.
    """
    from bot.memory.shapes.hub_config import read_config  # Seldom asked for.

    if len(data) > _MAX_CONFIG:
        raise NotReadError("it is larger than any model's configuration")
    try:
        config = json.loads(data)
    except (ValueError, RecursionError):
        raise NotReadError("it is no JSON") from None
    if not isinstance(config, dict):
        raise NotReadError("it holds no object")
    try:
        shape = read_config(config)
    except NotReadError:
        known = _known_tower(name, config)
        if known is None:
            raise
        return known
    if not 0 < shape.parameters < 10**13 or not shape.heads or not shape.hidden:
        raise NotReadError("its numbers make no model")
    return Model(name=name, shape=shape, source="the config.json in the model's folder")


def _known_tower(name: str, config: Mapping[str, Any]) -> Model | None:
    """The model of a name whose tower is not counted, where the file describes its text."""
    from bot.memory.shapes.hub_config import read_config

    known = find(name)
    if known is None or not known.shape.vision:
        return None
    try:
        made = read_config(config, beside=known.shape.vision)
    except NotReadError:
        return None
    return known if made == replace(known.shape, tower=None) else None


def read_shape(row: Mapping[str, Any]) -> Shape:
    """The shape of a row of shapes.json."""
    fields = {k: v for k, v in row.items() if k not in ("parameters", "source")}
    if fields.get("experts"):
        fields["experts"] = Experts(**fields["experts"])
    if fields.get("latent"):
        fields["latent"] = Latent(**fields["latent"])
    if fields.get("tower"):
        fields["tower"] = Tower(**fields["tower"])
    if fields.get("linear"):
        fields["linear"] = _mixer(fields["linear"])
    return Shape(**fields)


def _mixer(
    row: Mapping[str, Any],
) -> LinearAttention | Mamba | ShortConvolution | SlidingAttention:
    """The layers that keep a state, told apart by a number that only one kind has."""
    if "window" in row:
        return SlidingAttention(**row)
    if "state_size" in row:
        return Mamba(**row)
    return ShortConvolution(**row) if "width" in row else LinearAttention(**row)
