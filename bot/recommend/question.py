"""A question as people ask it, in any order and part: `2x4090 Qwen3-8B grpo lora 1k+2k`.

Pure: what is not known gets a sentence that names the nearest known word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.base.device_words import ROUNDING, with_memory
from bot.base.devices import Device, by_token
from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.recommend.asides import without_asides
from bot.recommend.cards import nearest_in_memory
from bot.recommend.model_names import (
    base_of,
    is_size,
    likely_model,
    longest_known,
    model,
    with_its_size,
)
from bot.recommend.question_words import words_of
from bot.recommend.refusals import not_one_model, of_laptop, refuse_known
from bot.recommend.request import MOST_GPUS, ONLINE, TASKS
from bot.recommend.sorted_words import SortedWords, says_what_is_not_wanted, sort_words
from bot.recommend.vocabulary import TASK_WORDS, VARIANTS, is_known, is_plain, nearest

_MOST_WORDS = 7
"""Words that can be one model's name: mistral small 3.2 24b instruct 2506."""
_IN_LAPTOPS = regex(r"NVIDIA (?:GeForce )?RTX (?!PRO 6000)")
"""Cards of whose name there is one in laptops, with less memory."""
_VAGUE = frozenset({"large", "small", "medium", "tiny", "mini", "base", "max", "long", *VARIANTS})
"""Words of models' names that are words of their own where no name has them."""
_HALF = ("fp16", "float16", "half")
"""What a card without bf16 trains in."""
_MOST_LENGTH = 1000
"""Characters of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    """What a question names; None and empty for what it leaves open."""

    cards: tuple[Device, ...] = ()
    gpus: int | None = None
    model: str | None = None
    """A name that `find` knows, or the path of a folder with a config.json."""
    is_card_taken: bool = False
    """Whether the card is the commonest of its memory, since none is named."""
    is_model_taken: bool = False
    """Whether the model is the likeliest of its size, since none is named."""
    base: str | None = None
    """The known model that a further training was made from, whose shape it has."""
    left_out: tuple[str, ...] = ()
    """Words that nothing is known of."""
    unwanted: tuple[str, ...] = ()
    """Methods that are not to be answered for."""
    asides: tuple[str, ...] = ()
    """Sentences about what it says that changes no answer."""
    task: str | None = None
    method: str | None = None
    framework: str | None = None
    prompt: int | None = None
    response: int | None = None
    """Tokens; of a single length, all of a sample's or the response's."""
    batch: int | None = None
    rank: int | None = None
    ram: int | None = None
    """GB of each host."""
    asks_longest: bool = False
    """Whether it asks for the longest lengths."""


def _no_folder(_path: str) -> bool:
    return False


def parse_question(
    arguments: Sequence[str], is_model_folder: Callable[[str], bool] = _no_folder
) -> ParsedQuestion:
    """What the arguments ask; raises UserError with a sentence for what is unknown or doubled."""
    parts = SortedWords()
    if sum(map(len, arguments)) > _MOST_LENGTH:
        raise UserError("The question is too long: name cards, a model, a task, lengths.")
    words = []
    for argument in arguments:
        if is_model_folder(argument):
            parts.add("folder", argument)
        else:
            words.append(argument)
    pieces: list[str] = []
    for word in words_of(" ".join(words)):
        between = word.split("/")
        pieces += between if all(map(is_known, between)) else [word]
    sort_words(pieces, is_model_folder, parts)
    if not all(one.has_bf16 for group in parts.cards for one in group):
        parts.rest = [word for word in parts.rest if word.lower() not in _HALF]
    parts.rest, asides = without_asides(parts.rest)
    refuse_known(parts.rest, has_cards=bool(parts.cards))
    parts.left_out += [word for word in parts.rest if "=" in word]
    parts.rest = [word for word in parts.rest if "=" not in word]
    _leave_out_what_is_not_wanted(parts)
    question = ParsedQuestion(
        cards=_cards(parts),
        is_card_taken=bool(parts.memory and not parts.cards),
        task=_task(parts),
        method=_method(parts),
        framework=_single(parts, "framework"),
        batch=_integer(_single(parts, "batch")),
        rank=_integer(_single(parts, "rank")),
        ram=_integer(_single(parts, "ram")),
        left_out=tuple(parts.left_out),
        unwanted=tuple(parts.values.get("unwanted", ())),
        asides=tuple(asides),
        asks_longest="longest" in parts.values,
    )
    prompt, response = _lengths(parts)
    question = _with_model(replace(question, prompt=prompt, response=response), parts)
    return replace(question, gpus=_gpus(parts))  # Last: a word that is unknown says more.


def _leave_out_what_is_not_wanted(parts: SortedWords) -> None:
    """A task that is not wanted says nothing beside one that is; another framework is taken."""
    for words in parts.values.get("not framework", ()):
        word = words.partition(" ")[2]
        task = next(iter(parts.values.get("task", ["grpo"])))
        others = [name for name, tasks in TASKS.items() if name != word and task in tasks]
        if "framework" not in parts.values and others:
            parts.add("framework", others[0])
    for words in parts.values.get("not card", ()):
        no, _, word = words.partition(" ")
        if not parts.cards:
            raise says_what_is_not_wanted(no, word)
        parts.left_out.append(words)
    for words in parts.values.get("not task", ()):
        no, _, word = words.partition(" ")
        if set(parts.values.get("task", ())) <= {TASK_WORDS[word]}:
            raise says_what_is_not_wanted(no, word)
        parts.left_out.append(words)


def _share_out_context(parts: SortedWords) -> None:
    """What a context leaves beside a prompt is the response's, and the other way round.

    By itself it is a single length, and of samples it is their length.
    """
    context = _integer(_single(parts, "context"))
    if context is None:
        return
    prompt, response = (_integer(_single(parts, kind)) for kind in ("prompt", "response"))
    tasks = set(parts.values.get("task", ())) or ({"sft"} if "tuning" in parts.values else set())
    if prompt is None and response is None:
        parts.add("lengths", str(context))
    elif tasks and not tasks & ONLINE:
        parts.values["response"] = [str(context)]
    elif response is None and prompt is not None and context > prompt:
        parts.add("response", str(context - prompt))
    elif prompt is None and response is not None and context > response:
        parts.add("prompt", str(context - response))


def _lengths(parts: SortedWords) -> tuple[int | None, int | None]:
    """The longest prompt and response, of `1k+2k` or by their names."""
    _share_out_context(parts)
    if lengths := _single(parts, "lengths"):
        prompt, _, response = lengths.rpartition("+")
        parts.add("response", response)
        if prompt:
            parts.add("prompt", prompt)
    return _integer(_single(parts, "prompt")), _integer(_single(parts, "response"))


def _integer(text: str | None) -> int | None:
    return None if text is None else int(text)


def _single(parts: SortedWords, kind: str) -> str | None:
    """The one value of a kind; None without one."""
    values = parts.values.get(kind, [])
    if len(values) > 1:
        raise UserError(
            "The question names {values}: one of them, please.", values=", ".join(sorted(values))
        )
    return values[0] if values else None


def _task(parts: SortedWords) -> str | None:
    """The task that is named.

    Beside PPO a reward model is none of its own. Fine-tuning is one where no other is named, and
    where the question does not speak of reinforcement learning.
    """
    if sorted(parts.values.get("task", ())) == ["ppo", "rm"]:
        parts.values["task"] = ["ppo"]
        parts.left_out.append("rm")
    tuned = "tuning" in parts.values and "rl" not in parts.values
    return _single(parts, "task") or ("sft" if tuned else None)


def _method(parts: SortedWords) -> str | None:
    """The method that is named, or that a rank is of; None for full and LoRA: both are answered."""
    named = set(parts.values.get("method", ()))
    if named == {"full", "lora"}:
        return None
    if named == {"lora", "qlora"} and "of 4 bits" in parts.values:
        return "qlora"
    return _single(parts, "method") or ("lora" if parts.values.get("rank") else None)


def _gpus(parts: SortedWords) -> int | None:
    """GPUs over all nodes: up to eight that are named beside nodes are those of each node."""
    nodes = _integer(_single(parts, "nodes"))
    count = _single_count(parts.counts)
    if nodes is None:
        return count
    each = 8 if count is None else count
    return _single_count([each if each > 8 and each % nodes == 0 else nodes * each])


def _single_count(counts: Sequence[int]) -> int | None:
    different = sorted(set(counts))
    if len(different) > 1:
        raise UserError(
            "{numbers} are several numbers of GPUs: name one, and ask about each kind of card "
            "by itself. Lengths are written 1k+2k, a batch batch=128.",
            numbers=", ".join(map(str, different)),
        )
    if different and not 1 <= different[0] <= MOST_GPUS:
        raise UserError(
            "{number} is no number of GPUs from 1 to {most}.", number=different[0], most=MOST_GPUS
        )
    return different[0] if different else None


def _cards(parts: SortedWords) -> tuple[Device, ...]:
    """Each kind of card once; memory decides between those of one name."""
    if "laptop" in parts.values:
        mobile = [_of_laptop(group[0], sized=bool(parts.memory)) for group in parts.cards]
        parts.cards = [(card,) for card in mobile if card is not None]
    _share_out_total(parts)
    if not parts.memory:
        chosen = {group[0].token: group[0] for group in parts.cards}
        return tuple(chosen[token] for token in sorted(chosen))
    (gib, *others) = dict.fromkeys(parts.memory)
    if not others and not parts.cards:
        return (_card_with(gib),)
    if others:
        raise UserError(
            "The question names {values}: one of them, please.",
            values=", ".join(f"{one} GB" for one in (gib, *others)),
        )
    each = [
        with_memory(group, gib) or _of_so_much_together(group, gib, parts.counts)
        for group in parts.cards
    ]
    if not any(each):
        group = parts.cards[0]
        known = sorted({round(device.memory_gib) for device in group})
        raise UserError(
            "There is no {label} with {gib} GB here: it has {known} GB.",
            label=group[0].label,
            gib=gib,
            known=", ".join(map(str, known)),
        )
    # Of several cards the memory is that of one: A100 40GB or 4090.
    sized = {
        (fitting or group)[0].token: (fitting or group)[0]
        for group, fitting in zip(parts.cards, each, strict=True)
    }
    return tuple(sized[token] for token in sorted(sized))


def _share_out_total(parts: SortedWords) -> None:
    """The memory of all GPUs together is that of each as often as there are GPUs, one if none say.

    Beside a card it says nothing that the card does not.
    """
    total = _integer(_single(parts, "total"))
    if total is None:
        return
    if parts.cards:
        parts.left_out.append(f"{total}GB total")
        return
    count = _single_count(parts.counts) or 1
    parts.counts = [count]
    parts.memory.append(total // count)


def _of_laptop(card: Device, *, sized: bool) -> Device | None:
    """The card as laptops have it; None for one that is not known where its memory is named.

    Raises UserError where it is not.
    """
    if not _IN_LAPTOPS.match(card.reported_name) or "laptop" in card.token:
        return card  # A laptop that reaches the cards of a data center.
    known = by_token(f"{card.token}laptop")
    if not known and not sized:
        raise of_laptop(card)
    return known[0] if known else None


def _of_so_much_together(
    group: tuple[Device, ...], gib: int, counts: Sequence[int]
) -> tuple[Device, ...]:
    """Those of the devices of which as many as are named have so much: 96 GB of 4 × 3090."""
    count = counts[0] if counts else 1
    return tuple(one for one in group if abs(count * one.memory_gib - gib) <= ROUNDING * gib)


def _card_with(gib: int) -> Device:
    """The commonest card with so much memory; raises UserError where there is none."""
    near = nearest_in_memory(gib)
    if abs(near[0].memory_gib - gib) <= ROUNDING * gib:
        return near[0]
    raise UserError(
        "No card with {gib} GB is known here: the nearest are {near}, with {known} GB.",
        gib=gib,
        near=", ".join(device.label for device in near),
        known=round(near[0].memory_gib),
    )


def _with_model_beside(
    question: ParsedQuestion, run: tuple[str, ...], others: list[str], parts: SortedWords
) -> ParsedQuestion:
    """The question with the model of a run of words; raises UserError where others name one too.

    So it does for a word that is nearly a known one: lroa.
    """
    sizes = [word for word in run if is_size(word)]
    if any(map(is_size, others)) or (
        not {*map(str.lower, others)} & VARIANTS and likely_model([*others, *sizes]) is not None
    ):
        raise UserError(
            "The question names {values}: one of them, please.",
            values=f"{' '.join(run)}, {' '.join(others)}",
        )
    close = [word for word in others if nearest(word) is not None]
    if close:
        raise not_one_model(close[:1])
    return _with_model(
        replace(question, left_out=(*question.left_out, *others)), replace(parts, rest=list(run))
    )


def _with_model(question: ParsedQuestion, parts: SortedWords) -> ParsedQuestion:
    """The question with its model; raises UserError for words that nothing is known of."""
    folder = _single(parts, "folder")
    if folder is not None:
        if parts.rest:
            raise not_one_model(parts.rest[:1])
        return replace(question, model=folder)
    rest = list(dict.fromkeys(parts.rest))
    plain = [word for word in rest if is_plain(word) and word.lower() not in {*VARIANTS, "it"}]
    if len(plain) < len(rest) or question.cards:
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
    vague = [word for word in rest if word.lower() in _VAGUE]
    if found is None and vague:
        parts.rest = [word for word in rest if word not in vague]
        left_out = (*question.left_out, *vague)
        return _with_model(replace(question, left_out=left_out), parts)
    if found is None:
        raise not_one_model([word for word in parts.rest if word in rest])
    return replace(question, model=found, base=base_of(found))
