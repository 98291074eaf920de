"""A secret is printed by nothing but `reveal`."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass

import pytest

from bot.base.secrets import Secret


@dataclass
class Holder:
    token: Secret


def test_no_way_to_print_it_shows_it() -> None:
    secret = Secret("hunter2")
    shown = [str(secret), repr(secret), f"{secret}", f"{secret:>9}", f"{secret!r}", "%s" % secret]  # noqa: UP031
    shown += [str(Holder(secret)), str([secret]), "{}".format(secret)]  # noqa: UP032
    assert not [text for text in shown if "hunter2" in text]
    assert secret.reveal() == "hunter2"


def test_it_is_neither_stored_nor_serialized() -> None:
    secret = Secret("hunter2")
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)


def test_an_empty_one_is_false() -> None:
    assert not Secret("")
    assert Secret("x")
