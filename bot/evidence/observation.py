"""What is claimed beside what the run says; a verdict makes it a claim of the report."""

from __future__ import annotations

from bot.base.fast_dataclass import dataclass
from bot.evidence.values import shown
from bot.report import Claim, ClaimVerdict, JsonValue


@dataclass(frozen=True, slots=True)
class Observation:
    """What is claimed, what the run says, and where it says so."""

    claim: str
    """A `ClaimName`, or the dotted key of a setting."""
    claimed: JsonValue
    observed: JsonValue
    source: str

    def judged(self, verdict: ClaimVerdict, reason: str) -> Claim:
        """The claim with this verdict; values are cut to what a report shows.

        They are data, never markup.
        """
        return Claim(
            claim=self.claim,
            claimed=shown(self.claimed),
            observed=shown(self.observed),
            source=self.source,
            verdict=verdict,
            reason=reason,
        )

    def consistent(self, reason: str) -> Claim:
        """The run backs the claim."""
        return self.judged("consistent", reason)

    def inconsistent(self, reason: str) -> Claim:
        """The run contradicts the claim."""
        return self.judged("inconsistent", reason)

    def inconclusive(self, reason: str) -> Claim:
        """The run neither backs nor contradicts the claim."""
        return self.judged("inconclusive", reason)
