"""What a pass without gradient takes: for log-probabilities, values, rewards, an evaluation."""

from __future__ import annotations

from dataclasses import replace

from bot.memory.components.activations import (
    Parts,
    head_copies,
    head_is_away,
    outputs_held,
)
from bot.memory.components.attention import scores_forward
from bot.memory.components.experts import copies_in_transit
from bot.memory.components.gathered import gathered_ends, gathered_layers
from bot.memory.components.logit_bytes import logits, split
from bot.memory.constants import LOGITS
from bot.memory.units import NOTHING, Bytes, together
from bot.memory.workload import MemoryLevel, Role


def evaluation_parts(role: Role, level: MemoryLevel) -> Parts:
    """A pass over samples that are held out."""
    return forward_parts(
        replace(
            role,
            forward=role.evaluation,
            forward_logits=role.evaluation_logits,
            eager_forward=role.evaluation_rows if role.eager_forward else 0,
            scored_tokens=0,
        ),
        level,
    )


def forward_parts(role: Role, level: MemoryLevel) -> Parts:
    """A pass without gradient: one layer's activations, or the logits, whichever are more.

    Beside the logits is what they are made of, and the ends alone are whole, where these are not in
    shards again (measured on a GPU, `tests/memory/measured`); the floor has no layer.
    """
    tokens = role.forward.at(level)
    residual = Bytes.of(role.compute_bytes * role.shape.hidden * tokens) / split(role)
    made, copied = _outputs(role, tokens, level)
    scores = _scores(role, level)
    head: Parts = {
        "activations": residual + made + copied,
        "gathered weights": gathered_ends(role),
        "logits": logits(role, level, tokens, role.forward_logits) + scores,
        "copies of the head": head_copies(role, level, role.forward_head_copies),
    }
    layer: Parts = {
        "activations": residual if level == "floor" else layer_forward(role, tokens) + made,
        "gathered weights": gathered_ends(role) + gathered_layers(role, level),
        "logits": scores,
    }
    moments = [head, layer]
    if head_is_away(role):
        # The head is there while it makes the logits, not while more is computed from them.
        made = logits(role, level, tokens, min(LOGITS, role.forward_logits))
        moments = [head | {"logits": made + scores}, head | {"gathered weights": NOTHING}, layer]
    return max(moments, key=lambda parts: together(parts.values()).count)


def _outputs(role: Role, tokens: int, level: MemoryLevel) -> tuple[Bytes, Bytes]:
    """What all layers have made, where a trainer holds it, and its copies."""
    held = role.outputs
    if held is None or level == "floor":
        return NOTHING, NOTHING
    return outputs_held(role, tokens, held.each), outputs_held(role, tokens, held.copied)


def _scores(role: Role, level: MemoryLevel) -> Bytes:
    """The fp32 scores of what was written, until all passes over it are done (TRL's PPO)."""
    return Bytes(0 if level == "floor" else 4 * role.shape.vocab * role.scored_tokens)


def layer_forward(role: Role, tokens: int) -> Bytes:
    """One layer without gradient: the residual, an fp32 copy, the MLP's three widths, copies.

    Or what a layer of linear attention has at once.
    """
    mixer = getattr(role.shape.linear, "forward_bytes_per_token", 0)
    widest = max(6 * role.shape.active_intermediate, mixer)
    per_token = 8 * role.shape.hidden + widest
    copies = copies_in_transit(role, tokens) + scores_forward(role, tokens)
    return Bytes.of(role.compute_bytes / 2 * per_token * tokens) / split(role) + copies
