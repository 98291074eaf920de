"""`.rlbot.yml`: what is taken, and what is refused with which sentence."""

from __future__ import annotations

import pytest

from bot.config import MAX_BYTES, Config, parse_config
from bot.errors import UserError


def test_an_empty_file_is_the_defaults() -> None:
    assert parse_config(b"", ".rlbot.yml") == Config()
    assert parse_config(b"# nothing yet\n", ".rlbot.yml") == Config()


def test_every_key_is_taken() -> None:
    config = parse_config(
        b"version: 1\nscripts: [tuning/]\npage: docs/table.rst\nframework: {verl: 0.8.0}\n"
        b"wandb_hosts: [wandb.example.org]\nrules: {RLB003: 'off', RLB023: error}\n",
        ".rlbot.yml",
    )
    assert config.scripts == ("tuning/",)
    assert config.rules == {"RLB003": "off", "RLB023": "error"}
    assert config.owns("tuning/7b/a.sh")
    assert not config.owns("examples/tuning/7b/a.sh")
    assert not config.owns("tuning2/a.sh")
    assert not config.owns("tuning/README.md")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"script: [a]", '.rlbot.yml has the unknown key "script"; did you mean "scripts"?'),
        (b"colour: red", '.rlbot.yml has the unknown key "colour"; known are version, scripts,'),
        (b"- a\n- b", ".rlbot.yml must hold keys and values, such as `page: docs/tuning.rst`."),
        (b"rules: {RLB001: loud}", ".rlbot.yml: rules.RLB001: Input should be"),
        (b"a: [", ".rlbot.yml is not valid YAML at line 1, column 5"),
        (b"\xff\xfe\xfa", ".rlbot.yml is not valid YAML"),
        (b"version: 2", ".rlbot.yml: version: Input should be 1."),
        (b"x" * (MAX_BYTES + 1), ".rlbot.yml has 65,537 bytes; a configuration has at most"),
        (b"a: !!python/object/apply:os.system [ls]", ".rlbot.yml is not valid YAML"),
    ],
)
def test_a_mistake_is_a_sentence(text: bytes, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        parse_config(text, ".rlbot.yml")
    assert str(error.value).startswith(sentence)


def test_off_as_yaml_reads_it_is_off() -> None:
    # YAML 1.1 reads a bare `off` as false; people will write it so.
    assert parse_config(b"rules: {RLB003: off}", ".rlbot.yml").rules == {"RLB003": "off"}
