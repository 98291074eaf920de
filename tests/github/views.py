"""What the stand-in knows, in the words of GitHub's REST API."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from tests.github.objects import Change
from tests.github.store import Account, App, CheckRun, Comment, Pull, Repository, Review, Store

WEB = "https://github.com"
"""Pages are named as on GitHub; the tests never visit one."""


@dataclass(frozen=True)
class Views:
    store: Store
    api: str

    def account(self, account: Account) -> dict[str, Any]:
        url = f"{self.api}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": f"U_{account.id}",
            "url": url,
            "html_url": f"{WEB}/{account.login}",
            "type": account.kind,
            "site_admin": False,
        }

    def repository(self, repository: Repository) -> dict[str, Any]:
        return {
            "id": repository.id,
            "node_id": f"R_{repository.id}",
            "name": repository.name,
            "full_name": repository.full_name,
            "owner": self.account(repository.owner),
            "private": repository.private,
            "archived": repository.archived,
            "fork": repository.parent is not None,
            "html_url": f"{WEB}/{repository.full_name}",
            "url": f"{self.api}/repos/{repository.full_name}",
            "default_branch": repository.default_branch,
            "visibility": "private" if repository.private else "public",
        }

    def pull(self, pull: Pull, *, whole: bool = True) -> dict[str, Any]:
        base = pull.repository
        number = f"repos/{base.full_name}/pulls/{pull.number}"
        merged = pull.state == "merged"
        seen = {
            "id": 900_000 + pull.number,
            "node_id": f"PR_{pull.repository.id}_{pull.number}",
            "number": pull.number,
            "state": "open" if pull.state == "open" else "closed",
            "locked": pull.locked,
            "title": pull.title,
            "body": pull.body or None,
            "user": self.account(pull.author),
            "draft": pull.draft,
            "url": f"{self.api}/{number}",
            "html_url": f"{WEB}/{base.full_name}/pull/{pull.number}",
            "issue_url": f"{self.api}/repos/{base.full_name}/issues/{pull.number}",
            "comments_url": f"{self.api}/repos/{base.full_name}/issues/{pull.number}/comments",
            "commits_url": f"{self.api}/{number}/commits",
            "review_comments_url": f"{self.api}/{number}/comments",
            "statuses_url": f"{self.api}/repos/{base.full_name}/statuses/{pull.head}",
            "head": self._side(pull.head_repository, pull.head_branch, pull.head),
            "base": self._side(base, pull.base_branch, pull.base),
            "author_association": "CONTRIBUTOR",
            "created_at": "2026-01-01T00:00:00Z",
            "merged_at": "2026-01-02T00:00:00Z" if merged else None,
        }
        if whole:
            changes = base.objects.changes(pull.base, pull.head)
            seen |= {
                "merged": merged,
                "maintainer_can_modify": pull.maintainer_can_modify,
                "changed_files": len(changes),
                "comments": len(pull.comments),
                "additions": sum(change.additions for change in changes),
                "deletions": sum(change.deletions for change in changes),
            }
        return seen

    def _side(self, repository: Repository | None, branch: str, commit: str) -> dict[str, Any]:
        owner = repository.owner if repository else None
        return {
            "label": f"{owner.login if owner else 'unknown'}:{branch}",
            "ref": branch,
            "sha": commit,
            "user": self.account(owner) if owner else None,
            "repo": self.repository(repository) if repository else None,
        }

    def file(self, pull: Pull, change: Change) -> dict[str, Any]:
        repository = pull.repository
        seen: dict[str, Any] = {
            "sha": change.oid,
            "filename": change.path,
            "status": change.status,
            "additions": change.additions,
            "deletions": change.deletions,
            "changes": change.additions + change.deletions,
            "blob_url": f"{WEB}/{repository.full_name}/blob/{pull.head}/file",
            "raw_url": f"{WEB}/{repository.full_name}/raw/{pull.head}/file",
            "contents_url": f"{self.api}/repos/{repository.full_name}/contents/file",
        }
        if change.previous:
            seen["previous_filename"] = change.previous
        if 0 < change.additions + change.deletions < 3_000:
            seen["patch"] = repository.objects.patch(pull.base, pull.head, change)
        return seen

    def comment(self, comment: Comment) -> dict[str, Any]:
        repository = comment.pull.repository.full_name
        page = f"{WEB}/{repository}/pull/{comment.pull.number}"
        return {
            "id": comment.id,
            "node_id": f"IC_{comment.id}",
            "url": f"{self.api}/repos/{repository}/issues/comments/{comment.id}",
            "html_url": f"{page}#issuecomment-{comment.id}",
            "issue_url": f"{self.api}/repos/{repository}/issues/{comment.pull.number}",
            "body": comment.body,
            "user": self.account(comment.author),
            "created_at": comment.created,
            "updated_at": comment.updated,
            "author_association": "NONE",
            "performed_via_github_app": self.app(comment.app) if comment.app else None,
        }

    def app(self, app: App) -> dict[str, Any]:
        return {
            "id": app.id,
            "slug": app.slug,
            "node_id": f"A_{app.id}",
            "name": app.slug,
            "owner": self.account(app.bot),
            "description": None,
            "external_url": "https://example.org/",
            "html_url": f"{WEB}/apps/{app.slug}",
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
            "permissions": dict(app.permissions),
            "events": list(app.events),
        }

    def check(self, run: CheckRun) -> dict[str, Any]:
        url = f"{self.api}/repos/{run.repository.full_name}/check-runs/{run.id}"
        return {
            "id": run.id,
            "node_id": f"CR_{run.id}",
            "head_sha": run.head,
            "external_id": run.external_id,
            "url": url,
            "html_url": f"{WEB}/{run.repository.full_name}/runs/{run.id}",
            "details_url": None,
            "status": run.status,
            "conclusion": run.conclusion,
            "started_at": "2026-01-01T00:00:00Z",
            "completed_at": run.completed,
            "output": {
                "title": run.title,
                "summary": run.summary,
                "text": None,
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "name": run.name,
            "check_suite": {"id": run.app.id},
            "app": self.app(run.app),
            "pull_requests": [],
        }

    def review(self, review: Review) -> dict[str, Any]:
        return {
            "id": review.id,
            "node_id": f"PRR_{review.id}",
            "user": self.account(review.author),
            "body": review.body,
            "state": "COMMENTED",
            "commit_id": review.commit,
        }


def etag(data: bytes) -> str:
    return f'W/"{hashlib.sha256(data).hexdigest()}"'
