"""The configuration of a checkout as a table, and files that nobody has looked at."""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bot.base.errors import UserError
from bot.frameworks import ConfigTree, plans, read_tree, tree_table
from bot.frameworks.files.config_files import LIMITS, ComposeError, ConfigLimits
from bot.frameworks.hydra.compose import Composer
from bot.frameworks.hydra.table import HydraTable
from bot.frameworks.plan import Plan
from bot.frameworks.plan_values import PlanValue, values_of
from tests.frameworks.conftest import FILES, Made
from tests.frameworks.made import reading, setting
from tests.profiles import scaled

ROOT = "ppo_trainer"


def tree(files: Mapping[str, str], limits: ConfigLimits = LIMITS) -> ConfigTree:
    data = {path: text.encode() for path, text in files.items()}
    return tree_table(data, "a pull request", limits=limits)


def made_tree() -> ConfigTree:
    start = "config/"
    return tree({p.removeprefix(start): t for p, t in FILES.items() if p.startswith(start)})


def test_a_tree_that_was_composed_can_be_sent_to_another_process() -> None:
    ours = tree(PPO)
    mine = ours.table(ROOT)
    theirs = pickle.loads(pickle.dumps(ours)).table(ROOT)  # noqa: S301
    assert mine is not None
    assert theirs.tree == mine.tree


PPO = {
    f"{ROOT}.yaml": """
defaults:
  - model@actor_rollout_ref.model: plain
  - _self_
data: {train_batch_size: 64, new_in_this_tree: 1}
trainer: {n_gpus_per_node: 4, nnodes: 2, logger: [wandb]}
algorithm: {adv_estimator: gae}
""",
    "model/plain.yaml": "path: ~/models\nlora_rank: 0\n",
    "model/wide.yaml": "path: ~/models\nlora_rank: 8\nlora_alpha: 16\n",
    "README.md": "no configuration",
}
LAUNCH = "python3 -m verl.trainer.main_ppo "


def plan(files: Mapping[str, str], *arguments: str) -> Plan:
    (found,) = plans(reading(LAUNCH + " ".join(arguments)), trees={"verl": tree(files)})
    return found


def test_a_launch_is_read_by_the_tree() -> None:
    found = plan(PPO, "data.new_in_this_tree=2", "data.train_batch_size=8")
    assert found.configuration.release == "a pull request"
    assert found.configuration.reason == "the configuration of a pull request"
    assert found.table is not None
    assert all(found.table.verdicts(found.settings))
    assert (found.gpus.value, found.train_batch_size.value) == (8, 8)
    assert (found.algorithm.value, found.adapter.value) == ("gae", "")


def test_a_key_that_only_releases_have() -> None:
    found = plan(PPO, "data.max_prompt_length=8")
    assert found.table is not None
    (verdict,) = found.table.verdicts(found.settings)
    assert verdict.message == "the configuration of a pull request has no data.max_prompt_length"
    assert found.table.history("data.max_prompt_length") == "in verl 0.1 to 0.9.1"


def test_a_choice_is_composed_exactly_and_named_when_it_is_missing() -> None:
    key = "actor_rollout_ref.model.lora_alpha"
    chosen = plan(PPO, "model@actor_rollout_ref.model=wide", f"{key}=1")
    assert chosen.table is not None
    assert all(chosen.table.verdicts(chosen.settings))
    assert chosen.adapter.value == "lora"
    missing = plan(PPO, f"{key}=1")
    assert missing.table is not None
    (verdict,) = missing.table.verdicts(missing.settings)
    assert verdict.choice == "model@actor_rollout_ref.model=wide"


def test_a_root_of_the_fork_is_named_where_its_own_settings_stand() -> None:
    own = PPO[f"{ROOT}.yaml"] + "env: {name: search}\n"
    other = own.replace("nnodes: 2, ", "")
    roots = {"a_trainer.yaml": other, "fork_trainer.yaml": own, "_generated.yaml": own}
    tables = tree({**PPO, **roots, "evaluation.yaml": "env: {name: x}\n"})
    table = tables.table(ROOT)
    assert table is not None
    # The root that keeps more of the settings comes before the first one.
    assert table.verdicts((setting("env.name=web"),))[0].choice == "--config-name=fork_trainer"
    assert table.verdicts((setting("env.nam=web"),))[0].choice is None


def test_deprecations_are_those_whose_replacement_is_there() -> None:
    files = {f"{ROOT}.yaml": "actor: {ppo_micro_batch_size: 1, ppo_micro_batch_size_per_gpu: 1}\n"}
    found = tree(files).table(ROOT)
    assert found is not None
    assert found.deprecated("actor.ppo_micro_batch_size") == "actor.ppo_micro_batch_size_per_gpu"


def test_deprecations_are_those_of_the_time_that_the_settings_tell() -> None:
    """louieworth/verl, of the time of 0.7, whose workers read the old setting alone."""
    key = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"
    name = key.rpartition(".")[2]
    actor = f"{{tau_pos: 1, {name}: 1, fsdp_config: {{{name}: 1}}}}"
    for rollout, instead in (("", None), (", rollout: {disaggregation: 1}", "fsdp_config")):
        files = {f"{ROOT}.yaml": f"actor_rollout_ref: {{actor: {actor}{rollout}}}\n"}
        found = tree(files).table(ROOT)
        assert found is not None
        assert (instead or "None") in str(found.deprecated(key))


@pytest.mark.parametrize(
    "arguments",
    ["--config-name=other", "--config-path=/elsewhere", "--config-name=fully_async_ppo_trainer"],
)
def test_a_root_that_the_tree_does_not_have(arguments: str) -> None:
    found = plan(PPO, arguments, "data.train_batch_size=8")
    assert found.table is None
    assert found.configuration.reason.startswith("the configuration of a pull request")


def test_an_entry_whose_root_is_not_in_the_tree() -> None:
    line = "torchrun -m verl.trainer.sft_trainer data.train_batch_size=8"
    (found,) = plans(reading(line), trees={"verl": tree(PPO)})
    assert found.table is None


def test_a_tree_stands_before_a_release_and_only_for_its_framework() -> None:
    script = reading(LAUNCH, "deepspeed --module openrlhf.cli.train_sft")
    verl, openrlhf = plans(script, versions={"verl": "0.4.1"}, trees={"verl": tree(PPO)})
    assert verl.configuration.release == "a pull request"
    assert openrlhf.configuration.reason == "the newest release known"


# The same configuration through the generator's table and through a tree.


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["engine=mega"],
        ["engine=mega", "extra@data=other", "data.seed=2", "job.tensor=4"],
        ["worker@job=mega_worker", "job.options.fused=false"],
        ["data.seed=1"],
        ["only_mega=1"],
        ["engine=none"],
        ["nothing.of.the.kind=1"],
    ],
)
def test_a_tree_says_what_its_release_says(made: Made, overrides: list[str]) -> None:
    root = "top_trainer"
    found = made_tree().table(root)
    assert isinstance(found, HydraTable)
    given = [setting(text) for text in overrides]
    expected = made.table.verdicts(given)
    assert [(v.status, v.choice) for v in found.verdicts(given)] == [
        (v.status, v.choice) for v in expected
    ]
    assert found.composed(given) == made.table.composed(given)
    assert sorted(found) == sorted(made.table)


def test_choices_that_depend_on_each_other_are_exact(made: Made) -> None:
    given = [setting("engine=mega"), setting("worker@job=plain_worker"), setting("job.split=2")]
    found = made_tree().table("top_trainer")
    assert found is not None
    assert [v.accepted for v in found.verdicts(given)] == [True, True, True]
    assert made.table.verdicts(given)[2].accepted is None


# Files that nobody has looked at

SECRET = "s3cret-of-the-environment"  # noqa: S105
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE: dict[str, tuple[dict[str, str], str]] = {
    "defaults in a circle": (
        {f"{ROOT}.yaml": "defaults: [one]\n", "one.yaml": f"defaults: [{ROOT}]\n"},
        "refer to each other",
    ),
    "defaults that double": (
        {f"{ROOT}.yaml": "defaults: [c0@a, c0@b]\n"}
        | {f"c{n}.yaml": f"defaults: [c{n + 1}@a, c{n + 1}@b]\n" for n in range(30)}
        | {"c30.yaml": "x: 1\n"},
        "too many files",
    ),
    "a resolver in the defaults": (
        {f"{ROOT}.yaml": "defaults: [{model: '${oc.env:SECRET_OF_TEST}'}]\n", "model/a.yaml": ""},
        "${oc.env:SECRET_OF_TEST}",
    ),
    "a resolver among choices": (
        {f"{ROOT}.yaml": "defaults: [{model: 'x${oc.env:SECRET_OF_TEST}'}]\n", "model/a.yaml": ""},
        "${oc.env:SECRET_OF_TEST}",
    ),
    "aliases that swell": ({f"{ROOT}.yaml": BOMB}, "values"),
    "an alias in a circle": ({f"{ROOT}.yaml": "a: &a [*a]\n"}, "nests too deeply"),
    "too deep": ({f"{ROOT}.yaml": "a: " + "[" * 5000 + "]" * 5000}, "nests too deeply"),
    "a tag that would run": ({f"{ROOT}.yaml": "a: !!python/object/apply:os.getcwd []\n"}, "line 1"),
    "a path object": (
        {f"{ROOT}.yaml": "a: !!python/object/apply:pathlib.PosixPath [x]\n"},
        "PosixPath",
    ),
    "not YAML": ({f"{ROOT}.yaml": "a: [\n"}, "not YAML"),
    "a key twice": ({f"{ROOT}.yaml": "a: 1\na: 2\n"}, "not YAML"),
    "two documents": ({f"{ROOT}.yaml": "a: 1\n---\nb: 1\n"}, "not YAML"),
    "a text": ({f"{ROOT}.yaml": "just words\n"}, "neither a mapping nor a list"),
    "a list": ({f"{ROOT}.yaml": "[1, 2]\n"}, "refuses"),
    "a date": ({f"{ROOT}.yaml": "a: !!timestamp 2026-01-01\n"}, "type date"),
    "bytes": ({f"{ROOT}.yaml": "a: !!binary aGk=\n"}, "type bytes"),
    "a wrong number": ({f"{ROOT}.yaml": "a: !!int x\n"}, "not YAML"),
    "defaults of a wrong type": ({f"{ROOT}.yaml": "defaults: 5\n"}, "refuses"),
    "defaults in defaults": ({f"{ROOT}.yaml": "defaults: [[1]]\n"}, "refuses"),
    "a broken reference": ({f"{ROOT}.yaml": "a: ${\n"}, "refuses"),
    "a long reference": ({f"{ROOT}.yaml": "a: " + "${" * 500 + "\n"}, "too long"),
    "many references": (
        {f"{ROOT}.yaml": "".join(f"a{n}: 'x${{b}}${{c}}'\n" for n in range(4000))},
        "too many",
    ),
    "a file that is not there": ({f"{ROOT}.yaml": "defaults: [gone]\n"}, "gone"),
    "out of the folder": (
        {f"{ROOT}.yaml": "defaults: [../../../../../../etc/hostname]\n"},
        "hostname",
    ),
    "a character of ours": ({f"{ROOT}.yaml": "a: \ue000{oc.env:HOME}\n"}, "U+E000"),
    "a mapping into a value": (
        {f"{ROOT}.yaml": "defaults: [one, two]\n", "one.yaml": "a: [1]\n", "two.yaml": "a: {b: 1}"},
        "refuses",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def secret() -> None:
    os.environ["SECRET_OF_TEST"] = SECRET


@pytest.mark.slow
@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_files_give_a_sentence(name: str) -> None:
    files, refusal = HOSTILE[name]
    begun = time.process_time()
    found = tree(files)
    assert found.table(ROOT) is None
    problem = found.problem(ROOT)
    assert problem is not None
    assert refusal in problem
    assert SECRET not in problem
    assert "\n" not in problem
    assert len(problem) < 400
    assert time.process_time() - begun < 5
    # The launch is reported as one that could not be checked, with this reason.
    read_by = plan(files, "data.train_batch_size=8")
    assert read_by.table is None
    assert problem in read_by.configuration.reason


def test_bytes_that_are_no_text() -> None:
    found = tree_table({f"{ROOT}.yaml": b"a: \xff\n"}, "it")
    assert found.problem(ROOT) == f"{ROOT}.yaml is not UTF-8"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("${oc.env:SECRET_OF_TEST}", "${oc.env:SECRET_OF_TEST}"),
        ("a-${oc.env:SECRET_OF_TEST,x}", "a-${oc.env:SECRET_OF_TEST,x}"),
        ("${oc.decode:${oc.env:SECRET_OF_TEST}}", "${oc.decode:${oc.env:SECRET_OF_TEST}}"),
        ("${other}", "${other}"),
    ],
)
def test_references_stay_as_they_are_written(value: str, shown: str) -> None:
    files = {
        f"{ROOT}.yaml": "defaults: [one, two]\nother: 1\n",
        "one.yaml": f"a: '{value}'\n_target_: os.getcwd\n",
        "two.yaml": f"b: {{c: '{value}'}}\n",
    }
    composed, _ = tree(files).composer.compose(ROOT, {})
    assert composed == {"a": shown, "b": {"c": shown}, "other": 1, "_target_": "os.getcwd"}


def test_merging_into_a_reference_runs_no_resolver() -> None:
    files = {
        f"{ROOT}.yaml": "defaults: [one, two]\n",
        "one.yaml": "a: ${oc.env:SECRET_OF_TEST}\n",
        "two.yaml": "a: {b: 1}\n",
    }
    composed, _ = tree(files).composer.compose(ROOT, {})
    assert composed == {"a": {"b": 1}}


def test_the_configuration_of_hydra_is_left_out() -> None:
    files = {
        f"{ROOT}.yaml": "defaults: [{override hydra/job_logging: none}, _self_]\na: 1\n"
        "hydra: {searchpath: ['file:///etc'], job: {env_copy: [SECRET_OF_TEST]}}\n"
    }
    assert tree(files).composer.compose(ROOT, {}) == ({"a": 1}, {})


def test_a_copy_beside_a_file_is_left_out() -> None:
    """Siaaaaaa1/Visual_Graph: `ppo_trainer copy.yaml` cost the whole configuration."""
    files = {f"{ROOT}.yaml": "a: 1\n", f"{ROOT} copy.yaml": "a: 2\n"}
    assert tree(files).composer.names == (ROOT,)


@pytest.mark.parametrize(
    ("files", "limits", "refusal"),
    [
        ({}, {}, "there is no .yaml file directly in it"),
        ({"README.md": ""}, {}, "there is no .yaml file directly in it"),
        ({"group/a.yaml": ""}, {}, "there is no .yaml file directly in it"),
        ({"a.yaml": "", "b.yaml": ""}, {"files": 1}, "it has 2 files, more than 1"),
        ({"a.yaml": "abc"}, {"file_bytes": 2}, "a.yaml has 3 bytes, more than 2"),
        ({"a.yaml": "ab", "b.yaml": "c"}, {"all_bytes": 2}, "its files have 3 bytes, more than 2"),
        ({"../a.yaml": ""}, {}, "'../a.yaml' is no path of a configuration file"),
        ({"/a.yaml": ""}, {}, "'/a.yaml' is no path of a configuration file"),
        ({"a\n.yaml": ""}, {}, r"'a\n.yaml' is no path of a configuration file"),
    ],
)
def test_sets_of_files_that_are_refused(
    files: dict[str, str], limits: dict[str, int], refusal: str
) -> None:
    with pytest.raises(UserError) as raised:
        tree(files, ConfigLimits(**limits))
    assert refusal in str(raised.value)
    assert str(raised.value).startswith("The configuration of a pull request was not read: ")


@pytest.mark.parametrize(
    ("files", "limits", "refusal"),
    [
        ("defaults: [optional b: c, optional d: e]", {"loads": 2}, "too many files or values"),
        ("defaults: [b: null, d: null]", {"nodes": 30}, "too many files or values"),
        ("defaults: [b@x.y.z: null, two@x.y.z]", {"package": 1}, "more than 1 mappings deep"),
        ("a: [1, 2, 3, 4]", {"nodes": 5}, "more than 5 values"),
        ("a: &a [1]\nb: [*a, *a, *a]", {"nodes": 9}, "more than 9 values"),
    ],
)
def test_compositions_that_take_too_much(files: str, limits: dict[str, int], refusal: str) -> None:
    for limit, expected in ((ConfigLimits(**limits), False), (LIMITS, True)):
        found = tree({f"{ROOT}.yaml": files, "two.yaml": "x: 1\n"}, limit)
        assert (found.table(ROOT) is not None) == expected
        assert expected or refusal in str(found.problem(ROOT))


def test_a_name_that_files_mention() -> None:
    text = "a: {b : 1, 'c': 2}\nd-e: x.f: y\n# g\nh\t: 1"
    composer = Composer({"a.yaml": b"x: 1\n", "b/c.yaml": text.encode()})
    names = ("a", "b", "c", "d", "e", "d-e", "f", "x.f", "g", "h", "y", "x", "é")
    assert [name for name in names if composer.mentions(name)] == [
        "a", "b", "c", "d-e", "x.f", "h", "x", "é",
    ]  # fmt: skip


def test_compositions_are_counted() -> None:
    composer = Composer({"a.yaml": b"x: 1\n", "b.yaml": b""}, limits=ConfigLimits(all_nodes=1))
    assert composer.compose("a", {})[0] == {"x": 1}
    assert composer.compose("a", {})[0] == {"x": 1}
    with pytest.raises(ComposeError, match="too many choices"):
        composer.compose("b", {})


# Folders


def lay(base: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text, encoding="utf-8")
    return base


def test_a_folder_and_a_checkout_are_read_alike(tmp_path: Path) -> None:
    folder = lay(tmp_path / "config", PPO)
    checkout = tmp_path / "checkout"
    lay(checkout / "verl" / "trainer" / "config", PPO)
    lay(checkout, {"setup.yaml": "not: of the configuration\n"})
    for base in (folder, checkout):
        found = read_tree(base)
        assert found.composer.names == (ROOT,)
        assert found.table(ROOT) is not None
    assert read_tree(folder).name == str(folder)


def test_links_lead_nowhere(tmp_path: Path) -> None:
    lay(tmp_path / "outside", {"secret.yaml": f"a: {SECRET}\n"})
    for name, target in (("one.yaml", "outside/secret.yaml"), ("group", "outside")):
        folder = lay(tmp_path / f"config-{name}", PPO)
        (folder / name).symlink_to(tmp_path / target)
        with pytest.raises(UserError, match=f"{name} is a symbolic link"):
            read_tree(folder)
    checkout = tmp_path / "checkout" / "verl" / "trainer"
    checkout.mkdir(parents=True)
    (checkout / "config").symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="a link to a place outside it"):
        read_tree(tmp_path / "checkout")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_other_things_than_files(tmp_path: Path) -> None:
    folder = lay(tmp_path, PPO)
    os.mkfifo(folder / "pipe.yaml")
    os.mkfifo(folder / "pipe")
    found = read_tree(folder)
    assert found.table(ROOT) is not None
    assert found.table("pipe") is not None


def test_folders_over_the_limits(tmp_path: Path) -> None:
    lay(tmp_path, PPO)
    with pytest.raises(UserError, match="too many or too large"):
        read_tree(tmp_path, limits=ConfigLimits(files=2))
    with pytest.raises(UserError, match="too many or too large"):
        read_tree(tmp_path, limits=ConfigLimits(all_bytes=100))
    with pytest.raises(UserError, match="more than 20"):
        read_tree(tmp_path, limits=ConfigLimits(file_bytes=20))
    lay(tmp_path, {"/".join("abcdefghijklmnop") + "/x.yaml": ""})
    with pytest.raises(UserError, match="too many files or folders"):
        read_tree(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file or directory"):
        read_tree(tmp_path / "gone")


def test_the_limits_leave_room_for_the_largest_release() -> None:
    assert LIMITS.nodes > 5 * 3_500
    assert LIMITS.files > 5 * 60


ENTRIES = ("one", "two", "group: one", "/one", "group@x: one", "override group: two", "_self_",
           "one@y", "optional group: three", "group: ${other}", "../one", "hydra/x: y",
           "group: ${oc.env:SECRET_OF_TEST}", "? [1]", "1", "null", "[]", "{}")  # fmt: skip
LINES = ("a: 1", "a: {b: ${c}}", "a: [1, {b: 2}]", "group: two", "b: ${oc.env:SECRET_OF_TEST}",
         "c: ???", "a: *x", "- 1", "d: !!set {a}", "\t", "# @package _global_", "a.b: 1",
         "_target_: os.system", "e: &x {f: *x}", "other: one", "? {a: 1}\n: 2")  # fmt: skip
texts = st.one_of(
    st.builds(
        lambda listed, lines: "\n".join(
            [*(["defaults:", *(f"  - {item}" for item in listed)] if listed else []), *lines]
        ),
        st.lists(st.sampled_from(ENTRIES), max_size=3),
        st.lists(st.sampled_from(LINES), max_size=3),
    ).map(str.encode),
    st.binary(max_size=40),
)


@settings(max_examples=scaled(250))
@given(files=st.fixed_dictionaries({
    f"{ROOT}.yaml": texts, "one.yaml": texts, "group/one.yaml": texts, "group/two.yaml": texts,
}))  # fmt: skip
def test_any_files_give_a_table_or_a_sentence(files: dict[str, bytes]) -> None:
    found = tree_table(files, "it")
    table = found.table(ROOT)
    problem = found.problem(ROOT)
    assert (table is None) == (problem is not None)
    if table is not None:
        verdicts = table.verdicts([setting("a=1"), setting("group=two"), setting("+zz.q=1")])
        assert len(verdicts) == 3
        shown = json.dumps([table.tree, [v.message for v in verdicts]], default=str)
    else:
        shown = problem or ""
    assert SECRET not in shown


EXPERIMENTS = {
    "ppo_trainer.yaml": """
defaults:
  - _self_
  - /exps: []
  - data: small
trainer: {n_gpus_per_node: 1, nnodes: 1}
actor: {lr: 1, size: null}
""",
    "data/small.yaml": "rows: 1\n",
    "exps/grpo.yaml": "# @package _global_\nactor: {size: 40}\n",
    "exps/entropy.yaml": "# @package _global_\nactor: {size: 30, base: 7}\n",
    "more/fast.yaml": "# @package _global_\nactor: {lr: 2}\n",
}


@pytest.mark.parametrize(
    "overrides",
    [
        ["exps=[grpo,entropy]", "actor.base=8"],
        ["exps=[entropy,grpo]"],
        ["exps=[entropy,grpo]", "actor.bass=8"],
        ["exps=[grpo.yaml]", "data=small"],
        ["exps=[]"],
        ["exps=[]", "actor.base=8"],
        ["exps=[none]"],
        ["exps=grpo"],
        ["+exps=grpo"],
        ["+exps=[grpo,entropy]", "actor.base=8"],
        ["+exps=none"],
        ["+exps=grpo", "+exps=entropy"],
        ["+more=fast", "exps=[grpo]"],
        ["+more@actor=fast"],
        ["+more@actor=fast", "more@actor=fast"],
        ["more=fast"],
        ["+data=small"],
        ["++exps=grpo"],
        ["~exps"],
    ],
    ids="|".join,
)
def test_experiments_that_are_listed_or_added_are_composed(
    tmp_path: Path, overrides: list[str]
) -> None:
    for path, text in EXPERIMENTS.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with initialize_config_dir(config_dir=str(tmp_path), version_base=None):
        try:
            said = OmegaConf.to_container(compose(ROOT, overrides=overrides), resolve=False)
        except (HydraException, OmegaConfBaseException):
            said = None
    table = tree(EXPERIMENTS).table(ROOT)
    assert table is not None
    given_settings = [setting(text) for text in overrides]
    verdicts = table.verdicts(given_settings)
    assert all(verdict.accepted for verdict in verdicts) == (said is not None), verdicts
    if said is not None:
        assert table.composed(given_settings) == said
        assert not table.doubt(given_settings)
    else:
        assert any(verdict.accepted is False for verdict in verdicts)


def test_a_value_is_that_of_the_experiments_and_unknown_where_they_are() -> None:
    def size(*arguments: str) -> PlanValue | None:
        return values_of(plan(EXPERIMENTS, *arguments)).get("actor.size")

    assert size("exps=[grpo]") == size("+exps=[entropy,grpo]") == PlanValue(40)
    assert size() == PlanValue(None)
    # What was meant by a choice that is refused is not known.
    assert size("exps=[none]") is size("exps=[grpo,1]") is size("exps=none") is None


@pytest.mark.parametrize(
    ("listed", "known"), [("- /exps: []", 1), ("- exps:\n    - grpo", 1), ("- exps: grpo", 0)]
)
def test_which_groups_a_defaults_list_gives_several_options(listed: str, known: bool) -> None:
    files = {"top.yaml": f"defaults:\n  {listed}\n".encode(), "exps/grpo.yaml": b"a: 1\n"}
    assert Composer(files).lists("exps@x") == bool(known)
