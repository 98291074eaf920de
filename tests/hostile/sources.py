"""Python of a repository, which tells the options and classes of its own: each asks for much."""

from __future__ import annotations

from typing import Final

_DEEP = ".".join(["a"] * 2_500)
_START = "from trl import GRPOConfig, TrlParser\nx = OmegaConf.structured(A0())\n"
_MAKES = "import yaml\nfrom trl import SFTConfig, SFTTrainer\n"
"""A program that makes settings, each of which is followed."""
_END = "\nparser = TrlParser((GRPOConfig, A0))\nparser.add_argument('--a')\n"


def _classes(line: str, form: str) -> str:
    texts = (form.format(n, line.format(n + 1) * 9) for n in range(9))
    return _START + "\n".join(texts) + _END


def _each(form: str, count: int) -> str:
    return "".join(form.format(n, n + 1, n + 2) for n in range(count))


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
    "names of names": _MAKES
    + _each("a{0} = a{1} or a{2}\n", 3_000)
    + f"SFTConfig({_each('k{0}=a{0}, ', 400)})\n",
    "functions of functions": _MAKES
    + _each("def f{0}(x):\n    return f{1}(x) if f{1}(x) else f{2}(x)\n", 2_000)
    + f"SFTConfig({_each('k{0}=f{0}(1), ', 400)})\n",
    "a mapping without end": f"{_MAKES}c = {{{_each('{0}: {0}, ', 30_000)}}}\n"
    f"SFTConfig({_each('k{0}=c[{0}], ', 400)})\n",
    "one name in a deep sum": _MAKES
    + f"a = 1\nSFTConfig(k={'+'.join(['a'] * 900)}, l={'(a+' * 90}a{')' * 90})\n",
    "items of items": f"{_MAKES}c = [c]\nSFTConfig(k=c{'[0]' * 900}, l={'c.a' * 9})\n",
    "conditions around": _MAKES
    + "".join(f"{' ' * n}if a{n} and not a{n + 1}:\n" for n in range(90))
    + f"{' ' * 90}b = 1\nSFTConfig({_each('k{0}=b, ', 400)})\n",
    "calls of one function": f"{_MAKES}def f(x):\n    SFTConfig(k=x)\n" + "f(f)\n" * 20_000,
    "a mapping that conditions change": _MAKES
    + "c = {}\n"
    + _each("if a{0}:\n    c['k{0}'] = {1}\nelse:\n    c.update(l={0})\n", 2_000)
    + "SFTTrainer(model='m', args=SFTConfig(**c))\n",
    "a number of base 16": f"{_MAKES}SFTTrainer(model='m', args=SFTConfig(k=0x{'f' * 9_000}))\n",
    "stored without end": _MAKES + "a = 1\n" * 40_000 + "SFTConfig(k=a, l=a, m=b)\n",
}
