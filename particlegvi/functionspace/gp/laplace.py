"""Covariance parameters for classification, by the largest marginal likelihood in Laplace's approximation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.linalg import lapack
from scipy.special import expit

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.gp.maximising import maximise
from particlegvi.functionspace.newton import newton
from particlegvi.tools.arguments import points, whole

SETTLED = 1e-20  # nats


class LaplaceEvidence(NamedTuple):
    """Laplace's approximation of log p(labels), its gradient in the log parameters of k, and the posterior mode."""

    value: float
    gradient: Array
    mode: Array


def laplace_evidence(
    kernel: KernelLike, X: ArrayLike, labels: ArrayLike, start: Array | None = None
) -> LaplaceEvidence:
    """The log marginal likelihood of logistic Gaussian process classification in Laplace's approximation.

    With f the posterior mode, W the curvature of the cost there and ``B = I + W^1/2 K W^1/2``, it is ``log p(y | f) -
    f^T K^-1 f / 2 - log det(B) / 2``, for inputs (n, dim) and labels 0 and 1 (n,). ``start`` (n,) is the start of the
    search for the mode, as weights a in ``f = K a``.

    Source: Rasmussen and Williams (2006), algorithms 3.1 and 5.1.
    """
    k = covariances.of(kernel)
    x = points("X", X)
    y = preprocessing.two_labels(labels, len(x))
    K = k(x)
    a, f = _mode(K, y, np.zeros(len(y)) if start is None else start)
    p = expit(f)
    root = np.sqrt(p * (1.0 - p))
    factor = linalg.cholesky(np.eye(len(y)) + root[:, None] * K * root, lower=True)
    value = _height(y, f, a) - float(np.sum(np.log(factor.diagonal())))

    inverse, _ = lapack.dpotri(factor, lower=1)
    R = root[:, None] * (np.tril(inverse) + np.tril(inverse, -1).T) * root  # (K + W^-1)^-1
    slope = y - p
    variances = np.maximum(K.diagonal() - np.einsum("ij,ij->i", K @ R, K), 0.0)
    # A parameter also moves the mode and so W; the change of W has the third derivative of the logistic cost.
    moved = -0.5 * variances * root**2 * (1.0 - 2.0 * p)
    along = moved - R @ (K @ moved)
    weights = 0.5 * (np.outer(slope, slope) - R) + 0.5 * (np.outer(along, slope) + np.outer(slope, along))
    return LaplaceEvidence(value, k.gradients(x, x, weights)[1], a)


@one_blas_thread()
def fit_classification_hyperparameters(
    kernel: KernelLike,
    X: ArrayLike,
    labels: ArrayLike,
    threshold: int = 1000,
    seed: int = 0,
    most_iterations: int = 100,
) -> tuple[Covariance, Facts]:
    """Maximise `laplace_evidence` by L-BFGS with its gradient.

    A regression on the labels fails for separable classes: it finds no noise, and lengthscales that are shorter than
    the distances between rows. Each of the labels 0, ..., J - 1 must occur. For more than two the objective is the sum
    of J evidences, each of one class against the others. If there are more than ``threshold`` rows, ``threshold`` rows
    are drawn at random. Every parameter stays within a factor 1000 of its value in ``kernel``.

    Returns
    -------
    covariance : Covariance
    facts : dict
        ``rows`` used, ``log_marginal_likelihood`` with the evidence ``before`` and ``after`` in nats, ``iterations``,
        ``converged``, ``at_bound`` (names).
    """
    begin = covariances.of(kernel)
    x = points("X", X)
    y, _ = preprocessing.class_labels(labels, len(x))
    most, most_iterations = whole("threshold", threshold, 1), whole("most_iterations", most_iterations, 1)
    if len(y) > most:
        rows = preprocessing.order(seed, "subsets", len(y))[:most]
        x, y = x[rows], y[rows]
    present = np.unique(y)
    sides = [(y == number).astype(np.float64) for number in (present if len(present) > 2 else present[-1:])]
    weights = np.zeros((len(sides), len(y)))

    def objective(logs: Array) -> tuple[float, Array]:
        k = begin.with_log_parameters(logs)
        evidences = [laplace_evidence(k, x, side, start) for side, start in zip(sides, weights, strict=True)]
        for start, evidence in zip(weights, evidences, strict=True):
            start[:] = evidence.mode  # start the next search here: it is nearer to the next mode than zero
        gradient = np.sum([evidence.gradient for evidence in evidences], axis=0)
        return -sum(evidence.value for evidence in evidences), -gradient

    best = maximise(objective, begin, "log_marginal_likelihood", maxiter=most_iterations)
    return begin.with_log_parameters(best.logs), {"rows": len(y), **best.facts}


def _height(y: Array, f: Array, a: Array) -> float:
    """log p(y | f) - f^T K^-1 f / 2 with f = K a."""
    return float(np.sum(y * f - np.logaddexp(0.0, f)) - 0.5 * a @ f)


def _mode(K: Array, y: Array, start: Array) -> tuple[Array, Array]:
    """The posterior mode f = K a by Newton's method in the weights a."""

    def step(a: Array) -> tuple[Array, float]:
        f = K @ a
        p = expit(f)
        root = np.sqrt(p * (1.0 - p))
        factor = linalg.cholesky(np.eye(len(y)) + root[:, None] * K * root, lower=True)
        b = root**2 * f + y - p
        direction = a - b + root * linalg.cho_solve((factor, True), root * (K @ b))
        return direction, float((a - y + p) @ K @ direction)

    a, _ = newton(lambda a: -_height(y, K @ a, a), step, start, SETTLED)
    return a, K @ a
