"""Measures the logits of losses as tensors live and die, without a GPU.

    python -m tests.memory.fake_losses    # where torch is installed

Writes fake_losses.json: bytes a logit at the fullest moment of a pass and of its backward pass, by
loss and sequences; the same of two sequences where the model caps its logits; and what a loss in
chunks makes of the head, bytes an entry of its matrix (few tokens, so that their logits are nothing
beside it). The operations are those of transformers' `ForCausalLMLoss`, of TRL's
`selective_log_softmax`, GRPO (0.29 to 1.14) and DPO (0.28 to 1.14), of verl's old SFT trainer and
its `dp_actor.py` on padded rows, written anew here from their description; nothing of them is
copied. What a trainer's own frames hold is held here too. Stand-ins of kernels keep their input;
that of flash-attention's loss writes the gradient over it where asked, that of TRL makes another.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.memory.fake_backward import storages

OUT = Path(__file__).parent / "fake_losses.json"
TOKENS, VOCAB, HIDDEN = 512, 32_768, 16
COUNTS = (1, 2, 8)


def measure() -> dict[str, Any]:
    """Everything that is recorded; takes a second."""
    torch = importlib.import_module("torch")
    return {
        "torch": torch.__version__,
        "logits": {
            name: {
                str(count): round(_peak(torch, loss, count), 2)
                for count in COUNTS
                if count > 1 or not name.startswith(("DPO", "ORPO"))
            }
            for name, loss in LOSSES.items()
        },
        "capped logits": {
            name: round(_peak(torch, _capped(loss), 2), 2) for name, loss in LOSSES.items()
        },
        "logits of a chunk": {
            "with gradient": round(_chunk(torch, trained=True), 1),
            "without": round(_chunk(torch, trained=False), 1),
        },
        "copies of the head": {
            f"{width}{', autocast' * cast}{', trained' * trained}": round(
                _head(torch, getattr(torch, width), cast=cast, trained=trained), 1
            )
            for width in ("bfloat16", "float32")
            for cast in (False, True)
            for trained in (False, True)
        },
        "logits of a chunk beside a frozen head": {
            f"{width}{', autocast' * cast}": round(
                _beside_head(torch, getattr(torch, width), cast=cast)
            )
            for width in ("bfloat16", "float32")
            for cast in (False, True)
        },
    }


def _peak(torch: Any, loss: Callable[[Any, Callable[[], Any], Any], Any], count: int) -> float:
    with storages(torch) as seen:
        head = torch.zeros(VOCAB, HIDDEN, dtype=torch.bfloat16)
        hidden = torch.zeros(count, TOKENS, HIDDEN, dtype=torch.bfloat16, requires_grad=True)
        labels = torch.zeros(count, TOKENS, dtype=torch.int64)
        before = seen.peak = seen.now
        loss(torch, lambda: hidden @ head.T, labels).backward()
        return float((seen.peak - before) / (count * TOKENS * VOCAB))


def _head(torch: Any, width: Any, *, cast: bool, trained: bool) -> float:
    """TRL 1.5 to 1.12 in chunks of two tokens, three of them, each checkpointed."""
    again = importlib.import_module("torch.utils.checkpoint").checkpoint

    def chunk(hidden: Any, head: Any, labels: Any) -> Any:
        logits = hidden.float() @ head.float().t()
        chances = torch.nn.functional.log_softmax(logits, -1)
        return torch.nn.functional.nll_loss(chances, labels, reduction="sum")

    with storages(torch) as seen:
        head = torch.zeros(VOCAB, 1024, dtype=width, requires_grad=trained)
        hidden = torch.zeros(6, 1024, dtype=torch.bfloat16, requires_grad=True)
        labels = torch.zeros(6, dtype=torch.int64)
        before = seen.peak = seen.now
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast):
            parts = [slice(at, at + 2) for at in range(0, 6, 2)]
            made = [again(chunk, hidden[p], head, labels[p], use_reentrant=False) for p in parts]
        sum(made).backward()
        return float((seen.peak - before) / (VOCAB * 1024))


def _beside_head(torch: Any, width: Any, *, cast: bool) -> float:
    """TRL 1.5 to 1.12 in chunks of 256 tokens, below a frozen head, without the head's copies."""
    again = importlib.import_module("torch.utils.checkpoint").checkpoint
    each, count, hidden_size = 256, 1024, 1024

    def chunk(hidden: Any, head: Any, labels: Any) -> Any:
        logits = hidden.float() @ head.float().t()
        chances = torch.nn.functional.log_softmax(logits, dim=-1)
        loss = torch.nn.functional.nll_loss(chances, labels, reduction="sum")
        valid = labels != -100
        right = ((logits.argmax(dim=-1) == labels) & valid).sum().float()
        entropy = (-(chances.exp() * chances).sum(dim=-1) * valid).sum()
        return loss, right, entropy

    with storages(torch) as seen:
        head = torch.zeros(VOCAB, hidden_size, dtype=width)
        hidden = torch.zeros(count, hidden_size, dtype=torch.bfloat16, requires_grad=True)
        labels = torch.zeros(count, dtype=torch.int64)
        before = seen.peak = seen.now
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast):
            parts = [slice(at, at + each) for at in range(0, count, each)]
            made = [again(chunk, hidden[p], head, labels[p], use_reentrant=False)[0] for p in parts]
        sum(made).backward()
        peak = seen.peak - before
    copies = _head(torch, width, cast=cast, trained=False) * VOCAB * hidden_size
    return float((peak - copies) / (each * VOCAB))


def _chunk(torch: Any, *, trained: bool) -> float:
    """TRL 1.13 and 1.14: chunks of 256 tokens, each checkpointed; accuracy and entropy beside."""
    again = importlib.import_module("torch.utils.checkpoint").checkpoint
    each, count = 256, 1024

    def chunk(hidden: Any, head: Any, labels: Any) -> Any:
        logits = (hidden @ head.to(hidden.dtype).t()).float()
        chances = torch.nn.functional.log_softmax(logits, -1)
        right = (logits.argmax(-1) == labels).sum()
        loss = torch.nn.functional.nll_loss(chances, labels, reduction="sum")
        return loss, right, -(chances.exp() * chances).sum(-1).sum()

    with storages(torch) as seen, torch.set_grad_enabled(trained):
        head = torch.zeros(VOCAB, HIDDEN, dtype=torch.bfloat16)
        hidden = torch.zeros(count, HIDDEN, dtype=torch.bfloat16, requires_grad=True)
        labels = torch.zeros(count, dtype=torch.int64)
        before = seen.peak = seen.now
        loss = torch.zeros(())
        for at in range(0, count, each):
            part = slice(at, at + each)
            loss = loss + again(chunk, hidden[part], head, labels[part], use_reentrant=False)[0]
        if trained:
            loss.backward()
        return float((seen.peak - before) / (each * VOCAB))


def _causal(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
    """The loss is made in the model; what it returns besides is gone before the backward pass."""

    def forward() -> tuple[Any, Any]:
        logits = model()
        whole = logits.float().view(-1, VOCAB)
        return torch.nn.functional.cross_entropy(whole, labels.view(-1)), logits

    def compute() -> Any:
        loss, logits = forward()
        logits = logits.float()  # accelerate's cast of outputs
        with torch.no_grad():
            logits[..., :-1, :].contiguous().argmax(-1)
        return loss

    return compute()


def _by_row(torch: Any, logits: Any, labels: Any) -> Any:
    """Log-probabilities row by row: of fp32 through `logsumexp`, else through `log_softmax`."""
    places = labels.unsqueeze(-1)
    if logits.dtype == torch.float32:
        sums = torch.stack([torch.logsumexp(row, -1) for row in logits])
        return torch.gather(logits, -1, places).squeeze(-1) - sums
    rows = [
        torch.nn.functional.log_softmax(row, -1).gather(-1, place)
        for row, place in zip(logits, places, strict=True)
    ]
    return torch.stack(rows).squeeze(-1)


def _online(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
    logits = model()[:, :-1, :]
    logits.div_(1.0)
    return _by_row(torch, logits, labels[:, 1:]).sum()


def _divided(*, held: bool) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """Divided into a copy, as up to 0.29; from 1.10 to 1.13 the model's outputs are held."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        def log_probs() -> Any:
            outputs = [model()]
            logits = outputs[0][:, :-1, :]
            if not held:
                outputs.clear()
            logits = logits / 0.9
            return _by_row(torch, logits, labels[:, 1:])

        return log_probs().sum()

    return loss


def _kernel(torch: Any, logits: Any, _: Any = None) -> Any:
    """A stand-in of 1.14's kernel, which keeps the logits and makes their gradient."""

    class Kernel(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, given: Any) -> Any:
            ctx.save_for_backward(given)
            return given[..., 0].float() * 1.0

        @staticmethod
        def backward(ctx: Any, _: Any) -> Any:
            return torch.empty_like(ctx.saved_tensors[0])

    return Kernel.apply(logits).sum(1)


def _online_kernel(torch: Any, model: Callable[[], Any], _: Any) -> Any:
    return _kernel(torch, model()[:, :-1, :]).sum()


def _pairs_kernel(torch: Any, model: Callable[[], Any], _: Any) -> Any:
    logits = model()
    chosen = _kernel(torch, logits[:, :-1, :])
    with torch.no_grad():
        made = model()
        reference = _kernel(torch, made[:, :-1, :])
    return (chosen - reference).sum()


def _pairs(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
    """Up to 0.28: each pass is a call of its own."""

    def one() -> Any:
        return _by_row(torch, model(), labels).sum(1)

    chosen = one()
    with torch.no_grad():
        reference = one()
    return (chosen - reference).sum()


def _pairs_together(*, copied: bool) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """From 0.29 on: the policy's logits are there while the reference's are made."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        outputs = model()
        logits = outputs[..., :-1, :]
        logits = logits.contiguous() if copied else logits
        chosen = _by_row(torch, logits, labels[..., 1:]).sum(1)
        with torch.no_grad():
            made = model()
        shifted = made[..., :-1, :]
        shifted = shifted.contiguous() if copied else shifted
        return (chosen - _by_row(torch, shifted, labels[..., 1:]).sum(1).detach()).sum()

    return loss


def _unpaired(
    log_probs: Callable[[Any, Any, Any], Any],
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """KTO up to 1.6: its halves are copies, and the reference's pass has some, too."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        def once() -> tuple[Any, Any, Any]:
            logits = model()
            made = log_probs(torch, logits[:, :-1, :], labels[:, 1:]).sum(-1)
            even = list(range(0, len(logits), 2))
            odd = list(range(1, len(logits), 2))
            return made, logits[even, ...], logits[odd, ...]

        def scores() -> Any:
            policy, *_held = once()
            with torch.no_grad():
                reference, *_ = once()
            return (policy - reference).sum()

        return scores()

    return loss


def _unpaired_together(
    log_probs: Callable[[Any, Any, Any], Any],
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """KTO of 1.7 to 1.14: without copies; the policy's logits are there while others are made."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        def scores() -> Any:
            logits = model()[:, :-1, :]
            policy = log_probs(torch, logits, labels[:, 1:]).sum(-1)
            with torch.no_grad():
                made = model()
                reference = log_probs(torch, made[:, :-1, :], labels[:, 1:]).sum(-1)
            return (policy - reference).sum()

        return scores()

    return loss


def _gathered(_: Any, logits: Any, labels: Any) -> Any:
    """Log-probabilities of all rows at once, as TRL 0.14 has them."""
    return logits.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)


def _odds(
    log_probs: Callable[[Any, Any, Any], Any],
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """ORPO and CPO: the loss of the chosen half beside the log-probabilities of both."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        logits = model()
        half = len(logits) // 2

        def chosen() -> Any:
            given = logits[:half][..., :-1, :].contiguous().view(-1, VOCAB)
            return torch.nn.functional.cross_entropy(given, labels[:half, 1:].reshape(-1))

        return chosen() + log_probs(torch, logits[:, :-1, :], labels[:, 1:]).sum()

    return loss


def _cast(
    loss: Callable[[Any, Callable[[], Any], Any], Any],
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """The same where accelerate casts a model's outputs."""
    return lambda torch, model, labels: loss(torch, lambda: model().float(), labels)


def _capped(
    loss: Callable[[Any, Callable[[], Any], Any], Any],
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """The same where the model caps its logits, as Gemma's do."""

    def capping(torch: Any, model: Callable[[], Any]) -> Any:
        logits = model()
        logits = logits / 30.0
        logits = torch.tanh(logits)
        return logits * 30.0

    return lambda torch, model, labels: loss(torch, lambda: capping(torch, model), labels)


def _distilling(*, mixed: bool) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """TRL's GKD: a divergence of all of the student's chances from the teacher's, `mixed` or not.

    Each model's outputs are held until the loss is made, and divided by a temperature before.
    """

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        soft, divergence = torch.nn.functional.log_softmax, torch.nn.functional.kl_div

        def apart(one: Any, other: Any) -> Any:
            return divergence(one, other, reduction="none", log_target=True)

        def compare(student: Any, teacher: Any) -> Any:
            student, teacher = student / 1.0, teacher / 1.0
            own, whose = soft(student, -1), soft(teacher, -1)
            if mixed:
                half = torch.tensor(0.5, dtype=own.dtype)
                both = torch.stack([own + half.log(), whose + half.log()])
                between = torch.logsumexp(both, dim=0)
                towards, back = apart(between, whose), apart(between, own)
                far = half * towards + (1 - half) * back
            else:
                far = apart(whose, own)
            # A mask of all tokens: which those are is not known of tensors without numbers.
            rows = torch.zeros_like(labels[:, 1:])
            return far[rows, rows].sum() / 7

        outputs = [model()]
        with torch.no_grad():
            outputs.append(model())
        return compare(*(one[:, :-1, :] for one in outputs))

    return loss


def _fsdp_sft(*, padded: bool) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """verl's old trainer calls `backward` where the logits still have names."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        logits = model()
        given = logits[..., :-1, :].contiguous() if padded else logits
        at = labels[..., 1:] if padded else labels
        with torch.autocast("cpu", dtype=torch.bfloat16):
            # autocast's list for the CPU lacks this loss, which that for GPUs casts to fp32.
            whole = given.view(-1, VOCAB).float()
            made = torch.nn.functional.cross_entropy(whole, at.reshape(-1), reduction="none")
        del whole
        made.sum().backward()
        return logits.new_zeros((), requires_grad=True)

    return loss


def _padded_rows(*, gradient: bool, entropy: bool) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """verl on rows whose second half are responses."""

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        class Flash(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, given: Any) -> Any:
                ctx.save_for_backward(given)
                return given[..., 0].float() * 1.0

            @staticmethod
            def backward(ctx: Any, _: Any) -> Any:
                (given,) = ctx.saved_tensors
                return torch.empty_like(given) if entropy else given

        def run() -> Any:
            logits = model()
            logits.div_(1.0)
            cut = logits[:, -labels.shape[1] // 2 - 1 : -1, :]
            made = Flash.apply(cut.reshape(-1, VOCAB)).sum()
            if entropy:
                # autocast's softmax and log-sum-exp are in fp32
                chances = torch.softmax(cut.float(), -1)
                made = made + (torch.logsumexp(cut.float(), -1) - (chances * cut).sum(-1)).sum()
            return made

        if gradient:
            return run()
        with torch.no_grad():
            made = run()
        return made.new_zeros((), requires_grad=True)

    return loss


def _packed_rows(
    *,
    gradient: bool = True,
    entropy: bool = False,
    divided: str = "in place",
    kernel: bool = True,
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """verl's rows without padding: a view of the logits, divided in place up to 0.8, then into a
    copy, and from 0.9.1 on not at all at a temperature of 1.

    The entropy is compiled: it keeps the logits and makes their gradient. Without the `kernel` of
    flash-attn each token's log-softmax is torch's.
    """

    def loss(torch: Any, model: Callable[[], Any], labels: Any) -> Any:
        class Kernel(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, given: Any, over: bool) -> Any:
                ctx.save_for_backward(given)
                ctx.over = over
                return given[..., 0].float() * 1.0

            @staticmethod
            def backward(ctx: Any, _: Any) -> Any:
                (given,) = ctx.saved_tensors
                return (given if ctx.over else torch.empty_like(given)), None

        def run() -> Any:
            output = [model().flatten(0, 1).unsqueeze(0)]
            logits = output[0].squeeze(0)
            if divided == "in place":
                logits.div_(1.0)
            elif divided == "copied":
                logits = logits / torch.ones(())
            alone = Kernel.apply(logits, not entropy) if kernel else by_row(logits)
            made = alone.sum()
            return made + Kernel.apply(logits, False).sum() if entropy else made

        def by_row(logits: Any) -> Any:
            return _by_row(torch, logits, labels.flatten())

        if gradient:
            return run()
        with torch.no_grad():
            made = run()
        return made.new_zeros((), requires_grad=True)

    return loss


def _distilled(
    *, divided: str = "", alone: bool = False, chunk: int = 0, fp32: bool = False
) -> Callable[[Any, Callable[[], Any], Any], Any]:
    """verl's loss over a teacher's likeliest tokens, of rows without padding.

    autocast makes the log-softmax fp32. `alone`: without log-probabilities, which keep the logits.
    """

    def loss(torch: Any, model: Callable[[], Any], _: Any) -> Any:
        class Kernel(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, given: Any) -> Any:
                ctx.save_for_backward(given)
                return given[..., 0].float() * 1.0

            @staticmethod
            def backward(ctx: Any, _: Any) -> Any:
                return ctx.saved_tensors[0]

        def likeliest(logits: Any) -> Any:
            places = torch.zeros(len(logits), 8, dtype=torch.int64)
            if not chunk:
                chances = torch.nn.functional.log_softmax(logits.float(), -1)
                torch.topk(chances, 8, -1)
                return torch.gather(chances, -1, places)
            made = torch.empty(len(logits), 8, dtype=logits.dtype)
            for at in range(0, len(logits), chunk):
                part = slice(at, at + chunk)
                whole = logits[part].float()
                some = torch.gather(whole, -1, places[part])
                made[part] = (some - torch.logsumexp(whole, -1, keepdim=True)).to(made.dtype)
            return made

        def run() -> Any:
            output = [(model().float() if fp32 else model()).flatten(0, 1).unsqueeze(0)]
            logits = output[0].squeeze(0)
            if divided == "in place":
                logits.div_(1.0)
            elif divided == "copied":
                logits = logits / torch.ones((), dtype=logits.dtype)
            made = -likeliest(logits).float().sum()
            return made if alone else made + Kernel.apply(logits).sum()

        return run()

    return loss


LOSSES: dict[str, Callable[[Any, Callable[[], Any], Any], Any]] = {
    "SFT": _causal,
    "GRPO": _online,
    "GRPO, outputs in fp32": _cast(_online),
    "GRPO 0.29": _divided(held=False),
    "GRPO 1.10": _divided(held=True),
    "GRPO 1.10, outputs in fp32": _cast(_divided(held=True)),
    "GRPO 1.14": _online_kernel,
    "GRPO 1.14, outputs in fp32": _cast(_online_kernel),
    "DPO 0.28": _pairs,
    "DPO 0.28, outputs in fp32": _cast(_pairs),
    "DPO 1.0": _pairs_together(copied=True),
    "DPO 1.0, outputs in fp32": _cast(_pairs_together(copied=True)),
    "DPO 1.6": _pairs_together(copied=False),
    "DPO 1.6, outputs in fp32": _cast(_pairs_together(copied=False)),
    "DPO 1.14": _pairs_kernel,
    "DPO 1.14, outputs in fp32": _cast(_pairs_kernel),
    "KTO 0.14": _unpaired(_gathered),
    "KTO 0.14, outputs in fp32": _cast(_unpaired(_gathered)),
    "KTO": _unpaired(_by_row),
    "KTO, outputs in fp32": _cast(_unpaired(_by_row)),
    "KTO 1.7": _unpaired_together(_by_row),
    "KTO 1.7, outputs in fp32": _cast(_unpaired_together(_by_row)),
    "KTO 1.14": _unpaired_together(_kernel),
    "KTO 1.14, outputs in fp32": _cast(_unpaired_together(_kernel)),
    "ORPO 0.14": _odds(_gathered),
    "ORPO 0.14, outputs in fp32": _cast(_odds(_gathered)),
    "ORPO": _odds(_by_row),
    "ORPO, outputs in fp32": _cast(_odds(_by_row)),
    "ORPO 1.14": _odds(_kernel),
    "ORPO 1.14, outputs in fp32": _cast(_odds(_kernel)),
    "GKD": _distilling(mixed=True),
    "GKD, outputs in fp32": _cast(_distilling(mixed=True)),
    "GKD, one way": _distilling(mixed=False),
    "GKD, one way, outputs in fp32": _cast(_distilling(mixed=False)),
    "verl's old SFT": _fsdp_sft(padded=False),
    "verl's old SFT, padded": _fsdp_sft(padded=True),
    "packed rows": _packed_rows(),
    "packed rows, entropy": _packed_rows(entropy=True),
    "packed rows without gradient": _packed_rows(gradient=False),
    "packed rows 0.9": _packed_rows(divided="copied"),
    "packed rows 0.9, entropy": _packed_rows(divided="copied", entropy=True),
    "packed rows 0.9 without gradient": _packed_rows(gradient=False, divided="copied"),
    "packed rows 0.9.1": _packed_rows(divided=""),
    "packed rows 0.9.1, entropy": _packed_rows(divided="", entropy=True),
    "packed rows 0.9.1 without gradient": _packed_rows(gradient=False, divided=""),
    **{
        f"packed rows{release}{passes}, no kernel": _packed_rows(
            divided=divided,
            gradient=passes != " without gradient",
            entropy=passes == ", entropy",
            kernel=False,
        )
        for release, divided in (("", "in place"), (" 0.9", "copied"), (" 0.9.1", ""))
        for passes in ("", ", entropy", " without gradient")
    },
    "distilled rows": _distilled(divided="in place"),
    "distilled rows 0.9": _distilled(divided="copied"),
    "distilled rows 0.9.1": _distilled(),
    "distilled rows 0.9.1, in chunks": _distilled(chunk=64),
    "distilled rows 0.9.1, alone": _distilled(alone=True),
    "distilled rows 0.9.1, alone, in chunks": _distilled(alone=True, chunk=64),
    "distilled rows 0.9.1 in fp32": _distilled(fp32=True),
    "distilled rows 0.9.1 in fp32, alone": _distilled(fp32=True, alone=True),
    "padded rows": _padded_rows(gradient=True, entropy=False),
    "padded rows, entropy": _padded_rows(gradient=True, entropy=True),
    "padded rows, entropy without gradient": _padded_rows(gradient=False, entropy=True),
}


if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
