"""Takes out of GitHub's descriptions what the tests need; see README.md beside it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import (
    DefinitionNode,
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    NamedTypeNode,
    Node,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    UnionTypeDefinitionNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

HERE = Path(__file__).parent

REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS = {
    "/app": "get",
    "/app-manifests/{code}/conversions": "post",
    "/app/hook/config": "get",
    "/app/hook/deliveries": "get",
    "/app/hook/deliveries/{delivery_id}": "get",
    "/app/hook/deliveries/{delivery_id}/attempts": "post",
    "/app/installations": "get",
    "/app/installations/{installation_id}": "get",
    "/app/installations/{installation_id}/access_tokens": "post",
    "/installation/repositories": "get",
    "/rate_limit": "get",
    "/user": "get",
    REPOSITORY: "get",
    f"{REPOSITORY}/installation": "get",
    f"{REPOSITORY}/actions/runs/{{run_id}}": "get",
    f"{REPOSITORY}/check-runs": "post",
    f"{REPOSITORY}/check-runs/{{check_run_id}}": "get patch",
    f"{REPOSITORY}/check-runs/{{check_run_id}}/annotations": "get",
    f"{REPOSITORY}/collaborators/{{username}}/permission": "get",
    f"{REPOSITORY}/commits/{{commit_sha}}/pulls": "get",
    f"{REPOSITORY}/commits/{{ref}}/check-runs": "get",
    f"{REPOSITORY}/commits/{{ref}}/status": "get",
    f"{REPOSITORY}/contents/{{path}}": "get put",
    f"{REPOSITORY}/git/blobs": "post",
    f"{REPOSITORY}/git/blobs/{{file_sha}}": "get",
    f"{REPOSITORY}/git/commits": "post",
    f"{REPOSITORY}/git/commits/{{commit_sha}}": "get",
    f"{REPOSITORY}/git/ref/{{ref}}": "get",
    f"{REPOSITORY}/git/refs/{{ref}}": "patch",
    f"{REPOSITORY}/git/trees": "post",
    f"{REPOSITORY}/git/trees/{{tree_sha}}": "get",
    f"{REPOSITORY}/issues/comments/{{comment_id}}": "get patch delete",
    f"{REPOSITORY}/issues/comments/{{comment_id}}/reactions": "get post",
    f"{REPOSITORY}/issues/comments/{{comment_id}}/reactions/{{reaction_id}}": "delete",
    f"{REPOSITORY}/issues/{{issue_number}}/comments": "get post",
    f"{REPOSITORY}/pulls": "get post",
    f"{REPOSITORY}/pulls/{{pull_number}}": "get",
    f"{REPOSITORY}/pulls/{{pull_number}}/comments": "get",
    f"{REPOSITORY}/pulls/{{pull_number}}/files": "get",
    f"{REPOSITORY}/pulls/{{pull_number}}/reviews": "get post",
    f"{REPOSITORY}/statuses/{{sha}}": "post",
}

FIELDS = {
    "Query": "repository viewer rateLimit node",
    "Mutation": "addComment addReaction updateIssueComment minimizeComment unminimizeComment "
    "createCommitOnBranch updateRefs createCheckRun removeReaction",
    "Repository": "id nameWithOwner name owner url isPrivate isArchived isFork pullRequest "
    "pullRequests object ref defaultBranchRef viewerPermission databaseId",
    "RepositoryOwner": "id login",
    "PullRequest": "id number state title body locked changedFiles maintainerCanModify author "
    "baseRefName baseRefOid headRefName headRefOid headRepository baseRef headRef files comments "
    "reviews url isDraft isCrossRepository merged fullDatabaseId commits repository",
    "PullRequestConnection": "pageInfo nodes totalCount",
    "PullRequestCommitConnection": "pageInfo nodes totalCount",
    "PullRequestCommit": "commit",
    "CheckSuiteConnection": "pageInfo nodes totalCount",
    "CheckSuite": "id checkRuns",
    "CheckRunConnection": "pageInfo nodes totalCount",
    "CheckRun": "id externalId status",
    "PullRequestChangedFileConnection": "pageInfo nodes totalCount",
    "PullRequestChangedFile": "path changeType additions deletions",
    "PageInfo": "hasNextPage hasPreviousPage startCursor endCursor",
    "IssueCommentConnection": "pageInfo nodes totalCount",
    "IssueComment": "id fullDatabaseId body isMinimized minimizedReason viewerDidAuthor url author "
    "createdAt updatedAt lastEditedAt authorAssociation pullRequest reactionGroups",
    "AddReactionPayload": "reaction reactionGroups subject",
    "RemoveReactionPayload": "reaction",
    "Reaction": "id databaseId content createdAt",
    "ReactionGroup": "content viewerHasReacted",
    "Reactable": "id databaseId reactionGroups",
    "IssueCommentEdge": "node",
    "AddCommentPayload": "commentEdge",
    "UpdateIssueCommentPayload": "issueComment",
    "PullRequestReviewConnection": "pageInfo nodes totalCount",
    "PullRequestReview": "id viewerDidAuthor author body comments state",
    "PullRequestReviewCommentConnection": "pageInfo nodes totalCount",
    "PullRequestReviewComment": "id body path viewerDidAuthor line",
    "Actor": "login url",
    "User": "id login url databaseId",
    "Bot": "id login url databaseId",
    "Ref": "id name target",
    "GitObject": "id oid abbreviatedOid",
    "Commit": "id oid abbreviatedOid file tree message checkSuites history parents",
    "CommitHistoryConnection": "pageInfo nodes totalCount",
    "CommitConnection": "pageInfo nodes totalCount",
    "UpdateRefsPayload": "clientMutationId",
    "Tree": "id oid abbreviatedOid entries",
    "Blob": "id oid abbreviatedOid byteSize isBinary isTruncated text",
    "TreeEntry": "name path mode type oid object size",
    "Minimizable": "isMinimized minimizedReason",
    "MinimizeCommentPayload": "minimizedComment",
    "UnminimizeCommentPayload": "unminimizedComment",
    "CreateCommitOnBranchPayload": "commit ref",
    "CreateCheckRunPayload": "checkRun",
    "RateLimit": "limit cost remaining resetAt",
    "Node": "id",
}


def openapi(description: dict[str, Any]) -> dict[str, Any]:
    """The wanted operations and the components that they refer to."""
    paths = {
        path: {method: _bare(description["paths"][path][method]) for method in methods.split()}
        for path, methods in OPERATIONS.items()
    }
    components: dict[str, dict[str, Any]] = {}
    waiting = [paths]
    while waiting:
        for reference in _references(waiting.pop()):
            _, _, group, name = reference.split("/")
            if name not in components.setdefault(group, {}):
                components[group][name] = _bare(description["components"][group][name])
                waiting.append(components[group][name])
    components = {group: dict(sorted(named.items())) for group, named in sorted(components.items())}
    return {
        "openapi": description["openapi"],
        "info": {"title": "GitHub REST API, in part", "version": description["info"]["version"]},
        "paths": paths,
        "components": components,
    }


_PROSE = (
    "description",
    "example",
    "examples",
    "summary",
    "externalDocs",
    "tags",
    "title",
    "headers",
)


def _bare(value: Any, *, named: bool = False) -> Any:
    """Without prose; `named` where the keys are names that GitHub chose."""
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if not isinstance(value, dict):
        return value
    bare = {
        key: _bare(item, named=key == "properties" and not named)
        for key, item in value.items()
        if named or not (key in _PROSE or key.startswith("x-"))
    }
    if bare.pop("nullable", False) and not named:
        # OpenAPI 3.0 says it with a word of its own, JSON Schema does not know it.
        if isinstance(bare.get("type"), str):
            bare["type"] = [bare["type"], "null"]
            if "enum" in bare:
                bare["enum"] = [*bare["enum"], None]
        else:
            bare = {"anyOf": [bare, {"type": "null"}]}
    return bare


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for item in value for found in _references(item)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    return own + [found for item in value.values() for found in _references(item)]


def graphql(text: str) -> str:
    """The wanted fields of the wanted types, and the inputs, enums and scalars that they need."""
    document = visit(parse(text, no_location=True), _WithoutProse())
    types: dict[str, DefinitionNode] = {
        node.name.value: node for node in document.definitions if hasattr(node, "name")
    }
    kept: dict[str, DefinitionNode] = {}
    for name, fields in FIELDS.items():
        node = types[name]
        if not isinstance(node, (ObjectTypeDefinitionNode, InterfaceTypeDefinitionNode)):
            raise TypeError(name)
        wanted = set(fields.split())
        has = node.fields or ()
        if missing := wanted - {field.name.value for field in has}:
            raise KeyError(f"{name}: {missing}")
        kept[name] = replace(
            node,
            fields=tuple(field for field in has if field.name.value in wanted),
            interfaces=tuple(i for i in node.interfaces or () if i.name.value in FIELDS),
        )
    waiting: list[Node] = list(kept.values())
    while waiting:
        for name in _named(waiting.pop()):
            needed = types.get(name)
            if name in kept or needed is None:
                continue
            if isinstance(
                needed,
                (ScalarTypeDefinitionNode, EnumTypeDefinitionNode, InputObjectTypeDefinitionNode),
            ):
                kept[name] = needed
                waiting.append(needed)
            elif isinstance(needed, UnionTypeDefinitionNode):
                raise KeyError(f"the union {name} is not wanted")
            else:
                raise KeyError(f"a field of the type {name} is wanted, and none of its fields")
    return "\n\n".join(print_ast(kept[name]) for name in sorted(kept)) + "\n"


class _WithoutProse(Visitor):
    def enter(self, node: Node, *_: object) -> Node | None:
        gone = {name: None for name in ("description", "directives") if getattr(node, name, None)}
        return replace(node, **gone) if gone else None


def _named(node: Node) -> set[str]:
    found: set[str] = set()

    class Names(Visitor):
        def enter_named_type(self, named: NamedTypeNode, *_: object) -> None:
            found.add(named.name.value)

    visit(node, Names())
    return found


def main(openapi_folder: Path, graphql_folder: Path) -> None:
    """Write both files beside this one."""
    source = openapi_folder / "package/generated/api.github.com.json"
    trimmed = openapi(json.loads(source.read_text(encoding="utf-8")))
    (HERE / "openapi.json").write_text(
        json.dumps(trimmed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    schema = (graphql_folder / "package/schema.graphql").read_text(encoding="utf-8")
    (HERE / "schema.graphql").write_text(graphql(schema), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
