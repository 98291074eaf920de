"""Nodes, memory, generations: a number and what it counts."""

from __future__ import annotations

from bot.recommend.spellings.spelling import MACHINE, Spelling, left_out

_RAM = (
    r"(?:(?:host|system|cpu|main)\s+(?:ram|memory)|(?:ram\s+)?ddr[345](?:-\d{4})?(?:\s+ram)?|ram"
    r"|arbeitsspeicher)"
)
_OF = r"(?:(?:of|de|di)\s+)?"
COUNTS = (
    Spelling(r"\bhalf\s(?:an?\s)?12\b", "6", "half a 12", "6"),
    Spelling(
        r"\b(?:(\d{1,3})|an?)\s(hundred|thousand)\b(?:\s(?:and\s)?(\d{1,3})(?=\s)(?!\s?(?:x|gi?b)))?",
        lambda found: str(
            int(found[1] or 1) * {"h": 100, "t": 1000}[found[2][0].lower()] + int(found[3] or 0)
        ),
        "2 thousand tokens",
        "2000 tokens",
    ),
    Spelling(
        r"\bbetween\s(\d{1,3})\sand\s(?=\d)", r"\1 or ", "between 2 and 4 A100", "2 or 4 A100"
    ),
    Spelling(
        rf"\b(\d{{1,3}})(?=\s(?:or|vs)\s\d{{1,3}}\s?(?:\d{{1,2}}x\s?[a-z][\w-]{{1,20}}\s)?{MACHINE}\b)",
        r"nodes=\1_",
        "1 or 2 nodes",
        "nodes=1_ or 2 nodes",
    ),
    Spelling(
        rf"\b(\d{{1,2}})\s?x\s?(\d{{1,3}})\s?gi?b\s(?:of\s)?{_RAM}\b",
        lambda found: f"ram={int(found[1]) * int(found[2])}",
        "2x32GB DDR5",
        "ram=64",
    ),
    Spelling(
        r"\b(?:an?|my|the)\s(?:second|2nd)\s(?=(?:(?:nvidia|geforce|rtx|gtx)\s?)*[a-z]{0,2}\d{2,4})",
        "2 ",
        "a second 3090",
        "2 3090",
    ),
    Spelling(
        r"\b(\d{1,3})(?=\s(?:or|vs\.?|and)\s\d{1,3}\s?gi?b\b)|(?:(?<=\dx)|\b)(\d{1,3})\s+gi?b\b"
        r"|\b(\d{1,4})\s?(?:gigs?|gigabytes?|go|\u0433\u0431)(?=[\s,.;:)]|\Z)",
        r"\1\2\3gb",
        "12 or 16 GB, 24 gigs",
        "12gb or 16gb, 24gb",
    ),
    left_out(rf"\b{MACHINE}\s?\d{{1,2}}:(?=\s)", "node 1: 4xA100", " 4xA100"),
    Spelling(
        r"\bgpu\s\d{1,2}:(?=\s)|\(uuid:[^)]{1,60}\)",
        lambda found: "" if found[0][0] == "(" else "and 1",
        "GPU 0: RTX 3090",
        "and 1 RTX 3090",
    ),
    Spelling(
        rf"\bhalf\s(?:of\s)?an?\s(?:(\d{{1,2}})x\s?([a-z]\w{{1,20}})\s)?{MACHINE}(?:\sof)?\b",
        lambda found: f"{int(found[1] or 8) // 2} {found[2] or ''}",
        "half a node of h100",
        "4  h100",
    ),
    Spelling(
        rf"\b(?:(\d{{1,3}})|an?|my|the|our)\s(\d{{1,2}})x\s?([a-z][\w-]{{1,20}})\s{MACHINE}\b",
        lambda found: f"nodes={found[1] or 1}_{found[2]} {found[3]}",
        "2 4xA100 nodes",
        "nodes=2_4 A100",
    ),
    Spelling(
        rf"\b\d{{1,3}}\s?{MACHINE},?\s(?:with|of|and)\s(?:altogether\s)?(\d{{1,4}})\s([a-z][\w-]{{1,20}})\s"
        r"(?:in\s(?:total|all)|total|altogether)\b"
        rf"|\b(\d{{1,4}})\s(gpus?|cards?)\s(?:in|across|over|on)\s\d{{1,3}}\s{MACHINE}\b",
        r"\1\3 \2\4",
        "4 nodes with 32 GPUs in total",
        "32 GPUs",
    ),
    Spelling(
        r"\b(\d{1,3})\s?(?:pcs|rigs)(?=,?\s(?:each|with)\b)",
        r"nodes=\1_ ",
        "2 PCs, each with 2",
        "nodes=2_ , each with 2",
    ),
    Spelling(
        r"\b(\d{1,3})\s?(?:pcs?|pieces?)\b(?:\sof\b)?", r"\1 gpus ", "4 pcs of A100", "4 gpus  A100"
    ),
    Spelling(
        r"(?<![\w.])(\d{1,3})((?:[ahbl]\d{2,3}|v100|h20)s?)\b(?!x)", r"\1x\2", "8h100", "8xh100"
    ),
    Spelling(
        r"\b(\d{1,4}(?:\.\d)?)\s?(?:billion|bn|milliards?|milliarden|miliardi)\b(?:[\s-]param\w*)?",
        r"\1b",
        "7 billion parameters",
        "7b",
    ),
    left_out(r"(?<=\db)\s?param(?:eter)?s?\b", "14B parameters", "14B"),
    Spelling(
        rf"\b(\d{{1,3}})\s*{MACHINE}(?:\s+(?:of|with|x)\s+(\d{{1,2}})(?:\s*x\s+(?=[a-z]))?)?\b",
        r"nodes=\1_\2 ",
        "2 nodes of 8 h100",
        "nodes=2_8  h100",
    ),
    Spelling(
        rf"(?<![\w.])(\d{{1,5}}(?:\.\d)?)\s*(?:g|(t))(?:i?b)?\s+{_OF}{_RAM}\b"
        rf"|(?:\b{_RAM}[\s:=]+{_OF}|(?<![\w-])(?:--)?mem=)(\d{{1,5}}(?:\.\d)?)\s*(?:g|(t))(?:i?b)?\b",
        lambda found: (
            f"ram={round(float(found[1] or found[3]) * (1024 if found[2] or found[4] else 1))}"
        ),
        "1.5 tb ram, ram: 64 gb",
        "ram=1536, ram=64",
    ),
    Spelling(
        r"\b(\d{1,5})\sprompts?\s?x\s?(\d{1,4})\s(?:rollout|response|generation|sample)s?\b",
        r"batch=\1 group=\2",
        "128 prompts x 16 rollouts",
        "batch=128 group=16",
    ),
    Spelling(
        r"\b(?:n\s?=\s?)?(\d{1,4})\s{1,3}(?:(?:rollout|generation|sample|response|completion)s?\s{1,3}"
        r"(?:(?:per|a|each|for\s+(?:each|every))\s{1,3}(?:prompt|question)|each)|(?:rollout|generation)s)\b"
        r"|\b(?:groups?[\s_-]*(?:size|of)[\s=:]*|n\s?=\s?)(\d{1,8})\b",
        r"group=\1\2",
        "8 generations per prompt",
        "group=8",
    ),
    Spelling(
        r"\b(\d{1,4})\s?gi?b?\s(?:of\s)?(?:v?ram\s|memory\s)?(?:in\s)?"
        r"(?:total|combined|altogether|overall)\b"
        r"|\btotal\s{1,3}(?:of\s)?(?:v?ram\s|memory\s)?(?:of\s)?(\d{1,4})\s?gi?b?\b",
        r"total=\1\2",
        "48 GB VRAM in total",
        "total=48",
    ),
    Spelling(
        r"(?<![\w.=-])(?:single|one|1)[\s-]+((?:with|of)\s)?(?=\d{1,2}\s{0,3}x\s{0,3}[a-z])",
        lambda found: "nodes=1_ " if found[1] else "",
        "one with 8xA100 or a single 8x h100",
        "nodes=1_ 8xA100 or a 8x h100",
    ),
    Spelling(r"(?<=\d)-(?=(?:gpu|card|way)s?\b)", " ", "8-gpu", "8 gpu"),
)
