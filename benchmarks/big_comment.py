"""The comment of a big pull request: 40 scripts, 500 findings, none of them made up.

`python -m benchmarks.big_comment` alters the example scripts in the ways that people err, checks
them, and writes the comment as GitHub would show it to build/big/comment.html.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script, make_report
from bot.github.answer import Answer, answer_of
from bot.render.html import page
from bot.report import Change, Report

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = 40
CHANGE = Change(base="1f6d" * 10, head="3f2c" * 10)
_ERRORS = (
    ("data.train_batch_size", "data.train_batch_sizes"),
    ("trainer.nnodes", "trainer.nodes"),
    ("actor_rollout_ref.rollout.n=", "actor_rollout_ref.rollout.num="),
    ("data.max_prompt_length", "data.max_promt_length"),
    ("actor_rollout_ref.model.path", "actor_rollout_ref.model.name"),
    ("trainer.total_epochs", "trainer.epochs"),
)
_MORE = tuple(
    f"actor_rollout_ref.actor.{name}=True"
    for name in (
        "grad_offload",
        "use_remove_paddings",
        "param_ofload",
        "fused_kernels",
        "bf16",
        "lr",
        "ulysses_sp",
        "entropy_coef",
    )
)


def report() -> Report:
    """The report on 40 altered scripts."""
    sources = [
        p for p in sorted((ROOT / "examples/tuning").rglob("*.sh")) if "deepspeed" not in p.name
    ]
    made = []
    for number in range(SCRIPTS):
        source = sources[number % len(sources)]
        text = source.read_text(encoding="utf-8")
        if number % 8:
            for old, new in _ERRORS[: 3 + number % 4]:
                text = text.replace(old, new, 1)
            extra = " ".join((*_MORE, *(f"+{word}" for word in _MORE)))
            text = text.rstrip().removesuffix("$@").rstrip(" \\\n") + f" \\\n    {extra}\n"
        path = source.relative_to(ROOT).as_posix().replace(".sh", f"_{number:02}.sh")
        checked = check_script(
            ScriptFile(path=path, data=text.encode()), CheckOptions(evidence="required")
        )
        made.append(replace(checked, path=path))
    return make_report(made, change=CHANGE)


def answer() -> Answer:
    """What would be posted."""
    return answer_of(report(), touches=True, sources={})


def main() -> None:
    """Write the page."""
    out = ROOT / "build" / "big" / "comment.html"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(answer().body, "A big pull request"), encoding="utf-8")


if __name__ == "__main__":
    main()
