"""The contract of claims, and their check: an experiment as claimed and a wrong one, judged by the same bounds."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from particlegvi.contracts import Facts
from particlegvi.tools.patience import TooLong
from particlegvi.tools.registry import named

RELATIONS = ("<=", ">=")
Experiment = TypeVar("Experiment", bound=Callable[..., "Checks"])


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
        return bool(self.measured <= self.bound if self.relation == "<=" else self.measured >= self.bound)

    @property
    def load(self) -> float:
        """Fraction of the bound that is used up: at most 1 where it holds, infinite where nothing was measured."""
        above, below = (self.measured, self.bound) if self.relation == "<=" else (self.bound, self.measured)
        if not below > 0.0:
            return 0.0 if self.holds else math.inf
        return max(above / below, 0.0)


Checks = Check | tuple[Check, ...]


def claim(source: str, *, wrong: str, name: str = "") -> Callable[[Experiment], Experiment]:
    """Decorate an experiment that tests a claim of the sources.

    The experiment is a function ``(seed, wrong, *, settings)`` that returns one check or several. The first line of its
    docstring is the claim, the rest describes the measurement; the settings have defaults. The bounds come from theory
    and the sample size (:mod:`particlegvi.verification.chance`) and are the same for both variants: ``wrong`` changes
    what is simulated, never how it is judged. A true claim must fail for at most one seed in a thousand.

    Parameters
    ----------
    source : str
        Theorem, equation or remark that states it.
    wrong : str
        The change of the engine or its input that makes the wrong variant, in a few words.
    name : str, optional
        NAME in ``particlegvi verify NAME``; without it the name of the function, with hyphens.
    """

    def mark(experiment: Experiment) -> Experiment:
        sentence = (experiment.__doc__ or "").partition("\n")[0].removesuffix(".")
        known = name or experiment.__name__.replace("_", "-")
        return named(known, claim=sentence, source=source, wrong=wrong)(experiment)

    return mark


def settings(experiment: Callable[..., Checks]) -> dict[str, Any]:
    """The settings of an experiment (particles, steps, method, ...) with their defaults."""
    keys = inspect.signature(experiment).parameters.values()
    return {key.name: key.default for key in keys if key.default is not key.empty}


@dataclass(frozen=True)
class Outcome:
    """The checks of both variants of one claim; no checks if that variant raised an exception, told in ``error``."""

    experiment: Any  # a function that `claim` has marked
    right: tuple[Check, ...]
    wrong: tuple[Check, ...]
    seconds: float
    error: str = ""

    @property
    def verdict(self) -> str:
        """ "holds" or "fails"."""
        return "holds" if self.right and all(check.holds for check in self.right) else "fails"

    @property
    def control(self) -> str:
        """ "failed", as it must, or "passed"; a wrong variant that measured nothing has not failed."""
        numbers = self.wrong and not any(math.isnan(check.measured) for check in self.wrong)
        return "failed" if numbers and not all(check.holds for check in self.wrong) else "passed"

    @property
    def good(self) -> bool:
        """Whether the claim holds and its control failed."""
        return self.verdict == "holds" and self.control == "failed"

    def row(self) -> Facts:
        """The outcome as JSON: the decisive check of either variant, null where there is no number."""
        right, wrong = decisive(self.right), decisive(self.wrong)
        row: Facts = {
            "name": self.experiment.name,
            "claim": self.experiment.claim,
            "source": self.experiment.source,
            "quantity": right and right.quantity,
            "measured": right and _number(right.measured),
            "relation": right and right.relation,
            "bound": right and _number(right.bound),
            "verdict": self.verdict,
            "wrong_variant": self.experiment.wrong,
            "control_quantity": wrong and wrong.quantity,
            "control_measured": wrong and _number(wrong.measured),
            "control_bound": wrong and _number(wrong.bound),
            "control": self.control,
            "seconds": round(self.seconds, 3),
        }
        return row | {"error": self.error} if self.error else row


def decisive(checks: tuple[Check, ...]) -> Check | None:
    """The check that uses up most of its bound: the one to report."""
    return max(checks, key=lambda check: check.load, default=None)


def check(experiment: Any, seed: int = 0, **changed: Any) -> Outcome:
    """Make both variants of a claim's experiment, with some settings changed; one that raises does not hold.

    `TooLong` passes through: nobody has agreed to the work.
    """
    begun = time.perf_counter()
    variants: list[tuple[Check, ...]] = []
    errors = []
    for wrong in (False, True):
        try:
            checks = experiment(seed, wrong, **changed)
        except TooLong:
            raise
        except Exception as error:
            checks = ()
            errors.append(f"{'the wrong variant' if wrong else 'the experiment'}: {type(error).__name__}: {error}")
        variants.append(checks if isinstance(checks, tuple) else (checks,))
    return Outcome(experiment, variants[0], variants[1], time.perf_counter() - begun, "; ".join(errors))


def _number(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None
