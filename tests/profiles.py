"""How many examples a property is tried on: all, or a tenth of them where it has to be quick."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

QUICK = "quick"
_USUAL = 100

# A busy machine is no fault of an example.
settings.register_profile(
    "full", max_examples=_USUAL, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(QUICK, settings.get_profile("full"), max_examples=_USUAL // 10)
settings.load_profile("full")


def scaled(count: int) -> int:
    """`count` examples in the profile "full", in proportion in another one."""
    return max(1, count * settings().max_examples // _USUAL)
