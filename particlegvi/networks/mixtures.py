"""The prediction of an ensemble: a mixture of Gaussians with its noise, or a mean of the probabilities of classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax, xlogy

from particlegvi.contracts import Array
from particlegvi.metrics import mixture_nll
from particlegvi.metrics.mixtures import Mixture

LEAST_VARIANCE = 1e-6  # the smallest variance under the heteroscedastic cost
LOWEST, HIGHEST = 1e-6, 1e2  # range of the search for the variance, in units of the mean squared error


def mixture(outputs: Array, noise_sd: float) -> Mixture:
    """The mixture of means (particles, n) with noise ``noise_sd``; outputs (particles, n, 2) have their own noise."""
    if outputs.ndim == 2:
        return Mixture(outputs, noise_sd)
    return Mixture(outputs[:, :, 0], np.sqrt(np.logaddexp(0.0, outputs[:, :, 1]) + LEAST_VARIANCE))


def noise_variance(y: ArrayLike, samples: ArrayLike) -> float:
    """The variance, in squared units of y, under which the mixture of all members has the largest likelihood.

    The members were not trained on the rows of the targets y (n,), where their predictions are ``samples``
    (particles, n). The result is the minimiser of `particlegvi.metrics.mixture_nll` between 1e-6 and 100 times the
    members' mean squared error. If members differ, that error itself is not the minimiser.
    """
    targets, functions = np.asarray(y, dtype=np.float64), np.asarray(samples, dtype=np.float64)
    error = float(np.mean((targets - functions) ** 2))
    if not error > 0.0:
        return np.finfo(float).tiny ** 0.5
    middle = math.log(error)
    end = minimize_scalar(
        lambda logarithm: mixture_nll(targets, functions, math.exp(0.5 * logarithm)),
        bounds=(middle + math.log(LOWEST), middle + math.log(HIGHEST)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return math.exp(float(end.x))


def class_probabilities(outputs: Array) -> Array:
    """Probabilities (particles, n, classes) of logits (particles, n), or of outputs (particles, n, classes)."""
    if outputs.ndim == 2:
        return np.stack([expit(-outputs), expit(outputs)], axis=-1)
    return np.asarray(softmax(outputs, axis=-1))


def entropy(probabilities: Array) -> Array:
    """Minus the sum of p log p over the last axis, in nats."""
    return -xlogy(probabilities, probabilities).sum(axis=-1)


def mutual_information(probabilities: Array) -> Array:
    """The disagreement (n,) of members with probabilities (particles, n, classes), in nats.

    It is the mutual information of label and member: the entropy of the mean less the mean of the entropies.
    """
    return np.maximum(entropy(probabilities.mean(axis=0)) - entropy(probabilities).mean(axis=0), 0.0)
