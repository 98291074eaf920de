"""What Slurm's sbatch is asked for, and the variables that it sets for a job: sbatch(1)."""

from __future__ import annotations

import pytest

from bot.base.device_words import only_card
from bot.shell import Invocation, read
from bot.shell.run.slurm import OF_A_JOB, header_words, requested_cards
from bot.shell.words import Hole, Reading
from tests.shell.judge import Judge, Script, bash_version

NAMES = sorted(OF_A_JOB)
SHOW = "cmd " + " ".join(f'"${name}"' for name in NAMES) + "\n"


def job(*options: str) -> str:
    """A script with these `#SBATCH` lines."""
    return "#!/bin/bash\n" + "".join(f"#SBATCH {option}\n" for option in options)


def reading(text: str, **variables: str) -> Reading:
    return read(text.encode(), "job.sh", Invocation(assumed=variables))


def seen(text: str, **files: str) -> list[dict[str, str]]:
    """The known variables of each job, without the beginning of their names."""
    given = {f"{name}.sh": data.encode() for name, data in files.items()}
    commands = read(text.encode(), "run.sh", files=given.get).commands
    return [
        {
            name.removeprefix("SLURM_"): word.text
            for name, word in zip(NAMES, command.argv[1:], strict=True)
            if word.complete
        }
        for command in commands
        if command.argv[0].text == "cmd"
    ]


NODES = {"NNODES": "2", "JOB_NUM_NODES": "2"}
GPUS = {"GPUS_ON_NODE": "8"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), {}),
        (("--nodes=2",), NODES),
        (("-N 2",), NODES),
        (("-N2", "# --nodes=4"), NODES),
        (("--nodes=1", "--nodes 2  # nodes"), NODES),  # The last one counts.
        (("--nodes=1-4",), {}),
        (("--nodes=2-2",), {}),
        (("--nodes=1k",), {}),
        (("--nodes",), {}),
        (("--nodes=2 --ntasks=1",), {"NTASKS": "1", "NPROCS": "1"}),  # sbatch takes one node.
        (("-n 16", "-c4"), {"NTASKS": "16", "NPROCS": "16", "CPUS_PER_TASK": "4"}),
        (("--ntasks-per-node=8",), {"NTASKS_PER_NODE": "8"}),
        (
            ("-N 2", "--tasks-per-node=8"),
            {**NODES, "NTASKS_PER_NODE": "8", "NTASKS": "16", "NPROCS": "16"},
        ),
        (("--gres=gpu:8",), GPUS),
        (("--gres=gpu:h100:8,tmp:10G",), GPUS),
        (("--gres gpu:h100:8(S:0-1)",), GPUS),
        (("--gres=gpu",), {"GPUS_ON_NODE": "1"}),
        (("--gres=shard:8",), {}),
        (("--gres=gpu:h100:4,gpu:h200:4",), {}),
        (("--gres=gpu:4", "--exclusive"), {}),  # A whole node gives all its GPUs.
        (("--gres=gpu:8", "--exclusive=user"), GPUS),
        (("--gpus-per-node=8",), {**GPUS, "GPUS_PER_NODE": "8"}),
        (("--gpus-per-node=h100:8",), GPUS),  # Its variable has the kind, too.
        (("--gpus=8",), {}),  # They may lie on several nodes.
        (("-G h100:8", "-N 1"), {**GPUS, "NNODES": "1", "JOB_NUM_NODES": "1"}),
        (('--job-name="my job"', "--array=0-3"), {"JOB_NAME": "my job"}),
        (("--nodes=2", "hetjob", "--nodes=4"), {}),
    ],
)
def test_what_a_job_asks_for_is_set(options: tuple[str, ...], expected: dict[str, str]) -> None:
    assert seen(job(*options) + SHOW) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/bash\n##SBATCH --nodes=2\n# SBATCH --nodes=2\n #SBATCH --nodes=2\n",
        "#!/bin/bash\nset -e\n#SBATCH --nodes=2\n",
        "#!/bin/bash\ncat > job.sh <<'EOF'\n#!/bin/bash\n#SBATCH --nodes=2\nEOF\n",
    ],
)
def test_other_lines_ask_for_nothing(text: str) -> None:
    assert seen(text + SHOW) == [{}]


def test_blank_lines_and_comments_may_stand_between() -> None:
    assert seen(f"#!/bin/bash\n# A job.\n\n  # of two\n#SBATCH --nodes=2\n{SHOW}") == [NODES]


def test_the_script_and_its_caller_count_before_the_header() -> None:
    text = job("--nodes=2")
    (command,) = reading(f"{text}cmd $SLURM_NNODES $SLURM_JOB_NUM_NODES", SLURM_NNODES="4").commands
    assert [word.text for word in command.argv[1:]] == ["4", "2"]
    (command,) = reading(f"{text}SLURM_NNODES=8\ncmd $SLURM_NNODES").commands
    assert command.argv[1].text == "8"
    (command,) = read(
        f"{text}cmd x$SLURM_NNODES".encode(), "job.sh", Invocation(environment={})
    ).commands
    assert command.argv[1].text == "x"  # Who says all that is set runs it without Slurm.


def test_a_value_stands_in_the_line_that_asks_for_it() -> None:
    text = f"{job('-J a', '--nodes=2')}cmd nodes=${{SLURM_NNODES:-1}}\n"
    (command,) = reading(text).commands
    span = command.argv[1].span_of(6, 7)
    assert text[span.start : span.end] == "--nodes=2"
    assert (command.argv[1].text, command.argv[1].pieces[-1].via) == ("nodes=2", ("SLURM_NNODES",))


JOB = job("--nodes=2", "--gres=gpu:8") + SHOW


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sbatch a.sh", {**NODES, **GPUS}),
        ("sbatch --nodes=4 -p $P a.sh", {"NNODES": "4", "JOB_NUM_NODES": "4", **GPUS}),
        ("N=4\nsbatch -N $N a.sh --nodes=8", {"NNODES": "4", "JOB_NUM_NODES": "4", **GPUS}),
        ("sbatch --nodes=$N a.sh", GPUS),
        ("sbatch $OPTIONS a.sh", {}),
        ("sbatch -N 1 : -N 2 a.sh", {}),
        ("bash a.sh", {}),  # There they are comments.
        ("source a.sh", {}),
        (f"sbatch <<'EOF'\n{JOB}EOF", {**NODES, **GPUS}),
        (f"cat > x.sh <<'EOF'\n{JOB}EOF\nsbatch -N 2 x.sh", {**NODES, **GPUS}),
        (f"sbatch --nodes 2 --wrap '{SHOW}'", NODES),
        ("export SLURM_NNODES=8\nsbatch a.sh", {**NODES, **GPUS}),
    ],
)
def test_a_submitted_script(text: str, expected: dict[str, str]) -> None:
    assert seen(text, a=JOB) == [expected]


def test_what_the_outer_job_asks_for_is_not_that_of_the_inner_one() -> None:
    outer = job("--nodes=2", "-c 4") + "sbatch -n 3 a.sh\nbash a.sh\n"
    inner, same = seen(outer, a=f"#!/bin/bash\n{SHOW}")
    assert inner == {"NTASKS": "3", "NPROCS": "3"}
    assert same == {**NODES, "CPUS_PER_TASK": "4"}


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("srun --label bash -c 'cmd $SLURM_NNODES'", True),
        ("srun -N 1 -n 1 bash -c 'cmd $SLURM_NNODES'", False),
        ("srun $OPTIONS bash -c 'cmd $SLURM_NNODES'", False),
        ('srun -N 1 bash -c "cmd $SLURM_NNODES"', True),
        ("srun -N 1 true; cmd $SLURM_NNODES", True),
    ],
)
def test_a_step_has_nodes_of_its_own(command: str, *, known: bool) -> None:
    last = reading(job("--nodes=2") + command).commands[-1]
    assert (last.argv[1].text == "2") == known
    assert isinstance(last.argv[1].pieces[0].text, Hole) != known


@pytest.mark.process
@pytest.mark.skipif(bash_version() < (5, 2), reason="bash 5.2 or newer is the judge")
def test_bash_sees_the_same_in_a_job(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = job("--nodes=2", "--gres=gpu:4") + (
        "N=${SLURM_NNODES:-1} G=${SLURM_GPUS_ON_NODE:=8}\n"
        'if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then cmd $((N * G)) ${SLURM_NNODES}x; fi\n'
        "for ((i = 0; i < SLURM_NNODES; i++)); do cmd $i; done\nsrun cmd ${SLURM_NNODES+set}\n"
    )
    set_there = {f"SLURM_{name}": value for name, value in {**NODES, "GPUS_ON_NODE": "4"}.items()}
    judge = Judge(tmp_path_factory.mktemp("judge") / "all")
    (calls,) = judge.run([Script(text, environment=set_there)])
    words = [[word.text for word in command.argv] for command in reading(text).commands]
    assert words == [list(call.argv) for call in calls]
    assert words[0] == ["cmd", "8", "2x"]


@pytest.mark.parametrize(
    ("options", "card"),
    [
        (("--gres=gpu:h100:8",), "h100"),
        (("--gpus-per-node=H100:8",), "h100"),
        (("-G h100:16",), "h100"),
        (("--gres=gpu:8", "--constraint=h200"), "h200"),
        (("-C gpu&h100&ib",), "h100"),
        (("--gres=gpu:nvidia_h100_80gb_hbm3:8",), "nvidia_h100_80gb_hbm3"),
        (("--gres=gpu:a100:4", "-C a100-80gb"), "a100-80gb"),
        (("--gres=gpu:8",), None),
        (("--gres=gpu:a100:4",), None),  # Of 40 GB or of 80 GB.
        (("--gres=gpu:h20:4",), None),
        (("--gres=gpu:4090:2",), None),
        (("-C h100|a100",), None),
        (("-C [h100*2&h200*2]",), None),
        (("--gres=gpu:h100:4,gpu:h200:4",), None),
        (("--gres=gpu:h100:8", "-C h200"), None),
        (("--gres=gpu:a100_3g.40gb:1",), None),  # A part of one.
        (("--gres=gpu:tesla:1",), None),
        (("-J h100", "-p h100"), None),
    ],
)
def test_the_card_that_a_job_asks_for(options: tuple[str, ...], card: str | None) -> None:
    words = header_words(job(*options))
    assert only_card(word.lower() for word in requested_cards(words)) == card
