"""Half a period of a cosine to a final size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.schedules.schedule import Schedule
from particlegvi.tools.calls import answering


@answering
@dataclass(frozen=True)
class Cosine(Schedule):
    """h_k = final + (initial - final) (1 + cos(pi min(k / over, 1))) / 2 (Loshchilov and Hutter 2017, eq. 5).

    Parameters
    ----------
    initial, final : float
        Size of step 0, and of step ``over`` and all that follow.
    over : float
        Number of steps in between.
    """

    final: float
    over: float
    name: ClassVar[str] = "cosine"

    def at(self, step: np.ndarray) -> np.ndarray:
        share = 0.5 * (1.0 - np.cos(np.pi * np.minimum(step / self.over, 1.0)))
        return (1.0 - share) * self.initial + share * self.final

    def __str__(self) -> str:
        return f"{self.initial:g} to {self.final:g} along a cosine over {self.over:g} steps"
