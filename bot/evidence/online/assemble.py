"""Putting one run's facts together from what the SDK gives, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.base.messages import Notes, message
from bot.evidence.facts import Facts, RunId
from bot.evidence.json_values import text
from bot.evidence.limits import RunLimits
from bot.evidence.locate import Located
from bot.evidence.online import siblings as others
from bot.evidence.online import streams
from bot.evidence.online.bounds import Bounds, Watch
from bot.evidence.online.failure import ReadStage
from bot.evidence.online.history import HistoryReader
from bot.evidence.online.json_server import ServerRun
from bot.evidence.online.sdk import Sdk
from bot.evidence.run_config import plain
from bot.evidence.side_files import Host, SideFiles
from bot.report import JsonValue

_ENDED = frozenset({"finished", "failed", "crashed", "killed", "preempted"})


def assemble(sdk: Sdk, asked: ServerRun, watch: Watch, *, private: bool) -> Facts:
    """The facts of a run that is `private` or not, and of the project's other runs.

    `watch.keep` is handed the facts of the run before the others are looked at.

    Raises ReadingError where something that decides cannot be read; what is lost besides becomes a
    sentence in `Facts.gaps`.
    """
    run = sdk.run(asked.entity, asked.project, asked.run_id)
    facts = _facts(sdk, run, asked, watch, private=private)
    if not watch.bounds.siblings or watch.spent() is not None:
        return facts
    # Whatever becomes of the others, this run was read.
    watch.keep(facts)
    watch.tell(ReadStage.SIBLINGS, 0, None)
    found, sibling_gaps = others.siblings(sdk, run, watch.bounds)
    return replace(facts, siblings=tuple(found), sibling_gaps=tuple(sibling_gaps))


def _facts(sdk: Sdk, run: Any, asked: ServerRun, watch: Watch, *, private: bool) -> Facts:
    """The facts of the run itself, read stage by stage."""
    bounds, tell = watch.bounds, watch.tell
    entity, project = asked.entity, asked.project
    listed = {"entity": entity, "project": project, "name": asked.run_id}
    counted = streams.counts(sdk, listed)
    gaps = Notes()
    state = text(run.state)
    if state not in _ENDED:
        gaps.note(
            "The run is still going on (W&B says: {state}): what it logs after this reading is "
            "not part of the comparison.",
            state=_word(state),
        )

    tell(ReadStage.HISTORY, 0, None)
    history = HistoryReader(sdk.service, run, watch).read()
    gaps += history.gaps

    tell(ReadStage.SYSTEM, 0, None)
    system = streams.system_stream(run, counted.samples, bounds)
    gaps += system.gaps

    tell(ReadStage.FILES, 0, None)
    config: Mapping[str, JsonValue] = run.config if isinstance(run.config, Mapping) else {}
    log = asked.folder / f"{asked.run_id}.wandb"  # Names the place beside which the files lie.
    located = Located(asked.folder.resolve(), log, "")
    beside = _files(run, located, bounds, gaps, has_config=bool(config))
    host = beside.metadata() or Host()

    tell(ReadStage.CONSOLE, 0, None)
    out_of_memory = _out_of_memory(run, counted.lines, located, beside, watch)

    # The listings of a run that was deleted meanwhile are empty rather than failures.
    if state in _ENDED and streams.counts(sdk, listed) != counted:
        gaps.note(
            "The run was changed while it was read: what is compared may be of before and after."
        )

    return Facts(
        source=message("W&B run {run}", run=f"{entity}/{project}/{asked.run_id}"),
        kind="online",
        run=_run_id(run, entity, project),
        config=plain(config, gaps) or plain(beside.config(), gaps),
        history=history.series,
        history_rows=history.rows,
        system=system.series,
        system_rows=system.rows,
        gpus=host.listed(),
        host_gpu_count=host.gpu_count or len(host.gpus) or None,
        requirements=beside.requirements(),
        program=host.program,
        args=host.args,
        # W&B does not say which other one.
        exit_code=0 if state == "finished" else None,
        out_of_memory=out_of_memory,
        gaps=tuple(gaps),
        state=state,
        created=others.utc(getattr(run, "createdAt", None)),
        private=private,
    )


def _files(
    run: Any, located: Located, bounds: Bounds, gaps: Notes, *, has_config: bool
) -> SideFiles:
    """The files that lie beside a run's log, fetched; its configuration only where it gave none."""
    names = streams.WANTED_FILES if has_config else (*streams.WANTED_FILES, "config.yaml")
    gaps += streams.fetch_files(run, names, located.files, bounds)
    return SideFiles(located, RunLimits(output_bytes=bounds.file_bytes), gaps)


def _out_of_memory(
    run: Any, lines: int | None, located: Located, beside: SideFiles, watch: Watch
) -> str | None:
    """The console line that reports an out-of-memory error, if any; from output.log without one."""
    found, unsearched = streams.console_error(run, lines, watch.bounds, watch.tell)
    if found is None and not lines:
        beside.gaps += streams.fetch_files(run, ("output.log",), located.files, watch.bounds)
        found = beside.out_of_memory()
    beside.gaps += unsearched
    return found


def _run_id(run: Any, entity: str, project: str) -> RunId:
    user = text(getattr(getattr(run, "user", None), "username", None))
    return RunId(id=text(run.id), entity=entity, project=project, name=text(run.name), user=user)


def _word(state: str | None) -> str:
    return state if state is not None and state.isascii() and state.isalpha() else message("no end")
