"""Compound commands: `if`, loops, `case`, `(( ))`, groups, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, Protocol

from bot.base.fast_dataclass import dataclass
from bot.base.regex import regex
from bot.shell.parse.condition_parser import ConditionParser
from bot.shell.parse.cursor import Cursor
from bot.shell.parse.redirect_parser import RedirectParser
from bot.shell.parse.syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Clause,
    CommandNode,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Loop,
    Script,
    Subshell,
    WordNode,
)
from bot.shell.parse.word_parser import WordParser

_VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION = regex(r"[^\s;&|()<>'\"$`\\]+")


class CommandSource(Protocol):
    """Reads the commands inside compound commands."""

    def script(self) -> Script:
        """A list of commands up to a closing token, which is left to the caller."""
        ...

    def command(self) -> CommandNode:
        """One command."""
        ...


@dataclass(frozen=True, slots=True)
class _Opening:
    """What opens a compound command, and where."""

    start: int
    text: str


class CompoundParser:
    """Reads compound commands."""

    def __init__(
        self,
        cursor: Cursor,
        words: WordParser,
        redirects: RedirectParser,
        commands: CommandSource,
    ) -> None:
        self._cursor = cursor
        self._words = words
        self._redirects = redirects
        self._commands = commands
        self._conditions = ConditionParser(cursor, words)
        self._handlers: dict[str, Callable[[_Opening], CommandNode]] = {
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "{": self._group,
            "[[": lambda opening: self._conditions.conditional(opening.start),
            "function": self._function,
            "coproc": self._coprocess,
        }

    def compound(self, keyword: str) -> CommandNode:
        """The compound command that a reserved word opens, with its redirections."""
        cursor = self._cursor
        start = cursor.at
        handler = self._handlers.get(keyword)
        if handler is None:
            cursor.unexpected()
        cursor.enter(start)
        cursor.at += len(keyword)
        node = handler(_Opening(start, keyword))
        cursor.leave()
        return node if isinstance(node, Function) else self._redirects.behind(node)

    def parenthesis(self) -> CommandNode:
        """`(( … ))` or a subshell, with its redirections."""
        cursor = self._cursor
        start = cursor.at
        if cursor.peek("(("):
            close = cursor.arithmetic_end(start + 2)
            if close >= 0:
                expression = self._words.region(start + 2, close, arithmetic=True)
                cursor.at = close + 2
                return self._redirects.behind(ArithmeticCommand(start, cursor.at, expression))
        cursor.enter(start)
        cursor.at += 1
        body = self._closed(")", _Opening(start, "("))
        cursor.leave()
        return self._redirects.behind(Subshell(start, cursor.at, body))

    def _body(self, opening: _Opening) -> Script:
        """A list that may not be empty."""
        cursor = self._cursor
        body = self._commands.script()
        if not body.items:
            if cursor.at >= cursor.end:
                self._unclosed(opening)
            cursor.unexpected()
        return body

    def _unclosed(self, opening: _Opening, missing: str = "") -> NoReturn:
        end = opening.start + len(opening.text)
        self._cursor.unclosed(f"`{opening.text}`", opening.start, end, missing=missing)

    def _take(self, closing: str, opening: _Opening) -> None:
        """Steps over a closing token."""
        cursor = self._cursor
        if cursor.at >= cursor.end:
            self._unclosed(opening, closing)
        if closing != ")" and cursor.keyword() != closing:
            cursor.unexpected()
        cursor.take(closing)

    def _closed(self, closing: str, opening: _Opening) -> Script:
        """A list and the token that closes it."""
        body = self._body(opening)
        self._take(closing, opening)
        return body

    def _next_keyword(self) -> str:
        return self._cursor.keyword() if self._cursor.at < self._cursor.end else ""

    def _group(self, opening: _Opening) -> Group:
        body = self._closed("}", opening)
        return Group(opening.start, self._cursor.at, body)

    def _coprocess(self, opening: _Opening) -> Coprocess:
        self._cursor.blanks()
        inner = self._commands.command()
        return Coprocess(opening.start, self._cursor.at, inner)

    def _if(self, opening: _Opening) -> If:
        cursor = self._cursor
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        while True:
            condition = self._closed("then", opening)
            branches.append((condition, self._body(opening)))
            keyword = self._next_keyword()
            if keyword == "elif":
                cursor.at += 4
                continue
            if keyword == "else":
                cursor.at += 4
                otherwise = self._body(opening)
            self._take("fi", opening)
            return If(opening.start, cursor.at, branches, otherwise)

    # Loops

    def _loop(self, opening: _Opening) -> Loop:
        condition = self._closed("do", opening)
        body = self._closed("done", opening)
        return Loop(opening.start, self._cursor.at, condition, body, opening.text == "until")

    def _for(self, opening: _Opening) -> CommandNode:
        cursor = self._cursor
        cursor.blanks()
        if opening.text == "for" and cursor.peek("(("):
            return self._arithmetic_for(opening)
        found = _VARIABLE.match(cursor.text, cursor.at, cursor.end)
        if not found:
            cursor.unexpected()
        cursor.at = found.end()
        cursor.newlines()
        words: list[WordNode] | None = None
        if cursor.keyword() == "in":
            cursor.at += 2
            words = []
            cursor.blanks()
            while cursor.at < cursor.end and cursor.text[cursor.at] not in "\n;":
                words.append(self._words.required())
                cursor.blanks()
        body = self._loop_body(opening)
        select = opening.text == "select"
        return For(opening.start, cursor.at, found.group(), found.start(), words, body, select)

    def _loop_body(self, opening: _Opening) -> Script:
        cursor = self._cursor
        cursor.blanks()
        cursor.skip(";")
        cursor.newlines()
        keyword = self._next_keyword()
        closing = {"do": "done", "{": "}"}.get(keyword)
        if closing is None:
            self._take("do", opening)
            cursor.unexpected()
        cursor.at += len(keyword)
        return self._closed(closing, opening)

    def _arithmetic_for(self, opening: _Opening) -> ArithmeticFor:
        cursor = self._cursor
        start = cursor.at
        close = cursor.arithmetic_end(start + 2)
        if close < 0:
            cursor.unclosed("`((`", start, start + 2)
        bounds = [start + 1]
        depth = 0
        for at in range(start + 2, close):
            character = cursor.text[at]
            if character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
            elif character == ";" and depth == 0:
                bounds.append(at)
        if len(bounds) != 3:
            cursor.fail("`for ((` takes three expressions", start, close + 2)
        bounds.append(close)
        before, condition, after = (
            self._words.region(bounds[k] + 1, bounds[k + 1], arithmetic=True) for k in range(3)
        )
        cursor.at = close + 2
        body = self._loop_body(opening)
        return ArithmeticFor(opening.start, cursor.at, before, condition, after, body)

    # case

    def _case(self, opening: _Opening) -> Case:
        cursor = self._cursor
        cursor.blanks()
        word = self._words.required()
        cursor.newlines()
        if cursor.at >= cursor.end:
            self._unclosed(opening)
        if cursor.keyword() != "in":
            cursor.unexpected()
        cursor.at += 2
        clauses: list[Clause] = []
        while True:
            cursor.newlines()
            if cursor.at >= cursor.end:
                self._unclosed(opening, "esac")
            if cursor.keyword() == "esac":
                cursor.at += 4
                return Case(opening.start, cursor.at, word, clauses)
            clauses.append(self._clause())

    def _clause(self) -> Clause:
        cursor = self._cursor
        start = cursor.at
        cursor.skip("(")
        patterns: list[WordNode] = []
        while True:
            cursor.blanks()
            patterns.append(self._words.required())
            cursor.blanks()
            if not cursor.skip("|"):
                break
        cursor.take(")")
        end = cursor.at
        body = self._commands.script()
        ending = ";;"
        for operator in (";;&", ";;", ";&"):
            if cursor.skip(operator):
                ending = operator
                break
        else:
            if cursor.at < cursor.end and cursor.keyword() != "esac":
                cursor.unexpected()
        return Clause(start, end, patterns, body, ending)

    # Functions

    def _function(self, opening: _Opening) -> Function:
        cursor = self._cursor
        cursor.blanks()
        found = _FUNCTION.match(cursor.text, cursor.at, cursor.end)
        if not found:
            cursor.unexpected()
        cursor.at = found.end()
        cursor.blanks()
        if cursor.peek("("):
            return self.function(opening.start, found.group())
        return self._function_body(opening.start, found.group())

    def function(self, start: int, name: str) -> Function:
        """The function of a name that has been read, from its parenthesis."""
        cursor = self._cursor
        cursor.at += 1
        cursor.blanks()
        cursor.take(")")
        return self._function_body(start, name)

    def _function_body(self, start: int, name: str) -> Function:
        cursor = self._cursor
        cursor.newlines()
        cursor.enter(start)
        keyword = cursor.keyword()
        if cursor.peek("("):
            body = self.parenthesis()
        elif keyword:
            body = self.compound(keyword)
        else:
            cursor.unexpected()
        cursor.leave()
        return Function(start, cursor.at, name, body)
