"""How many examples a property is tried on.

What a property is written with in `make fuzz`, two fifths in `make test`, a twentieth in
`make check`. Those of `make fuzz` are drawn anew each time; the others follow from the test alone,
so that a change is judged by what it changes.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

QUICK, FULL, THOROUGH = "quick", "full", "thorough"
_WRITTEN = 100

# A busy machine is no fault of an example.
settings.register_profile(
    THOROUGH, max_examples=_WRITTEN, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
for _name, _share in ((FULL, 0.4), (QUICK, 0.05)):
    settings.register_profile(
        _name,
        settings.get_profile(THOROUGH),
        max_examples=round(_WRITTEN * _share),
        derandomize=True,
    )
settings.load_profile(FULL)


def scaled(count: int) -> int:
    """`count` examples in `make fuzz`, in proportion elsewhere."""
    return max(1, count * settings().max_examples // _WRITTEN)
