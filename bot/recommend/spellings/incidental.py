"""Numbers that people tell besides: years, steps, data, prices of time."""

from __future__ import annotations

from bot.recommend.spellings.spelling import NUMBER, UNIT, Spelling, left_out

_DATA = (
    r"(?:alpaca|capybara|dolly|guanaco|infinity|lima|magpie|numina\w{0,8}|oasst\w{0,2}|openhermes|"
    r"orca|sharegpt|slimorca|squad|tulu|ultrachat|ultrafeedback|wildchat)"
)
_COUNTED = (
    r"(?:pairs|conversations|dialogues|documents|docs|tickets|instructions|entries|items|images|"
    r"pictures|layers|papers|users|people|students|tools|turns|months?|weeks?|years?|minutes?|"
    r"seconds?|(?:(?:training|total|optimizer|global|rl|more|policy|gradient|update)\s)?"
    r"(?:epochs?|steps|iterations|updates|episodes|batches|rounds)|hours?|days?)"
)
INCIDENTAL = (
    left_out(
        r"(?:torch\.)?(?:cuda\.)?\bOutOfMemoryError\b:?|\bCUDA\sout\sof\smemory\.?|\btried\sto\sallocate\s[\d.]{1,8}\s[kmg]ib\.?"
        r"|\bof\swhich\s[\d.]{1,8}\s[kmg]ib\sis\sfree\.?|\bincluding\snon-pytorch\smemory[^\n]{1,80}?in\suse\.?"
        r"|\bprocess\s\d{1,9}\shas[^\n]{1,60}?in\suse\.?|\bof\sthe\sallocated\smemory[^\n]{1,180}?unallocated\.?"
        r"|\bif\sreserved\sbut\sunallocated[^\n]{1,160}?fragmentation\.?|\bsee\sdocumentation\sfor[^\n]{1,140}?variables\)?",
        "CUDA out of memory. Tried to allocate 2.00 GiB.",
        " ",
    ),
    Spelling(
        r"\bGPU\s\d{1,2}\shas\sa\stotal\scapac[a-z]{3,5}\sof\s(\d{1,4}(?:\.\d{1,3})?)\sGiB\b\.?",
        lambda found: f" {round(float(found[1]))}gb ",
        "GPU 0 has a total capacity of 79.15 GiB",
        " 79gb ",
    ),
    Spelling(
        r"\b(images?|frames?|pictures?|resolution)\s(?:of\s|at\s)?\d{3,4}\s?x\s?\d{3,4}\b",
        "left=images",
        "images of 1280x720",
        "left=images",
    ),
    Spelling(
        r"\b(oom|memory)\s(?:at|with|around|after)\s\d{1,3}\s?gi?b\b", r"\1", "OOM at 40GB", "OOM"
    ),
    left_out(
        r"\b\d{1,5}\s?[gt]i?b\s(?:of\s)?(?:nvme|ssd|hdd|disk|storage|scratch)\b", "800 GB SSD"
    ),
    left_out(r"\bwhich\s1\b", "which 1"),
    left_out(
        r"\b(?:mod(?:d?ed|ified)|refitted|refurbished|used|brand[\s-]new|new|old|spare|second-?hand)\s"
        r"(?=(?:(?:nvidia|geforce|rtx|gtx|tesla)\s?)*[a-z]{0,2}\d{2,4})",
        "2 modded 4090s",
        "2 4090s",
    ),
    left_out(r"\b\d{1,3}[\s-]?(?:v?cpus?|cores?|threads?)\b(?:\scpus?)?", "16 cores"),
    Spelling(
        r"\b(\d{2,6})\s(words|characters|chars)\b",
        r" left=\1-\2 ",
        "1500 words",
        " left=1500-words ",
    ),
    left_out(
        r"\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?\b", "2025-04-28"
    ),
    left_out(
        r"\b(?:in|by|since|from|of|until|before|after|year)\s20[12]\d\b(?!\s?(?:tok|x|\+))",
        "in 2026",
    ),
    left_out(r"(?<![\w.])[+-]?\d{1,4}(?:\.\d{1,3})?\s?%(?!\w)", "62.4 %"),
    left_out(
        r"\b\d{2,4}\s?(?:w|watts?|kwh|usd/h|tok(?:ens)?/s(?:ec)?|it/s|s/it|fps|mhz|ghz)\b", "700 W"
    ),
    left_out(rf"\b{_DATA}[\s-]{{1,2}}(?:[4-9]\d|\d{{3,4}})k\b|\bdapo-math-17k\b", "alpaca 52k"),
    left_out(r"\b\d{1,4}(?:\.\d{1,2})?\s?[bmt]\stokens\b", "1.5B tokens"),
    left_out(rf"(?<![\w.=])(?![1-5]0[5-9]0\s){NUMBER}{UNIT}[\s-]+{_COUNTED}\b", "3 epochs"),
    left_out(
        rf"(?<![\w.=]){NUMBER}{UNIT}[\s-]+(?:\w{{3,12}}\s)?"
        r"(?=(?:samples?|examples|rows|records|problems)\b)",
        "100k synthetic samples",
        "samples",
    ),
    left_out(
        rf"(?<![\w.=]){NUMBER}{UNIT}\s(?:(?:test|training)\s)?(?:prompts|questions)\s"
        r"(?:in|of)\s(?:the\s|my\s|our\s)?(?:data|train|set)\w{0,6}"
        rf"|\bdataset\s{{1,3}}(?:of\s|with\s)?{NUMBER}{UNIT}\s{{1,3}}(?:prompts|questions)\b",
        "2000 prompts in the dataset",
    ),
    left_out(
        rf"(?<![\w.=]){NUMBER}\s(?:test|training|eval)\s(?:prompts|questions|problems)\b",
        "1319 test questions",
    ),
    Spelling(
        r"\bgrad(?:ient)?s?[\s_-]accum\w{0,9}(?:[\s_]steps)?[\s:=]{0,3}(?:of\s)?(\d{1,5})\b",
        r"grad_accum=\1",
        "gradient accumulation of 8",
        "grad_accum=8",
    ),
)
"""A number of these things counts no card, and is no length."""
