"""What trying releases one after the other reads of a launch, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.frameworks import command_line, frameworks, plans
from bot.frameworks.configuration import ReleaseChoice, Versions
from bot.frameworks.settings.options import ReadLines, read_line
from bot.frameworks.settings.releases import releases
from bot.shell import read

LAUNCHES = {
    "openrlhf": (
        "deepspeed --module openrlhf.cli.train_sft --pretrain a/b --zero_stage 3 --bf16 "
        "--train.batch_size 8 --no_such 1 --max_epochs\n"
    ),
    "trl": "trl sft --model_name_or_path a/b --max_seq_length 8 --fsdp --torch_dtype float16\n",
    "open-instruct": "python open_instruct/grpo_fast.py --beta 0.1 --no_such --with_tracking\n",
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_each_release_is_read_as_it_would_be_alone(name: str) -> None:
    (plan,) = plans(read(LAUNCHES[name].encode(), "run.sh"))
    framework = next(one for one in frameworks() if one.name == name)
    lines: ReadLines = {}
    for release in releases(name):
        choice = ReleaseChoice((release,), "settings", "made")
        alone = Versions(tried={name: choice})
        first = framework.explain(plan.launch, alone)
        after = framework.explain(plan.launch, replace(alone, lines=lines))
        assert (after.settings, after.bad_arguments) == (first.settings, first.bad_arguments)
        assert after.configuration.release == first.configuration.release


def test_a_release_with_the_options_of_the_one_before_reads_nothing_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1,500 launches that no release takes whole were read 84 times each, in ten seconds."""
    reads = list[int]()

    def counted(*given: object) -> object:
        reads.append(1)
        return read_line(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(command_line, "read_line", counted)
    plans(read(LAUNCHES["openrlhf"].encode(), "run.sh"))
    assert len(reads) < len(releases("openrlhf")) / 2
