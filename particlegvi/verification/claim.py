"""What a claim is: a sentence, its source, and an experiment whose outcome a bound decides."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

RELATIONS = ("<=", ">=")


@dataclass(frozen=True)
class Check:
    """One number of an experiment, and the bound on it that decides.

    Attributes
    ----------
    quantity : str
        What was measured, with its unit where it has one.
    measured, bound : float
    relation : str
        "<=" where the measured value must not exceed the bound, ">=" where it must reach it.
    """

    quantity: str
    measured: float
    bound: float
    relation: str = "<="

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation is {self.relation!r}; one of {', '.join(RELATIONS)} is allowed")

    @property
    def holds(self) -> bool:
        """Whether the bound is kept; a measured value that is not a number keeps none."""
        if self.relation == "<=":
            return bool(self.measured <= self.bound)
        return bool(self.measured >= self.bound)

    @property
    def load(self) -> float:
        """How much of the bound is used up: at most 1 where it holds, infinite where nothing was measured."""
        above, below = (self.measured, self.bound) if self.relation == "<=" else (self.bound, self.measured)
        if not below > 0.0:
            return 0.0 if self.holds else math.inf
        return max(above / below, 0.0)


@dataclass(frozen=True)
class Experiment:
    """What one variant of an experiment gave: the checks, and what the figure needs."""

    checks: tuple[Check, ...]
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every bound is kept."""
        return all(check.holds for check in self.checks)

    @property
    def decisive(self) -> Check:
        """The check that uses up most of its bound: the one to report."""
        return max(self.checks, key=lambda check: check.load)

    @property
    def measured(self) -> bool:
        """Whether every number is one: a control that produced none has not failed, it has not been made."""
        return not any(math.isnan(check.measured) for check in self.checks)


class Claim:
    """A claim of the sources. A new one is a subclass in a file of its own in :mod:`particlegvi.verification.claims`.

    Attributes
    ----------
    name : str
        What ``particlegvi verify NAME`` calls it.
    claim : str
        The claim in one sentence of at most 90 characters.
    source : str
        Where it is stated: theorem, equation, remark.
    wrong : str
        What is changed in the wrong variant, in a few words.
    same_scale : bool
        Whether both panels of the figure share their vertical axis.
    """

    name: ClassVar[Any] = None  # a string in each claim; the registry leaves this class out
    claim: ClassVar[str]
    source: ClassVar[str]
    wrong: ClassVar[str]
    same_scale: ClassVar[bool] = True

    def measure(self, seed: int, wrong: bool) -> Experiment:
        """Make the experiment.

        The bounds come from theory and the sample size (:mod:`particlegvi.verification.chance`), and are the same for
        both variants: ``wrong`` changes what is simulated, never how it is judged.

        Parameters
        ----------
        seed : int
            Of all random numbers. A true claim must fail for at most one seed in a thousand.
        wrong : bool
            Whether to change the engine or its input as :attr:`wrong` says.
        """
        raise NotImplementedError

    def draw(self, axes: Any, data: dict[str, Any]) -> None:
        """Draw one variant's ``Experiment.data`` on matplotlib axes, with labels, units and the truth."""
        raise NotImplementedError
