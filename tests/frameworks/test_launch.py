"""Which commands start a framework, and what is taken off them."""

from __future__ import annotations

import pytest

from bot.frameworks import find_launches
from bot.frameworks.launchers.launcher_options import launcher_option
from bot.shell import read
from bot.shell.source import Source, Span
from bot.shell.words import Command, Reading
from tests.frameworks.made import command, holed, reading

PPO = "verl.trainer.main_ppo"


@pytest.mark.parametrize(
    "text",
    [
        "echo python3 -m verl.trainer.main_ppo a=1",
        "python3 -c import:verl.trainer.main_ppo",
        "pip install verl",
        "python3 -m verl.model_merger merge --backend fsdp",
        "python3 -m verl.trainer.main_eval data.path=x",
        "python3 -m verl.trainer.main_generation data.path=x",
        "python3 -m verl.utils.main_ppo_helper.x",
        "python3 -m own.verl.trainer.main_eval data.path=x",
        "python3 -m own.recipe.main data.path=x",
        "python3 examples/data_preprocess/gsm8k.py --local_dir x",
        "python3 -m openrlhf.cli.serve_rm --reward_pretrain x",
        "command -v python3",
        "bash run.sh verl.trainer.main_ppo",
        "ray job submit --address x",
        "ray start --head",
        "python3",
        "python3 -m",
        "torchrun --nproc_per_node 8",
        "uv run ruff check",
        "uvx ruff check",
        "hf jobs ps",
        "hf download verl/model",
        "docker run --entrypoint python3 image -c pass",
        "docker run --entrypoint python3",
        "srun hostname",
        # DarioVajda/translation_dpo ran `trl bash`: its folder is called so.
        "srun --container-workdir /ceph/me/trl bash -c x",
        "conda run -n trl python eval.py",
        "python3 - python3 -m mine actor_rollout_ref.a=1",
        # HuihuiChyan/Think-J writes the settings into a file, which verl is started with.
        "python3 change_yaml.py --file a --key-value data.n=1 actor_rollout_ref.model.path=a",
        "timeout 5",
        "",
        # These print something, and train nothing.
        "trl grpo --help",
        "accelerate launch -m openrlhf.cli.train_ppo_ray -h",
        "python3 -m verl.trainer.main_ppo --help",
        "python3 -m verl.trainer.main_ppo --cfg job data.train_batch_size=32",
        "python3 -m verl.trainer.main_ppo data.n=1 --cfg=all --resolve",
        "python3 my_train.py -c hydra actor_rollout_ref.model.path=a",
        "python3 -m verl.trainer.main_ppo -cjob",
        "python3 -m verl.trainer.main_ppo --info",
        "python3 -m verl.trainer.main_ppo -i searchpath",
        "ray job submit -- python3 -m verl.trainer.main_ppo --hydra-help",
    ],
)
def test_other_commands_are_no_launches(text: str) -> None:
    assert find_launches(reading(text)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "python3 -m verl.trainer.main_ppo -cn helper --config-path=cfg job=1 a.info=1",
        "python3 my_train.py actor_rollout_ref.model.path=a -c settings.yaml",
        "trl sft --model_name_or_path=a --run_name=--help -- -h",
        "trl sft --model_name_or_path a --cfg job --info",
        "python3 -m openrlhf.cli.train_sft --version",
    ],
)
def test_what_only_looks_like_an_option_that_prints(text: str) -> None:
    assert len(find_launches(reading(text))) == 1


@pytest.mark.parametrize(("program", "launches"), [("-", 0), ("-u", 1)])
def test_an_unknown_python_may_read_its_program(program: str, launches: int) -> None:
    """liuqjjin/vlm-agent-rl hands its command to a program that writes it down."""
    script = f'"$PYTHON" {program} python3 -m verl.trainer.main_ppo a=1\n'
    assert len(find_launches(read(script.encode(), "run.sh"))) == launches


@pytest.mark.parametrize(
    "text",
    [
        "python3 my_train.py actor_rollout_ref.model.path=a",
        "python3 my_train.py --config-path=b --config-n c data.n=1 actor_rollout_ref.model.path=a",
        "python3 my_train.py -cn c ++actor_rollout_ref.model.path=a --file b",
        "python3 -m verl.trainer.main_ppo --file a actor_rollout_ref.model.path=a",
    ],
)
def test_a_program_that_is_given_verls_settings_is_a_launch(text: str) -> None:
    (launch,) = find_launches(reading(text))
    assert launch.framework == "verl"


@pytest.mark.parametrize(
    ("text", "entry", "launcher"),
    [
        ("python3 -m {} a=1", PPO, ()),
        ("python -u -m {} a=1", PPO, ()),
        ("/opt/conda/bin/python3.11 -X dev -um {} a=1", PPO, ()),
        ("python3 /root/verl/verl/trainer/main_ppo.py a=1", PPO, ()),
        ("env -u A B=1 C=2 python3 -m {} a=1", PPO, ()),
        ("nohup time -p python3 -m {} a=1", PPO, ()),
        ("exec timeout -k 5 --signal=INT 10h python3 -m {} a=1", PPO, ()),
        ("docker run --rm --entrypoint python3 a/b:c -m {} a=1", PPO, ("docker",)),
        ("ray job submit -- python3 -m {} a=1", PPO, ("ray job submit",)),
        ("ray job submit --a b -- X=1 Y=$Z python3 -m {} a=1", PPO, ("ray job submit",)),
        ("ray job submit --a b X=1 python3 -m {} a=1", PPO, ("ray job submit",)),
        (
            (
                "ray job submit --no-wait --address=http://x:1 --working-dir . -- env X=1 "
                "python3 -m {} a=1"
            ),
            PPO,
            ("ray job submit",),
        ),
        ("ray job submit --address x --no-wait python3 -m {} a=1", PPO, ("ray job submit",)),
        ("uv run --frozen --with x==1 python3 -m {} a=1", PPO, ("uv run",)),
        ("uv run -m {} a=1", PPO, ("uv run",)),
        ("uv run --with python --with verl verl/trainer/main_ppo.py a=1", PPO, ("uv run",)),
        ("hf jobs uv run --flavor l4x4 --with verl -m {} a=1", PPO, ("hf jobs", "uv run")),
        ("uv run verl/trainer/main_ppo.py a=1", PPO, ("uv run",)),
        (
            "srun --nodes=1 --ntasks 1 -w host python3 -m verl.trainer.main_ppo a=1",
            PPO,
            ("srun",),
        ),
        (
            (
                "torchrun --standalone --nnodes=1 --nproc_per_node 8 "
                "-m verl.trainer.fsdp_sft_trainer a=1"
            ),
            "verl.trainer.fsdp_sft_trainer",
            ("torchrun",),
        ),
        (
            "python3 -m torch.distributed.run --nproc_per_node=8 -m verl.trainer.sft_trainer a=1",
            "verl.trainer.sft_trainer",
            ("torchrun",),
        ),
        ("accelerate launch --multi_gpu --num_processes 4 -m {} a=1", PPO, ("accelerate launch",)),
        # ShuoZheLi/open-rs has `--` before its programs.
        (
            "accelerate launch --num_processes=4 -- verl/trainer/main_ppo.py a=1",
            PPO,
            ("accelerate launch",),
        ),
        ("torchrun --standalone -- verl/trainer/main_ppo.py a=1", PPO, ("torchrun",)),
        (
            "singularity_wrapper exec python3 -m {} a=1",  # LumiOpen/alignment-handbook
            PPO,
            ("singularity_wrapper",),
        ),
        (
            "deepspeed --num_gpus 4 --module openrlhf.cli.train_rm --a 1",
            "openrlhf.cli.train_rm",
            ("deepspeed",),
        ),
        (
            "deepspeed --master_port 1 openrlhf/cli/train_sft.py --a 1",
            "openrlhf.cli.train_sft",
            ("deepspeed",),
        ),
        (
            "ray job submit -- python3 -m openrlhf.cli.train_ppo_ray --a 1",
            "openrlhf.cli.train_ppo_ray",
            ("ray job submit",),
        ),
        ("conda run -n trl python3 -m {} a=1", PPO, ("conda",)),
        ("srun --chdir /me/ray python3 -m {} a=1", PPO, ("srun",)),
        ("python3 -m recipe.dapo.main_dapo a=1", "recipe.dapo.main_dapo", ()),
        (
            "python3 -m verl.experimental.fully_async_policy.fully_async_main a=1",
            "verl.experimental.fully_async_policy.fully_async_main",
            (),
        ),
        (
            "python3 -m verl.experimental.one_step_off_policy.async_main_ppo a=1",
            "verl.experimental.one_step_off_policy.async_main_ppo",
            (),
        ),
        ("python3 train.py +actor_rollout_ref.model.path=x", "train.py", ()),
    ],
)
def test_launchers_are_taken_off(text: str, entry: str, launcher: tuple[str, ...]) -> None:
    (launch,) = find_launches(reading(text.replace("{}", PPO)))
    assert (launch.entry, launch.launcher) == (entry, launcher)
    assert launch.framework == ("openrlhf" if entry.startswith("openrlhf") else "verl")
    assert launch.argv == launch.command.argv[len(launch.command.argv) - len(launch.argv) :]
    assert len(launch.argv) in (1, 2)


def test_an_unknown_folder_before_the_package_does_not_hide_the_module() -> None:
    words = (*command("python3").argv, holed(None, "/recipe/dapo/main_dapo.py"))
    made = Command(argv=words, span=Span(0, 1), environment={})
    script = Reading(Source("x.sh", ""), (made,), (), (), ())
    (launch,) = find_launches(script)
    assert launch.entry == "recipe.dapo.main_dapo"


def test_launches_keep_their_order() -> None:
    script = reading(
        "python3 -m verl.trainer.sft_trainer a=1",
        "ls",
        "python3 -m openrlhf.cli.train_dpo --a 1",
        "python3 -m verl.trainer.main_ppo a=1",
    )
    assert [launch.framework for launch in find_launches(script)] == ["verl", "openrlhf", "verl"]


def test_options_of_the_launcher() -> None:
    text = "torchrun --nnodes=2 --nproc-per-node 8 -m verl.trainer.sft_trainer --nnodes=9"
    (launch,) = find_launches(reading(text))
    per_node = launcher_option(launch, "nproc_per_node", "num_gpus")
    assert per_node is not None
    assert (per_node.value, text[per_node.span.start : per_node.span.end]) == ("8", "8")
    nodes = launcher_option(launch, "nnodes")
    assert nodes is not None
    assert (nodes.value, text[nodes.span.start : nodes.span.end]) == ("2", "2")
    assert launcher_option(launch, "include") is None


@pytest.mark.parametrize(
    ("text", "launcher"),
    [
        ('"$PYTHON" -m {} a=1', ()),
        ('exec "$(which python)" -u -m {} a=1', ()),
        ('"${CONDA_BIN}python" -m {} a=1', ()),  # LLM360/Reasoning360
        ('${BIN}"torchrun" --nproc_per_node 8 -m {} a=1', ("torchrun",)),
        ("$LAUNCHER torchrun --nproc_per_node 8 -m {} a=1", ("torchrun",)),
        ("$CONDA run -n a python -m {} a=1", ()),
        ("$PY /root/verl/verl/trainer/main_ppo.py a=1", ()),
        ("torchrun $FLAGS verl/trainer/main_ppo.py a=1", ("torchrun",)),
        ("accelerate launch --debug $(flags) -m {} a=1", ("accelerate launch",)),
    ],
)
def test_a_program_whose_name_is_not_known(text: str, launcher: tuple[str, ...]) -> None:
    (launch,) = find_launches(read(text.replace("{}", PPO).encode(), "run.sh"))
    assert (launch.entry, launch.launcher) == (PPO, launcher)
    assert [word.text for word in launch.argv] == ["a=1"]


@pytest.mark.parametrize(
    "text",
    [
        "$PYTHON -m",
        "${A}python -c 'import verl.trainer.main_ppo'",
        "${PYTHON}-config -m verl.trainer.main_ppo",
        "$TOOL verl.trainer.main_ppo",
        '"$@"',
        "$RUN $OTHER -v x",
        "$A -x a -m b",
        "torchrun $PROGRAM --reward verl/trainer/main_ppo.py",
        "torchrun $PROGRAM a=1 verl/trainer/main_ppo.py",
        "torchrun $FLAGS -m",
    ],
)
def test_an_unknown_program_alone_is_no_launch(text: str) -> None:
    assert find_launches(read(text.encode(), "run.sh")) == ()
