"""Configuration folders of verl, by class; a line `### PATH` begins each file of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ROOT: Final = "ppo_trainer.yaml"


def tree(files: Mapping[str, str]) -> str:
    """The folder as one text."""
    return "".join(f"### {path}\n{text}\n" for path, text in files.items())


def _listed(*entries: str) -> dict[str, str]:
    return {ROOT: "defaults:\n" + "".join(f"  - {entry}\n" for entry in entries) + "x: 1\n"}


def _options(folder: str, count: int, text: str) -> dict[str, str]:
    return {f"{folder}/o{n}.yaml": text for n in range(count)}


_NESTED: Final = "{a: " * 25 + "1" + "}" * 25
TREES: Final[dict[str, str]] = {
    name: tree(files)
    for name, files in {
        "optional entries": _listed(*(f"optional a{n}: b" for n in range(10_000))),
        "an entry many times": {**_listed(*["a: b"] * 20_000), "a/b.yaml": "x: 1\n"},
        "no entries": _listed(*(f"a{n}: null" for n in range(5_000))),
        "mandatory entries": _listed(*(f"a{n}: ???" for n in range(5_000))),
        "overrides of nothing": _listed(*(f"override a{n}: b" for n in range(5_000))),
        "overrides": {**_listed("a: b", *["override a: b"] * 5_000), "a/b.yaml": "x: 1\n"},
        "entries that refer": _listed(*["a: ${a}"] * 2_000),
        "long packages": {
            **_listed(*(f"a@{'x.' * 200}p{n}: b" for n in range(1_000))),
            "a/b.yaml": "x: 1\n",
        },
        "packages in packages": {
            **_listed("f0@a.b.c"),
            **{f"f{n}.yaml": f"defaults: [f{n + 1}@d.e.f]\n" for n in range(500)},
            "f500.yaml": "x: 1\n",
        },
        "groups with choices": {
            **_listed(*(f"a{n}: o0" for n in range(100))),
            **{f"a{n}/o{m}.yaml": "foo: 1\n" for n in range(100) for m in range(5)},
        },
        "large choices": {
            **_listed("a: o0"),
            **_options("a", 500, "foo: 1\n" + "".join(f"k{n}: 1\n" for n in range(900))),
        },
        "a loop": {**_listed("a: o0"), "a/o0.yaml": "defaults: [/a: o0]\nfoo: 1\n"},
        "loops": {
            **_listed(*(f"a{n}: b" for n in range(60))),
            **{
                f"a{n}/b.yaml": "defaults:\n" + "".join(f"  - /a{m}: b\n" for m in range(60))
                for n in range(60)
            },
        },
        "a chain": {
            **_listed("a: o0"),
            **{f"a/o{n}.yaml": f"defaults: [o{n + 1}]\nfoo: 1\n" for n in range(500)},
        },
        "a long list": {ROOT: "x: 1\nl: [" + "1," * 50_000 + "1]\n"},
        "many settings": {ROOT: "".join(f"k{n}: {{a: {n}}}\n" for n in range(5_000))},
        "many references": {ROOT: "".join(f"k{n}: ${{k{n + 1}}}\n" for n in range(6_000))},
        "references that call": {ROOT: "".join(f"k{n}: ${{a:{n}}}\n" for n in range(6_000))},
        "references with brackets": {ROOT: "".join(f"k{n}: ${{a[{n}]}}\n" for n in range(900))},
        "an open reference": {ROOT: "a: ${oc.select:" + " " * 60_000 + "\n"},
        "nested settings": {
            ROOT: "".join(f"k{n}: {_NESTED}\n" for n in range(350)),
            **_options("a", 300, "foo: 1\n"),
        },
        "nested lists": {ROOT: "[" * 500_000},
        "nested pairs": {ROOT: "- " * 200_000},
        "a long text": {ROOT: "x: '" + "\\\n  a" * 100_000 + "'\n"},
        "blank lines": {ROOT: "x: |\n" + "\n" * 500_000},
        "comments": {ROOT: "#\n" * 250_000 + "foo: 1\n"},
        "aliases that double": {
            ROOT: "a0: &a0 [x, x]\n"
            + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(40))
        },
        "aliases that merge": {
            ROOT: "a0: &a0 {x: 1}\n"
            + "".join(f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}]}}\n" for n in range(40))
        },
        "a tag": {ROOT: "a: !!python/object/apply:os.system [id]\n"},
        "a long number": {ROOT: f"a: {'9' * 100_000}\n"},
        "files that are not loaded": {
            **_listed("_self_"),
            **{f"z/f{n}.yaml": ("a" * 100 + "\n") * 5_000 for n in range(11)},
        },
        "no mapping": {ROOT: "defaults: 1\n"},
    }.items()
}
