"""What an integrator tells the compiled step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Stepping(NamedTuple):
    """Coefficients of x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, each (dim,)."""

    gain: np.ndarray
    noise_now: np.ndarray
    noise_next: np.ndarray
