"""Pages, by class."""

from __future__ import annotations

from typing import Final

_TABLE: Final = """Tuning
======

.. list-table::
   :widths: auto
   :header-rows: 1

   * - Tag
     - Model
     - Task
     - Resource
     - MaxBatch
     - Train
     - Infer
     - Link
     - Contributor
   * - MIN
     - Qwen2.5-0.5B
     - GRPO-LoRA
     - 1*H100
     - 116
     - fsdp
     - vllm0.8.3
     - `qwen2-0.5b_grpo-lora_1_h100_fsdp_vllm.sh <https://github.com/volcengine/verl/blob/main/examples/tuning/0.5b/qwen2-0.5b_grpo-lora_1_h100_fsdp_vllm.sh>`_
     - `S <https://github.com/s>`_
"""

PAGES: Final[dict[str, str]] = {
    "substitutions that double": _TABLE
    + "\n"
    + "\n".join(f".. |a{i}| replace:: |a{i + 1}| |a{i + 1}|" for i in range(40))
    + "\n.. |a40| replace:: x\n\n|a0|\n",
    "nested quotes": _TABLE + "\n" + "".join(" " * i + "x\n\n" for i in range(600)),
    "nested lists": _TABLE + "\n" + "".join(" " * (2 * i) + "- x\n\n" for i in range(600)),
    "emphasis only": _TABLE + "\n" + "*" * 60000 + "\n",
    "open emphasis": _TABLE + "\n" + "*a " * 60000 + "\n",
    "open references": _TABLE + "\n" + "`a " * 40000 + "\n",
    "literals": _TABLE + "\n" + "``" * 40000 + "\n",
    "references": _TABLE + "\n" + "a_ " * 40000 + "\n",
    "open substitutions": _TABLE + "\n" + "|a " * 40000 + "\n",
    "a chain of targets": _TABLE
    + "\n"
    + "\n".join(f".. _a{i}: a{i + 1}_" for i in range(6000))
    + "\n\na0_\n",
    "a target many times": _TABLE
    + "\n"
    + "\n".join(f".. _a: b{i}" for i in range(6000))
    + "\n\na_\n",
    "footnotes": _TABLE + "\n" + "[#]_ " * 20000 + "\n",
    "thousands of rows": _TABLE
    + "".join(
        f"   * - MIN\n     - Qwen2.5-0.5B\n     - GRPO\n     - {i}*H100\n     - 1\n     - fsdp\n"
        f"     - vllm\n     - `x <https://github.com/a/b/blob/main/x{i}.sh>`_\n     - x\n"
        for i in range(1400)
    ),
    "a wide grid": _TABLE
    + "\n"
    + "+"
    + "-+" * 2000
    + "\n"
    + ("|" + " |" * 2000 + "\n+" + "-+" * 2000 + "\n") * 30,
    "a large grid": _TABLE + "\n" + "+" + "-" * 3000 + "+\n" + ("|" + " " * 3000 + "|\n") * 300,
    "a wide simple table": _TABLE
    + "\n"
    + "= " * 3000
    + "\n"
    + "a " * 3000
    + "\n"
    + "= " * 3000
    + "\n",
    "many titles": _TABLE
    + "".join(
        f"\nT{i}\n" + c * 4 + "\n" for i, c in enumerate("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~" * 50)
    ),
    "roles": _TABLE + "\n" + ":a:" * 20000 + "`x`\n",
    "nested directives": _TABLE
    + "\n"
    + "".join("   " * i + ".. note::\n\n" for i in range(300))
    + "\n",
    "addresses": _TABLE + "\n" + "http://a@" * 20000 + "\n",
    "dots": _TABLE + "\n" + "a." * 40000 + "@b\n",
    "a long number": _TABLE.replace("116", "1" * 9000),
    "a long count": _TABLE.replace("1*H100", "9" * 9000 + "*H100"),
    "blanks in a cell": _TABLE.replace("qwen2-0.5b", "q" + " " * 100_000 + "q"),
    "blanks after a bullet": _TABLE.replace("116", "1" + " " * 100_000 + "6"),
    "a long engine": _TABLE.replace("vllm0.8.3", "vllm" + "0." * 50_000 + "-"),
    "a long link": _TABLE.replace("`qwen2", "`" + "q" * 60000),
    "wide substitutions": _TABLE
    + "\n"
    + ".. |a| replace:: "
    + "|b| " * 3000
    + "\n.. |b| replace:: "
    + "|c| " * 3000
    + "\n.. |c| replace:: x\n\n|a|\n",
    "enumerations": _TABLE + "\n" + "".join(f"{'i' * i}. x\n" for i in range(1, 650)),
    "a long numeral": _TABLE + "\n" + "m" * 50000 + ". x\n",
    "line blocks": _TABLE + "\n" + "".join("| " + " " * i + "x\n" for i in range(3000)),
    "options": _TABLE + "\n" + "-a " * 10000 + "\n",
    "a long field": _TABLE + "\n" + ":" + "a" * 60000 + ":\n",
    "backslashes": _TABLE + "\n" + "\\" * 60000 + "\n",
    "files of the machine": _TABLE
    + "\n.. csv-table::\n   :file: /etc/passwd\n\n.. include:: /etc/passwd\n\n"
    + ".. raw:: html\n   :file: /etc/passwd\n",
    "parentheses": _TABLE + "\n" + "(" * 50000 + "a" + ")" * 50000 + "\n",
    "open links": _TABLE + "\n" + "`a <" * 20000 + ">`_\n",
    "marks of direction": _TABLE + "\n" + "\u202e\u0300" * 20000 + "\n",
    "comments": _TABLE + "\n" + ".. " * 20000 + "\n",
    "many widths": _TABLE.replace(":widths: auto", ":widths: " + "1 " * 60000),
}
