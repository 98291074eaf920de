"""A run overrules what was predicted of it, and only such a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.base.errors import UserError
from bot.check.estimate import estimate_script, measured, overruled
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.evidence.facts import Facts, MetricSeries
from bot.frameworks import Checkout
from bot.report import Claim, ClaimVerdict, Evidence, Finding
from bot.rules._support.example import verl


def finding(rule: str) -> Finding:
    return Finding(
        id=rule, slug="x", severity="warning", message="", path="x.sh", line=1, column=1,
        end_line=1, end_column=2,
    )  # fmt: skip


FOUND = (finding("RLB020"), finding("RLB110"), finding("RLB111"), finding("RLB112"))
RAN = Evidence(source="", verdict="consistent", steps=60, peak_gib=71.2)
FACTS = Facts(source="a run")


@pytest.mark.parametrize(
    ("evidence", "facts"),
    [
        (None, None),
        (replace(RAN, verdict="inconsistent"), FACTS),  # another run
        (replace(RAN, steps=0), FACTS),
        (RAN, replace(FACTS, out_of_memory="torch.OutOfMemoryError")),
    ],
)
def test_predictions_stay(evidence: Evidence | None, facts: Facts | None) -> None:
    assert overruled(FOUND, evidence, facts) == FOUND


@pytest.mark.parametrize("verdict", ["consistent", "inconclusive"])
def test_a_run_that_ran_is_stronger(verdict: ClaimVerdict) -> None:
    left = overruled(FOUND, replace(RAN, verdict=verdict), FACTS)
    assert [found.id for found in left] == ["RLB020"]


@pytest.mark.parametrize(("verdict", "left"), [("consistent", ["RLB113"]), ("inconclusive", [])])
def test_a_model_that_missed_the_peak_offers_no_fewer_gpus(
    verdict: ClaimVerdict, left: list[str]
) -> None:
    against = Claim(
        claim="peak against the estimate", claimed=None, observed=None, source="", verdict=verdict,
        reason="",
    )  # fmt: skip
    evidence = replace(RAN, claims=(against,))
    less = replace(finding("RLB113"), slug="memory-not-minimal")
    kept = overruled((*FOUND[1:], less), evidence, FACTS)
    assert [found.id for found in kept] == left


def test_lengths_of_a_run() -> None:
    series = MetricSeries(
        key="response_length/mean", rows=3, maximum=271.0, at_step=2, last=250.0, monotone=False
    )
    found = measured(replace(FACTS, history={series.key: series}))
    assert found is not None
    assert (found.response_mean, found.prompt_mean) == (271.0, None)
    assert found.longest is None
    assert measured(FACTS) is None
    of_run = dict.fromkeys(
        ("prompt_length/max", "response_length/max"), replace(series, maximum=900.0)
    )
    longest = measured(replace(FACTS, history={series.key: series} | of_run))
    assert longest is not None
    assert longest.longest == 1800.0


def test_a_model_in_the_repository_says_its_shape_without_a_root() -> None:
    """verl's tests/e2e/run_ray_trainer.sh: `tests/e2e/arithmetic_sequence/model` has a config."""
    config = (
        b'{"model_type": "llama", "hidden_size": 128, "num_hidden_layers": 4, "vocab_size": 16,'
        b'"num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 344}'
    )
    line = verl("actor_rollout_ref.model.path=tests/own/model")
    script = ScriptFile(path="tests/run.sh", data=line.encode())

    def reason(files: dict[str, bytes]) -> str | None:
        options = CheckOptions(place=InCheckout(Checkout(files)), device="h100")
        made = estimate_script(script, options).estimate
        assert made is not None
        return made.reason

    assert "tests/own/model is not known" in (reason({}) or "")
    assert reason({"tests/own/model/config.json": config}) is None


def test_launches_without_an_estimate_are_counted() -> None:
    """ZinYY/Online_RLHF: one of a pipeline's trainers is the fork's own."""
    data = (verl() + verl("actor_rollout_ref.model.path=my/own")).encode()
    made = estimate_script(ScriptFile(path="run.sh", data=data), CheckOptions(device="h100"))
    assert made.estimate is not None
    assert made.estimate.stages
    (note,) = (one for one in made.estimate.assumptions if "without an estimate" in one)
    assert note.startswith("1 launch without an estimate: The shape of the model my/own")


def test_the_arguments_of_a_script_are_asked_for() -> None:
    data = b"N=$1\n" + verl("data.max_response_length=$N").encode()
    script = ScriptFile(path="run.sh", data=data)
    made = estimate_script(script, CheckOptions(device="h100")).estimate
    assert made is not None
    assert "give the script's arguments with --args" in (made.reason or "")
    given = estimate_script(script, CheckOptions(device="h100", script_arguments=("512",))).estimate
    assert given is not None
    assert given.stages


def test_a_model_that_is_given_must_be_known() -> None:
    script = ScriptFile(path="run.sh", data=verl().encode())
    with pytest.raises(UserError, match="--model: The shape of the model my/own is not known"):
        estimate_script(script, CheckOptions(device="h100", model="my/own"))


def test_a_config_of_an_unknown_family_leaves_the_flag() -> None:
    """hxhcreate/DARE: `models/Dream-v0-Instruct-7B/config.json` of a type that is not known."""
    script = ScriptFile(path="run.sh", data=verl("actor_rollout_ref.model.path=own/m").encode())
    checkout = Checkout({"own/m/config.json": b'{"model_type": "Dream"}'})
    place = InCheckout(checkout)
    made = estimate_script(script, CheckOptions(place=place, device="h100")).estimate
    assert made is not None
    assert "models of the type 'Dream' are not known. With --model NAME" in (made.reason or "")
    options = CheckOptions(place=place, device="h100", model="Qwen/Qwen2.5-7B")
    given = estimate_script(script, options).estimate
    assert given is not None
    assert given.stages


def test_all_variables_that_are_needed_are_named_at_once() -> None:
    """CohenQU/verl-stable's grpo.sh: each one that was given led to the next."""
    line = verl("actor_rollout_ref.model.path=$M", "data.max_response_length=$L", "trainer.a=$X")
    script = ScriptFile(path="run.sh", data=line.encode())
    made = estimate_script(script, CheckOptions(device="h100")).estimate
    assert made is not None
    assert "--env M=VALUE" in (made.reason or "") or "--model" in (made.reason or "")
    given = CheckOptions(device="h100", model="Qwen/Qwen2.5-7B")
    made = estimate_script(script, given).estimate
    assert made is not None
    assert "give --env L=VALUE." in (made.reason or "")
    line = verl("data.max_prompt_length=$P", "data.max_response_length=$L", "trainer.a=$X")
    script = ScriptFile(path="run.sh", data=line.encode())
    made = estimate_script(script, CheckOptions(device="h100")).estimate
    assert made is not None
    assert "--env P=VALUE, and so for what other settings need: L." in (made.reason or "")


def test_data_that_only_a_run_knows_keep_from_no_number() -> None:
    line = verl("data.train_files=$DATA")
    made = estimate_script(
        ScriptFile(path="run.sh", data=line.encode()), CheckOptions(device="h100")
    ).estimate
    assert made is not None
    assert made.stages
