"""Scores of predicted probabilities that a label is 1. All are means over the test points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools.arguments import labels, paired, probabilities


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
        Labels 0 and 1.
    score : array (n,)
        Any number that is higher where a 1 is more likely.

    Raises
    ------
    ValueError
        If there is no 0 or no 1.
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
