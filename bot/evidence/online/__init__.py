"""Reading a run from its tracker's server, in a process of its own that is bounded and ended.

`read_online` is all that the rest of the house needs. The process that `process.py` starts works in
a temporary folder, without the caller's environment: it alone imports W&B's SDK, and asks MLflow,
SwanLab and trackio over the standard library.
"""

from bot.evidence.online.access import Access
from bot.evidence.online.bounds import Bounds
from bot.evidence.online.reading import read_online

__all__ = ["Access", "Bounds", "read_online"]
