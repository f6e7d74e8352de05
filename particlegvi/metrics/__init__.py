"""Scores of predictions in regression and in binary classification, each one number.

Scores of predicted numbers are in the units of y or in nats; the others are of predicted probabilities that a label is
1. All are means over the test points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.metrics.mixtures import HALF_LOG_TWO_PI, Mixture
from particlegvi.tools import arguments
from particlegvi.tools.arguments import deviations, labels, paired, probabilities, scored, vector

__all__ = [
    "accuracy", "area_under_curve", "bernoulli_nll", "brier_score", "coverage", "gaussian_nll", "mean_absolute_error",
    "mixture_nll", "root_mean_squared_error",
]  # fmt: skip


def mean_absolute_error(y: ArrayLike, mean: ArrayLike) -> float:
    """The mean of ``|y - mean|``, in the units of y."""
    target = vector("y", y)
    return float(np.mean(np.abs(target - paired("mean", mean, target))))


def root_mean_squared_error(y: ArrayLike, mean: ArrayLike) -> float:
    """The square root of the mean of ``(y - mean)^2``, in the units of y."""
    target = vector("y", y)
    return float(np.sqrt(np.mean((target - paired("mean", mean, target)) ** 2)))


def gaussian_nll(y: ArrayLike, mean: ArrayLike, sd: ArrayLike) -> float:
    """Mean negative log-likelihood in nats under ``N(mean, sd^2)``, as in the thesis's (B.62) without tempering.

    Parameters
    ----------
    y, mean : array (n,)
    sd : array (n,) or float
        Standard deviation of the predicted observation, with its noise.
    """
    target = vector("y", y)
    deviation = deviations("sd", sd, target)
    z = (target - paired("mean", mean, target)) / deviation
    return float(np.mean(0.5 * z * z + np.log(deviation))) + HALF_LOG_TWO_PI


def mixture_nll(y: ArrayLike, samples: ArrayLike, noise_sd: ArrayLike) -> float:
    """Mean negative log-likelihood in nats of posterior function samples with Gaussian noise.

    The predictive density of J particles is the mixture ``1/J sum_j N(y; f_j(x), noise_sd^2)``. It is not the Gaussian
    with the mixture's mean and variance.

    Parameters
    ----------
    y : array (n,)
    samples : array (particles, n)
        Function values ``f_j(x_n)``.
    noise_sd : array (n,) or float
    """
    target = vector("y", y)
    allowed = f"an array (particles, {len(target)}) of finite numbers"
    functions = arguments.array("samples", samples, allowed)
    if functions.ndim != 2 or functions.shape[0] == 0 or functions.shape[1] != len(target):
        raise arguments.shaped("samples", functions, allowed)
    scored("samples", arguments.finite("samples", functions, allowed), target)
    deviation = deviations("noise_sd", noise_sd, target)
    return Mixture(functions, deviation).nll(target)


def coverage(y: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """The fraction of y in the closed intervals from ``low`` to ``high``, whose ends may be infinite."""
    target = vector("y", y)
    ends = []
    for name, end in (("low", low), ("high", high)):
        allowed = f"a number or infinity, or an array ({len(target)},) of them"
        array = arguments.array(name, end, allowed)
        if array.shape not in ((), target.shape):
            raise arguments.shaped(name, array, allowed)
        if np.isnan(array).any():
            raise ValueError(f"{name} must be {allowed}, not NaN")
        ends.append(array)
    return float(np.mean((ends[0] <= target) & (target <= ends[1])))


def accuracy(y: ArrayLike, probability: ArrayLike) -> float:
    """The fraction of labels (0 or 1) that are predicted right; a probability of exactly 1/2 predicts 0."""
    target = labels(y)
    return float(np.mean((probabilities("probability", probability, target) > 0.5) == (target == 1.0)))


def brier_score(y: ArrayLike, probability: ArrayLike) -> float:
    """The mean of ``(y - probability)^2``."""
    target = labels(y)
    return float(np.mean((target - probabilities("probability", probability, target)) ** 2))


def bernoulli_nll(y: ArrayLike, probability: ArrayLike) -> float:
    """Mean negative log-likelihood in nats; infinite if a prediction with probability 0 or 1 is wrong."""
    target = labels(y)
    chance = probabilities("probability", probability, target)
    with np.errstate(divide="ignore"):
        return -float(np.mean(np.log(np.where(target == 1.0, chance, 1.0 - chance))))


def area_under_curve(y: ArrayLike, score: ArrayLike) -> float:
    """Area under the ROC curve: the chance that a random 1 scores higher than a random 0, a tie counting one half.

    Computed from the ranks, as the Mann-Whitney statistic.

    Parameters
    ----------
    y : array (n,)
        Labels 0 and 1, each at least once.
    score : array (n,)
        Any number that is higher where a 1 is more likely.
    """
    target = labels(y)
    values = paired("score", score, target)
    ones = int(target.sum())
    zeros = len(target) - ones
    if not ones or not zeros:
        raise ValueError(f"y must be both labels for an area under the curve, not {zeros} zeros and {ones} ones")
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - 0.5 * (count - 1))[place]  # tied scores share the mean of their ranks
    return float((rank[target == 1.0].sum() - 0.5 * ones * (ones + 1)) / (ones * zeros))
