"""The rules of Gaussian Wasserstein inference: the covariance of the posterior, and the weight of W2^2."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.errors import warn

RULES = ("closed", "svgp")
WEIGHTS = ("unsquared", "code")
ITERATIONS, SETTLED = 60, 1e-12  # limits of the fixed-point iteration for a weight that depends on W2
LEAST, PRIOR = 1e-12, 1e6  # range of this weight, in units of n / (2 s2)


def checked_rule(value: object) -> str:
    if not isinstance(value, str) or value not in RULES:
        raise arguments.refuse("covariance", value, f"one of {', '.join(RULES)}")
    return value


def shrinkage(w2_weight: float, rows: int, noise_variance: float) -> float:
    """1 / a^2 = (1 + n / (2 s2 w))^-2 for n rows; 0 for a weight of 0."""
    return 0.0 if w2_weight == 0.0 else (1.0 + rows / (2.0 * noise_variance * w2_weight)) ** -2


def coefficient_covariance(rule: str, features: Array, noise_variance: float, w2_weight: float) -> Array:
    """The matrix S, (size, size), by one of `RULES`, for features e(X) (n, size)."""
    one = np.eye(features.shape[1])
    if rule == "svgp":
        return np.asarray(np.linalg.inv(one + features.T @ features / noise_variance))
    return shrinkage(w2_weight, len(features), noise_variance) * one


def checked_weight(value: object) -> float | str:
    """Check a weight: a number of 0 or more (0 gives a warning), or one of two names."""
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise arguments.refuse("w2_weight", value, 'a number of at least 0, "unsquared" or "code"')
        return value
    weight = float(arguments.not_negative("w2_weight", value))
    if weight == 0.0:
        warn("w2_weight is 0: least squares, whose only variance is the residual of the basis")
    return weight


def fixed_point(w2_squared: Callable[[float], float], scale: float, rows: float) -> float:
    """The weight w = scale / (2 W2) that is equivalent to a distance W2 without a square.

    2 w W2 grows with w. If it does not reach ``scale``, the distance outweighs the data: the prior is the minimiser and
    the weight is infinite. ``w2_squared`` returns the W2^2 of a fit with a weight. ``rows`` is n / (2 s2): at a million
    times this weight the posterior differs from the prior by a millionth.
    """

    def distance(w: float) -> float:
        return math.sqrt(max(w2_squared(w), 1e-300))

    w, most = 1.0, PRIOR * rows
    for _ in range(ITERATIONS):
        new = scale / (2.0 * distance(w))
        if abs(new - w) <= SETTLED * w:
            return w
        if new > most:  # the solution lies beyond the range, where W2 is rounding
            break
        w = new

    def excess(log: float) -> float:
        return log + math.log(2.0 * distance(math.exp(log)) / scale)

    if excess(math.log(most)) <= 0.0:
        warn("w2_weight outweighs the data for this noise variance: the posterior is the prior")
        return most
    return math.exp(optimize.brentq(excess, math.log(LEAST * rows), math.log(most), xtol=1e-13))
