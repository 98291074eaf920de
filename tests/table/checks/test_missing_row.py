from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, SCRIPTS, link, marked, page, quiet, row, section

SLUG = "missing-row"


OTHER = "examples/tuning/14b/qwen2.5-14b_grpo_8_h100_fsdp_vllm.sh"


def test_stays_silent() -> None:
    assert quiet(SLUG, page(section(row())))
    helpers = {**SCRIPTS, "examples/tuning/7b/common.sh": "set -x\nexport NCCL_DEBUG=WARN\n"}
    assert quiet(SLUG, page(section(row())), helpers)
    misspelt = link(PATH.replace("7b_grpo", "7b-GRPO"))
    assert quiet(SLUG, page(section(row(Link=misspelt))))


def test_tells_in_the_section_of_the_size(snapshot: SnapshotAssertion) -> None:
    scripts = {**SCRIPTS, OTHER: verl("actor_rollout_ref.model.path=Qwen/Qwen2.5-14B")}
    text = page(section(row()), section(size="14B"))
    assert marked(SLUG, text, scripts) == snapshot
    assert marked(SLUG, page(section(row())), scripts) == snapshot


def test_no_command_is_named_that_refuses_the_page() -> None:
    for text in ("# rlbot\n", "Hardware\n========\n\nText.\n"):
        said = marked(SLUG, text)
        assert "has no row in this page" in said
        assert "table add" not in said
        assert "name the page that has, or add the first section by hand" in said
    # A heading is a place, where the first row makes the table.
    assert "table add" in marked(SLUG, "Hardware\n========\n\n7B\n~~~\n")
