"""The constants of the model: which are arithmetic, which measured, which fitted.

`make calibrate` prints how well they do on the cases in `tests/memory/cases.json`, and what each
fitted one becomes when a case is left out.
"""

from __future__ import annotations

from bot.memory.workload import MemoryLevel

# Bytes a logit, by the path that makes log-probabilities of them (V · T logits on one GPU).
LOG_PROBS = 4.0
"""Log-probabilities alone, backward in place: bf16 logits and one gradient. Measured."""
PACKED = 8.0
"""verl's rows without padding up to 0.8, with or without a compiled or chunked entropy: the logits
are a view that is divided by the temperature in place, so that autograd makes a copy of their
gradient for the whole, and one for the division beside its result (`CopySlices`). Measured on a GPU
(`tests/memory/measured`), and in `fake_losses.json`."""
ENTROPY_PACKED = 6.0
"""The same with an entropy from 0.9 on, which divides into a copy: logits and two gradients. What
an entropy in chunks takes for one of them does not grow with the tokens. Measured
(`fake_losses.json`)."""
PADDED_ROWS = 6.0
"""The engine's padded rows, which train since 0.8, without an entropy: the logits, those of the
tokens that are no padding, copied together (their gradient is written over them), and the gradients
of the rows. Followed (`tests/memory/followed`)."""
LOGITS = 2.0
"""The logits themselves in bf16: all that has to be there."""
DISTILLED = 14.0
"""verl's loss over a teacher's likeliest tokens: the logits, which the log-probabilities keep, the
fp32 log-softmax of them and two gradients of that. Measured (`fake_losses.json`)."""
DISTILLED_ALONE = 12.0
"""The same without log-probabilities: nothing keeps the logits."""
DISTILLED_CHUNKED = 10.0
"""The same in chunks (`use_chunked_topk`), with log-probabilities or without: the logits, an fp32
copy of them and two gradients."""
DISTILLED_FP32 = 16.0
"""Of logits in fp32, in chunks or not."""
DISTILLED_FP32_ALONE = 12.0
"""The same without log-probabilities."""
MEGATRON_DISTILLED = 16.0
"""The same of Megatron's fp32 logits: less their maximum, their exponentials and the log-softmax
beside them (`vocab_parallel_log_softmax` of verl)."""
ENTROPY_EAGER = 28.0
"""Eager entropy with gradient: fp32 softmax, its product and their gradients. Measured."""
ENTROPY_CHECKPOINTED = 24.0
"""The same, recomputed in backward: one fp32 copy less, as FakeTensorMode shows."""
LOG_SOFTMAX_FP32 = 12.0
"""log-softmax in fp32, its gradient and that of the loss. Measured."""
CAUSAL_LOSS = 12.0
"""transformers' loss of causal models: log-softmax in fp32, its gradient and that of the loss. The
logits themselves are gone when the backward pass begins: neither the loss nor the trainer's frames
hold them. Measured (`fake_losses.json`)."""
CAUSAL_LOSS_FORWARD = 10.0
"""The same without gradient: the logits, their fp32 copy, its log-softmax."""
GATHERED_FP32 = 16.0
"""OpenRLHF's `log_probs_from_logits` of fp32 logits: they, the gradient of gather and log-sum-exp's
two. The actor's output is fp32 with Liger's kernels too. Measured."""
BY_ROW_FP32 = 12.0
"""TRL's `selective_log_softmax` of fp32 logits: they, the gradient of gather and the sum of the
rows' gradients; two gradients of one row come on top. Measured."""
LOG_PROBS_BY_ROW = 8.0
"""TRL's `selective_log_softmax` of bf16 logits that were divided in place: two gradients, and a
copy of each. Measured (`fake_losses.json`)."""
ODDS = 6.0
"""TRL's ORPO and CPO, whose chosen half has a loss beside the log-probabilities of both: of bf16
logits, up to 0.14 `ODDS_GATHERED`. Measured (`fake_losses.json`), as the next three."""
ODDS_GATHERED = 7.0
ODDS_FP32 = 14.0
"""Of fp32 logits; two gradients of one row come on top, but for those of 0.14 and before."""
ODDS_KERNEL_FP32 = 12.0
"""Of fp32 logits by the kernel of 1.14."""
GKD = 20.0
"""TRL's GKD one way, of bf16 logits: those of student and teacher, both divided by a temperature,
their log-softmax, and three steps of the divergence with what a mask takes of it. Of fp32 logits
twice as much. Measured (`fake_losses.json`)."""
GKD_MIXED = 34.0
"""The same of the mixture of both (`beta` between 0 and 1)."""
GKD_LIGER_MIXED = 38.0
"""The same by Liger's loss, in bf16: forward and backward at once (`torch.func.grad_and_value`).
Measured with liger-kernel 0.8.1 on a batch of 256 tokens, 16,384 logits each."""
GKD_LIGER_STUDENT = 28.0
"""The same one way, of the student's chances (`beta` 1)."""
GKD_LIGER_TEACHER = 24.0
"""The same the other way (`beta` 0)."""
FUSED = 0.2
"""Fused kernels, Liger: logits are never whole."""
CHUNKED = 16.0
"""TRL's supervised loss in chunks, of a logit of one: fp32 logits, their log-softmax, its
exponential and what an entropy makes of both, with gradient or without. Measured
(`fake_losses.json`)."""
FORWARD_PACKED = 2.0
"""Without gradient, verl's rows without padding up to 0.8, with or without a compiled entropy: the
logits, divided in place. Measured on a GPU (`tests/memory/measured`)."""
FORWARD_EAGER = 10.0
"""Without gradient, eager entropy. Measured."""
FORWARD_LOG_PROBS = 4.0
FORWARD_FP32 = 6.0
"""Without gradient: bf16 logits and their fp32 copy. Measured."""
FORWARD_COPY_FP32 = 8.0
"""The same: the fp32 logits and what a division makes of them."""
MEGATRON_FP32 = 6.0
"""Megatron's `Float16Module` makes the logits fp32: both are there for a moment. Then the
vocabulary-parallel cross entropy and its backward pass work on the copy in place."""
MEGATRON_ONE_COPY = 8.0
"""Two copies in fp32: logits and an entropy's softmax, or a gradient and what a division by the
temperature makes of it."""
MEGATRON_TWO_COPIES = 12.0
"""Three: logits, a clone for the cross entropy, the entropy's softmax."""

MTP_LOGITS = 4.0
"""What waits of a logit of multi-token prediction: its softmax in fp32 (`readers/verl/mtp.py`)."""

# The head's own surroundings, bytes a token and hidden unit, beside the logits.
HEAD = 8.0
"""Output of the last norm, its fp32 copy, the gradient that comes back."""

NF4 = 0.5 + 4 / 64
"""Bytes of a 4-bit parameter: half a byte, and a scale in fp32 for 64 of them (bitsandbytes)."""
NF4_NESTED = 0.5 + 1 / 64 + 4 / (64 * 256)
"""The same with double quantization: the scales in 8 bits, and one in fp32 for 256 of those."""
INT8 = 1.06
"""Bytes of a parameter in int8 with its scales."""

FROZEN_COPY = 2.0
"""Bytes of a frozen parameter that FSDP1 holds besides its fp32 shard, on several GPUs, and that
the allocator does not report as taken: the size of the shard in bf16. Fitted: it explains the
boundaries of 14B, 32B and 72B within 3 %, where a factor on everything leaves up to 8 %."""

CONTEXT: dict[MemoryLevel, float] = {"floor": 0.4, "expected": 0.8, "conservative": 1.0}
"""GiB of a CUDA context and loaded kernels in each process."""
COMMUNICATION: dict[MemoryLevel, float] = {"floor": 0.0, "expected": 0.8, "conservative": 1.2}
"""GiB of NCCL's buffers of one communicator. Public measurements: 0.5 of two and 0.6 of more A100
with NVLink (NVIDIA/nccl#964); on eight H100 6.5 of Megatron's six, 8.8 of nine with experts
(verl#6408)."""
COMMUNICATION_ASCEND: dict[MemoryLevel, float] = {
    "floor": 0.0,
    "expected": 0.4,
    "conservative": 0.6,
}
"""The same of HCCL's on Ascend: twice `HCCL_BUFFSIZE`, which is 200 MB (CANN's documentation)."""
ASLEEP: dict[MemoryLevel, float] = {"floor": 0.0, "expected": 0.5, "conservative": 1.5}
"""GiB that a sleeping engine keeps: graphs and workspaces."""
ENGINE_WORKING: dict[MemoryLevel, float] = {"floor": 0.0, "expected": 1.5, "conservative": 1.5}
"""GiB of an engine's share that hold neither weights nor cache: activations of its profiling run,
its own context."""
PROMPT_LOGITS = 6
"""Bytes of a logit of a prompt that vLLM scores: bf16 and its fp32 log-softmax
(`_get_prompt_logprobs_dict` of its `gpu_model_runner.py`, `compute_logprobs` of its sampler)."""
GATHERED_LAYERS: dict[MemoryLevel, int] = {"floor": 1, "expected": 2, "conservative": 3}
"""Layers whose whole weights are on the GPU at once: the one at work and those fetched ahead."""

ZERO3_LIVE = 1_000_000_000
"""Parameters that ZeRO-3 may leave whole: `stage3_max_live_parameters` and `max_reuse_distance` of
DeepSpeed's `runtime/zero/config.py`, which presets leave at their defaults."""
ZERO3_SUB_GROUP = 1_000_000_000
"""`sub_group_size` there: parameters of one rank that step together."""
ZERO_BUCKET = 500_000_000
"""`reduce_bucket_size` there, elements."""
