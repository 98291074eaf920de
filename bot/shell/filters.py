"""Commands that turn text into text: `seq`, `expr`, `tr`, `cut`, `wc`, `sed`, `awk`, `head`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.shell.sed import Refused, substitutions
from bot.shell.session import Session

Result = tuple[str, int]


def _lines(text: str | None) -> list[str]:
    if text is None:
        raise Refused
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _joined(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _as_ended(output: str, stdin: str | None) -> str:
    """The output of a command that leaves a last line without its end as it is."""
    return output if stdin is None or stdin.endswith("\n") else output.removesuffix("\n")


def _seq(session: Session, words: list[str], stdin: str | None) -> Result:
    separator = "\n"
    width = False
    while words and words[0].startswith("-") and not re.fullmatch(r"-[0-9.]+", words[0]):
        option = words.pop(0)
        if option == "-s":
            separator = words.pop(0)
        elif option.startswith("-s"):
            separator = option[2:]
        elif option == "-w":
            width = True
        else:
            raise Refused
    if not 1 <= len(words) <= 3 or not all(re.fullmatch(r"[-+]?[0-9]{1,15}", w) for w in words):
        raise Refused
    numbers = [int(word) for word in words]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0:
        raise Refused
    session.spend_words(max(0, (last - first) // step + 1))
    values = [str(value) for value in range(first, last + (1 if step > 0 else -1), step)]
    if width and values:
        longest = max(map(len, values))
        values = [value.zfill(longest) for value in values]
    return (separator.join(values) + "\n" if values else ""), 0


def _expr(session: Session, words: list[str], stdin: str | None) -> Result:
    if len(words) == 2 and words[0] == "length":
        return f"{len(words[1])}\n", 0 if words[1] else 1
    if len(words) < 3 or len(words) % 2 == 0 or set(words[1::2]) - set("+-*/%"):
        raise Refused
    # `*`, `/` and `%` first, each from the left.
    sums = [_whole(words[0])]
    signs: list[str] = []
    for operator, word in zip(words[1::2], words[2::2], strict=True):
        number = _whole(word)
        if operator in "+-":
            signs.append(operator)
            sums.append(number)
            continue
        if operator != "*" and number == 0:
            return "", 2
        sums[-1] = _product(sums[-1], operator, number)
    value = sums[0]
    for sign, number in zip(signs, sums[1:], strict=True):
        value += number if sign == "+" else -number
    return f"{_whole(str(value))}\n", 0 if value else 1


def _product(one: int, operator: str, two: int) -> int:
    if operator == "*":
        return _whole(str(one * two))
    quotient = abs(one) // abs(two)
    quotient = quotient if (one < 0) == (two < 0) else -quotient
    return quotient if operator == "/" else one - two * quotient


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise Refused
    return int(text)


def _tr(session: Session, words: list[str], stdin: str | None) -> Result:
    if stdin is None:
        raise Refused
    delete = squeeze = complement = False
    while words and re.fullmatch(r"-[dsc]+", words[0]):
        delete |= "d" in words[0]
        squeeze |= "s" in words[0]
        complement |= "c" in words[0]
        words.pop(0)
    if any(word.startswith("-") and len(word) > 1 for word in words[:1]):
        raise Refused
    sets = [_tr_set(word) for word in words]
    if complement:
        if not (delete and len(sets) == 1 and not squeeze):
            raise Refused
        return "".join(c for c in stdin if c in sets[0]), 0
    if delete:
        if squeeze or len(sets) != 1:
            raise Refused
        return "".join(c for c in stdin if c not in sets[0]), 0
    if squeeze and len(sets) == 1:
        return re.sub(f"([{re.escape(sets[0])}])\\1+", r"\1", stdin), 0
    if len(sets) != 2 or not sets[1]:
        raise Refused
    target = sets[1] + sets[1][-1] * max(0, len(sets[0]) - len(sets[1]))
    output = stdin.translate(
        {ord(a): b for a, b in reversed(list(zip(sets[0], target, strict=False)))}
    )
    if squeeze:
        output = re.sub(f"([{re.escape(sets[1])}])\\1+", r"\1", output)
    return output, 0


def _tr_set(text: str) -> str:
    named = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9"}
    for name, meaning in named.items():
        text = text.replace(name, meaning)
    if "[:space:]" in text:
        text = text.replace("[:space:]", " \t\n\r\v\f")
    if "[:" in text or "[=" in text or re.search(r"\[.\*", text):
        raise Refused
    text = re.sub(
        r"\\([nt\\])", lambda found: {"n": "\n", "t": "\t", "\\": "\\"}[found.group(1)], text
    )
    result: list[str] = []
    at = 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-" and text[at] <= text[at + 2]:
            if ord(text[at + 2]) - ord(text[at]) > 256:
                raise Refused
            result.extend(map(chr, range(ord(text[at]), ord(text[at + 2]) + 1)))
            at += 3
        else:
            result.append(text[at])
            at += 1
    return "".join(result)


def _cut(session: Session, words: list[str], stdin: str | None) -> Result:
    delimiter = "\t"
    selection = ""
    kind = ""
    while words:
        option = words.pop(0)
        if option[:2] in ("-d", "-f", "-c", "-b"):
            value = option[2:] or words.pop(0)
            if option[1] == "d":
                delimiter = value
            else:
                kind, selection = option[1], value
        else:
            raise Refused
    if not kind or len(delimiter) != 1:
        raise Refused
    ranges: list[tuple[int, int]] = []
    for item in selection.split(","):
        found = re.fullmatch(r"([0-9]*)(-?)([0-9]*)", item)
        if not found or item in ("", "-"):
            raise Refused
        low = int(found.group(1) or "1")
        high = int(found.group(3) or "1000000") if found.group(2) else low
        ranges.append((low, high))
    output: list[str] = []
    for line in _lines(stdin):
        units: list[str] = line.split(delimiter) if kind == "f" else list(line)
        if kind == "f" and len(units) == 1:
            output.append(line)
            continue
        kept = [u for k, u in enumerate(units, 1) if any(lo <= k <= hi for lo, hi in ranges)]
        output.append((delimiter if kind == "f" else "").join(kept))
    return _joined(output), 0


def _wc(session: Session, words: list[str], stdin: str | None) -> Result:
    if stdin is None or len(words) != 1:
        raise Refused
    counts = {
        "-l": stdin.count("\n"),
        "-w": len(stdin.split()),
        "-c": len(stdin.encode()),
        "-m": len(stdin),
    }
    if words[0] not in counts:
        raise Refused
    return f"{counts[words[0]]}\n", 0


def _sed(session: Session, words: list[str], stdin: str | None) -> Result:
    extended = words[:1] in (["-E"], ["-r"])
    words = words[extended:]
    scripts: list[str] = []
    while words[:1] == ["-e"] and len(words) > 1:
        scripts.append(words[1])
        words = words[2:]
    if not scripts:
        scripts, words = words[:1], words[1:]
    if words or not scripts or stdin is None:
        raise Refused
    commands = [one for text in scripts for one in substitutions(text, extended=extended)]
    output = []
    for line in _lines(stdin):
        for command in commands:
            session.spend(len(line))
            line = command.line(line)
        output.append(line)
    return _as_ended(_joined(output), stdin), 0


_PRINT = re.compile(r"\s*\{\s*print\s*\$(\d{1,3}|NF)\s*;?\s*\}\s*")


def _awk(session: Session, words: list[str], stdin: str | None) -> Result:
    """`awk '{print $N}'`."""
    separator = " "
    if words[:1] == ["-F"]:
        separator, words = words[1], words[2:]
    elif words and words[0].startswith("-F"):
        separator, words = words[0][2:], words[1:]
    found = _PRINT.fullmatch(words[0]) if len(words) == 1 else None
    if found is None or stdin is None or not re.fullmatch(r"[ ,:;=/_#@%-]", separator):
        raise Refused
    output = []
    for line in _lines(stdin):
        session.spend(len(line))
        fields = line.split(separator) if separator != " " else re.findall(r"[^ \t]+", line)
        number = len(fields) if found.group(1) == "NF" else int(found.group(1))
        output.append(line if number == 0 else "".join(fields[number - 1 : number]))
    return _joined(output), 0


def _head(session: Session, words: list[str], stdin: str | None) -> Result:
    lines = _lines(stdin)
    count = 10
    if words[:1] == ["-c"] and len(words) == 2 and stdin is not None and stdin.isascii():
        return stdin[: int(words[1])], 0
    if words[:1] == ["-n"] and len(words) == 2:
        count = int(words[1])
    elif len(words) == 1 and re.fullmatch(r"-n?[0-9]+", words[0]):
        count = int(words[0].lstrip("-n"))
    elif words:
        raise Refused
    if count < 0:
        raise Refused
    output = _joined(lines[:count])
    return (_as_ended(output, stdin) if count >= len(lines) else output), 0


def _true(session: Session, words: list[str], stdin: str | None) -> Result:
    return "", 0


FILTERS: dict[str, Callable[[Session, list[str], str | None], Result]] = {
    "seq": _seq,
    "expr": _expr,
    "tr": _tr,
    "cut": _cut,
    "wc": _wc,
    "sed": _sed,
    "awk": _awk,
    "head": _head,
}
