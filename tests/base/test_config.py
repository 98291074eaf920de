"""`.rlbot.yml`: what is taken, and what is refused with which sentence."""

from __future__ import annotations

import pytest

from bot.base.config import MAX_BYTES, Config, Permissions, parse_config, read_config
from bot.base.errors import UserError


def test_an_empty_file_is_the_defaults() -> None:
    assert parse_config(b"", ".rlbot.yml") == Config()
    assert parse_config(b"# nothing yet\n", ".rlbot.yml") == Config()


def test_every_key_is_taken() -> None:
    config = parse_config(
        b"version: 1\nscripts: [tuning/]\npage: docs/table.rst\nframework: {verl: 0.8.0}\n"
        b"wandb_hosts: [wandb.example.org]\nrules: {RLB003: 'off', RLB023: error}\n"
        b"language: zh\nnaming: [run, lab]\nprofiles: {lab: '{model}_{gpus}x{device}'}\n"
        b"allow_private_runs: true\npermissions: {verify: write, apply: maintain}\n",
        ".rlbot.yml",
    )
    assert config.scripts == ("tuning/",)
    assert config.rules == {"RLB003": "off", "RLB023": "error"}
    assert (config.language, config.allow_private_runs) == ("zh", True)
    assert config.permissions == Permissions(verify="write", apply="maintain")
    assert [profile.form for profile in config.name_profiles()] == [
        "run_<model>_<train>.sh",
        "[model]_[gpus]x[device].sh",
    ]
    for name in (
        "a.sh",
        "a.bash",
        "a.slurm",
        "a.sbatch",
        "a.batch",
        "a.pbs",
        "a.lsf",
        "a.sub",
        "a.job",
    ):
        assert config.owns(f"tuning/7b/{name}")
    assert not config.owns("examples/tuning/7b/a.sh")
    assert not config.owns("tuning2/a.sh")
    assert not config.owns("tuning/README.md")
    assert not config.owns("a.slurm")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            b"page: x.rst\nscript: [a]",
            '.rlbot.yml, line 2: unknown key "script"; did you mean "scripts"?',
        ),
        (b"colour: red", '.rlbot.yml, line 1: unknown key "colour"; known are version, language,'),
        (
            b"version: 1\npermissions:\n  verfiy: write",
            '.rlbot.yml, line 3: unknown key "permissions.verfiy"; did you mean "verify"?',
        ),
        (
            b"permissions: {verify: writer}",
            (
                ".rlbot.yml, line 1: permissions.verify: must be 'read', 'triage', 'write', "
                "'maintain' or 'admin'."
            ),
        ),
        (
            b"framework: {verlai: 0.9.1}",
            '.rlbot.yml, line 1: unknown key "framework.verlai"; did you mean "verl"?',
        ),
        (b"page: a.rst\npage: b.rst", '.rlbot.yml, line 2: the key "page" stands there twice.'),
        (b"? {a: 1}\n: 2", ".rlbot.yml is not valid YAML"),
        (b"1: 2", '.rlbot.yml, line 1: unknown key "1"; known are'),
        (b"- a\n- b", ".rlbot.yml must hold keys and values, such as `page: docs/tuning.rst`."),
        (
            b"rules: {RLB001: loud}",
            ".rlbot.yml, line 1: rules.RLB001: must be 'error', 'warning', 'note' or 'off'.",
        ),
        (b"language: de", ".rlbot.yml, line 1: language: must be 'en' or 'zh'."),
        (
            b"allow_private_runs: maybe",
            ".rlbot.yml, line 1: allow_private_runs: must be true or false.",
        ),
        (b"scripts: examples", ".rlbot.yml, line 1: scripts: must be a list, such as [one, two]."),
        (b"framework: verl@0.9.1", ".rlbot.yml, line 1: framework: must hold keys and values."),
        (
            b"framework: {verl: 0.9}",
            ".rlbot.yml, line 1: framework.verl: must be text; put it in quotes.",
        ),
        (b"min_steps: few", ".rlbot.yml, line 1: min_steps: must be a whole number."),
        (b"naming: [tunning]", '.rlbot.yml, line 1: naming: there is no profile "tunning"; did'),
        (b"naming: []", ".rlbot.yml, line 1: naming: name one profile at least, such as tuning."),
        (
            b"\nprofiles: {tuning: '{model}'}",
            ".rlbot.yml, line 2: profiles.tuning: tuning is built in; choose another name.",
        ),
        (
            b"profiles:\n  lab: '{modell}'",
            (
                '.rlbot.yml, line 2: profiles.lab: "{modell}" is no part of a name; did you mean '
                "{model}?"
            ),
        ),
        (
            b"wandb_hosts: ['https://wandb.example.org/']",
            '.rlbot.yml, line 1: wandb_hosts: "https://wandb.example.org/" is no host name; write',
        ),
        (b"scripts: [/etc]", '.rlbot.yml, line 1: scripts: "/etc" must be a path below'),
        (b"page: ../x.rst", '.rlbot.yml, line 1: page: "../x.rst" must be a path below'),
        (b"a: [", ".rlbot.yml is not valid YAML at line 1, column 5"),
        (b"\xff\xfe\xfa", ".rlbot.yml is not valid YAML"),
        (b"version: 2", ".rlbot.yml, line 1: version: must be 1."),
        (b"x" * (MAX_BYTES + 1), ".rlbot.yml has 65,537 bytes; a configuration has at most"),
        (b"page: !!bool x", ".rlbot.yml is not valid YAML: a value does not fit its tag."),
        (b"page: !!timestamp x", ".rlbot.yml is not valid YAML: a value does not fit its tag."),
        (b"[" * 30_000, ".rlbot.yml is not valid YAML"),
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


def test_the_line_of_every_key_is_known() -> None:
    given = read_config(b"# words\npage: null\npermissions:\n  apply: admin\n", ".rlbot.yml")
    assert given.lines == {"page": 2, "permissions": 3, "permissions.apply": 4}


@pytest.mark.parametrize(
    ("link", "next_one"),
    [("page: &a0 [x, x]\n", "{name}: &a{n} [*a{m}, *a{m}]\n"),
     ("page: &a0 {{x: 1}}\n", "{name}: &a{n} {{<<: [*a{m}, *a{m}]}}\n")],
    ids=["lists", "merges"],
)  # fmt: skip
def test_aliases_that_grow_without_end_are_refused(link: str, next_one: str) -> None:
    bomb = link.format() + "".join(
        next_one.format(name=f"k{n}", n=n, m=n - 1) for n in range(1, 60)
    )
    with pytest.raises(UserError, match="more than 10,000 values"):
        parse_config(bomb.encode(), ".rlbot.yml")
    few = link.format() + next_one.format(name="rules", n=1, m=0)
    with pytest.raises(UserError, match=r"page: |rules: "):
        parse_config(few.encode(), ".rlbot.yml")


@pytest.mark.parametrize("text", ["page: " + "[" * 60 + "]" * 60, "page: &a [*a]"])
def test_values_in_each_other_without_end_are_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"nests its values too deeply"):
        parse_config(text.encode(), ".rlbot.yml")
