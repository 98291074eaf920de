"""`rlbot recommend`: which hardware and settings a training run needs, published rows first."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UserError
from bot.base.files import write_new_file
from bot.base.messages import message, sentence_of
from bot.commands.arguments import config_of, read_page
from bot.commands.output import notice, write

if TYPE_CHECKING:
    from bot.recommend.answer import RecommendAnswer
    from bot.table.page import Page

SUMMARY = "hardware and settings that fit a model and a task, published rows first"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--model", metavar="NAME", required=True, help="hub name or path")
    parser.add_argument(
        "--task", metavar="TASK", required=True, help="grpo, ppo, rloo, sft, dpo or rm"
    )
    parser.add_argument(
        "--method", choices=("full", "lora", "dora"), default="full", help="what is trained"
    )
    parser.add_argument("--framework", choices=("verl", "openrlhf", "trl"), default="verl")
    parser.add_argument(
        "--lengths",
        metavar="PROMPT+RESPONSE",
        required=True,
        help="tokens of the longest prompt and response, such as 1024+2048; one number for samples",
    )
    parser.add_argument(
        "--batch", metavar="N", type=int, default=128, help="prompts, samples or pairs a step"
    )
    parser.add_argument(
        "--lora-rank", metavar="N", type=int, default=32, help="rank of the adapter"
    )
    parser.add_argument(
        "--device",
        metavar="TOKEN",
        action="append",
        default=[],
        help="only this accelerator, such as h100 or a100-40; may be given again",
    )
    parser.add_argument(
        "--budget-gpus",
        metavar="N",
        type=int,
        help="at most so many GPUs; what fits all of them is listed too (default: at most 8)",
    )
    parser.add_argument(
        "--page",
        metavar="PAGE",
        help="documentation page whose rows come first (default: the configuration's)",
    )
    parser.add_argument(
        "--write",
        metavar="PATH",
        help="write a script of a prediction; in a folder it gets the name of the convention",
    )
    parser.add_argument(
        "--choice", metavar="RANK", type=int, help="which prediction to write (default: the first)"
    )
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .rlbot.yml)")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the result")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 when nothing fits and no row is published."""
    from bot.frameworks.releases import releases
    from bot.recommend.answer import recommend
    from bot.recommend.request import Hardware, Sizes, make_request

    prompt, response = _lengths(arguments.lengths)
    request = make_request(
        arguments.model,
        task=arguments.task,
        method=arguments.method,
        framework=arguments.framework,
        sizes=Sizes(
            prompt=prompt,
            response=response,
            batch=arguments.batch,
            rank=arguments.lora_rank,
        ),
    )
    if arguments.choice is not None and not arguments.write:
        raise UserError(
            message("--choice says which prediction --write writes; give --write PATH too.")
        )
    config = config_of(arguments)
    answer = recommend(
        request,
        Hardware(
            names=tuple(arguments.device),
            budget=8 if arguments.budget_gpus is None else arguments.budget_gpus,
            whole=arguments.budget_gpus is not None,
        ),
        release=releases(request.framework)[-1],
        page=_page(arguments.page, config.page),
        language=arguments.lang or config.language,
    )
    recommendations = answer.recommendations
    if arguments.write:
        _write(answer, Path(arguments.write), arguments.choice)
    if arguments.format == "json":
        from dataclasses import asdict

        from bot.render.json_report import dump

        write(dump(asdict(recommendations)), commands=True)
    else:
        from bot.recommend.text import markdown, text

        show = markdown if arguments.format == "markdown" else text
        write(show(recommendations))
    return 0 if recommendations.predicted or recommendations.published else 1


def _page(named: str | None, configured: str | None) -> Page | None:
    """The page that is named, else the configuration's where it is there."""
    path = named or configured
    if path is None or (named is None and not Path(path).is_file()):
        return None
    from bot.table.page import PageError
    from bot.table.page import read_page as rows_of

    try:
        return rows_of(read_page(Path(path)), path)
    except PageError as error:
        raise UserError(sentence_of(error)) from None


def _lengths(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(?:([0-9]{1,8})\+)?([0-9]{1,8})", text)
    if match is None:
        raise UserError(
            message('--lengths takes PROMPT+RESPONSE, such as 1024+2048; got "{text}".', text=text)
        )
    return int(match[1] or 0), int(match[2])


def _write(answer: RecommendAnswer, path: Path, choice: int | None) -> None:
    """Write a prediction's script; never over a file that is there."""
    scripts = answer.scripts
    if not scripts:
        raise UserError(message("Nothing fits, so there is no script to write."))
    rank = answer.first if choice is None else choice
    if rank is None:
        raise UserError(
            message(
                "Nothing fits for certain, so no script is written of itself; --choice {rank} "
                "writes the one that may fit.",
                rank=min(scripts),
            )
        )
    if rank not in scripts:
        raise UserError(
            message(
                "{rank} is no prediction; --choice takes one from {min} to {max}. A published row "
                "has its script already.",
                rank=rank,
                min=min(scripts),
                max=max(scripts),
            )
        )
    name, content = scripts[rank]
    target = path / name if path.is_dir() else path
    write_new_file(target, content.encode(), mode=0o755)
    notice(message("wrote {path}", path=target))
