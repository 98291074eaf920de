"""One launch, logged to every tracker by its own SDK: the same facts, the same verdicts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.launch_sources import DECIDES, launches
from bot.check.request import CheckOptions, ScriptFile
from bot.check.script import check_script
from bot.evidence import Facts, read
from bot.evidence.online import Access, read_online
from bot.report import Evidence
from tests.conftest import WrittenRun
from tests.runs.console import verl_log
from tests.trackers.conftest import PLACES
from tests.trackers.hub_server import Hub
from tests.trackers.mlflow_server import Mlflow
from tests.trackers.record import LAUNCH
from tests.trackers.swanlab_server import KEY, Swanlab

DEMO: Any = import_module("examples.demo.__main__")
ROOT: Final = Path(__file__).resolve().parents[2]
WITH_SETTINGS: Final = [
    name for name in PLACES if name.startswith(("SwanLab", "trackio", "MLflow"))
]
SHOWN: Final = {
    "settings": "every setting",
    "device": "device",
    "gpus": "gpus",
    "steps without OOM": "steps without OOM",
    "peak memory": "peak memory",
    "inference engine": "inference engine",
}
"""Claim to its column in the guide."""


def evidence(run: Path) -> Evidence:
    """What the demo's script gets for a run."""
    data = (DEMO.ROOT / DEMO.SCRIPT).read_bytes()
    script = ScriptFile(path=DEMO.SCRIPT, data=data)
    found = check_script(script, CheckOptions(evidence="required"), run=run).evidence
    assert found is not None
    return found


def over_server(database: Path) -> Evidence:
    """What the demo's script gets for the same run on an MLflow server."""
    with Mlflow().serving() as server:
        [run] = server.load(database)
        access = Access.from_environment({"MLFLOW_TRACKING_URI": server.url})
        return _linked(f"mlflow: {server.link(run)}", access)


def over_swanlab(folder: Path) -> Evidence:
    """What the demo's script gets for the same run on SwanLab's server."""
    with Swanlab().serving() as server:
        server.load(folder)
        named = {"SWANLAB_API_HOST": server.url, "SWANLAB_API_KEY": KEY}
        return _linked(f"swanlab: {server.link}", Access.from_environment(named))


def over_space(folder: Path) -> Evidence:
    """What the demo's script gets for the same run in a Space of trackio's."""
    with Hub().serving() as hub:
        hub.load(folder)
        access = Access.from_environment({"HF_ENDPOINT": hub.url})
        return _linked(f"trackio: {hub.link(str(read(folder).run.id))}", access)


def _linked(comment: str, access: Access) -> Evidence:
    first, _, rest = (DEMO.ROOT / DEMO.SCRIPT).read_text(encoding="utf-8").partition("\n")
    options = CheckOptions(
        evidence="required",
        hosts=access.run_hosts(),
        linked=lambda link: read_online(link, access),
    )
    script = ScriptFile(path=DEMO.SCRIPT, data=f"{first}\n# {comment}\n{rest}".encode())
    found = check_script(script, options).evidence
    assert found is not None
    return found


def every_evidence(launch: Path, written: WrittenRun, folder: Path) -> dict[str, Evidence]:
    """Source to what the demo's script gets for it, in the guide's order."""
    found: dict[str, Evidence] = {}
    for name, place in every_place(launch, written, folder).items():
        found[name] = evidence(place)
        if name == "SwanLab 0.10":
            found["SwanLab server"] = over_swanlab(place)
        if name == "trackio":
            found["trackio Space"] = over_space(place)
        if name == "MLflow folder":
            found["MLflow server"] = over_server(launch / PLACES["MLflow database"])
    return found


def every_place(launch: Path, written: WrittenRun, folder: Path) -> dict[str, Path]:
    """Source to its record of the launch, W&B's and the console's included."""
    log = folder / "train.log"
    log.write_text(verl_log(LAUNCH), encoding="utf-8")
    places = {name: launch / place for name, place in PLACES.items()}
    return {"W&B": written(LAUNCH), **places, "console log": log}


def verdicts(found: Evidence) -> dict[str, str]:
    return {claim.claim: claim.verdict for claim in found.claims}


@pytest.mark.parametrize("source", PLACES)
def test_every_value_is_read(launch: Path, source: str) -> None:
    facts = read(launch / PLACES[source])
    assert facts.gaps == ()
    for key in LAUNCH.history_row(1):
        values = [LAUNCH.history_row(step)[key] for step in range(1, LAUNCH.steps + 1)]
        series = facts.history[key]
        assert series.rows == LAUNCH.steps
        assert series.maximum == pytest.approx(max(values), 1e-6)
        assert series.last == pytest.approx(values[-1], 1e-6)


@pytest.mark.parametrize("source", WITH_SETTINGS)
def test_the_configuration_is_the_launchs(launch: Path, source: str) -> None:
    config = dict(read(launch / PLACES[source]).config)
    config.pop("FRAMEWORK", None)

    def texts(value: Any) -> Any:
        """MLflow's parameters are text."""
        if isinstance(value, dict):
            return {key: texts(inner) for key, inner in value.items()}
        return [texts(inner) for inner in value] if isinstance(value, list) else str(value)

    assert texts(config) == texts(LAUNCH.config)


@pytest.mark.parametrize("source", WITH_SETTINGS)
def test_the_peak_of_the_memory_in_use_is_seen(launch: Path, source: str) -> None:
    system = read(launch / PLACES[source]).system
    assert set(system) == {0, 1}
    assert system[0].maximum / 2**30 == pytest.approx(LAUNCH.peak_gib, abs=0.002)
    assert system[1].maximum / 2**30 == pytest.approx(LAUNCH.system_gib, abs=0.002)


@pytest.mark.parametrize("source", ["SwanLab 0.10", "SwanLab 0.7"])
def test_swanlab_names_the_host(launch: Path, source: str) -> None:
    facts = read(launch / PLACES[source])
    assert [gpu.name for gpu in facts.gpus] == ["NVIDIA H800"] * 2
    assert (facts.requirements["vllm"], facts.state) == ("0.24.0", "finished")


def test_no_source_contradicts_another(launch: Path, written: WrittenRun, tmp_path: Path) -> None:
    every = every_evidence(launch, written, tmp_path)
    found = {name: verdicts(one) for name, one in every.items()}
    for name, claims in found.items():
        assert "inconsistent" not in claims.values(), name
        for claim, verdict in claims.items():
            known = {verdict, found["W&B"].get(claim, verdict)} - {"inconclusive"}
            assert len(known) <= 1, (name, claim)


def guide(launch: Path, written: WrittenRun, folder: Path) -> str:
    """The table of docs/evidence.md."""
    head = ["source", *SHOWN.values(), "strength"]
    rows = [head, ["---"] * len(head)]
    for name, found in every_evidence(launch, written, folder).items():
        claims = verdicts(found)
        settings = f"{found.settings_consistent} of {found.settings_compared}"
        cells = {**claims, "settings": settings if found.settings_compared else "inconclusive"}
        rows.append([name, *(cells.get(claim, "") for claim in SHOWN), str(found.strength)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def test_the_guide_shows_what_each_source_decides(
    launch: Path, written: WrittenRun, tmp_path: Path
) -> None:
    table = guide(launch, written, tmp_path)
    assert table in (ROOT / "docs/evidence.md").read_text(encoding="utf-8"), table


def test_what_a_source_decides_is_what_the_count_of_launches_says(
    launch: Path, written: WrittenRun, tmp_path: Path
) -> None:
    names = {"W&B": "wandb", "SwanLab 0.10": "swanlab", "MLflow folder": "mlflow",
             "verl's file logger": "file"}  # fmt: skip
    places = every_place(launch, written, tmp_path)
    for name, place in places.items():
        source = names.get(name, name.casefold())
        if source in DECIDES:
            found = evidence(place)
            claims = verdicts(found)
            decided = {"settings"} if found.settings_compared else set[str]()
            for word, claim in (("peak", "peak memory"), ("steps", "steps without OOM")):
                decided |= {word} if claims[claim] == "consistent" else set()
            decided |= {"device"} if claims["device"] == "consistent" else set()
            assert decided == DECIDES[source], name


def test_launches_are_counted_by_what_they_say(tmp_path: Path) -> None:
    texts = {
        "a.sh": "python3 -m verl.trainer.main_ppo \\\n trainer.logger=['console','tensorboard']\n",
        "b.sh": "python3 -m verl.trainer.main_ppo trainer.nnodes=1\n",
        "c.sh": "python3 train.py \\\n  --lr 1\n# --use-wandb\n",
        "d.sh": "echo nothing\n",
        "e.yaml": "track_with: tensorboard\n",
        "f.yaml": "stats_logger:\n  a: 1\n  wandb:\n    mode: disabled\n",
        "g.yaml": "other: 1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = {path.name: set(sources) for path, sources in launches(tmp_path)}
    assert found == {
        "a.sh": {"tensorboard"}, "b.sh": {"wandb"}, "c.sh": set(), "e.yaml": {"tensorboard"},
        "f.yaml": set(),
    }  # fmt: skip


def test_a_copy_is_read_and_nothing_is_left_beside_it(launch: Path) -> None:
    before = sorted(path for path in launch.rglob("*"))
    for source in PLACES:
        assert isinstance(read(launch / PLACES[source]), Facts)
    assert sorted(path for path in launch.rglob("*")) == before
