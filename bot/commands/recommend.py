"""`rlbot recommend`: which hardware and settings a training run needs, published rows first."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from bot.base.errors import UserError
from bot.base.files import make_folder, write_new_file
from bot.base.messages import Language, mark, sentence_of, translated
from bot.commands.arguments import add_config, without_effect
from bot.commands.configuration import config_of
from bot.commands.files import page_text, read_file
from bot.commands.output import notice, write
from bot.commands.runs import add_offline
from bot.commands.terminal import columns

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from bot.check.hub import HubConfigs
    from bot.recommend.answer import RecommendAnswer
    from bot.recommend.question import ParsedQuestion
    from bot.recommend.request import ModelFolder
    from bot.table.parts import Page

SUMMARY = "hardware and settings that fit a question, published rows first"
_WIDEST = 120
"""Columns of a sentence: a longer line is harder to read."""
LISTS = ("models", "devices", "tasks")
_OF_A_QUESTION = (
    *("model", "task", "method", "framework", "lengths", "image_tokens", "batch"),
    *("lora_rank", "device", "budget_gpus", "page", "write", "choice"),
)
_NOTHING_ASKED = mark(
    "Name cards, a model, or both, in any order: rlbot recommend 2x4090, rlbot recommend Qwen3-8B, "
    "rlbot recommend 8xH20 Qwen3-8B grpo lora 1k+2k."
)


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from bot.recommend.request import FrameworkName, Method

    parser.add_argument(
        "question",
        metavar="QUESTION",
        nargs="*",
        help="cards, model, task, method and lengths in any order, such as: "
        "2x4090 Qwen3-8B grpo lora 1k+2k",
    )
    parser.add_argument("--list", choices=LISTS, help="what is known, instead of an answer")
    parser.add_argument("--model", metavar="NAME", help="hub name or path")
    parser.add_argument(
        "--task", metavar="TASK", help="grpo, ppo, sft, dpo, rm, …: see --list tasks"
    )
    parser.add_argument("--method", choices=get_args(Method), help="what is trained")
    parser.add_argument("--framework", choices=get_args(FrameworkName))
    parser.add_argument(
        "--lengths",
        metavar="PROMPT+RESPONSE",
        help="tokens of the longest prompt and response, such as 1024+2048; one number for samples",
    )
    parser.add_argument(
        "--image-tokens",
        metavar="N",
        type=int,
        help="tokens of a prompt (of a sample) that are of images, for a model that reads them",
    )
    parser.add_argument(
        "--batch",
        metavar="N",
        type=int,
        help="prompts, samples or pairs a step (default: 128)",
    )
    parser.add_argument(
        "--lora-rank", metavar="N", type=int, help="rank of the adapter (default: 32)"
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
        "--gpus",
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
    add_config(parser)
    add_offline(parser)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the result")


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 when nothing fits and no row is published."""
    from bot.check.hub import HubConfigs
    from bot.recommend.chinese import has_chinese

    if arguments.list:
        from bot.recommend.vocabulary import known

        if arguments.question or arguments.format != "text":
            raise UserError("--list prints what is known as text; leave all else out.")
        without_effect(arguments, "--list", _OF_A_QUESTION)

        write("\n".join(known(arguments.list)) + "\n")
        return 0
    if arguments.choice is not None and not arguments.write:
        raise UserError("--choice says which prediction --write writes; give --write PATH too.")
    config = config_of(arguments)
    language = arguments.lang or (
        "zh" if has_chinese(" ".join(arguments.question)) else config.language
    )
    models = _Models(HubConfigs(os.environ, Path.home(), fetches=not arguments.offline))
    with _in_language(language), models.explaining():
        words, questions = _questions(arguments, models)
        if len(questions) > 1 and (arguments.write or arguments.format == "json"):
            raise UserError(
                "The question names {values}: a script and JSON are of one, ask for each.",
                values=", ".join(_differing(questions)),
            )
        if questions[0].model is None:
            return _overview(arguments, questions, language)
        from bot.recommend.model_answer import answer_model

        page = _page(arguments.page, config.page)
        answers = [
            answer_model(
                one,
                by_words=bool(words),
                folder=models.folder(one.model or ""),
                page=page,
                language=language,
            )
            for one in questions
        ]
    return _print(arguments, answers)


def _print(arguments: argparse.Namespace, answers: Sequence[RecommendAnswer]) -> int:
    """Print the answers, and write the script that is asked for; returns the exit status."""
    writes = arguments.write and answers[0].scripts
    written = _write(answers[0], arguments.write, arguments.choice) if writes else None
    shown = [one.recommendations for one in answers]
    if arguments.format == "json":
        _write_json(shown[0])
    else:
        from bot.recommend.text import markdown, text

        if written:  # The next step would be to write what was written now.
            shown = [replace(one, next=None) for one in shown]
        is_markdown = arguments.format == "markdown"
        width = columns(_WIDEST)
        write("\n".join(markdown(one) if is_markdown else text(one, width) for one in shown))
    if arguments.write and not writes:
        notice("nothing fits, so no script was written")
    if written is not None:
        command = f"rlbot lint {shlex.quote(str(written))}"
        notice("wrote {path}; check it: {command}", path=written, command=command)
    return 0 if any(one.predicted or one.published for one in shown) else 1


@contextmanager
def _in_language(language: Language) -> Iterator[None]:
    """Raises an error within in the language of the answer."""
    try:
        yield
    except UserError as error:
        sentence = translated(sentence_of(error), language)
        raise type(error)("{sentence}", sentence=sentence) from None


def _write_json(answer: DataclassInstance) -> None:
    from bot.render.json_report import to_json

    write(to_json(answer), commands=True)


def _questions(
    arguments: argparse.Namespace, models: _Models
) -> tuple[list[str], list[ParsedQuestion]]:
    """The words of the question, and what they ask together with the options: of each task apart.

    The words are asked for on a terminal where there are none, and no option stands for one.
    """
    from bot.recommend.option_values import OptionValues, with_options
    from bot.recommend.question import parse_questions

    values = OptionValues(
        model=arguments.model,
        task=arguments.task,
        method=arguments.method,
        framework=arguments.framework,
        lengths=arguments.lengths,
        images=arguments.image_tokens,
        batch=arguments.batch,
        rank=arguments.lora_rank,
        devices=tuple(arguments.device),
        gpus=arguments.budget_gpus,
    )
    words = arguments.question or (_ask() if values == OptionValues() else [])
    asked = [with_options(one, values) for one in parse_questions(words, models.has)]
    if asked[0].model is None and not asked[0].cards:
        raise UserError(_NOTHING_ASKED)
    return words, [each for one in asked for each in one.of_each_task]


def _differing(questions: Sequence[ParsedQuestion]) -> Iterator[str]:
    """What the questions differ in: the names of their tasks, models, frameworks and lengths."""
    for name in ("task", "model", "framework", "response"):
        values = dict.fromkeys(str(getattr(one, name)) for one in questions)
        if len(values) > 1:
            yield from values


def _ask() -> list[str]:
    """The words of a question that is typed; raises UserError where nobody can type."""
    if not sys.stdin.isatty():
        raise UserError(_NOTHING_ASKED)
    notice("Which cards, which model? For example: 2x4090 Qwen3-8B grpo")
    return sys.stdin.readline().split()


class _Models:
    """The models that have a config.json: in a folder, or on the Hub where no table has them."""

    def __init__(self, hub: HubConfigs) -> None:
        self._hub = hub

    def has(self, path: str) -> bool:
        """Whether a word names one."""
        return self._config(path) is not None

    def folder(self, path: str) -> ModelFolder | None:
        """The model with its config.json; None for one that is known without."""
        from bot.memory.shapes.models import find
        from bot.recommend.request import ModelFolder

        config = self._config(path)
        if config is not None:
            folder = str(Path(path).resolve().parent) if _is_configuration(path) else path
            return ModelFolder(folder, config)
        if os.path.isdir(path) and find(path) is None:  # noqa: PTH112 - as in `_config`.
            raise UserError("The folder {path} holds no config.json.", path=path)
        return None

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Adds to an error within why the Hub has said nothing of a model."""
        try:
            yield
        except UserError as error:
            problem = next(iter(self._hub.problems.values()), None)
            if problem is None:
                raise
            why = sentence_of(error)
            raise type(error)("{why} {problem}", why=why, problem=problem) from None

    def _config(self, path: str) -> bytes | None:
        from bot.memory.shapes.models import find

        file = Path(path) if _is_configuration(path) else Path(path) / "config.json"
        if os.path.isfile(file):  # noqa: PTH113 - Path.is_file raises for overlong names.
            return read_file(file)
        return self._hub(f"{path}/config.json") if find(path) is None else None


def _is_configuration(path: str) -> bool:
    """Whether a path is that of the file itself."""
    return Path(path).name == "config.json"


def _overview(
    arguments: argparse.Namespace, questions: Sequence[ParsedQuestion], language: Language
) -> int:
    """What cards alone can train."""
    from bot.recommend.overview import overviews
    from bot.recommend.overview_text import overview_markdown, overview_text

    if arguments.write:
        raise UserError("--write writes a script for one model: name it, such as Qwen3-8B.")
    if questions[0].images is not None:
        raise UserError("Tokens of images are of one model: name it, such as Qwen2.5-VL-7B.")
    if arguments.page:
        raise UserError("--page gives the rows of one model: name it, such as Qwen3-8B.")
    first = questions[0]
    if arguments.format == "json" and len(first.groups) > 1:
        raise UserError(
            "Without a model JSON is of one kind of card, not {cards}: ask about each.",
            cards=", ".join(dict.fromkeys(card.label for card in first.cards)),
        )
    of_tasks = [overviews(one, language) for one in questions]
    if arguments.format == "json":
        _write_json(of_tasks[0][0])
    elif arguments.format == "markdown":
        write("\n".join(map(overview_markdown, of_tasks)))
    else:
        write("\n".join(overview_text(answers, columns(_WIDEST)) for answers in of_tasks))
    models = [one for answers in of_tasks for answer in answers for one in answer.models]
    return 0 if any(one.verdict != "no" for one in models) else 1


def _page(named: str | None, configured: str | None) -> Page | None:
    """The page that is named, else the configuration's where it is there."""
    path = named or configured
    if path is None or (named is None and not Path(path).is_file()):
        return None
    from bot.table.page import read_page

    page = read_page(page_text(Path(path)), path)
    if named and not page.sections:
        raise UserError(
            "{page} holds no table of rows; --page names the page that does.", page=path
        )
    return page


def _write(answer: RecommendAnswer, place: str, choice: int | None) -> Path:
    """Write a prediction's script, never over a file that is there; returns where.

    A folder gets the name of the convention. One that ends with a slash is made, with the folder
    of the model's size in it.
    """
    scripts = answer.scripts
    rank = answer.first if choice is None else choice
    if rank is None:
        raise UserError(
            "Nothing fits for certain, so no script is written of itself; --choice {rank} "
            "writes the one that may fit.",
            rank=min(scripts),
        )
    if rank not in scripts:
        raise UserError(
            "{rank} is no prediction; --choice takes one from {min} to {max}. A published row "
            "has its script already.",
            rank=rank,
            min=min(scripts),
            max=max(scripts),
        )
    name, content = scripts[rank]
    path = Path(place)
    if place.endswith("/"):
        from bot.script.name import model_size

        size = model_size(name.partition("_")[0])
        if size is not None and model_size(path.name) is None:
            path /= size
        make_folder(path)
    target = path / name if path.is_dir() else path
    write_new_file(target, content.encode(), mode=0o755)
    return target
