"""What the ground floor and the check itself say, in Chinese: English template to Chinese one.

Rules carry their own sentences (`Meta.zh`), renderers theirs (`bot.render.chinese`). A room that
makes sentences with `message` adds a catalogue of its own and hands it to
`bot.base.messages.translated`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # bot/check/script.py, bot/review/check.py
    (
        "No run is linked. Add a comment `# wandb: LINK` to the script, or pass the run's folder "
        "with --run."
    ): "未链接任何运行。请在脚本中添加注释 `# wandb: 链接`，或用 --run 指定运行的文件夹。",
    (
        "The script links to {url}, and nothing is to be fetched. Leave --offline out, or pass the "
        "run's folder with --run."
    ): "脚本链接到 {url}，但已要求不联网。请去掉 --offline，或用 --run 指定运行的文件夹。",
    "{url} was not read. {why}": "未读取 {url}。{why}",
    "The script starts no known framework, so there is nothing to compare the run with.": (
        "脚本没有启动任何已知框架，因此没有可与运行比较的内容。"
    ),
    (
        "The section of the page could not be chosen: neither the model's path nor the script's "
        "name states a size such as 7B."
    ): "无法确定页面中的章节：模型路径和脚本名都没有写明 7B 这样的规模。",
    "{path} is not UTF-8.": "{path} 不是 UTF-8 编码。",
    (
        "This change removes the page {path}. Move the rows to another page and name it as `page` "
        "in .rlbot.yml, or keep this one."
    ): (
        "本次改动删除了页面 {path}。请把各行移到另一页面，并在 .rlbot.yml 中用 `page` 指明，"
        "或保留该页面。"
    ),
    # bot/review/page.py
    "The repository has no commit {commit}, or no file that can be read there.": (
        "仓库中没有提交 {commit}，或该处没有可读取的文件。"
    ),
    "{ref} is no full commit id; link to a commit.": "{ref} 不是完整的提交编号；请链接到某个提交。",
    "The page has more than {most} links, and this one was not followed.": (
        "页面的链接超过 {most} 个，未跟随该链接。"
    ),
    # bot/review/models.py
    "{path} is beyond the {most} models that are looked up for one change; split it.": (
        "{path} 超出了单次变更所查找的 {most} 个模型；请拆分该变更。"
    ),
    # bot/rules/_support/registry.py
    (
        "rule {id} failed: {kind}. This is a fault of rlbot, not of the script; please report it "
        "with the script."
    ): "规则 {id} 运行失败：{kind}。这是 rlbot 自身的缺陷，与脚本无关；请附上脚本报告该问题。",
    "apply the edit": "应用修改",
    # bot/frameworks/base.py
    "the release asked for": "所要求的版本",
    "the release that the script's comment names": "脚本注释中指明的版本",
    "the newest release known, since the script's comment names {said}, which is not": (
        "已知的最新版本，因为脚本注释中的 {said} 不是已知版本"
    ),
    "the newest release known": "已知的最新版本",
    "the newest release that has {entry}": "含有 {entry} 的最新版本",
    # bot/script/name.py
    'the name does not end in ".sh": {name}': "文件名未以 .sh 结尾：{name}",
    "the name has upper-case letters; write {name}.sh": "文件名含大写字母，应写作 {name}.sh",
    "the name has {count} parts between underscores where {form} has {wanted}": (
        "文件名按下划线分为 {count} 段，而 {form} 应有 {wanted} 段"
    ),
    "[{part}] is '{text}': letters, digits, dots and dashes are allowed": (
        "[{part}] 为“{text}”：只允许字母、数字、点和连字符"
    ),
    "[{part}] is '{text}': write the number of GPUs, such as 8": (
        "[{part}] 为“{text}”：应写 GPU 数量，例如 8"
    ),
    "the name does not have the form {form}": "文件名不符合 {form} 的形式",
    "the name ends in {text}, which is no training backend; {form} is asked for": (
        "文件名以 {text} 结尾，但它不是训练后端；应采用 {form} 的形式"
    ),
    "the name holds {word}, which the form {form} leaves to a variable of the script": (
        "文件名含有 {word}；按 {form} 的形式，它应由脚本中的变量选择"
    ),
}
