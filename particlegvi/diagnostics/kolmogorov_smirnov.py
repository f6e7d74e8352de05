"""The Kolmogorov-Smirnov distance of particles to a density on the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.diagnostics.null_quantiles import checked_levels
from particlegvi.diagnostics.particles import line_target, on_line
from particlegvi.tools import arguments

if TYPE_CHECKING:
    from particlegvi.diagnostics.particles import KnownTarget


def kolmogorov_smirnov(particles: ArrayLike, target: KnownTarget) -> float:
    """``sup |F_n(x) - F(x)|``, exact: the largest difference on either side of a particle (Kolmogorov, 1933).

    Parameters
    ----------
    particles : array (n,) or (n, 1)
    target : target with one dimension and a density

    Returns
    -------
    float
        Between 0 and 1; independent exact draws exceed 1.36/sqrt(n) with probability 0.05 for large n.

    Raises
    ------
    ValueError
        If the particles or the target are not one-dimensional, or the target is atomic.
    """
    line_target(target)
    if target.kind == "atoms":
        raise ValueError("target is a sum of atoms, from which anything not exactly on them is far; use mode_occupancy")
    x = np.sort(on_line(particles))
    cdf = target.cdf(x)
    steps = np.arange(len(x) + 1) / len(x)
    return float(max(np.max(steps[1:] - cdf), np.max(cdf - steps[:-1])))


def kolmogorov_smirnov_floor(n: int, quantiles: Sequence[float] = (0.05, 0.95)) -> tuple[float, ...]:
    """Quantiles of the distance of ``n`` independent exact draws, which are the same for every density.

    They are those of Kolmogorov's limit distribution divided by ``sqrt(n) + 0.12 + 0.11/sqrt(n)`` (Stephens, 1970,
    J. R. Statist. Soc. B 32): from n = 5 on the upper quantiles have an error of one per cent, the lower ones of five.
    """
    from scipy.special import kolmogi

    levels = checked_levels(quantiles)
    root = float(np.sqrt(arguments.whole("n", n, 1)))
    return tuple(float(value) for value in kolmogi(1.0 - levels) / (root + 0.12 + 0.11 / root))
