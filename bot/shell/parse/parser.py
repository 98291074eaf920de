"""Scripts: lists of commands, pipelines, `&&` and `||`, and the parsers of what stands in them."""

from __future__ import annotations

from bot.base.messages import message
from bot.base.regex import regex
from bot.shell.limits import LimitReached, ShellLimits
from bot.shell.parse.compound_parser import CompoundParser
from bot.shell.parse.cursor import Cursor, SyntaxFault
from bot.shell.parse.places import Places
from bot.shell.parse.redirect_parser import RedirectParser
from bot.shell.parse.simple_parser import SimpleParser
from bot.shell.parse.substitution_parser import SubstitutionParser
from bot.shell.parse.syntax import AndOr, CommandNode, Item, Pipeline, Script, Simple
from bot.shell.parse.word_parser import WordParser
from bot.shell.source import Span
from bot.shell.words import Problem

_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "]]"})
_TIME = regex(r"[ \t]+-p(?=[ \t\n]|\Z)")


class ScriptParser:
    """Reads scripts, by recursive descent."""

    def __init__(self, text: str, limits: ShellLimits, places: Places, base: int = 0) -> None:
        """Takes where the text starts in the coordinates of `places`."""
        self._places = places
        self.cursor = Cursor(text, limits)
        words = WordParser(self.cursor, SubstitutionParser(self.cursor, self, places, base))
        redirects = RedirectParser(self.cursor, words)
        self._compounds = CompoundParser(self.cursor, words, redirects, self)
        self._simple = SimpleParser(self.cursor, words, redirects, self._compounds)

    def lines(self) -> tuple[list[Script], list[Problem]]:
        """The complete lines of the text, in order, up to the first thing bash would refuse.

        Bash reads and runs a script line by line, a compound command counting as one line, so
        what stands before a syntax error runs all the same.
        """
        cursor = self.cursor
        lines: list[Script] = []
        problems: list[Problem] = []
        try:
            while True:
                cursor.newlines()
                if cursor.at >= cursor.end:
                    break
                lines.append(self._line())
        except SyntaxFault as fault:
            problems.append(Problem("syntax", fault.message, Span(fault.start, fault.end)))
        except LimitReached as reached:
            problems.append(reached.problem(message("the script is read up to here")))
        return lines, problems

    def _line(self) -> Script:
        """One line: commands up to the line end."""
        cursor = self.cursor
        start = cursor.at
        items: list[Item] = []
        while True:
            items.append(self._item())
            cursor.blanks()
            if cursor.at >= cursor.end or cursor.text[cursor.at] == "\n":
                break
        end = cursor.at
        if cursor.at < cursor.end:
            cursor.newline()
        for item in items:
            self._notice(item.command)
        return Script(start, end, items)

    def _notice(self, command: CommandNode) -> None:
        """Takes note of `shopt -s extglob`, which changes how the following lines are read."""
        text = self.cursor.text
        if isinstance(command, Simple) and command.words:
            first = command.words[0]
            if text.startswith("shopt", first.start) and first.end - first.start == len("shopt"):
                words = [text[word.start : word.end] for word in command.words]
                if "extglob" in words:
                    self.cursor.extglob = "-s" in words

    def nested(self, text: str, base: int) -> Script:
        """Another text, which starts at `base`, as a script of its own."""
        cursor = self.cursor
        parser = ScriptParser(text, cursor.limits, self._places, base)
        inner = parser.cursor
        inner.depth, inner.parts, inner.extglob = cursor.depth, cursor.parts, cursor.extglob
        try:
            body = parser.script()
        except SyntaxFault as fault:
            cursor.fail(fault.message)
        except LimitReached as reached:
            at = Span(cursor.at, cursor.at + 1)
            raise LimitReached(reached.bound, cursor.limits, at) from None
        cursor.parts = inner.parts
        return body

    def script(self) -> Script:
        """A list of commands up to a closing token, which is left to the caller."""
        cursor = self.cursor
        cursor.newlines()
        start = cursor.at
        items: list[Item] = []
        while cursor.at < cursor.end and not self._closes():
            items.append(self._item())
            cursor.newlines()
        return Script(start, cursor.at, items)

    def _closes(self) -> bool:
        """True when a token comes next that no command starts with."""
        text, at = self.cursor.text, self.cursor.at
        if text[at] == ")" or text.startswith((";;", ";&"), at):
            return True
        return self.cursor.keyword() in _CLOSING

    def _item(self) -> Item:
        """A list entry with the `;` or `&` behind it."""
        cursor = self.cursor
        command = self._and_or()
        cursor.blanks()
        text = cursor.text
        at = cursor.at
        if at < cursor.end and text[at] == "&":
            cursor.at += 1
            return Item(command, True)
        if at < cursor.end and text[at] == ";" and text[at + 1 : at + 2] not in (";", "&"):
            cursor.at += 1
        elif at < cursor.end and text[at] != "\n" and text[at] != ")" and not cursor.peek(";"):
            cursor.unexpected()
        return Item(command)

    def _and_or(self) -> CommandNode:
        cursor = self.cursor
        start = cursor.at
        first = self._pipeline()
        rest: list[tuple[str, CommandNode]] = []
        while True:
            cursor.blanks()
            operator = cursor.text[cursor.at : cursor.at + 2]
            if operator not in ("&&", "||") or cursor.at + 2 > cursor.end:
                break
            cursor.at += 2
            cursor.newlines()
            rest.append((operator, self._pipeline()))
        if not rest:
            return first
        return AndOr(start, rest[-1][1].end, first, rest)

    def _pipeline(self) -> CommandNode:
        cursor = self.cursor
        start = cursor.at
        prefixed, negated = self._pipeline_prefix()
        cursor.blanks()
        if prefixed and (cursor.at >= cursor.end or cursor.text[cursor.at] in "\n;&"):
            return Simple(start, cursor.at, [], [], [])
        commands = [self.command()]
        while True:
            cursor.blanks()
            if not cursor.peek("|") or cursor.peek("||"):
                break
            cursor.at += 2 if cursor.peek("|&") else 1
            cursor.newlines()
            commands.append(self.command())
        if len(commands) == 1 and not negated:
            return commands[0]
        return Pipeline(start, commands[-1].end, commands, negated)

    def _pipeline_prefix(self) -> tuple[bool, bool]:
        """Steps over `!` and `time`: whether the pipeline is timed or negated, and negated."""
        cursor = self.cursor
        negated = timed = False
        while True:
            cursor.blanks()
            if cursor.peek("!") and cursor.keyword() == "!":
                cursor.at += 1
                negated = not negated
            elif cursor.peek("time") and cursor.keyword() == "time":
                timed = True
                cursor.at += 4
                option = _TIME.match(cursor.text, cursor.at, cursor.end)
                if option:
                    cursor.at = option.end()
            else:
                return timed or negated, negated

    def command(self) -> CommandNode:
        """A simple, compound or function command."""
        cursor = self.cursor
        if cursor.at >= cursor.end:
            cursor.unexpected()
        character = cursor.text[cursor.at]
        if character in "iwufcs{[tdef!}]":
            keyword = cursor.keyword()
            if keyword and keyword != "in":
                return self._compounds.compound(keyword)
        elif character == "(":
            return self._compounds.parenthesis()
        return self._simple.simple()
