"""The stand-in's REST operations: pull requests, comments, check runs, statuses, reviews."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.github.context import Context, ProblemError
from tests.github.store import CheckRun, Comment, Pull, Reaction, Repository, Review, Status

Handler = Callable[..., tuple[int, Any]]
HANDLERS: dict[tuple[str, str], Handler] = {}
REPOSITORY = "/repos/{owner}/{repo}"
BODY_LIMIT = 65_536


def handles(method: str, template: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS[method, template] = handler
        return handler

    return register


@handles("get", "/user")
def user(asked: Context) -> tuple[int, Any]:
    identity = asked.asker()
    if identity.app is not None:
        raise ProblemError(403, "Resource not accessible by integration")
    return 200, asked.views.account(identity.account)


@handles("get", "/rate_limit")
def rate_limit(asked: Context) -> tuple[int, Any]:
    identity = asked.asker()
    limit = {
        "limit": 5_000,
        "remaining": identity.remaining,
        "reset": identity.reset,
        "used": 5_000 - identity.remaining,
    }
    return 200, {"resources": {"core": limit, "search": limit}, "rate": limit}


@handles("get", REPOSITORY)
def repository(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    return 200, asked.views.repository(asked.repository(owner, repo))


@handles("get", f"{REPOSITORY}/collaborators/{{username}}/permission")
def permission(asked: Context, owner: str, repo: str, username: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    asked.asker()
    if username not in asked.store.accounts:
        raise ProblemError(404, f"{username} is not a user")
    role = asked.store.permission(found, username)
    # The old word knows four; `role_name` says it exactly.
    old = {"triage": "read", "maintain": "write"}.get(role, role)
    account = asked.views.account(asked.store.accounts[username])
    return 200, {"permission": old, "role_name": role, "user": {**account, "role_name": role}}


@handles("get", f"{REPOSITORY}/pulls")
def pulls(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    state = asked.query.get("state", "open")
    head = asked.query.get("head")
    listed = [
        asked.views.pull(pull, whole=False)
        for pull in asked.store.pulls.values()
        if pull.repository is found
        and (state == "all" or (state == "open") == (pull.state == "open"))
    ]
    return 200, asked.page([p for p in listed if head is None or p["head"]["label"] == head])


@handles("post", f"{REPOSITORY}/pulls")
def create_pull(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    asker = asked.need(found, "pull_requests")
    login, _, branch = asked.body["head"].rpartition(":")
    head = next(
        (each for each in asked.store.repositories.values() if each.owner.login == login), None
    )
    if head is None or head.head(branch) is None or found.head(asked.body["base"]) is None:
        raise ProblemError(422, "Validation Failed")
    made = asked.store.pull(
        found,
        head,
        branch,
        author=asker.account.login,
        title=asked.body["title"],
        body=asked.body.get("body", ""),
        base=asked.body["base"],
    )
    return 201, asked.views.pull(made)


@handles("get", f"{REPOSITORY}/commits/{{commit_sha}}/pulls")
def pulls_of(asked: Context, owner: str, repo: str, commit_sha: str) -> tuple[int, Any]:
    # GitHub lists those of the repository's own branches; a fork's commit is in none of them.
    found = asked.repository(owner, repo)
    listed = [
        asked.views.pull(pull, whole=False)
        for pull in asked.store.pulls.values()
        if pull.repository is found and pull.head_repository is found and pull.head == commit_sha
    ]
    return 200, asked.page(listed)


@handles("get", f"{REPOSITORY}/pulls/{{pull_number}}")
def pull(asked: Context, owner: str, repo: str, pull_number: str) -> tuple[int, Any]:
    return 200, asked.views.pull(asked.pull(asked.repository(owner, repo), pull_number))


@handles("get", f"{REPOSITORY}/pulls/{{pull_number}}/files")
def files(asked: Context, owner: str, repo: str, pull_number: str) -> tuple[int, Any]:
    found = asked.pull(asked.repository(owner, repo), pull_number)
    changes = found.repository.objects.changes(found.base, found.head)
    page = asked.page(changes[: asked.store.files_limit])
    return 200, [asked.views.file(found, change) for change in page]


@handles("get", f"{REPOSITORY}/issues/{{issue_number}}/comments")
def comments(asked: Context, owner: str, repo: str, issue_number: str) -> tuple[int, Any]:
    found = asked.pull(asked.repository(owner, repo), issue_number)
    listed = [asked.views.comment(c) for c in found.comments if not c.deleted]
    return 200, asked.page(listed)


@handles("post", f"{REPOSITORY}/issues/{{issue_number}}/comments")
def create_comment(asked: Context, owner: str, repo: str, issue_number: str) -> tuple[int, Any]:
    on = asked.pull(asked.repository(owner, repo), issue_number)
    return 201, asked.views.comment(add_comment(asked, on, asked.body["body"]))


def add_comment(asked: Context, on: Pull, body: str) -> Comment:
    """A new comment, where the asker may write one."""
    asker = asked.need(on.repository, "issues", "pull_requests")
    role = asked.store.permission(on.repository, asker.account.login)
    if on.locked and asker.permissions is None and role in ("none", "read", "triage"):
        raise ProblemError(403, "Unable to create comment because issue is locked.")
    _check_body(body)
    return asked.store.comment(on, asker.account, body, asker.app)


def _check_body(body: str) -> None:
    if len(body) > BODY_LIMIT or not body.strip():
        problem = "is too long (maximum is 65536 characters)" if body.strip() else "cannot be blank"
        raise ProblemError(422, f"Validation Failed: body {problem}")


@handles("get", f"{REPOSITORY}/issues/comments/{{comment_id}}")
def comment(asked: Context, owner: str, repo: str, comment_id: str) -> tuple[int, Any]:
    found = asked.comment(asked.repository(owner, repo), comment_id)
    return 200, asked.views.comment(found)


@handles("patch", f"{REPOSITORY}/issues/comments/{{comment_id}}")
def edit_comment(asked: Context, owner: str, repo: str, comment_id: str) -> tuple[int, Any]:
    found = asked.comment(asked.repository(owner, repo), comment_id)
    change_comment(asked, found, asked.body["body"])
    return 200, asked.views.comment(found)


def change_comment(asked: Context, comment: Comment, body: str) -> None:
    """Another text for a comment, where the asker may change it."""
    place = comment.pull.repository
    asker = asked.need(place, "issues", "pull_requests")
    if comment.author is not asker.account and asker.permissions is None:
        asked.need(place, person="write")
    _check_body(body)
    comment.body = body
    comment.updated = asked.store.now()
    comment.history.append(body)


@handles("delete", f"{REPOSITORY}/issues/comments/{{comment_id}}")
def delete_comment(asked: Context, owner: str, repo: str, comment_id: str) -> tuple[int, Any]:
    place = asked.repository(owner, repo)
    found = asked.comment(place, comment_id)
    asked.need(place, "issues", "pull_requests")
    found.deleted = True
    return 204, None


@handles("get", f"{REPOSITORY}/issues/comments/{{comment_id}}/reactions")
def reactions(asked: Context, owner: str, repo: str, comment_id: str) -> tuple[int, Any]:
    found = asked.comment(asked.repository(owner, repo), comment_id)
    listed = asked.store.reactions.get(found.id, [])
    return 200, asked.page([_reaction(asked, reaction) for reaction in listed])


@handles("post", f"{REPOSITORY}/issues/comments/{{comment_id}}/reactions")
def react(asked: Context, owner: str, repo: str, comment_id: str) -> tuple[int, Any]:
    found = asked.comment(asked.repository(owner, repo), comment_id)
    reaction, new = add_reaction(asked, found, asked.body["content"])
    return 201 if new else 200, _reaction(asked, reaction)


def add_reaction(asked: Context, comment: Comment, content: str) -> tuple[Reaction, bool]:
    """The asker's reaction, and whether it is new; REST and GraphQL alike."""
    asker = asked.need(comment.pull.repository, "issues", "pull_requests")
    there = asked.store.reactions.setdefault(comment.id, [])
    for reaction in there:
        if reaction.account is asker.account and reaction.content == content:
            return reaction, False
    made = Reaction(asked.store.next_id(), asker.account, content, asked.store.now())
    there.append(made)
    return made, True


@handles("delete", f"{REPOSITORY}/issues/comments/{{comment_id}}/reactions/{{reaction_id}}")
def unreact(
    asked: Context, owner: str, repo: str, comment_id: str, reaction_id: str
) -> tuple[int, Any]:
    place = asked.repository(owner, repo)
    found = asked.comment(place, comment_id)
    asked.need(place, "issues", "pull_requests")
    there = asked.store.reactions.get(found.id, [])
    asked.store.reactions[found.id] = [r for r in there if r.id != int(reaction_id)]
    return 204, None


def _reaction(asked: Context, reaction: Reaction) -> dict[str, Any]:
    return {
        "id": reaction.id,
        "node_id": f"REA_{reaction.id}",
        "user": asked.views.account(reaction.account),
        "content": reaction.content,
        "created_at": reaction.created,
    }


@handles("get", f"{REPOSITORY}/commits/{{ref}}/check-runs")
def check_runs(asked: Context, owner: str, repo: str, ref: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    runs = [run for run in asked.store.checks if run.repository is found and run.head == ref]
    if name := asked.query.get("check_name"):
        runs = [run for run in runs if run.name == name]
    if asked.query.get("filter", "latest") == "latest":
        # The newest of each name and App, as the page of a pull request shows them.
        runs = list({(run.app.id, run.name): run for run in runs}.values())
    page = asked.page([asked.views.check(run) for run in reversed(runs)])
    return 200, {"total_count": len(runs), "check_runs": page}


def _check_run(asked: Context, owner: str, repo: str, number: str) -> CheckRun:
    found = asked.repository(owner, repo)
    for run in asked.store.checks:
        if run.id == int(number) and run.repository is found:
            return run
    raise ProblemError(404, "Not Found")


@handles("get", f"{REPOSITORY}/check-runs/{{check_run_id}}")
def check_run(asked: Context, owner: str, repo: str, check_run_id: str) -> tuple[int, Any]:
    return 200, asked.views.check(_check_run(asked, owner, repo, check_run_id))


@handles("get", f"{REPOSITORY}/check-runs/{{check_run_id}}/annotations")
def check_annotations(asked: Context, owner: str, repo: str, check_run_id: str) -> tuple[int, Any]:
    run = _check_run(asked, owner, repo, check_run_id)
    notes = [{"blob_href": "https://example.org/", **note} for note in run.annotations]
    return 200, asked.page(notes)


@handles("post", f"{REPOSITORY}/check-runs")
def create_check(asked: Context, owner: str, repo: str) -> tuple[int, Any]:
    return 201, asked.views.check(add_check(asked, asked.repository(owner, repo), asked.body))


def add_check(asked: Context, found: Repository, body: dict[str, Any]) -> CheckRun:
    """A new check run, where the asker may make one; REST and GraphQL alike."""
    asker = asked.asker()
    if asker.app is None:
        raise ProblemError(403, "You must authenticate via a GitHub App.")
    asked.need(found, "checks")
    head = body["head_sha"]
    if found.objects.ref(head) is None:
        raise ProblemError(422, f"No commit found for SHA: {head}")
    made = CheckRun(
        id=asked.store.next_id(),
        app=asker.app,
        head=head,
        repository=found,
        name=body["name"],
        external_id="",
        status="queued",
        conclusion=None,
        title="",
        summary="",
        annotations=[],
        completed=None,
    )
    _update_check(asked, made, body)
    asked.store.checks.append(made)
    return made


@handles("patch", f"{REPOSITORY}/check-runs/{{check_run_id}}")
def edit_check(asked: Context, owner: str, repo: str, check_run_id: str) -> tuple[int, Any]:
    run = _check_run(asked, owner, repo, check_run_id)
    asker = asked.need(run.repository, "checks", person="admin")
    if asker.app is not run.app:
        raise ProblemError(403, "Invalid app_id: check run can only be modified by its own App.")
    _update_check(asked, run, asked.body)
    return 200, asked.views.check(run)


def _update_check(asked: Context, run: CheckRun, body: dict[str, Any]) -> None:
    output = body.get("output") or {}
    notes = output.get("annotations") or []
    if len(notes) > 50:
        raise ProblemError(422, "Only 50 items are allowed; you supplied more annotations.")
    if len(str(output.get("summary", "")).encode()) > 65_535:
        raise ProblemError(422, "Validation Failed: summary is too long")
    for note in notes:
        if note["start_line"] != note["end_line"] and "start_column" in note:
            raise ProblemError(422, "start_column is for annotations within one line")
    run.external_id = body.get("external_id", run.external_id)
    run.status = body.get("status", run.status)
    run.title = output.get("title", run.title)
    run.summary = output.get("summary", run.summary)
    run.annotations += notes
    run.actions = body.get("actions", run.actions)
    if conclusion := body.get("conclusion"):
        run.status, run.conclusion = "completed", conclusion
        run.completed = asked.store.now()


@handles("get", f"{REPOSITORY}/commits/{{ref}}/status")
def combined_status(asked: Context, owner: str, repo: str, ref: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    newest = {status.context: status for status in asked.store.statuses.get(ref, ())}
    shown = [_status(asked, owner, repo, ref, status) for status in newest.values()]
    return 200, {
        "state": "pending",
        "statuses": asked.page(shown),
        "sha": ref,
        "total_count": len(newest),
        "repository": asked.views.repository(found),
    }


@handles("post", f"{REPOSITORY}/statuses/{{sha}}")
def create_status(asked: Context, owner: str, repo: str, sha: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    asker = asked.need(found, "statuses", person="write")
    if len(asked.body.get("description") or "") > 140:
        raise ProblemError(422, "Validation Failed: description is too long (maximum is 140)")
    made = Status(
        asked.store.next_id(),
        asker.account,
        asked.body["state"],
        asked.body.get("context", "default"),
        asked.body.get("description") or "",
    )
    asked.store.statuses.setdefault(sha, []).append(made)
    return 201, _status(asked, owner, repo, sha, made)


def _status(asked: Context, owner: str, repo: str, sha: str, status: Status) -> dict[str, Any]:
    return {
        "url": f"{asked.views.api}/repos/{owner}/{repo}/statuses/{sha}",
        "id": status.id,
        "node_id": f"SC_{status.id}",
        "state": status.state,
        "description": status.description,
        "target_url": None,
        "context": status.context,
        "created_at": asked.store.now(),
        "updated_at": asked.store.now(),
        "avatar_url": None,
        "creator": asked.views.account(status.account),
    }


@handles("get", f"{REPOSITORY}/pulls/{{pull_number}}/reviews")
def reviews(asked: Context, owner: str, repo: str, pull_number: str) -> tuple[int, Any]:
    found = asked.pull(asked.repository(owner, repo), pull_number)
    return 200, asked.page([asked.views.review(review) for review in found.reviews])


@handles("post", f"{REPOSITORY}/pulls/{{pull_number}}/reviews")
def create_review(asked: Context, owner: str, repo: str, pull_number: str) -> tuple[int, Any]:
    place = asked.repository(owner, repo)
    found = asked.pull(place, pull_number)
    asker = asked.need(place, "pull_requests")
    shown = _shown_lines(found)
    for note in asked.body.get("comments", ()):
        lines = range(note.get("start_line", note["line"]), note["line"] + 1)
        if not any(set(lines) <= hunk for hunk in shown.get(note["path"], ())):
            raise ProblemError(422, "Unprocessable Entity: Line could not be resolved")
    made = Review(
        asked.store.next_id(),
        asker.account,
        asked.body.get("body", ""),
        asked.body.get("commit_id", found.head),
        list(asked.body.get("comments", ())),
    )
    found.reviews.append(made)
    return 200, asked.views.review(made)


def _shown_lines(found: Any) -> dict[str, list[set[int]]]:
    """The lines at the head that the diff shows, by following its hunks line by line."""
    shown: dict[str, list[set[int]]] = {}
    for change in found.repository.objects.changes(found.base, found.head):
        line = 0
        for text in found.repository.objects.patch(found.base, found.head, change).split("\n"):
            if text.startswith("@@"):
                line = int(text.split("+", 1)[1].split(" ", 1)[0].split(",", 1)[0])
                shown.setdefault(change.path, []).append(set())
            elif text[:1] in (" ", "+"):
                shown[change.path][-1].add(line)
                line += 1
    return shown


@handles("get", f"{REPOSITORY}/pulls/{{pull_number}}/comments")
def review_comments(asked: Context, owner: str, repo: str, pull_number: str) -> tuple[int, Any]:
    found = asked.pull(asked.repository(owner, repo), pull_number)
    listed = [
        {
            "id": review.id * 100 + number,
            "path": note["path"],
            "body": note["body"],
            "line": note["line"],
            "user": asked.views.account(review.author),
            "commit_id": review.commit,
        }
        for review in found.reviews
        for number, note in enumerate(review.comments)
    ]
    return 200, asked.page(listed)


@handles("get", f"{REPOSITORY}/actions/runs/{{run_id}}")
def workflow_run(asked: Context, owner: str, repo: str, run_id: str) -> tuple[int, Any]:
    found = asked.repository(owner, repo)
    run = asked.store.runs.get(int(run_id))
    if run is None:
        raise ProblemError(404, "Not Found")
    head_repository, branch, commit = run
    return 200, {
        "id": int(run_id),
        "head_branch": branch,
        "head_sha": commit,
        "event": "pull_request",
        "repository": asked.views.repository(found),
        "head_repository": asked.views.repository(head_repository),
        # Empty for forks: who wants the pull request looks for it by its head.
        "pull_requests": [],
    }
