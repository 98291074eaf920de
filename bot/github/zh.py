"""What is said on GitHub, in Chinese: replies to commands, and what could not be read there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # bot/review/commands.py
    """\
| command, on a line of its own | does |
| --- | --- |
| `/verify` | checks the newest commit again |
| `/verify LINK` | compares with this run; a link in the description holds longer |
| `/verify LINK SCRIPT.sh` | the same where the pull request holds several scripts |
| `/verify SHA` | checks only if this is still the newest commit |
| `/apply` | commits the safe fixes and the rows of the page to this branch |

`/verify` is for the pull request's author and for people with {verify} rights here, `/apply` for \
people with {apply} rights. 👀 seen · 🚀 done · 😕 not done, with the reason.""": """\
| 命令（独占一行） | 作用 |
| --- | --- |
| `/verify` | 重新检查最新的提交 |
| `/verify LINK` | 与此运行比较；写在描述中的链接长期有效 |
| `/verify LINK SCRIPT.sh` | 同上，用于拉取请求含多个脚本时 |
| `/verify SHA` | 仅当它仍是最新的提交时才检查 |
| `/apply` | 将安全的修复和页面的表格行提交到此分支 |

`/verify` 供拉取请求的作者和在此具有 {verify} 及以上权限的人使用，`/apply` 供具有 {apply} 及以上\
权限的人使用。👀 已看到 · 🚀 已完成 · 😕 未完成，并附原因。""",
    "A command of yours ran here a moment ago; wait {time}.": "您刚在此执行过命令，请等待 {time}。",
    "1 second": "1 秒",
    "{count} seconds": "{count} 秒",
    "{why}{word} `/verify help` says more.": "{why}{word}详见 `/verify help`。",
    " {word} is none of them.": "{word} 不在其列。",
    "The pull request is closed.": "该拉取请求已关闭。",
    (
        "`/verify` is for this pull request's author and for people with {role} rights here. A "
        "maintainer can run it for you."
    ): ("`/verify` 仅限此拉取请求的作者和在此具有 {role} 及以上权限的人使用。可请维护者代为执行。"),
    (
        "`/apply` is for people with {role} rights here. A maintainer can do it for you."
    ): "`/apply` 仅限在此具有 {role} 及以上权限的人使用。可请维护者代为执行。",
    "The head moved while it was checked; its newest commit comes next.": (
        "检查期间分支有新的提交；接下来将检查最新的提交。"
    ),
    "The button was that of {old}, and the head is {new} now: press the one of its check.": (
        "该按钮属于 {old}，而最新提交现在是 {new}：请使用其检查上的按钮。"
    ),
    "This pull request alters neither a tuning script nor the page of rows.": (
        "此拉取请求既没有改动调优脚本，也没有改动文档页面。"
    ),
    "The pull request holds no tuning script {name}.": "此拉取请求中没有调优脚本 {name}。",
    "The pull request holds more than one tuning script {name}.": (
        "此拉取请求中有不止一个调优脚本 {name}。"
    ),
    (
        "The pull request holds {count} tuning scripts; name the one that the run is for: "
        "/verify LINK SCRIPT.sh."
    ): "此拉取请求中有 {count} 个调优脚本；请写明该运行对应哪一个：/verify LINK SCRIPT.sh。",
    # commands.py
    "This is no command.": "这不是命令。",
    "`/apply` stands alone on its line.": "`/apply` 须独占一行。",
    "`/verify` takes a commit, the link of a run and the path of a script.": (
        "`/verify` 可带提交、运行的链接和脚本的路径。"
    ),
    "`/verify` takes one thing of a kind.": "`/verify` 的每种参数只能有一个。",
    # bot/review/pull.py
    "The head of {pull} is {head}, not {asked}: it has moved on.": (
        "{pull} 的最新提交是 {head}，而不是 {asked}：分支已有新的提交。"
    ),
    # bot/review/commit.py, bot/review/apply.py
    "The comment of the check has the row to paste.": "检查结果的评论中有可粘贴的表格行。",
    "The fork of this pull request is gone.": "此拉取请求的派生仓库已不存在。",
    "The author does not allow edits by maintainers on this branch.": (
        "作者未允许维护者修改此分支。"
    ),
    "The token of rlbot may not write to {where}.": "rlbot 的令牌无权写入 {where}。",
    "There is nothing to fix, and the branch has no page.": (
        "没有可修复的内容，分支上也没有文档页面。"
    ),
    "There is nothing to fix, and the page holds every row.": (
        "没有可修复的内容，页面上也已有全部表格行。"
    ),
    "{page} is not UTF-8; convert it first.": "{page} 不是 UTF-8 编码，请先转换。",
    "No row for {script}: {why}": "未写入 {script} 的表格行：{why}",
    "{count} more got no row.": "另有 {count} 个未写入表格行。",
    "its run contradicts it.": "其运行与之相矛盾。",
    "it has errors.": "它有错误。",
    "its launch is not known.": "其启动命令未知。",
    "no run that could be read backs it.": "没有可读取的运行支持它。",
    "{what}: {commit}.": "{what}：{commit}。",
    "Fix {name}{more}": "修复 {name}{more}",
    "Add the row of {name}{more}": "添加 {name}{more} 的表格行",
    " and {count} more": " 等，另有 {count} 个",
    # change.py, local.py, remote.py, blobs.py
    "{path} is beyond the {limit} scripts that are read of one change; split it.": (
        "{path} 超出一次变更最多读取的 {limit} 个脚本；请拆分该变更。"
    ),
    "{path} is a symbolic link; commit a file.": "{path} 是符号链接；请提交文件本身。",
    "{path} is not a regular file; commit a file.": "{path} 不是普通文件；请提交文件本身。",
    "{path} is a folder.": "{path} 是文件夹。",
    "{path} has {size} bytes; at most {limit} are read.": (
        "{path} 有 {size} 字节；最多读取 {limit} 字节。"
    ),
    "{folder} holds too much to be read: {count} {suffix} files.": (
        "{folder} 内容过多，无法读取：{count} 个 {suffix} 文件。"
    ),
    "{folder} holds too much to be read: {count} more files.": (
        "{folder} 内容过多，无法读取：另有 {count} 个文件。"
    ),
    "The path {path} is not UTF-8; rename the file.": (
        "路径 {path} 不是 UTF-8 编码；请重命名该文件。"
    ),
    "{path} is not in commit {commit}, though GitHub lists it.": (
        "{path} 不在提交 {commit} 中，尽管 GitHub 列出了它。"
    ),
    (
        "GitHub lists {listed} of the {all} changed files; tuning scripts among the other "
        "{missing} were not looked at. Split the pull request."
    ): (
        "{all} 个改动的文件中 GitHub 只列出 {listed} 个；其余 {missing} 个中的调优脚本未查看。"
        "请拆分该拉取请求。"
    ),
    "GitHub gave another content for {path} than the commit holds; try again.": (
        "GitHub 给出的 {path} 与提交中的内容不符；请重试。"
    ),
    # pull.py, commit.py
    "There is no pull request {pull}, or it is private and GITHUB_TOKEN may not see it.": (
        "没有拉取请求 {pull}，或它是私有的且 GITHUB_TOKEN 无权查看。"
    ),
    "The branch {branch} moved on meanwhile; nothing was committed.": (
        "分支 {branch} 其间有新的提交；未作任何提交。"
    ),
    # failures.py
    (
        "GitHub does not accept the token: it is wrong, revoked or expired. Give another one in "
        "GITHUB_TOKEN."
    ): "GitHub 不接受该令牌：它有误、已撤销或已过期。请在 GITHUB_TOKEN 中另给一个。",
    "GitHub has no {what}, or the token may not see it.": "GitHub 上没有 {what}，或令牌无权查看。",
    "GitHub refused {what} with status {status}: {why}.": (
        "GitHub 以状态码 {status} 拒绝了 {what}：{why}。"
    ),
    "GitHub answered with status {status}; it may be down (githubstatus.com).": (
        "GitHub 返回状态码 {status}，可能出现故障（githubstatus.com）。"
    ),
    "{api} gave no answer ({kind}); check the network and GITHUB_API_URL.": (
        "{api} 没有应答（{kind}）；请检查网络和 GITHUB_API_URL。"
    ),
    "{api} redirects {what}, where the token is not sent; check GITHUB_API_URL.": (
        "{api} {what}，令牌不会发往那里；请检查 GITHUB_API_URL。"
    ),
    "in a circle": "循环重定向",
    "to another place": "重定向到别处",
    "GitHub limits the rate of requests{when}: {why}.": "GitHub 限制了请求频率{when}：{why}。",
    " until {time} UTC": "，直至 {time} UTC",
    "this token's requests of the hour are used up": "此令牌本小时的请求已用完",
    "too much at once": "一次请求过多",
    "without a reason": "未说明原因",
    "GitHub says: {message}.": "GitHub 的答复：{message}。",
    "GitHub refused: {message}.": "GitHub 拒绝：{message}。",
    (
        "The token may not do this here. Pull requests from forks get a read-only token under "
        "`pull_request`; otherwise grant the job `pull-requests: write` and `checks: write`."
    ): (
        "令牌在此无权这样做。来自派生仓库的拉取请求在 `pull_request` 下只有只读令牌；"
        "否则请授予作业 `pull-requests: write` 和 `checks: write`。"
    ),
    "Check runs are for Apps; this token belongs to a person.": (
        "检查运行（check run）仅供 App 使用；此令牌属于个人。"
    ),
    "The organisation asks for SSO: authorise the token for it in your settings.": (
        "该组织要求 SSO：请在您的设置中为其授权该令牌。"
    ),
    "The repository is archived, so nothing can be written to it.": "该仓库已归档，无法写入。",
    "GitHub lets nobody write here: {message}.": "GitHub 不允许任何人在此写入：{message}。",
    "The token may not do {what}: {why}.": "令牌无权执行 {what}：{why}。",
}
