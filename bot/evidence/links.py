"""Links to runs: a strict grammar, so that a link can name a run and nothing else.

Run pages are `https://wandb.ai/ENTITY/PROJECT/runs/ID` and, since 2026-09-30,
`https://forge.coreweave.com/wandb/ENTITY/PROJECT/runs/ID`. What was written is never requested:
an address is built anew from entity, project and run. MLflow's are
`https://HOST/#/experiments/NUMBER/runs/ID`, on servers that are named; SwanLab's
`https://swanlab.cn/@USER/PROJECT/runs/ID`; trackio's
`https://huggingface.co/spaces/OWNER/SPACE?project=PROJECT&run_ids=ID`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qs

from bot.base.fast_dataclass import dataclass
from bot.base.messages import message
from bot.base.regex import regex
from bot.evidence.facts import EvidenceError

HOSTS: Final = {"wandb.ai": "", "forge.coreweave.com": "/wandb"}
"""Page hosts of the public service, with the path before the entity."""
_API: Final = "api.wandb.ai"
"""Where W&B's button "Share" links to: `/links/ENTITY/ID` is a report."""

FORM: Final = "https://wandb.ai/ENTITY/PROJECT/runs/ID"
_MAX = 2048
_HOST = regex(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\Z")
_SEGMENT = r"(?!\.{1,2}(?:/|\?|\Z))[A-Za-z0-9_.-]{1,128}"
# Projects may be called "my project"; a space is the one character that needs an escape.
_PROJECT = r"(?!\.{1,2}/)(?:[A-Za-z0-9_.-]|%20){1,128}"
_PAGE = regex(
    rf"/(?P<entity>{_SEGMENT})/(?P<project>{_PROJECT})/runs/(?P<run>{_SEGMENT})"
    r"(?:/(?:overview|logs|system|files|workspace))?/?(?:\?[!-\"$-~]*)?\Z"
)
_ADDRESS = regex(r"https://(?P<authority>[^/?#]*)(?P<rest>[/?#].*)?\Z")


RunService: TypeAlias = Literal["wandb", "mlflow", "swanlab", "trackio"]
SWANLAB: Final = "https://swanlab.cn"
"""Where SwanLab's own service shows runs."""
SWANLAB_FORM: Final = "https://swanlab.cn/@USER/PROJECT/runs/ID"
_SWANLAB_PAGE = regex(
    rf"/@(?P<entity>{_SEGMENT})/(?P<project>{_SEGMENT})/runs/(?P<run>{_SEGMENT})(?:[/?#][!-~]*)?\Z"
)
MLFLOW_FORM: Final = "https://HOST/#/experiments/NUMBER/runs/ID"
_MLFLOW: Final = "/#/experiments/"
_MLFLOW_PAGE = regex(
    r"(?P<experiment>[0-9]{1,20})/runs/(?P<run>[A-Za-z0-9_-]{1,64})(?:[/?][!-~]*)?\Z"
)


HUB: Final = "https://huggingface.co"
"""Where trackio's Spaces lie."""
TRACKIO_FORM: Final = "https://huggingface.co/spaces/OWNER/SPACE?project=PROJECT&run_ids=ID"
_SPACE = regex(rf"/spaces/(?P<entity>{_SEGMENT}/{_SEGMENT})/?\?(?P<query>[!-~]*)\Z")
_NAMED = regex(r"[A-Za-z0-9_-]{1,128}\Z")


@dataclass(frozen=True, slots=True)
class RunLink:
    """One run on one host."""

    host: str
    """With a port only where the link's origin was given with one."""
    entity: str
    """Empty on MLflow, which has none; of trackio its Space, OWNER/SPACE."""
    project: str
    """On MLflow the number of the experiment."""
    run_id: str
    scheme: str = "https"
    """http for an origin that the caller gave."""
    service: RunService = "wandb"
    path: str = ""
    """MLflow: the server's path below its host, "/mlflow"."""

    @property
    def name(self) -> str:
        """The run as `entity/project/id`, the same for every host; on MLflow the id alone."""
        if self.service == "mlflow":
            return self.run_id
        return f"{self.entity}/{self.project}/{self.run_id}"

    @property
    def project_name(self) -> str:
        """What holds the run: `entity/project`, or MLflow's experiment."""
        if self.service == "mlflow":
            return f"experiments/{self.project}"
        return f"{self.entity}/{self.project}"

    @property
    def origin(self) -> str:
        """Scheme and host."""
        return f"{self.scheme}://{self.host}"

    @property
    def url(self) -> str:
        """The address of the run's page, built from the parts."""
        if self.service == "mlflow":
            return f"{self.origin}{self.path}{_MLFLOW}{self.project}/runs/{self.run_id}"
        if self.service == "swanlab":
            return f"{self.origin}/@{self.entity}/{self.project}/runs/{self.run_id}"
        if self.service == "trackio":
            asked = f"project={self.project}&run_ids={self.run_id}"
            return f"{self.origin}/spaces/{self.entity}?{asked}"
        project = self.project.replace(" ", "%20")
        return f"{self.origin}{HOSTS.get(self.host, '')}/{self.entity}/{project}/runs/{self.run_id}"


@dataclass(frozen=True, slots=True)
class RunHosts:
    """The servers that run pages are read from, besides the public service."""

    names: tuple[str, ...] = ()
    """Hosts of self-hosted servers, from the configuration (`wandb_hosts`)."""
    origins: tuple[str, ...] = ()
    """Origins of the caller's own server ("https://wandb.example.com:8443"): the one way to a
    port, and to http for this machine."""
    mlflow: tuple[str, ...] = ()
    """Addresses of MLflow servers without a slash at the end: `https://` and the hosts of the
    configuration (`mlflow_hosts`), and the caller's MLFLOW_TRACKING_URI."""
    swanlab: tuple[str, ...] = (SWANLAB,)
    """Origins of SwanLab's pages: its own service, and the caller's SWANLAB_API_HOST."""
    hub: tuple[str, ...] = (HUB,)
    """Origins of the Hugging Face Hub: its own, and the caller's HF_ENDPOINT."""

    def place(self, text: str) -> tuple[str, str, str]:
        """Scheme, host and path below the pages' prefix of an address on one of the servers.

        Raises EvidenceError, with the reason, for an address elsewhere.
        """
        for origin in self.origins:
            if text.startswith(origin + "/"):
                scheme, _, host = origin.partition("://")
                return scheme, host, text.removeprefix(origin)
        address = _ADDRESS.match(text)
        if address is None:
            raise _refused(message("it does not begin with https://"))
        host, path = address["authority"], address["rest"] or ""
        if "@" in host:
            raise _refused(_PASSWORD)
        if ":" in host:
            raise _refused(message("it names a port"))
        if host == _API:
            raise _refused(_why_no_run(path))
        prefixes = dict.fromkeys((name for name in self.names if _HOST.match(name)), "") | HOSTS
        if host not in prefixes:
            # The caller's own servers are nobody else's business.
            every = {*prefixes, *(one.partition("://")[2] for one in (SWANLAB, HUB))}
            raise EvidenceError(
                "The link's host {host} is not one that evidence is read from ({known}); name a "
                "server of your own in .rlbot.yml: W&B's in `wandb_hosts`, MLflow's in "
                "`mlflow_hosts`.",
                host=repr(host[:100]),
                known=", ".join(sorted(every)),
            )
        prefix = prefixes[host]
        if not path.startswith(prefix + "/"):
            raise _refused(_why_no_run(path))
        return "https", host, path.removeprefix(prefix)

    def tracker_run(self, text: str) -> RunLink | None:
        """The run of MLflow, SwanLab or trackio that an address names; None for any other's.

        Raises EvidenceError, with the reason, for an address of theirs that names no one run.
        """
        if self.is_mlflow(text):
            return self.mlflow_run(text)
        for origin in self.swanlab:
            if text.startswith(f"{origin}/"):
                return _swanlab_run(text, origin)
        for origin in self.hub:
            if text.startswith(f"{origin}/"):
                return _trackio_run(text, origin)
        return None

    def has_tracker(self, text: str) -> bool:
        """Whether an address is one of MLflow's, SwanLab's or trackio's, of a run or not.

        Most Spaces of the Hub are something else than trackio's.
        """
        if text.startswith(tuple(f"{origin}/" for origin in self.hub)) and "project=" not in text:
            return False
        try:
            return self.tracker_run(text) is not None
        except EvidenceError:
            return True

    def is_mlflow(self, text: str) -> bool:
        """Whether an address has the form of an MLflow run's, or lies on one of the servers."""
        return _MLFLOW in text or any(
            text == server or text.startswith((f"{server}/", f"{server}#"))
            for server in self.mlflow
        )

    def mlflow_run(self, text: str) -> RunLink:
        """The run that an address on one of the MLflow servers names.

        Raises EvidenceError, with the reason, for any other address.
        """
        server, _, rest = text.partition(_MLFLOW)
        page = _MLFLOW_PAGE.match(rest)
        if server in self.mlflow and page is not None:
            scheme, _, place = server.partition("://")
            host, slash, path = place.partition("/")
            return RunLink(
                host, "", page["experiment"], page["run"], scheme, "mlflow", f"{slash}{path}"
            )
        if "@" in server:
            raise _refused(_PASSWORD, MLFLOW_FORM)
        if page is None:
            raise _refused(_NO_RUN, MLFLOW_FORM)
        raise EvidenceError(
            "{server} is no MLflow server that evidence is read from: add its host to "
            "mlflow_hosts in the configuration, or set MLFLOW_TRACKING_URI to its address.",
            server=repr(server[:100]),
        )


_NO_RUN: Final = message("the part after the host does not name one run")
_PASSWORD: Final = message("it holds a user name or password; remove them, and renew the password")
PUBLIC_ONLY: Final = RunHosts()


@dataclass(frozen=True, slots=True)
class RunSources:
    """Several sources of one run, to be read together."""

    parts: tuple[Path | RunLink, ...]

    @property
    def link(self) -> RunLink | None:
        """The first that is a link."""
        return next((part for part in self.parts if isinstance(part, RunLink)), None)


RunGiven: TypeAlias = Path | RunLink | RunSources
"""What names a run: a path, a link, or several of them."""


def parse_link(text: str, hosts: RunHosts = PUBLIC_ONLY) -> RunLink:
    """The run that `text` links to, on a public host or one of `hosts`.

    Raises EvidenceError, with the reason, for anything that is not exactly a link to one run.
    """
    if len(text) > _MAX:
        why = message("it has {count} characters, more than {limit}", count=len(text), limit=_MAX)
        raise _refused(why)
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        why = message("it holds spaces, backslashes or characters outside of printable ASCII")
        raise _refused(why)
    if (link := hosts.tracker_run(text)) is not None:
        return link
    scheme, host, path = hosts.place(text)
    page = _PAGE.match(path)
    if page is None:
        raise _refused(_why_no_run(path))
    return RunLink(host, page["entity"], page["project"].replace("%20", " "), page["run"], scheme)


def why_no_run(text: str) -> str | None:
    """Why an address of W&B's public service names no run; None for a run's, and for any other."""
    address = _ADDRESS.match(text)
    if address is None or address["authority"] not in (*HOSTS, _API):
        return None
    try:
        parse_link(text)
    except EvidenceError:
        return _why_no_run(address["rest"] or "")
    return None


def _swanlab_run(text: str, origin: str) -> RunLink:
    page = _SWANLAB_PAGE.match(text.removeprefix(origin))
    if page is None:
        raise _refused(_NO_RUN, SWANLAB_FORM)
    scheme, _, host = origin.partition("://")
    return RunLink(host, page["entity"], page["project"], page["run"], scheme, "swanlab")


def _trackio_run(text: str, origin: str) -> RunLink:
    page = _SPACE.match(text.removeprefix(origin))
    query = parse_qs(page["query"]) if page else {}
    if "write_token" in query:
        why = message("it holds a token that lets everybody write; remove it, and renew the token")
        raise _refused(why, TRACKIO_FORM)
    runs = [run for value in query.get("run_ids", []) for run in value.split(",")]
    project = "".join(re.findall(r"[A-Za-z0-9_-]", query.get("project", [""])[0]))
    if page is None or len(runs) != 1 or not _NAMED.match(runs[0]) or not _NAMED.match(project):
        raise _refused(_NO_RUN, TRACKIO_FORM)
    scheme, _, host = origin.partition("://")
    return RunLink(host, page["entity"], project, runs[0], scheme, "trackio")


def _why_no_run(path: str) -> str:
    parts = [part for part in re.split(r"[?#]", path)[0].split("/") if part]
    if "reports" in parts or parts[:1] == ["links"]:
        return message("it is a report; a report can show any run, so link the run itself")
    if "sweeps" in parts:
        return message("it is a sweep, which holds many runs; link the one that the script made")
    if "groups" in parts:
        return message("it is a group of runs; link the one that the script made")
    if "artifacts" in parts:
        return message("it is an artifact; link the run that made it")
    if "runs" not in parts:
        return message("it is a project's or a user's page; open the run and copy its address")
    return _NO_RUN


def _refused(why: str, form: str = FORM) -> EvidenceError:
    return EvidenceError(
        "The link is not one to a run: {why}. Expected {form}.", why=why, form=form
    )
