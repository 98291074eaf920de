"""The engine of verl's rollout, a reward model among the trainers, teachers beside them.

Sources: `workers/rollout/`, `experimental/reward_loop/` and `experimental/teacher_loop/` of verl
0.3 to 0.9.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal

from bot.base.messages import plural_message
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import version_at_least
from bot.frameworks.verl.teachers import ALONE, ENTRIES, teachers
from bot.memory.readers.lengths import Lengths, batch_tokens
from bot.memory.readers.settings import MemorySettings, NoEstimateError, needed
from bot.memory.readers.verl.passes import batch_of, fullest_pass
from bot.memory.shapes.models import Model
from bot.memory.workload import Engine, Layout, Offload, Pool, Role, Tokens

_ROLLOUT = "actor_rollout_ref.rollout"
_TENSORRT = "trtllm"
_GIVEN = {
    "vllm": f"{_ROLLOUT}.engine_kwargs.vllm.gpu_memory_utilization",
    "sglang": f"{_ROLLOUT}.engine_kwargs.sglang.mem_fraction_static",
    "hf": f"{_ROLLOUT}.gpu_memory_utilization",
    _TENSORRT: f"{_ROLLOUT}.engine_kwargs.trtllm.kv_cache_config.free_gpu_memory_fraction",
}
"""Engine to its share as its own argument, which is put over the rollout's (`vllm_async_server.py`,
`async_sglang_server.py`, `trtllm_async_server.py`)."""
_KINDS: Mapping[str, Literal["vllm", "sglang", "hf"]] = {
    "vllm": "vllm",
    "sglang": "sglang",
    "sglang_async": "sglang",
    "hf": "hf",
}
USUAL_ENGINE: Final = "vllm"
"""verl's own up to 0.5; a launch has to name one since."""
_BATCHED = 8192
"""`max_num_batched_tokens` of verl's `RolloutConfig`."""
_SLEEPS = (f"{_ROLLOUT}.free_cache_engine", f"{_ROLLOUT}.enable_sleep_mode")
_CACHE = f"{_ROLLOUT}.engine_kwargs.vllm.kv_cache_memory_bytes"


def reward(
    get: MemorySettings, plan: Plan, find: Callable[[str], Model], lengths: Lengths, actor: Role
) -> list[Role]:
    """A reward model among the trainers; one with a pool of its own is not on these GPUs.

    A server since 0.7. Before, a worker: FSDP's has its weights on the host between passes
    (`CPUOffload`), Megatron's is spread as the actor is, whatever its own sizes say.
    """
    gpus = actor.layout.gpus
    for prefix, key in (("reward.reward_model", "model_path"), ("reward_model", "model.path")):
        if not get.on(False, f"{prefix}.enable"):
            continue
        if get.on(False, f"{prefix}.enable_resource_pool"):
            return []
        path = get.path(f"{prefix}.{key}", f"{prefix}.model_path", f"{prefix}.model.path")
        model = find(needed(path, "The reward model is not known.")).shape
        server = version_at_least(plan, 0, 7)
        megatron = not server and get.text(f"{prefix}.strategy") == "megatron"
        if server:
            shard = get.size(f"{prefix}.rollout.tensor_model_parallel_size")
            idle = get.on(True, f"{prefix}.rollout.free_cache_engine")
        else:
            shard = gpus
            get.on(False, f"{prefix}.model.fsdp_config.param_offload")
            idle = get.on(False, f"{prefix}.megatron.param_offload")
        layout = actor.layout if megatron else Layout(gpus=gpus, shard=min(shard, gpus))
        if megatron:
            get.pass_over(f"{prefix}.megatron.", "_parallel_size")
        moved: Offload = "idle" if idle else "none"
        scored = None if server else _scored(get, prefix, layout, lengths)
        return [
            Role(
                name="reward",
                shape=model,
                head="value",
                trained=False,
                backend="megatron" if megatron else "fsdp",
                layout=layout,
                weight_bytes=2.0,
                weights_offload=moved if server or megatron else "always",
                forward=scored or batch_tokens(1, lengths),
            )
        ]
    return []


def _scored(get: MemorySettings, below: str, layout: Layout, lengths: Lengths) -> Tokens | None:
    """What a reward model of verl's workers (up to 0.6) scores at once; None where nothing says."""
    batch = batch_of(
        get,
        dynamic=get.on(False, f"{below}.use_dynamic_bsz"),
        limit=(f"{below}.forward_max_token_len_per_gpu",),
        each=f"{below}.micro_batch_size_per_gpu",
        over_all=f"{below}.micro_batch_size",
    )
    padded = not get.on(False, f"{below}.model.use_remove_padding")
    sequences = (step_prompts(get) or 1) * get.size(f"{_ROLLOUT}.n")
    whole = fullest_pass(
        layout, batch, sequences, lengths, padding="allowed" if padded else "removed"
    )
    return whole.tokens if whole is not None else None


def step_prompts(get: MemorySettings) -> int | None:
    """Prompts of a step; None when they are not set.

    Where trainer and rollout do not wait for each other they are 0 (`fully_async_main.py`).
    """
    key, keys = "data.train_batch_size", (setting.key for setting in get.plan.settings)
    if "async" in get.plan.launch.entry or any(one.startswith("async_training.") for one in keys):
        return get.whole(key)
    return get.count(key)


def engine_name(get: MemorySettings) -> str | None:
    """The engine that the rollout is told to use; None where nothing names one."""
    return get.text(f"{_ROLLOUT}.name")


def engine(get: MemorySettings, plan: Plan, actor: Role, lengths: Lengths) -> tuple[Engine, int]:
    """The engine, and the GPUs of its own when it has some."""
    gpus = actor.layout.gpus
    named = engine_name(get) or USUAL_ENGINE
    tensorrt = named.lower() == _TENSORRT
    kind = USUAL_ENGINE if tensorrt else _kind(named)
    own_process = version_at_least(plan, 0, 7, 1)
    apart = _own_gpus(get)
    tensor = get.size(f"{_ROLLOUT}.tensor_model_parallel_size")
    home = apart or gpus
    if home % tensor:
        raise NoEstimateError(
            plural_message(
                "{key}.tensor_model_parallel_size is {tensor}, which does not divide {count} GPU.",
                "{key}.tensor_model_parallel_size is {tensor}, which does not divide {count} GPUs.",
                home,
                key=_ROLLOUT,
                tensor=tensor,
            )
        )
    # Replicas of an engine have its size each; experts are spread by their own.
    get.whole(f"{_ROLLOUT}.data_parallel_size")
    longest = get.limit(f"{_ROLLOUT}.max_model_len") or lengths.longest
    first = _wakes_first(get, plan)
    described = Engine(
        name=kind,
        shape=actor.shape,
        tensor=tensor,
        fraction=get.share(
            0.5, _GIVEN[_TENSORRT if tensorrt else kind], f"{_ROLLOUT}.gpu_memory_utilization"
        ),
        # TensorRT-LLM's `free_gpu_memory_fraction` is its cache's of what is free beside all else.
        share_of="free" if tensorrt else _share_of(plan) if kind == "vllm" and not apart else "own",
        # `init_model` of `fsdp_workers.py` offloads the actor before the engine starts since 0.4.
        starts_beside=() if version_at_least(plan, 0, 4) else ("actor",),
        cache_bytes=get.limit(_CACHE) if kind == "vllm" else None,
        weight_bytes=_weights(get, _ROLLOUT),
        sequence_tokens=longest,
        sleeps=_sleeps(get, plan) and not apart,
        sleeps_with=" ".join(f"{key}=True" for key in _SLEEPS if not get.on(True, key)),
        wakes_first=first,
        wakes_beside_cache=first and not version_at_least(plan, 0, 9),
        in_process=kind == "hf" or (kind == "vllm" and not (own_process or apart or tensorrt)),
        expert=get.size(f"{_ROLLOUT}.expert_parallel_size"),
        pipeline=get.size(f"{_ROLLOUT}.pipeline_model_parallel_size"),
    )
    return _writing(get, plan, described, actor, lengths) if kind == "hf" else described, apart


def _writing(
    get: MemorySettings, plan: Plan, engine: Engine, actor: Role, lengths: Lengths
) -> Engine:
    """The trained model itself as it writes (`hf_rollout.py`); no release starts so since 0.6.

    All prompts of a GPU are written at once, unless `micro_batch_size` parts them. FSDP1's weights
    are whole meanwhile, in the type of their shards (`summon_full_params`).
    """
    if version_at_least(plan, 0, 6):
        raise NoEstimateError(
            "verl {release} has no rollout {name}: the last release with it is 0.5 (--framework "
            "verl@0.5.0).",
            release=plan.configuration.release,
            name=engine_name(get),
        )
    prompts = -(-(get.count("data.train_batch_size") or 1) // actor.layout.gpus)
    chunks = max(1, prompts // (get.count(f"{_ROLLOUT}.micro_batch_size") or prompts))
    divided = actor.backend == "fsdp" and actor.layout.shard > 1
    return replace(
        engine,
        sequences=-(-prompts // chunks) * get.size(f"{_ROLLOUT}.n"),
        prompt_tokens=lengths.prompt_max,
        gathered_parameters=round(actor.parameters * actor.weight_bytes / 2) if divided else 0,
    )


def _sleeps(get: MemorySettings, plan: Plan) -> bool:
    """Whether an engine gives its weights and its cache back between rollouts.

    From 0.3 to 0.4.1 the sharding managers ask nobody (`__exit__` of `fsdp_vllm.py` and
    `megatron_vllm.py`, `release_memory_occupation` of `fsdp_sglang.py`): `free_cache_engine` is for
    vLLM up to 0.6.3 there.
    """
    always = version_at_least(plan, 0, 3) and not version_at_least(plan, 0, 5)
    return get.all_on(True, *_SLEEPS) or always


def _wakes_first(get: MemorySettings, plan: Plan) -> bool:
    """Whether an engine has its weights back before the trainer's are collected.

    `update_weights` of verl's `engine_workers.py`, with which all train since 0.8, and with
    `trainer.use_legacy_worker_impl=disable` in 0.7.1. Torch's cache is emptied before that since
    0.9.0; `rollout_mode` of the workers before and `wake_up` of 0.7.0 empty it and collect first.
    """
    chosen = get.text("trainer.use_legacy_worker_impl") == "disable"
    return version_at_least(plan, 0, 8) or (chosen and version_at_least(plan, 0, 7, 1))


def handed_over(get: MemorySettings, role: Role) -> Role:
    """A role with what is whole while FSDP1 hands weights to the engine; nothing is in parts.

    `collect_lora_params` of verl's `utils/fsdp_utils.py` (0.4 to 0.9.1) summons all parameters of
    the model, in the type of the shards, unless `layered_summon` is on; so does a merge
    (`lora.merge`). Where the engine began with made-up weights (`load_format`, the default), it
    hands the base over once, and moves it to the host and back while it is summoned, so that a
    second copy stands beside (up to 0.5: `sharding_manager/fsdp_vllm.py`). One rank alone has all
    whole and makes one copy, that one or the clones of its `state_dict` (`FULL_STATE_DICT` of
    verl's workers from 0.3, `_full_post_state_dict_hook` of torch), with an adapter and without.
    FSDP2's are gathered one by one.
    """
    if role.backend != "fsdp":
        return role
    alone = role.layout.shard == 1
    if role.adapter is None:
        return replace(role, sync_whole_bytes=role.weight_bytes) if role.layout.gpus == 1 else role
    merged = get.on(False, "actor_rollout_ref.model.lora.merge")
    layered = get.on(False, f"{_ROLLOUT}.layered_summon")
    if (alone and role.layout.gpus > 1) or (layered and not merged):
        return role
    made_up = "dummy" in (get.text(f"{_ROLLOUT}.load_format") or "")
    return replace(
        role,
        sync_whole_bytes=role.weight_bytes,
        sync_copied=made_up and not merged and not alone,
    )


def _own_gpus(get: MemorySettings) -> int:
    """GPUs that the rollout has for itself; 0 where it shares the trainers'.

    `rollout` is that of the asynchronous trainers.
    """
    for pool in ("rollout", _ROLLOUT):
        nodes = get.limit(f"{pool}.nnodes")
        if nodes:
            return nodes * (get.limit(f"{pool}.n_gpus_per_node") or 0)
    return 0


def teacher_pools(
    get: MemorySettings, find: Callable[[str], Model], lengths: Lengths, vocab: int
) -> list[Pool]:
    """The teachers of a distillation, each on GPUs of its own (`teacher_pool` of `main_ppo`).

    A student's sequence is a teacher's prompt, of which it says the log-probabilities: of `vocab`
    logits a token, since both share a tokenizer. Of several teachers each says how many replicas it
    has; one alone has all GPUs.
    """
    if not get.on(False, "distillation.enabled"):
        get.pass_over("distillation.")
        return []
    return [_teacher(get, find, lengths, vocab, name) for name in teachers(get.plan)]


def _teacher(
    get: MemorySettings, find: Callable[[str], Model], lengths: Lengths, vocab: int, name: str
) -> Pool:
    below = f"{ENTRIES}.{name}"
    path = needed(
        get.path(f"{below}.model_path"),
        "The teacher's model ({below}.model_path) is not known.",
        below=below,
    )
    inference = f"{below}.inference"
    # An entry of its own has the defaults of verl's `RolloutConfig`.
    tensor = get.whole(f"{inference}.tensor_model_parallel_size") or 2
    pipeline = get.size(f"{inference}.pipeline_model_parallel_size")
    replica = tensor * pipeline * get.size(f"{inference}.data_parallel_size")
    if name == ALONE:
        gpus = get.size("distillation.n_gpus_per_node") * get.size("distillation.nnodes")
    else:
        gpus = replica * get.size(f"{below}.num_replicas")
    kind = _kind(get.text(f"{inference}.name") or engine_name(get) or USUAL_ENGINE)
    chunk = get.limit(f"{inference}.max_num_batched_tokens") or _BATCHED
    return Pool(
        name="teacher" if name == ALONE else f"teacher {name}",
        gpus=gpus,
        engine=Engine(
            name=kind,
            shape=find(path).shape,
            tensor=tensor,
            pipeline=pipeline,
            expert=get.size(f"{inference}.expert_parallel_size"),
            fraction=get.share(0.5, f"{inference}.gpu_memory_utilization"),
            weight_bytes=_weights(get, inference),
            sequence_tokens=get.limit(f"{inference}.max_model_len") or lengths.longest + 1,
            prompt_scores=vocab * min(chunk, lengths.longest) if kind == "vllm" else 0,
            generates=False,
            sleeps=False,
        ),
    )


def _kind(name: str) -> Literal["vllm", "sglang", "hf"]:
    return needed(
        _KINDS.get(name.lower()), "The inference engine {name} is not modelled.", name=name
    )


def _weights(get: MemorySettings, inference: str) -> float:
    """Bytes of a parameter of an engine, by its settings below `inference` or the rollout's."""
    if get.value(f"{inference}.quantization"):
        return 1.0
    dtype = get.text(f"{inference}.dtype", f"{_ROLLOUT}.dtype") or "bfloat16"
    return 4.0 if dtype.lower() in ("float32", "float", "fp32") else 2.0


def _share_of(plan: Plan) -> Literal["own", "all", "free"]:
    """By the vLLM of a release's image and documentation: 0.6.3, 0.8.2 to 0.8.5, since 0.9.1."""
    if version_at_least(plan, 0, 5):
        return "own"
    return "all" if version_at_least(plan, 0, 3) else "free"
