"""A straight line to a final size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.schedules.schedule import Schedule
from particlegvi.tools.calls import answering


@answering
@dataclass(frozen=True)
class Linear(Schedule):
    """h_k = initial + (final - initial) min(k / over, 1).

    Parameters
    ----------
    initial, final : float
        Size of step 0, and of step ``over`` and all that follow.
    over : float
        Number of steps in between.
    """

    final: float
    over: float
    name: ClassVar[str] = "linear"

    def at(self, step: np.ndarray) -> np.ndarray:
        share = np.minimum(step / self.over, 1.0)
        return (1.0 - share) * self.initial + share * self.final

    def __str__(self) -> str:
        return f"{self.initial:g} to {self.final:g} over {self.over:g} steps"
