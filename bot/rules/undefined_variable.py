"""RLB031: a setting takes its value from a variable that the script never sets."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from bot.base.fast_dataclass import dataclass
from bot.base.messages import enumeration, plural_message
from bot.base.regex import regex
from bot.base.spelling import slip
from bot.frameworks.plan import Plan
from bot.frameworks.settings.setting import Setting
from bot.report import Severity
from bot.rules._support.base import Example, Hit, Hits, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.rules._support.keys import is_own, shown
from bot.shell.source import Span
from bot.shell.words import Hole, Word

META = Meta(
    id="RLB031",
    severity="error",
    confidence="high",
    added_in="0.1.0",
    summary="A setting takes its value from a variable that the script never sets.",
    why=(
        "The variable is empty unless the caller happens to have it, so the setting is empty too, "
        "and nobody else can run the script."
    ),
    instead="Set the variable, mend its name, or give it a default: ${DATA_DIR:-data}.",
    limits=(
        "An error only for a name with lower-case letters: names in upper case are by custom the "
        "caller's (clusters set them), and are a note; a warning where the script sets a variable "
        "of nearly the same name and does not use it. After `source`, when the file that may set "
        "the variable cannot be read, there is only this warning. A default in the script "
        "settles it; one that needs the variable itself is a note, unless `set -u` stops there. "
        "So is a variable that the script sets only on a way that it does not take, one that a "
        "condition of the script asks for or that it prints, a part of the run's name, and one for "
        "a setting of verl that is off by default, or for one of the repository's own that is "
        "null: empty, it stays off. Silent where the script itself asks its caller for the "
        "variable, as `:?` does."
    ),
    source="https://www.gnu.org/software/bash/manual/bash.html#Shell-Parameter-Expansion",
    example=Example(
        bad=verl(
            "data.train_files=$data_path",
            before="gsm8k_train_path=data/gsm8k/train.parquet",
        ),
        good=verl(
            "data.train_files=$gsm8k_train_path",
            before="gsm8k_train_path=data/gsm8k/train.parquet",
        ),
    ),
)


_NAMED = 3
"""Settings that a finding names."""
_BASH_SETS = frozenset({"PWD", "HOME", "USER", "HOSTNAME"})
"""What is meant by the same name in small letters; `path` and `shell` may well be the script's."""
_LABELS = frozenset({"experiment_name", "project_name", "run_name", "wandb_run_name"})
"""Settings that only name the run."""
_CONDITION = regex(r"\[\s|\b(?:case|test)\s")
_NOUNSET = regex(r"(?m)^[^\S\n]*set\s.*?(?:-[a-z]*u|nounset)")
_SETS = regex(r"(?:^|[\s;&|({])(?:(\w+)\+?=|for\s+(\w+)\s+in\b)")
_LOOP = regex(r"for\s+\w+\s+in\b")
_PRINTS = regex(r"(?m)^[^\S\n]*(?:echo|printf)\b[^\n]*")
_USES = regex(r"(?:\$\{?|\s-v\s+)(\w+)")
"""Of `[[ -v NAME ]]` bash takes the name itself."""
_ASKS = (":?", "?", ":=}", "=}")
"""What follows a name where the script asks for it: `${X:?}`, and `${X:=}` before a check."""
_ENDS = frozenset(" \t\n;&|)")


class _Script:
    """What a script says of variables, looked for once."""

    def __init__(self, context: RuleContext, names: set[str]) -> None:
        self._context = context
        self.names = names

    def assigns(self, name: str) -> bool:
        """Whether the text sets a variable, also where the script does not go when it launches."""
        text = self._context.source.text
        may = f"{name}=" in text or f"{name}+=" in text or _LOOP.search(text)
        return bool(may) and name in self._assigned

    @cached_property
    def _assigned(self) -> frozenset[str]:
        text = self._context.source.text
        return frozenset(
            found[1] or found[2]
            for found in _SETS.finditer(text)
            if not self._in_comment(found.start())
            and not _within_quotes(text[text.rfind("\n", 0, found.start()) + 1 : found.start()])
            and not (found[1] and _is_itself(text, found.end(), found[1]))
        )

    def asks_for(self, name: str) -> bool:
        """Whether the script itself asks its caller for the variable."""
        text = self._context.source.text
        ends = _ends_of(text, f"${{{name}")
        return any(text.startswith(_ASKS, end) and not self._in_comment(end) for end in ends)

    def hands_on(self, name: str) -> bool:
        """Whether it sets it to itself, as in `export X=$X` or in a summary that it prints."""
        text, sign = self._context.source.text, f"{name}="
        for end in _ends_of(text, sign):
            before = text[end - len(sign) - 1 : end - len(sign)]
            within = before.isalnum() or before == "_"
            if not within and _is_itself(text, end, name):
                return True
        return False

    def _in_comment(self, at: int) -> bool:
        comments = self._context.reading.comments
        return any(comment.span.start <= at < comment.span.end for comment in comments)

    @cached_property
    def strict(self) -> bool:
        """Whether bash stops at a variable without a value (`set -u`)."""
        return _NOUNSET.search(self._context.source.text) is not None

    @cached_property
    def asked(self) -> frozenset[str]:
        """What conditions of the script ask for, which then may well be empty."""
        asked: set[str] = set()
        for line in self._context.source.text.splitlines():
            line = line.partition("#")[0]
            if condition := _CONDITION.search(line):
                before = {found[1] for found in _USES.finditer(line, 0, condition.end())}
                asked |= {found[1] for found in _USES.finditer(line)} - before
        return frozenset(asked)

    @cached_property
    def printed(self) -> frozenset[str]:
        """What the script tells its user the value of, who then has given it."""
        lines = (found[0] for found in _PRINTS.finditer(self._context.source.text))
        return frozenset(found[1] for line in lines for found in _USES.finditer(line))

    def near(self, name: str) -> str | None:
        """The name that is meant: one that is set, or that bash sets, in other letters; or near."""
        if name.upper() in _BASH_SETS:
            return name.upper()
        alike = [known for known in sorted(self.names) if known.upper() == name.upper()]
        near = alike or difflib.get_close_matches(name, sorted(self.names), n=1, cutoff=0.75)
        return near[0] if near else None

    def misspelt(self, name: str) -> bool:
        """Whether a variable that is set, and that nothing uses, is one letter away."""
        near = slip(name, self.names)
        text = self._context.source.text
        return near is not None and f"${near}" not in text and f"${{{near}" not in text

    @cached_property
    def elsewhere(self) -> bool:
        """Whether what the reader passes over may set a variable as well."""
        problems = self._context.reading.problems
        return any(problem.kind in ("limit", "unsupported") for problem in problems)


def _within_quotes(before: str) -> bool:
    """Whether what follows on a line is text: `echo "Please export DATA=…`."""
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _ends_of(text: str, part: str) -> Iterator[int]:
    """Where each occurrence of a part of a text ends."""
    at = text.find(part)
    while at >= 0:
        yield at + len(part)
        at = text.find(part, at + 1)


def _is_itself(text: str, at: int, name: str) -> bool:
    """Whether the value at a place is that of the same name: `$X`, `${X}`, with quotes or not."""
    value = text[at : at + len(name) + 6].removeprefix('"')
    form = f"${{{name}}}" if value.startswith("${") else f"${name}"
    return value.startswith(form) and value[len(form) :].removeprefix('"')[:1] in {"", *_ENDS}


@dataclass(frozen=True, slots=True)
class _Unset:
    """A variable where it stands, and what is said of it there."""

    name: str
    span: Span
    severity: Severity | None
    other_way: bool = False
    """True where the script sets it only on a way that the launch does not take."""


def check(context: RuleContext) -> Hits:
    """Holes that a variable without a value leaves in settings, one finding for each place."""
    script = _Script(context, {variable.name for variable in context.reading.variables})
    needing: dict[_Unset, list[str]] = {}
    for plan in context.plans:
        holed: dict[int, list[Word]] = {}
        for word in plan.launch.argv:
            if not word.complete:
                holed.setdefault(word.pieces[0].span.start, []).append(word)
        for setting in _concerned(plan.settings, holed) if holed else ():
            for hole, span, default in _unset(holed, setting):
                if not hole.name or hole.name in script.names:
                    continue
                judged = _judged(script, plan, setting, (hole, span, default))
                if judged is not None:
                    needing.setdefault(judged, []).append(shown(plan, setting.key))
    for unset, keys in needing.items():
        yield _hit(script, unset, list(dict.fromkeys(keys)))


def _judged(
    script: _Script, plan: Plan, setting: Setting, unset: tuple[Hole, Span, bool]
) -> _Unset | None:
    hole, span, default = unset
    name = hole.name or ""
    if hole.kind == "unsupported":  # a file that was not read may set it
        open_ = script.assigns(name) or not script.misspelt(name)
        return None if open_ else _Unset(name, span, "warning")
    if script.asks_for(name):
        return None
    if script.assigns(name):
        strict = script.strict and not default
        return _Unset(name, span, None if strict else "note", other_way=True)
    if script.hands_on(name):
        return _Unset(name, span, "note")
    certain = name != name.upper() and not script.elsewhere and (script.strict or not default)
    if certain and not script.strict:
        given = name in script.asked or name in script.printed
        certain = not (given or _starts_empty(plan, setting, hole))
    severity: Severity | None = None if certain else "note"
    if not certain and not default and script.misspelt(name):
        severity = "warning"
    return _Unset(name, span, severity)


def _concerned(
    settings: Iterable[Setting], holed: Mapping[int, Sequence[Word]]
) -> Iterator[Setting]:
    return (s for s in settings if not s.word.complete or s.value_span.start in holed)


def _starts_empty(plan: Plan, setting: Setting, hole: Hole) -> bool:
    """Whether an empty variable does no harm: in a name, or where empty is off, as by default."""
    written = f"${{?{hole.reason}}}"
    if setting.key.rsplit(".", 1)[-1] in _LABELS and setting.text != written:
        return True
    known = plan.table.get(setting.key) if plan.table is not None else None
    if plan.framework != "verl" or known is None or setting.text != written:
        return False
    off = known.default is False or known.default == ""
    return off or (known.default is None and is_own(plan, setting.key))


def _unset(
    holed: Mapping[int, Sequence[Word]], setting: Setting
) -> Iterator[tuple[Hole, Span, bool]]:
    """What a setting holds of variables that nothing sets, in its word and in an option's value.

    `holed` are the words of its launch that are not wholly known, by where they begin. All words of
    a script that another one starts begin at its call.
    """
    there = holed.get(setting.value_span.start, ())
    values = (w for w in there if w is not setting.word and w.text == setting.text)
    for word in (setting.word, *values):
        for piece in word.pieces:
            if isinstance(piece.text, Hole) and piece.text.kind in ("unset", "unsupported"):
                yield piece.text, piece.span, piece.default_of is not None


def _hit(script: _Script, unset: _Unset, keys: Sequence[str]) -> Hit:
    name, given = unset.name, enumeration(keys, _NAMED)
    if unset.other_way:
        text = plural_message(
            "{keys} needs the variable {name}, which the script sets only on a way that this "
            "launch does not take",
            "{keys} need the variable {name}, which the script sets only on a way that this "
            "launch does not take",
            len(keys),
            keys=given,
            name=name,
        )
        help_ = message("give it a value on each way, or a default: ${{{name}:-…}}", name=name)
    else:
        text = plural_message(
            "{keys} needs the variable {name}, which the script never sets",
            "{keys} need the variable {name}, which the script never sets",
            len(keys),
            keys=given,
            name=name,
        )
        help_ = message("set {name}, or give it a default: ${{{name}:-…}}", name=name)
        if (near := script.near(name)) is not None:
            help_ = message("did you mean ${near}?", near=near)
    return Hit(message=text, span=unset.span, severity=unset.severity, help=help_)
