"""The variance of observations, chosen on rows that the networks have not seen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from particlegvi.metrics import mixture_nll

LOWEST, HIGHEST = 1e-6, 1e2  # range of the search for the variance, in units of the mean squared error


def noise_variance(y: ArrayLike, samples: ArrayLike) -> float:
    """The variance under which the mixture of all members has the largest likelihood.

    Parameters
    ----------
    y : array (n,)
        Targets of rows that the members were not trained on.
    samples : array (particles, n)
        Predictions of the members there.

    Returns
    -------
    float
        The variance, in squared units of y: the minimiser of `particlegvi.metrics.mixture_nll` between 1e-6 and 100
        times the members' mean squared error. If members differ, that error itself is not the minimiser.
    """
    targets, functions = np.asarray(y, dtype=np.float64), np.asarray(samples, dtype=np.float64)
    error = float(np.mean((targets - functions) ** 2))
    if not error > 0.0:
        return np.finfo(float).tiny ** 0.5
    middle = math.log(error)
    found = minimize_scalar(
        lambda logarithm: mixture_nll(targets, functions, math.exp(0.5 * logarithm)),
        bounds=(middle + math.log(LOWEST), middle + math.log(HIGHEST)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return math.exp(float(found.x))
