"""The stand-in's REST operations on git objects, over a real repository."""

from __future__ import annotations

import base64
import time
from typing import Any

from tests.github.context import Context, ProblemError
from tests.github.objects import Entry
from tests.github.rest import REPOSITORY, handles
from tests.github.store import Repository

_CONTENTS_LIMIT = 1 << 20


def _oid(found: Repository, oid: str, kind: str) -> str:
    try:
        if found.objects.kind(oid) == kind:
            return oid
    except LookupError:
        pass
    raise ProblemError(404, "Not Found")


@handles("get", f"{REPOSITORY}/git/blobs/{{file_sha}}")
def blob(asked: Context, owner: str, repo: str, file_sha: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    data = found.objects.blob(_oid(found, file_sha, "blob"))
    return 200, {
        "content": base64.encodebytes(data).decode(),
        "encoding": "base64",
        "url": f"{asked.views.api}{asked.path}",
        "sha": file_sha,
        "size": len(data),
        "node_id": f"B_{file_sha}",
    }


@handles("get", f"{REPOSITORY}/git/trees/{{tree_sha}}")
def tree(asked: Context, owner: str, repo: str, tree_sha: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    try:
        root = found.objects.entry(tree_sha, "")
    except LookupError:
        raise ProblemError(404, "Not Found") from None
    assert root is not None
    listed = found.objects.tree(root.oid, recursive="recursive" in asked.query)
    return 200, {
        "sha": root.oid,
        "url": f"{asked.views.api}{asked.path}",
        "truncated": False,
        "tree": [_item(entry) for entry in listed],
    }


def _item(entry: Entry) -> dict[str, Any]:
    item: dict[str, Any] = {
        "path": entry.path,
        "mode": entry.mode,
        "type": entry.kind,
        "sha": entry.oid,
    }
    return item if entry.size is None else {**item, "size": entry.size}


@handles("get", f"{REPOSITORY}/git/commits/{{commit_sha}}")
def commit(asked: Context, owner: str, repo: str, commit_sha: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    return 200, _commit(asked, found, _oid(found, commit_sha, "commit"))


def _commit(asked: Context, found: Repository, oid: str) -> dict[str, Any]:
    lines = found.objects.read(oid)[1].decode("utf-8", "replace")
    head, _, message = lines.partition("\n\n")
    facts = [line.split(" ", 1) for line in head.split("\n")]
    return {
        "sha": oid,
        "node_id": f"C_{oid}",
        "url": f"{asked.views.api}/repos/{found.full_name}/git/commits/{oid}",
        "html_url": f"https://github.com/{found.full_name}/commit/{oid}",
        "message": message,
        "tree": {"sha": next(v for k, v in facts if k == "tree"), "url": "https://example.org/"},
        "parents": [
            {"sha": v, "url": "https://example.org/", "html_url": "https://example.org/"}
            for k, v in facts
            if k == "parent"
        ],
    }


@handles("get", f"{REPOSITORY}/contents/{{path}}")
def contents(asked: Context, owner: str, repo: str, path: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    ref = asked.query.get("ref", found.default_branch)
    at = found.head(ref) or found.objects.ref(ref)
    entry = found.objects.entry(at, path) if at else None
    if entry is None or entry.kind != "blob":
        raise ProblemError(404, "Not Found")
    data = found.objects.blob(entry.oid)
    # Above a megabyte the contents API gives no content.
    small = len(data) <= _CONTENTS_LIMIT
    url = f"{asked.views.api}{asked.path}"
    return 200, {
        "type": "file",
        "encoding": "base64" if small else "none",
        "size": len(data),
        "name": path.rsplit("/", 1)[-1],
        "path": path,
        "content": base64.encodebytes(data).decode() if small else "",
        "sha": entry.oid,
        "url": url,
        "git_url": url,
        "html_url": f"https://github.com/{found.full_name}/blob/{at}/file",
        "download_url": None,
        "_links": {"self": url, "git": url, "html": url},
    }


@handles("get", f"{REPOSITORY}/git/ref/{{ref}}")
def ref(asked: Context, owner: str, repo: str, ref: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    at = found.head(ref.removeprefix("heads/"))
    if at is None:
        raise ProblemError(404, "Not Found")
    return 200, _ref(asked, ref, at)


def _ref(asked: Context, name: str, oid: str) -> dict[str, Any]:
    return {
        "ref": f"refs/{name}",
        "node_id": f"REF_{oid}",
        "url": f"{asked.views.api}{asked.path}",
        "object": {"type": "commit", "sha": oid, "url": "https://example.org/"},
    }


def may_push(asked: Context, found: Repository) -> None:
    """Write permission, or that of a maintainer on the branch of a pull request that allows it."""
    asker = asked.asker()
    if asker.permissions is None:
        allowed = any(
            pull.head_repository is found
            and pull.maintainer_can_modify
            and asked.store.permission(pull.repository, asker.account.login)
            in ("write", "maintain", "admin")
            for pull in asked.store.pulls.values()
        )
        if allowed:
            return
    asked.need(found, "contents", person="write")


@handles("post", f"{REPOSITORY}/git/blobs")
def create_blob(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    content = asked.body["content"]
    decoded = asked.body.get("encoding") == "base64"
    data = base64.b64decode(content) if decoded else content.encode()
    return 201, {"url": "https://example.org/", "sha": found.objects.write("blob", data)}


@handles("post", f"{REPOSITORY}/git/trees")
def create_tree(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    base = asked.body.get("base_tree")
    changes = {}
    for item in asked.body["tree"]:
        oid = item.get("sha")
        if "content" in item:
            oid = found.objects.write("blob", item["content"].encode())
        changes[item["path"]] = (item["mode"], oid) if oid else None
    oid = found.objects.grown(base, changes)
    listed = found.objects.tree(oid, recursive=False)
    return 201, {
        "sha": oid,
        "url": "https://example.org/",
        "truncated": False,
        "tree": [_item(entry) for entry in listed],
    }


@handles("post", f"{REPOSITORY}/git/commits")
def create_commit(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    who = f"rlbot <rlbot@users.noreply.github.com> {int(time.time())} +0000"
    parents = asked.body.get("parents", ())
    made = found.objects.committed(asked.body["tree"], parents, asked.body["message"], who)
    return 201, _commit(asked, found, made)


@handles("patch", f"{REPOSITORY}/git/refs/{{ref}}")
def move_ref(asked: Context, owner: str, repo: str, ref: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    branch = ref.removeprefix("heads/")
    old, new = found.head(branch), asked.body["sha"]
    if old is None:
        raise ProblemError(422, "Reference does not exist")
    if not asked.body.get("force") and found.objects.merge_base(old, new) != old:
        raise ProblemError(422, "Update is not a fast forward")
    found.objects.move(found.ref(branch), new)
    return 200, _ref(asked, ref, new)
