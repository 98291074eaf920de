"""What tmux and screen type into a shell, or start one with: `tmux send-keys -t a "cmd" C-m`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bot.base.fast_dataclass import dataclass
from bot.shell.pieces import Value, cut, joined, known
from bot.shell.words import Piece, Word

_VALUED: Final = {
    "send-keys": "cNt",
    "new-session": "ceFfnstxy",
    "new-window": "ceFnt",
    "split-window": "ceFlpt",
    "respawn-pane": "cet",
    "respawn-window": "cet",
}
"""The commands of tmux that count, and their options that take a value."""
_SHORT: Final = {
    "send": "send-keys",
    "new": "new-session",
    "neww": "new-window",
    "splitw": "split-window",
    "respawnp": "respawn-pane",
    "respawnw": "respawn-window",
}
_ENTER: Final = frozenset({"C-m", "C-j", "Enter", "ENTER", "KPEnter"})
_LINE_ENDS: Final = ("\n", "\r", "^M", "\\n", "\\r", "\\015", "\\012")


@dataclass(frozen=True, slots=True)
class TerminalText:
    """A text for the shell of a terminal."""

    pane: str
    """What names the terminal; texts for the same one run in the same shell."""
    text: Value
    starts: bool = False
    """Whether a shell starts with it, and is given nothing else."""


def typed(name: str, words: Sequence[Word]) -> Iterator[TerminalText]:
    """The texts that a command of tmux or screen with these arguments hands to a shell."""
    if name == "screen":
        yield from _stuffed(words)
        return
    command: list[Word] = []
    for word in words:
        if known(word.pieces) == ";":
            yield from _of_tmux(command)
            command = []
        else:
            command.append(word)
    yield from _of_tmux(command)


def _of_tmux(words: Sequence[Word]) -> Iterator[TerminalText]:
    at = next((k for k, word in enumerate(words) if _command(word) in _VALUED), None)
    if at is None:
        return
    name = _command(words[at])
    pane, rest = "", list(words[at + 1 :])
    while rest and (option := known(rest[0].pieces) or "").startswith("-"):
        del rest[0]
        if option == "--":
            break
        if option[-1] in _VALUED[name] and rest:
            value = rest.pop(0)
            pane = value.text if option[-1] == "t" else pane
    if name != "send-keys":
        if rest:
            yield TerminalText(pane, joined(rest), starts=True)
        return
    line: list[Piece] = []
    for word in rest:
        if known(word.pieces) not in _ENTER:
            line.extend(word.pieces)
        elif line:
            yield TerminalText(pane, tuple(line))
            line = []


def _command(word: Word) -> str:
    text = known(word.pieces) or ""
    return _SHORT.get(text, text)


def _stuffed(words: Sequence[Word]) -> Iterator[TerminalText]:
    """The text of `screen -S name -X stuff $'cmd'`, where it ends a line."""
    texts = [known(word.pieces) for word in words]
    if "-X" not in texts or texts[-2:-1] != ["stuff"]:
        return
    *before, last = words[-1].pieces or (None,)
    text = known((last,)) if last is not None else None
    pane = words[texts.index("-S") + 1].text if "-S" in texts[:-2] else ""
    end = next((end for end in _LINE_ENDS if text is not None and text.endswith(end)), None)
    if last is not None and text is not None and end is not None:
        yield TerminalText(pane, (*before, *cut((last,), 0, len(text) - len(end))))
