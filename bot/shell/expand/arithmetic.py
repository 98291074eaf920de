"""Shell arithmetic: 64-bit integers, C's operators, names without `$`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn, Protocol, TypeAlias

from bot.base.digits import is_digits
from bot.base.regex import regex

_TOKEN = regex(
    r"\s*(?:([0-9]+#[0-9A-Za-z@_]+|0[xX][0-9A-Fa-f]*|[0-9]+[A-Za-z_]*)|([A-Za-z_][A-Za-z0-9_]*)"
    r"|(<<=|>>=|\*\*|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|[-+*/%<>=!~&^|?:,()\[\]]))"
)
_LEVELS: tuple[frozenset[str], ...] = tuple(
    frozenset(level.split())
    for level in ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
)
_ASSIGNING = frozenset(["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="])
_MAX_DEPTH = 30

_Tree: TypeAlias = tuple[object, ...]


class ArithmeticFault(Exception):  # noqa: N818 - bash's wording is "arithmetic syntax error"
    """Bash would refuse the expression."""


class ArithmeticLimit(Exception):  # noqa: N818 - a signal inside the reader
    """The expression is larger than the reader evaluates."""


class NumberStore(Protocol):
    """The variables that an expression reads and sets."""

    def number_text(self, name: str, index: str | None) -> str:
        """The text of a variable or element; raises the caller's own exception when unknown."""
        ...

    def store_number(self, name: str, index: str | None, value: int) -> None:
        """Sets a variable or element."""
        ...


def wrap(value: int) -> int:
    """The value as a signed 64-bit integer."""
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int, int]] = []
        self.text = text
        self.at = 0
        self.depth = 0
        position = 0
        end = len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position, end)
            if not found:
                self.fail()
            kind = ("number", "name", "operator")[(found.lastindex or 1) - 1]
            self.tokens.append(
                (kind, found.group(found.lastindex or 1), found.start(), found.end())
            )
            position = found.end()

    def fail(self) -> NoReturn:
        raise ArithmeticFault(f"`{self.text[:40]}` is not an arithmetic expression")

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> None:
        if self.peek() != token:
            self.fail()
        self.at += 1

    def whole(self) -> _Tree:
        if not self.tokens:
            return ("number", 0)
        tree = self.comma()
        if self.at < len(self.tokens):
            self.fail()
        return tree

    def comma(self) -> _Tree:
        tree = self.assignment()
        while self.peek() == ",":
            self.at += 1
            tree = ("binary", ",", tree, self.assignment())
        return tree

    def assignment(self) -> _Tree:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ArithmeticLimit("arithmetic is nested too deeply")
        tree = self.choice()
        operator = self.peek()
        if operator in _ASSIGNING:
            if tree[0] != "name":
                self.fail()
            self.at += 1
            tree = ("assign", operator[:-1], tree, self.assignment())
        self.depth -= 1
        return tree

    def choice(self) -> _Tree:
        tree = self.binary(0)
        if self.peek() == "?":
            self.at += 1
            yes = self.comma()
            self.take(":")
            tree = ("?", tree, yes, self.assignment())
        return tree

    def binary(self, level: int) -> _Tree:
        # Precedence climbing keeps the recursion as flat as the expression.
        tree = self.power()
        while True:
            operator = self.peek()
            if not operator or self.tokens[self.at][0] != "operator":
                return tree
            rank = next((k for k, names in enumerate(_LEVELS) if operator in names), -1)
            if rank < level:
                return tree
            self.at += 1
            tree = ("binary", operator, tree, self.binary(rank + 1))

    def power(self) -> _Tree:
        tree = self.unary()
        if self.peek() == "**":
            self.at += 1
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise ArithmeticLimit("arithmetic is nested too deeply")
            tree = ("binary", "**", tree, self.power())
            self.depth -= 1
        return tree

    def unary(self) -> _Tree:
        prefixes: list[str] = []
        while self.peek() in ("!", "~", "+", "-", "++", "--"):
            prefixes.append(self.peek())
            self.at += 1
        tree = self.primary()
        for operator in reversed(prefixes[-_MAX_DEPTH:]):
            if operator in ("++", "--"):
                if tree[0] == "name":
                    tree = ("before", operator, tree)
                else:
                    sign = operator[0]
                    tree = ("unary", sign, ("unary", sign, tree))
            else:
                tree = ("unary", operator, tree)
        if len(prefixes) > _MAX_DEPTH:
            raise ArithmeticLimit("arithmetic is nested too deeply")
        return tree

    def primary(self) -> _Tree:
        if self.at >= len(self.tokens):
            self.fail()
        kind, token, _, end = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return ("number", _number(token))
        if kind == "name":
            index = None
            if self.peek() == "[":
                depth = 0
                while True:
                    inner = self.peek()
                    depth += (inner == "[") - (inner == "]")
                    self.at += 1
                    if depth == 0:
                        break
                    if self.at >= len(self.tokens):
                        self.fail()
                index = self.text[end + 1 : self.tokens[self.at - 1][3] - 1].strip()
            tree: _Tree = ("name", token, index)
            if self.peek() in ("++", "--"):
                tree = ("after", self.peek(), tree)
                self.at += 1
            return tree
        if token != "(":  # noqa: S105 - a token of arithmetic
            self.fail()
        tree = self.comma()
        self.take(")")
        return tree


def _number(token: str) -> int:
    base, mark, digits = token.partition("#")
    try:
        if not mark:
            if token[:2] in ("0x", "0X"):
                return wrap(int(token[2:] or "0", 16))
            return wrap(int(token, 8 if token[0] == "0" else 10))
        radix = int(base)
        if 36 < radix <= 64:
            raise ArithmeticLimit(f"a number of base {radix} is not evaluated")
        if not 2 <= radix <= 36 or not digits.isalnum():
            raise ArithmeticFault(f"`{token[:40]}` is not a number")
        return wrap(int(digits, radix))
    except ValueError:
        raise ArithmeticFault(f"`{token[:40]}` is not a number") from None


@lru_cache(maxsize=512)
def _parse(text: str) -> _Tree:
    return _Parser(text).whole()


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _power(left: int, right: int) -> int:
    if right < 0:
        raise ArithmeticFault("the exponent is less than 0")
    return pow(left & 0xFFFFFFFFFFFFFFFF, right, 1 << 64)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "**": _power,
}


def _apply(operator: str, left: int, right: int) -> int:
    if operator in "/%" and right == 0:
        raise ArithmeticFault("division by zero")
    return wrap(_BINARY[operator](left, right))


def evaluate(text: str, store: NumberStore, depth: int = 0) -> int:
    """The value of an expression.

    Raises:
        ArithmeticFault: where bash would report an error.

    """
    if depth > _MAX_DEPTH:
        raise ArithmeticFault("the expression refers to itself")
    stripped = text.strip()
    if is_digits(stripped) and stripped[0] != "0" and len(stripped) < 19:
        return int(stripped)
    if len(text) > 4096:
        raise ArithmeticLimit("arithmetic expression is too long")
    return _value(_parse(text), store, depth)


def _variable_value(tree: _Tree, store: NumberStore, depth: int) -> int:
    _, name, index = tree
    text = store.number_text(str(name), None if index is None else str(index))
    return evaluate(text, store, depth + 1) if text else 0


def _write(tree: _Tree, store: NumberStore, value: int) -> int:
    _, name, index = tree
    store.store_number(str(name), None if index is None else str(index), value)
    return value


def _chain(tree: _Tree, store: NumberStore, depth: int) -> int:
    """The value of `a + b + c …`: a long chain leans to the left, so it is walked, not recursed."""
    chain: list[tuple[str, _Tree]] = []
    while True:
        match tree:
            case ("binary", str(operator), tuple(left), tuple(right)):
                chain.append((operator, right))
                tree = left
            case _:
                break
    value = _value(tree, store, depth)
    for operator, right in reversed(chain):
        if operator in ("&&", "||"):
            if (value != 0) == (operator == "||"):
                value = int(value != 0)
            else:
                value = int(_value(right, store, depth) != 0)
        elif operator == ",":
            value = _value(right, store, depth)
        else:
            value = _apply(operator, value, _value(right, store, depth))
    return value


def _value(tree: _Tree, store: NumberStore, depth: int) -> int:
    match tree:
        case ("number", int(value)):
            return value
        case ("name", *_):
            return _variable_value(tree, store, depth)
        case ("binary", *_):
            return _chain(tree, store, depth)
        case ("unary", str(operator), tuple(operand)):
            value = _value(operand, store, depth)
            return {"!": int(not value), "~": ~value, "+": value}.get(operator, wrap(-value))
        case ("?", tuple(condition), tuple(yes), tuple(no)):
            return _value(yes if _value(condition, store, depth) else no, store, depth)
        case ("assign", str(operator), tuple(target), tuple(operand)):
            value = _value(operand, store, depth)
            if operator:
                value = _apply(operator, _variable_value(target, store, depth), value)
            return _write(target, store, value)
        case ("before", str(operator), tuple(target)):
            step = 1 if operator == "++" else -1
            return _write(target, store, wrap(_variable_value(target, store, depth) + step))
        case ("after", str(operator), tuple(target)):
            value = _variable_value(target, store, depth)
            _write(target, store, wrap(value + (1 if operator == "++" else -1)))
            return value
    raise ArithmeticFault("the expression cannot be evaluated")
