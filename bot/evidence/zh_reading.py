"""What is said of links and of reading a run from disk, in Chinese: English to Chinese template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # __init__.py
    "Nothing is to be fetched: leave --offline out, or pass the run's folder with --run.": (
        "已要求不联网：请去掉 --offline，或用 --run 指定运行的文件夹。"
    ),
    # links.py
    "The link is not one to a run: {why}. Expected {form}.": (
        "该链接不指向一个运行：{why}。应为 {form}。"
    ),
    (
        "The link's host {host} is not one that evidence is read from ({known}); add a "
        "self-hosted server to the configuration."
    ): "链接的主机 {host} 不在可读取证据的主机之列（{known}）；自建服务器请加入配置。",
    "it has {count} characters, more than {limit}": "长 {count} 个字符，超过 {limit}",
    "it holds spaces, backslashes or characters outside of printable ASCII": (
        "含有空格、反斜杠或可打印 ASCII 以外的字符"
    ),
    "it does not begin with https://": "不以 https:// 开头",
    "it names a port": "指定了端口",
    "it holds a user name or password; remove them, and renew the password": (
        "含有用户名或密码；请删去，并更换密码"
    ),
    "it is a report; a report can show any run, so link the run itself": (
        "这是一份报告，而报告可以展示任意运行；请链接运行本身"
    ),
    "it is a sweep, which holds many runs; link the one that the script made": (
        "这是一个 sweep，含有许多运行；请链接由该脚本产生的那个"
    ),
    "it is a group of runs; link the one that the script made": (
        "这是一组运行；请链接由该脚本产生的那个"
    ),
    "it is an artifact; link the run that made it": "这是一个 artifact；请链接产生它的运行",
    "it is a project's or a user's page; open the run and copy its address": (
        "这是项目或用户的页面；请打开运行并复制其地址"
    ),
    "the part after the host does not name one run": "主机之后的部分未指明一个运行",
    # locate.py
    "W&B transaction log {name}": "W&B 事务日志 {name}",
    "W&B run folder {name}": "W&B 运行文件夹 {name}",
    "{name} may not be read (permission denied): change its mode or run rlbot as its owner.": (
        "无权读取 {name}：请修改其权限，或以其所有者身份运行 rlbot。"
    ),
    "{name} could not be read: {reason}.": "无法读取 {name}：{reason}。",
    "{name} could not be opened: {reason}.": "无法打开 {name}：{reason}。",
    "{name} is neither a file nor a folder.": "{name} 既不是文件也不是文件夹。",
    (
        "{name} does not exist: give the folder that W&B wrote (wandb/offline-run-…), or its "
        "run-ID.wandb file."
    ): (
        "{name} 不存在：请给出 W&B 写入的文件夹（wandb/offline-run-…），或其中的 run-ID.wandb "
        "文件。"
    ),
    "{name} is an empty folder: give the folder of a run.": (
        "{name} 是空文件夹：请给出运行的文件夹。"
    ),
    (
        "{name} holds several transaction logs ({logs}): give the file of the run that is meant."
    ): "{name} 中有多个事务日志（{logs}）：请给出所指运行的文件。",
    "{name} holds {count} runs ({runs}): give the folder of the one that is meant.": (
        "{name} 中有 {count} 个运行（{runs}）：请给出所指运行的文件夹。"
    ),
    "{names} and {more} more": "{names} 等，另有 {more} 个",
    (
        "{name} holds no W&B run: there is no run-ID.wandb file and no run-… or offline-run-… "
        "folder in it."
    ): ("{name} 中没有 W&B 运行：既没有 run-ID.wandb 文件，也没有 run-… 或 offline-run-… 文件夹。"),
    "{name} is a link that leaves the run's folder: copy the file itself there.": (
        "{name} 是指向运行文件夹之外的链接：请把文件本身复制到其中。"
    ),
    "{name} is not a regular file.": "{name} 不是普通文件。",
    # transaction_log.py
    (
        "{name} is empty: the run wrote nothing; give the folder of a run that logged at least "
        "its configuration."
    ): "{name} 为空：该运行未写入任何内容；请给出至少记录了配置的运行的文件夹。",
    "{name} ends at byte {byte}, inside its header: copy the whole file.": (
        "{name} 在第 {byte} 字节处结束，文件头不完整：请复制整个文件。"
    ),
    (
        "{name} is not a W&B transaction log: it does not begin with the header that the SDK "
        'writes (":W&B"); give the folder or the run-ID.wandb file of a run.'
    ): (
        "{name} 不是 W&B 事务日志：不以 SDK 写入的文件头（“:W&B”）开头；请给出运行的文件夹或其 "
        "run-ID.wandb 文件。"
    ),
    (
        "{name} has version {version} of the transaction log, where only version {known} is "
        "known: update rlbot."
    ): "{name} 的事务日志为版本 {version}，而已知的只有版本 {known}：请更新 rlbot。",
    # folder.py
    (
        "{name} ends in the middle of a record at byte {byte}, before the record that says which "
        "run it is: copy the whole file."
    ): "{name} 在第 {byte} 字节处的记录中途结束，此前没有说明是哪个运行的记录：请复制整个文件。",
    (
        "{name} is damaged at byte {byte} and holds no readable record that says which run it "
        "is: copy the file again."
    ): "{name} 在第 {byte} 字节处损坏，且没有可读的记录说明是哪个运行：请重新复制该文件。",
    "{name} holds no record that says which run it is: give the log of a run that started.": (
        "{name} 中没有记录说明是哪个运行：请给出已启动的运行的日志。"
    ),
    (
        "Reading stopped after {bound}, at byte {byte} of the log: what follows is not part of "
        "the comparison."
    ): "读取满 {bound}后停止，位于日志的第 {byte} 字节：其后的内容未参与比较。",
    (
        "The run was forked or rewound at step {step} of run {run}: what came before is in "
        "another log."
    ): "该运行自运行 {run} 的第 {step} 步分叉或回退而来：此前的内容在另一份日志中。",
    "(not named)": "（未指名）",
    "The run was resumed at step {step}: this log does not hold the steps before.": (
        "该运行自第 {step} 步恢复：此日志不含之前的步。"
    ),
    (
        "files/wandb-metadata.json and the log name different GPUs: one of them was changed "
        "after the run began; the log's are used."
    ): (
        "files/wandb-metadata.json 与日志所列的 GPU 不同：其中之一在运行开始后被改动过；"
        "以日志为准。"
    ),
    (
        "The log ends in the middle of a record at byte {byte}: what the run wrote after that is "
        "missing."
    ): "日志在第 {byte} 字节处的记录中途结束：该运行此后写入的内容缺失。",
    (
        "The log is damaged in {places} places, first at byte {byte}: the blocks of 32 KiB there "
        "were skipped."
    ): "日志有 {places} 处损坏，第一处在第 {byte} 字节：所在的 32 KiB 数据块已跳过。",
    (
        "{records} records longer than {limit} bytes were skipped, the first at byte {byte}."
    ): "跳过了 {records} 条超过 {limit} 字节的记录，第一条在第 {byte} 字节。",
    (
        "Reading stopped at byte {byte} of the log, its limit: what follows is not part of the "
        "comparison."
    ): "日志读取到上限，在第 {byte} 字节处停止：其后的内容未参与比较。",
    "{records} records of the log could not be decoded and were skipped.": (
        "日志中有 {records} 条记录无法解码，已跳过。"
    ),
    "{entries} entries of the configuration are not valid JSON.": (
        "配置中有 {entries} 项不是有效的 JSON。"
    ),
    "The log holds records of more than one run; only the first run's name is used.": (
        "日志含有不止一个运行的记录；只采用第一个运行的名称。"
    ),
    "Only the first {metrics} metrics of the history were followed.": (
        "历史记录中只跟踪了前 {metrics} 个指标。"
    ),
    # side_files.py
    "files/wandb-metadata.json is not a JSON object; it was left out.": (
        "files/wandb-metadata.json 不是 JSON 对象，未采用。"
    ),
    "files/config.yaml is not valid YAML; it was left out.": (
        "files/config.yaml 不是有效的 YAML，未采用。"
    ),
    "a loop of links": "链接成环",
    "files/{name} is longer than {limit} bytes; the rest was not read.": (
        "files/{name} 超过 {limit} 字节，其余部分未读取。"
    ),
    # console_log.py
    (
        "{name} holds no line of verl's console logger (step:1 - actor/…) or OpenRLHF's (Global "
        "step 1: {{…}}), no configuration that they print, and no out-of-memory error: give a "
        "run's folder, or the whole output of the training."
    ): (
        "{name} 中没有 verl（step:1 - actor/…）或 OpenRLHF（Global step 1: {{…}}）的控制台日志行，"
        "没有它们打印的配置，也没有显存溢出错误：请给出运行的文件夹，或训练的完整输出。"
    ),
}
