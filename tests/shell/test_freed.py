"""What a reading leaves behind."""

from __future__ import annotations

import gc

from bot.shell import read
from bot.shell.world.session import Session

SCRIPT = b"""\
f() { echo "$1"; }
for one in a b; do f "$one"; done
X=$(f c) python train.py model="$X" || exit 1
"""


def test_a_session_is_freed_without_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        reading = read(SCRIPT, "a.sh")
        left = [one for one in gc.get_objects() if type(one) is Session]
    finally:
        gc.enable()
    assert reading.commands
    assert not left
