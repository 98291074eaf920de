"""Compound commands: `if`, loops, `case`, `[[ ]]`, `(( ))`, groups."""

from __future__ import annotations

import re

from bot.shell.braced_parser import BracedParser
from bot.shell.syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Clause,
    Command,
    Condition,
    Conditional,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Logic,
    Loop,
    Script,
    Subshell,
    Test,
    WordNode,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION = re.compile(r"[^\s;&|()<>'\"$`\\]+")
_UNARY = re.compile(r"-[a-hknoprstuvwxzGLNORS](?=[ \t\n])")
_BINARY = re.compile(r"(==|=~|!=|=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))(?=[ \t\n\"'$])|<|>")
_WORD = re.compile(r"[A-Za-z]+")


class CompoundParser(BracedParser):
    """Reads compound commands."""

    def command(self) -> Command:
        """A command."""
        raise NotImplementedError

    def simple(self) -> Command:
        """A simple command."""
        raise NotImplementedError

    def keyword(self) -> str:
        """The reserved word at the position, or ""."""
        raise NotImplementedError

    def function_body(self, start: int, name: str) -> Function:
        """The body of a function."""
        raise NotImplementedError

    def compound(self, keyword: str) -> Command:
        """The compound command that a reserved word opens."""
        start = self.at
        self.enter(start)
        self.at += len(keyword)
        node: Command
        match keyword:
            case "if":
                node = self._if(start)
            case "while" | "until":
                condition = self._body("do", start, keyword)
                self._take("do", start, keyword)
                body = self._body("done", start, keyword)
                self._take("done", start, keyword)
                node = Loop(start, self.at, condition, body, keyword == "until")
            case "for" | "select":
                node = self._for(start, keyword)
            case "case":
                node = self._case(start)
            case "{":
                body = self._body("}", start, "{")
                self._take("}", start, "{")
                node = Group(start, self.at, body)
            case "[[":
                node = self._conditional(start)
            case "function":
                self.blanks()
                found = _FUNCTION.match(self.text, self.at, self.end)
                if not found:
                    self.unexpected()
                self.at = found.end()
                self.blanks()
                if self.peek("("):
                    self.at += 1
                    self.blanks()
                    if not self.peek(")"):
                        self.unexpected()
                    self.at += 1
                node = self.function_body(start, found.group())
            case "coproc":
                self.blanks()
                inner = self.command()
                node = Coprocess(start, self.at, inner)
            case "in":
                self.at = start
                node = self.simple()
            case _:
                self.at = start
                self.unexpected()
        self.leave()
        return node

    def parenthesis(self) -> Command:
        """`(( … ))` or a subshell."""
        start = self.at
        if self.peek("(("):
            close = self.arithmetic_end(start + 2)
            if close >= 0:
                expression = self.region(start + 2, close, arithmetic=True)
                self.at = close + 2
                return ArithmeticCommand(start, self.at, expression)
        self.enter(start)
        self.at += 1
        body = self._body(")", start, "(")
        self._take(")", start, "(")
        self.leave()
        return Subshell(start, self.at, body)

    def _body(self, closing: str, start: int, opening: str) -> Script:
        """A list that may not be empty."""
        body = self.script(closing)
        if not body.items:
            if self.at >= self.end:
                self.fail(f"this `{opening}` is never closed", start, start + len(opening))
            self.unexpected()
        return body

    def _take(self, closing: str, start: int, opening: str) -> None:
        if self.at >= self.end:
            message = f"this `{opening}` is never closed: `{closing}` is missing"
            self.fail(message, start, start + len(opening))
        if closing == ")":
            if not self.peek(")"):
                self.unexpected()
        elif self.keyword() != closing:
            self.unexpected()
        self.at += len(closing)

    def _if(self, start: int) -> If:
        branches: list[tuple[Script, Script]] = []
        otherwise = None
        while True:
            condition = self._body("then", start, "if")
            self._take("then", start, "if")
            branches.append((condition, self._body("fi", start, "if")))
            keyword = self.keyword() if self.at < self.end else ""
            if keyword == "elif":
                self.at += 4
                continue
            if keyword == "else":
                self.at += 4
                otherwise = self._body("fi", start, "if")
            self._take("fi", start, "if")
            return If(start, self.at, branches, otherwise)

    def _for(self, start: int, keyword: str) -> Command:
        self.blanks()
        if keyword == "for" and self.peek("(("):
            return self._arithmetic_for(start)
        found = _VARIABLE.match(self.text, self.at, self.end)
        if not found:
            self.unexpected()
        self.at = found.end()
        self.newlines()
        words: list[WordNode] | None = None
        if self.keyword() == "in":
            self.at += 2
            words = []
            self.blanks()
            while self.at < self.end and self.text[self.at] not in "\n;":
                word = self.word()
                if word.end == word.start:
                    self.unexpected()
                words.append(word)
                self.blanks()
        body = self._loop_body(start, keyword)
        name = found.group()
        return For(start, self.at, name, found.start(), words, body, keyword == "select")

    def _loop_body(self, start: int, keyword: str) -> Script:
        self.blanks()
        if self.peek(";"):
            self.at += 1
        self.newlines()
        opening = self.keyword() if self.at < self.end else ""
        closing = {"do": "done", "{": "}"}.get(opening)
        if closing is None:
            self._take("do", start, keyword)
            self.unexpected()
        self.at += len(opening)
        body = self._body(closing, start, keyword)
        self._take(closing, start, keyword)
        return body

    def _arithmetic_for(self, start: int) -> ArithmeticFor:
        opening = self.at
        close = self.arithmetic_end(opening + 2)
        if close < 0:
            self.fail("this `((` is never closed", opening, opening + 2)
        bounds = [opening + 1]
        depth = 0
        for at in range(opening + 2, close):
            character = self.text[at]
            if character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
            elif character == ";" and depth == 0:
                bounds.append(at)
        if len(bounds) != 3:
            self.fail("`for ((` takes three expressions", opening, close + 2)
        bounds.append(close)
        before, condition, after = (
            self.region(bounds[k] + 1, bounds[k + 1], arithmetic=True) for k in range(3)
        )
        self.at = close + 2
        body = self._loop_body(start, "for")
        return ArithmeticFor(start, self.at, before, condition, after, body)

    def _case(self, start: int) -> Case:
        self.blanks()
        word = self.word()
        if word.end == word.start:
            self.unexpected()
        self.newlines()
        if self.at >= self.end:
            self.fail("this `case` is never closed", start, start + 4)
        if self.keyword() != "in":
            self.unexpected()
        self.at += 2
        clauses: list[Clause] = []
        while True:
            self.newlines()
            if self.at >= self.end:
                self.fail("this `case` is never closed: `esac` is missing", start, start + 4)
            if self.keyword() == "esac":
                self.at += 4
                return Case(start, self.at, word, clauses)
            clauses.append(self._clause())

    def _clause(self) -> Clause:
        start = self.at
        if self.peek("("):
            self.at += 1
        patterns: list[WordNode] = []
        while True:
            self.blanks()
            patterns.append(self._pattern())
            self.blanks()
            if self.peek("|"):
                self.at += 1
                continue
            if not self.peek(")"):
                self.unexpected()
            self.at += 1
            break
        end = self.at
        body = self.script(";;")
        ending = ";;"
        for operator in (";;&", ";;", ";&"):
            if self.peek(operator):
                ending = operator
                self.at += len(operator)
                break
        else:
            if self.at < self.end and self.keyword() != "esac":
                self.unexpected()
        return Clause(start, end, patterns, body, ending)

    def _pattern(self) -> WordNode:
        word = self.word()
        if word.end == word.start:
            self.unexpected()
        return word

    # [[ ]]

    def _conditional(self, start: int) -> Conditional:
        condition = self._or(start)
        self.newlines()
        if self.at >= self.end:
            self.fail("this `[[` is never closed", start, start + 2)
        if not self.peek("]]"):
            self.unexpected()
        self.at += 2
        return Conditional(start, self.at, condition)

    def _or(self, start: int) -> Condition:
        operands = [self._and(start)]
        self.newlines()
        while self.peek("||"):
            self.at += 2
            operands.append(self._and(start))
            self.newlines()
        return operands[0] if len(operands) == 1 else Logic("||", operands)

    def _and(self, start: int) -> Condition:
        operands = [self._not(start)]
        self.newlines()
        while self.peek("&&"):
            self.at += 2
            operands.append(self._not(start))
            self.newlines()
        return operands[0] if len(operands) == 1 else Logic("&&", operands)

    def _not(self, start: int) -> Condition:
        self.newlines()
        negated = False
        while self.peek("!") and self.keyword() == "!":
            self.at += 1
            negated = not negated
            self.newlines()
        if self.peek("("):
            opening = self.at
            self.enter(opening)
            self.at += 1
            node = self._or(start)
            self.newlines()
            if not self.peek(")"):
                self.unexpected()
            self.at += 1
            self.leave()
        else:
            node = self._primary(start)
        return Logic("!", [node]) if negated else node

    def _primary(self, start: int) -> Condition:
        begin = self.at
        if self.at >= self.end:
            self.fail("this `[[` is never closed", start, start + 2)
        found = _UNARY.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
            self.newlines()
            if not (self.peek("]]") or _BINARY.match(self.text, self.at, self.end)):
                operand = self._operand()
                return Test(begin, self.at, found.group(), [operand])
            self.at = begin
        left = self._operand()
        self.newlines()
        found = _BINARY.match(self.text, self.at, self.end)
        if not found:
            return Test(begin, left.end, "", [left])
        self.at = found.end()
        self.newlines()
        operator = found.group()
        if operator == "=~":
            right = self.regex()
            if right.end == right.start:
                self.unexpected()
        else:
            kept, self.extglob = self.extglob, self.extglob or operator in ("==", "=", "!=")
            right = self._operand()
            self.extglob = kept
        return Test(begin, self.at, operator, [left, right])

    def _operand(self) -> WordNode:
        if self.peek("]]") and self.keyword() == "]]":
            self.unexpected()
        word = self.word()
        if word.end == word.start:
            self.unexpected()
        return word
