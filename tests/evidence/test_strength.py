"""Which independent sources agree; the record of the facts, and what a later reading finds."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.facts import Facts, RunId
from bot.evidence.record import differences, digest, record
from bot.report import EvidenceSource, FactsRecord
from tests.evidence.samples import SETTINGS, config, evidence, facts, gpu, series
from tests.profiles import scaled


def test_every_source_that_agrees_is_named() -> None:
    found = evidence()
    assert found.strength == "strong"
    assert {each.name for each in found.sources} == {
        *("configuration", "metrics", "system stream", "host")
    }
    assert all(each.consistent and not each.inconsistent for each in found.sources)


@pytest.mark.parametrize(
    ("changes", "strength"),
    [
        ({"system": {}}, "moderate"),
        ({"gpus": (), "requirements": {}}, "moderate"),
        ({"gaps": ("Reading stopped.",)}, "moderate"),
        ({"system": {}, "gpus": (), "requirements": {}}, "weak"),
        ({"history": {}}, "weak"),
        ({"config": {}}, "weak"),
        ({"kind": "log"}, "weak"),
        ({"gpus": (gpu("NVIDIA A10", 22.5),) * 2}, "weak"),
        ({"config": config(data__train_batch_size=1)}, "weak"),
    ],
)
def test_strength(changes: dict[str, Any], strength: str) -> None:
    assert evidence(facts(**changes)).strength == strength


def test_a_source_that_contradicts_is_counted() -> None:
    found = evidence(facts(out_of_memory="torch.OutOfMemoryError: CUDA out of memory."))
    assert EvidenceSource(name="console", consistent=0, inconsistent=2) in found.sources


def kept(run: Facts) -> FactsRecord:
    return record(run, SETTINGS)


def test_the_same_facts_have_the_same_digest_however_they_were_read() -> None:
    one = kept(facts())
    assert one == kept(facts(config=json.loads(json.dumps(config()))))
    whole = config(actor_rollout_ref__actor__entropy_coeff=0, algorithm__gamma=1)
    assert kept(facts(config=whole)).digest == one.digest
    assert differences(one, facts()) == ()
    text = json.dumps(one.values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert one.digest == sha256(text.encode()).hexdigest() == digest(one.values)


def test_every_edit_is_named_with_both_values() -> None:
    before = kept(facts())
    edited = facts(
        config=config(data__train_batch_size=256, secret="k"),
        history={**facts().history, "response_length/max": series("response_length/max", 900)},
        gpus=(gpu("NVIDIA H100 80GB HBM3", 79.6),),
        run=RunId(id="abc124"),
    )
    found = {each.fact: (each.before, each.now) for each in differences(before, edited)}
    assert found["config data.train_batch_size"] == (128, 256)
    assert found["history response_length/max maximum"] == (1024, 900)
    assert found["run id"] == ("abc123", "abc124")
    assert found["host GPU 1"] == ("NVIDIA H800, 85520809984 bytes", None)
    hidden = found["config secret"][1]
    assert isinstance(hidden, str)
    assert hidden.startswith("sha256:")


def test_values_that_neither_script_nor_row_names_are_not_kept() -> None:
    secret = facts(config=config(wandb_key="hunter2", env={"TOKEN": "hunter2"}))
    before = kept(secret)
    assert "hunter2" not in json.dumps(before.values)
    changed = facts(config=config(wandb_key="hunter3", env={"TOKEN": "hunter2"}))
    assert [each.fact for each in differences(before, changed)] == ["config wandb_key"]


def test_another_way_of_reading_is_no_edit() -> None:
    online = replace(facts(), kind="online", state="finished", created="2026-01-01", exit_code=None)
    online = replace(online, run=replace(online.run, user="ada"))
    assert differences(kept(facts()), online) == ()
    assert differences(kept(online), facts()) == ()
    log = replace(facts(), kind="log", system={}, gpus=(), host_gpu_count=None, system_rows=0)
    assert "config data.train_batch_size" not in {d.fact for d in differences(kept(facts()), log)}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=5), st.sampled_from(["", "a", "data"]))
@settings(max_examples=scaled(150))
def test_any_configuration_is_recorded_and_found_unchanged(
    entries: dict[str, Any], key: str
) -> None:
    run = facts(config=entries)
    before = record(run, [key])
    assert differences(before, run) == ()
    stored = FactsRecord(
        kind=before.kind,
        digest=before.digest,
        values=json.loads(json.dumps(before.values, allow_nan=False)),
    )
    assert differences(stored, run) == ()
    assert digest(stored.values) == before.digest
