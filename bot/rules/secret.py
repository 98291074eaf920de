"""RLB093: a token stands in the script."""

from __future__ import annotations

from bot.base.regex import regex
from bot.rules._support.base import Example, Hit, Hits, Message, Meta, RuleContext, message
from bot.rules._support.example import verl
from bot.shell.source import Span

META = Meta(
    id="RLB093",
    severity="warning",
    confidence="high",
    added_in="0.1.0",
    summary="The script holds what looks like a token or a key.",
    why=(
        "Whoever reads the pull request can use it, and it stays in the history after it is "
        "removed from the file."
    ),
    instead="Revoke it, remove it, and let the caller set the variable: export WANDB_API_KEY=….",
    limits=(
        "Knows the forms of Hugging Face, ModelScope, W&B, SwanLab, Neptune, GitHub, GitLab, "
        "OpenAI, Anthropic, AWS, Google and Slack, and a password of letters and digits in an "
        "address (http://user:…@proxy). The message never repeats the token."
    ),
    source="The token formats that these services document; GitHub's secret scanning patterns",
    example=Example(
        bad=verl(before="export HF_TOKEN=hf_" + "aB3dE5gH7jK9" * 3),
        good=verl(),
    ),
)

_DEFAULT = r"[\"']?(?:\$\{\w{1,40}:?[-=][\"']?)?"
"""What may stand before a key: a quote, and `${KEY:-`, whose default it then is."""
_SET = rf"(?:[\"')\]]{{0,3}}\s{{0,9}}[=:,]\s{{0,9}}|:?[-=]){_DEFAULT}"
"""Between a variable and its value: `=`, `"] = "`, and in `${KEY:-…}` and `${KEY:=…}`."""
_HEX40 = r"(?:local-)?(?P<token>[0-9a-f]{40})(?![0-9a-zA-Z])"
_NANOID = r"(?P<token>(?=\w{0,20}\d)(?=\w{0,20}[a-z])(?=\w{0,20}[A-Z])[A-Za-z0-9]{21})(?!\w)"
# A text that holds none of the words of a form is not searched for it.
_FORMS = (
    ("Hugging Face", ("hf_",), regex(r"(?<![A-Za-z0-9_])hf_[A-Za-z][A-Za-z0-9]{28,999}(?!\w)")),
    (
        "GitHub",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        regex(r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})"),
    ),
    ("OpenAI", ("sk-",), regex(r"(?<![A-Za-z0-9_])sk-(?!ant-)[A-Za-z0-9_\-]{32,}")),
    ("Anthropic", ("sk-ant-",), regex(r"(?<![A-Za-z0-9_])sk-ant-[A-Za-z0-9_\-]{32,}")),
    ("AWS", ("AKIA",), regex(r"(?<![A-Z0-9])AKIA[0-9A-Z]{16}(?![0-9A-Z])")),
    ("Google", ("AIza",), regex(r"(?<![A-Za-z0-9_])AIza[0-9A-Za-z_\-]{35}")),
    ("Slack", ("xox",), regex(r"(?<![A-Za-z0-9_])xox[baprs]-[0-9A-Za-z\-]{20,}")),
    ("GitLab", ("glpat-",), regex(r"(?<![A-Za-z0-9_])glpat-[0-9A-Za-z_\-]{20}")),
    (
        "ModelScope",
        ("ms-",),
        regex(r"(?<![\w-])ms-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    ),
    # What Neptune's hold is JSON in base64: {"api_address":…
    ("Neptune", ("eyJhcGlfYWRkcmVzcyI6",), regex(r"(?<!\w)eyJhcGlfYWRkcmVzcyI6[\w+/=-]{40,}")),
    ("W&B", ("wandb_v1_",), regex(r"(?<![A-Za-z0-9_])wandb_v1_\w{60,}")),
    (
        "W&B",
        ("WANDB_API_KEY", "wandb login", "wandb.login", "use_wandb", "wandb.key", "wandb_token"),
        regex(
            rf"(?:WANDB_API_KEY{_SET}|wandb login\s+(?:--\S+\s+)*{_DEFAULT}|"
            rf"wandb\.login\([^()\n]{{0,80}}[\"']|"
            rf"--(?:use_wandb|logger\.wandb\.key)[\s=]+{_DEFAULT}|\bwandb_token{_SET})" + _HEX40
        ),
    ),
    (
        "SwanLab",
        ("SWANLAB_API_KEY", "swanlab login", "swanlab.login"),
        regex(
            rf"(?:SWANLAB_API_KEY{_SET}|swanlab login\s+(?:-[\w-]+[\s=]+){{0,9}}{_DEFAULT}|"
            rf"swanlab\.login\([^()\n]{{0,80}}[\"'])" + _NANOID
        ),
    ),
)
_ADDRESS = regex(
    r"://[^\s/:@\"'$<>{}]{1,64}:"
    r"(?P<password>(?=[^\s@]{0,200}\d)(?=[^\s@]{0,200}[A-Za-z])[^\s/@\"'$<>{}]{8,200})@"
)


def check(context: RuleContext) -> Hits:
    """What has the form of a token, wherever it stands."""
    seen: list[Span] = []
    for service, words, form in _FORMS:
        if not any(word in context.source.text for word in words):
            continue
        for found in form.finditer(context.source.text):
            group = "token" if "token" in form.groupindex else 0
            # hf_xxxxxxxx is a placeholder, and so are sk-ant-api03-xxxx… and sk-0123456789abcdef.
            counts = not group and "0123456789" in found[0]
            if len(set(found[group][4:][-28:].lower())) >= 6 and not counts:
                span = Span(found.start(group), found.end(group))
                seen.append(span)
                yield _hit(message("this looks like a token of {service}", service=service), span)
    for found in _ADDRESS.finditer(context.source.text):
        span = Span(*found.span("password"))
        taken = any(span.start < one.end and one.start < span.end for one in seen)
        if not taken and len(set(found["password"].lower())) >= 6:
            yield _hit(message("this address holds what looks like a password"), span)


def _hit(what: Message, span: Span) -> Hit:
    return Hit(
        message=what,
        span=span,
        help=message("revoke it, remove it, and let the caller set a variable"),
    )
