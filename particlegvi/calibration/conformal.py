"""Split conformal prediction: intervals whose coverage holds for any model and any distribution of the data."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools import arguments
from particlegvi.tools.arguments import deviations, paired, vector


def conformal_radius(y: ArrayLike, mean: ArrayLike, sd: ArrayLike = 1.0, coverage: float = 0.9) -> float:
    """The r for which ``mean - r sd`` to ``mean + r sd`` covers a new y with probability at least ``coverage``.

    With n validation points, r is the ``ceil((n + 1) coverage)``-th smallest of ``|y - mean| / sd``. If the validation
    points and the new one are exchangeable, the coverage is at least ``coverage``, and less than
    ``1/(n + 1)`` above it where no two scores tie (Vovk, Gammerman & Shafer, 2005; Lei et al., 2018, Theorem 2.2).

    Parameters
    ----------
    y, mean : array (n,)
        Validation targets and the predictions for them: data that the fit has not seen.
    sd : array (n,) or float
        Quantity to which the width is proportional: 1 for a constant width.
    coverage : float
        Between 0 and 1.

    Returns
    -------
    float
        Infinite where n points are too few for this coverage: below ``coverage / (1 - coverage)``.

    Raises
    ------
    ValueError
        If shapes disagree, a number is not finite, an ``sd`` is not positive, or ``coverage`` is not between 0 and 1.
    """
    arguments.fraction("coverage", coverage)
    target = vector("y", y)
    scores = np.abs(target - paired("mean", mean, target)) / deviations("sd", sd, target)
    # As a fraction, since 0.9 times 10 points in floating point may come out above 9.
    rank = math.ceil((len(scores) + 1) * Fraction(repr(float(coverage))))
    return math.inf if rank > len(scores) else float(np.partition(scores, rank - 1)[rank - 1])
