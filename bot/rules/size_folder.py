"""RLB004: the script does not lie in the folder of its model's size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.base.messages import message
from bot.rules._support.base import Chinese, Example, Hit, Meta, RuleContext
from bot.rules._support.example import verl
from bot.rules._support.names import FILE, legible
from bot.script.name import model_size, same_size

META = Meta(
    id="RLB004",
    slug="size-folder",
    severity="warning",
    confidence="certain",
    added_in="0.1.0",
    summary="The script does not lie in a folder named after its model's size.",
    why=(
        "The page groups its rows by size, and each script lies in the folder of that size. A "
        "script elsewhere is not found beside its row."
    ),
    instead="Move the script to the folder of its model's size, such as examples/tuning/7b/.",
    limits=(
        "Only the naming profile `tuning` has size folders. Nothing is said about a name of "
        "another form, a path without a folder, nor when no size can be told from the name. Sizes "
        "within 5 % share a folder, as verl keeps its 72B scripts in 70b/."
    ),
    source="The layout of verl's examples/tuning/ and the sections of docs/perf/device_tuning.rst",
    example=Example(
        bad=verl(),
        good=verl(),
        bad_path="examples/tuning/14b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh",
    ),
    zh=Chinese(
        summary="脚本不在以其模型规模命名的目录中。",
        why="文档按规模分节，脚本放在相应规模的目录里。放在别处的脚本与它的行对不上。",
        instead="把脚本移到其模型规模的目录，例如 examples/tuning/7b/。",
        limits=(
            "只有命名规范 `tuning` 有规模目录。其他形式的名称、没有目录的路径、名称看不出"
            "规模时不报告。相差 5% 以内的规模共用目录，例如 verl 把 72B 的脚本放在 70b/。"
        ),
        sentences={
            "the script lies in {parent}/, which is no size folder": (
                "脚本位于 {parent}/，它不是规模目录"
            ),
            "move it to {size}/": "移到 {size}/",
            "the script lies in {folder}/, its model has the size {size}": (
                "脚本位于 {folder}/，而其模型规模为 {size}"
            ),
        },
    ),
)


def check(context: RuleContext) -> Iterator[Hit]:
    """Compare the parent folder with the size that the name states."""
    parent = PurePosixPath(context.path).parent.name
    if (
        context.name.profile != "tuning"
        or not parent
        or not context.name.model
        or not legible(context)
    ):
        return  # A name of another form is told by name-pattern.
    size = model_size(context.name.model) or _size_used(context)
    if size is None:
        return
    folder = context.name.folder
    if folder is None:
        yield Hit(
            message=message("the script lies in {parent}/, which is no size folder", parent=parent),
            span=FILE,
            help=message("move it to {size}/", size=size),
            rename=f"../{size}/{context.name.file_name}",
        )
    elif not same_size(folder.split("-")[0], size):
        yield Hit(
            message=message(
                "the script lies in {folder}/, its model has the size {size}",
                folder=folder,
                size=size,
            ),
            span=FILE,
            help=message("move it to {size}/", size=size),
            rename=f"../{size}/{context.name.file_name}",
        )


def _size_used(context: RuleContext) -> str | None:
    sizes = {model_size(plan.model.value) for plan in context.plans if plan.model.value}
    return sizes.pop() if len(sizes) == 1 else None
