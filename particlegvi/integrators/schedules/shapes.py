"""The base class of schedules, and the five that come with the package. A new one may be a file beside this one."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls, shares_parameters
from particlegvi.tools.html import Card


@dataclass(frozen=True)
class Schedule(Card):
    """A step size for every step; a subclass adds its parameters, its ``name``, ``at`` and ``__str__``.

    Parameters
    ----------
    initial : float
        Size of step 0, above 0.

    Attributes
    ----------
    name : str
        Name in the registry (of the class).
    """

    initial: float
    name: ClassVar[str]

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            value = arguments.positive(f"{parameter} of the step size", vars(self)[parameter])
            object.__setattr__(self, parameter, value)

    def at(self, step: np.ndarray) -> np.ndarray:
        """Sizes of the steps of these numbers (from 0), entry by entry."""
        raise NotImplementedError

    @classmethod
    def parameters(cls) -> list[str]:
        """Names of the parameters."""
        return [field.name for field in dataclasses.fields(cls)]

    def table(self) -> Facts:
        """The table that stands for it in a scenario."""
        return {"schedule": self.name, **dataclasses.asdict(self)}


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class Constant(Schedule):
    """h_k = initial: the same run, bit for bit, as with the number alone."""

    name: ClassVar[str] = "constant"

    def at(self, step: np.ndarray) -> np.ndarray:
        return np.full(np.shape(step), self.initial)

    def __str__(self) -> str:
        return f"{self.initial:g}"


@dataclass(frozen=True)
class Transition(Schedule):
    """A schedule that goes from one size to another.

    Parameters
    ----------
    initial, final : float
        Size of step 0, and of step ``over`` and all that follow.
    over : float
        Number of steps in between.
    """

    final: float
    over: float
    way: ClassVar[str] = ""  # of its words

    def done(self, step: np.ndarray) -> np.ndarray:
        """The part of the steps in between that is over."""
        return np.minimum(step / self.over, 1.0)

    def __str__(self) -> str:
        return f"{self.initial:g} to {self.final:g} {self.way}over {self.over:g} steps"


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class Linear(Transition):
    """h_k = initial + (final - initial) min(k / over, 1)."""

    name: ClassVar[str] = "linear"

    def at(self, step: np.ndarray) -> np.ndarray:
        share = self.done(step)
        return (1.0 - share) * self.initial + share * self.final


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class Geometric(Transition):
    """h_k = initial (final / initial)^min(k / over, 1)."""

    name: ClassVar[str] = "geometric"
    way: ClassVar[str] = "by a constant ratio "

    def at(self, step: np.ndarray) -> np.ndarray:
        return self.initial * (self.final / self.initial) ** self.done(step)


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class Cosine(Transition):
    """h_k = final + (initial - final) (1 + cos(pi min(k / over, 1))) / 2 (Loshchilov and Hutter 2017, eq. 5)."""

    name: ClassVar[str] = "cosine"
    way: ClassVar[str] = "along a cosine "

    def at(self, step: np.ndarray) -> np.ndarray:
        share = 0.5 * (1.0 - np.cos(np.pi * self.done(step)))
        return (1.0 - share) * self.initial + share * self.final


@explains_bad_calls
@dataclass(frozen=True)
class Polynomial(Schedule):
    """h_k = initial / (1 + k / delay)^power.

    With 1/2 < power <= 1 the step sizes sum to infinity and their squares do not, so that the bias of the steps dies
    out while time goes on for ever (Welling and Teh 2011, eq. 2, with a = initial delay^power, b = delay).

    Parameters
    ----------
    initial : float
        Size of step 0.
    delay : float
        Number of steps after which it has fallen by 2^power.
    power : float
    """

    delay: float = 1000.0
    power: float = 0.55
    name: ClassVar[str] = "polynomial"

    def at(self, step: np.ndarray) -> np.ndarray:
        return self.initial * (1.0 + step / self.delay) ** -self.power

    def __str__(self) -> str:
        return f"{self.initial:g} / (1 + k/{self.delay:g})^{self.power:g}"
