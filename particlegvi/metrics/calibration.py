"""Calibration of the width of predictions on a validation set, after the fit: tempering and conformal intervals.

Tempering multiplies all predictive variances by one factor (the thesis's B.7). Split conformal prediction makes
intervals whose coverage holds for any model and any distribution of the data.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools.arguments import deviations, fraction, paired, vector

__all__ = ["conformal_radius", "variance_factor"]


def variance_factor(y: ArrayLike, mean: ArrayLike, sd: ArrayLike) -> float:
    """Find the factor a for which ``N(mean, a sd^2)`` gives validation data the highest likelihood.

    The tempered NLL of (B.62), the mean of ``log(a sd^2) / 2 + (y - mean)^2 / (2 a sd^2)``, is smallest at

        a = mean( (y - mean)^2 / sd^2 ).

    The thesis's program uses twice this factor, which costs ``log(2)/2 - 1/4`` = 0.097 nats at every point. The
    thesis's text limits the factor to at most 1; (B.62) gives no reason for the limit.

    Parameters
    ----------
    y, mean : array (n,)
        Validation targets and the predictions for them: data that the fit has not seen.
    sd : array (n,) or float
        Predictive standard deviation, with the noise of the observation.

    Returns
    -------
    float
        The factor a: multiply the variance by it, or ``sd`` by its square root.

    Raises
    ------
    ValueError
        If all predictions are exact: then no factor is best.
    """
    target = vector("y", y)
    factor = float(np.mean(((target - paired("mean", mean, target)) / deviations("sd", sd, target)) ** 2))
    if not factor > 0.0:
        raise ValueError("every prediction equals its y exactly, so that no positive variance factor is best")
    return factor


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
    fraction("coverage", coverage)
    target = vector("y", y)
    scores = np.abs(target - paired("mean", mean, target)) / deviations("sd", sd, target)
    # Use a fraction: in floating point 0.9 times 10 points may come out above 9.
    rank = math.ceil((len(scores) + 1) * Fraction(repr(float(coverage))))
    return math.inf if rank > len(scores) else float(np.partition(scores, rank - 1)[rank - 1])
