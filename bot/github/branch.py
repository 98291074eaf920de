"""A contribution's branch in a local clone, and its pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bot.base.errors import UserError
from bot.base.fast_dataclass import dataclass
from bot.base.files import write_output
from bot.base.messages import message
from bot.base.regex import regex
from bot.github.client import Client
from bot.github.git import git, outside
from bot.github.local import author_of

FileState: TypeAlias = Literal["new", "changed", "same"]
"""What a file of the working tree is beside the last commit."""

_NAME: Final = regex(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Clone:
    """The working tree that a contribution is made in."""

    root: Path

    @classmethod
    def of(cls, folder: Path) -> Clone:
        """The clone that holds a folder. Raises UserError outside of one."""
        root = git(folder, "rev-parse", "--show-toplevel", wrong=outside(folder))
        return cls(Path(root.decode("utf-8", "surrogateescape").rstrip("\n")))

    def has_branch(self, name: str) -> bool:
        """Whether a local branch has the name."""
        listed = git(self.root, "branch", "--list", "--format=%(refname:short)", name)
        return bool(listed.strip())

    def author(self) -> str | None:
        """Who commits here: a login where the address is one of GitHub's, else `name <address>`."""
        try:
            identity = git(self.root, "var", "GIT_AUTHOR_IDENT").decode("utf-8", "replace")
        except UserError:  # Nobody told git who they are.
            return None
        name, _, rest = identity.partition(" <")
        return author_of(name, rest.partition(">")[0])

    def checked_out(self) -> str | None:
        """The branch that is checked out; None for a commit without one."""
        with suppress(UserError):
            return git(self.root, "symbolic-ref", "--short", "HEAD").decode().strip()
        return None

    def state(self, path: str) -> FileState:
        """What a file is beside the last commit."""
        listed = git(
            self.root,
            *("status", "--porcelain=v1", "--ignored", "--untracked-files=all"),
            *("--", f":(literal,top){path}"),
        )
        if not listed.strip() and (self.root / path).exists():
            return "same"
        return "changed" if listed[:1] not in (b"", b"?", b"!", b"A") else "new"

    def need_identity(self) -> None:
        """Raise UserError where git does not know who commits, as it would itself, but later."""
        for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            git(
                self.root,
                *("var", who),
                wrong=message(
                    "git does not know who commits: say it with `git config user.name NAME` and "
                    "`git config user.email ADDRESS`, and run the command again."
                ),
            )

    def commit(self, branch: str, files: Sequence[str], text: str) -> None:
        """Commit the files, and nothing else, on a new branch that begins here.

        Raises UserError; branch and index are then as they were.
        """
        with self._kept(branch):
            git(self.root, "switch", "--quiet", "--create", branch)
            git(self.root, "add", "--", *files)
            git(self.root, "commit", "--quiet", "--message", text, "--", *files)

    @contextmanager
    def _kept(self, branch: str) -> Iterator[None]:
        """Where what is done within fails, index and branch are as before, and no new one is."""
        place = git(self.root, "rev-parse", "--git-path", "index")
        index = self.root / place.decode("utf-8", "surrogateescape").rstrip("\n")
        staged = index.read_bytes() if index.exists() else None
        before = self.checked_out()
        commit = git(self.root, "rev-parse", "HEAD").decode().strip() if before is None else ""
        try:
            yield
        except BaseException:
            # The new branch begins at the commit that is checked out: no file is to be changed.
            if before is not None:
                git(self.root, "symbolic-ref", "HEAD", f"refs/heads/{before}")
            else:
                git(self.root, "update-ref", "--no-deref", "HEAD", commit)
            with suppress(UserError):  # Perhaps it was not made yet.
                git(self.root, "branch", "--quiet", "--delete", "--force", branch)
            if staged is None:
                index.unlink(missing_ok=True)
            else:
                write_output(index, staged)
            raise

    def push(self, branch: str) -> None:
        """Push the branch to `origin`. Raises UserError."""
        git(self.root, "push", "--quiet", "--set-upstream", "origin", branch)

    def remote(self, name: str) -> str | None:
        """OWNER/REPO of a remote; None where it is not there or says none."""
        try:
            # Not `remote get-url`, which gives what `insteadOf` makes of it.
            address = git(self.root, "config", "--get", f"remote.{name}.url").decode().strip()
        except UserError:
            return None
        last = "/".join(re.split(r"[/:]", address.removesuffix("/").removesuffix(".git"))[-2:])
        return last if _NAME.fullmatch(last) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What is asked to be merged."""

    repository: str
    """OWNER/REPO that it is for."""
    head: str
    """OWNER:BRANCH that it comes from."""
    title: str
    body: str


def open_pull(client: Client, proposal: Proposal) -> str:
    """Opens the pull request against the default branch; its address. Raises GitHubError."""
    base = client.get(f"/repos/{proposal.repository}")["default_branch"]
    made = client.write(
        "POST",
        f"/repos/{proposal.repository}/pulls",
        {"title": proposal.title, "head": proposal.head, "base": base, "body": proposal.body},
        repeat=False,
    )
    return str(made["html_url"])
