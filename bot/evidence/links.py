"""Links to runs: a strict grammar, so that a link can name a run and nothing else.

Run pages are `https://wandb.ai/ENTITY/PROJECT/runs/ID` and, since 2026-09-30,
`https://forge.coreweave.com/wandb/ENTITY/PROJECT/runs/ID`. What was written is never requested:
an address is built anew from entity, project and run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bot.base.messages import message
from bot.evidence.facts import EvidenceError

HOSTS: Final = {"wandb.ai": "", "forge.coreweave.com": "/wandb"}
"""Page hosts of the public service, with the path before the entity."""

FORM: Final = "https://wandb.ai/ENTITY/PROJECT/runs/ID"
_MAX = 2048
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\Z")
_SEGMENT = r"(?!\.{1,2}(?:/|\?|\Z))[A-Za-z0-9_.-]{1,128}"
# Projects may be called "my project"; a space is the one character that needs an escape.
_PROJECT = r"(?!\.{1,2}/)(?:[A-Za-z0-9_.-]|%20){1,128}"
_PAGE = re.compile(
    rf"/(?P<entity>{_SEGMENT})/(?P<project>{_PROJECT})/runs/(?P<run>{_SEGMENT})"
    r"(?:/(?:overview|logs|system|files|workspace))?/?(?:\?[!-\"$-~]*)?\Z"
)
_ADDRESS = re.compile(r"https://(?P<authority>[^/?#]*)(?P<rest>[/?#].*)?\Z")


@dataclass(frozen=True, slots=True)
class RunLink:
    """One run on one host."""

    host: str
    """With a port only where the link's origin was given with one."""
    entity: str
    project: str
    run_id: str
    scheme: str = "https"
    """http for an origin of this machine alone."""

    @property
    def origin(self) -> str:
        """Scheme and host."""
        return f"{self.scheme}://{self.host}"

    @property
    def url(self) -> str:
        """The address of the run's page, built from the parts."""
        project = self.project.replace(" ", "%20")
        return f"{self.origin}{HOSTS.get(self.host, '')}/{self.entity}/{project}/runs/{self.run_id}"


def parse_link(text: str, hosts: Iterable[str] = (), *, origins: Iterable[str] = ()) -> RunLink:
    """The run that `text` links to, on a public host or one of `hosts` (self-hosted servers).

    `origins` are those of the caller's own server ("https://wandb.example.com:8443"): the one way
    to a port, and to http for this machine.

    Raises EvidenceError, with the reason, for anything that is not exactly a link to one run.
    """
    if len(text) > _MAX:
        why = message("it has {count} characters, more than {limit}", count=len(text), limit=_MAX)
        raise _refused(why)
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        why = message("it holds spaces, backslashes or characters outside of printable ASCII")
        raise _refused(why)
    for origin in origins:
        if text.startswith(origin + "/"):
            scheme, _, host = origin.partition("://")
            page = _PAGE.match(text.removeprefix(origin))
            if page is None:
                raise _refused(_why(text.removeprefix(origin)))
            return _link(host, page, scheme)
    address = _ADDRESS.match(text)
    if address is None:
        raise _refused(message("it does not begin with https://"))
    authority = address["authority"]
    if "@" in authority:
        why = message("it holds a user name or password; remove them, and renew the password")
        raise _refused(why)
    if ":" in authority:
        raise _refused(message("it names a port"))
    known = dict.fromkeys((host for host in hosts if _HOST.match(host)), "") | HOSTS
    if authority not in known:
        raise EvidenceError(
            message(
                "The link's host {host} is not one that evidence is read from ({known}); add a "
                "self-hosted server to the configuration.",
                host=repr(authority[:100]),
                known=", ".join(sorted(known)),
            )
        )
    rest = address["rest"] or ""
    prefix = known[authority]
    page = _PAGE.match(rest.removeprefix(prefix)) if rest.startswith(prefix + "/") else None
    if page is None:
        raise _refused(_why(rest.removeprefix(prefix)))
    return _link(authority, page)


def _link(host: str, page: re.Match[str], scheme: str = "https") -> RunLink:
    project = page["project"].replace("%20", " ")
    return RunLink(host, page["entity"], project, page["run"], scheme)


def _why(path: str) -> str:
    parts = [part for part in re.split(r"[?#]", path)[0].split("/") if part]
    if "reports" in parts:
        return message("it is a report; a report can show any run, so link the run itself")
    if "sweeps" in parts:
        return message("it is a sweep, which holds many runs; link the one that the script made")
    if "groups" in parts:
        return message("it is a group of runs; link the one that the script made")
    if "artifacts" in parts:
        return message("it is an artifact; link the run that made it")
    if "runs" not in parts:
        return message("it is a project's or a user's page; open the run and copy its address")
    return message("the part after the host does not name one run")


def _refused(why: str) -> EvidenceError:
    return EvidenceError(
        message("The link is not one to a run: {why}. Expected {form}.", why=why, form=FORM)
    )
