"""What a row's notes say, in Chinese: English template to Chinese one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # row.py
    (
        "The device is unknown because the script's name states none; name the script "
        "[model]_[task]_[gpunums]_[device]_[train]_[infer].sh or give its run."
    ): (
        "设备未知，因为脚本名未写明；请按 [model]_[task]_[gpunums]_[device]_[train]_[infer].s"
        "h 命名脚本，或提供其运行。"
    ),
    "MaxBatch is unknown because the settings do not give the train batch size.": (
        "最大批量未知，因为设置未给出训练批量。"
    ),
    (
        "The contributor is unknown; write a comment `# contributor: LOGIN` into the "
        "script or pass --contributor."
    ): "贡献者未知；请在脚本中写注释 `# contributor: LOGIN`，或使用 --contributor。",
    (
        "The model is unknown because the path {path} does not end in a model's name; use "
        "its hub name or a folder named after it."
    ): "模型未知，因为路径 {path} 不以模型名结尾；请使用其 Hub 名称或以模型命名的目录。",
    "The task is unknown because the settings do not give the algorithm.": (
        "任务未知，因为设置未给出算法。"
    ),
    (
        "The number of GPUs is unknown because the settings do not give it; the name says "
        "{gpus}. Write nodes and GPUs per node as numbers."
    ): ("GPU 数量未知，因为设置未给出；文件名写的是 {gpus}。请以数字写明节点数与每节点 GPU 数。"),
    (
        "MaxBatch is left open because no run shows which batch fits; give the run that "
        "the row rests on."
    ): "最大批量留空，因为没有运行证明哪个批量可行；请提供该行所依据的运行。",
    "MaxBatch {batch} is the run's; the script leaves it open.": (
        "最大批量 {batch} 取自运行；脚本未写明。"
    ),
    "The training backend is unknown because the settings do not give it.": (
        "训练后端未知，因为设置未给出。"
    ),
    "The inference engine is unknown because the settings do not give it.": (
        "推理引擎未知，因为设置未给出。"
    ),
    "The version of {engine} is unknown without a run; give the run that the row rests on.": (
        "没有运行便无法得知 {engine} 的版本；请提供该行所依据的运行。"
    ),
    "The version of {engine} is unknown because the run does not list the package.": (
        "{engine} 的版本未知，因为运行未列出该软件包。"
    ),
    "The model {model} is the run's; the script leaves it open.": (
        "模型 {model} 取自运行；脚本未写明。"
    ),
    (
        "The model is unknown because the settings do not give its path; write the path or "
        "hub name into the script."
    ): "模型未知，因为设置未给出路径；请在脚本中写明路径或 Hub 名称。",
    (
        "The task is unknown because the settings do not tell whether an adapter such as "
        "LoRA is trained."
    ): "任务未知，因为设置未说明是否训练 LoRA 等适配器。",
    (
        "The number of GPUs is unknown because the settings do not give it. Write nodes "
        "and GPUs per node as numbers."
    ): "GPU 数量未知，因为设置未给出。请以数字写明节点数与每节点 GPU 数。",
    "The device {device} is the run's; the script's name states none.": (
        "设备 {device} 取自运行；脚本名未写明。"
    ),
    (
        "The device {device} is taken from the script's name; it is not in the list of "
        "known devices."
    ): "设备 {device} 取自脚本名；它不在已知设备之列。",
    "The device {device} is the run's; the script's name says {name}.": (
        "设备 {device} 取自运行；脚本名写的是 {name}。"
    ),
    # tag.py
    (
        "The tag is MIN because the settings turn {options} on; a comment `# tag: "
        "RECOMMENDED` in the script overrides it."
    ): "标签为 MIN，因为设置开启了 {options}；可用脚本注释 `# tag: RECOMMENDED` 改写。",
    (
        "The tag is RECOMMENDED because the settings leave {options} off; a comment `# "
        "tag: MIN` in the script overrides it."
    ): "标签为 RECOMMENDED，因为设置未开启 {options}；可用脚本注释 `# tag: MIN` 改写。",
    (
        "The tag is unknown because the settings do not tell whether {options} {are} on; "
        "state it with a comment `# tag: MIN` or `# tag: RECOMMENDED` in the script."
    ): (
        "标签未知，因为设置未说明是否开启 {options}；请在脚本中用注释 `# tag: MIN` 或 `# tag:"
        " RECOMMENDED` 写明。"
    ),
}
