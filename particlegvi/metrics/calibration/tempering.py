"""Tempering: one factor for all predictive variances, chosen on validation data (the thesis's B.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools.arguments import deviations, paired, vector


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
