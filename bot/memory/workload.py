"""What is to be estimated, in no framework's words: roles, their layout, lengths, the engine."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from bot.base.fast_dataclass import dataclass
from bot.memory.shapes.shape import Shape

SLACK = 1.005
"""What the allocator holds over what tensors take where there is no more room. Fitted, with
`constants.FROZEN_COPY` (`make calibrate`)."""

MemoryLevel: TypeAlias = Literal["floor", "expected", "conservative"]
LEVELS: tuple[MemoryLevel, ...] = ("floor", "expected", "conservative")

Backend: TypeAlias = Literal["fsdp", "fsdp2", "megatron", "zero1", "zero2", "zero3", "ddp"]
ZERO_STAGES: dict[int, Backend] = {0: "ddp", 1: "zero1", 2: "zero2", 3: "zero3"}
"""The backend that each stage of DeepSpeed is."""
Offload: TypeAlias = Literal["none", "idle", "always"]
"""idle: on the host while another stage runs (verl's `param_offload`); always: on the host in its
own stage too (ZeRO's offload, `offload_policy` of FSDP2)."""
RoleName: TypeAlias = Literal["actor", "critic", "reference", "reward"]
PassName: TypeAlias = Literal["update", "evaluation"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that one GPU holds in one micro batch, at each level."""

    floor: int
    expected: int
    conservative: int

    def at(self, level: MemoryLevel) -> int:
        """The number at a level."""
        return {
            "floor": self.floor,
            "expected": self.expected,
            "conservative": self.conservative,
        }[level]

    def over(self, ranks: int) -> Tokens:
        """Those of one of several ranks that share out each sequence."""
        return Tokens(
            -(-self.floor // ranks), -(-self.expected // ranks), -(-self.conservative // ranks)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a model is spread over GPUs. Sizes that divide nothing are 1."""

    gpus: int
    shard: int = 1
    """Ranks that FSDP or ZeRO spreads one copy over."""
    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    expert_tensor: int = 1
    sequence: int = 1
    """Ulysses; tokens are already divided by it."""

    @property
    def replicas(self) -> int:
        """Ranks with the same shard of what is no expert: Megatron's optimizer is spread over them.

        Ranks of one context-parallel group are among them: they differ in tokens alone.
        """
        return max(1, self.gpus // (self.tensor * self.pipeline))

    @property
    def expert_data(self) -> int:
        """Megatron's expert-data-parallel size."""
        return max(1, self.gpus // (self.expert_tensor * self.expert * self.pipeline))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertFactors:
    """Factors whose product is added to all experts of a layer at once (`target_parameters`)."""

    first: bool
    second: bool
    """Whether the matrices into the experts have them, and those out of them."""
    layers: int | None
    """Layers that have them; None for all that have experts."""
    cached: bool
    """Whether the sum is made once a pass of a layer (PEFT since 0.19)."""
    views: bool
    """Whether gpt-oss keeps a sum for each of its experts, as it takes a view of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A low-rank adapter on a frozen model."""

    kind: Literal["lora", "dora"]
    rank: int
    targets: frozenset[str] | None = None
    """Matrices by PEFT's names; None for every linear layer."""
    dropout: bool = False
    """Whether adapters drop entries of their inputs."""
    experts: Literal["none", "rank", "each"] = "none"
    """Adapters of routed experts under Megatron: none, one for all of a rank, one for each."""
    factors: ExpertFactors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FullModules:
    """Modules that are trained in full beside an adapter. Bytes are a parameter's."""

    parameters: int
    weight_bytes: float
    gradient_bytes: float
    optimizer_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutputs:
    """The outputs of all layers, which a trainer has a pass hand over with its logits.

    They are there until log-probabilities are made of those. Of a pass with gradient they are what
    waits for the backward pass anyway.
    """

    each: float
    """Bytes of a number as the layers make it."""
    copied: float = 0.0
    """Bytes of its copy in another type."""
    logits: float
    """Bytes a logit while log-probabilities are made."""
    reference_logits: float = 0.0
    """The same in its reference's pass, with those of the policy that wait meanwhile; 0 where that
    pass is another time's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One model of the job. Bytes are a parameter's."""

    name: RoleName
    shape: Shape
    head: Literal["language", "value"]
    trained: bool
    backend: Backend
    layout: Layout
    tower_frozen: bool = False
    """Whether a vision tower is left as it is while the text model is trained in full."""
    image_share: float = 0.0
    """Share of a pass's tokens that are of images whose tower has a backward pass."""
    adapter: Adapter | None = None
    beside_adapter: FullModules | None = None
    weight_bytes: float = 4.0
    """Of a resident parameter; 2 for bf16, about 0.56 for 4-bit linear layers."""
    frozen_bytes: float | None = None
    """Of a parameter below an adapter, where it differs."""
    loaded_bytes: float = 0.0
    """Of a parameter of the model that each GPU has whole before it is divided."""
    base_shared: bool = False
    """Whether the frozen weights are the engine's, on which the adapter is trained."""
    embedding_on_host: bool = False
    """Whether the embedding is there alone, where it is not the head too."""
    whole_experts: bool = False
    """Whether routed experts are as embedding and head are, where the rest is quantized."""
    gradient_bytes: float = 4.0
    optimizer_bytes: float = 8.0
    """Of a trained parameter: both moments, and a copy in fp32 where the weights are not."""
    embedding_optimizer_bytes: float = 0.0
    """What an entry of a trained embedding has more."""
    optimizer_host_bytes: float = 0.0
    """The same on the host, where an optimizer is divided between the two."""
    step_bytes: float = 4.0
    """Temporary, while the optimizer steps (foreach), beside what DeepSpeed makes of gradients."""
    step_widest_bytes: float = 0.0
    """Temporaries of a step that takes one tensor after the other, of an entry of the widest."""
    end_bytes: float = 2.0
    """Of embedding, head and norms where the rest is quantized: 4 where a trainer casts them."""
    head_copies: float = 0.0
    """Of an entry of the head's matrix, in copies of it that are made beside it for the logits of a
    pass with gradient, and their gradients."""
    forward_head_copies: float = 0.0
    """The same of a pass without."""
    own_loss: bool = False
    """Whether Liger's kernels make the layers alone, and save no logits."""
    residual_bytes: float = 2.0
    """Of the residual stream: 4 below an embedding in fp32."""
    adapter_bytes: float = 2.0
    """Of an adapter's parameter while it computes: 4 where autocast casts it."""
    head_share: float = 1.0
    """Share of a pass's tokens that have logits."""
    eager_update: int = 0
    """Sequences of a pass with gradient whose attention makes its scores whole."""
    eager_forward: int = 0
    """The same of a pass without."""
    bf16_update: int = 0
    """Sequences of a pass with gradient whose attention is torch's in bf16: it makes its scores
    whole where a card has no bf16."""
    bf16_forward: int = 0
    """The same of a pass without."""
    evaluation_rows: int = 0
    """Sequences of a pass over samples that are held out."""
    scores_in_fp32: bool = False
    """Whether whole scores are in fp32, as torch makes them."""
    accumulates: bool = True
    """True when an optimizer's step follows several micro batches: their gradients are there while
    the next one's logits are made."""
    unsharded_gradient_bytes: float = 0.0
    """Of a trained parameter, whole on each GPU, between micro batches whose gradients are reduced
    together."""
    weights_offload: Offload = "none"
    gradients_offload: Offload = "none"
    optimizer_offload: Offload = "none"
    checkpointing: bool = True
    reshard: bool = True
    """False where FSDP2 keeps whole weights from a layer's forward pass to its backward pass."""
    activation_offload: bool = False
    recompute: Literal["uniform", "block"] = "uniform"
    """How Megatron recomputes: layers in groups, or the first of each stage alone."""
    recompute_layers: int = 1
    """Layers of a group, or layers of a stage that are recomputed."""
    recompute_modules: frozenset[str] = frozenset()
    """Modules that Megatron recomputes in layers that it does not recompute whole."""
    compute_bytes: float = 2.0
    """Of a number that passes through the layers, and of a weight that FSDP gathers for them."""
    fused_layers: bool = False
    """Whether Liger's kernels make the norms and the MLP of each layer."""
    compiled_layers: bool = False
    """Whether `torch.compile` makes the layers, which then keep what fused ones do."""
    autocast: bool = False
    """Whether each product casts its fp32 weights to bf16, and its input."""
    recast: bool = False
    """Whether each product casts frozen weights of one type of 16 bits to the other."""
    frozen_copy_bytes: float = 0.0
    """Of a frozen parameter, held besides by FSDP1 (see `constants.FROZEN_COPY`)."""
    slack: float = SLACK
    """What the allocator holds over what tensors take (see `SLACK`)."""
    update: Tokens = field(default=Tokens(0, 0, 0))
    forward: Tokens = field(default=Tokens(0, 0, 0))
    retained: Tokens = field(default=Tokens(0, 0, 0))
    """Tokens of a step's other micro batches whose embeddings and their gradients stay until the
    step (see `verl_states.retains_embeddings`)."""
    update_logits: float = 0.0
    """Bytes a vocabulary entry and token, with gradient."""
    forward_logits: float = 0.0
    """The same without gradient."""
    outputs: HeldOutputs | None = None
    logits_at_once: int | None = None
    """Tokens whose logits are made at one time, and again in the backward pass; None for all."""
    logits_fill: tuple[MemoryLevel, ...] = ()
    """Levels at which what is free of the card decides that instead (see `unsloth.filling`)."""
    logits_in_half: float = 0.0
    """Tokens whose logits half of that holds in fp32; 0 where the card is not known."""
    evaluation: Tokens = field(default=Tokens(0, 0, 0))
    """Tokens of a pass over samples that are held out; none where nothing is evaluated."""
    evaluation_logits: float = 0.0
    """Bytes a vocabulary entry and token in such a pass."""
    scored_tokens: int = 0
    """Tokens whose fp32 scores of the generation stay during passes without gradient."""
    sync_whole_bytes: float = 0.0
    """Of a parameter, whole on each GPU besides the role's own while weights are handed to the
    engine; 0 where the model is gathered in parts."""
    sync_copied: bool = False
    """Whether they are copied while they are whole, as they are handed over for the first time."""

    @property
    def parameters(self) -> int:
        """Of the model with its head, without adapter."""
        return self.shape.value_parameters if self.head == "value" else self.shape.parameters

    @property
    def adapter_parameters(self) -> int:
        """Of the adapter; 0 without one. DoRA adds a magnitude for each output."""
        if self.adapter is None:
            return 0
        count = self.shape.adapter_parameters(self.adapter.rank, self.adapter.targets)
        if self.adapter.kind == "dora":
            count += self.shape.adapter_outputs
        factors = self.adapter.factors
        if factors is not None:
            into, out = self.shape.expert_factors
            each = into * factors.first + out * factors.second
            count += self.adapter.rank * each * self.factored_layers
        return count

    @property
    def factored_layers(self) -> int:
        """Layers whose experts have factors of an adapter."""
        moe, factors = self.shape.experts, self.adapter.factors if self.adapter else None
        if moe is None or factors is None:
            return 0
        return moe.layers if factors.layers is None else min(moe.layers, factors.layers)

    @property
    def trained_parameters(self) -> int:
        """Parameters that have a gradient."""
        if not self.trained:
            return 0
        if self.adapter:
            return self.adapter_parameters
        return self.parameters - (self.shape.vision if self.tower_frozen else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The inference engine beside or among the trainers."""

    name: Literal["vllm", "sglang", "hf"]
    shape: Shape
    tensor: int
    fraction: float
    """`gpu_memory_utilization`, `mem_fraction_static`."""
    share_of: Literal["own", "all", "free"] = "own"
    """What the fraction bounds: what the engine itself takes, all that is on the card when it
    starts, or, of what is free then, its cache."""
    starts_beside: tuple[RoleName, ...] = ()
    """Roles whose weights are on the GPU when it starts, though they are offloaded later."""
    cache_bytes: int | None = None
    """vLLM's `kv_cache_memory_bytes`: the cache on each GPU, whatever the share."""
    weight_bytes: float = 2.0
    sequence_tokens: int = 1
    """Tokens of one full sequence: the smallest cache that can work."""
    generates: bool = True
    """False for a teacher's, which scores what others have written."""
    sleeps: bool = True
    """True when weights and cache leave the GPU while others work."""
    sleeps_with: str = ""
    """What lets them, where it is off and there are several settings for it."""
    keeps_weights: bool = False
    """True when its weights stay on the GPU while it sleeps: the trainer's are no others."""
    wakes_first: bool = False
    """True when its weights are on the GPU before the trainer's are collected for it."""
    wakes_beside_cache: bool = False
    """True when torch's cache of the update before is still there then."""
    in_process: bool = False
    """True when it lives in the trainer's process: vLLM in verl up to 0.7.0, by its executors
    (`external_launcher`, `WorkerWrapperBase` of `vllm_rollout`); then in processes of its own."""
    expert: int = 1
    """Expert-parallel ranks: tensor- times data-parallel ones, or 1."""
    pipeline: int = 1
    sequences: int = 1
    """Sequences that transformers writes at once."""
    prompt_tokens: int = 0
    """Tokens of one of their prompts, which have one pass together before the first token."""
    image_tokens: float = 0.0
    """Of these the ones that are of images."""
    scored_tokens: int = 0
    """Tokens whose scores it hands over, all of the vocabulary in fp32."""
    prompt_scores: int = 0
    """Logits of the longest part of a prompt that vLLM scores at once; 0 for what it generates."""
    gathered_parameters: int = 0
    """Parameters of the trained models that are gathered from shards, or cast, all at once; those
    of 4 bytes count twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """GPUs of one kind of use; its members share each GPU."""

    name: str
    gpus: int
    roles: tuple[Role, ...] = ()
    engine: Engine | None = None
    processes: int = 1
    """Processes with a CUDA context on each GPU."""
    held: float = 0.0  # Share of each GPU that engines hold which a program has beside its own.


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Everything that an estimate needs, besides the device."""

    framework: str
    pools: tuple[Pool, ...]
    gpus_per_node: int
    assumptions: tuple[str, ...] = ()
    """What was taken for granted, a clause for each."""
    fsdp_group: str = "fsdp_config"
    """Where verl's FSDP has its settings below a role: VeOmni's lie in a group of their own."""
    in_program: bool = False
    """Whether a program makes the settings, which then are no options of a command line."""
    flat_options: frozenset[str] = frozenset()
    """OpenRLHF's options where they have no dots, as before 0.10.2."""
    prompt_mean: float = 0.0
    """Tokens of a mean prompt, or of a mean sample that nothing is generated for."""
    sequence_mean: float = 0.0
    """The same, with the response."""
    measured: bool = False
    """True when the lengths are those of a run."""
    unread: tuple[str, ...] = ()
    """Settings of the script that may lower the peak and are not modelled."""
    guessed: tuple[str, ...] = ()
    """What may be otherwise, a clause for each: models that were taken for the one that their name
    holds, the launcher of a recipe alone."""
    single: frozenset[PassName] = frozenset()
    """The passes of one sample, by the batch size that is set."""
    usual: bool = False
    """Whether the framework's own configuration or trainer stands for the program's."""
