"""Threats to the App that no other file of these tests is named after."""

from __future__ import annotations

import pytest

from bot.base.config import Config
from bot.evidence.facts import EvidenceError
from bot.evidence.links import RunHosts, parse_link
from bot.service.metrics import Metrics
from bot.service.settings import read_settings
from bot.service.work import access_of, check_request

KEY = {"WANDB_API_KEY": "the-key-of-the-operator"}


@pytest.mark.parametrize(
    "link",
    [
        "http://169.254.169.254/latest/meta-data/iam",
        "https://wandb.ai@evil.example/e/p/runs/r",
        "https://wandb.ai.evil.example/e/p/runs/r",
        "https://evil.example/e/p/runs/r",
        "https://wandb.ai:8443/e/p/runs/r",
        "http://127.0.0.1:5432/e/p/runs/r",
        "file:///etc/passwd",
    ],
)
def test_t9_an_address_that_is_no_run_of_an_allowed_host_is_never_asked(link: str) -> None:
    options = check_request(Metrics(), environment=KEY).options(Config())
    with pytest.raises(EvidenceError):
        parse_link(link, options.hosts)


def test_t9_the_operators_key_goes_to_its_own_host_alone() -> None:
    access = access_of(Config(), KEY, private_runs=True)
    assert access.key_for(parse_link("https://wandb.ai/e/p/runs/r")) is not None
    # A repository may name a host, and gets no key for it.
    other = parse_link("https://w.example/e/p/runs/r", RunHosts(("w.example",)))
    assert access.key_for(other) is None


def test_t10_a_repository_alone_cannot_open_what_the_operators_key_sees() -> None:
    wants = Config(allow_private_runs=True)
    may = {
        (config.allow_private_runs, operator): access_of(
            config, KEY, private_runs=operator
        ).allow_private_runs
        for config in (Config(), wants)
        for operator in (False, True)
    }
    assert may == {
        (False, False): False,
        (False, True): False,
        (True, False): False,
        (True, True): True,
    }
    assert read_settings({}).private_runs is False
    assert read_settings({"RLBOT_PRIVATE_RUNS": "yes"}).private_runs is True
