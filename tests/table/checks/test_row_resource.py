from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.table.checks.helpers import PATH, link, marked, page, quiet, row, section

SLUG = "row-resource"


@pytest.mark.parametrize("cell", ["8*H100", "8xH100", "8 × h100", "8\\*H100", "\\"])
def test_stays_silent(cell: str) -> None:
    assert quiet(SLUG, page(section(row(Resource=cell))))


@pytest.mark.parametrize("cell", ["4*H100", "8*H800", "4*H20", "eight H100", "H100*8"])
def test_tells(cell: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, page(section(row(Resource=cell)))) == snapshot


def test_nodes_count(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("trainer.n_gpus_per_node=8", "trainer.nnodes=4")}
    assert quiet(SLUG, page(section(row(Resource="32*H100"))), scripts)
    assert marked(SLUG, page(section(row())), scripts) == snapshot


def test_the_name_where_the_settings_do_not_tell(snapshot: SnapshotAssertion) -> None:
    scripts = {PATH: verl("trainer.n_gpus_per_node=$(nvidia-smi -L | wc -l)")}
    assert quiet(SLUG, page(section(row())), scripts)
    assert marked(SLUG, page(section(row(Resource="4*H100"))), scripts) == snapshot


def test_two_names_of_one_device() -> None:
    path = "examples/tuning/7b/qwen2.5-7b_grpo_8_4090_fsdp_vllm.sh"
    rows = page(section(row(Resource="8*RTX4090", Link=link(path))))
    assert quiet(SLUG, rows, {path: verl()})
