"""The prediction of an ensemble: a mixture of Gaussians in regression, a mean of probabilities in classification."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax, xlogy

from particlegvi.contracts import Array
from particlegvi.metrics.mixtures import Mixture

LEAST_VARIANCE = 1e-6  # the smallest variance under the heteroscedastic cost


def mixture(outputs: Array, noise_sd: float) -> Mixture:
    """The mixture of means (particles, n) with noise ``noise_sd``; outputs (particles, n, 2) have their own noise."""
    if outputs.ndim == 2:
        return Mixture(outputs, noise_sd)
    return Mixture(outputs[:, :, 0], np.sqrt(np.logaddexp(0.0, outputs[:, :, 1]) + LEAST_VARIANCE))


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
