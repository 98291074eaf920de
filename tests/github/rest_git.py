"""The stand-in's REST operations on git objects, over a real repository."""

from __future__ import annotations

import base64
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
    lines = found.objects.git("cat-file", "commit", oid).decode("utf-8", "replace")
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
    oid = found.objects.git("hash-object", "-w", "--stdin", data=data).decode().strip()
    return 201, {"url": "https://example.org/", "sha": oid}


@handles("post", f"{REPOSITORY}/git/trees")
def create_tree(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    base = asked.body.get("base_tree")
    files = {e.path: e for e in found.objects.tree(base, recursive=True) if e.kind != "tree"}
    for item in asked.body["tree"]:
        oid = item.get("sha")
        if "content" in item:
            data = item["content"].encode()
            oid = found.objects.git("hash-object", "-w", "--stdin", data=data).decode().strip()
        files.pop(item["path"], None)
        if oid:
            files[item["path"]] = Entry(item["mode"], "blob", oid, item["path"], None)
    oid = _written(found, files)
    listed = found.objects.tree(oid, recursive=False)
    return 201, {
        "sha": oid,
        "url": "https://example.org/",
        "truncated": False,
        "tree": [_item(entry) for entry in listed],
    }


def _written(found: Repository, files: dict[str, Entry]) -> str:
    """A tree of these files, folder by folder."""
    here: list[bytes] = []
    folders: dict[str, dict[str, Entry]] = {}
    for path, entry in files.items():
        name, _, rest = path.partition("/")
        if rest:
            folders.setdefault(name, {})[rest] = entry
        else:
            here.append(f"{entry.mode} blob {entry.oid}\t{name}".encode())
    for name, inside in folders.items():
        here.append(f"040000 tree {_written(found, inside)}\t{name}".encode())
    data = b"".join(line + b"\0" for line in here)
    return found.objects.git("mktree", "-z", data=data).decode().strip()


@handles("post", f"{REPOSITORY}/git/commits")
def create_commit(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    may_push(asked, found)
    parents = [word for oid in asked.body.get("parents", ()) for word in ("-p", oid)]
    who = ("-c", "user.name=rlbot", "-c", "user.email=rlbot@users.noreply.github.com")
    message = asked.body["message"].encode()
    tree = asked.body["tree"]
    made = found.objects.git(*who, "commit-tree", tree, *parents, data=message).decode().strip()
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
    found.objects.git("update-ref", found.ref(branch), new, old)
    return 200, _ref(asked, ref, new)
