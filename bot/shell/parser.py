"""Commands: the grammar of bash above words, by recursive descent."""

from __future__ import annotations

import re

from bot.shell.compound_parser import CompoundParser
from bot.shell.lexer import SyntaxFault
from bot.shell.limits import LimitReached, Limits
from bot.shell.places import Places
from bot.shell.source import Span
from bot.shell.syntax import (
    AndOr,
    ArrayLiteral,
    Assignment,
    Command,
    Element,
    Function,
    Item,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Simple,
    WordNode,
)
from bot.shell.words import Problem

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\+?=|\[)")
_REDIRECT = re.compile(
    r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-?|<>|<&|&>>|&>|>>|>&|>\||<(?!\()|>(?!\())"
)
_KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc"
    r"|in|\{|\}|!|\[\[|\]\])(?=[\s;&|()<>]|\\\n|\Z)"
)
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "]]"})
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
_TIME = re.compile(r"[ \t]+-p(?=[ \t\n]|\Z)")


class Parser(CompoundParser):
    """Reads scripts."""

    def lines(self) -> tuple[list[Script], list[Problem]]:
        """The complete lines of the text, in order, up to the first thing bash would refuse.

        Bash reads and runs a script line by line, a compound command counting as one line, so
        what stands before a syntax error runs all the same.
        """
        lines: list[Script] = []
        problems: list[Problem] = []
        try:
            while True:
                self.newlines()
                if self.at >= self.end:
                    break
                line = self._line()
                lines.append(line)
        except SyntaxFault as fault:
            problems.append(Problem("syntax", fault.message, Span(fault.start, fault.end)))
        except LimitReached as reached:
            message = f"the script is read up to here: the bound {reached.bound}="
            message += f"{reached.limit} of the reader is reached"
            problems.append(Problem("limit", message, Span(reached.start, reached.end)))
        return lines, problems

    def _line(self) -> Script:
        """One line: commands up to the line end."""
        start = self.at
        items: list[Item] = []
        while True:
            items.append(self._item())
            self.blanks()
            if self.at >= self.end or self.text[self.at] == "\n":
                break
        end = self.at
        if self.at < self.end:
            self.newline()
        for item in items:
            self._notice(item.command)
        return Script(start, end, items)

    def _item(self) -> Item:
        """A list entry with the `;` or `&` behind it."""
        command = self._and_or()
        self.blanks()
        text = self.text
        at = self.at
        if at < self.end and text[at] == "&":
            self.at += 1
            return Item(command, True)
        if at < self.end and text[at] == ";" and text[at + 1 : at + 2] not in (";", "&"):
            self.at += 1
        elif at < self.end and text[at] != "\n" and text[at] != ")" and not self.peek(";"):
            self.unexpected()
        return Item(command)

    def nested(self, text: str, base: int) -> Script:
        """Parses another text, which starts at `base`, as a script of its own."""
        inner = Parser(text, self.limits, self.places, base)
        inner._depth = self._depth
        inner.parts = self.parts
        inner.extglob = self.extglob
        try:
            body = inner.script("")
        except SyntaxFault as fault:
            self.fail(fault.message)
        except LimitReached as reached:
            raise LimitReached(reached.bound, reached.limit, self.at, self.at + 1) from None
        self.parts = inner.parts
        return body

    def script(self, closing: str) -> Script:
        """A list of commands up to a closing token, which is left to the caller."""
        self.newlines()
        start = self.at
        items: list[Item] = []
        while self.at < self.end and not self._closes():
            items.append(self._item())
            self.newlines()
        return Script(start, self.at, items)

    def _closes(self) -> bool:
        """True when a token comes next that no command starts with."""
        text = self.text
        if text[self.at] == ")" or text.startswith(";;", self.at) or text.startswith(";&", self.at):
            return True
        return self.keyword() in _CLOSING

    def keyword(self) -> str:
        """The reserved word at the position, or ""."""
        found = _KEYWORD.match(self.text, self.at, self.end)
        return found.group() if found else ""

    def _and_or(self) -> Command:
        start = self.at
        first = self._pipeline()
        rest: list[tuple[str, Command]] = []
        while True:
            self.blanks()
            operator = self.text[self.at : self.at + 2]
            if operator not in ("&&", "||") or self.at + 2 > self.end:
                break
            self.at += 2
            self.newlines()
            rest.append((operator, self._pipeline()))
        if not rest:
            return first
        return AndOr(start, rest[-1][1].end, first, rest)

    def _pipeline(self) -> Command:
        start = self.at
        negated = False
        timed = False
        while True:
            self.blanks()
            if self.peek("!") and self.keyword() == "!":
                self.at += 1
                negated = not negated
            elif self.peek("time") and self.keyword() == "time":
                timed = True
                self.at += 4
                option = _TIME.match(self.text, self.at, self.end)
                if option:
                    self.at = option.end()
            else:
                break
        self.blanks()
        if (timed or negated) and (self.at >= self.end or self.text[self.at] in "\n;&"):
            return Simple(start, self.at, [], [], [])
        commands = [self.command()]
        while True:
            self.blanks()
            if not self.peek("|") or self.peek("||"):
                break
            self.at += 2 if self.peek("|&") else 1
            self.newlines()
            commands.append(self.command())
        if len(commands) == 1 and not negated:
            return commands[0]
        return Pipeline(start, commands[-1].end, commands, negated)

    def command(self) -> Command:
        """A simple, compound or function command."""
        if self.at >= self.end:
            self.unexpected()
        character = self.text[self.at]
        if character in "iwufcs{[tdef!}]":
            keyword = self.keyword()
            if keyword:
                return self._with_redirects(self.compound(keyword))
        elif character == "(":
            return self._with_redirects(self.parenthesis())
        return self.simple()

    def _with_redirects(self, command: Command) -> Command:
        if isinstance(command, Function):
            return command
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self._redirect()
            if redirect is None:
                break
            redirects.append(redirect)
        if not redirects:
            return command
        return Redirected(command.start, redirects[-1].end, command, redirects)

    def simple(self) -> Command:
        """A simple command, or a function definition `name() …`."""
        text = self.text
        start = self.at
        assignments: list[Assignment] = []
        words: list[WordNode | Assignment] = []
        redirects: list[Redirect] = []
        declaring = False
        end = start
        while self.at < self.end:
            character = text[self.at]
            if character in "<>&0123456789{":
                redirect = self._redirect()
                if redirect:
                    redirects.append(redirect)
                    self.blanks()
                    continue
            if character in "\n;&|)":
                break
            if character == "(":
                if len(words) == 1 and not assignments and isinstance(words[0], WordNode):
                    return self._named_function(start, words[0])
                self.unexpected()
            assignment = None
            if not words or declaring:
                found = _ASSIGNMENT.match(text, self.at, self.end)
                if found:
                    assignment = self._assignment(found)
            if assignment:
                if words:
                    words.append(assignment)
                else:
                    assignments.append(assignment)
            else:
                word = self.word()
                if word.end == word.start:
                    self.unexpected()
                if word.parts:
                    if not words or declaring:
                        name = text[word.start : word.end]
                        declaring = name in _DECLARING or (declaring and bool(words))
                        declaring = declaring or name in ("command", "builtin")
                    words.append(word)
            end = self.at
            self.blanks()
        if not (assignments or words or redirects):
            if self.at >= self.end and end == start < self.at:
                return Simple(start, self.at, [], [], [])
            self.unexpected()
        return Simple(start, max(end, start), assignments, words, redirects)

    # Assignments

    def _assignment(self, found: re.Match[str]) -> Assignment | None:
        start = self.at
        name_end = found.start(1)
        operator = found.group(1)
        index = None
        if operator == "[":
            close = self.bracket_end(found.end())
            if close < 0:
                return None
            if self.text.startswith("+=", close + 1):
                operator = "+="
            elif self.text.startswith("=", close + 1):
                operator = "="
            else:
                return None
            index = self.subscript(found.end(), close)
            self.at = close + 1 + len(operator)
        else:
            self.at = found.end()
        append = operator == "+="
        value: WordNode | ArrayLiteral
        value = self._array() if self.peek("(") and index is None else self.word()
        return Assignment(start, self.at, self.text[start:name_end], index, append, value)

    def _array(self) -> ArrayLiteral:
        start = self.at
        self.enter(start)
        self.at += 1
        elements: list[Element] = []
        while True:
            self.newlines()
            if self.at >= self.end:
                self.fail("this `(` is never closed", start)
            if self.peek(")"):
                break
            elements.append(self._element())
        self.at += 1
        self.leave()
        return ArrayLiteral(start, self.at, elements)

    def _element(self) -> Element:
        begin = self.at
        if self.peek("["):
            close = self.bracket_end(begin + 1)
            append = close >= 0 and self.text.startswith("+=", close + 1)
            if close >= 0 and (append or self.text.startswith("=", close + 1)):
                index = self.subscript(begin + 1, close)
                self.at = close + (3 if append else 2)
                return Element(self.word(), index, append)
        word = self.word()
        if word.end == word.start:
            self.unexpected()
        return Element(word)

    # Redirections

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.at, self.end)
        if not found:
            return None
        start = self.at
        operator = found.group(1)
        self.at = found.end()
        if self.at < self.end and self.text[self.at] in " \t\\":
            self.blanks()
        begin = self.at
        word = self.word()
        if word.end == word.start:
            self.unexpected()
        redirect = Redirect(start, self.at, operator, word)
        if operator in ("<<", "<<-"):
            raw = self.text[begin : self.at]
            quoted = any(character in raw for character in "'\"\\")
            delimiter = re.sub(r"['\"]|\\(.)", r"\1", raw, flags=re.DOTALL) if quoted else raw
            redirect.target = WordNode(self.at, self.at, [])
            self.await_document(redirect, delimiter, quoted, operator == "<<-")
        return redirect

    # Functions

    def _named_function(self, start: int, name: WordNode) -> Function:
        self.at += 1
        self.blanks()
        if not self.peek(")"):
            self.unexpected()
        self.at += 1
        return self.function_body(start, self.text[name.start : name.end])

    def function_body(self, start: int, name: str) -> Function:
        """The body of a function whose name and parentheses have been read."""
        self.newlines()
        self.enter(start)
        keyword = self.keyword()
        if self.peek("("):
            body = self._with_redirects(self.parenthesis())
        elif keyword:
            body = self._with_redirects(self.compound(keyword))
        else:
            self.unexpected()
        self.leave()
        return Function(start, self.at, name, body)

    def _notice(self, command: Command) -> None:
        """Takes note of `shopt -s extglob`, which changes how the following lines are read."""
        if isinstance(command, Simple) and command.words:
            words = [self.text[word.start : word.end] for word in command.words]
            if words[0] == "shopt" and "extglob" in words:
                self.extglob = "-s" in words


def parse(text: str, limits: Limits, places: Places) -> tuple[Parser, list[Script], list[Problem]]:
    """Parses a script: the parser (with the comments), its lines, and what is wrong with it."""
    parser = Parser(text, limits, places)
    lines, problems = parser.lines()
    return parser, lines, problems
