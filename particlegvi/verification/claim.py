"""The contract of claims: a sentence, its source, and an experiment whose outcome is compared with a bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from particlegvi.contracts import Facts

if TYPE_CHECKING:
    from particlegvi.verification.picture import Picture

Data = Facts  # the data of one variant's picture, by name
RELATIONS = ("<=", ">=")


@dataclass(frozen=True)
class Check:
    """One number of an experiment, and the bound on it that decides.

    Attributes
    ----------
    quantity : str
        The measured quantity, with its unit if it has one.
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


@dataclass(frozen=True)
class Experiment:
    """Result of one variant of an experiment: the checks, and the data of the figure."""

    checks: tuple[Check, ...]
    data: Data = field(default_factory=dict)

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
    """A claim of the sources. A new one is a subclass in a file of its own in :mod:`particlegvi.verification.claims`.

    Attributes
    ----------
    name : str
        NAME in ``particlegvi verify NAME``.
    claim : str
        The claim in one sentence of at most 90 characters.
    source : str
        Theorem, equation or remark that states it.
    wrong : str
        Change that makes the wrong variant, in a few words.
    same_scale : bool
        Whether both panels of the figure share their vertical axis.
    """

    name: ClassVar[str]
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
            Seed of all random numbers. A true claim must fail for at most one seed in a thousand.
        wrong : bool
            Whether to change the engine or its input as :attr:`wrong` says.
        """
        raise NotImplementedError

    def draw(self, picture: Picture, data: Data) -> None:
        """Draw one variant's ``Experiment.data``, with labels, units and the truth."""
        raise NotImplementedError
