"""What a run that is to be written looks like: plain data, without the SDK."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

MEMORY_KEYS: Final = ("perf/max_memory_allocated_gb", "perf/max_memory_reserved_gb")
H800_BYTES: Final = 85_520_809_984
"""Memory of an H800 as NVML reports it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecipe:
    """One run of a verl job, as its process would have logged it."""

    config: dict[str, Any]
    """The whole resolved configuration, nested."""
    run_id: str = "abc123"
    entity: str = "verl-team"
    project: str = "verl_tuning"
    name: str = "qwen2.5-7b_grpo_2_h800_fsdp_vllm"
    steps: int = 60
    memory_keys: tuple[str, ...] = MEMORY_KEYS
    """Metric names of the allocator's peaks; empty for a framework that logs none."""
    allocator_gib: float = 61.0
    """Level of the allocator's figure, GiB; the reserved one is 4 GiB higher."""
    allocator_peak_gib: float | None = None
    """A single higher row in the middle of the history; None for none."""
    peak_gib: float | None = 71.2
    """A single higher sample in the middle of the system stream; None for no GPU samples."""
    system_gib: float = 58.0
    """Level of the system stream, GiB."""
    system_samples: int = 240
    gpu: str | None = "NVIDIA H800"
    """None for a machine without GPUs, as where verl's run writer sits on another node."""
    gpu_memory_bytes: int = H800_BYTES
    gpus: int = 2
    """GPUs that the host has."""
    response_length_max: int = 1024
    """Tokens; reached in the middle of the run, which begins with shorter ones."""
    prompt_length_max: int = 512
    packages: dict[str, str] = field(
        default_factory=lambda: {"verl": "0.4.1", "vllm": "0.8.3", "torch": "2.6.0"}
    )
    """Packages that the run's environment has installed: name to version."""
    console: tuple[str, ...] = ()
    """Lines that the process prints."""
    exit_code: int = 0
    program: str = "verl/trainer/main_ppo.py"

    def but(self, **changes: Any) -> RunRecipe:
        """A copy with some things changed."""
        return replace(self, **changes)

    def to_json(self) -> str:
        """For handing it to the process that writes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> RunRecipe:
        """What `to_json` wrote."""
        data = json.loads(text)
        for key in ("memory_keys", "console"):
            data[key] = tuple(data[key])
        return cls(**data)

    def history_row(self, step: int) -> dict[str, float]:
        """What step `step` (from 1) logs, in verl's names and units."""
        middle = step == max(1, self.steps // 2 + 1)
        level = self.allocator_gib + 0.5 * min(step, 2)
        if middle and self.allocator_peak_gib is not None:
            level = self.allocator_peak_gib
        longest = self.response_length_max if middle else int(self.response_length_max * 0.8)
        row: dict[str, float] = {
            "training/global_step": step,
            "training/epoch": 0,
            "prompt_length/mean": self.prompt_length_max * 0.6,
            "prompt_length/max": self.prompt_length_max,
            "response_length/mean": self.response_length_max * 0.4,
            "response_length/max": longest,
            "perf/throughput": 1900.0 + 7 * (step % 11),
            "actor/pg_loss": -0.01 / step,
        }
        for key in self.memory_keys:
            row[key] = level + (4.0 if "reserved" in key else 0.0)
        return row

    def system_bytes(self, sample: int, gpu: int) -> int:
        """Used memory of one GPU in one sample of the system stream."""
        gib = self.system_gib + 0.1 * (sample % 5)
        if self.peak_gib is not None and gpu == 0 and sample == self.system_samples // 2:
            gib = self.peak_gib
        return round(gib * 2**30)
