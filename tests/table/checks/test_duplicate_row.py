from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tests.table.checks.helpers import PATH, SCRIPTS, link, marked, page, quiet, row, section

SLUG = "duplicate-row"


OTHER = "examples/tuning/7b/qwen2.5-7b_grpo_4_h100_fsdp_vllm.sh"


def test_stays_silent() -> None:
    scripts = {**SCRIPTS, OTHER: SCRIPTS[PATH]}
    different = row(Link=link(OTHER), Resource="4*H100")
    assert quiet(SLUG, page(section(row(), different)), scripts)
    assert quiet(SLUG, page(section(row(Model="\\"), row(Model="\\", Link=link(OTHER)))), scripts)


def test_two_rows_of_one_script(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(), row(MaxBatch="512")))) == snapshot


def test_two_scripts_of_one_row(snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(), row(Link=link(OTHER))))) == snapshot
