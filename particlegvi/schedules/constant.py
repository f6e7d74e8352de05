"""The same size for every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.schedules.schedule import Schedule
from particlegvi.tools.calls import answering


@answering
@dataclass(frozen=True)
class Constant(Schedule):
    """h_k = initial: the same run, bit for bit, as with the number alone."""

    name: ClassVar[str] = "constant"

    def at(self, step: np.ndarray) -> np.ndarray:
        return np.full(np.shape(step), self.initial)

    def __str__(self) -> str:
        return f"{self.initial:g}"
