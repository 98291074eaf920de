"""What the claims and the choice of a run say, in Chinese: English template to Chinese one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # batch_claims.py
    "It fits: the run trained with {batch}. Whether more fits was not shown.": (
        "可行：该运行以 {batch} 完成训练；更大的批量是否可行未得到证明。"
    ),
    "; nothing between {batch} and {failed} was tried": "；{batch} 与 {failed} 之间未作尝试",
    "The run trained with {run}, not with {script}.": "该运行以 {run} 训练，而不是 {script}。",
    "The run trained with {batch} and ran out of memory.": (
        "该运行以 {batch} 训练并发生显存溢出。"
    ),
    "The run trained with {batch}, but that it fits is open: {why}": (
        "该运行以 {batch} 训练，但能否放得下尚无定论：{why}"
    ),
    (
        "A larger batch runs: {larger} ran for {steps} steps in run {run}, whose "
        "configuration is the same but for the batch sizes."
    ): ("更大的批量可以运行：运行 {run} 以 {larger} 完成了 {steps} 步，其配置除批量外完全相同。"),
    (
        "Confirmed: {batch} ran, {failed} ran out of memory in run {run}, whose "
        "configuration is the same but for the batch sizes{gap}."
    ): (
        "已得到印证：{batch} 可以运行，而 {failed} 在运行 {run} 中显存溢出，其配置除批量外完"
        "全相同{gap}。"
    ),
    (
        "It fits: the run trained with {batch}. That {failing} does not is what the "
        "script's own trial log says; no run shows it."
    ): (
        "可行：该运行以 {batch} 完成训练。{failing} 不可行只见于脚本自己的试验记录，没有运行"
        "加以证明。"
    ),
    "The script's own trial log marks {batch} as failing.": (
        "脚本自己的试验记录将 {batch} 标为失败。"
    ),
    "The script's own trial log marks {best} as passing.": (
        "脚本自己的试验记录将 {best} 标为成功。"
    ),
    # claims.py
    "The run agrees with what the script says besides {names}.": (
        "除 {names} 之外，该运行与脚本所写一致。"
    ),
    "The script's value cannot be known without running it.": "不执行脚本便无法得知该值。",
    "The run does not agree with what the script says besides {names}.": (
        "除 {names} 之外，该运行与脚本所写不一致。"
    ),
    "The script deletes this key, and the run has none.": "脚本删除了该键，运行中也没有。",
    "Settings of Hydra itself are not part of the run's configuration.": (
        "Hydra 自身的设置不属于运行配置。"
    ),
    "The script chooses a group of the configuration here; its entries are compared.": (
        "脚本在此选择了一个配置组；比较的是组内各项。"
    ),
    "The script deletes this key, and the run still has it.": "脚本删除了该键，但运行中仍有。",
    # console_log.py
    "console log {name}, which is text that its owner can edit": (
        "控制台日志 {name}（其所有者可以编辑的文本）"
    ),
    (
        "Reading stopped after {bytes} bytes of the log, its limit: what follows is not "
        "part of the comparison."
    ): "日志读取到上限 {bytes} 字节为止，其后的内容未参与比较。",
    (
        "Lines of the log that were longer than {limit} characters: {lines}; their ends "
        "were not read."
    ): "日志中有 {lines} 行超过 {limit} 个字符，超出部分未读取。",
    (
        "The log prints a configuration, but other text stands inside of it, so that it "
        "cannot be read."
    ): "日志打印了配置，但其中夹杂其他文本，无法读取。",
    (
        "The log prints {configurations} different configurations, so it holds more than "
        "one launch; the first configuration is compared."
    ): "日志打印了 {configurations} 份不同的配置，即包含多次启动；比较的是第一份。",
    "The log names {runs} W&B runs; it is taken for none of them.": (
        "日志提到 {runs} 个 W&B 运行，不视为其中任何一个。"
    ),
    # find_links.py, which_run.py, change_runs.py
    (
        "The text has {characters} characters; links after the first {limit} were not looked for."
    ): "文本有 {characters} 个字符；前 {limit} 个字符之后的链接未查找。",
    (
        "{links} runs are linked for {script}, of which one can back its row: write a "
        "comment `# wandb: LINK` into the script for the one that is meant."
    ): (
        "为 {script} 链接了 {links} 个运行，而一行只能由一个运行支持：请在脚本中用注释 `# wan"
        "db: LINK` 写明所指的运行。"
    ),
    (
        "{links} runs are linked and {scripts} scripts are changed, and nothing says which "
        "run belongs to {script}: write a comment `# wandb: LINK` into the script, or the "
        "link on the line of its name."
    ): (
        "链接了 {links} 个运行，改动了 {scripts} 个脚本，但未说明哪个运行属于 {script}：请在"
        "脚本中写注释 `# wandb: LINK`，或把链接写在脚本名所在的行。"
    ),
    (
        "No run is linked. The pull request names {text}, which is not read: {reason} Link "
        "the run in the pull request, or add a comment `# wandb: LINK` to the script."
    ): (
        "未链接运行。拉取请求中提到的 {text} 不予读取：{reason} 请在拉取请求中链接该运行，或"
        "在脚本中添加注释 `# wandb: LINK`。"
    ),
    # hardware_claims.py
    "The configuration agrees, and the job used {gpus} GPUs.": (
        "配置一致，作业使用了 {gpus} 个 GPU。"
    ),
    "The configuration agrees, and the job used {gpus} GPUs of the host's {host}.": (
        "配置一致，作业使用了主机 {host} 个 GPU 中的 {gpus} 个。"
    ),
    "The host's GPUs are not all of a kind that rlbot knows.": (
        "主机的 GPU 并非都是 rlbot 已知的型号。"
    ),
    "The number of GPUs cannot be known by reading the script.": "仅阅读脚本无法得知 GPU 数量。",
    "The run's configuration asks for another number of GPUs.": "运行配置要求的 GPU 数量不同。",
    "The host has {host} GPUs, fewer than the {needed} that a node must give.": (
        "主机有 {host} 个 GPU，少于每个节点所需的 {needed} 个。"
    ),
    (
        "The configuration agrees, but the host's GPUs were not recorded (the process that "
        "wrote the run may sit on another node)."
    ): "配置一致，但未记录主机的 GPU（写入该运行的进程可能在另一个节点上）。",
    "The configuration agrees, but W&B records one host of the {nodes} nodes.": (
        "配置一致，但 W&B 只记录了 {nodes} 个节点中的一台主机。"
    ),
    "The file's name claims no device; this is the run's.": (
        "文件名未声明设备；此为运行所用的设备。"
    ),
    "{token} is not a device that rlbot knows the memory of.": (
        "rlbot 不知道 {token} 的显存大小。"
    ),
    "Name and memory are those of {label}.": "名称与显存均符合 {label}。",
    "Neither name nor memory allow {token}: the run was on another device.": (
        "名称与显存均不符合 {token}：该运行使用了其他设备。"
    ),
    "W&B records nothing of Ascend devices.": "W&B 不记录昇腾设备。",
    "The run's metadata names no GPU.": "运行的元数据未列出 GPU。",
    "The name is that of {label}; the memory was not recorded.": (
        "名称符合 {label}，但未记录显存。"
    ),
    "The name is that of {token}, but no {token} has this memory.": (
        "名称符合 {token}，但没有哪种 {token} 具有这样的显存。"
    ),
    "A console log names no GPU.": "控制台日志未列出 GPU。",
    "The configuration agrees, but a console log does not name the host's GPUs.": (
        "配置一致，但控制台日志未列出主机的 GPU。"
    ),
    # key_claims.py
    "The run that was read is the one that the link names.": "读取的运行就是链接所指的运行。",
    "The script's model cannot be known by reading it, and the names differ.": (
        "仅阅读脚本无法得知模型，且名称不同。"
    ),
    "The run trained without an adapter.": "该运行未使用适配器。",
    "OpenRLHF uses {implied}.": "OpenRLHF 使用 {implied}。",
    (
        "The run that was read is not the one that the link names, so it says nothing "
        "about this script; give the linked run, or correct the link."
    ): "读取的运行不是链接所指的运行，因此不能说明此脚本；请提供所链接的运行，或更正链接。",
    "The model's path is not resolved in the run, or not known from the script.": (
        "模型路径在运行中未解析，或无法从脚本得知。"
    ),
    "The run trained the script's model.": "该运行训练的正是脚本的模型。",
    "The run's model bears the name that the file's name gives.": (
        "运行的模型名称与文件名所写相符。"
    ),
    "The run's model has another size than the file's name gives.": (
        "运行的模型规模与文件名所写不同。"
    ),
    "The script's adapter cannot be known by reading it.": "仅阅读脚本无法得知适配器。",
    "The run's configuration agrees.": "运行配置一致。",
    "The run trained with {adapter}.": "该运行使用了 {adapter}。",
    "The run does not say its own id.": "该运行未写明自己的编号。",
    "The run trained another model than the script's.": "该运行训练的模型与脚本的不同。",
    "The run trained the script's model, from another path.": (
        "该运行训练的正是脚本的模型，只是路径不同。"
    ),
    "The run's settings show it.": "运行的设置表明如此。",
    # owner_claims.py
    (
        "The run was logged by the W&B user {user}, the contribution comes from "
        "{contributor}. These are names on two services, so it may well be one person."
    ): (
        "该运行由 W&B 用户 {user} 记录，贡献来自 {contributor}。两者是不同服务上的名称，很可"
        "能是同一人。"
    ),
    "The run is newer than the release of {package} that it used.": (
        "该运行晚于其所用 {package} 版本的发布。"
    ),
    "No other row and no other script names this run.": "没有其他表格行或脚本使用此运行。",
    "The run's W&B user bears the contributor's name.": "运行的 W&B 用户名与贡献者相同。",
    (
        "The run was created on {created}, before {package} {version} was released on "
        "{released}: one of the two was changed, or the version is that of a copy."
    ): (
        "该运行创建于 {created}，早于 {package} {version} 的发布日 {released}：两者之一被改动"
        "过，或该版本来自某个副本。"
    ),
    "The run backs {places} already; a row needs a run of its own.": (
        "该运行已用于 {places}；每一行需要自己的运行。"
    ),
    # least_claims.py
    "The run used more than a card of half the memory would give.": (
        "该运行的用量超过显存减半的卡所能提供的。"
    ),
    (
        "Twice the peak is {twice}, and the {device} gives {usable}: a card of half the memory "
        "would do. Try it there, or tag the row RECOMMENDED."
    ): (
        "峰值的两倍为 {twice}，而 {device} 可提供 {usable}：显存减半的卡即可。请在其上试运行，"
        "或将该行标为 RECOMMENDED。"
    ),
    (
        "Twice the peak is {twice}, and the {device} gives {usable}: half the GPUs, or cards of "
        "half the memory, would do. Try it there, or tag the row RECOMMENDED."
    ): (
        "峰值的两倍为 {twice}，而 {device} 可提供 {usable}：一半的 GPU 或显存减半的卡即可。"
        "请在其上试运行，或将该行标为 RECOMMENDED。"
    ),
    # peak_claims.py
    "{gib}, the highest of {rows} values": "{gib}，为 {rows} 个值中的最高值",
    (
        "{seen} of GPU {gpu}; physical memory of all processes, sampled (every 15 s by default)."
    ): "{seen}（GPU {gpu}）；所有进程的物理显存，按采样得出（默认每 15 秒一次）。",
    "Of one rank, and not more than what was in use on the fullest GPU.": (
        "为单个 rank 的数值，不超过占用最多的 GPU 上的用量。"
    ),
    (
        "The allocator's running maximum reached {gib} and fell again, which it does not "
        "within one process: the run was resumed, or its values are not those that were "
        "logged."
    ): (
        "分配器的累计最大值曾达到 {gib} 而后下降，而在同一进程内不会如此：该运行曾被恢复，或"
        "其数值并非当初所记录。"
    ),
    "The weights of a model of {size} take {least} on each of {gpus} GPUs in 16 bits.": (
        "{size} 模型的权重以 16 位存放时，在 {gpus} 个 GPU 上各占 {least}。"
    ),
    "Within what the memory model allows; it expects {expected}.": (
        "在显存模型允许的范围内；模型的预期为 {expected}。"
    ),
    "The run has no memory metric, neither in the system stream nor {key} in the history.": (
        "该运行没有显存指标：系统监控数据中没有，历史记录中也没有 {key}。"
    ),
    "{seen}; the device's memory is not known.": "{seen}；设备的显存未知。",
    "{seen} of one rank; the allocator's figure may leave the inference engine out.": (
        "{seen}（单个 rank）；分配器的数值可能不含推理引擎。"
    ),
    "{seen} of GPU {gpu}: more than the device has.": "{seen}（GPU {gpu}）：超过设备的显存。",
    "{seen}: these are not the GPUs that trained.": "{seen}：这些不是参与训练的 GPU。",
    (
        "{seen} of GPU {gpu}, less than half of what the job allocated: these may not be "
        "the GPUs that trained."
    ): "{seen}（GPU {gpu}），不到作业分配量的一半：这些可能不是参与训练的 GPU。",
    (
        "Of one rank; more than the device has, as it may include memory that an inference "
        "engine has given back."
    ): "为单个 rank 的数值；超过设备的显存，因为其中可能包含推理引擎已归还的显存。",
    (
        "Of one rank; more than the {gib} that were seen in use on a GPU: samples are 15 s "
        "apart, or these are not the GPUs that trained."
    ): (
        "为单个 rank 的数值；超过 GPU 上所见的用量 {gib}：采样间隔为 15 秒，或这些不是参与训"
        "练的 GPU。"
    ),
    "The allocator's running maximum never falls, as in one process it cannot.": (
        "分配器的累计最大值从未下降，同一进程内本应如此。"
    ),
    (
        "The weights of a model of {size} alone take {least} on each of {gpus} GPUs in 16 "
        "bits, more than was seen in use: the model or the evidence is another one."
    ): (
        "仅 {size} 模型的权重以 16 位存放，在 {gpus} 个 GPU 上就各占 {least}，超过所见的用量"
        "：模型或证据另有所属。"
    ),
    (
        "Below {floor}, which must be resident by the memory model: the estimate or the "
        "evidence is wrong, which a person should look at."
    ): "低于显存模型要求常驻的 {floor}：估算或证据有误，需由人查看。",
    "Above what the memory model expects at most.": "高于显存模型预期的上限。",
    (
        "{seen} of one rank: more than the device has, as the allocator's figure may "
        "include memory that an inference engine has given back."
    ): "{seen}（单个 rank）：超过设备的显存，因为分配器的数值可能包含推理引擎已归还的显存。",
    # progress_claims.py
    "{steps} steps, with responses of up to {longest} of {limit} tokens.": (
        "{steps} 步，最长响应为 {longest} 个词元（上限 {limit}）。"
    ),
    "The run reports an out-of-memory error.": "该运行报告了显存溢出错误。",
    "The run's history has no {key}.": "运行的历史记录中没有 {key}。",
    "{steps} steps are too few to have seen responses of full length.": (
        "{steps} 步太少，不足以出现达到最大长度的响应。"
    ),
    "The run ended with exit code {code}; its log does not say why.": (
        "该运行以退出码 {code} 结束；日志未说明原因。"
    ),
    "W&B calls the run {state}; its console does not say why.": (
        "W&B 将该运行标为 {state}；控制台未说明原因。"
    ),
    "The run's history has no {key}: how long responses were is open.": (
        "运行的历史记录中没有 {key}：响应有多长无法得知。"
    ),
    "The longest response allowed is not known, so full length cannot be told.": (
        "允许的最大响应长度未知，无法判断是否达到。"
    ),
    (
        "The longest response had {longest} of {limit} tokens: memory at full length was not shown."
    ): "最长响应为 {longest} 个词元（上限 {limit}）：达到最大长度时的显存未得到证明。",
    (
        "{steps} steps, with responses of up to {longest} of {limit} tokens; the log has "
        "no end, so what followed is not known."
    ): ("{steps} 步，最长响应为 {longest} 个词元（上限 {limit}）；日志没有结尾，其后的情况未知。"),
    "The run reports an out-of-memory error after {steps} steps.": (
        "该运行在 {steps} 步之后报告了显存溢出错误。"
    ),
    # subject.py
    "The run's configuration has no such key ({key}).": "运行配置中没有该键（{key}）。",
    "The script's value cannot be known by reading it.": "仅阅读脚本无法得知该值。",
    "The file's name says otherwise; the script's own value cannot be known.": (
        "文件名所写不同；脚本自身的值无法得知。"
    ),
    (
        "The script leaves it to the framework, whose default in {framework} {release} "
        "differs; the run's release is not known to be that."
    ): (
        "脚本将其交由框架决定，而 {framework} {release} 的默认值不同；无法确认运行所用的就是"
        "该版本。"
    ),
    "The run used the framework's default, which the script leaves.": (
        "该运行使用了脚本沿用的框架默认值。"
    ),
    "The run used the script's value.": "该运行使用了脚本的值。",
    "The run recorded no configuration.": "该运行未记录配置。",
    "The run's configuration does not say it.": "运行配置未写明。",
    "The script does not set it.": "脚本未设置该项。",
    "One side is not resolved: it refers to others.": "其中一方引用了其他值，未能解析。",
    "The run did not use the framework's default, which the script leaves.": (
        "该运行未使用脚本沿用的框架默认值。"
    ),
    "The run did not use the script's value.": "该运行未使用脚本的值。",
}
