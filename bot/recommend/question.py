"""A question as people ask it, in any order and part: `2x4090 Qwen3-8B grpo lora 1k+2k`.

Pure: what is not known gets a sentence that names the nearest known word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import get_args

from bot.base.devices import Device
from bot.base.digits import is_digits
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, message
from bot.recommend.alternatives import alternatives
from bot.recommend.asides import without_asides
from bot.recommend.model_names import (
    base_of,
    is_size,
    likely_model,
    longest_known,
    model,
    of_family,
    with_its_size,
)
from bot.recommend.question_cards import QuestionCards, question_cards
from bot.recommend.question_words import words_of
from bot.recommend.refusals import not_one_model, one_of, refusals, refuse_known
from bot.recommend.request import NODE, ONLINE, PROMPT, TASKS, Method
from bot.recommend.sorted_words import (
    SortedWords,
    is_cards,
    says_what_is_not_wanted,
    sort_words,
)
from bot.recommend.vocabulary import TASK_WORDS, is_known, is_plain, kind_words, nearest

_MOST_WORDS = 7
"""Words that can be one model's name: mistral small 3.2 24b instruct 2506."""
_HALF = ("fp16", "float16", "half")
"""What a card without bf16 trains in."""
_MOST_LENGTH = 1000
"""Characters of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion(QuestionCards):
    """What a question names; None and empty for what it leaves open."""

    model: str | None = None
    """A name that `find` knows, or the path of a folder with a config.json."""
    is_model_taken: bool = False
    """Whether the model is the likeliest of its size, since none is named."""
    base: str | None = None
    """The known model that a further training was made from, whose shape it has."""
    unable: tuple[Device, ...] = ()
    """Cards of several for which no script is made; `asides` say why."""
    left_out: tuple[str, ...] = ()
    """Words that nothing is known of."""
    unwanted: tuple[str, ...] = ()
    """Methods that are not to be answered for."""
    asides: tuple[str, ...] = ()
    """Sentences about what it says that changes no answer."""
    task: str | None = None
    tasks: tuple[str, ...] = ()
    """Those that it asks about where they are several; `task` is None then."""
    method: str | None = None
    methods: tuple[str, ...] = ()
    """Those that it asks about where they are several; none for full and LoRA, which is usual."""
    framework: str | None = None
    prompt: int | None = None
    response: int | None = None
    """Tokens; of a single length, all of a sample's or the response's."""
    images: int | None = None
    """Tokens of a prompt (of a sample) that are of images."""
    batch: int | None = None
    rank: int | None = None
    ram: int | None = None
    """GB of each host."""
    may_offload: bool = True
    """Whether something may wait on the host."""
    node: int = NODE
    """GPUs of a whole node."""
    asks_longest: bool = False
    """Whether it asks for the longest lengths."""

    @property
    def of_each_task(self) -> tuple[ParsedQuestion, ...]:
        """The question with each of its tasks alone."""
        return tuple(replace(self, task=one, tasks=()) for one in self.tasks) or (self,)


def parse_question(
    arguments: Sequence[str], is_model_folder: Callable[[str], bool] = lambda _path: False
) -> ParsedQuestion:
    """What the arguments ask; raises UserError with a sentence for what is unknown or doubled."""
    return _question_of(_sorted(arguments, is_model_folder))


def parse_questions(
    arguments: Sequence[str], is_model_folder: Callable[[str], bool]
) -> tuple[ParsedQuestion, ...]:
    """As `parse_question`, for each of several models, frameworks or lengths to choose from."""
    parts = _sorted(arguments, is_model_folder)
    return tuple(map(_question_of, alternatives(parts)))


def _sorted(arguments: Sequence[str], is_model_folder: Callable[[str], bool]) -> SortedWords:
    """The words that an answer depends on; raises UserError for those that there is none for."""
    parts = SortedWords()
    if sum(map(len, arguments)) > _MOST_LENGTH:
        raise UserError("The question is too long: name cards, a model, a task, lengths.")
    folders = list(filter(is_model_folder, arguments))
    for folder in folders:
        parts.add("folder", folder)
    words = [argument for argument in arguments if argument not in folders]
    pieces = [piece for word in words_of(" ".join(words)) for piece in _apart(word)]
    sort_words(pieces, is_model_folder, parts)
    if parts.names_cards:
        parts.left_out += parts.values.get("passing", ())
    else:
        sort_words(parts.values.get("passing", ()), is_model_folder, parts)
    if not all(one.has_bf16 for group in parts.cards for one in group):
        parts.rest = [word for word in parts.rest if word.lower() not in _HALF]
    if "critic" in map(str.lower, pieces):
        parts.add("critic", "critic")
    parts.rest, asides = without_asides(parts.rest)
    unable = parts.values.get("unable", [])
    refuse_known(parts.rest, () if parts.cards else unable)
    parts.asides = [*asides, *dict.fromkeys(refusals(unable))]
    parts.left_out += [word for word in parts.rest if "=" in word]
    parts.rest = [word for word in parts.rest if "=" not in word]
    _leave_out_what_is_not_wanted(parts)
    if "total" in parts.values and parts.cards:
        parts.left_out.append(f"{parts.single('total')}GB total")
    return parts


def _question_of(parts: SortedWords) -> ParsedQuestion:
    tasks, methods = _tasks(parts), _methods(parts)
    if "no critic" in parts.values and "ppo" in tasks:
        raise UserError("PPO trains a critic here: ask about grpo or rloo, which have none.")
    question = ParsedQuestion(
        task=tasks[0] if len(tasks) == 1 else None,
        tasks=tasks if len(tasks) > 1 else (),
        method=methods[0] if len(methods) == 1 else None,
        methods=methods if len(methods) > 1 else (),
        framework=parts.single("framework"),
        images=parts.integer("images"),
        batch=parts.integer("batch"),
        rank=parts.integer("rank"),
        ram=parts.integer("ram"),
        left_out=tuple(parts.left_out),
        unwanted=tuple(parts.values.get("unwanted", ())),
        asides=tuple(parts.asides),
        may_offload="no offload" not in parts.values,
        asks_longest="longest" in parts.values,
    )
    prompt, response = _lengths(parts)
    question = replace(question, prompt=prompt, response=response)
    try:
        question = _with_model(question, parts)
    except UserError:
        if "critic" not in parts.values:
            raise
        raise UserError(
            "A critic of another size than the policy is no choice here: name one model."
        ) from None
    cards = question_cards(parts)  # Last: a word that is unknown says more.
    question = replace(question, **{one.name: getattr(cards, one.name) for one in fields(cards)})
    question = replace(question, node=_node(parts, question.gpus))
    vendors = dict.fromkeys(card.vendor for card in question.cards)
    if question.is_mixed and len(vendors) > 1:
        apart = message(
            "Cards of {vendors} train in no run together: each is answered for by itself.",
            vendors=enumeration(tuple(vendors)),
        )
        return replace(question, is_mixed=False, asides=(*question.asides, apart))
    return question


def _apart(word: str) -> list[str]:
    """The words that stand with a sign between them; of cards with `or` or `and` for the sign."""
    for sign, meant in (("/", "or"), ("+", "and")):
        between = word.split(sign)
        if len(between) > 1 and all(map(is_cards, between)):
            return f" {meant} ".join(between).split()
    between = word.split("/")
    if not all(map(is_known, between)):
        return [word]
    return " or ".join(between).split() if all(map(is_digits, between)) else between


def _node(parts: SortedWords, gpus: int | None) -> int:
    """GPUs of each node, where they are fewer than is usual: 2 nodes of 4."""
    each = {word.each for word in parts.hardware if word.each}
    nodes = {word.number for word in parts.hardware if word.kind == "nodes"}
    if not each and len(nodes) == 1 and gpus is not None and gpus % max(nodes) == 0:
        each = {gpus // max(nodes)}
    return max(each) if len(each) == 1 and max(each) < NODE else NODE


def _leave_out_what_is_not_wanted(parts: SortedWords) -> None:
    """A task that is not wanted says nothing beside one that is; another framework is taken."""
    for words in parts.values.get("not framework", ()):
        word = words.partition(" ")[2]
        task = next(iter(parts.values.get("task", ["grpo"])))
        others = [name for name, tasks in TASKS.items() if name != word and task in tasks]
        if "framework" not in parts.values and others:
            parts.add("framework", others[0])
    for words in (*parts.values.get("not card", ()), *parts.values.get("not task", ())):
        no, _, word = words.partition(" ")
        wanted = {*parts.values.get("task", ())} - {TASK_WORDS.get(word)}
        if not (wanted if word in TASK_WORDS else parts.cards):
            raise says_what_is_not_wanted(no, word)
        parts.left_out.append(words)


def _share_out_context(parts: SortedWords) -> None:
    """What a context leaves beside a prompt is the response's, and the other way round.

    By itself it is shared out as where the lengths are open; of samples it is their length.
    """
    context = parts.integer("context")
    if context is None:
        return
    prompt, response = (parts.integer(kind) for kind in ("prompt", "response"))
    tasks = set(parts.values.get("task", ())) or ({"sft"} if "tuning" in parts.values else set())
    if not tasks and "qlora" in parts.values.get("method", ()):
        tasks = {"sft"}
    if tasks and not tasks & ONLINE:
        parts.values["response"] = [str(context)]
    elif prompt is None and response is None:
        prompt = min(PROMPT, context // 2)
        parts.add("lengths", f"{prompt}+{context - prompt}")
    elif response is None and prompt is not None and context > prompt:
        parts.add("response", str(context - prompt))
    elif prompt is None and response is not None and context > response:
        parts.add("prompt", str(context - response))


def _lengths(parts: SortedWords) -> tuple[int | None, int | None]:
    """The longest prompt and response, of `1k+2k` or by their names."""
    _share_out_context(parts)
    if lengths := parts.single("lengths"):
        prompt, _, response = lengths.rpartition("+")
        parts.add("response", response)
        if prompt:
            parts.add("prompt", prompt)
    return parts.integer("prompt"), parts.integer("response")


def _tasks(parts: SortedWords) -> tuple[str, ...]:
    """The tasks that are named, in their order.

    Beside PPO a reward model is none of its own. Fine-tuning is one where no other is named, and
    where the question does not speak of reinforcement learning.
    """
    if sorted(parts.values.get("task", ())) == ["ppo", "rm"]:
        parts.values["task"] = ["ppo"]
        parts.left_out.append("rm")
    tuned = "tuning" in parts.values and "rl" not in parts.values
    return tuple(parts.values.get("task", ["sft"] if tuned else []))


def _methods(parts: SortedWords) -> tuple[str, ...]:
    """The methods that are named, or that a rank is of; none for full and LoRA, as without any."""
    named = set(parts.values.get("method", ["lora"] if parts.values.get("rank") else []))
    if named == {"lora", "qlora"} and "of 4 bits" in parts.values:
        return ("qlora",)
    return (
        () if named == {"full", "lora"} else tuple(one for one in get_args(Method) if one in named)
    )


def _with_model_beside(
    question: ParsedQuestion, run: tuple[str, ...], others: list[str], parts: SortedWords
) -> ParsedQuestion:
    """The question with the model of a run of words; raises UserError where others name one too.

    So it does for a word that is nearly a known one: lroa.
    """
    sizes = [word for word in run if is_size(word)]
    if any(map(is_size, others)) or (
        not {*map(str.lower, others)} & kind_words("variant")
        and likely_model([*others, *sizes]) is not None
    ):
        raise one_of(f"{' '.join(run)}, {' '.join(others)}")
    close = [word for word in others if nearest(word) is not None]
    if close:
        raise not_one_model(close[:1])
    return _with_model(
        replace(question, left_out=(*question.left_out, *others)), replace(parts, rest=list(run))
    )


def _is_vague(word: str, parts: SortedWords) -> bool:
    """Whether a word names no model: large, or Qwen where its largest is asked for."""
    asks_largest = "largest" in parts.values and parts.names_cards
    return word.lower() in kind_words("vague") or (asks_largest and bool(of_family(word)))


def _with_model(question: ParsedQuestion, parts: SortedWords) -> ParsedQuestion:
    """The question with its model; raises UserError for words that nothing is known of."""
    folder = parts.single("folder")
    if folder is not None:
        if parts.rest:
            raise not_one_model(parts.rest[:1])
        return replace(question, model=folder)
    rest = list(dict.fromkeys(parts.rest))
    of_names = {*kind_words("variant"), "it"}
    plain = [word for word in rest if is_plain(word) and word.lower() not in of_names]
    if len(plain) < len(rest) or parts.names_cards:
        rest = [word for word in rest if word not in plain]
        question = replace(question, left_out=(*plain, *question.left_out))
    if not rest:
        return question
    found = model(tuple(rest)) if len(rest) <= _MOST_WORDS else None
    if found is None and 1 < len(rest) <= _MOST_WORDS:
        found = with_its_size(rest)
    if found is None and (likely := likely_model(rest)) is not None:
        return replace(question, model=likely, is_model_taken=True)
    run = longest_known(tuple(rest)) if found is None and len(rest) <= _MOST_WORDS else None
    if run is not None:
        return _with_model_beside(question, run, [word for word in rest if word not in run], parts)
    vague = [word for word in rest if _is_vague(word, parts)]
    if found is None and vague:
        parts.rest = [word for word in rest if word not in vague]
        left_out = (*question.left_out, *vague)
        return _with_model(replace(question, left_out=left_out), parts)
    if found is None:
        raise not_one_model([word for word in parts.rest if word in rest])
    return replace(question, model=found, base=base_of(found))
