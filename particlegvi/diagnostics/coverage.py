"""How many modes an ensemble covers: the most that independent particles can, and intervals over replicates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import arguments


def independent_coverage(particles: int, modes: int) -> float:
    """Largest expected number of modes that independent particles of one law can cover, whatever that law is.

    With p_k the probability that a particle ends in mode k, N particles are expected to cover sum_k 1 - (1 - p_k)^N
    modes. That is a symmetric concave function of p and so largest where all p_k are equal:

        modes * (1 - (1 - 1/modes)^particles)

    DE and DLE move independent particles, so with a start of independent draws this holds for them at every
    temperature, step size and time. Only interaction can do better.

    Parameters
    ----------
    particles, modes : int
        At least 1.

    Raises
    ------
    ValueError
        If a number is not a whole number of 1 or more.
    """
    particles = arguments.whole("particles", particles, 1)
    modes = arguments.whole("modes", modes, 1)
    return modes * -math.expm1(particles * math.log1p(-1.0 / modes)) if modes > 1 else 1.0


def mean_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of independent replicates with the ends of its confidence interval, by the central limit theorem.

    With replicates that all agree both ends are the mean: that says nothing about how rare another value is.

    Parameters
    ----------
    values : array (replicates,)
        At least two.
    level : float
        In (0, 1).

    Returns
    -------
    mean, low, high : floats

    Raises
    ------
    ValueError
        If there are fewer than two replicates or the level is out of range.
    """
    from scipy.special import ndtri

    allowed = "an array of at least 2 finite numbers of at most 1e150"
    array = arguments.array("values", values, allowed)
    if array.ndim != 1 or array.size < 2 or not np.all(np.abs(array) <= 1e150):
        raise arguments.refuse("values", values, allowed)
    level = arguments.real("level", level, "a number between 0 and 1")
    if not 0.0 < level < 1.0:
        raise arguments.refuse("level", level, "a number between 0 and 1")
    mean = float(array.mean())
    half = float(ndtri(0.5 * (1.0 + level))) * float(array.std(ddof=1)) / math.sqrt(array.size)
    return mean, mean - half, mean + half
