"""Python of a repository, which tells the options and classes of its own: each asks for much."""

from __future__ import annotations

from typing import Final

_DEEP = ".".join(["a"] * 2_500)
_START = "from trl import GRPOConfig, TrlParser\nx = OmegaConf.structured(A0())\n"
_END = "\nparser = TrlParser((GRPOConfig, A0))\nparser.add_argument('--a')\n"


def _classes(line: str, form: str) -> str:
    texts = (form.format(n, line.format(n + 1) * 9) for n in range(9))
    return _START + "\n".join(texts) + _END


SOURCES: Final[dict[str, str]] = {
    "a deep name": f"{_START}x = {_DEEP}(1)\n@{_DEEP}()\ndef main(): pass{_END}",
    "a deep base and annotation": f"{_START}class A0({_DEEP}):\n    a: {_DEEP} = 1{_END}",
    "a long sum": f"{_START}x = {'+'.join(['1'] * 100_000)}{_END}",
    "nested brackets": f"{_START}x = {'[' * 5_000}{_END}",
    "classes with bases": _classes("A{},", "class A{}({}): pass"),
    "classes with fields": _classes("    b: A{}\n", "class A{}:\n{}"),
    "loops within loops": _START
    + "".join(f"{' ' * n}for v{n} in {[*range(50)]}:\n" for n in range(8))
    + " " * 8
    + f"pass{_END}",
}
