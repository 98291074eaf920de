"""Changes read from real git repositories, hostile ones too."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bot.base.errors import UserError
from bot.check.request import CheckOptions
from bot.github.change import MAX_BLOB, MAX_SCRIPTS, ChangedFile, FileSelection
from bot.github.local import LocalRepository
from bot.review.check import CheckRequest, check_change
from bot.rules._support.example import verl

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada L.",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada L.",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            env={**ENVIRONMENT, "HOME": str(self.folder), **environment},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def write(self, path: str, data: bytes | str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)

    def commit(self, message: str = "change", **environment: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message, **environment)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "repository with a space"
    folder.mkdir()
    return Repository(folder)


def test_recipes_of_a_change_are_checked(repository: Repository) -> None:
    model = "model_name_or_path: Qwen/Qwen3-0.6B\n"
    base = repository.commit()
    repository.write("recipes/a.yaml", f"{model}learning_rte: 1e-6\n")
    repository.write("examples/tuning/b.yml", f"{model}learning_rate: 1e-6\n")
    repository.write("recipes/zero3.yaml", "deepspeed_config: {zero_stage: 3}\n")
    repository.write("examples/tuning/factory.yaml", f"{model}finetuning_type: lora\n")
    repository.write("other/c.yaml", f"{model}learning_rte: 1e-6\n")
    change = LocalRepository(repository.folder).change(base, repository.commit())
    checked = check_change(change, CheckRequest(options=lambda config: CheckOptions(config=config)))
    assert checked.touches
    assert {
        script.path: [(f.id, f.line, f.column) for f in script.findings if f.severity == "error"]
        for script in checked.report.scripts
    } == {"recipes/a.yaml": [("RLB020", 2, 1)], "examples/tuning/b.yml": []}


def test_a_file_that_a_partial_clone_lacks_stops_nothing(repository: Repository) -> None:
    repository.write("data/large.bin", "x" * 100)
    base = repository.commit()
    repository.write("tuning/a.sh", "echo a\n")
    head = repository.commit()
    lost = repository.git("rev-parse", f"{base}:data/large.bin")
    (repository.folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
    local = LocalRepository(repository.folder)
    assert set(_read(local, base, head)) == {"tuning/a.sh"}
    assert local.uncommitted(head, lambda path: path.endswith(".sh")) == []


def _read(local: LocalRepository, base: str, head: str) -> dict[str, ChangedFile]:
    files = local.change(base, head).read(FileSelection(script=_wanted)).scripts
    return {file.path: file for file in files}


def _wanted(path: str) -> bool:
    return path.startswith("tuning/") and path.endswith(".sh")


@pytest.mark.parametrize("act", [("rm", "--quiet"), ("mv",)])
def test_a_script_that_goes_is_noticed(repository: Repository, act: tuple[str, ...]) -> None:
    repository.write("tuning/a.sh", "echo one\n" * 20)
    repository.write("b.sh", "echo two\n" * 20)
    base = repository.commit()
    repository.git(*act, "tuning/a.sh", *(["c.sh"] if act == ("mv",) else []))
    local = LocalRepository(repository.folder)
    read = local.change(base, repository.commit()).read(FileSelection(script=_wanted))
    assert (read.scripts, read.scripts_removed) == ((), True)
    repository.git("mv", "b.sh", "d.sh")
    again = local.change("HEAD", repository.commit()).read(FileSelection(script=_wanted))
    assert not again.scripts_removed


def test_uncommitted_files(repository: Repository) -> None:
    for name in ("kept", "altered", "removed", "lines"):
        repository.write(f"tuning/{name}.sh", f"echo {name}\n")
    repository.write(".gitattributes", "*.sh filter=evil\n")
    repository.write("other.sh", "echo\n")
    repository.git("config", "filter.evil.clean", "touch evil; cat")
    head = repository.commit()
    (repository.folder / "evil").unlink(missing_ok=True)
    local = LocalRepository(repository.folder)
    assert local.uncommitted(head, _wanted) == []
    repository.write("tuning/altered.sh", "echo changed\n")
    repository.write("tuning/lines.sh", "echo lines\r\n")
    repository.write("tuning/new.sh", "echo new\n")
    repository.write("other.sh", "echo changed\n")
    (repository.folder / "tuning/removed.sh").unlink()
    found = [f"tuning/{name}.sh" for name in ("altered", "new", "removed")]
    below = LocalRepository(repository.folder / "tuning")
    assert local.uncommitted(head, _wanted) == below.uncommitted(head, _wanted) == found
    assert not (repository.folder / "evil").exists()


def test_without_a_working_tree_nothing_is_uncommitted(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("tuning/a.sh", "echo\n")
    head = repository.commit()
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert LocalRepository(tmp_path / "bare.git").uncommitted(head, _wanted) == []


def test_only_wanted_files_that_the_branch_adds_or_alters(repository: Repository) -> None:
    for name in ("kept", "altered", "removed", "renamed"):
        repository.write(f"tuning/{name}.sh", f"echo {name}\n" * 20)
    base = repository.commit()
    repository.git("switch", "--quiet", "--create", "work")
    repository.write("tuning/added.sh", "echo added\n")
    repository.write("tuning/altered.sh", "echo changed\n")
    repository.write("other/added.sh", "echo other\n")
    repository.write("tuning/notes.md", "notes\n")
    (repository.folder / "tuning/removed.sh").unlink()
    repository.git("mv", "tuning/renamed.sh", "tuning/moved.sh")
    head = repository.commit()
    repository.git("switch", "--quiet", "main")
    repository.write("tuning/kept.sh", "echo changed on main\n")
    repository.commit()

    local = LocalRepository(repository.folder)
    change = local.change("main", "work")

    files = _read(local, "main", "work")
    assert list(files) == ["tuning/added.sh", "tuning/altered.sh", "tuning/moved.sh"]
    assert files["tuning/altered.sh"].data == b"echo changed\n"
    assert change.head == head
    assert change.base != base


def test_nothing_is_checked_out_and_no_program_of_the_repository_runs(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("tuning/a.sh", "echo a\n")
    repository.commit()
    mark = tmp_path / "ran"
    hook = f"#!/bin/sh\ntouch '{mark}'\n"
    repository.write("tuning/b.sh", "echo b\n")
    repository.write(".gitattributes", "*.sh diff=evil filter=evil\n")
    repository.commit()
    for command in ("diff.evil.textconv", "diff.evil.command", "filter.evil.smudge"):
        repository.git("config", command, f"sh -c \"touch '{mark}'; cat\"")
    repository.git("config", "diff.external", f"touch '{mark}'")
    repository.git("config", "core.fsmonitor", f"touch '{mark}'")
    repository.write(".git/hooks/post-checkout", hook)
    (repository.folder / ".git/hooks/post-checkout").chmod(0o755)
    (repository.folder / "tuning/b.sh").unlink()

    files = _read(LocalRepository(repository.folder), "HEAD~1", "HEAD")

    assert [file.data for file in files.values()] == [b"echo b\n"]
    assert not mark.exists()
    assert not (repository.folder / "tuning/b.sh").exists()


@pytest.mark.parametrize(
    "name",
    [
        "tuning/a\nb.sh",
        "tuning/a b.sh",
        "tuning/ä.sh",
        "tuning/*.sh",
        "tuning/:(top)x.sh",
        "tuning/-x.sh",
    ],
)
def test_odd_names_are_read_as_they_are(repository: Repository, name: str) -> None:
    repository.commit()
    repository.write(name, "echo odd\n")
    repository.write("tuning/plain.sh", "echo plain\n")
    repository.commit()
    local = LocalRepository(repository.folder)
    assert _read(local, "HEAD~1", "HEAD")[name].data == b"echo odd\n"
    assert local.blob("HEAD", name) == b"echo odd\n"


def test_what_is_no_readable_file_is_named_with_the_reason(repository: Repository) -> None:
    repository.commit()
    (repository.folder / "tuning").mkdir()
    (repository.folder / "tuning/link.sh").symlink_to("/etc/passwd")
    repository.write("tuning/big.sh", b"x" * (MAX_BLOB + 1))
    repository.write(os.fsdecode(b"tuning/\xff.sh"), "echo\n")
    repository.commit()
    files = _read(LocalRepository(repository.folder), "HEAD~1", "HEAD")
    assert {path: file.reason for path, file in files.items()} == {
        "tuning/link.sh": "tuning/link.sh is a symbolic link; commit a file.",
        "tuning/big.sh": "tuning/big.sh has 16,777,217 bytes; at most 16,777,216 are read.",
        "tuning/\\xff.sh": "The path tuning/\\xff.sh is not UTF-8; rename the file.",
    }
    assert all(file.data is None for file in files.values())


@pytest.mark.slow
def test_scripts_beyond_the_limit_are_named(repository: Repository) -> None:
    repository.commit()
    for number in range(MAX_SCRIPTS + 2):
        repository.write(f"tuning/{number:04}.sh", "echo\n")
    repository.commit()
    files = _read(LocalRepository(repository.folder), "HEAD~1", "HEAD")
    unread = {path: file.reason for path, file in files.items() if file.data is None}
    assert unread == dict.fromkeys(
        ("tuning/0200.sh", "tuning/0201.sh"),
        "At most 200 scripts of one change are read; split it.",
    )


def _yaml(paths: Sequence[str], scripts: Mapping[str, bytes]) -> Sequence[str]:
    assert scripts == {"tuning/a.sh": b"echo a\n"}
    return [path for path in paths if path.endswith(".yaml")]


def test_the_page_is_the_bases_unless_the_change_alters_it(repository: Repository) -> None:
    wanted = FileSelection(script=_wanted, page="docs/page.rst", others=_yaml)
    repository.write("docs/page.rst", "old\n")
    repository.commit()
    repository.git("switch", "--quiet", "--create", "work")
    repository.write("tuning/a.sh", "echo a\n")
    repository.write("conf/a/b.yaml", "x: 1\n")
    repository.commit()
    repository.git("switch", "--quiet", "main")
    repository.write("docs/page.rst", "new\n")
    repository.commit()
    local = LocalRepository(repository.folder)
    files = local.change("main", "work").read(wanted)
    assert (files.page, files.page_changed) == (b"new\n", False)
    assert files.others == {"conf/a/b.yaml": b"x: 1\n"}
    repository.git("switch", "--quiet", "work")
    repository.write("docs/page.rst", "the author's\n")
    repository.commit()
    files = local.change("main", "work").read(wanted)
    assert (files.page, files.page_changed) == (b"the author's\n", True)
    (repository.folder / "docs/page.rst").unlink()
    (repository.folder / "docs/page.rst").symlink_to("/etc/passwd")
    repository.commit()
    files = local.change("main", "work").read(wanted)
    assert files.page is None
    assert files.gaps == (("page", "docs/page.rst is a symbolic link; commit a file."),)


@pytest.mark.parametrize(
    ("name", "address", "contributor"),
    [
        ("Ada", "1815+ada-l@users.noreply.github.com", "ada-l"),
        ("Ada", "ada-l@users.noreply.github.com", "ada-l"),
        ("Ada", "ada@example.org", "Ada <ada@example.org>"),
        (
            "Ada",
            "x@users.noreply.github.com.example.org",
            "Ada <x@users.noreply.github.com.example.org>",
        ),
    ],
)
def test_the_contributor_is_who_wrote_the_script(
    repository: Repository, name: str, address: str, contributor: str
) -> None:
    repository.commit()
    repository.write("tuning/a.sh", "echo a\n")
    repository.commit(GIT_AUTHOR_NAME=name, GIT_AUTHOR_EMAIL=address)
    repository.write("tuning/other", "by somebody else\n")
    repository.commit(GIT_AUTHOR_NAME="Eve")
    files = _read(LocalRepository(repository.folder), "HEAD~2", "HEAD")
    assert files["tuning/a.sh"].contributor == contributor


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("git@github.com:a/b.git", "https://github.com/a/b"),
        ("ssh://git@github.com/a/b", "https://github.com/a/b"),
        ("https://token@github.com/a/b", None),
        ("/srv/git/b.git", None),
        ("https://github.com/a/b/c", None),
    ],
)
def test_the_web_address_of_the_repository(
    repository: Repository, remote: str, url: str | None
) -> None:
    repository.commit()
    repository.git("remote", "add", "origin", remote)
    assert LocalRepository(repository.folder).web_url() == url


def test_mistakes_are_sentences(repository: Repository, tmp_path: Path) -> None:
    empty = tmp_path / "no repository"
    empty.mkdir()
    with pytest.raises(UserError, match="is not inside a git repository"):
        LocalRepository(empty)
    with pytest.raises(UserError, match="is not inside a git repository"):
        LocalRepository(tmp_path / "nowhere")
    repository.commit()
    local = LocalRepository(repository.folder)
    with pytest.raises(UserError, match='"nosuch" names no commit here'):
        local.change("nosuch", "HEAD")
    with pytest.raises(UserError, match='"--all" names no commit here'):
        local.commit("--all")
    repository.git("switch", "--quiet", "--orphan", "apart")
    repository.commit("apart")
    with pytest.raises(UserError, match="have no common ancestor"):
        local.change("main", "apart")


STARTS = "#!/bin/bash\n{reads}\npython3 -m verl.trainer.main_ppo $ARGS\n"
HELD = (
    'ARGS="trainer.n_gpus_per_node=2 algorithm.adv_estimator=grpo '
    'actor_rollout_ref.model.path=Qwen/Qwen2.5-7B actor_rollout_ref.rollout.name=vllm {more}"\n'
)
NAMED = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"


@pytest.mark.parametrize(
    ("reads", "helpers"),
    [
        ('source "$(dirname "$0")/common.sh"', {"examples/tuning/7b/common.sh": HELD}),
        (
            "source scripts/common.sh",
            {"scripts/common.sh": HELD, "other/common.sh": "ARGS=a.b=1\n"},
        ),
        (
            "source scripts/env.sh",
            {"scripts/env.sh": "source scripts/lib/common.sh\n", "scripts/lib/common.sh": HELD},
        ),
    ],
)
def test_what_a_script_sources_is_read_at_the_head(
    repository: Repository, reads: str, helpers: Mapping[str, str]
) -> None:
    base = repository.commit()
    for path, text in helpers.items():
        repository.write(path, text.replace("{more}", "data.zz=4"))
    repository.write(NAMED, STARTS.format(reads=reads))
    change = LocalRepository(repository.folder).change(base, repository.commit())
    checked = check_change(change, CheckRequest(options=lambda config: CheckOptions(config=config)))
    (script,) = (one for one in checked.report.scripts if one.path == NAMED)
    errors = [(f.id, f.line) for f in script.findings if f.severity == "error"]
    assert errors == [("RLB020", 2)]


def test_no_default_is_told_where_a_sourced_file_is_unknown(repository: Repository) -> None:
    base = repository.commit()
    repository.write(NAMED, STARTS.format(reads="source /opt/site/common.sh"))
    change = LocalRepository(repository.folder).change(base, repository.commit())
    checked = check_change(change, CheckRequest(options=lambda config: CheckOptions(config=config)))
    (script,) = checked.report.scripts
    assert not script.findings
    assert script.plan is not None
    assert (script.plan.gpus, script.plan.algorithm, script.plan.model) == (None, None, None)


def test_a_script_is_to_get_no_name_that_another_has(repository: Repository) -> None:
    """One that the change leaves alone, and that is not read."""
    right = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    repository.write(right, verl())
    base = repository.commit()
    repository.write(right.replace("-7b", "_7B"), verl())
    change = LocalRepository(repository.folder).change(base, repository.commit())
    checked = check_change(change, CheckRequest(options=lambda config: CheckOptions(config=config)))
    (script,) = checked.report.scripts
    (named,) = (finding for finding in script.findings if finding.id == "RLB003")
    assert (named.rename, named.help) == (None, f"{right} is there already: keep one of the two")
