from __future__ import annotations

import pickle

import pytest

from bot.frameworks import Checkout, ScriptPlace, counts, needed, plans
from bot.frameworks.files.named_files import nearest
from bot.frameworks.plan import Plan
from bot.frameworks.settings.releases import releases
from bot.shell import read

ROOT = b"actor_rollout_ref: {actor: {own: 1}}\ntrainer: {nnodes: 1}\n"
RUN = b"python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.own=2\n"
RLHF = b"""
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--own", type=int, default=3)
"""


def plan_of(files: dict[str, bytes], path: str, script: bytes = RUN, **header: str) -> Plan:
    place = ScriptPlace(Checkout(files), path)
    (plan,) = plans(read(script, path), header_versions=header, place=place)
    return plan


@pytest.mark.parametrize(
    ("path", "does"),
    [
        ("verl/trainer/config/ppo_trainer.yaml", True),
        ("train/verl/trainer/config/actor/actor.yaml", True),
        ("a/openrlhf/cli/train_ppo_ray.py", True),
        ("requirements-dev.txt", True),
        ("verl/trainer/config/readme.md", False),
        ("recipe/dapo/config/dapo_trainer.yaml", True),
        ("recipe/dapo/main_dapo.py", True),
        ("recipe/dapo/reward.py", True),
        ("openrlhf/cli/serve_rm.py", True),
        ("third_party/verl-own.patch", True),
        ("README.md", False),
    ],
)
def test_which_files_count(path: str, does: bool) -> None:
    assert counts(path) is does


def test_a_vendored_configuration_counts() -> None:
    plan = plan_of({"verl/trainer/config/ppo_trainer.yaml": ROOT}, "examples/run.sh")
    assert plan.configuration.source == "tree"
    assert plan.configuration.reason == "verl/trainer/config of this repository"
    assert plan.table is not None
    assert all(plan.table.verdicts(plan.settings))


def test_another_projects_copy_is_none_of_a_submodule() -> None:
    """AWorld-RL's EnvTuning has verl as a submodule, RAG-R1 beside it an old copy: 18 errors."""
    module = (
        b'[submodule "EnvTuning/verl"]\n\tpath = EnvTuning/verl\n\turl = https://x.y/verl.git\n'
    )
    files = {"RAG-R1/verl/trainer/config/ppo_trainer.yaml": ROOT, ".gitmodules": module}
    for script, source in (("EnvTuning/scripts/run.sh", "newest"), ("RAG-R1/run.sh", "tree")):
        assert plan_of(files, script).configuration.source == source
    alone = {**files, ".gitmodules": module.replace(b"EnvTuning/verl\n\turl", b"x/y\n\turl")}
    assert plan_of(alone, "EnvTuning/scripts/run.sh").configuration.source == "tree"


def test_the_main_function_of_a_copy_says_its_root() -> None:
    """SimpleVLA-RL's `verl.trainer.main_ppo` starts with a root of its own."""
    main = b"@hydra.main(config_path='config', config_name='vla_trainer')\ndef main(config): ...\n"
    files = {
        "verl/trainer/config/ppo_trainer.yaml": b"trainer: {nnodes: 1}\n",
        "verl/trainer/config/vla_trainer.yaml": ROOT,
        "verl/trainer/main_ppo.py": main,
    }
    plan = plan_of(files, "examples/run.sh")
    assert plan.table is not None
    assert all(verdict.accepted for verdict in plan.table.verdicts(plan.settings))
    for other in (b"", main.replace(b"vla_", b"no_"), main.replace(b"'config'", b"path()")):
        found = plan_of({**files, "verl/trainer/main_ppo.py": other}, "examples/run.sh")
        assert found.table is not None
        assert not any(verdict.accepted for verdict in found.table.verdicts(found.settings))


def test_a_program_beside_verls_may_start_elsewhere() -> None:
    """Arroganceem/VamVerl: its program is one of verl.trainer, its configuration at the root."""
    main = b"""
def main():
    @hydra.main(config_path='../../configs', config_name='mine', version_base=None)
    def run(config): ...
"""
    files = {
        "verl/trainer/config/ppo_trainer.yaml": b"trainer: {nnodes: 1}\n",
        "verl/trainer/main_mine.py": main,
        "configs/mine.yaml": ROOT,
        "configs/large.yaml": b"defaults: [mine, _self_]\n",
    }
    words = b" actor_rollout_ref.actor.own=2\n"
    for name in (b"", b" --config-name large"):
        script = b"python3 -m verl.trainer.main_mine" + name + words
        plan = plan_of(files, "run.sh", script)
        assert plan.configuration.reason == "configs of this repository"
        assert plan.table is not None
        assert all(verdict.accepted for verdict in plan.table.verdicts(plan.settings))
    missing = plan_of(files, "run.sh", b"python3 -m verl.trainer.main_ppo --config-name large")
    assert missing.configuration.problem is not None
    # usail-hkust/EvoDS: the root that main_ppo.py names is not there.
    files["verl/trainer/main_ppo.py"] = main.replace(b"'mine'", b"'absent'")
    assert plan_of(files, "run.sh", RUN).configuration.reason.startswith("verl/trainer/config")


def test_a_fork_outside_that_the_launch_goes_to_is_not_known() -> None:
    """wallacexuhanxiao/search-r1, which keeps verl-agent beside its clone."""
    gone = b"ROOT=${ROOT:-/root/r1}\ncd $ROOT/third_party/verl-agent\n" + RUN
    plan = plan_of({"scripts/train.py": b""}, "run.sh", gone)
    assert (plan.table, plan.configuration.unread) == (
        None,
        "the launch runs in verl-agent, a fork of verl that this repository does not hold",
    )
    for script in (RUN, gone.replace(b"verl-agent", b"verl"), gone.replace(b"verl-agent", b"x")):
        assert plan_of({"scripts/train.py": b""}, "run.sh", script).table is not None
    assert plan_of({"third_party/verl-agent/a.py": b""}, "run.sh", gone).table is not None


def test_the_comment_of_the_script_comes_first() -> None:
    plan = plan_of({"verl/trainer/config/ppo_trainer.yaml": ROOT}, "run.sh", verl="0.8.0")
    assert (plan.configuration.release, plan.configuration.source) == ("0.8.0", "header")


def test_a_configuration_comes_before_a_pin() -> None:
    files = {
        "verl/trainer/config/ppo_trainer.yaml": ROOT,
        "examples/requirements.txt": b"verl==0.8.0",
    }
    assert plan_of(files, "examples/run.sh").configuration.source == "tree"


def test_the_pin_nearest_above_the_script_counts() -> None:
    files = {"requirements.txt": b"verl==0.7.0", "examples/requirements.txt": b"verl==0.8.0"}
    assert plan_of(files, "examples/a/run.sh").configuration.release == "0.8.0"
    assert plan_of(files, "scripts/run.sh").configuration.release == "0.7.0"


@pytest.mark.parametrize(
    ("above", "release", "inferred"),
    [
        (b"torch", "0.9.1", False),
        (b"verl>=0.8", "0.9.1", False),
        (b"verl==0.7.0", "0.7.0", True),
        (b"verl<0.8", "0.7.1", True),
    ],
)
def test_of_pins_that_contradict_each_other_the_settings_choose(
    above: bytes, release: str, inferred: bool
) -> None:
    """Action-R1's setup.py asks for TRL 0.14.0, the requirements above it for 0.16.1."""
    files = {"requirements.txt": above, "src/setup.py": b"setup(install_requires=['verl==0.9.1'])"}
    plan = plan_of(files, "src/run.sh", OLDER.replace(b"\n", b" " + ENGINE + b"\n"))
    assert plan.configuration.release == release
    assert (plan.inference is not None) is inferred
    taken = OLDER.replace(b"trainer.use_legacy_worker_impl=auto", ENGINE)
    assert plan_of(files, "src/run.sh", taken).configuration.release == "0.9.1"


def test_a_setting_that_a_pinned_release_refuses_is_no_guess() -> None:
    script = b"python3 -m verl.trainer.main_ppo trainer.use_legacy_worker_impl=auto\n"
    plan = plan_of({"requirements.txt": b"verl==0.9.1"}, "run.sh", script)
    assert (plan.configuration.source, plan.inference) == ("pin", None)
    weak = plan_of({"requirements.txt": b"verl>=0.6"}, "run.sh", script)
    assert weak.configuration.release == "0.7.1"
    assert weak.inference is not None
    assert "verl>=0.6 in requirements.txt" in weak.configuration.reason


FORK = b"verl @ git+https://github.com/somebody/verl@v0.8.0\n"
TRAINS = b"python3 -m verl.trainer.main_ppo trainer.nnodes=1\n"


@pytest.mark.parametrize(
    ("files", "script"),
    [
        ({"requirements.txt": FORK}, TRAINS),
        ({"requirements.txt": FORK.replace(b"somebody", b"volcengine")}, RUN),
        ({"requirements.txt": FORK, "verl/trainer/config/ppo_trainer.yaml": ROOT}, RUN),
    ],
)
def test_a_fork_with_the_settings_that_are_known_is_read(
    files: dict[str, bytes], script: bytes
) -> None:
    assert plan_of(files, "run.sh", script).table is not None


def test_a_fork_with_settings_of_its_own_is_not_known() -> None:
    plan = plan_of({"requirements.txt": FORK}, "run.sh")
    assert (plan.table, plan.inference) == (None, None)
    assert plan.configuration.unread == (
        "requirements.txt installs a fork of verl, which has other settings than a release"
    )
    assert plan_of({"requirements.txt": FORK}, "run.sh", verl="0.8.0").table is not None


def test_a_pin_beyond_the_releases_known_may_have_other_settings() -> None:
    files = {"requirements.txt": b"verl==99.1.0\n"}
    plan = plan_of(files, "run.sh")
    assert (plan.table, plan.inference) == (None, None)
    assert plan.configuration.unread == (
        "verl==99.1.0 in requirements.txt, beyond the releases known, which may have other "
        f"settings than verl {releases('verl')[-1]}"
    )
    assert plan_of(files, "run.sh", TRAINS).table is not None


def test_a_copy_of_the_settings_without_a_program_is_not_what_starts() -> None:
    """SkyThought-math-agent's, which renames a section beside its script."""
    files = {
        "mine/verl/trainer/config/ppo_trainer.yaml": b"renamed: 1\n",
        "copy/verl/trainer/config/ppo_trainer.yaml": ROOT,
        "copy/verl/trainer/main_ppo.py": b"",
    }
    reason = plan_of(files, "mine/run.sh").configuration.reason
    assert reason == "copy/verl/trainer/config of this repository"
    del files["copy/verl/trainer/main_ppo.py"]
    reason = plan_of(files, "mine/run.sh").configuration.reason
    assert reason == "mine/verl/trainer/config of this repository"


def test_a_framework_that_the_repository_patches_is_not_known() -> None:
    """rft's, which adds `--offload` to OpenRLHF by patches/offload_cli.patch."""
    patch = b"+++ b/verl/trainer/config/ppo_trainer.yaml\n+  val_proportion: 1\n"
    files = {"patches/data.patch": patch}
    plan = plan_of(files, "run.sh", TRAINS.replace(b"\n", b" data.val_proportion=0.1\n"))
    assert (plan.table, plan.configuration.unread) == (
        None,
        "patches/data.patch changes verl, which then has other settings than a release",
    )
    assert plan_of(files, "run.sh", TRAINS).table is not None
    other = plan_of(files, "run.sh", TRAINS.replace(b"\n", b" data.other=0.1\n"))
    assert other.table is not None
    assert "patches/data.patch" in needed(files, {"a/run.sh": TRAINS})


ENGINE = b"actor_rollout_ref.rollout.name=vllm"
OLDER = b"python3 -m verl.trainer.main_ppo trainer.use_legacy_worker_impl=auto\n"


@pytest.mark.parametrize(
    ("more", "release"),
    [
        (b" actor_rollout_ref.rollout.name=vllm", "0.7.1"),
        (b"", "0.5.0"),  # The newest one in which rollout.name has a default.
    ],
)
def test_the_settings_decide_where_nothing_else_does(more: bytes, release: str) -> None:
    plan = plan_of({}, "run.sh", OLDER.replace(b"\n", more + b"\n"))
    assert (plan.configuration.release, plan.configuration.source) == (release, "settings")


def test_the_options_of_a_vendored_openrlhf_count() -> None:
    script = b"python3 -m openrlhf.cli.train_sft --own 4 --zero_stage 2\n"
    plan = plan_of({"openrlhf/cli/train_sft.py": RLHF}, "examples/run.sh", script)
    assert plan.configuration.reason == "openrlhf/cli of this repository"
    assert plan.table is not None
    assert [v.status for v in plan.table.verdicts(plan.settings)] == ["ok", "unknown"]
    other = b"python3 -m openrlhf.cli.train_dpo --own 4\n"
    assert plan_of({"openrlhf/cli/train_sft.py": RLHF}, "run.sh", other).table is None


def test_a_test_beside_the_scripts_is_no_trainer_of_before() -> None:
    """gxy-gxy/OpenRLHF: examples/train_test.py hid the trainers of openrlhf/cli."""
    files = {"openrlhf/__init__.py": b"", "openrlhf/cli/train_sft.py": RLHF}
    script = b"deepspeed --module openrlhf.cli.train_sft --own 4 --zero_stage 2\n"
    plan = plan_of(files | {"examples/train_test.py": b""}, "examples/scripts/run.sh", script)
    assert plan.configuration.reason == "openrlhf/cli of this repository"


def test_an_option_that_argparse_makes_of_another() -> None:
    """DavidKoplow/OpenRLHF: `--no-skip_special_tokens` of a `BooleanOptionalAction`."""
    both = b'parser.add_argument("--skip_it", "-s", action=argparse.BooleanOptionalAction)\n'
    script = b"python3 -m openrlhf.cli.train_es --no-skip_it --own 4 --skip_it --no-own -s\n"
    plan = plan_of({"openrlhf/cli/train_es.py": RLHF + both}, "examples/run.sh", script)
    assert plan.table is not None
    verdicts = zip(plan.settings, plan.table.verdicts(plan.settings), strict=True)
    assert [one.value for one in plan.settings if one.key == "skip_it"] == [False, True]
    assert {setting.key: verdict.status for setting, verdict in verdicts} == {
        "own": "ok",
        "skip_it": "ok",
        "no-own": "unknown",
        "s": "ok",
    }


@pytest.mark.parametrize(
    ("trainer", "script", "entry"),
    [
        ("openrlhf/cli/train_sft.py", "openrlhf/scripts/run.sh", "cli/train_sft.py"),
        ("examples/train_sft.py", "examples/scripts/run.sh", "../train_sft.py"),  # Before 0.3.8.
        ("a/examples/train_sft.py", "a/run.sh", "examples/train_sft.py"),
    ],
)
def test_a_trainer_of_a_vendored_openrlhf_may_be_named_by_its_path(
    trainer: str, script: str, entry: str
) -> None:
    files = {trainer: RLHF, "openrlhf/__init__.py": b"", "a/openrlhf/__init__.py": b""}
    plan = plan_of(files, script, f"deepspeed {entry} --own 4 --pad_token x\n".encode())
    assert (plan.framework, plan.launch.entry) == ("openrlhf", "openrlhf.cli.train_sft")
    assert plan.table is not None
    assert [v.status for v in plan.table.verdicts(plan.settings)] == ["ok", "unknown"]


@pytest.mark.parametrize(
    "files",
    [
        {"examples/train_sft.py": RLHF},
        {"train_sft.py": RLHF, "openrlhf/__init__.py": b""},
        {"openrlhf/cli/new/train_sft.py": RLHF, "openrlhf/cli/train_dpo.py": RLHF},
        {"openrlhf/cli/train_sft.py": RLHF, "mine/train_sft.py": RLHF},
    ],
)
def test_another_program_of_a_trainers_name_is_none_of_openrlhf(files: dict[str, bytes]) -> None:
    place = ScriptPlace(Checkout(files), "mine/run.sh")
    assert plans(read(b"deepspeed train_sft.py --pad_token x\n", "run.sh"), place=place) == ()


def test_a_default_that_only_running_gives_is_no_model_of_a_vendored_openrlhf() -> None:
    options = b'parser.add_argument("--pretrain", type=str, default=os.environ["MODEL"])\n'
    files = {"openrlhf/cli/train_sft.py": RLHF + options}
    for given, model in ((b"", None), (b" --pretrain a/b", "a/b")):
        script = b"python3 -m openrlhf.cli.train_sft --own 4" + given + b"\n"
        assert plan_of(files, "examples/run.sh", script).model.value == model


@pytest.mark.parametrize("source", [b"def", b"\xff\x00", b"x" * 10_000_000, b"(" * 5_000])
def test_sources_that_are_no_python(source: bytes) -> None:
    script = b"python3 -m openrlhf.cli.train_sft --own 4\n"
    assert plan_of({"openrlhf/cli/train_sft.py": source}, "run.sh", script).table is None


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("examples/run.sh", "verl/trainer/config"),
        ("train/run.sh", "train/verl/trainer/config"),
        ("train/verl/examples/run.sh", "train/verl/trainer/config"),
        ("verl/examples/run.sh", "verl/trainer/config"),
        ("other/run.sh", "verl/trainer/config"),
    ],
)
def test_the_nearest_copy_is_meant(script: str, expected: str) -> None:
    folders = ("verl/trainer/config", "train/verl/trainer/config")
    assert nearest(dict.fromkeys(folders), script) == expected


def test_a_checkout_is_sent_to_other_processes_as_its_files() -> None:
    files = {"verl/trainer/config/ppo_trainer.yaml": ROOT}
    checkout = Checkout(files)
    assert checkout.verl.tree("run.sh") is not None
    again = pickle.loads(pickle.dumps(checkout))  # noqa: S301 - our own bytes
    assert again.files == files
    assert again.verl.tree("run.sh") is not None


MAIN = b"""
import hydra

@hydra.main(config_path="config", config_name="mine", version_base=None)
def main(config):
    raise SystemExit
"""
OWN = (
    b"hydra: {searchpath: [file://verl/trainer/config]}\ndefaults: [ppo_trainer, _self_]\nmine: 1\n"
)
RECIPE = {
    "verl/trainer/config/ppo_trainer.yaml": ROOT,
    "recipe/mine/main_mine.py": MAIN,
    "recipe/mine/config/mine.yaml": OWN,
}
MAIN_PPO = {"verl/trainer/main_ppo.py": MAIN}
START = b"python3 -m recipe.mine.main_mine mine=2 trainer.nnodes=2 trainer.no=1"


@pytest.mark.parametrize(
    ("script", "files"),
    [
        (START, RECIPE),
        (START.replace(b"-m recipe.mine.main_mine", b"$ROOT/recipe/mine/main_mine.py"), RECIPE),
        (START.replace(b"-m recipe.mine.main_mine", b"$ROOT//recipe/mine/main_mine.py"), RECIPE),
        (START, RECIPE | {"recipe/mine/config/mine.yaml": OWN.replace(b"file://", b"pkg://")
                          .replace(b"verl/trainer/config", b"verl.trainer.config")}),
        (START.replace(b"main_mine", b"main_mine --config-path=./config --config-name=mine.yaml"),
         RECIPE),
        (START.replace(b"recipe.mine.main_mine", b"verl.trainer.main_ppo --config-name=mine "
                       b"--config-path=/home/me/code/recipe/mine/config"), RECIPE),
        (START.replace(b"recipe.mine.main_mine", b"verl.trainer.main_ppo --config-name=mine "
                       b"--config-path=$(pwd)/recipe/mine/config"), RECIPE),
        (START.replace(b"recipe.mine.main_mine", b"verl.trainer.main_ppo --config-name=mine "
                       b"--config-path $PWD/mine/config"), RECIPE),
        (START.replace(b"recipe.mine.main_mine", b"verl.trainer.main_ppo --config-name=mine "
                       b"--config-path=base_dir/recipe/mine/config"), RECIPE | MAIN_PPO),
    ],
)  # fmt: skip
def test_a_program_with_a_configuration_of_its_own(script: bytes, files: dict[str, bytes]) -> None:
    plan = plan_of(files, "recipe/mine/run.sh", script)
    assert plan.configuration.reason == "recipe/mine/config of this repository"
    assert plan.table is not None
    assert [v.status for v in plan.table.verdicts(plan.settings)] == ["ok", "ok", "unknown"]


@pytest.mark.parametrize(
    "program",
    ['"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/main_mine.py"', "$(dirname $0)/main_mine.py",
     "$(dirname $0)/../mine/main_mine.py"],
)  # fmt: skip
def test_a_program_beside_its_script(program: str) -> None:
    """yuanyueyao/ZeroReason: `python3 "${SCRIPT_DIR}/main_ppo.py"`."""
    files = RECIPE | {"recipe/other/main_mine.py": b"", "main_mine.py": b""}
    script = f"python3 {program} data.train_files=a actor_rollout_ref.model.path=b mine=2"
    plan = plan_of(files, "recipe/mine/run.sh", script.encode())
    assert plan.configuration.reason == "recipe/mine/config of this repository"


@pytest.mark.parametrize(
    ("own", "unread", "refused"),
    [
        # RAGEN-AI/RAGEN: `ppo_trainer.yaml` is a link into a submodule.
        (
            b"defaults: [ppo_trainer, _self_]\nmine: 1\n",
            "its recipe/mine/config begins with a root of verl's that is not there",
            False,
        ),
        (b"defaults: [nothing, _self_]\nmine: 1\n", "", True),
        (b"defaults: [ppo_trainer, nothing, _self_]\nmine: 1\n", "", True),
        (OWN.replace(b"ppo_trainer", b"ppo_megatron_trainer"), "", True),
    ],
)
def test_a_root_of_verls_that_is_not_there(own: bytes, unread: str, *, refused: bool) -> None:
    plan = plan_of(RECIPE | {"recipe/mine/config/mine.yaml": own}, "recipe/mine/run.sh", START)
    assert plan.table is None
    assert plan.configuration.unread == unread
    assert (plan.configuration.problem is not None) is refused


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("config", None),
        ("./config", None),
        ("../mine/config", None),
        ("pkg://recipe.mine.config", None),
        ("base_dir/recipe/mine/config", None),  # To be filled in.
        ("elsewhere/config", None),
        # verl's own recipe/gkd/README.md: Hydra looks in recipe/mine/recipe/mine/config.
        ("recipe/mine/config", "config"),
        ("./mine/config/", "config"),
    ],
)
def test_a_relative_path_is_one_from_the_programs_folder(path: str, near: str | None) -> None:
    script = START.replace(b"main_mine", f"main_mine --config-path={path}".encode())
    problem = plan_of(RECIPE, "recipe/mine/run.sh", script).configuration.problem
    assert (problem.suggestion if problem is not None else None) == near


@pytest.mark.parametrize(
    ("start", "near"),
    [
        ("--config-path=config --config-name=mine", None),
        ("--config-path=./config/ --config-name=mine", None),
        ("--config-path=../configs --config-name=mine", None),
        ("--config-path=$PWD/configs --config-name=mine", None),
        ("--config-path=pkg://configs --config-name=mine", None),
        ("--config-path=configs --config-name=other", None),
        ("--config-path=configs", None),
        # A19-wyyang/gov-grpo-agent: Hydra looks for configs beside main_ppo.py.
        ("--config-path configs --config-name mine", "$PWD/configs"),
        ("--config-path=./configs/ --config-name=mine.yaml", "$PWD/configs"),
        ("--config-path=more --config-name=mine", "$PWD/more"),
    ],
)
def test_a_relative_path_is_none_from_where_an_installed_program_is_called(
    start: str, near: str | None
) -> None:
    own = {f"{folder}/mine.yaml": b"a: 1\n" for folder in ("config", "configs", "scripts/more")}
    script = f"python3 -m verl.trainer.main_ppo {start}\n"

    def suggested(script: str, files: dict[str, bytes] = own) -> str | None:
        problem = plan_of(files, "scripts/run.sh", script.encode()).configuration.problem
        return problem.suggestion if problem is not None else None

    assert suggested(script) == near
    assert suggested(f"cd $VERL\n{script}") is None
    assert suggested(f"cd scripts\n{script}") == (near if near == "$PWD/more" else None)
    assert suggested(script.replace("main_ppo", "main_mine")) is None
    copy = own | {"verl/trainer/config/ppo_trainer.yaml": ROOT}
    assert suggested(script, copy) is None
    assert suggested(script, own | {"verl/trainer/main_ppo.py": b""}) is None


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ({}, True),  # TRAIS-Lab/Dr.Post-Training: verl is a submodule.
        ({"run/verl/verl/workers/actor.py": b""}, False),  # A copy without its configuration.
    ],
)
def test_verls_own_folder_in_a_submodule_is_that_of_a_release(
    more: dict[str, bytes], *, known: bool
) -> None:
    main = MAIN.replace(b'"mine"', b'"ppo_trainer"')
    main = main.replace(b'"config"', b'"verl/verl/trainer/config"')
    script = b"python3 run/train.py trainer.nnodes=2 trainer.no=1 actor_rollout_ref.rollout.n=4\n"
    plan = plan_of({"run/train.py": main, **more}, "run/go.sh", script)
    assert (plan.table is not None) is known


def test_a_relative_path_to_nothing_is_not_read_as_verls_own() -> None:
    script = START.replace(b"main_mine", b"main_mine --config-path=elsewhere/conf")
    plan = plan_of(RECIPE, "recipe/mine/run.sh", script)
    assert plan.table is None
    assert plan.configuration.unread.startswith("--config-path leads to elsewhere/conf, which is")


@pytest.mark.parametrize("path", ["/home/me/recipe/mine/config", "base_dir/recipe/mine/config"])
def test_a_path_is_followed_in_a_copy_of_verl_in_a_folder(path: str) -> None:
    """CSSLab/ThinkTwice keeps its verl in a folder of that name."""
    files = {f"verl/{name}": data for name, data in (RECIPE | MAIN_PPO).items()}
    script = f"python3 -m verl.trainer.main_ppo --config-name=mine --config-path={path} mine=2"
    plan = plan_of(files, "verl/recipe/mine/run.sh", script.encode())
    assert plan.configuration.reason == "verl/recipe/mine/config of this repository"


@pytest.mark.parametrize("path", ["$PWD/recipe/mine/config", "$WORK/recipe/mine/config"])
def test_a_path_is_followed_where_the_repository_is_its_first_folder(path: str) -> None:
    """huaiyizhao/verl-recipe is `recipe` of verl: `--config-path $PWD/recipe/qat/config`."""
    files = {name.removeprefix("recipe/"): data for name, data in RECIPE.items()}
    script = f"python3 -m recipe.mine.main_mine --config-name=mine --config-path={path} mine=2"
    plan = plan_of(files, "mine/run.sh", script.encode())
    assert plan.configuration.reason == "mine/config of this repository"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("base_dir/recipe/mine/config", True),  # huaiyizhao/verl-recipe's deepeyes.
        ("base_dir/recipe/other/conf", False),
        ("config", False),  # verl's own, where the recipe has one of that name too.
        ("./config", False),
    ],
)
def test_a_path_to_fill_in_where_verl_is_installed(path: str, *, found: bool) -> None:
    files = {"mine/config/ppo_trainer.yaml": OWN}
    script = f"python3 -m verl.trainer.main_ppo --config-name=ppo_trainer --config-path={path} a=2"
    plan = plan_of(files, "mine/run.sh", script.encode())
    assert ("mine/config" in f"{plan.configuration.reason} {plan.configuration.unread}") is found


def test_a_program_below_an_unknown_folder_is_named_without_it() -> None:
    """Qiuyc18/GRPO-Baseline: its submodule `monitor` is not here, and starts verl's trainer."""
    script = b'python3 "$(cd .. && pwd)/monitor/launch_verl.py" actor_rollout_ref.rollout.n=2'
    assert plan_of({}, "run.sh", script).configuration.unread == (
        "this repository has no …/monitor/launch_verl.py"
    )


@pytest.mark.parametrize("path", ["/verl/trainer/config", "$HOME/verl/verl/trainer/config"])
def test_a_path_that_ends_in_the_copy_of_verl_is_that_copy(path: str) -> None:
    script = f"python3 -m verl.trainer.main_ppo --config-path={path} trainer.nnodes=2"
    plan = plan_of(RECIPE, "examples/run.sh", f"{script} --config-name=ppo_trainer".encode())
    assert plan.configuration.reason == "verl/trainer/config of this repository"
    assert plan.table is not None


@pytest.mark.parametrize(
    "change",
    [
        {"recipe/mine/main_mine.py": MAIN.replace(b'"config"', b"computed()")},
        {"recipe/mine/main_mine.py": b"def"},
        {"recipe/mine/config/mine.yaml": OWN.replace(b"file://verl", b"file://other")},
        {"recipe/mine/config/mine.yaml": OWN.replace(b"ppo_trainer", b"nothing")},
    ],
)
def test_what_cannot_be_followed_is_not_known(change: dict[str, bytes]) -> None:
    assert plan_of(RECIPE | change, "recipe/mine/run.sh", START).table is None


def test_a_search_path_that_leads_out_of_the_repository_is_named() -> None:
    other = OWN.replace(b"verl/trainer/config", b"base/config")
    plan = plan_of(RECIPE | {"recipe/mine/config/mine.yaml": other}, "recipe/mine/run.sh", START)
    assert plan.table is None
    assert plan.configuration.unread == (
        "its recipe/mine/config searches file://base/config, which is not in this repository"
    )


@pytest.mark.parametrize(
    "path", ["$DIR/config", "$PWD/other/config", "$PWD/$X/mine/config", "a$PWD/mine/config", "$X"]
)
def test_a_folder_that_may_be_elsewhere_is_not_known(path: str) -> None:
    files = RECIPE | {"config/mine.yaml": OWN, "recipe/config/mine.yaml": OWN}
    script = f"python3 -m verl.trainer.main_ppo --config-name=mine --config-path={path} mine=2"
    assert plan_of(files, "recipe/mine/run.sh", script.encode()).table is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("$PWD/other/config", "which is no configuration folder of this repository"),
        ("/data/settings", "which is no configuration folder of this repository"),
        ("$PWD/config", "which may be any of config, recipe/config, recipe/mine/config"),
    ],
)
def test_a_configuration_path_that_leads_nowhere_is_named(path: str, why: str) -> None:
    """From 99hgz/WebSeer, which holds two copies of verl: the second folder may be either."""
    files = RECIPE | {"config/mine.yaml": OWN, "recipe/config/mine.yaml": OWN}
    script = f"python3 -m verl.trainer.main_ppo --config-name=mine --config-path={path} mine=2"
    plan = plan_of(files, "recipe/mine/run.sh", script.encode())
    assert plan.configuration.unread == f"--config-path leads to {path.replace('$PWD', '…')}, {why}"
    assert plan.configuration.reason == "verl/trainer/config of this repository"


ARGPARSE = b"""
'''
@hydra.main(config_path='config', config_name='ppo_trainer', version_base=None)
'''
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("override_yaml", type=str)
if __name__ == "__main__":
    main()
"""


def test_a_fork_that_reads_its_command_line_itself_takes_no_overrides() -> None:
    """KempnerInstitute/Backtrack: `python3 -m verl.trainer.main_ppo scripts/one.yaml`."""
    files = RECIPE | {"verl/trainer/main_ppo.py": ARGPARSE}
    script = b"python3 -m verl.trainer.main_ppo scripts/one.yaml"
    plan = plan_of(files, "scripts/one.sh", script)
    assert (plan.table, plan.settings, plan.bad_arguments) == (None, (), ())
    assert (
        plan.configuration.unread == "verl/trainer/main_ppo.py reads its command line without Hydra"
    )
    named = ARGPARSE.replace(b"argparse.", b"")
    assert plan_of(
        RECIPE | {"verl/trainer/main_ppo.py": named}, "scripts/one.sh", script
    ).configuration.unread
    hydra = ARGPARSE.replace(b"'''", b"")
    assert plan_of(RECIPE | {"verl/trainer/main_ppo.py": hydra}, "scripts/one.sh", script).table
    other = b"from other import main\nif __name__ == '__main__':\n    main()\n"
    assert plan_of(RECIPE | {"verl/trainer/main_ppo.py": other}, "scripts/one.sh", script).table


@pytest.mark.parametrize(
    ("program", "refused"),
    [
        (b"from mine.params import parse_config\nargs = parse_config()\n", []),
        (b"import hydra\nfrom mine.params import start\nstart()\n", ["q", "a.b=[1"]),
        (b"from verl.trainer.main_ppo import main\nmain()\n", ["q", "a.b=[1"]),
    ],
)
def test_words_of_a_program_that_names_no_hydra_are_its_own(
    program: bytes, refused: list[str]
) -> None:
    """sii-research/siiRL: `OmegaConf.from_cli()` takes a word without a value."""
    script = b"python3 -m mine.main_dag actor_rollout_ref.model.path=a q a.b=[1\n"
    plan = plan_of({"mine/main_dag.py": program}, "run.sh", script)
    assert [bad.word.text for bad in plan.bad_arguments] == refused
    assert plan.model.value == "a"


@pytest.mark.parametrize("slash", ["/", "//"])
@pytest.mark.parametrize("folder", ["user", "recipe/mine/config/stage"])
def test_a_folder_of_any_name_that_has_the_root_is_meant(folder: str, slash: str) -> None:
    """AlexFanw/LegalSearch-R1: `--config-path="$PROJECT_DIR/user"`; with `//` seamoke/DPH-RL."""
    files = RECIPE | {f"{folder}/deep.yaml": OWN}
    path = f"$PWD{slash}{folder}"
    start = f"python3 -m verl.trainer.main_ppo --config-path={path} --config-name=deep mine=2"
    plan = plan_of(files, "recipe/mine/run.sh", start.encode())
    assert plan.configuration.reason == f"{folder} of this repository"
    gone = plan_of(RECIPE, "recipe/mine/run.sh", start.encode())
    assert gone.table is None
    twice = files | {f"recipe/{folder}/deep.yaml": OWN}
    assert plan_of(twice, "recipe/mine/run.sh", start.encode()).table is None


@pytest.mark.parametrize("name", ["conf", "configs_mine"])
def test_a_folder_of_another_name(name: str) -> None:
    files = {path.replace("mine/config", f"mine/{name}"): data for path, data in RECIPE.items()}
    files["recipe/mine/main_mine.py"] = MAIN.replace(b'"config"', f'"{name}"'.encode())
    plan = plan_of(files, "recipe/mine/run.sh", START)
    assert plan.configuration.reason == f"recipe/mine/{name} of this repository"


def test_a_program_that_only_evaluates_has_its_configuration_too() -> None:
    """WillDreamer/ARLArena: `recipe.world_agent.eval_world_agent`."""
    files = RECIPE | {"recipe/mine/eval_mine.py": MAIN}
    script = b"python3 -m recipe.mine.eval_mine data.train_files=a actor_rollout_ref.model.path=b"
    plan = plan_of(files, "recipe/mine/run.sh", script)
    assert plan.configuration.reason == "recipe/mine/config of this repository"


@pytest.mark.parametrize("name", ["own_ppo", "stages", "two_step_rollout"])
def test_a_program_may_have_any_name_in_its_package(name: str) -> None:
    """Juhywcy/verl-train and TEAM-ARM/ARM start copies of verl's main function: 27 launches."""
    files = RECIPE | {f"verl/trainer/{name}.py": MAIN.replace(b'"mine"', b'"ppo_trainer"')}
    settings = "actor_rollout_ref.actor.own=2 actor_rollout_ref.no=1 data.no=1"
    script = f"python3 -m verl.trainer.{name} {settings}".encode()
    plan = plan_of(files, "recipe/mine/run.sh", script)
    assert plan.configuration.reason == "verl/trainer/config of this repository"
    assert plan.table is not None
    assert [v.status for v in plan.table.verdicts(plan.settings)] == ["ok", "unknown", "unknown"]
    assert f"verl/trainer/{name}.py" in needed(files, {"recipe/mine/run.sh": script})


def test_a_change_asks_for_the_script_that_an_authors_path_names() -> None:
    files = dict.fromkeys(("scripts/run.sh", "jobs/run.sh", "jobs/a.sh"), b"")
    script = b"bash /home/me/r10/scripts/run.sh\n"
    assert "scripts/run.sh" in needed(files, {"jobs/a.sh": script})


@pytest.mark.parametrize("folder", ["/examples/config", "//examples//config"])
def test_a_change_asks_for_the_folder_that_its_script_names(folder: str) -> None:
    others = {"examples/config/mine.yaml", "examples/other/config/mine.yaml"}
    script = (
        f"python3 -m verl.trainer.main_ppo --config-path=$PWD{folder} --config-name=mine".encode()
    )
    tree = {"verl/trainer/config/ppo_trainer.yaml"}
    found = needed([*others, *tree], {"examples/a/run.sh": script})
    assert set(found) == {"examples/config/mine.yaml"} | tree


def test_a_change_asks_for_a_bounded_number_of_folders_and_programs() -> None:
    folders = [f"f{n}/config" for n in range(50)]
    programs = [f"f{n}/run.py" for n in range(50)]
    text = " ".join(["model_name_or_path", *(f"$PWD/{f}" for f in folders), *programs])
    paths = [*(f"{folder}/a.yaml" for folder in folders), *programs]
    found = needed(paths, {"run.sh": text.encode()})
    assert sum(path.endswith(".yaml") for path in found) == 20
    assert sum(path.endswith(".py") for path in found) == 20


def test_a_change_asks_for_no_more_than_its_scripts_need() -> None:
    others = ["recipe/other/main_other.py", "recipe/other/config/other.yaml", "README.md"]
    found = needed([*RECIPE, *others], {"recipe/mine/run.sh": START})
    assert set(found) == set(RECIPE)


def test_a_folder_of_configurations_may_have_a_longer_name() -> None:
    """From TiandaSun/KG_GRPO, whose configurations for verl lie in `configs_verl`."""
    files = {"configs_verl/mine.yaml": OWN, "configs_verl/tool_config.yaml": b"tools: []\n"}
    script = b"python3 -m verl.trainer.main_ppo --config-path=$PWD/configs_verl --config-name=mine"
    plan = plan_of(files, "run.sh", script + b" data.train_batch_size=64\n")
    assert plan.table is not None
    assert plan.configuration.unread == ""
    found = needed({*files, "configure/a.yaml"}, {"run.sh": script})
    assert set(found) == set(files)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (None, "this repository has no recipe/other/main_other.py"),
        (MAIN, "recipe/other/main_other.py names recipe/other/config, which is not there"),
        # mxuax/verl-GR
        (
            MAIN.replace(b'"config"', b"str(ROOT)"),
            "recipe/other/main_other.py names its configuration's folder in Python",
        ),
        # RUCAIBox/Slow_Thinking_with_LLMs
        (b"def main(): x = y.\n", "recipe/other/main_other.py is no Python that can be read"),
        (b"def main(): ...\n", ""),
        (MAIN.replace(b'"config"', b'"../mine/config"'), ""),
        (MAIN.replace(b'config_path="config", ', b"config_path=None, "), ""),
    ],
)
def test_why_nothing_is_known_of_a_program(program: bytes | None, why: str) -> None:
    """LLM360/Reasoning360: `main_ppo_split.py`, whose folder is left out."""
    files = RECIPE | ({} if program is None else {"recipe/other/main_other.py": program})
    for entry in ("recipe.other.main_other", "recipe/other/main_other.py"):
        assert Checkout(files).why_unread(entry, "examples/run.sh") == why
    script = b"python3 -m recipe.other.main_other trainer.nnodes=1\n"
    assert plan_of(files, "examples/run.sh", script).configuration.unread == why


@pytest.mark.parametrize(
    ("files", "path", "counts"),
    [
        # ChenxiZhang1231/vla-rl: siiRL/verl and verl/verl, and scripts above both.
        ({"a/verl/": ROOT, "b/verl/": ROOT + b"mine: 1\n"}, "examples/run.sh", None),
        ({"a/verl/": ROOT, "b/verl/": ROOT}, "examples/run.sh", "a/verl"),
        ({"a/verl/": ROOT, "b/verl/": ROOT + b"mine: 1\n"}, "b/run.sh", "b/verl"),
        ({"a/verl/": ROOT, "verl/": ROOT + b"mine: 1\n"}, "examples/run.sh", "verl"),
    ],
)
def test_copies_of_verl_that_are_as_near_as_each_other(
    files: dict[str, bytes], path: str, counts: str | None
) -> None:
    tree = {f"{folder}trainer/config/ppo_trainer.yaml": data for folder, data in files.items()}
    plan = plan_of(tree, path, b"python3 -m verl.trainer.main_ppo trainer.nnodes=2 trainer.no=1")
    assert (plan.table is None) is (counts is None)
    assert needed(tree, {path: b""})
    if counts is None:
        assert plan.configuration.unread == (
            "which of a/verl/trainer/config, b/verl/trainer/config counts is not known; "
            "--framework-tree says so"
        )
        assert set(needed(tree, {path: b""})) == set(tree)
    else:
        assert plan.configuration.reason == f"{counts}/trainer/config of this repository"


COPIES = {
    # LEO4396222/verl_home: a fork of verl with three papers' copies, and a recipe beside them.
    f"{folder}verl/trainer/{name}": data + more
    for folder, more in {"": b"", "base/a/": b"a: 1\n", "base/b/": b"b: 1\n"}.items()
    for name, data in {"config/ppo_trainer.yaml": ROOT, "main_ppo.py": MAIN}.items()
}


@pytest.mark.parametrize(
    ("path", "counts"), [("base/c/run.sh", ""), ("base/run.sh", ""), ("base/b/x/run.sh", "base/b/")]
)
def test_of_copies_beside_the_script_none_counts_where_one_is_above(path: str, counts: str) -> None:
    for more in (b"", b"--config-path=config --config-name=ppo_trainer "):
        script = b"python3 -m verl.trainer.main_ppo " + more + b"trainer.nnodes=2 trainer.no=1"
        found = plan_of(COPIES, path, script).configuration
        assert found.reason == f"{counts}verl/trainer/config of this repository"


@pytest.mark.parametrize(
    ("path", "counts"), [("base/d/run.sh", None), ("base/b/run.sh", "base/b/"), ("run.sh", "")]
)
def test_of_folders_that_a_launch_may_name_the_one_beside_its_verl_counts(
    path: str, counts: str | None
) -> None:
    own = {f"{one}examples/config/mine.yaml": ROOT for one in ("", "base/b/", "base/d/")}
    script = b"python3 -m verl.trainer.main_ppo --config-path=$PWD/examples/config "
    found = plan_of(COPIES | own, path, script + b"--config-name=mine").configuration
    assert ("which may be any of" in found.unread) is (counts is None)
    assert counts is None or found.reason == f"{counts}examples/config of this repository"


def test_no_release_stands_for_copies_that_are_as_near_as_each_other() -> None:
    copies = {
        "a/verl/trainer/config/ppo_trainer.yaml": ROOT,
        "b/verl/trainer/config/ppo_trainer.yaml": ROOT + b"mine: 1\n",
    }
    own = {name: data for name, data in RECIPE.items() if name.startswith("recipe/")}
    plan = plan_of(copies | own, "recipe/mine/run.sh", START)
    assert plan.table is None
    assert "counts is not known" in plan.configuration.unread


@pytest.mark.parametrize("named", ["conf/fsdp.json", "$HERE/conf/fsdp.json"])
def test_a_json_file_that_a_script_names_is_needed(named: str) -> None:
    script = f"accelerate launch --config_file {named} train.py\n".encode()
    assert needed(["conf/fsdp.json", "conf/zero3.json"], {"run.sh": script}) == ("conf/fsdp.json",)
