"""The contract of claims, and their check: an experiment as claimed and a wrong one, judged by the same bounds."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass, field
from typing import ClassVar

from particlegvi.contracts import Facts
from particlegvi.verification.picture import Picture

Row = Facts  # a claim in the report, of values that JSON can hold
RELATIONS = ("<=", ">=")


@dataclass(frozen=True)
class Check:
    """One number of an experiment, and the bound on it that decides."""

    quantity: str  # with its unit if it has one
    measured: float
    bound: float
    relation: str = "<="  # the measured value must not exceed the bound; with ">=" it must reach it

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, not {self.relation!r}")

    @property
    def holds(self) -> bool:
        """Whether the measured value keeps the bound; NaN does not."""
        if self.relation == "<=":
            return bool(self.measured <= self.bound)
        return bool(self.measured >= self.bound)

    @property
    def load(self) -> float:
        """Fraction of the bound that is used up: at most 1 where it holds, infinite where nothing was measured."""
        above, below = (self.measured, self.bound) if self.relation == "<=" else (self.bound, self.measured)
        if not below > 0.0:
            return 0.0 if self.holds else math.inf
        return max(above / below, 0.0)


Checks = Check | tuple[Check, ...]


@dataclass(frozen=True)
class Experiment:
    """Result of one variant of an experiment: the checks, and the picture."""

    checks: tuple[Check, ...]
    picture: Picture = field(default_factory=Picture)

    @property
    def holds(self) -> bool:
        """Whether all checks hold."""
        return all(check.holds for check in self.checks)

    @property
    def decisive(self) -> Check:
        """The check that uses up most of its bound: the one to report."""
        return max(self.checks, key=lambda check: check.load)

    @property
    def measured(self) -> bool:
        """Whether no measured value is NaN: a control without a number counts as not made, not as failed."""
        return not any(math.isnan(check.measured) for check in self.checks)


class Claim:
    """A claim of the sources. A new one is a subclass in any file of :mod:`particlegvi.verification.claims`."""

    # NAME in ``particlegvi verify NAME``: the name of the class with hyphens, unless the class states another one
    name: ClassVar[str]
    claim: ClassVar[str]  # one sentence of at most 90 characters
    source: ClassVar[str]  # theorem, equation or remark that states it
    # the change that makes the wrong variant, in a few words; the docstring of the class says more where it is needed
    wrong: ClassVar[str]
    same_scale: ClassVar[bool] = True  # whether both panels of the figure share their vertical axis

    def __init_subclass__(cls) -> None:
        if "claim" in vars(cls) and "name" not in vars(cls):  # bases of several claims state none
            cls.name = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        """Make the experiment and its picture; one check, or several.

        The bounds come from theory and the sample size (:mod:`particlegvi.verification.chance`), and are the same for
        both variants: ``wrong`` changes what is simulated, never how it is judged.

        Parameters
        ----------
        seed : int
            Seed of all random numbers. A true claim must fail for at most one seed in a thousand.
        wrong : bool
            Whether to change the engine or its input as :attr:`wrong` says.
        picture : Picture
            Receives the parts of this variant's panel, with labels, units and the truth.
        """
        raise NotImplementedError

    def experiment(self, seed: int, wrong: bool) -> Experiment:
        """One variant: what it measures, and its picture."""
        picture = Picture()
        found = self.measure(seed, wrong, picture)
        return Experiment(found if isinstance(found, tuple) else (found,), picture)


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


def complete(part: type[Claim]) -> None:
    """Refuse a claim that lacks one of the texts of a report, before anything is measured."""
    known = {key for each in part.__mro__ for key in vars(each)}
    for key in ("name", "claim", "source", "wrong"):
        if key not in known:
            raise ValueError(f"the claim {part.__name__} must have a text as its {key}")


def check(claim: Claim, seed: int = 0) -> Outcome:
    """Make both variants of a claim's experiment; one that raises an exception does not hold."""
    complete(type(claim))
    begun = time.perf_counter()
    made: list[Experiment | None] = []
    errors = []
    for wrong in (False, True):
        try:
            made.append(claim.experiment(seed, wrong))
        except Exception as error:
            made.append(None)
            errors.append(f"{'the wrong variant' if wrong else 'the experiment'}: {type(error).__name__}: {error}")
    return Outcome(claim, made[0], made[1], time.perf_counter() - begun, "; ".join(errors))


def _number(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None
