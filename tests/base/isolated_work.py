"""What the tests of isolated processes have them do."""

from __future__ import annotations

import os
import signal
import time

from bot.base.errors import UserError
from bot.base.isolated import Caller


def double(_caller: Caller, number: int) -> int:
    """Twice a number."""
    return 2 * number


def ask(caller: Caller, question: str) -> str:
    """The caller's answer."""
    return str(caller.function("answer")(question))


def recover(caller: Caller) -> str:
    """What the caller's function raises, as a text."""
    try:
        caller.function("answer")("?")
    except UserError as error:
        return f"caught {error}"
    return "nothing"


def fail(_caller: Caller) -> None:
    """A fault of the program."""
    raise ZeroDivisionError("a fault")


def refuse(_caller: Caller) -> None:
    """A fault of the user."""
    raise UserError("This is wrong.")


def spin(caller: Caller) -> None:
    """Computes for ever, in C, where no handler of Python's gets a turn."""
    caller.begin("easy")
    caller.begin("hard")
    pow(3, 1 << 40)


def swallow(caller: Caller) -> None:
    """Takes every exception for its own, for ever."""
    caller.begin("greedy")
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: S112
            continue


def grow(caller: Caller) -> int:
    """Takes 1 GiB of memory."""
    caller.begin("large")
    return len([bytearray(1 << 24) for _ in range(64)])


def take(_caller: Caller, count: int) -> int:
    """Takes so many bytes of memory."""
    return len(bytearray(count))


def grow_in_silence(caller: Caller) -> None:
    """Finds no room as C code does that forgets to say so."""
    caller.begin("unsaid")
    raise SystemError("error return without exception set")


def sleep(caller: Caller) -> None:
    """Gives no sign for longer than anybody should wait."""
    caller.begin("silent")
    time.sleep(30)


def vanish(caller: Caller) -> None:
    """Ends as nothing of ours does."""
    caller.begin("odd")
    os._exit(3)


def abort(caller: Caller) -> None:
    """Ends as the interpreter does when even its errors find no room."""
    caller.begin("many")
    os.kill(os.getpid(), signal.SIGABRT)


def each(caller: Caller, count: int) -> int:
    """Uses a part of the processor time of each of several subjects."""
    for number in range(count):
        caller.begin(str(number))
        end = time.process_time() + 0.6
        while time.process_time() < end:
            pass
    return count
