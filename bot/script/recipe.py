"""A YAML recipe, read as the command line that means the same, each word with its place.

`trl grpo --config recipe.yaml` takes the keys of the file for the defaults of its options
(`TrlParser.parse_args_and_config`), so that `learning_rate: 1e-6` is `--learning_rate 1e-6`. Two
keys are TRL's own affair: `env` and `config`.

The recipe of a program that OmegaConf configures (EasyR1's `python3 -m verl.trainer.main
config=x.yaml`) holds its settings in sections, which are the dotted keys of its command line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from bot.base.messages import message
from bot.base.regex import regex
from bot.base.yaml_size import MISFITS, NestingError, size_of
from bot.frameworks.python.structured import StructuredTable
from bot.frameworks.settings.option_table import UNLIMITED
from bot.frameworks.settings.releases import release, releases
from bot.shell.source import Source, Span
from bot.shell.words import Command, Comment, Hole, Piece, Problem, Reading, Word

if TYPE_CHECKING:
    import yaml

_LARGEST: Final = 1 << 18
"""Bytes of a recipe; the largest public ones have a few thousand."""
_DEEPEST, _VALUES = 20, 5_000
_OURS: Final = frozenset(("env", "config"))
_TRAINERS: Final = ("sft", "dpo", "grpo", "rloo", "kto", "reward")
_RECIPE: Final = regex(rb"(?m)^(?:model_name_or_path|worker)[ \t]*:")
"""What every recipe of TRL's, or of EasyR1's, says; accelerate's and DeepSpeed's files do not."""
_FOREIGN: Final = regex(
    rb"(?m)^(?:(?:finetuning_type|rlhf_type|train_type|defaults)[ \t]*:|#[ \t]*@package\b)"
)
"""What files of LLaMA-Factory's, ms-swift's and Hydra's say, which name a model as TRL's do."""
_VARIABLE: Final = regex(r"\$\{[A-Za-z_]\w{0,99}\}")
"""What `envsubst` puts a value for, of which the recipe is then a template."""
_COMMENT: Final = regex(r"(?m)^[ \t]*+(#[^\n]*)$")


class _RefusedError(Exception):
    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at


def read_recipe(
    data: bytes,
    path: str,
    own: Collection[str] = (),
    program: tuple[str, StructuredTable] | None = None,
) -> Reading:
    """The recipe as a reading with one command, `trl TRAINER --key value …`.

    Where it names no model, and has sections of the settings of a `program` of its repository (a
    module with its table), the command is `python3 -m MODULE section.key=value …`.

    `own` are keys of the repository's own classes of arguments: where the model is one, its recipes
    are not TRL's. The trainer is the one that has most of the other keys; of several, the one that
    the path names. What cannot be read is a
    problem of the reading. Never raises.
    """
    text = data.decode("utf-8-sig", "replace")
    source = Source(path, text)
    comments = comments_of(text)
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    try:
        if len(data) > _LARGEST:
            count = f"{_LARGEST:,}"
            raise _RefusedError(message("a recipe has at most {count} bytes", count=count), 0)
        every = _pairs(text)
        pairs = [pair for pair in every if pair[0].value not in (_OURS | set(own))]
        if any(key.value == "model_name_or_path" for key, _ in pairs):
            trainer = _trainer([key.value for key, _ in pairs], path)
            words = [word for pair in every if pair[0].value not in _OURS for word in _words(*pair)]
            commands = (implied_command(("trl", trainer), words, text),)
        elif program is not None and any(_section(key, program[1]) for key, _ in every):
            words = list(_dotted(every, program[1], ""))
            commands = (implied_command(("python3", "-m", program[0]), words, text),)
        elif any(key.value == "model_name_or_path" for key, _ in every):
            own_classes = message(
                "classes of the repository's own have the settings of this recipe"
            )
            problems = (_unread(own_classes),)
        else:
            none = message(
                "of YAML only the recipes of TRL are read, and this names no model; name the "
                "script that starts the training"
            )
            problems = (_unread(none),)
    except _RefusedError as refusal:
        at = min(refusal.at, len(text))
        problems = (Problem("syntax", str(refusal), Span(at, at)),)
    return Reading(source, commands, (), comments, problems)


def comments_of(text: str) -> tuple[Comment, ...]:
    """The comments that have a line of their own, in YAML as in Python."""
    found = _COMMENT.finditer(text)
    return tuple(Comment(one[1], Span(one.start(1), one.end(1))) for one in found)


def holds_recipe(data: bytes) -> bool:
    """Whether a YAML file looks like a recipe of a program whose settings are known."""
    return bool(_RECIPE.search(data)) and not _FOREIGN.search(data)


def recipe_words(
    data: bytes, own: Collection[str], table: StructuredTable | None
) -> tuple[Word, ...] | None:
    """What a recipe adds to the command that names it; None for one that cannot be read.

    `table` has the sections of a program that OmegaConf configures, None stands for TRL.
    """
    if len(data) > _LARGEST:
        return None
    try:
        pairs = _pairs(data.decode("utf-8-sig", "replace"))
        if table is not None:
            return tuple(_dotted(pairs, table, ""))
        kept = (pair for pair in pairs if pair[0].value not in (_OURS | set(own)))
        return tuple(word for key, value in kept for word in _words(key, value))
    except _RefusedError:
        return None


def _unread(text: str) -> Problem:
    return Problem("unsupported", text, Span(0, 0))


def _pairs(text: str) -> list[tuple[yaml.Node, yaml.Node]]:
    """The keys and values of a mapping. Raises _RefusedError for anything else."""
    import yaml

    try:
        root = yaml.SafeLoader(text).get_single_node()
        if root is not None and size_of(root, _DEEPEST) > _VALUES:
            raise _RefusedError(message("a recipe has at most {count} values", count=_VALUES), 0)
    except (NestingError, RecursionError):
        raise _RefusedError(message("the values nest too deeply"), 0) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or type(error).__name__
        text = message("this is not YAML: {problem}", problem=str(problem)[:200])
        raise _RefusedError(text, mark.index if mark else 0) from None
    if not isinstance(root, yaml.MappingNode):
        raise _RefusedError(message("a recipe is a mapping of settings"), 0)
    return _entries(root)


def _entries(root: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    import yaml

    for key, _ in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _RefusedError(message("a setting's name is a text"), key.start_mark.index)
    return list(root.value)


def _refuse_twice(entries: Sequence[tuple[yaml.Node, yaml.Node]]) -> None:
    """As OmegaConf's loader does; `yaml.safe_load`, which TRL uses, takes the last value."""
    seen: set[str] = set()
    for key, _ in entries:
        if key.value in seen:
            at = key.start_mark.index
            raise _RefusedError(message("{key} stands twice", key=key.value[:80]), at)
        seen.add(key.value)


def _words(key: yaml.Node, value: yaml.Node) -> Iterator[Word]:
    """`--key` and its values; nothing for null, but where it means that nothing is limited."""
    import yaml

    given = _plain(value)
    if given is None:
        if key.value in UNLIMITED:
            yield from (_word(f"--{key.value}", key), _word("none", value))
        return
    yield _word(f"--{key.value}", key)
    # `TrlParser` takes an empty list as a default; on a command line it would be refused.
    if given == [] or (isinstance(given, str) and _VARIABLE.search(given)):
        span = Span(value.start_mark.index, value.end_mark.index)
        yield Word((Piece(Hole("argument", str(given)), span, literal=False),), span)
    elif isinstance(value, yaml.SequenceNode) and all(
        not isinstance(x, (dict, list)) for x in given
    ):
        for node, item in zip(value.value, given, strict=True):
            yield _word(_text(item), node)
    else:
        yield _word(_text(given), value)


def _section(key: yaml.Node, table: StructuredTable) -> bool:
    found = table.get(key.value)
    return found is not None and found.type == "dict"


def _dotted(
    entries: Sequence[tuple[yaml.Node, yaml.Node]], table: StructuredTable, above: str
) -> Iterator[Word]:
    """`section.key=value` for each value below the sections that the table has."""
    import yaml

    _refuse_twice(entries)
    for key, value in entries:
        name = f"{above}{key.value}"
        found = table.get(name)
        inside = found is not None and found.type == "dict" and not found.free
        if inside and isinstance(value, yaml.MappingNode):
            yield from _dotted(_entries(value), table, f"{name}.")
            continue
        at = Span(key.start_mark.index, key.end_mark.index)
        span = Span(value.start_mark.index, value.end_mark.index)
        # Nothing behind `=` is a null to OmegaConf, `""` in a file is a text.
        empty = isinstance(value, yaml.ScalarNode) and value.style in ("'", '"')
        pieces = (
            Piece(f"{name}=", at, literal=False),
            Piece(_value_word(value) or ("''" if empty else ""), span, literal=False),
        )
        yield Word(pieces, Span(at.start, span.end))


def _value_word(value: yaml.Node) -> str:
    given = _plain(value)
    return "null" if given is None else _text(given)


def _plain(node: yaml.Node) -> Any:
    import yaml

    try:
        value = yaml.SafeLoader("").construct_document(node)
        _text(value)
    except (yaml.YAMLError, *MISFITS):
        shown = node.value[:80] if isinstance(node, yaml.ScalarNode) else node.tag
        text = message("this is no value of a recipe: {value}", value=shown)
        raise _RefusedError(text, node.start_mark.index) from None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _word(text: str, node: yaml.Node) -> Word:
    span = Span(node.start_mark.index, node.end_mark.index)
    return Word((Piece(text, span, literal=False),), span)


def _trainer(keys: Sequence[str], path: str) -> str:
    """The trainer that has most of the keys; of several the one that the path names."""
    newest = release("trl", releases("trl")[-1])
    parts = re.split(r"[^a-z0-9]+", path.lower())

    def rank(name: str) -> tuple[int, bool]:
        options = newest["roots"].get(newest["entries"].get(f"trl.scripts.{name}"), ())
        return sum(key in options for key in keys), name in parts

    return max(_TRAINERS, key=rank)


def implied_command(program: Sequence[str], words: Sequence[Word], text: str) -> Command:
    """The command that a file stands for: its program, which stands nowhere in the text."""
    return Command((*map(given_word, program), *words), Span(0, len(text)), {})


def given_word(text: str) -> Word:
    """A word that stands nowhere in the text."""
    start = Span(0, 0)
    return Word((Piece(text, start, literal=False),), start)
