"""Measures the logits of OpenRLHF's rarer losses as tensors live and die, without a GPU.

    python -m tests.memory.fake_openrlhf    # where torch is installed

Writes fake_openrlhf.json: bytes a logit of all rows of a batch, at the fullest moment of a second
step, when what the loop still holds of the first one counts. The operations are those of
`train_kd`, `train_kto` and `train_prm` of 0.5 to 0.9.5, written anew here from their description;
nothing of them is copied. flash-attention's loss keeps its input and writes the gradient over it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.memory.fake_backward import storages

OUT = Path(__file__).parent / "fake_openrlhf.json"
TOKENS, VOCAB, HIDDEN, ROWS = 512, 32_768, 16, 4


def measure() -> dict[str, Any]:
    """Everything that is recorded; takes a second."""
    torch = importlib.import_module("torch")
    losses = {name: round(_peak(torch, make(torch)), 2) for name, make in LOSSES.items()}
    return {"torch": torch.__version__, "logits": losses}


class _Step:
    """A training loop, whose frame holds what it names until the next step names it anew."""

    def __init__(self, torch: Any) -> None:
        self.torch: Any = torch
        self.output: Any = None
        self.other: Any = None

    def run(self, model: Callable[[int], Any], labels: Any) -> Any:
        raise NotImplementedError


def _peak(torch: Any, step: _Step) -> float:
    with storages(torch) as seen:
        head = torch.zeros(VOCAB, HIDDEN, dtype=torch.bfloat16)
        hidden = torch.zeros(ROWS, TOKENS, HIDDEN, dtype=torch.bfloat16, requires_grad=True)
        labels = torch.zeros(ROWS, TOKENS, dtype=torch.int64)
        seen.peak = before = seen.now
        for _ in range(2):
            step.run(lambda rows: (hidden[:rows] @ head.T).float(), labels).backward()
        return float((seen.peak - before) / (ROWS * TOKENS * VOCAB))


class _Distillation(_Step):
    """The loss of the text beside that of the teacher's logits, each in fp32."""

    def run(self, model: Callable[[int], Any], labels: Any) -> Any:
        torch, nn = self.torch, self.torch.nn.functional
        self.output = model(ROWS)
        shifted = self.output[..., :-1, :].contiguous()
        text = nn.cross_entropy(shifted.view(-1, VOCAB), labels[..., 1:].reshape(-1))
        del shifted
        with torch.no_grad():
            self.other = model(ROWS)

        def distil(logits: Any, teacher: Any) -> Any:
            wanted = nn.softmax(teacher, -1, dtype=torch.float32)
            infinite = torch.isinf(logits)
            given = nn.log_softmax(logits, -1, dtype=torch.float32)
            return torch.masked_fill(wanted * given, infinite, 0).sum(-1).sum()

        return text - distil(self.output, self.other)


class _Unpaired(_Step):
    """Two passes, of the samples and of mismatched ones; no gradient flows into the second."""

    def __init__(self, torch: Any, *, flash: bool) -> None:
        super().__init__(torch)
        self._flash = flash

    def run(self, model: Callable[[int], Any], labels: Any) -> Any:
        torch = self.torch
        self.output = self._both(model, labels)
        with torch.no_grad():
            self.other = self._both(model, labels)
        distance = (self.output[1] - self.other[1]).mean().detach()
        return torch.sigmoid(self.output[0] - self.other[0] - distance).sum()

    def _both(self, model: Callable[[int], Any], labels: Any) -> tuple[Any, Any]:
        half = ROWS // 2

        def first() -> Any:
            logits = model(half)
            return self._log_probs(logits[:, :-1, :], labels[:half, 1:]).sum(-1)

        matched = first()
        logits = model(half)
        return matched, self._log_probs(logits[:, :-1, :], labels[half:, 1:]).sum(-1)

    def _log_probs(self, logits: Any, labels: Any) -> Any:
        torch: Any = self.torch
        if not self._flash:
            found = torch.gather(logits, -1, labels.unsqueeze(-1)).squeeze(-1)
            return found - torch.stack([torch.logsumexp(row, -1) for row in logits])

        class Flash(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, given: Any) -> Any:
                ctx.save_for_backward(given)
                return given[..., 0] * 1.0

            @staticmethod
            def backward(ctx: Any, _: Any) -> Any:
                return ctx.saved_tensors[0]

        return Flash.apply(logits.reshape(-1, VOCAB)).view(labels.shape)


class _Process(_Step):
    """The logits of the steps' marks alone reach the loss; packed rows are padded for that."""

    def __init__(self, torch: Any, *, packed: bool) -> None:
        super().__init__(torch)
        self._packed = packed

    def run(self, model: Callable[[int], Any], labels: Any) -> Any:
        torch = self.torch

        def forward() -> Any:
            logits = model(ROWS)
            if not self._packed:
                return logits
            flat = logits.flatten(0, 1)
            padded = torch.zeros(flat.shape, dtype=flat.dtype)
            return padded.index_put((torch.arange(len(flat)),), flat).view(ROWS, TOKENS, VOCAB)

        self.output = forward()
        marks = self.output.flatten(0, 1)[torch.zeros(8, dtype=torch.int64)]
        return torch.nn.functional.cross_entropy(marks, labels.flatten()[:8])


LOSSES: dict[str, Callable[[Any], _Step]] = {
    "KD": _Distillation,
    "KTO": lambda torch: _Unpaired(torch, flash=False),
    "KTO, flash-attention's loss": lambda torch: _Unpaired(torch, flash=True),
    "PRM": lambda torch: _Process(torch, packed=False),
    "PRM, packed": lambda torch: _Process(torch, packed=True),
}

if __name__ == "__main__":
    OUT.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
