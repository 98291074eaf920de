"""What is said of reading a run from its server, in Chinese: English template to Chinese one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # access.py
    (
        "The key for {host} could not be looked up in {file}{where}: mend the file or set "
        "WANDB_API_KEY."
    ): "无法在 {file}{where}中查找 {host} 的密钥：请修正该文件，或设置 WANDB_API_KEY。",
    ", line {line}": " 第 {line} 行",
    # failure.py
    (
        "The run {run} could not be read without a key: set WANDB_API_KEY to one that may see "
        "it, or make the project public."
    ): "没有密钥便无法读取运行 {run}：请将 WANDB_API_KEY 设为有权查看的密钥，或将项目设为公开。",
    (
        "{host} refused the API key{status}: make a new one in the account's settings there and "
        "set WANDB_API_KEY."
    ): "{host} 拒绝了该 API 密钥{status}：请在其账户设置中新建密钥，并设置 WANDB_API_KEY。",
    (
        "{host} does not let this key read {stage} of the run {run}{status}: use the key of "
        "somebody who may, or make the project public."
    ): (
        "运行 {run}：{host} 不允许用此密钥读取{stage}{status}；请使用有权者的密钥，"
        "或将项目设为公开。"
    ),
    (
        "The project {project} is not known to be public, and what a key can see there would be "
        "reported: make the project public, or set allow_private_runs in the configuration."
    ): (
        "无法确认项目 {project} 是公开的，而密钥在其中所见的内容会写入报告：请将项目设为公开，"
        "或在配置中设置 allow_private_runs。"
    ),
    (
        "The run {run} was not found on {host}: it was deleted, or the link is wrong, or its "
        "project is private and this key may not see it."
    ): "在 {host} 上未找到运行 {run}：已被删除，或链接有误，或其项目为私有且此密钥无权查看。",
    (
        "The run {run} was there at first and was gone while {stage} was read: it was deleted or "
        "moved; link a run that stays."
    ): "运行 {run} 起初存在，读取{stage}时已不在：已被删除或移走；请链接会保留的运行。",
    (
        "{host} asks for fewer requests (HTTP 429){wait}; {stage} could not be read: run the "
        "same command again later."
    ): "{host} 要求减少请求（HTTP 429）{wait}；{stage}未能读取：请稍后重新执行同一命令。",
    (
        "{host} failed to answer{status} while {stage} was read, several times in a row: run the "
        "same command again later."
    ): "读取{stage}时 {host} 连续多次未能应答{status}：请稍后重新执行同一命令。",
    (
        "{host} gave an unexpected answer{status} while {stage} was read: check that "
        "WANDB_BASE_URL, or the link's host, is a W&B server."
    ): (
        "读取{stage}时 {host} 的应答出乎意料{status}：请确认 WANDB_BASE_URL 或链接的主机是 W&B "
        "服务器。"
    ),
    (
        "{host} redirects elsewhere{status}, which is not followed: set WANDB_BASE_URL to the "
        "address of the API itself."
    ): "{host} 重定向到别处{status}，不予跟随：请将 WANDB_BASE_URL 设为 API 本身的地址。",
    (
        "{host} could not be reached ({detail}): check the address and the network, then run the "
        "same command again."
    ): "无法连接 {host}（{detail}）：请检查地址和网络，然后重新执行同一命令。",
    (
        "No safe connection to {host} could be made ({detail}): check its certificate, or name "
        "the authority that signed it in SSL_CERT_FILE."
    ): (
        "无法与 {host} 建立安全连接（{detail}）：请检查其证书，或用 SSL_CERT_FILE "
        "指定签发该证书的机构。"
    ),
    (
        "{host} answered with something that is no answer of W&B while {stage} was read: check "
        "that WANDB_BASE_URL, or the link's host, is a W&B server."
    ): (
        "读取{stage}时 {host} 返回的不是 W&B 的应答：请确认 WANDB_BASE_URL 或链接的主机是 W&B "
        "服务器。"
    ),
    (
        "{host} sent more than the reading takes in ({detail}) while {stage} was read: download "
        "the run's folder and pass it with --run."
    ): (
        "读取{stage}时 {host} 发来的数据超出读取上限（{detail}）：请下载运行的文件夹，用 --run "
        "指定。"
    ),
    (
        "{host} gave no sign for {time} while {stage} was read{cause}: run the same command "
        "again later."
    ): "读取{stage}时 {host} 在 {time}内没有任何响应{cause}：请稍后重新执行同一命令。",
    (
        "Reading the run {run} from {host} was ended after {time}, at {stage}: run the same "
        "command again on a faster connection, or download the run's folder and pass it with "
        "--run."
    ): (
        "从 {host} 读取运行 {run} 在 {time}后中止，当时正在读取{stage}："
        "请用更快的网络重新执行同一命令，或下载运行的文件夹，用 --run 指定。"
    ),
    (
        "The W&B SDK could not read {stage} of the run {run} ({detail}): run the same command "
        "again later, or download the run's folder and pass it with --run."
    ): (
        "运行 {run}：W&B SDK 未能读取{stage}（{detail}）；请稍后重新执行同一命令，"
        "或下载运行的文件夹，用 --run 指定。"
    ),
    (
        "The process that reads runs ended unexpectedly while {stage} was read ({detail}): run "
        "the same command again, or download the run's folder and pass it with --run."
    ): (
        "读取{stage}时读取进程意外结束（{detail}）：请重新执行同一命令，或下载运行的文件夹，用 "
        "--run 指定。"
    ),
    (
        "The W&B SDK that reads runs does not work here ({detail}): reinstall rlbot, or download "
        "the run's folder and pass it with --run."
    ): (
        "用于读取运行的 W&B SDK 在此无法工作（{detail}）：请重新安装 rlbot，或下载运行的文件夹，用 "
        "--run 指定。"
    ),
    " (HTTP {status})": "（HTTP {status}）",
    " and a wait of {time}": "，并等待 {time}",
    " ({detail})": "（{detail}）",
    "no reason given": "未说明原因",
    "{seconds} seconds": "{seconds} 秒",
    "the run": "该运行",
    "the history": "历史记录",
    "the system stream": "系统监控数据",
    "the console": "控制台日志",
    "the metadata": "元数据",
    "the list of the project's runs": "项目的运行列表",
    "connection refused": "连接被拒绝",
    "connection reset by peer": "连接被对方重置",
    "connection timed out": "连接超时",
    "network is unreachable": "网络不可达",
    "no route to host": "没有到主机的路由",
    "self-signed certificate": "自签名证书",
    "certificate has expired": "证书已过期",
    "unable to get local issuer certificate": "无法获取本地颁发者证书",
    # probe.py, sdk.py, child.py, process.py
    "its name is not known": "主机名无法解析",
    "the connection was closed": "连接被关闭",
    "the SDK's service is not running": "SDK 的服务未在运行",
    "its memory is used up": "内存已用尽",
    "more than {count} bytes": "超过 {count} 字节",
    "more than {count} bytes for one line": "一行超过 {count} 字节",
    "more than {count} bytes of facts": "事实数据超过 {count} 字节",
    "{count} bytes": "{count} 字节",
    "{count} rows": "{count} 行",
    "it closed its output": "其输出已关闭",
    "by {signal}": "信号 {signal}",
    "with status {status}": "状态码 {status}",
    # reading.py, siblings.py
    "The other runs of the project were not looked at. {why}": "未查看项目中的其他运行。{why}",
    "The other runs of the project could not be listed{status}.": (
        "无法列出项目中的其他运行{status}。"
    ),
    "The project has {total} other runs; {looked} of them, the newest, were looked at.": (
        "项目中另有 {total} 个运行；只查看了其中最新的 {looked} 个。"
    ),
    (
        "Of {suspects} other runs that may have failed, the consoles of {searched} were searched."
    ): "另有 {suspects} 个运行可能失败，只搜索了其中 {searched} 个的控制台日志。",
    "The consoles of {failed} other runs could not be read.": (
        "另有 {failed} 个运行的控制台日志未能读取。"
    ),
    # assemble.py
    "W&B run {run}": "W&B 运行 {run}",
    (
        "The run is still going on (W&B says: {state}): what it logs after this reading is not "
        "part of the comparison."
    ): "该运行仍在进行（W&B 标为：{state}）：此次读取之后记录的内容未参与比较。",
    "no end": "无结束状态",
    "The run was changed while it was read: what is compared may be of before and after.": (
        "该运行在读取期间有变动：所比较的内容可能新旧混杂。"
    ),
    # history.py
    (
        "Reading the history stopped after {bound}, at row {row} of {counted}: what follows is "
        "not part of the comparison."
    ): "读取历史记录满 {bound}后停止，位于第 {row} 行（共 {counted} 行）：其后的内容未参与比较。",
    (
        "W&B counts {counted} {what} and gave {given}: {missing} are not part of the comparison."
    ): "W&B 统计有 {counted} {what}，只给出 {given} 行：有 {missing} 行未参与比较。",
    "rows": "行",
    "rows of {key}": "行 {key}",
    # streams.py
    (
        "Of {counted} samples of the system stream W&B gave {given}: a higher peak may lie "
        "between them."
    ): "系统监控数据共 {counted} 个采样，W&B 只给出 {given} 个：其间可能有更高的峰值。",
    (
        "W&B gave {given} samples of the system stream, as many as were asked for, and does not "
        "say how many there are: a higher peak may lie between them."
    ): ("W&B 按所请求的数量给出系统监控数据的 {given} 个采样，未说明总数：其间可能有更高的峰值。"),
    (
        "Of the console, {first}the last {lines} lines{of} were searched for out-of-memory "
        "errors: an earlier one would not have been seen."
    ): "控制台日志{of}中，只在{first}最后 {lines} 行里搜索了显存溢出错误：更早的不会被发现。",
    "the first {lines} and ": "前 {lines} 行和",
    " of {counted}": "（共 {counted} 行）",
    "files/{name} has {size} bytes, more than {limit}; it was not read.": (
        "files/{name} 有 {size} 字节，超过 {limit}，未读取。"
    ),
    "files/{name} is listed but could not be fetched{status}.": (
        "files/{name} 在列表中，但未能取得{status}。"
    ),
}
