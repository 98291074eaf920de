"""What `rlbot lint .` says in somebody else's clone: `python -m benchmarks.first_contact`.

Arguments are clones, each perhaps with the commit that it was unpacked from: `DIR` or
`DIR@COMMIT`. Where a clone vendors one copy of verl, the findings are compared with those of
`--framework-tree` on that copy: place, rule and message of each. `--errors` lists every error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any


def lint(folder: Path, *more: str) -> Any:
    """The report on a folder, as JSON."""
    rlbot = str(Path(sys.executable).with_name("rlbot"))
    command = [rlbot, "lint", ".", "--format", "json", "--offline", *more]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    # A folder without any script is refused with a sentence.
    return json.loads(done.stdout) if done.stdout else {"scripts": []}


def findings(report: Any) -> Counter[tuple[object, ...]]:
    """What was found, comparable."""
    return Counter(
        (f["path"], f["line"], f["column"], f["id"], f["severity"], f["message"])
        for script in report["scripts"]
        for f in script["findings"]
    )


def commit_of(folder: Path) -> str:
    """The commit of a clone; empty for a folder that is none."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    return done.stdout.strip() if (folder / ".git").exists() else ""


def row(folder: Path, commit: str, *, errors: bool) -> str:
    """The line of one clone."""
    report = lint(folder)
    found = findings(report)
    copies = sorted(path for path in folder.rglob("verl/trainer/config") if path.is_dir())
    same = ""
    if len(copies) == 1:
        other = findings(lint(folder, "--framework-tree", str(copies[0])))
        same = "yes" if other == found else f"{(found - other).total()} + {(other - found).total()}"
    severities = Counter({"error": 0, "warning": 0})
    for (*_, severity, _), count in found.items():
        severities[str(severity)] += count
    launches = sum(len(script["launches"]) for script in report["scripts"])
    unchecked = sum(
        item["check"].startswith("RLB020") for s in report["scripts"] for item in s["unchecked"]
    )
    if errors:
        for path, line, _, rule, severity, text in sorted(found, key=str):
            if severity == "error":
                print(f"{folder.name}/{path}:{line} {rule} {text}", file=sys.stderr)
    return (
        f"| {folder.name} | `{commit[:8]}` | {len(report['scripts'])} | {launches} "
        f"| {severities['error']} | {severities['warning']} | {unchecked} | {same} |"
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", metavar="DIR[@COMMIT]")
    parser.add_argument("--errors", action="store_true", help="list every error on standard error")
    arguments = parser.parse_args()
    print("| repository | commit | scripts | launches | errors | warnings | not checked | tree |")
    print("| --- | --- | --: | --: | --: | --: | --: | --- |")
    for clone in arguments.clones:
        name, _, commit = clone.partition("@")
        folder = Path(name).resolve()
        print(row(folder, commit or commit_of(folder), errors=arguments.errors), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
