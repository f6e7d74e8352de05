"""An experiment is made twice, as claimed and in its wrong variant, and both are compared with the same bounds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from particlegvi.contracts import Facts
from particlegvi.verification.claim import Claim, Experiment

Row = Facts  # a claim in the report, of values that JSON can hold


@dataclass(frozen=True)
class Outcome:
    """Result of checking one claim.

    ``right`` or ``wrong`` is None if that variant raised an exception; ``error`` describes it.
    """

    claim: Claim
    right: Experiment | None
    wrong: Experiment | None
    seconds: float
    error: str = ""

    @property
    def verdict(self) -> str:
        """ "holds" or "fails"."""
        return "holds" if self.right is not None and self.right.holds else "fails"

    @property
    def control(self) -> str:
        """ "failed", as it must, or "passed"; a wrong variant that measured nothing has not failed."""
        failed = self.wrong is not None and self.wrong.measured and not self.wrong.holds
        return "failed" if failed else "passed"

    @property
    def good(self) -> bool:
        """Whether the claim holds and its control failed."""
        return self.verdict == "holds" and self.control == "failed"

    def row(self) -> Row:
        """The outcome as JSON: the decisive check of either variant, null where there is no number."""
        right = self.right.decisive if self.right is not None else None
        wrong = self.wrong.decisive if self.wrong is not None else None
        row: Row = {
            "name": self.claim.name,
            "claim": self.claim.claim,
            "source": self.claim.source,
            "quantity": right.quantity if right else None,
            "measured": _number(right.measured) if right else None,
            "relation": right.relation if right else None,
            "bound": _number(right.bound) if right else None,
            "verdict": self.verdict,
            "wrong_variant": self.claim.wrong,
            "control_quantity": wrong.quantity if wrong else None,
            "control_measured": _number(wrong.measured) if wrong else None,
            "control_bound": _number(wrong.bound) if wrong else None,
            "control": self.control,
            "seconds": round(self.seconds, 3),
        }
        return row | {"error": self.error} if self.error else row


def check(claim: Claim, seed: int = 0) -> Outcome:
    """Make both variants of a claim's experiment; one that raises an exception does not hold."""
    begun = time.perf_counter()
    made: list[Experiment | None] = []
    errors = []
    for wrong in (False, True):
        try:
            made.append(claim.measure(seed, wrong))
        except Exception as error:
            made.append(None)
            errors.append(f"{'the wrong variant' if wrong else 'the experiment'}: {type(error).__name__}: {error}")
    return Outcome(claim, made[0], made[1], time.perf_counter() - begun, "; ".join(errors))


def _number(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None
