"""What the renderers say, in Chinese: English template to Chinese one, and the names of matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # Marks between parts.
    ", ": "、",
    "; ": "；",
    "{one}, {other}": "{one}，{other}",
    "{matter} {said}": "{matter}{said}",
    "{what}: {why}": "{what}：{why}",
    "{what} ({source})": "{what}（{source}）",
    "{first} and {last}": "{first}，且{last}",
    # The largest batch.
    "{value} (batch {batch}): {reason}": "{value}（批量 {batch}）：{reason}",
    "batch": "批量",
    "expected GiB": "预计 GiB",
    "{name}={value} (line {line})": "{name}={value}（第 {line} 行）",
    ", on {where}": "，使用 {where}",
    "No prediction: {why} The search is blind.": "无法预测：{why}搜索不依据预测。",
    "When runs are done: {command}": "运行完成之后：{command}",
    "Nothing is left to try between the two.": "两者之间没有可试的值。",
    "Trial log: {log}": "试验记录：{log}",
    "Next: {values}": "接下来：{values}",
    "expected to fit": "预计可行",
    "Vary what does:": "请改变起决定作用的设置：",
    "Name what does with --vary KEY.": "请用 --vary KEY 指明起决定作用的设置。",
    "With --blind it is bisected all the same.": "加上 --blind 仍可二分。",
    "The batch is doubled until one fails; the command at that run then bisects below it.": (
        "批量逐次加倍，直到失败；再用该次运行旁的选项在其下二分。"
    ),
    "… and {count} that may follow": "…… 以及可能随后的 {count} 次",
    "should fit": "应当可行",
    "ran": "跑通",
    "out of memory": "显存不足",
    "nothing": "无结论",
    "far too large": "过大",
    "At most {runs} runs: {count} values have {outcomes} outcomes, and log2 of that is rounded "
    "up.": "最多 {runs} 次：{count} 个值有 {outcomes} 种结果，取 log2 并向上取整。",
    "if it runs": "若跑通",
    "if out of memory": "若显存不足",
    "{runs} runs when the prediction is exact.": "预测准确时为 {runs} 次。",
    # Single words.
    "error": "错误",
    "warning": "警告",
    "note": "提示",
    "consistent": "一致",
    "inconsistent": "不一致",
    "inconclusive": "无法判定",
    "script": "脚本",
    "row": "表格行",
    "run": "运行",
    "claim": "声明",
    "claimed": "声明值",
    "why": "原因",
    "source": "来源",
    "empty": "空",
    "launch": "启动命令",
    "unchecked": "未检查",
    "suppressed": "已屏蔽",
    "not checked": "未检查",
    "Not checked": "未检查",
    "failed": "未通过",
    "nothing found": "未发现问题",
    # The charts of a run.
    ".": "。",
    "Memory in use on each GPU": "各 GPU 的已用显存",
    "Memory that PyTorch held on the fullest GPU": "占用最多的 GPU 上 PyTorch 持有的显存",
    "GPU {number}": "GPU {number}",
    "The peak is {peak} GiB, on GPU {gpu} after {time}.": "峰值 {peak} GiB，GPU {gpu}，{time}后。",
    "That is {share} % of the device's {device} GiB.": "占设备 {device} GiB 的 {share} %。",
    "The others of {count} GPUs are grey.": "共 {count} 个 GPU，其余以灰色表示。",
    "{peak} GiB, GPU {gpu}": "{peak} GiB，GPU {gpu}",
    "The highest is {peak} GiB, at step {step}; other processes and CUDA itself are not in "
    "it. The run has no system stream.": "最高为 {peak} GiB，在第 {step} 步；不含其他进程"
    "和 CUDA 自身的占用。该运行没有系统监控数据。",
    "Lengths": "长度",
    "Tokens in a step": "每步的 token 数",
    "Speed": "速度",
    "tokens": "token",
    "tokens/s per GPU": "token/秒（每 GPU）",
    "steps": "步",
    "hours": "小时",
    "minutes": "分钟",
    "seconds": "秒",
    "most of a response: {tokens}": "回复上限：{tokens}",
    "{metric}: at most {value}, at step {step}": "{metric}：最大 {value}，在第 {step} 步",
    "device: {device} GiB": "设备：{device} GiB",
    # What is counted.
    "{count} script": "{count} 个脚本",
    "{count} page": "{count} 个页面",
    "{count} row": "{count} 行",
    "{count} error": "{count} 个错误",
    "{count} warning": "{count} 个警告",
    "{count} note": "{count} 条提示",
    "{count} finding": "{count} 条结果",
    "{count} claim": "{count} 项声明",
    "{count} claim is": "{count} 项声明",
    "{count} inconsistent claim": "{count} 项声明不一致",
    "{count} inconclusive claim": "{count} 项声明无法判定",
    "{count} claim that is not consistent": "{count} 项不一致或未定的声明",
    "{count} step": "{count} 步",
    "MaxBatch confirmed": "最大批量已得到印证",
    "MaxBatch not confirmed": "最大批量未得到印证",
    "weak evidence": "证据较弱",
    "{count} sources agree": "{count} 个来源一致",
    "claims backed by {sources}": "支持声明的来源：{sources}",
    "{count} setting": "{count} 项设置",
    "{count} reason": "{count} 个原因",
    "{count} suppressed finding": "{count} 条已屏蔽的结果",
    "{count} unchecked matter": "{count} 项未检查的内容",
    "{count} row to paste": "{count} 行待粘贴的表格行",
    "{count} patch": "{count} 个补丁",
    "{count} line on what was checked": "{count} 行检查说明",
    "{count} thing to do": "{count} 项待办",
    "{count} further script": "{count} 个后续脚本",
    "{count} further thing to do": "{count} 项后续待办",
    "{gone} of {all}": "{all}中的 {gone} 项",
    "all {count}": "全部 {count}",
    "{count} not checked": "{count} 项未检查",
    "{count} suppressed": "{count} 条已屏蔽",
    # The verdict and the counts.
    "{scripts}: {what}.": "{scripts}：{what}。",
    "No scripts were checked.": "没有检查任何脚本。",
    " (--verbose shows them)": "（加 --verbose 显示）",
    " {count} can be fixed: {command}": "其中 {count} 个可自动修复：{command}",
    "Not ready: {what}.": "尚未就绪：{what}。",
    "Could not be checked: {what}": "无法完成检查：{what}",
    "Ready: 1 script agrees with its run.": "已就绪：1 个脚本与其运行一致。",
    "Ready: {total} scripts agree with their runs.": "已就绪：{total} 个脚本均与各自的运行一致。",
    "No errors in {scripts}; no run was compared.": "{scripts}没有错误；未与任何运行比较。",
    "No errors in {total} scripts; 1 agrees with its run, for the rest no run was compared.": (
        "{total} 个脚本没有错误；其中 1 个与其运行一致，其余未与运行比较。"
    ),
    (
        "No errors in {total} scripts; {some} agree with their runs, for the rest no run was "
        "compared."
    ): "{total} 个脚本没有错误；其中 {some} 个与各自的运行一致，其余未与运行比较。",
    "1 script {said}": "1 个脚本{said}",
    "contradicts its run": "与其运行相矛盾",
    "has {errors}": "有 {errors}",
    "1 of {total} scripts contradicts its run": "{total} 个脚本中有 1 个与其运行相矛盾",
    "{some} of {total} scripts contradict their runs": (
        "{total} 个脚本中有 {some} 个与各自的运行相矛盾"
    ),
    "{some} of {total} scripts": "{total} 个脚本中的 {some} 个",
    "{errors} in {where}": "{where}有 {errors}",
    "nothing was named": "未指定任何内容",
    "No errors in {rows} of {pages}.": "{pages} 的 {rows}没有错误。",
    "No new errors in {rows} of {pages}.": "{pages} 的 {rows}没有新的错误。",
    "{rows} compared with {scripts}": "{rows}与 {scripts}比较",
    "{which} failed": "{which}未通过",
    "{which}. {why}": "{which}。{why}",
    "{which}, for {reasons}.": "{which}，有 {reasons}。",
    # A run and its claims.
    "contradicts the script": "与脚本相矛盾",
    "contradicts: {what}": "相矛盾：{what}",
    "inconclusive: {why}": "无法判定：{why}",
    "consistent: {figures}": "一致：{figures}",
    " (and {count} more)": "（另有 {count} 项）",
    "claimed {value}": "声明为 {value}",
    "observed {value}": "实测为 {value}",
    "{claims} contradicted": "{claims}与运行相矛盾",
    "{claims} left open": "{claims}未定",
    "{said}, {open} left open": "{said}，{open} 项未定",
    "{claims} consistent": "{claims}一致",
    "{some} of {all} settings": "{all} 项设置中 {some} 项一致",
    "peak {peak} GiB": "峰值 {peak} GiB",
    "peak {peak} of {device} GiB": "峰值 {peak} / {device} GiB",
    "no run compared": "未与运行比较",
    "the run has {value}": "运行中为 {value}",
    "the run has no value": "运行中没有该值",
    "{what}: claimed {value}, {observed}": "{what}：声明为 {value}，{observed}",
    "All {count} claims": "全部 {count} 项声明",
    "The claim": "声明",
    "contradicted by the run": "与运行相矛盾",
    # Launches.
    "line {line}, {version}": "第 {line} 行，{version}",
    "line {line} starts {version} with {settings}": "第 {line} 行启动 {version}，含 {settings}",
    ", known in part": "，仅部分已知",
    "compared with {source}": "与 {source} 比较",
    "if {condition}": "假设 {condition}",
    "starts no known framework": "未启动任何已知框架",
    "not known: {what}": "未知：{what}",
    " by {variables}": "，经由 {variables}",
    "; default of {variables}": "；{variables} 的默认值",
    # The row and the page.
    "{path} already has it, in section {section}.": "{path} 的 {section} 一节中已有该行。",
    "replaces a row in section {section} of {path}; to paste:": (
        "替换 {path} 中 {section} 一节的一行；可粘贴："
    ),
    "new in section {section} of {path}; to paste:": "新增于 {path} 的 {section} 一节；可粘贴：",
    "A new row of section {section}, for {script}:": "{section} 一节的新行，对应 {script}：",
    "Replaces a row of section {section}, for {script}:": (
        "替换 {section} 一节中的一行，对应 {script}："
    ),
    "Row to paste into {pages}": "可粘贴到 {pages} 的表格行",
    "{count} rows to paste into {pages}": "可粘贴到 {pages} 的 {count} 行表格",
    "Patch of {pages}": "{pages} 的补丁",
    "{count} patches of {pages}": "{pages} 的 {count} 个补丁",
    # What stands around them.
    "Checked with {tool}": "检查工具：{tool}",
    "Checked at {head}": "检查的提交：{head}",
    "Neither a tuning script nor the page of rows is altered.": "没有改动调优脚本或表格页面。",
    "Nothing is left to check.": "已没有需要检查的内容。",
    "This pull request no longer alters a tuning script or the page of rows.": (
        "此拉取请求不再改动调优脚本或表格页面。"
    ),
    "Could not be checked: {scripts} not read.": "无法检查：{scripts}未能读取。",
    "{count} more": "另有 {count} 项",
    "{count} further findings have no annotation.": "另有 {count} 项发现没有注释。",
    "commit {head}": "提交 {head}",
    "commit {head} on base {base}": "提交 {head}，基于 {base}",
    "What was checked": "检查的内容",
    "To do": "待办",
    "{count} more to do": "另有 {count} 项待办",
    "{scripts} more": "另有{scripts}",
    "{findings} suppressed in the script": "{findings}在脚本中被屏蔽",
    "reason at line {line}: {reason}": "第 {line} 行给出的理由：{reason}",
    "{line}:{column} {id}, by line {comment} ({reason}): {message}": (
        "{line}:{column} {id}，由第 {comment} 行屏蔽（{reason}）：{message}"
    ),
    "not checked: {what}": "未检查：{what}",
    "Not checked: {check}: {reason}": "未检查：{check}：{reason}",
    "Left out to stay under {limit} characters: {what}. The JSON report holds everything.": (
        "为不超过 {limit} 个字符而省略：{what}。JSON 报告包含全部内容。"
    ),
    "Not shown as annotations: {what} (GitHub shows {limit} of a kind for a step).": (
        "未显示为注解的还有：{what}（GitHub 每个步骤每类只显示 {limit} 条）。"
    ),
    "The root of the repository.": "仓库的根目录。",
    "The script claims what its run does not have.": "脚本声明的内容与其运行不符。",
    "Correct the script, or link the run that it was made from.": (
        "请更正脚本，或链接到它所对应的运行。"
    ),
    # The memory budget.
    "memory": "显存",
    "{count} memory budget": "{count} 份显存预算",
    "{gpus} × {device} ({usable} GiB usable): {outcome}, {peak} GiB expected": (
        "{gpus} × {device}（可用 {usable} GiB）：{outcome}，预计 {peak} GiB"
    ),
    "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, {seen} GiB measured": (
        "{gpus} × {device}（可用 {usable} GiB）：预计 {peak} GiB，实测 {seen} GiB"
    ),
    (
        "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, {seen} GiB measured by the "
        "allocator of one rank"
    ): "{gpus} × {device}（可用 {usable} GiB）：预计 {peak} GiB，单个 rank 的分配器实测 {seen} GiB",
    (
        "{gpus} × {device} ({usable} GiB usable): {peak} GiB expected, and the run completed "
        "{steps}"
    ): "{gpus} × {device}（可用 {usable} GiB）：预计 {peak} GiB，该运行已完成 {steps}",
    "{name}: no prediction. {reason}": "{name}：无法预测。{reason}",
    "{name} on {what}": "{name}，{what}",
    "impossible": "不可能",
    "likely OOM": "很可能显存不足",
    "tight": "紧张",
    "fits": "放得下",
    "stage": "阶段",
    "floor": "下限",
    "expected": "预计",
    "conservative": "保守",
    "binds": "最紧",
    "weights": "权重",
    "gradients": "梯度",
    "optimizer's temporaries": "优化器临时量",
    "activations": "激活值",
    "gathered weights": "聚合的权重",
    "whole gradients": "完整梯度",
    "logits": "logits（词表输出）",
    "DoRA's product": "DoRA 的乘积",
    "allocator": "分配器",
    "contexts": "CUDA 上下文",
    "engine weights": "引擎权重",
    "engine cache": "引擎缓存",
    "engine activations": "引擎激活值",
    "sleeping engine": "休眠的引擎",
    "actor, idle": "actor（空闲）",
    "critic, idle": "critic（空闲）",
    "reference, idle": "参考模型（空闲）",
    "reward, idle": "奖励模型（空闲）",
    "rollout": "生成",
    "weight sync": "权重同步",
    "log-prob": "对数概率",
    "reward": "奖励",
    "critic": "价值",
    "update": "更新",
    "optimizer": "优化器",
    "{stage}: {parts}": "{stage}：{parts}",
    "would help most: {options}": "最有帮助的选项：{options}",
    "on already: {options}": "已启用：{options}",
    "on each host: {gib} GiB of memory": "每台主机：{gib} GiB 内存",
    "assumed: {assumptions}": "假设：{assumptions}",
    "Memory budget: {what}": "显存预算：{what}",
    # Recommendations.
    "published row": "已发布的行",
    "Predicted, nobody has run it:": "预测，尚无人运行：",
    "predicted, nobody has run it": "预测，尚无人运行",
    "What the options do, the cheapest in time first:": "各选项的作用，按耗时由少到多：",
    "hardware": "硬件",
    "verdict": "判断",
    "margin": "余量",
    "options": "选项",
    "no memory option": "不用节省显存的选项",
    (
        "{task} of {model} with {framework} {release}, {tokens} tokens, "
        "batch {batch}, GPU budget {gpus}"
    ): ("{model} 的 {task}，{framework} {release}，{tokens} token，批量 {batch}，GPU 上限 {gpus}"),
    "{verdict}: {peak} of {usable} GiB, margin {margin}; {stage} binds": (
        "{verdict}：{usable} GiB 中用 {peak}，余量 {margin}；{stage} 阶段最紧"
    ),
    "; {gib} GiB on each host": "；每台主机另占 {gib} GiB 内存",
    "Nothing fits on {device} within a GPU budget of {budget}. The nearest is {gpus} × {device}:": (
        "{device} 在 {budget} 块 GPU 以内都放不下。最接近的是 {gpus} × {device}："
    ),
    "Nor on {devices}.": "以下设备也放不下：{devices}。",
    "{stage} takes {needed} GiB of {usable}: {parts}": (
        "{stage} 阶段要 {needed} GiB，可用 {usable} GiB：{parts}"
    ),
    "the engine needs {needed} GiB, its share of the card is {share}": (
        "引擎需要 {needed} GiB，它在卡上的份额是 {share}"
    ),
    "Ranked by the memory of all GPUs together, then by fewer options; published rows first.": (
        "先列已发布的行，再按全部 GPU 的显存总量、选项数由少到多排序。"
    ),
}

NAMES: Final[Mapping[str, str]] = {
    # Checks that were not made.
    "evidence": "运行证据",
    "page": "文档页面",
    "script": "脚本",
    # Claims.
    "run": "运行",
    "model": "模型",
    "task": "任务",
    "algorithm": "算法",
    "adapter": "适配器",
    "gpus": "GPU 数量",
    "device": "设备",
    "train backend": "训练后端",
    "inference engine": "推理引擎",
    "train batch": "训练批量",
    "mini batch": "小批量",
    "micro batch": "微批量",
    "rollout n": "每个提示的响应数",
    "prompt length": "提示长度",
    "response length": "响应长度",
    "steps without OOM": "无显存溢出的步数",
    "peak memory": "显存峰值",
    "max batch": "最大批量",
    "settings": "设置",
    "contributor": "贡献者",
    "peak memory, allocator": "显存峰值（分配器）",
    "running maximum": "累计最大值",
    "peak above the weights": "峰值不低于权重",
    "peak against the estimate": "峰值与估算",
    "least hardware": "最少硬件",
    "newer than its release": "晚于所用版本的发布",
    "run used once": "运行未被重复使用",
    "micro batch per GPU": "每 GPU 微批量",
    # Where an observation comes from.
    "configuration": "配置",
    "metrics": "指标",
    "host": "主机",
    "printed configuration": "打印的配置",
    "printed steps": "打印的步骤",
    "printed configuration, host metadata": "打印的配置与主机元数据",
    "run config, host metadata": "运行配置与主机元数据",
    "system stream, history": "系统监控数据与历史记录",
    "page, scripts": "文档页面与脚本",
    "other runs of the project": "项目中的其他运行",
    "the script's trial log": "脚本的试验记录",
    "run config": "运行配置",
    "run record": "运行记录",
    "host metadata": "主机元数据",
    "metadata": "元数据",
    "system stream": "系统监控数据",
    "history": "历史记录",
    "console": "控制台日志",
}
