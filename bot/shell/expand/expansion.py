"""Words and their expansion: what a word of the script becomes in a world."""

from __future__ import annotations

from dataclasses import replace

from bot.base.regex import regex
from bot.shell.expand.braces import expand_braces
from bot.shell.expand.numbers import number
from bot.shell.expand.parameters import expand_parameter
from bot.shell.parse.syntax import (
    Arithmetic,
    Parameter,
    Quoted,
    Script,
    Substitution,
    Text,
    WordNode,
    WordPart,
)
from bot.shell.pieces import Value, part, size, trimmed
from bot.shell.source import Span
from bot.shell.words import Hole, Piece
from bot.shell.world.fields import (
    LITERAL,
    PROTECTED,
    QUOTED,
    QUOTED_WHOLE,
    SPLIT,
    UNQUOTED,
    WHOLE,
    Atom,
    ExpansionContext,
    split,
    value_of,
)
from bot.shell.world.session import Session, hole, shorten
from bot.shell.world.state import OpenArguments, UncountedArguments, World, separators
from bot.shell.world.values import scalar, target

_LOOKS_ASSIGNED = regex(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_GLOB = regex(r"[*?]|\[[^][]+\]|[+@!]\(")
_TILDE = regex(r"~([^/:]*)")
_HOMES = ("", "+", "-", "root")


def fields(session: Session, world: World, node: WordNode) -> list[Value]:
    """The words that one word becomes: all expansions, then splitting."""
    versions = expand_braces(session, node) if node.braces else [node.parts]
    result: list[Value] = []
    for parts in versions:
        if node.tilde:
            parts = tildes(session, world, parts)
        atoms = expand(session, world, parts, UNQUOTED)
        if "nullglob" in world.options and _matches_files(world, atoms):
            text = shorten(session.text(node))
            result.append(hole("command", f"files that match {text}", node.span))
        elif len(atoms) == 1 and atoms[0][1] in (LITERAL, PROTECTED):
            value = (atoms[0][0],)
            result.append(value if value[0].text != "" else ())
        else:
            session.spend(size(tuple([piece for piece, _ in atoms])), len(atoms))
            result.extend(split(atoms, separators(world)))
    return result


def _matches_files(world: World, atoms: list[Atom]) -> bool:
    """Whether a word names files by a pattern, and thus may be several words, or none."""
    if "noglob" in world.options:
        return False
    bare = (piece.text if mode in (LITERAL, SPLIT) else "" for piece, mode in atoms)
    return _GLOB.search("".join(text if isinstance(text, str) else "" for text in bare)) is not None


def may_be_several(world: World, node: WordNode, values: list[Value]) -> bool:
    """Whether a word that became these values may become any number of others.

    That is an expansion without quotes of what nobody knows, `$(scontrol show hostnames)`, files by
    a pattern under `shopt -s nullglob`, and all elements of an array that has any number of them.
    """
    if not any(isinstance(p.text, Hole) and not p.text.number for v in values for p in v):
        return False
    names_files = "nullglob" in world.options and not all(isinstance(p, Quoted) for p in node.parts)
    if names_files or any(isinstance(one, (Parameter, Substitution)) for one in node.parts):
        return True
    quoted = (one for q in node.parts if isinstance(q, Quoted) for one in q.parts)
    return any(isinstance(one, Parameter) and _is_open(world, one) for one in quoted)


def _is_open(world: World, node: Parameter) -> bool:
    """Whether `"$@"` or `"${A[@]}"` stands for any number of words."""
    if node.name == "@":
        return isinstance(world.positional, (OpenArguments, UncountedArguments))
    found = world.variables.get(target(world, node.name))
    all_of_it = node.every == "@" and not node.length
    return all_of_it and (found is None or found.uncounted or found.spoiled)


def text_of(session: Session, world: World, node: WordNode, *, assigned: bool = False) -> Value:
    """A word as one value, not split: the right side of `=`, a `case` word, a here-string."""
    if node.ready is not None:
        return node.ready.pieces
    parts = node.parts
    if node.tilde:
        parts = tildes(session, world, parts, assigned=assigned)
    value = value_of(expand(session, world, parts, WHOLE))
    session.spend(size(value), len(value))
    return value


def pattern_of(session: Session, world: World, node: WordNode) -> list[Atom]:
    """A word as a pattern: its pieces with the mode that says whether they are quoted."""
    parts = tildes(session, world, node.parts) if node.tilde else node.parts
    return expand(session, world, parts, WHOLE)


def expand(
    session: Session, world: World, parts: list[WordPart], context: ExpansionContext
) -> list[Atom]:
    """What parts give, each piece with how it takes part in splitting."""
    atoms: list[Atom] = []
    for item in parts:
        if type(item) is Text:
            piece = item.piece
            if context.quoted or piece.quoted:
                atoms.append((piece, PROTECTED))
            else:
                atoms.append((piece, SPLIT if context.operand else LITERAL))
        elif type(item) is Parameter:
            atoms += expand_parameter(session, world, item, context)
        elif type(item) is Quoted:
            inner = expand(session, world, item.parts, QUOTED_WHOLE if context.whole else QUOTED)
            if not inner and not _vanishes(item.parts):
                inner = [(Piece("", Span(item.start, item.start)), PROTECTED)]
            atoms += inner
        elif type(item) is Substitution:
            value = substitute(session, world, item)
            mode = PROTECTED if item.process else context.mode
            atoms.extend((piece, mode) for piece in value)
        elif type(item) is Arithmetic:
            value = number(session, world, item.expression, item.span)
            atoms.extend((piece, context.mode) for piece in value)
    return atoms


def _vanishes(parts: list[WordPart]) -> bool:
    """True when quotes around the parts give no word where the parts give none: `"$@"`."""
    return any(
        isinstance(item, Parameter)
        and ((item.name == "@" and not item.length) or item.every == "@" or item.names == "@")
        for item in parts
    )


def substitute(session: Session, world: World, node: Substitution) -> Value:
    """The output of a command substitution, without the line ends at its end."""
    span = node.span
    if node.process:
        session.capture(world, node.body)
        return hole("command", "name of the pipe for " + _quote_script(session, node.body), span)
    options = world.options
    if options.isdisjoint(("inherit_errexit", "posix")):
        world.options = options - {"errexit"}
    output = session.capture(world, node.body)
    world.options = options
    session.spend(size(output), len(output))
    return trimmed(output, "\n")


def _quote_script(session: Session, body: Script) -> str:
    return shorten(session.text(body))


# Tilde


def tildes(
    session: Session, world: World, parts: list[WordPart], *, assigned: bool = False
) -> list[WordPart]:
    """Parts with `~` replaced where bash does so."""
    result: list[WordPart] = []
    for index, item in enumerate(parts):
        text = item.piece.text if isinstance(item, Text) and not item.piece.quoted else None
        if not isinstance(item, Text) or not isinstance(text, str) or "~" not in text:
            result.append(item)
            continue
        starts = [0] if index == 0 else []
        found = _LOOKS_ASSIGNED.match(text) if index == 0 and not assigned else None
        if assigned or found:
            begin = found.end() if found else 0
            if found:
                starts.append(begin)
            starts += [at + 1 for at in range(begin, len(text)) if text[at] == ":"]
        done = 0
        for start in starts:
            mark = _TILDE.match(text, start) if start >= done else None
            if not mark or (mark.end() == len(text) and index + 1 < len(parts)):
                continue
            if mark.group(1) not in _HOMES and text[mark.end() : mark.end() + 1] != "/":
                # No such user: `~trainer.logger` deletes a setting.
                continue
            result += _slice(item, done, start)
            span = Span(item.piece.span.start + start, item.piece.span.start + mark.end())
            result += [
                Text(replace(piece, span=span, literal=False, quoted=True))
                for piece in _home(session, world, mark.group(1), span)
            ]
            done = mark.end()
        result += _slice(item, done, len(text))
    return result


def _slice(item: Text, start: int, end: int) -> list[WordPart]:
    return [Text(part(item.piece, start, end))] if start < end else []


def _home(session: Session, world: World, user: str, span: Span) -> Value:
    name = {"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(user)
    if name is None:
        return hole("environment", f"home directory of {shorten(user)}", span)
    value = scalar(session, world, name, span)
    if value is None:
        return hole("environment", name, span, name)
    return value
