"""What changes no memory, costs money, or is not wanted."""

from __future__ import annotations

from bot.recommend.spellings.spelling import Spelling, left_out

_IDLE = r"(?:lora[\s_-]?)?(?:alpha|dropout)|lr|learning[\s_-]rate|temperature|epochs?|warmup"
"""Settings that change no memory."""
_PER = r"(?:\s?(?:/|per|an?)\s?(?:(?:gpu|card)[\s-]?)?(?:h|hr|hour|day|week|month|gpu|card)s?\b)"
_PASSING = (
    r"(?:ca(?:n|nno)['\u2019]?t\s)?wait(?:ing)?\sfor|used\sto\s(?:have|use|own|run|train\son)|(?:no|without)\saccess\sto|sold|until|"
    r"before\s(?:i|we)\shad|upgrad(?:e|ed|ing)\sfrom|(?:paper|authors?|tutorial|guide|blog|article|"
    r"example|friend|colleague)\s(?:has|have|had|used|uses|(?:ran|runs|trained|trains)(?:\son)?)"
)
"""What is said of cards that are likely not the ones to train on."""
NUMBERS = (
    Spelling(r"(?<![\w.])(\d{1,3}),(\d{3})(?!\w|[.,]\d)", r"\1\2", "1,024", "1024"),
    Spelling(
        r"(?<![=\w])(?:([$\u20ac\u00a3\u00a5])\s?(\d[\d.,]{0,9}k?)" + _PER + r"{0,2}(?!\w)"
        r"|(\d[\d.,]{0,9}k?)\s?((?:usd|dollars?|bucks|eur|euros?|rmb|cny|yuan)\b|[\u20ac\u00a3])"
        + _PER
        + r"{0,2}(?!\w)"
        r"|(\d{1,2}(?:[.,]\d{1,2})?)\s?(?:/|per|an?)\s?(?:(?:gpu|card)[\s-]?)?(?:h|hr|hour)\b)",
        lambda found: f" price={''.join(filter(None, found.groups()))} ".replace(",", "."),
        "under $5/h",
        "under  price=$5 ",
    ),
)
IDLE_WORDS = (
    left_out(r"\bthinking\s(?:about|of)\b|\bair[\s-]cooled\b", "thinking about a 5090", " a 5090"),
    left_out(r"\b\d{3}(?:\.\d{1,3}){0,2}\sdriver\b", "550 driver"),
    left_out(
        r"\b(?:ryzen|threadripper|epyc|xeon|core)(?:\s(?:pro|ultra|gold|silver|platinum|threadripper|\w-?[579]))?"
        r"(?:\s?[3579])?[\s-]\d{3,5}[a-z]{0,3}\d?\b|\bi[3579][\s-]\d{4,5}[a-z]{0,2}\b",
        "Ryzen 9 7950X",
    ),
    left_out(
        r"(?<![\w.-])(?:(?:cuda|driver|ubuntu|debian|windows|win|port)[\s:=]{0,2}v?\d{2,5}(?:\.\d{1,4}){0,3}(?!\s?(?:gpus?|cards?)\b)|pcie\s?(?:gen\s?)?\d\.\d|pcie\sgen\s?\d"
        r"|(?:python|py|torch|pytorch|vllm|transformers|peft|accelerate|rocm|cann|cudnn|flash-attn)"
        r"[\s:=]{0,2}v?\d{1,3}(?:\.\d{1,4}){1,3})"
        r"(?:\s?x(?:8|16))?(?![\w.]*\w)",
        "CUDA 12.4, torch 2.6",
        ", ",
    ),
    left_out(
        r"\b\d{1,3}\s?(?:gbit|gbe|gbps|gbit/s|g\s(?:ib|infiniband|roce|ethernet))\b", "100 Gbps"
    ),
    left_out(
        rf"\b(?:{_IDLE})[\s=:]{{1,3}}[\d.]{{1,9}}(?:e-?\d\d?)?(?![\w.])", "lr 1e-5 alpha=32", " "
    ),
    left_out(
        r"\b(?:for|on)\s{1,3}(?:gsm8k|maths?|code(?![\s-]?llama)|coding|reasoning|tool\s(?:use|calling))\b",
        "grpo for gsm8k",
        "grpo ",
    ),
)
WITHOUT = (
    Spelling(r"\b(critic|offload)-free\b", r"without \1", "critic-free", "without critic"),
    Spelling(r"\bcpu[\s_-]offload(?:ing)?\b", "offload", "no CPU offload", "no offload"),
    Spelling(
        r"\b(?:(cheaper)|faster|slower)\b",
        lambda found: f" ask={'price' if found[1] else 'time'} better ",
        "faster, A or B",
        " ask=time better , A or B",
    ),
    Spelling(
        r"\bhow\s(?:long|much\stime)\s(?:do(?:es)?|did|will|would|is|it|to)\b|\bhow\sfast\b"
        r"|\b(?:fastest|tokens?\s(?:/|per)\ssec\w*)\b",
        " ask=time ",
        "how long does GRPO take",
        " ask=time  GRPO take",
    ),
    Spelling(
        r"\bhow\s(?:much\s(?=(?:do(?:es)?|will|would|is|it)\b.{0,60}\b(?:cost|hour))|expensive\b)"
        r"|(?<![\w=-])(?:cost(?:s|ly|-e\w{1,15})?|pric(?:e|es|ing|y)|cheap|expensive)\b(?!=)",
        " ask=price ",
        "the price of A",
        "the  ask=price  of A",
    ),
    left_out(
        r"\b(?:do(?:es)?n['\u2019]?t|do\snot)\shave\s(?:any\s|an?\s)?(?:gpus?|cards?)\b",
        "I don't have a GPU",
        "I ",
    ),
    Spelling(
        r"\b(?:"
        + _PASSING
        + r")\s(?:(?:the|m[ey]|our|an?|any|some|more|his|her|their|your|old)\s){0,3}"
        r"(?:(\d{1,3})\s?x\s?|(\d{1,3})\s)?(?:(?:nvidia|geforce|tesla)\s?)?"
        r"(?=[tl]4\b|(?:[rg]tx)?[a-z]{0,2}\d{2,4})",
        lambda found: f"passing={next((f'{one}x' for one in found.groups() if one), '')}",
        "until our 8 H200s arrive",
        "passing=8xH200s arrive",
    ),
    Spelling(
        r"\b(?:w/o|(?:do(?:es)?n|can|won)['\u2019]?t|cannot|never|avoid(?:ing)?|instead\s+of|"
        r"rather\s+than|except|excluding)(?=\s)",
        "without",
        "don't offload",
        "without offload",
    ),
    Spelling(
        r"(?<![\w-])(no|non|not|without)[\s-]+(?:(?:any|an?|the|us(?:e|ing)|want|need|to|do|get|have|buy|afford)\s+)*(\w[\w.+-]*)",
        r"\1=\2",
        "without using vllm",
        "without=vllm",
    ),
)
