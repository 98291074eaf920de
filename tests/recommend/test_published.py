"""Published rows: the page's, else verl's own as shipped; exact ones first, else the nearest."""

from __future__ import annotations

import json
from pathlib import Path

from bot.base.devices import by_token
from bot.memory.shapes.models import find
from bot.recommend.published import RowFacts, matching, nearest, rows_of
from bot.recommend.request import Request, Sizes, make_request
from bot.table.page import read_page
from tests.command import ROOT, rlbot

PAGE = "docs/perf/device_tuning.rst"


def _request(model: str, method: str = "full", task: str = "grpo") -> Request:
    sizes = Sizes(prompt=1024, response=1024, batch=128)
    return make_request(model, task=task, method=method, framework="verl", sizes=sizes)


def test_each_shipped_row_is_of_a_known_model_and_device() -> None:
    rows = rows_of(None)
    assert len(rows) == 12
    for row in rows:
        assert row.known == find(row.known.name)
        printed = row.printed
        assert by_token(printed.device)
        assert printed.link is not None
        place = f"{printed.gpus}_{printed.device.lower()}_{printed.train}"
        assert f"_{row.task}_{place}_" in printed.link


def test_rows_of_the_question_itself_come_first() -> None:
    rows = rows_of(None)
    (row,) = matching(rows, _request("Qwen/Qwen2.5-32B", "lora"), None, 8)
    assert (row.gpus, row.device, row.max_batch) == (4, "H100", "180")
    assert not matching(rows, _request("Qwen/Qwen2.5-32B", "lora"), None, 2)
    assert not matching(rows, _request("Qwen/Qwen2.5-32B", "lora"), {"h100": 2, "h800": 8}, 8)
    assert not matching(rows, _request("Qwen/Qwen2.5-32B", "lora"), {"h800": 8}, 8)
    assert not matching(rows, _request("Qwen/Qwen2.5-32B", "lora", "ppo"), None, 8)


def test_the_nearest_row_says_what_differs() -> None:
    rows = rows_of(None)
    near = nearest(rows, _request("Qwen/Qwen3-8B", "lora"), ["rtx4090"])
    assert near is not None
    assert (near.model, near.gpus, near.device) == ("Qwen2.5-7B", 1, "H100")
    assert near.differs == ("model", "device")
    near = nearest(rows, _request("Qwen/Qwen2.5-72B", task="rloo"), ["h20"])
    assert near is not None
    assert (near.model, near.device, near.differs) == ("Qwen2-70B", "H20", ("task",))


def test_a_row_of_another_size_or_method_is_not_near() -> None:
    rows = rows_of(None)
    assert nearest(rows, _request("deepseek-ai/DeepSeek-V3"), None) is None
    assert nearest(rows, _request("Qwen/Qwen3-0.6B"), None) is None  # full; only LoRA is published
    assert nearest(rows, _request("Qwen/Qwen3-8B", task="sft"), None) is None


def test_a_page_takes_the_place_of_the_shipped_rows() -> None:
    page = read_page((ROOT / PAGE).read_text(encoding="utf-8"), PAGE)
    rows = rows_of(page)
    assert rows
    assert all("rlbot-tuning" in (row.printed.link or "") for row in rows)
    assert all(isinstance(row, RowFacts) for row in rows)


def test_the_nearest_row_is_printed(tmp_path: Path) -> None:
    result = rlbot("recommend", "2x4090", "Qwen3-8B", cwd=tmp_path)
    assert "Published nearest: grpo-lora of Qwen2.5-7B on 1 × H100" in result.out
    asked = ("recommend", "1xh100", "Qwen2.5-7B", "lora", "--format", "json")
    answer = json.loads(rlbot(*asked, cwd=tmp_path).out)
    assert answer["nearest"] is None
    assert answer["published"][0]["max_batch"] == "16"
