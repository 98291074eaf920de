"""The model that a program gives TRL's trainer in its own Python: `GRPOTrainer(model=model, …)`.

It is named, or loaded by `from_pretrained`, perhaps quantized, and may get an adapter by PEFT. What
comes of it are options that TRL's scripts have (`ModelConfig`). Read as a syntax tree, never
run: by names that are assigned in the same function or module, and through functions of the file.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.frameworks.programs.beside import is_tower, let_go, others_of, reference_of, reward_models
from bot.frameworks.programs.model_written import ENABLES, SWITCHES, ModelWritten, recomputes
from bot.frameworks.programs.trainers import BESIDE, OF_LOADING, PLACES
from bot.frameworks.python import unsloth
from bot.frameworks.python.loading import (
    REQUIRES,
    calls_before,
    gradients_set,
    is_model,
    is_name,
    is_value,
    kernel_of,
    placed,
)
from bot.frameworks.python.mappings import keywords_of
from bot.frameworks.python.scope import Scope
from bot.frameworks.python.source import UnfollowedError, written
from bot.frameworks.python.statements import keeps
from bot.frameworks.python.torch_types import known_type
from bot.shell.words import Placed, Unsloth

_LOADS: Final = "from_pretrained"
_LORA: Final = {
    "r": "lora_r",
    "lora_dropout": "lora_dropout",
    "target_modules": "lora_target_modules",
    "target_parameters": "lora_target_parameters",
    "modules_to_save": "lora_modules_to_save",
    "use_dora": "use_dora",
    "use_rslora": "use_rslora",
}
"""Fields of PEFT's `LoraConfig` to TRL's options."""
_LORA_OF: Final = {option: name for name, option in _LORA.items()} | {
    "model_name_or_path": "model_name"
}
_LIGHT: Final = OF_LOADING | BESIDE - {
    "model",
    "peft_config",
    "quantization_config",
    "ref_model",
    "reward_funcs",
    "teacher_model",
}
"""What a trainer or `from_pretrained` may be given or not without another model or adapter."""
_AS_LARGE: Final = frozenset(
    ("lora_alpha", "bias", "task_type", "init_lora_weights", "inference_mode", "fan_in_fan_out")
)
"""Fields that leave an adapter as large as it is."""
_DEFAULTS: Final = {"r": 8, "lora_dropout": 0.0}
"""Of PEFT's adapters; TRL's options have 16 and 0.05."""
_BITS: Final = ("load_in_4bit", "load_in_8bit")
_QUANTIZED: Final = {"bnb_4bit_use_double_quant": "use_bnb_nested_quant"} | {n: n for n in _BITS}
"""Fields of transformers' `BitsAndBytesConfig` to TRL's options."""
_MXFP4: Final = "Mxfp4Config"
_TYPES: Final = ("dtype", "torch_dtype")
_CHANGES: Final = frozenset(("config", "gguf_file", "tp_plan", "variant"))
"""Arguments of `from_pretrained` that may make another model of it."""
_CASTS: Final = {"half": "float16", "bfloat16": "bfloat16", "float": "float32"}  # `.half()`
_Given: TypeAlias = dict[str, ast.expr]


def model_of(
    call: ast.Call, scope: Scope, settings: Mapping[str, ast.expr], own: str
) -> ModelWritten:
    """The model that a call in a scope gives the trainer that it makes: `own`, or "" for TRL's."""
    program = _Program(scope.tree, call, scope)
    try:
        found = program.model(settings)
    except (LookupError, RecursionError) as error:  # Also where an argument is missing.
        what = error.args[0] if isinstance(error, LookupError) else "model"
        found = ModelWritten((), unfollowed=str(what))
    return replace(found, trains_with=own, adapted=program.adapted, to_adapt=program.to_adapt)


@dataclass(slots=True)
class _Program:
    tree: ast.Module
    call: ast.Call
    """What makes the trainer."""
    trainer: Scope
    """Where that stands."""
    options: list[tuple[ast.keyword, Scope]] = field(default_factory=list)
    loads: list[ast.Call] = field(default_factory=list)
    """What loads the model itself."""
    adapter: tuple[ast.expr, Scope] | None = None
    adapts: ast.Call | None = None
    """What puts that adapter, or a stored one, on the model."""
    stored: ast.Call | None = None
    """What loads an adapter of an earlier training."""
    frozen: bool = False
    """Whether that adapter is not trained."""
    tower_frozen: bool = False
    prepared: bool = False
    adapted: bool = False
    to_adapt: bool = False
    reference: bool = False
    """Whether a reference is given."""
    placed: Placed = None
    unsloth: Unsloth | None = None
    recomputes: bool = False
    """Whether unsloth's layers are recomputed."""

    def model(self, settings: Mapping[str, ast.expr]) -> ModelWritten:
        """What a trainer is given; raises UnfollowedError where only running tells."""
        call, scope = self.call, self.trainer
        given = self._arguments(call, scope, *self._places())
        if "model" not in given:
            raise UnfollowedError("model")
        self._follow(given["model"], scope, call.lineno)
        if not self.loads:
            self._named(given, settings, scope)
        peft = given.get("peft_config", ast.Constant(None))
        made = scope.value(peft)[0]
        self.adapted = (self.adapter or self.stored) is not None
        self.to_adapt = isinstance(made, ast.Call)
        if self.adapter is None and not is_value(made, None):
            self.adapter = peft, scope
        if self.adapter is not None:
            self._adapt(*self.adapter)
        self._go_on(scope)
        prepares = calls_before(call, scope, "prepare_model_for_kbit_training")  # Works in place.
        self.prepared |= bool(prepares)
        enabled = calls_before(call, scope, *ENABLES)
        if self.unsloth:
            enabled = [self.loads[0]] if self.recomputes else []
        if enabled and settings.keys().isdisjoint(SWITCHES):
            self._option(SWITCHES[0], ast.Constant(True), enabled[0], scope)
        if scope.run.parsed is not None:
            for name in sorted(given.keys() - BESIDE - {"args"}):  # Settings too, before 0.16.
                self._say(name, given[name], scope)
        loads, named = others_of(given, scope, self._arguments)
        self.loads += loads
        for name, told in named.items():
            self._say(name, *told)
        judges = reward_models(given.get("reward_funcs"), scope)
        self.options += [(ast.keyword("reward_model_name_or_path", one), scope) for one in judges]
        self._beside(given, scope, call)
        return ModelWritten(
            tuple(self.options),
            self.prepared,
            self.placed,
            goes_on=self.stored is not None,
            reference=self.reference and (self.stored or self.adapter) is not None,
            unsloth=self.unsloth,
            recomputed=recomputes(self.prepared, prepares, call, scope),
            tower_frozen=self.tower_frozen,
        )

    def _places(self) -> tuple[str, ...]:
        return PLACES.get(written(self.call.func).rpartition(".")[2], ("model",))

    def _go_on(self, scope: Scope) -> None:
        """What an adapter of an earlier training comes to, with the parameters that are trained."""
        set_so = [*gradients_set(scope, self.loads, self.adapts)]
        self.tower_frozen = "tower" in set_so
        if "frozen" in set_so:
            raise UnfollowedError("model")
        if self.stored is not None and (
            self.adapter is not None or (self.frozen and "adapter" not in set_so)
        ):
            raise UnfollowedError("PeftModel")
        if "some" in set_so and (self.stored or self.adapter) is not None:
            raise UnfollowedError(REQUIRES)  # Of a frozen model more than the adapter is trained.
        if self.stored is not None:
            self._option("use_peft", ast.Constant(True), self.stored, scope)

    def _arguments(self, call: ast.Call, scope: Scope, *names: str) -> _Given:
        """The arguments of a call by name; those by place have the names that are given."""
        found = keywords_of(call, scope)
        if found is None or len(call.args) > len(names):
            raise UnfollowedError(written(call.func))
        if unsure := found.unsure - _LIGHT:
            raise UnfollowedError(min(unsure))
        given = dict(zip(names, call.args, strict=False))
        return given | {str(one.arg): one.value for one in found.settings}

    # The model

    def _follow(self, node: ast.expr, scope: Scope, before: int) -> None:
        """Follow an expression to what names or loads the model."""
        shown, (node, scope) = node, scope.step(node, before)
        if isinstance(node, ast.Call):
            self._follow_call(node, scope)
        elif isinstance(node, ast.Name) or not is_name(node, scope):
            raise UnfollowedError(written(node))
        else:
            self._option("model_name_or_path", scope.constant(node), shown, scope)

    def _follow_call(self, node: ast.Call, scope: Scope) -> None:
        called = written(node.func).rpartition(".")[2]
        method = unsloth.method_of(node)
        if method and unsloth.patches(scope.tree):
            self._follow_unsloth(node, method, scope)
        elif written(node.func) == f"PeftModel.{_LOADS}" and self.stored is None:
            self._follow_stored(node, scope)
        elif called == _LOADS and is_model(node) and "Peft" not in written(node.func):
            self.loads.append(node)
            self._load(self._arguments(node, scope, "pretrained_model_name_or_path"), scope)
        elif called == "get_peft_model" and self.adapter is None:
            given = self._arguments(node, scope, "model", "peft_config")
            self.adapter, self.adapts = (given["peft_config"], scope), node
            self._follow(given["model"], scope, node.lineno)
        elif called == "prepare_model_for_kbit_training":
            self.prepared = True
            given = self._arguments(node, scope, "model")
            self._follow(given["model"], scope, node.lineno)
        elif isinstance(node.func, ast.Attribute):
            self._follow_method(node, node.func, scope)
        else:
            raise UnfollowedError(called)

    def _follow_method(self, node: ast.Call, method: ast.Attribute, scope: Scope) -> None:
        """Follow a method of a model that gives it back."""
        casts = method.attr in _CASTS and not node.args
        if not (casts or method.attr == "merge_and_unload" or keeps(node)):
            raise UnfollowedError(method.attr)
        self._follow(method.value, scope, node.lineno)
        if casts:
            self.options = [one for one in self.options if one[0].arg != "dtype"]
            self._option("dtype", ast.Constant(_CASTS[method.attr]), node, scope)
        elif method.attr == "merge_and_unload":
            self.stored = None

    def _follow_stored(self, node: ast.Call, scope: Scope) -> None:
        """Follow a model with an adapter of an earlier training, which is trained on, or merged."""
        given = self._arguments(node, scope, "model", "model_id")
        self.stored = self.adapts = node
        self._follow(given["model"], scope, node.lineno)
        self.loads.append(node)
        trains = given.get("is_trainable", ast.Constant(False))
        self.frozen = not is_value(scope.constant(trains), True)

    def _follow_unsloth(self, node: ast.Call, method: str, scope: Scope) -> None:
        """Follow a model that unsloth loads, or gives an adapter."""
        loads = method == _LOADS
        given = self._arguments(node, scope, *(unsloth.LOADING if loads else unsloth.ADAPTING))
        known = {name: scope.constant(given[name]) for name in given if name in unsloth.READ}
        told = {name: one.value for name, one in known.items() if isinstance(one, ast.Constant)}
        if unknown := known.keys() - told.keys() - unsloth.OPEN:
            raise UnfollowedError(min(unknown))
        if self.unsloth is None:  # The last of its calls says it.
            self.recomputes, offloads = unsloth.recomputes(told)
            self.unsloth = Unsloth(offloads)
        away = self.unsloth.embedding_on_host or bool(told.get("offload_embedding"))
        longest = unsloth.longest(told) or self.unsloth.longest
        self.unsloth = replace(self.unsloth, embedding_on_host=away, longest=longest)
        if (share := unsloth.engine(told)) is not None:
            self.unsloth = replace(self.unsloth, engine=share, standby=unsloth.stands_by(self.tree))
        options = unsloth.loaded(told) if loads else unsloth.adapted(told)
        for name, value in options.items():
            self._option(name, ast.Constant(value), given.get(_LORA_OF.get(name, ""), node), scope)
        if not loads:
            self._follow(given["model"], scope, node.lineno)
            return
        self.loads.append(node)
        if "model_name_or_path" not in options:
            self._say("model_name_or_path", given["model_name"], scope)
        if "max_seq_length" in given and unsloth.UNCUT.isdisjoint(self._places()):
            self._say("max_seq_length", given["max_seq_length"], scope)

    def _load(self, given: _Given, scope: Scope) -> None:
        """What `from_pretrained` is given, or the trainer hands on to it."""
        if _CHANGES.intersection(given) or "" in given:
            raise UnfollowedError(_LOADS)
        if (named := given.get("pretrained_model_name_or_path")) is not None:
            self._say("model_name_or_path", named, scope)
        for name in _TYPES:
            if name in given and not is_value(kind := known_type(given[name], scope), None):
                self._option("dtype", kind, given[name], scope)
        if "attn_implementation" in given:
            kernel = kernel_of(given["attn_implementation"], scope)
            self._option("attn_implementation", kernel, given["attn_implementation"], scope)
        for name in _BITS:
            if name in given:
                self._say(name, given[name], scope)
        quantized = given.get("quantization_config")
        if quantized is not None:
            self._quantize(quantized, scope)
        where = given.get("device_map")
        if where is not None:
            self.placed = placed(where, scope)

    def _named(self, given: _Given, settings: Mapping[str, ast.expr], scope: Scope) -> None:
        """A model that the trainer loads by its name, in fp32 unless `model_init_kwargs` says."""
        more = settings.get("model_init_kwargs")
        loading: _Given = {}
        if more is not None and not is_value(value := scope.value(more)[0], None):
            if isinstance(value, ast.Dict):
                keys = (
                    str(key.value) if isinstance(key, ast.Constant) else "" for key in value.keys
                )
                loading = dict(zip(keys, value.values, strict=True))
            elif isinstance(value, ast.Call) and written(value.func) == "dict":
                loading = self._arguments(value, scope)
            else:
                raise UnfollowedError("model_init_kwargs")
        if (quantized := given.get("quantization_config")) is not None:
            loading["quantization_config"] = quantized
        ((name, there),) = self.options
        self.options = []
        self._load(loading, scope)
        if "device_map" not in loading:
            self.placed = "named"
        self.options.insert(0, (name, there))
        if not loading.keys() & _TYPES:
            self._option("dtype", ast.Constant("float32"), name.value, scope)

    def _quantize(self, node: ast.expr, scope: Scope) -> None:
        """What a configuration makes of the weights: four bits unless it has eight.

        It is so too where it has neither (`AutoHfQuantizer.from_config` of transformers takes its
        quantizer of four bits, and `_replace_with_bnb_linear` its modules).
        """
        node, scope = scope.value(node)
        if is_value(node, None) or _of_options(node, scope, "get_quantization_config"):
            return
        name = written(node.func) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or not name.endswith(("BitsAndBytesConfig", _MXFP4)):
            raise UnfollowedError("quantization_config")
        given = self._arguments(node, scope)
        if name.endswith(_MXFP4) and not is_value(given.get("dequantize", node), True):
            raise UnfollowedError("quantization_config")
        for key, option in _QUANTIZED.items():
            if key in given:
                self._say(option, given[key], scope)
        if name.endswith("BitsAndBytesConfig") and all(
            is_value(scope.constant(given.get(bits, ast.Constant(False))), False) for bits in _BITS
        ):
            self._option("load_in_4bit", ast.Constant(True), node, scope)

    # The adapter

    def _adapt(self, node: ast.expr, scope: Scope) -> None:
        node, scope = scope.value(node)
        if _of_options(node, scope, "get_peft_config"):
            return
        if not isinstance(node, ast.Call) or not written(node.func).endswith("LoraConfig"):
            raise UnfollowedError("peft_config")
        given = self._arguments(node, scope)
        left_out = given.pop("exclude_modules", None)
        if not given.keys() <= _LORA.keys() | _AS_LARGE or not is_tower(left_out, scope):
            raise UnfollowedError("LoraConfig")
        self._option("use_peft", ast.Constant(True), node, scope)
        for name, default in _DEFAULTS.items():
            given.setdefault(name, ast.copy_location(ast.Constant(default), node))
        for name, option in _LORA.items():
            if name in given and not is_value(given[name], None):
                self._say(option, given[name], scope)

    # What is beside it

    def _beside(self, given: _Given, scope: Scope, call: ast.Call) -> None:
        """Refuse other models that are there while it trains; DPO's reference is one more copy."""
        loads, self.reference = reference_of(given.get("ref_model"), scope, self.loads[:1])
        self.loads += loads
        found = [one for one in calls_before(call, scope, _LOADS) if is_model(one)]
        if any(one not in self.loads and not let_go(one, call, scope.tree) for one in found):
            raise UnfollowedError(_LOADS)

    # Values

    def _say(self, option: str, node: ast.expr, scope: Scope) -> None:
        """Add an option with the value of an expression, which is a hole where it is not known."""
        try:
            value = scope.constant(node)
        except UnfollowedError:
            value = node
        self._option(option, value, node, scope)

    def _option(self, option: str, value: ast.expr, place: ast.expr, scope: Scope) -> None:
        placed = place if hasattr(place, "lineno") else self.call
        if isinstance(value, ast.Constant) or not hasattr(value, "lineno"):
            value = ast.copy_location(copy.copy(value), placed)
        self.options.append((ast.keyword(option, value), scope))


def _of_options(node: ast.expr, scope: Scope, function: str) -> bool:
    """Whether it is what a function of TRL's makes of the options of `ModelConfig`."""
    return scope.run.parsed is not None and (
        isinstance(node, ast.Call) and written(node.func).rpartition(".")[2] == function
    )
