"""Reading a run from W&B with its own SDK, in a process of its own that is bounded and ended.

`read_online` is all that the rest of the house needs. The SDK is never imported here: the process
that `process.py` starts does it, in a temporary folder, without the caller's environment.
"""

from __future__ import annotations

from bot.evidence.online.access import Access
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.reading import Progress, read_online

__all__ = ["Access", "Bounds", "Progress", "read_online"]
