"""The runs of a series, each with what to do when it ran and when it was out of memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.base.messages import message
from bot.bisect.band import LARGEST, Candidates
from bot.bisect.ends import Ends
from bot.bisect.report import Limit, Probe
from bot.bisect.request import again
from bot.bisect.tree import Node

_DOUBLINGS = 7


class Probes:
    """Makes the runs; `predicted` is whether their expected peak is known."""

    def __init__(self, of: Candidates, known: Ends, *, predicted: bool) -> None:
        self._of, self._known, self._predicted = of, known, predicted

    def of_tree(self, root: Node | None, values: Sequence[int], ends: Ends) -> list[Probe]:
        """One run after the other: every node of the decision tree over `values`."""
        nodes = root.walk() if root is not None else ()
        return [self._node(node, values, *ends) for node in nodes]

    def of_round(self, values: Iterable[int]) -> list[Probe]:
        """Runs beside each other."""
        then = message("read all runs of the round")
        return [self._probe(1, value, if_ran=then, if_failed=then) for value in values]

    def of_doubling(self, lower: Limit | None) -> list[Probe]:
        """Upwards from what ran, or from the script's own value, until one fails."""
        start = self._of.knob.value if lower is None else lower.value * 2
        values: list[int] = []
        for power in range(_DOUBLINGS):
            wanted = start << power
            near = range(wanted, min(wanted + wanted // 2, wanted + 64) + 1)
            found = next((value for value in near if self._of.valid(value)), None)
            if found is not None and found <= LARGEST and found not in values:
                values.append(found)
        probes = []
        for at, value in enumerate(values):
            below = values[at - 1] if at else (lower.value if lower is not None else None)
            more = f"{at + 2}-{values[at + 1]}" if at + 1 < len(values) else None
            probes.append(
                self._probe(
                    at + 1,
                    value,
                    ran=more,
                    if_ran=more or again(value, None),
                    if_failed=again(below, value),
                )
            )
        return probes

    def _node(
        self, node: Node, values: Sequence[int], lower: Limit | None, upper: Limit | None
    ) -> Probe:
        def named(after: Node | None) -> str | None:
            return None if after is None else f"{after.depth}-{values[after.index]}"

        value = values[node.index]
        below = values[node.index - 1] if node.index else None
        above = values[node.index + 1] if node.index + 1 < len(values) else None
        ran, failed = named(node.ran), named(node.failed)
        return self._probe(
            node.depth,
            value,
            ran=ran,
            failed=failed,
            if_ran=ran if ran is not None else self._largest(value, above, upper),
            if_failed=failed if failed is not None else self._smallest(value, below, lower),
        )

    def _probe(
        self,
        number: int,
        value: int,
        *,
        ran: str | None = None,
        failed: str | None = None,
        if_ran: str,
        if_failed: str,
    ) -> Probe:
        gib = self._of.budget(value).peak().in_gib if self._predicted else None
        return Probe(
            name=f"{number}-{value}",
            value=value,
            batch=self._of.batch(value),
            number=number,
            expected_gib=None if gib is None else round(gib, 2),
            path=None,
            ran=ran,
            failed=failed,
            if_ran=if_ran,
            if_failed=if_failed,
        )

    def _largest(self, value: int, above: int | None, upper: Limit | None) -> str:
        """What is known when a value ran and nothing above it is left to try."""
        if above is not None:
            return message("done: {value} ran, {above} failed", value=value, above=above)
        if upper is not None and upper.source != "predicted":
            return message("done: {value} ran, {above} failed", value=value, above=upper.value)
        return again(value, _value(self._known[1]))

    def _smallest(self, value: int, below: int | None, lower: Limit | None) -> str:
        """What is known when a value failed and nothing below it is left to try."""
        if below is not None:
            return message("done: {below} ran, {value} failed", value=value, below=below)
        if lower is not None and lower.source != "predicted":
            return message("done: {below} ran, {value} failed", value=value, below=lower.value)
        if value == 1:
            return message("nothing is left to try")
        return again(_value(self._known[0]), value)


def _value(limit: Limit | None) -> int | None:
    return None if limit is None else limit.value
