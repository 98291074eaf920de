"""The GraphQL questions: each asks for what would otherwise take many REST requests.

PyGithub sends a question; which one is the caller's.
"""

from __future__ import annotations

from typing import Any

_COMMENTS = """
      comments(first: 100, after: $comments) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id fullDatabaseId body isMinimized viewerDidAuthor url createdAt lastEditedAt
          author { login }
        }
      }"""

_FILES = """
      files(first: 100, after: $files) {
        pageInfo { hasNextPage endCursor }
        nodes { path changeType }
      }"""

_CHECKS = """
      commits(last: 1) @include(if: $checks) {
        nodes { commit { oid checkSuites(first: 50, filterBy: {checkName: "rlbot"}) { nodes {
          checkRuns(first: 20, filterBy: {checkName: "rlbot"}) { nodes { externalId status } }
        } } } }
      }"""
"""The check runs of our name on the head (bot/github/answer.py has the name)."""

STATE = "\n      headRefOid state" + _COMMENTS + _CHECKS
"""What stands on a pull request now."""

_PULL = (
    """
      repository { nameWithOwner isPrivate }
      id number state title body changedFiles maintainerCanModify
      author { login }
      baseRefOid headRefName headRefOid
      headRepository { nameWithOwner }
      baseRef {
        target {
          oid
          ... on Commit {
            file(path: ".rlbot.yml") { mode object { ...Content } }
          }
        }
      }"""
    + _FILES
    + _COMMENTS
    + _CHECKS
)
"""All that is known of a pull request before its files are read."""

_CONTENT = """fragment Content on GitObject {
  oid
  ... on Blob { byteSize isBinary isTruncated text }
}
"""

PULL = (
    """
query Pull(
  $owner: String!, $name: String!, $number: Int!, $files: String, $comments: String,
  $checks: Boolean = true
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {"""
    + _PULL
    + """
    }
  }
}
"""
    + _CONTENT
)

ACKNOWLEDGE = (
    """
mutation Acknowledge(
  $comment: ID!, $files: String, $comments: String, $checks: Boolean = true
) {
  addReaction(input: {subjectId: $comment, content: EYES}) {
    reaction { createdAt }
    reactionGroups { content viewerHasReacted }
    subject {
      ... on IssueComment {
        pullRequest {"""
    + _PULL
    + """
        }
      }
    }
  }
}
"""
    + _CONTENT
)
"""Leaves 👀 on a comment; what else we left there and its pull request come with the answer."""

FILES = (
    """
query Files($owner: String!, $name: String!, $number: Int!, $files: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { headRefOid"""
    + _FILES
    + """
    }
  }
}
"""
)

COMMENTS = (
    """
query Comments(
  $owner: String!, $name: String!, $number: Int!, $comments: String, $reviews: Boolean = false,
  $checks: Boolean = false
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id repository { id }"""
    + STATE
    + """
      reviews(last: 50) @include(if: $reviews) {
        nodes { viewerDidAuthor comments(first: 100) { nodes { body } } }
      }
    }
  }
}
"""
)
"""The head as it is now and the comments: what stands there before something is written."""

COMMIT = """
mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}
"""

MOVE = """
mutation Move($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}
"""

BRANCH = """
query Branch($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    id
    ref(qualifiedName: $ref) {
      target {
        ... on Commit {
          history(first: 20) { nodes { oid message parents(first: 2) { nodes { oid } } } }
        }
      }
    }
  }
}
"""
"""Where a branch is, with its newest commits."""

MINIMIZE = """
mutation Minimize($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
    minimizedComment { isMinimized }
  }
}
"""


def about(repository: str, **more: Any) -> dict[str, Any]:
    """The variables of a question about a repository, `OWNER/REPO`."""
    owner, _, name = repository.partition("/")
    return {"owner": owner, "name": name, **more}


def entries(count: int, contents: int = 0) -> str:
    """Asks for `count` files of commits by path: the variables are c0, p0 and so on.

    Of a folder it gives the names, down to LEVELS below it. With `contents`, so many blobs come
    along: b0 and so on.
    """
    declared = [f"$c{n}: GitObjectID!, $p{n}: String!" for n in range(count)]
    fields = [
        f"    e{n}: object(oid: $c{n}) {{ ... on Commit {{ file(path: $p{n}) "
        f"{{ mode type oid object {{ ...Content ...Names }} }} }} }}"
        for n in range(count)
    ]
    declared += [f"$b{n}: GitObjectID!" for n in range(contents)]
    fields += [f"    b{n}: object(oid: $b{n}) {{ ...Content }}" for n in range(contents)]
    name, names = ("Entries", _names()) if count else ("Blobs", "")
    asked = "\n".join(fields)
    return (
        f"query {name}($owner: String!, $name: String!, {', '.join(declared)}) {{\n"
        f"  repository(owner: $owner, name: $name) {{\n{asked}\n  }}\n}}\n{_CONTENT}{names}"
    )


def ours(count: int) -> str:
    """Asks which of `count` comments the token wrote: the variables are i0 and so on."""
    declared = ", ".join(f"$i{n}: ID!" for n in range(count))
    fields = "\n".join(
        f"  n{n}: node(id: $i{n}) {{ ... on IssueComment {{ viewerDidAuthor }} }}"
        for n in range(count)
    )
    return f"query Ours({declared}) {{\n{fields}\n}}\n"


LEVELS = 4
"""Folders in each other whose names one question gives."""


def _names() -> str:
    # GraphQL has no recursion: each level is written out.
    inner = ""
    for _ in range(LEVELS):
        below = f" object {{ ... on Tree {{ {inner} }} }}" if inner else ""
        inner = f"entries {{ name mode type oid size{below} }}"
    return f"fragment Names on Tree {{ {inner} }}\n"
