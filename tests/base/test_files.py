"""How users' files are written, against links, changes, crashes and other processes."""

from __future__ import annotations

import fcntl
import functools
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from bot.base import files
from bot.base.errors import UserError
from bot.base.files import FileChangedError, replace_file, write_new_file, write_output

OLD = b"as it was read\n" * 1000
NEW = b"as it shall be\n" * 2000
HANGS = 600
"""Seconds after which a process is taken to wait for ever."""

Write = Callable[[Path], None]


def _replace(path: Path) -> None:
    replace_file(path, OLD, NEW)


def _output(path: Path) -> None:
    write_output(path, NEW)


def _new(path: Path) -> None:
    write_new_file(path, NEW)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "page.rst"
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize("write", [_replace, _output])
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_permissions_stay_and_nothing_else_is_left(file: Path, write: Write, mode: int) -> None:
    file.chmod(mode)
    write(file)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert _names(file.parent) == ["page.rst"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 1234, 5678)
    _replace(file)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 5678)


@pytest.mark.parametrize(("mode", "expected"), [(None, 0o640), (0o600, 0o600), (0o755, 0o755)])
def test_a_new_file_has_the_permissions_that_are_named_or_usual(
    tmp_path: Path, mode: int | None, expected: int
) -> None:
    before = os.umask(0o027)
    try:
        write_new_file(tmp_path / "x.sh", NEW, mode=mode)
        write_output(tmp_path / "x.html", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x.sh").stat().st_mode) == expected
    assert stat.S_IMODE((tmp_path / "x.html").stat().st_mode) == 0o640


@pytest.mark.parametrize("now", [b"", OLD[:-1], OLD + b"more", NEW])
def test_a_file_that_changed_meanwhile_is_left_alone(file: Path, now: bytes) -> None:
    file.write_bytes(now)
    with pytest.raises(FileChangedError) as caught:
        _replace(file)
    assert str(caught.value) == (
        f"{file} changed meanwhile and was not written; run the command again."
    )
    assert file.read_bytes() == now
    file.unlink()
    with pytest.raises(FileChangedError):
        _replace(file)
    assert _names(file.parent) == []


@pytest.mark.parametrize("write", [_replace, _output])
def test_no_link_is_written_through_or_replaced(file: Path, write: Write) -> None:
    link = file.with_name("link.rst")
    link.symlink_to(file)
    with pytest.raises(UserError, match=r"is a symbolic link and was not written; name the file"):
        write(link)
    assert link.is_symlink()
    assert file.read_bytes() == OLD


def test_a_planted_draft_is_not_followed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even who guesses the name gets a refusal."""
    victim = tmp_path / "victim"
    victim.write_bytes(OLD)
    monkeypatch.setattr("bot.base.files.os.urandom", lambda _: b"guessed")
    for name in ("page.rst.rlbot-new", f".rlbot-{b'guessed'.hex()}.new"):
        (tmp_path / name).symlink_to(victim)
    with pytest.raises(UserError, match="cannot be written: file exists"):
        _replace(file)
    assert (victim.read_bytes(), file.read_bytes()) == (OLD, OLD)


def test_a_new_file_never_takes_the_place_of_something(file: Path) -> None:
    link = file.with_name("dangling")
    link.symlink_to("nowhere")
    for path in (file, link, file.parent):
        with pytest.raises(UserError, match=r"is there already; it was not overwritten|folder"):
            _new(path)
    assert file.read_bytes() == OLD
    assert _names(file.parent) == ["dangling", "page.rst"]


@pytest.mark.parametrize("write", [_replace, _output])
def test_what_is_no_file_is_refused(tmp_path: Path, write: Write) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(UserError, match=f"{name} is not a regular file"):
            write(tmp_path / name)


@pytest.mark.parametrize("write", [_replace, _output, _new])
def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path, write: Write) -> None:
    with pytest.raises(UserError, match=r"cannot be written: no such file or directory\.$"):
        write(tmp_path / "gone" / "page.rst")


@pytest.mark.process
@pytest.mark.parametrize("write", [_replace, _output, _new])
def test_a_folder_without_permission_is_a_sentence(file: Path, write: Write) -> None:
    """In a process without the rights of root, where the tests have them."""
    file.parent.chmod(0o555)
    if write is _new:
        file = file.with_name("new.sh")

    def act() -> int:
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            write(file)
        except UserError as error:
            return 0 if str(error) == f"{file} cannot be written: permission denied." else 2
        return 1

    for above in file.parents[1:-2]:
        if above.owner() != "root" or os.geteuid() == 0:
            above.chmod(above.stat().st_mode | 0o055)
    try:
        assert _in_child(act) == 0
    finally:
        file.parent.chmod(0o755)


@pytest.mark.process
@pytest.mark.parametrize("write", [_replace, _output])
def test_a_read_only_file_stays(file: Path, write: Write) -> None:
    file.chmod(0o444)

    def act() -> int:
        if os.geteuid() == 0:
            os.chown(file, 65534, 65534)
            os.chown(file.parent, 65534, 65534)
            os.setuid(65534)
        with pytest.raises(UserError, match="permission denied"):
            write(file)
        return 0

    for above in file.parents[1:-2]:
        if os.geteuid() == 0:
            above.chmod(above.stat().st_mode | 0o055)
    assert _in_child(act) == 0
    assert file.read_bytes() == OLD


def _in_child(act: Callable[[], int]) -> int:
    """The exit status of a process that calls this; of one that was killed, the signal below 0."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = act()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.process
@pytest.mark.parametrize("write", [_replace, _output, _new])
def test_killed_at_any_line_the_old_file_is_there_or_the_new_one(
    tmp_path: Path, write: Write
) -> None:
    lines = 0
    contents = set()
    while True:
        lines += 1
        folder = tmp_path / str(lines)
        folder.mkdir()
        file = folder / "page.rst"
        if write is not _new:
            file.write_bytes(OLD)
        status = _in_child(functools.partial(_killed_at, lines, functools.partial(write, file)))
        content = file.read_bytes() if file.exists() else None
        assert content in (NEW, None if write is _new else OLD)
        contents.add(content)
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert lines > 20
    assert len(contents) == 2
    assert _names(folder) == ["page.rst"]


def _killed_at(line: int, act: Callable[[], None]) -> int:
    """Call it, and end as by `kill -9` when the module comes to its so manieth line."""
    left = line

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal left
        if frame.f_code.co_filename != files.__file__:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    act()
    return 0


@pytest.mark.parametrize("write", [_replace, _output, _new])
@pytest.mark.parametrize("fault", ["fsync", "replace", "link", "chmod"])
def test_a_failure_leaves_the_old_file_and_no_draft(
    file: Path, monkeypatch: pytest.MonkeyPatch, write: Write, fault: str
) -> None:
    if write is _new:
        file = file.with_name("new.sh")
    monkeypatch.setattr(os, fault, _full)
    before = _names(file.parent)
    if fault in (("fsync", "link") if write is _new else ("fsync", "replace", "chmod")):
        with pytest.raises(UserError, match="cannot be written: no space left on device"):
            write(file)
        assert _names(file.parent) == before
    else:
        write(file)
    assert (file.parent / "page.rst").read_bytes() in (OLD, NEW)


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_file_system_without_hard_links(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(UserError, match="is there already"):
        _new(file)
    _new(file.with_name("new.sh"))
    assert file.read_bytes() == OLD
    assert _names(file.parent) == ["new.sh", "page.rst"]


_WAITING = """
import sys
from pathlib import Path
from bot.base import files

files._LOCK_SECONDS = 600
try:
    files.replace_file(Path(sys.argv[1]), b"old", b"ours")
except files.FileChangedError:
    print("changed")
"""


@pytest.mark.process
def test_the_comparison_waits_for_whoever_writes(file: Path) -> None:
    """The other process changes the file while it holds the folder: ours must see the change."""
    folder = os.open(file.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    ours = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _WAITING,
            file,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        file.write_bytes(b"old")
        while not _has_open(ours.pid, file.parent):
            assert ours.poll() is None, "it did not wait"
            time.sleep(0.01)
        file.write_bytes(b"theirs")
        os.close(folder)
        out, _ = ours.communicate(timeout=HANGS)
    finally:
        ours.kill()
        ours.wait()
    assert (out, ours.returncode) == ("changed\n", 0)
    assert file.read_bytes() == b"theirs"


def _has_open(process: int, folder: Path) -> bool:
    try:
        return any(
            os.path.realpath(entry) == str(folder.resolve())
            for entry in Path(f"/proc/{process}/fd").iterdir()
        )
    except FileNotFoundError:
        return False


def test_a_folder_that_stays_locked_is_a_sentence(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another process has locked the folder"):
            _replace(file)
    finally:
        os.close(folder)
    assert file.read_bytes() == OLD
