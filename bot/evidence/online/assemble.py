"""Putting one run's facts together from what the SDK gives, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.base.messages import Notes, message
from bot.evidence.facts import Facts, RunId
from bot.evidence.json_values import text
from bot.evidence.limits import RunLimits
from bot.evidence.locate import Located
from bot.evidence.online import siblings as others
from bot.evidence.online import streams
from bot.evidence.online.bounds import Watch
from bot.evidence.online.failure import ReadStage
from bot.evidence.online.history import HistoryReader
from bot.evidence.online.json_server import ServerRun
from bot.evidence.online.sdk import Sdk
from bot.evidence.run_config import plain
from bot.evidence.side_files import Host, SideFiles
from bot.report import JsonValue

_ENDED = frozenset({"finished", "failed", "crashed", "killed", "preempted"})


def assemble(sdk: Sdk, asked: ServerRun, watch: Watch, *, siblings: bool, private: bool) -> Facts:
    """The facts of a run that is `private` or not, and with `siblings` of the project's other runs.

    `watch.keep` is handed the facts of the run before the others are looked at.

    Raises ReadingError where something that decides cannot be read; what is lost besides becomes a
    sentence in `Facts.gaps`.
    """
    bounds, tell, folder = watch.bounds, watch.tell, asked.folder
    entity, project, run_id = asked.entity, asked.project, asked.run_id
    run = sdk.run(entity, project, run_id)
    counted = streams.counts(sdk, {"entity": entity, "project": project, "name": run_id})
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
    names = streams.WANTED_FILES if config else (*streams.WANTED_FILES, "config.yaml")
    log = folder / f"{run_id}.wandb"  # Names the place beside which the files lie.
    located = Located(folder.resolve(), log, "")
    gaps += streams.fetch_files(run, names, located.files, bounds)
    beside = SideFiles(located, RunLimits(output_bytes=bounds.file_bytes), gaps)
    host = beside.metadata() or Host()

    tell(ReadStage.CONSOLE, 0, None)
    out_of_memory, unsearched = streams.console_error(run, counted.lines, bounds, tell)
    if out_of_memory is None and not counted.lines:
        gaps += streams.fetch_files(run, ("output.log",), located.files, bounds)
        out_of_memory = beside.out_of_memory()
    gaps += unsearched

    # The listings of a run that was deleted meanwhile are empty rather than failures.
    after = streams.counts(sdk, {"entity": entity, "project": project, "name": run_id})
    if state in _ENDED and after != counted:
        gaps.note(
            "The run was changed while it was read: what is compared may be of before and after."
        )

    facts = Facts(
        source=message("W&B run {run}", run=f"{entity}/{project}/{run_id}"),
        kind="online",
        run=RunId(
            id=text(run.id),
            entity=entity,
            project=project,
            name=text(run.name),
            user=text(getattr(getattr(run, "user", None), "username", None)),
        ),
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
    if not siblings or watch.spent() is not None:
        return facts
    # Whatever becomes of the others, this run was read.
    watch.keep(facts)
    tell(ReadStage.SIBLINGS, 0, None)
    found, sibling_gaps = others.siblings(sdk, run, bounds)
    return replace(facts, siblings=tuple(found), sibling_gaps=tuple(sibling_gaps))


def _word(state: str | None) -> str:
    return state if state is not None and state.isascii() and state.isalpha() else message("no end")
