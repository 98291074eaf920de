"""Runs a command transparently: terminal, output, signals and exit status pass through.

What the command writes passes through unchanged; a terminal's place is taken by a terminal. A
signal that somebody sends to the recorder is sent on. What the terminal itself sends reaches the
command without the recorder: as a member of the same process group, or through its own terminal.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

_CHUNK: Final = 1 << 16
_SENT_ON: Final = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
    signal.SIGWINCH,
)
_BY_SOMEBODY: Final = 0
"""`si_code` of a signal that a process sent (SI_USER, SI_TKILL, SI_QUEUE are 0 or less)."""
_GONE: Final = (errno.EPIPE, errno.EIO)
"""Of a reader, and of a terminal, that is not there any more."""
_LEFT: Final = 0.2
"""Seconds without output after the command's end after which a process that it left has it."""


class PassedCommand:
    """A command that runs; its output passes through `wait`."""

    def __init__(
        self, command: Sequence[str], take: Callable[[bytes], None], inherited: Sequence[int] = ()
    ) -> None:
        """Start it; `take` sees what it writes, `inherited` are its caller's other descriptors.

        Raises OSError where it cannot be started.
        """
        self._take = take
        self._from: dict[int, int] = {}
        """Descriptor that is read to the one that is written."""
        self._terminal: int | None = None
        signal.pthread_sigmask(signal.SIG_BLOCK, _SENT_ON)
        self._own_session = _in_foreground()
        streams = self._streams()
        own = self._own_session
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the user's own command
                list(command),
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                pass_fds=inherited,
                start_new_session=own,
                preexec_fn=_as_before(own),
            )
        finally:
            for descriptor in {each for each in streams if isinstance(each, int) and each > 2}:
                os.close(descriptor)
        threading.Thread(target=self._signals, daemon=True).start()

    def _streams(self) -> list[int | None]:
        """What the command gets as its streams."""
        out, err = sys.stdout.fileno(), sys.stderr.fileno()
        given: list[int | None] = [None, None, None]
        if os.isatty(out):
            master, slave = pty.openpty()
            self._from[master], self._terminal = out, master
            self._resize()
            given[1] = slave
            if os.isatty(err):
                given[2] = slave
            if self._own_session:
                given[0] = slave
        else:
            read, given[1] = os.pipe()
            self._from[read] = out
        if given[2] is None and _same_file(out, err):
            given[2] = given[1]
        elif given[2] is None:
            read, given[2] = os.pipe()
            self._from[read] = err
        return given

    def wait(self) -> int:
        """Pass everything on until the command ends; its status as `Popen.returncode`."""
        with self._raw_terminal():
            ended = threading.Event()
            wake, wakes = os.pipe()

            def waiting() -> None:
                self.process.wait()
                ended.set()
                os.write(wakes, b"x")

            threading.Thread(target=waiting, daemon=True).start()
            sources = {*self._from, wake}
            if self._own_session:
                sources.add(0)
            while self._from:
                ready = select.select(sources, (), (), _LEFT if ended.is_set() else None)[0]
                if not ready and ended.is_set():
                    break
                for descriptor in ready:
                    if descriptor == wake:
                        sources.discard(wake)
                    elif not self._pass(descriptor):
                        sources.discard(descriptor)
            ended.wait()
        self._leave()
        return int(self.process.returncode)

    def _pass(self, descriptor: int) -> bool:
        """Pass one chunk on; False at its end."""
        try:
            data = os.read(descriptor, _CHUNK)
        except OSError:  # A terminal that nobody has open any more.
            data = b""
        to = self._terminal if descriptor == 0 else self._from.get(descriptor)
        if not data:
            self._from.pop(descriptor, None)
            return False
        if descriptor != 0:
            self._take(data)
        if to is not None:
            try:
                _write(to, data)
            except OSError as error:
                if error.errno not in _GONE:
                    raise
                if descriptor != self._terminal and descriptor != 0:
                    # Nobody reads any more: the command is told so, as by its own pipe.
                    self._from.pop(descriptor)
                    os.close(descriptor)
                    return False
        return True

    def _leave(self) -> None:
        """Keep passing on what processes write that the command left behind."""
        if self._terminal is None and self._from and os.fork() == 0:
            with contextlib.suppress(BaseException):
                self._take = lambda _: None
                while self._from:
                    for descriptor in select.select(list(self._from), (), ())[0]:
                        self._pass(descriptor)
            os._exit(0)

    def _signals(self) -> None:
        while True:
            got = signal.sigwaitinfo(_SENT_ON)
            if got.si_signo == signal.SIGWINCH:
                self._resize()
            elif got.si_signo == signal.SIGHUP and self._own_session:
                self._hang_up()
            elif got.si_code <= _BY_SOMEBODY:
                with contextlib.suppress(ProcessLookupError):
                    self.process.send_signal(got.si_signo)

    def _hang_up(self) -> None:
        """What the command's terminal tells it when its caller's is gone: leader and foreground."""
        if self._terminal is None:
            return
        with contextlib.suppress(OSError):
            self.process.send_signal(signal.SIGHUP)
            os.killpg(os.tcgetpgrp(self._terminal), signal.SIGHUP)

    def _resize(self) -> None:
        if self._terminal is not None:
            with contextlib.suppress(OSError):
                size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8))
                fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    @contextlib.contextmanager
    def _raw_terminal(self) -> Iterator[None]:
        """The caller's terminal without its own line editing, which the command's does."""
        if not self._own_session:
            yield
            return
        before = None
        with contextlib.suppress(termios.error):  # Of a terminal that is gone, as below.
            before = termios.tcgetattr(0)
            tty.setraw(0, termios.TCSADRAIN)  # What was typed already is kept.
        try:
            yield
        finally:
            if before is not None:
                with contextlib.suppress(termios.error):
                    termios.tcsetattr(0, termios.TCSADRAIN, before)


def inherited() -> tuple[int, ...]:
    """The caller's descriptors besides its streams, as those of `<(…)` and `3>file`.

    Asked before libraries open files of their own, which a command would inherit, too.
    """
    found = []
    with contextlib.suppress(OSError):
        for entry in Path("/dev/fd").iterdir():
            with contextlib.suppress(OSError, ValueError):
                if int(entry.name) > 2 and os.get_inheritable(int(entry.name)):
                    found.append(int(entry.name))
    return tuple(found)


def _in_foreground() -> bool:
    """Whether input and output are a terminal's that this process may read and set.

    A job in the background shares the terminal as it is: setting it would stop the job.
    """
    if not (os.isatty(0) and os.isatty(sys.stdout.fileno())):
        return False
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # A terminal, but not the one that controls this process.
        return True


def _as_before(own_terminal: bool) -> Callable[[], None]:
    """What the new process does: the signals as its caller had them, and its terminal."""

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SENT_ON)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        if own_terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    return prepare


def _same_file(one: int, other: int) -> bool:
    """Whether two descriptors are of one file, as after `2>&1`."""
    first, second = os.fstat(one), os.fstat(other)
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def _write(to: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(to, view) :]


def end_as(status: int) -> int:
    """The exit status for a command's; a command that a signal ended takes this process along."""
    if status >= 0:
        return status
    number = -status
    with contextlib.suppress(OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    return 128 + number
