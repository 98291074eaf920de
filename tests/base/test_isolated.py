"""Processes with limits: what they give back, and what ends them."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from bot.base.errors import UserError
from bot.base.isolated import Bound, BoundReachedError, IsolationLimits, isolated
from tests.base import isolated_work as work


def test_a_result_comes_back() -> None:
    assert isolated(work.double, (21,), functions={}) == 42


def test_the_caller_is_asked() -> None:
    assert isolated(work.ask, ("who?",), functions={"answer": lambda q: f"{q} me"}) == "who? me"


def _refusal(_question: str) -> str:
    raise UserError("Not now.")


def test_what_the_callers_function_raises_is_raised_in_the_process() -> None:
    assert isolated(work.recover, (), functions={"answer": _refusal}) == "caught Not now."


def test_a_fault_of_the_callers_function_ends_it() -> None:
    with pytest.raises(ZeroDivisionError):
        isolated(work.ask, ("?",), functions={"answer": lambda _: 1 // 0})


def test_a_refusal_comes_back_as_it_is() -> None:
    with pytest.raises(UserError, match=r"^This is wrong\.$"):
        isolated(work.refuse, (), functions={})


def test_a_fault_comes_back_with_its_place() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        isolated(work.fail, (), functions={})
    assert "in fail" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(
    ("function", "limits", "subject", "bound"),
    [
        (work.spin, IsolationLimits(processor=1), "hard", Bound.PROCESSOR),
        (work.swallow, IsolationLimits(processor=1), "greedy", Bound.PROCESSOR),
        (work.grow, IsolationLimits(memory=1 << 28), "large", Bound.MEMORY),
        (work.grow_in_silence, IsolationLimits(), "unsaid", Bound.MEMORY),
        (work.abort, IsolationLimits(), "many", Bound.MEMORY),
        (work.sleep, IsolationLimits(silence=2), "silent", Bound.TIME),
    ],
)
def test_a_limit_ends_it_and_names_what_was_read(
    function: object, limits: IsolationLimits, subject: str, bound: Bound
) -> None:
    assert callable(function)
    isolated(work.double, (1,), functions={})  # The server of the processes is up.
    with pytest.raises(BoundReachedError) as caught:
        isolated(function, (), functions={}, limits=limits)
    assert (caught.value.subject, caught.value.bound) == (subject, bound)
    assert str(caught.value).endswith(".")


def test_memory_that_was_there_before_does_not_count() -> None:
    taken = partial(isolated, work.take, functions={}, limits=IsolationLimits(memory=1 << 25))
    assert taken((1 << 24,)) == 1 << 24
    with pytest.raises(BoundReachedError):
        taken((3 << 24,))


def test_each_subject_has_the_time_to_itself() -> None:
    assert isolated(work.each, (4,), functions={}, limits=IsolationLimits(processor=1)) == 4


def test_an_end_that_no_limit_explains_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="while it read 'odd'"):
        isolated(work.vanish, (), functions={})


def test_threads_do_not_wait_for_each_other() -> None:
    done: list[int] = []
    release = threading.Event()

    def slow(_question: str) -> str:
        release.wait(60)
        return "late"

    waiting = threading.Thread(
        target=lambda: isolated(work.ask, ("?",), functions={"answer": slow})
    )
    waiting.start()
    done.append(isolated(work.double, (2,), functions={}))
    assert waiting.is_alive()
    release.set()
    waiting.join()
    assert done == [4]
