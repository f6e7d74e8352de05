"""The prediction of an ensemble: a mixture of Gaussians in regression, a mean of probabilities in classification."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, logsumexp, ndtr, softmax, xlogy

from particlegvi.contracts import Array

BISECTIONS = 60
LEAST_VARIANCE = 1e-6  # of the heteroscedastic cost


class Mixture:
    """The mean of the distributions N(centres[j, n], sd[j, n]^2) over the members j, at each of n inputs.

    Parameters
    ----------
    centres : array (particles, n)
    sd : float or array (particles, n)
        Standard deviations of the noise.
    """

    def __init__(self, centres: Array, sd: float | Array) -> None:
        self.centres = centres
        self.sds = np.broadcast_to(np.asarray(sd, dtype=np.float64), centres.shape)

    @classmethod
    def of_outputs(cls, outputs: Array, noise_sd: float) -> Mixture:
        """From predictions (particles, n) with this noise, or (particles, n, 2) of networks that say their own."""
        if outputs.ndim == 2:
            return cls(outputs, noise_sd)
        return cls(outputs[:, :, 0], np.sqrt(np.logaddexp(0.0, outputs[:, :, 1]) + LEAST_VARIANCE))

    def mean(self) -> Array:
        """The mean, (n,)."""
        return self.centres.mean(axis=0)

    def sd(self) -> Array:
        """The standard deviation, noise included, (n,)."""
        return np.sqrt(self.centres.var(axis=0) + (self.sds**2).mean(axis=0))

    def cdf(self, y: Array) -> Array:
        """The probability of less than y (n,), shape (n,)."""
        return ndtr((y - self.centres) / self.sds).mean(axis=0)

    def log_density(self, y: Array) -> Array:
        """The logarithm of the density at y (n,), shape (n,)."""
        z = (y - self.centres) / self.sds
        logs = -0.5 * z * z - np.log(self.sds) - 0.5 * math.log(2.0 * math.pi)
        return logsumexp(logs, axis=0) - math.log(len(self.centres))

    def quantile(self, level: float) -> Array:
        """The quantile, (n,), by bisection: of the mixture, and not of a Gaussian with its moments."""
        reach = 40.0 * self.sds
        low, high = (self.centres - reach).min(axis=0), (self.centres + reach).max(axis=0)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < level
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)


def class_probabilities(outputs: Array) -> Array:
    """Probabilities (particles, n, classes) of logits (particles, n), or of outputs (particles, n, classes)."""
    if outputs.ndim == 2:
        one = expit(outputs)
        return np.stack([1.0 - one, one], axis=2)
    return softmax(outputs, axis=2)


def entropy(probabilities: Array) -> Array:
    """Minus the sum of p log p over the last axis, in nats."""
    return -xlogy(probabilities, probabilities).sum(axis=-1)


def mutual_information(probabilities: Array) -> Array:
    """The disagreement (n,) of members with probabilities (particles, n, classes), in nats.

    The entropy of the mean less the mean of the entropies: what one would learn about the member from the label.
    """
    return np.maximum(entropy(probabilities.mean(axis=0)) - entropy(probabilities).mean(axis=0), 0.0)
