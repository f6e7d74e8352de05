"""A power of the step number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.schedules.schedule import Schedule
from particlegvi.tools.calls import answering


@answering
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
