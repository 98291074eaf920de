"""A page of rows, the scripts behind them, and what a check says of the two."""

from __future__ import annotations

from collections.abc import Mapping

from bot.base.errors import UserError
from bot.check.page import Repository, check_page
from bot.check.request import CheckOptions, PageText
from bot.report import PageReport
from bot.rules._support.example import verl
from bot.table.links import Website

PAGE = "docs/perf/device_tuning.rst"
NAME = "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
PATH = f"examples/tuning/7b/{NAME}"
BLOB = "https://github.com/volcengine/verl/blob"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SCRIPTS: Mapping[str, str] = {PATH: verl("data.train_batch_size=1024")}

_GOOD = {
    "Tag": "RECOMMENDED",
    "Model": "Qwen2.5-7B",
    "Task": "GRPO",
    "Resource": "8*H100",
    "MaxBatch": "1024",
    "Train": "fsdp",
    "Infer": "vllm0.8.3",
    "Link": f"`{NAME} <{BLOB}/main/{PATH}>`_",
    "Contributor": "`ada <https://github.com/ada>`_",
}
CHINESE = ("标签", "模型", "任务", "资源", "最大批次", "训练", "推理", "链接", "贡献者")


def row(**cells: str) -> dict[str, str]:
    """A row that agrees with the script, but for these cells (by their English names)."""
    assert cells.keys() <= _GOOD.keys()
    return {**_GOOD, **cells}


def link(path: str, *, ref: str = "main", text: str = "") -> str:
    """A cell that links to a file of the repository."""
    return f"`{text or path.rsplit('/', 1)[-1]} <{BLOB}/{ref}/{path}>`_"


def section(*rows: Mapping[str, str], size: str = "7B", chinese: bool = False) -> str:
    """A section of the page in the form of list-table."""
    header = CHINESE if chinese else tuple(_GOOD)
    lines = [size, "~~~~", "", ".. list-table::", "    :header-rows: 1", ""]
    for cells in (header, *(tuple(r.values()) for r in rows)):
        lines += [f"    {'* -' if not i else '  -'} {cell}" for i, cell in enumerate(cells)]
    return "\n".join([*lines, "", ""])


def page(*sections: str) -> str:
    """A page of sections."""
    return "Hardware\n========\n\n" + "\n".join(sections)


def history(known: Mapping[tuple[str, str], str]) -> object:
    """A history that has one commit; `known` maps commit and path to content."""

    def at(commit: str, path: str) -> bytes | None:
        if commit not in {one for one, _ in known}:
            raise UserError(f'"{commit[:10]}" names no commit here.')
        text = known.get((commit, path))
        return text.encode() if text is not None else None

    return at


def report(
    text: str,
    scripts: Mapping[str, str] = SCRIPTS,
    *,
    select: str = "",
    name: str | None = None,
    past: Mapping[tuple[str, str], str] | None = None,
    options: CheckOptions | None = None,
) -> PageReport:
    """What the checks make of a page; `past` is the history of its repository."""
    files = {path: script.encode() for path, script in scripts.items()}
    repository = Repository(
        website=Website(f"https://github.com/{name}" if name else None),
        scripts={path: data for path, data in files.items() if path.endswith(".sh")},
        file=files.get,
        history=history(past) if past is not None else None,  # type: ignore[arg-type]
    )
    chosen = options or CheckOptions(select=(select,) if select else ())
    return check_page(PageText(path=PAGE, text=text), repository, chosen)


def marked(
    slug: str,
    text: str,
    scripts: Mapping[str, str] = SCRIPTS,
    *,
    name: str | None = None,
    past: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """What one check says and where: each finding under its line, with the stretch marked."""
    checked = report(text, scripts, select=slug, name=name, past=past)
    lines = text.split("\n")
    blocks = []
    for f in checked.findings:
        width = f.end_column - f.column if f.line == f.end_line else 1
        block = [
            f"{f.line}:{f.column} {f.severity} {f.id} {f.message}",
            f"  | {lines[f.line - 1]}",
            f"  | {' ' * (f.column - 1)}{'^' * max(1, width)}",
        ]
        block += [f"  help: {f.help}"] if f.help else []
        if f.fix:
            safe = "safe" if f.fix.safe else "to be judged"
            block.append(f"  fix ({safe}): {f.fix.title} -> {f.fix.edits[0].text}")
        blocks.append("\n".join(block))
    blocks += [f"unchecked: {item.check}: {item.reason}" for item in checked.unchecked]
    assert not any("failed:" in item.reason for item in checked.unchecked)
    return "\n".join(blocks)


def quiet(
    slug: str,
    text: str,
    scripts: Mapping[str, str] = SCRIPTS,
    *,
    name: str | None = None,
    past: Mapping[tuple[str, str], str] | None = None,
) -> bool:
    """Whether a check says nothing at all."""
    return not marked(slug, text, scripts, name=name, past=past)
