"""The row space of features at a finite set of inputs, in which no jitter is needed.

The values of w . phi at a set A are F w with F the features at A. They determine U w, and are determined by it, where
the rows of U are an orthonormal basis of the rows of F. So KL between the laws of the values for w ~ N(m, S) and for
w ~ N(0, I) is that of the laws of U w:

    KL(Q_A, P_A) = (tr U S U^T + |U m|^2 - r - log det U S U^T) / 2,     r the rank.                            (1)

Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), appendix E, for sets with independent rows.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array

RANK = 1e-10  # singular values below this part of the largest are rounding


def row_space(features: Array) -> Array:
    """An orthonormal basis U (rank, k) of the rows of features (points, k)."""
    _, singular, rows = np.linalg.svd(features, full_matrices=False)
    return np.asarray(rows[singular > RANK * singular[0]] if singular.size and singular[0] > 0.0 else rows[:0])


def kl_at_set(mean: Array, covariance: Array, features: Array, nugget: float = 0.0) -> float:
    """KL(Q_A, P_A) for w ~ N(mean, covariance) and w ~ N(0, I), in nats; infinite where the values of Q are singular.

    A nugget is added to both covariances of the values. It is not part of KL, and makes it smaller.
    """
    if nugget > 0.0:
        prior = features @ features.T + nugget * np.eye(len(features))
        own = features @ covariance @ features.T + nugget * np.eye(len(features))
        factor = linalg.cholesky(prior, lower=True)
        half = linalg.solve_triangular(factor, own, lower=True)
        own = linalg.solve_triangular(factor, half.T, lower=True)
        values = linalg.solve_triangular(factor, features @ mean, lower=True)
        return _kl(0.5 * (own + own.T), values)
    basis = row_space(features)
    return _kl(basis @ covariance @ basis.T, basis @ mean)


def _kl(covariance: Array, mean: Array) -> float:
    """KL(N(mean, covariance), N(0, I))."""
    variances = linalg.eigvalsh(covariance) if len(covariance) else np.ones(0)
    if np.any(variances <= len(variances) * np.finfo(float).eps * variances.max(initial=0.0)):
        return math.inf
    return float(0.5 * (np.sum(variances - 1.0 - np.log(variances)) + mean @ mean))
