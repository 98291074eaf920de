"""What was verified: an entry for each script, and the report it came from."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from bot.base.fast_dataclass import dataclass
from bot.github.pull import PullId
from bot.report import Report
from bot.service.database import Database
from bot.table.rst import UNKNOWN_CELL

PAGE = 50
MAX_WORDS = 8
"""Words of a search that count."""

SCHEMA = 1
"""Stored beside the tables, for the release that alters them. It may only add, so that this one
reads on: `ALTER TABLE … ADD COLUMN …` with a default, `CREATE INDEX …`."""
_LOCK = 0x726C626F
"""Key of the advisory lock under which tables are changed."""

_schema = sa.MetaData()
_versions = sa.Table("rlbot_schema", _schema, sa.Column("version", sa.Integer, primary_key=True))
_reports = sa.Table(
    "rlbot_reports",
    _schema,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("repository", sa.String(200), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("head", sa.String(64), nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("markdown", sa.Text, nullable=False),
    sa.Column("report", sa.Text, nullable=False),
    sa.Column("repository_id", sa.BigInteger, nullable=False),
    sa.Column("installation", sa.BigInteger, nullable=True),
    sa.UniqueConstraint("repository", "number", "head"),
)
_lines = sa.Table(
    "rlbot_verifications",
    _schema,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column(
        "report_id",
        sa.Integer,
        sa.ForeignKey("rlbot_reports.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("run", sa.Text, nullable=True),
    sa.Column("peak_gib", sa.Float, nullable=True),
    sa.Column("device_gib", sa.Float, nullable=True),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("created", sa.Float, nullable=False, index=True),
)
_hidden = sa.Table(
    "rlbot_hidden",
    _schema,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("hidden", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
)
_VISIBLE = _reports.c.public & ~sa.exists().where(
    _hidden.c.hidden
    & (
        ((_hidden.c.kind == "repository") & (_hidden.c.id == _reports.c.repository_id))
        | ((_hidden.c.kind == "installation") & (_hidden.c.id == _reports.c.installation))
    )
)
"""A report that was public when it was published, and that nothing hides since."""
_later = _reports.alias("later")
_NEWEST = ~sa.exists().where(
    (_later.c.repository == _reports.c.repository)
    & (_later.c.number == _reports.c.number)
    & (_later.c.created > _reports.c.created)
)
"""The last report on its pull request."""


@dataclass(frozen=True, slots=True)
class HiddenSubject:
    """What is hidden as a whole, by GitHub's number: a name can change, and be taken by others."""

    kind: Literal["repository", "installation"]
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedScript:
    """One verified script, as the page lists it."""

    id: int
    report_id: int
    repository: str
    number: int
    head: str
    path: str
    verdict: str
    row: dict[str, str]
    """Cells of the tuning page's row; empty where it is open, and where there is none."""
    run: str | None
    """Address of the run's page."""
    peak_gib: float | None
    device_gib: float | None
    created: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReport:
    """A report as it was published."""

    repository: str
    number: int
    head: str
    created: float
    markdown: str
    report: str
    """JSON, report-v1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """How a report was published."""

    pull: PullId
    markdown: str
    """The comment."""
    public: bool
    """Whether GitHub said then that everybody may see the repository."""
    repository_id: int
    installation: int | None = None


class Verifications:
    """The record of published reports in the App's database."""

    def __init__(self, database: Database) -> None:
        database.prepare()
        self._engine = database.engine(5)

    def migrate(self) -> None:
        """Make the tables that are missing; processes may do so at once.

        Raises what the database raises.
        """
        with self._engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            _schema.create_all(connection)
            if connection.execute(sa.select(_versions.c.version)).first() is None:
                connection.execute(sa.insert(_versions).values(version=SCHEMA))

    def record(self, publication: Publication, report: Report) -> int:
        """Store a report in the place of an earlier one on the same head; returns its id.

        A public one is shown unless its repository or installation is hidden, whenever that was.
        Raises ValueError for a report without a change.
        """
        from bot.render.json_report import to_json

        if report.change is None:
            raise ValueError("only a change's report is recorded")
        now = time.time()
        repository = publication.pull.repository
        mine = (
            (_reports.c.repository == repository)
            & (_reports.c.number == publication.pull.number)
            & (_reports.c.head == report.change.head)
        )
        with self._engine.begin() as connection:
            old = connection.execute(sa.select(_reports.c.id).where(mine)).scalar()
            if old is not None:
                connection.execute(sa.delete(_lines).where(_lines.c.report_id == old))
                connection.execute(sa.delete(_reports).where(_reports.c.id == old))
            connection.execute(
                sa.insert(_reports).values(
                    **({"id": old} if old is not None else {}),
                    repository=repository,
                    number=publication.pull.number,
                    head=report.change.head,
                    public=publication.public,
                    created=now,
                    markdown=publication.markdown,
                    report=to_json(report),
                    repository_id=publication.repository_id,
                    installation=publication.installation,
                )
            )
            new = connection.execute(sa.select(_reports.c.id).where(mine)).scalar_one()
            for script in report.scripts:
                cells = _cells(script.row)
                evidence = script.evidence
                connection.execute(
                    sa.insert(_lines).values(
                        report_id=new,
                        path=script.path,
                        verdict=script.verdict,
                        row=json.dumps(cells),
                        run=evidence.run.url if evidence else None,
                        peak_gib=evidence.peak_gib if evidence else None,
                        device_gib=evidence.device_gib if evidence else None,
                        words=" ".join(
                            [repository, script.path, script.verdict, *cells.values()]
                        ).lower(),
                        created=now,
                    )
                )
        return int(new)

    def search(
        self, words: str = "", *, verdict: str = "", before: int | None = None
    ) -> list[VerifiedScript]:
        """Lines of the last public report on each pull request, newest first.

        Each holds every word; `before` is the id to go on from.
        """
        query = (
            sa.select(_lines, _reports.c.repository, _reports.c.number, _reports.c.head)
            .join(_reports, _lines.c.report_id == _reports.c.id)
            .where(_VISIBLE & _NEWEST)
            .order_by(_lines.c.id.desc())
            .limit(PAGE)
        )
        for word in words.lower().split()[:MAX_WORDS]:
            query = query.where(_lines.c.words.contains(word, autoescape=True))
        if verdict:
            query = query.where(_lines.c.verdict == verdict)
        if before is not None:
            query = query.where(_lines.c.id < before)
        with self._engine.connect() as connection:
            return [_verified_script(stored) for stored in connection.execute(query).mappings()]

    def shown_repositories(self) -> dict[int, str]:
        """Repositories that a report of is shown: GitHub's number to the name it has there."""
        query = (
            sa.select(_reports.c.repository_id, _reports.c.repository).where(_VISIBLE).distinct()
        )
        with self._engine.connect() as connection:
            return {int(number): str(name) for number, name in connection.execute(query)}

    def report(self, report_id: int) -> StoredReport | None:
        """A public report; None when there is none, or when it is not public."""
        query = sa.select(_reports).where((_reports.c.id == report_id) & _VISIBLE)
        with self._engine.connect() as connection:
            stored = connection.execute(query).mappings().first()
        return StoredReport(**_fields(StoredReport, stored)) if stored is not None else None

    def hide(self, subjects: Iterable[HiddenSubject]) -> None:
        """Show nothing of these, neither what is stored nor what comes, until `show`."""
        with self._engine.begin() as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            for subject in subjects:
                connection.execute(
                    insert(_hidden)
                    .values(kind=subject.kind, id=subject.id, hidden=True, version=1)
                    .on_conflict_do_update(
                        index_elements=["kind", "id"],
                        set_={"hidden": True, "version": _hidden.c.version + 1},
                    )
                )

    def hidden(self, subjects: Iterable[HiddenSubject]) -> dict[HiddenSubject, int]:
        """Those of the subjects that are hidden now, each with the version that `show` takes."""
        found: dict[HiddenSubject, int] = {}
        with self._engine.connect() as connection:
            for subject in subjects:
                version = connection.execute(
                    sa.select(_hidden.c.version).where(_is(subject) & _hidden.c.hidden)
                ).scalar()
                if version is not None:
                    found[subject] = version
        return found

    def show(self, subject: HiddenSubject, version: int, *, name: str | None = None) -> bool:
        """Show a subject again; False when it was hidden once more since that version.

        Of a repository that has another name now, what was published under an earlier one stays
        hidden for good: that name may be somebody else's.
        """
        with self._engine.begin() as connection:
            done = connection.execute(
                sa.update(_hidden)
                .where(_is(subject) & (_hidden.c.version == version))
                .values(hidden=False)
            ).rowcount
            if done and name is not None:
                connection.execute(
                    sa.update(_reports)
                    .where(
                        (_reports.c.repository_id == subject.id)
                        & (sa.func.lower(_reports.c.repository) != name.lower())
                    )
                    .values(public=False)
                )
        return bool(done)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


def _is(subject: HiddenSubject) -> sa.ColumnElement[bool]:
    return (_hidden.c.kind == subject.kind) & (_hidden.c.id == subject.id)


_NAMES = ("tag", "model", "task", "resource", "max_batch", "train", "infer", "contributor")


def _cells(row: Any) -> dict[str, str]:
    return {name: str(getattr(row, name)) for name in _NAMES} if row is not None else {}


def _verified_script(stored: sa.RowMapping) -> VerifiedScript:
    cells = {name: text for name, text in json.loads(stored["row"]).items() if text != UNKNOWN_CELL}
    row = dict.fromkeys(_NAMES, "") | cells
    return VerifiedScript(**{**_fields(VerifiedScript, stored), "row": row})


def _fields(kind: type, stored: sa.RowMapping) -> dict[str, Any]:
    """The columns that a dataclass has fields of."""
    return {field.name: stored[field.name] for field in fields(kind)}
