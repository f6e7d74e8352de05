"""Gaussian measures of one function for each of several classes, with the robust-max likelihood (thesis B.6, B.8).

The objective for J independent processes Q_j = N(m_j, r_j), labels y and a label's probability of error epsilon is

    -sum_n [log(1 - epsilon) S(x_n, y_n) + log(epsilon / (J - 1)) (1 - S(x_n, y_n))] + weight sum_j D(Q_j, P_j)   (B.53)

with S the probability that the class's own function is the largest (`class_probabilities`). Here, and not in
regression, the means and the covariances of all classes depend on each other and on y.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, search
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.gp.placement import chosen_basis
from particlegvi.functionspace.prediction.class_probabilities import CONSTANT, class_probabilities
from particlegvi.functionspace.preprocessing import class_labels
from particlegvi.functionspace.residuals import Residual
from particlegvi.tools import arguments
from particlegvi.tools.html import Card
from particlegvi.tools.registry import one_of

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
DIVERGENCES = ("w2", "kl")
FACTORS = (1e-2, 1e2)  # the range of the factors of the variances
LEAST = 1e-300


class ClassProcesses(Card):
    """One Gaussian process for each class, of the family m_j = e^T c_j, r_j = k - e^T e + e^T L_j L_j^T e, by L-BFGS.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k, the prior covariance of every class; the prior means are 0.
    inducing_points : int
        The number of points of the Nystroem basis e, which are chosen greedily and shared by the classes.
    divergence : str
        "w2", Gaussian Wasserstein inference: W2^2 over the empirical measure of the inputs, by its upper bound
        ``mean m_j^2 + mean |(I - L_j)^T e|^2``, the cost of mapping coefficients by L_j. "kl": the sparse variational
        process for several classes.
    weight : float
        The weight of the divergence, above 0.
    epsilon : float
        Probability that a label is not the largest class, between 0 and 1.
    iterations : int
        Largest number of iterations.
    seed : int

    Attributes
    ----------
    objective_ : float
        The objective after the fit, in nats.
    means_ : array (size, J)
        The c_j.
    maps_ : array (J, size, size)
        The L_j.
    factors_ : array (J,)
        Factors of the variances of prediction: those of the highest likelihood of the validation rows, else 1.
    info_ : dict
    """

    def __init__(
        self,
        kernel: KernelLike,
        inducing_points: int = 50,
        divergence: str = "w2",
        weight: float = 1.0,
        epsilon: float = 0.01,
        *,
        iterations: int = 300,
        seed: int = 0,
    ) -> None:
        self.kernel = covariances.of(kernel)
        self.inducing_points = arguments.whole("inducing_points", inducing_points, 1)
        self.divergence = one_of("divergence", divergence, DIVERGENCES)
        self.weight = arguments.positive("weight", weight)
        self.epsilon = arguments.fraction("epsilon", epsilon)
        self.iterations, self.seed = arguments.whole("iterations", iterations, 1), arguments.seed(seed)

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, validation: tuple[ArrayLike, ArrayLike] | None = None) -> Self:
        """Fit inputs (n, dim) and labels 0, ..., J - 1, (n,), each of which occurs; J is at least 2.

        ``validation`` has rows (X, y) that choose ``factors_``.
        """
        x = arguments.points("X", X, least=2)
        labels, classes = class_labels(y, len(x))
        self.basis, _ = chosen_basis(self.kernel, min(self.inducing_points, len(x)), x, self.seed)
        self._residual = Residual(self.basis)
        e, size = self.basis.features(x), self.basis.size
        left, gram = self._residual.variance(x, e), e.T @ e / len(x)
        scale = np.log1p(-self.epsilon) - np.log(self.epsilon / (classes - 1))

        def value_and_slope(flat: Array) -> tuple[float, Array]:
            c, maps = flat[: size * classes].reshape(size, classes), flat[size * classes :].reshape(classes, size, size)
            moved = np.matmul(e, maps)  # (J, n, size)
            m, r = e @ c, left[:, None] + np.einsum("jnm,jnm->nj", moved, moved) + LEAST
            S, in_m, in_r = largest(m, r, labels)
            divergence, in_c, in_maps = self._divergence(c, maps, gram)
            slope_c = -scale * (e.T @ in_m) + self.weight * in_c
            slope_maps = -2.0 * scale * np.matmul(e.T, in_r.T[:, :, None] * moved) + self.weight * in_maps
            constant = -len(x) * np.log(self.epsilon / (classes - 1))
            value = constant - scale * float(S.sum()) + self.weight * divergence
            return value, np.concatenate([slope_c.ravel(), slope_maps.ravel()])

        start = np.concatenate([np.zeros(size * classes), np.tile(np.eye(size).ravel(), classes)])
        end = search.minimise(value_and_slope, start, maxiter=self.iterations)
        self.objective_ = end.after
        self.means_, self.maps_ = np.split(end.at, [size * classes])
        self.means_, self.maps_ = self.means_.reshape(size, classes), self.maps_.reshape(classes, size, size)
        self.factors_ = np.ones(classes)
        if validation is not None:
            self.factors_ = self._tempered(*validation)
        self.info_: Facts = {**self.basis.facts(), "iterations": end.iterations, "converged": end.converged}
        return self

    def _divergence(self, c: Array, maps: Array, gram: Array) -> tuple[float, Array, Array]:
        """The sum of all D(Q_j, P_j), or of the bounds of W2^2, and its slopes."""
        if self.divergence == "w2":
            gaps = maps - np.eye(len(gram))
            pulled = np.matmul(gram, gaps)
            return float(np.sum(c * (gram @ c)) + np.sum(gaps * pulled)), 2.0 * gram @ c, 2.0 * pulled
        signs, logs = np.linalg.slogdet(maps)
        total = 0.5 * float(np.sum(maps**2) + np.sum(c**2) - maps.shape[0] * len(gram)) - float(logs.sum())
        if not np.all(signs):
            return np.inf, c, maps
        return total, c, maps - np.transpose(np.linalg.inv(maps), (0, 2, 1))

    def _tempered(self, X: ArrayLike, y: ArrayLike) -> Array:
        """The factors of the highest likelihood of the rows, as in B.8, by L-BFGS in their logarithms."""
        m, r = self.marginals(X)
        labels, _ = class_labels(y, len(m), m.shape[1])
        share = self.epsilon / (m.shape[1] - 1)

        def nll(logs: Array) -> tuple[float, Array]:
            wide = r * np.exp(logs)
            S, _, in_r = largest(m, wide, labels)
            p = (1.0 - self.epsilon) * S + share * (1.0 - S)
            slope = -(1.0 - self.epsilon - share) * np.sum((in_r * wide) / p[:, None], axis=0)
            return -float(np.log(p).sum()), slope

        return np.asarray(np.exp(search.minimise(nll, np.zeros(m.shape[1]), *np.log(FACTORS)).at))

    @one_blas_thread()
    def marginals(self, X: ArrayLike) -> tuple[Array, Array]:
        """Means and variances of the functions at inputs, (n, J) each, before the factors."""
        e = self.basis.features(X)
        moved = np.matmul(e, self.maps_)
        left = self._residual.variance(np.asarray(X, dtype=np.float64), e)
        variances = left[:, None] + np.einsum("jnm,jnm->nj", moved, moved)
        return e @ self.means_, np.maximum(variances, LEAST)

    @one_blas_thread()
    def sample(self, X: ArrayLike, draws: int = 100) -> Array:
        """Joint draws of the functions at inputs, (draws, n, J), with the factors; equal inputs give equal values."""
        e, count = self.basis.features(X), arguments.whole("draws", draws, 1)
        size, classes = self.means_.shape
        normals = noise.normals(self.seed, "draws", count * classes, size + len(e)).reshape(count, classes, -1)
        moved = np.einsum("nm,jmk,djk->djn", e, self.maps_, normals[:, :, :size], optimize=True)
        left = self._residual.sample(X, normals[:, :, size:].reshape(count * classes, len(e))).reshape(moved.shape)
        return np.moveaxis(moved + left, 1, 2) * np.sqrt(self.factors_) + e @ self.means_

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each label (B.54), (n, J), with the factors."""
        m, r = self.marginals(X)
        return class_probabilities(m, r * self.factors_, self.epsilon)


def largest(m: Array, r: Array, labels: NDArray[np.intp]) -> tuple[Array, Array, Array]:
    """S(x_n, y_n) for means and variances (n, J) by (B.52) with Phi, and its slopes in both, (n, J) each."""
    rows, sd, weights = np.arange(len(m)), np.sqrt(r), WEIGHTS / WEIGHTS.sum()
    own_sd = sd[rows, labels]
    t = m[rows, labels, None] + own_sd[:, None] * NODES
    z = (t[:, :, None] - m[:, None, :]) / sd[:, None, :]  # (n, nodes, J)
    logs = log_ndtr(z)
    ratio = np.exp(np.minimum(-0.5 * z * z - CONSTANT - logs, 700.0)) / sd[:, None, :]
    logs[rows, :, labels] = 0.0
    ratio[rows, :, labels] = 0.0
    product = weights * np.exp(logs.sum(axis=2))
    pulled = product[:, :, None] * ratio
    in_m, in_sd = -pulled.sum(axis=1), -np.einsum("nij,nij->nj", pulled, z)
    together = pulled.sum(axis=2)
    in_m[rows, labels], in_sd[rows, labels] = together.sum(axis=1), together @ NODES
    return product.sum(axis=1), in_m, in_sd / (2.0 * sd)
