"""Configurations of this program (`.rlbot.yml`), by class."""

from __future__ import annotations

from typing import Final

CONFIGS: Final[dict[str, str]] = {
    "many keys": "".join(f"k{n}: 1\n" for n in range(6_000)),
    "a key many times": "page: x\n" * 6_000,
    "a list": "page: [" + "1," * 30_000 + "1]\n",
    "many rules": "rules:\n" + "".join(f"  r{n}: off\n" for n in range(5_000)),
    "nested lists": "[" * 65_000,
    "nested pairs": "- " * 32_000,
    "nested questions": "? " * 32_000,
    "nested mappings": "page: " + '{"a":' * 10_000,
    "aliases that double": "a0: &a0 [x, x]\n"
    + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(60))
    + "page: *a60\nrules: *a60\nnames: *a60\n",
    "aliases that merge": "a0: &a0 {x: 1}\n"
    + "".join(f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}]}}\n" for n in range(24)),
    "aliases": "a: &a [1]\nb: [" + "*a, " * 15_000 + "1]\n",
    "a merge of itself": "a: &a\n  <<: *a\n",
    "a long number": f"page: {'9' * 60_000}\n",
    "a long number of minutes": "page: " + "1:" * 30_000 + "1\n",
    "a long time": "page: 2026-01-01 00:00:00." + "0" * 60_000 + "\n",
    "a long time with a fraction": "page: 1" + ":59" * 2_000 + ".5\n",
    "a tag": "page: !!python/object/apply:os.system [id]\n",
    "no known tag": "page: !!binary " + "A" * 60_000 + "\n",
    "a long name": "a" * 60_000 + ": 1\n",
    "letters of another script": "pаge: docs/x.rst\n",
    "escapes": 'page: "' + "\\u0041" * 10_000 + '"\n',
    "surrogates": 'page: "\\ud800"\n',
    "a text without end": "page: '" + "a\n\n" * 20_000,
    "blank lines": "page: |\n" + "\n" * 60_000,
    "comments": "#\n" * 30_000,
    "documents": "---\n" * 15_000,
    "marks": "%YAML 1.1\n" * 6_000,
    "a pattern": "names:\n  pattern: '" + "(a+)+" * 5_000 + "$'\n",
    "control characters": "page: \x00\x1b[2J\n",
}
