"""Split conformal prediction: intervals whose coverage holds for any model and any distribution of the data."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools import arguments
from particlegvi.tools.arguments import deviations, paired, vector


def conformal_radius(y: ArrayLike, mean: ArrayLike, sd: ArrayLike = 1.0, coverage: float = 0.9) -> float:
    """Find r such that ``mean - r sd`` to ``mean + r sd`` covers a new y with probability at least ``coverage``.

    With n validation points, r is the ``ceil((n + 1) coverage)``-th smallest of ``|y - mean| / sd``. If the validation
    points and the new one are exchangeable, the coverage is at least ``coverage``, and less than
    ``1/(n + 1)`` above it where no two scores tie (Vovk, Gammerman & Shafer, 2005; Lei et al., 2018, Theorem 2.2).

    Parameters
    ----------
    y, mean : array (n,)
        Validation targets and the predictions for them: data that the fit has not seen.
    sd : array (n,) or float
        The width of the interval is proportional to it: 1 for a constant width.
    coverage : float
        Probability of the interval, between 0 and 1.

    Returns
    -------
    float
        The radius r. It is infinite if n is below ``coverage / (1 - coverage)``: too few points for this coverage.
    """
    arguments.fraction("coverage", coverage)
    target = vector("y", y)
    scores = np.abs(target - paired("mean", mean, target)) / deviations("sd", sd, target)
    # Use a fraction: in floating point 0.9 times 10 points may come out above 9.
    rank = math.ceil((len(scores) + 1) * Fraction(repr(float(coverage))))
    return math.inf if rank > len(scores) else float(np.partition(scores, rank - 1)[rank - 1])
