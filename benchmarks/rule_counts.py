"""What `rlbot lint` says of folders of public scripts, counted: `python -m benchmarks.rule_counts`.

Arguments are clones, each linted by itself as a user would (`rlbot lint .`). Printed are the number
of scripts and launches, and the findings of each rule by severity. `--sample N --seed S` prints N
of the errors and warnings, drawn from all, each with the line that it is about, for a person to
judge; nothing of a clone is executed. The exit status is 1 when a run ends without a report.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.first_contact import lint

_LINES = 3
"""Lines of a finding that are quoted at most."""


def quoted(folder: Path, finding: Any) -> Iterator[str]:
    """A finding with its place and its lines."""
    yield f"{folder.name}/{finding['path']}:{finding['line']} {finding['severity']} {finding['id']}"
    yield f"  {finding['message']}"
    text = (folder / finding["path"]).read_text(encoding="utf-8", errors="replace")
    first, last = finding["line"], min(finding["end_line"], finding["line"] + _LINES - 1)
    for number, line in list(enumerate(text.split("\n"), 1))[first - 1 : last]:
        yield f"    {number}: {line.strip()[:200]}"


def table(found: Sequence[Any]) -> Iterator[str]:
    """The findings of each rule, as rows of Markdown."""
    counts = Counter((f["id"], f["slug"], f["severity"]) for f in found)
    yield "| rule | errors | warnings | notes |"
    yield "| --- | --: | --: | --: |"
    for rule, slug in sorted({(rule, slug) for rule, slug, _ in counts}):
        numbers = [counts[rule, slug, severity] or "" for severity in ("error", "warning", "note")]
        yield f"| {rule} {slug} | " + " | ".join(map(str, numbers)) + " |"


def main() -> int:
    """Print the counts and the sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found: list[tuple[Path, Any]] = []
    scripts = launches = holding = failed = 0
    for folder in (clone.resolve() for clone in arguments.clones):
        if not any(path.is_file() for path in folder.rglob("*.sh")):
            continue
        try:
            report = lint(folder)
        except json.JSONDecodeError:
            print(f"no report on {folder.name}", file=sys.stderr)
            failed += 1
            continue
        holding += 1
        scripts += len(report["scripts"])
        launches += sum(len(script["launches"]) for script in report["scripts"])
        found += [(folder, f) for script in report["scripts"] for f in script["findings"]]
        for item in report["unchecked"]:
            print(f"{folder.name}: {item['check']}: {item['reason']}", file=sys.stderr)
    print(f"{holding} repositories, {scripts} scripts, {launches} launches; {failed} failed\n")
    print("\n".join(table([finding for _, finding in found])))
    serious = [one for one in found if one[1]["severity"] != "note"]
    size = min(arguments.sample, len(serious))
    for number, (folder, finding) in enumerate(
        random.Random(arguments.seed).sample(serious, size),  # noqa: S311
        1,
    ):
        print(f"\n{number}.", "\n".join(quoted(folder, finding)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
