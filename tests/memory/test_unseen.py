"""The set that judges the model: what it holds, and that nobody changed it afterwards."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bot.frameworks import plans
from bot.shell import read
from tests.memory.judge import OTHERS, ROUNDS, trainer_of
from tests.memory.printed import of_program

DIGESTS = (
    "0ada2c453999cee75024ba30d8e1cf5602029100a0eafb77e4594150e53c9dcd",
    "2b8ffafec136026332ce66ecfb361db5cddbd0a5de0b8c20aef96369bfb95c46",
    "d25f4de7123be11f2020a5731b590df832eb9bd63bf3baa49730cb9293612193",
    "4626814dc0aa9ef40d5d603aab5fe3de90da63915be758aa3373b054e9c0e6a0",
    "719f35e36f3dc1240136c2d17438ce003fb6e261fe0cc99ae003edbdb34e7ab4",
    "dbae88d97c2980f1c1fc2b1c1a6b39b2682962ad2ab4a1ff2dd4b737cd16e1cc",
    "3b0971e3db7d03cbe7238452df4f28b7e15b6db43680a3d0a1b9edb8135b189c",
    "8af5694ad067e37f063b1da661f6e0dc3b6aa333142e16d4624ab48c2786ac9d",
    "538fee61a58337bcad6c3ee8a1e4932295f7c478844991419516f5ddb4247820",
    "ab411f8e337daa08de098f82f821a03bf0c89d2da092c054d83f425a15efaf91",
    "800198d65e896c6b0ed2714651275301e8dbed5241e02cc15c522f6fcaa42024",
    "4fa862f4dc0d12e418f3313653046426a50be01ab38e87d4a4f5e51c85276aaf",
    "fe739d18e67e537221150c48550b40919ef0377f158507be3adc2d904dddecf1",
    "da17d228bee2f14494ddbaeb3debc4e6d2415fdede9b9ebbfa7ab4397f95d403",
    "784b30714694fdf8518287c12042a55a2cdf9964240116bedff6dab5bdf8590c",
    "ae6abb403dee47245579cb8101584caf4a8190a101d05571761ff2076f331765",
    "5dd891f3165fd2f79c3c045a5f4fbfd8bad949bdcf20842b35fac159607a14f4",
    "5de3f3c53fe47e9531e16bdff52c35e8ec7fb53e2143b72979c752ced57329cb",
    "5060856ad333c65fa5338deef18ef6b3e3ebe848f332c43bfa43d05d5918d4de",
    "0cc9296e569ce4e2786afd0a6c174577205c143101b43ba64add5dfa4f0bb0f1",
    "4fc9c0535758eb06e133b6a260234ec4ece36ae1cacfbeb48ceb6f3865ae87f5",
    "4365bcf9bae19337eb2ce18399360bcb4dd4bdc88c101593036e79008bde70b6",
    "ca889fdd56677f9fbf2e48ad2cab80e302acbbbab16144b369725184a8a6c13e",
    "76c697c0d0ce7db082bbe125c418ba134ed988bff3cce3618f850d71c42e4edb",
    "681eae5f4961b698a47c715e27d7b148a49f20a68ec09ab59b1599e89ab7711b",
    "0480582b4b0079781d07da0fa8e6e7035d88973d5aede525c5ed48949d2d6f9a",
    "b86039d342f56b75f5d63f98d20ebc3e66c481171f5324dc06e9d0d55c7e50d0",
    "2ce4d6f823079ec391e2e9f5c72a608360e821fc53b39517872fda05d0706bd6",
    "520c307104fda06570ff6053f61400d7b3634280db095fdd70172e63e1755dfd",
    "98f46adcf020a907642db8b60320daff6d47edfbd4014c3ec83325960a8379d8",
    "96184646e8a974683358f642642bb1f2210a505edbbbc984628e7dd3dc863148",
    "af3b7d9ce89d6c9c16cd252f5b382a925a112979a5d3755056fac064e0763762",
    "7103baa4eff7c69534d228acd95f99ec0f0e7af37b57b8b70d1456a8e1dbf836",
    "5dc8b2df01ff34788f2e281400535717384651e14899f38a785106293af70fea",
    "4e1251d96292754a036759acb1b65ca15be1a5850942f0920c7e6eede144aba5",
    "d7db668101064b443babf5d8adea06a096482b9c26155aeaa51d0db9d0868a5a",
    "17c9737d5c2528095b4ce6ffd0526c1268849a3a4ff74f4c7eb9e52b2df80fd3",
    "f6ac5d95092fa542a9efcf3d9dbfa0ae9ba014fa3d813b05e3b204d84a48c707",
    "9bc59a13898ec4c062fa41262f18afbd5391b0c24f32956268dc25d5d5ac7dbf",
    "e5f7566fc3fbd3d9f049b1f027e3073423903093343665b340ba679da7cb78b2",
    "915bcb1712f3c5b6a58ad94b9a478eee437eba25d2088474ce194d95d8e764a2",
)
"""Of each round's rows and scripts, from the first on."""
AGAIN = ("r32-ctn-8b-a100",)
"""A notebook of TRL's in another state, with another model on another card."""
TOLD = (
    "github.com/",
    "a guide in a public repository, ",
    "a log in a public repository, ",
    "a report of ",
    "a stored file that names ",
    "a stored repository that ",
)
"""How the sources of rows begin."""
FOLDER = Path(__file__).parent / "unseen"
EVERY: list[list[dict[str, Any]]] = [
    json.loads((folder / "rows.json").read_text("utf-8")) for folder in ROUNDS
]
ROWS, MORE, LATEST, *LATER = EVERY


@pytest.mark.parametrize(("folder", "known"), list(zip(ROUNDS, DIGESTS, strict=True)))
def test_nobody_changed_it(folder: Path, known: str) -> None:
    digest = sha256((folder / "rows.json").read_bytes())
    for path in sorted(one for one in (folder / "scripts").rglob("*") if one.is_file()):
        digest.update(path.name.encode() + path.read_bytes())
    assert digest.hexdigest() == known


def test_the_second_round_stands_in_no_other_list() -> None:
    assert len(MORE) >= 12
    assert not {row["id"] for row in MORE} & {row["id"] for row in ROWS}
    before = json.dumps(ROWS)
    for name in ("cases.json", "held_out.json"):
        before += (FOLDER.parent / name).read_text("utf-8")
    for row in MORE:
        (place,) = re.findall(r"examples/\S+\.sh|\w+/issues/\d+", row["source"])
        assert place not in before, row["id"]


def test_the_third_round_repeats_no_row() -> None:
    assert sum("measured_gib" in row for row in LATEST) >= 12
    assert sum(row["outcome"] == "oom" for row in LATEST) == 5
    known = {row["id"] for row in ROWS + MORE}
    before = json.dumps(ROWS + MORE)
    for name in ("cases.json", "held_out.json"):
        before += (FOLDER.parent / name).read_text("utf-8")
    for row in LATEST:
        assert row["id"] not in known
        script = r"examples/\S+\.sh|docs/source_en/\S+\.md|\w+/issues/\d+|recipes/\S+\.yaml"
        for place in re.findall(script, row["source"]):
            assert place not in before, row["id"]


@pytest.mark.parametrize("number", range(4, len(EVERY) + 1))
def test_a_later_round_repeats_no_row(number: int) -> None:
    rows, earlier = EVERY[number - 1], [row for rows in EVERY[: number - 1] for row in rows]
    known = {row["id"] for row in earlier}
    before = json.dumps(earlier, ensure_ascii=False)
    for name in ("cases.json", "held_out.json"):
        before += (FOLDER.parent / name).read_text("utf-8")
    for row in rows:
        assert row["id"] not in known
        source = row["source"]
        repository = re.match(r"github\.com/([\w.-]+/[\w.-]+)", source)
        if repository and not re.search(re.escape(repository[1]) + r"(?![\w.-])", before):
            continue
        place = (
            r"[\w./-]+/[\w./-]+\.(?:sh|md|yaml|ipynb)|\w+\.csv"
            r"|[\w.-]+/(?:issues|pull)/\d+\b|\"[^\"]+\"|names itself \w+"
        )
        places = re.findall(place, source)
        assert places, row["id"]
        assert row["id"] in AGAIN or not [one for one in places if one in before], row["id"]


@pytest.mark.parametrize(
    ("rows", "least", "newer", "ran_out", "figures"),
    [
        (rows, *wanted)
        for rows, wanted in zip(
            LATER,
            (
                (40, 10, 17, 30),
                (40, 15, 25, 23),
                (79, 15, 43, 33),
                (62, 45, 27, 27),
                (63, 50, 26, 26),
                (80, 69, 30, 42),
                (72, 32, 26, 36),
                (95, 64, 23, 69),
                (21, 12, 8, 10),
                (35, 24, 7, 28),
                (10, 10, 2, 8),
                (36, 28, 11, 19),
                (41, 40, 20, 4),
                (47, 45, 7, 40),
                (38, 34, 4, 33),
                (74, 72, 31, 20),
                (47, 43, 22, 6),
                (40, 20, 20, 16),
                (48, 28, 22, 22),
                (50, 50, 19, 20),
                (51, 36, 20, 24),
                (43, 38, 14, 14),
                (95, 83, 19, 58),
                (62, 55, 21, 23),
                (12, 8, 1, 10),
                (30, 30, 12, 14),
                (43, 35, 12, 21),
                (47, 39, 15, 17),
                (40, 40, 10, 16),
                (58, 58, 21, 22),
                (32, 32, 7, 12),
                (44, 43, 10, 22),
                (12, 7, 3, 8),
                (52, 52, 20, 8),
                (27, 27, 15, 7),
                (31, 30, 12, 6),
                (22, 22, 4, 9),
                (16, 14, 4, 1),
            ),
            strict=True,
        )
    ],
    ids=list(range(4, len(EVERY) + 1)),
)
def test_a_later_round_holds_what_a_judge_needs(
    rows: list[dict[str, Any]], least: int, newer: int, ran_out: int, figures: int
) -> None:
    assert len(rows) >= least
    assert sum(row["date"] > "2025-09-30" for row in rows) >= newer
    assert sum(row.get("outcome") == "oom" for row in rows) == ran_out
    assert sum("measured_gib" in row for row in rows) == figures
    for row in rows:
        assert re.fullmatch(r"202[3-6]-[01]\d-[0-3]\d", row["date"]), row["id"]
        assert row["source"].startswith(TOLD), row["id"]
        assert row["method"] in ("full", "lora", "qlora"), row["id"]
        assert row["backend"] in ("fsdp", "zero", "megatron", "single"), row["id"]
        assert ("measured_gib" in row) == ("metric" in row), row["id"]
        assert row.get("outcome", "ran") in ("ran", "oom"), row["id"]


def test_it_holds_what_a_judge_needs() -> None:
    assert len(ROWS) >= 40
    assert sum(row["date"] > "2025-09-30" for row in ROWS) >= 15
    assert sum("outcome" in row for row in ROWS) >= 20
    assert sum(row.get("outcome") == "oom" for row in ROWS) == 15
    assert sum("measured_gib" in row for row in ROWS) == 37
    assert {row["method"] for row in ROWS} == {"full", "lora", "qlora", "dora"}
    assert {row["backend"] for row in ROWS} == {"fsdp", "zero", "megatron", "single"}
    assert sum(row["moe"] for row in ROWS) >= 8
    assert sum(row["vision"] for row in ROWS) >= 8
    assert all(row["source"].startswith("github.com/") for row in ROWS)


def test_each_other_trainer_has_rows_and_no_row_has_two() -> None:
    ids = [str(row["id"]) for rows in EVERY for row in rows]
    for beginnings in OTHERS.values():
        for beginning in beginnings:
            assert any(name.startswith(beginning) for name in ids), beginning
    for name in ids:
        said = [
            trainer for trainer, beginnings in OTHERS.items() if name.startswith(tuple(beginnings))
        ]
        assert len(said) <= 1, (name, said)


def test_verl_trl_and_openrlhf_are_no_other_trainers() -> None:
    """Rows whose sources name the framework's own trainer, beside those that do not."""
    named = {str(row["id"]): trainer_of(row) for rows in EVERY for row in rows}
    assert named["r18-a-dt-7b-dapo"] is None
    assert named["r4-peft-70b-z3"] is None
    assert named["r9-4080-7b-1k"] == "a loop of its own"
    assert named["r11-pr-rl-4b-16k"] == "prime-rl"


def test_no_row_is_one_of_the_calibration() -> None:
    known = [
        row["source"]
        for name in ("cases.json", "held_out.json")
        for row in json.loads((FOLDER.parent / name).read_text("utf-8"))
    ]
    places = [place for row in ROWS for place in row["source"].split() if "/" in place]
    named = {
        place.strip(":,;()")
        for place in places
        if place.strip(":,;()").endswith((".sh", ".md", ".log"))
    }
    assert named
    assert not [place for place in named if any(place in source for source in known)]


@pytest.mark.parametrize(("folder", "rows"), list(zip(ROUNDS, EVERY, strict=True)))
def test_each_script_is_read_as_one_launch(folder: Path, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        framework, _, release = row["framework"].partition("@")
        script = folder / "scripts" / f"{row['id']}.sh"
        if not script.exists():
            result = of_program("lint", script.with_suffix(""), "--framework", row["framework"])
            (launch,) = json.loads(result.out)["scripts"][0]["launches"]
            assert launch["framework"] == framework, row["id"]
            continue
        read_plans = plans(read(script.read_bytes(), "unseen.sh"), versions={framework: release})
        assert [plan.framework for plan in read_plans] == [framework], row["id"]
    assert len(list((folder / "scripts").iterdir())) == len(rows)


@pytest.mark.parametrize("rows", EVERY[9:11], ids=["tenth", "eleventh"])
def test_a_round_of_known_lengths_says_them_of_each_row(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert row["lengths"] == "known", row["id"]
        names, values = row["options"][::2], row["options"][1::2]
        assert set(names) <= {"--prompt-tokens", "--response-tokens"}, row["id"]
        assert "--response-tokens" in names, row["id"]
        assert all(int(value) > 0 for value in values), row["id"]
