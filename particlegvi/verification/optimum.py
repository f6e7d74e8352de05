"""The laws and the bound of Theorems 6.6.1 and 6.6.2 for a problem with few inputs, by quadrature.

The law nu of the inputs is uniform on the X of the data, so that the eigenpairs (lambda_m, e_m) of the covariance
operator (6.9) are known exactly: they are those of k(X, X) / N.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Kernel
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances import Iterated
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.likelihoods.likelihood import Likelihood

Array = np.ndarray
REACH = 8.0  # prior standard deviations of each coefficient


class Leading(Covariance):
    """``sum_{m <= size} e_m(a) e_m(b)``, whose Nystroem basis at the same points is e_1, ..., e_size."""

    name = "leading"

    def __init__(self, basis: Nystroem, size: int) -> None:
        self.basis = basis
        self.count = size

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        left = self.basis.features(A)[:, : self.count]
        return left @ (left if B is None else self.basis.features(B)[:, : self.count]).T

    def diagonal(self, A: ArrayLike) -> Array:
        return np.sum(self.basis.features(A)[:, : self.count] ** 2, axis=1)

    def log_parameters(self) -> Array:
        return np.empty(0)

    def parameter_names(self) -> list[str]:
        return []


class ProjectedOptimum:
    """The posterior of the first M (``size``) coefficients: V_infinity, V* and the bound (6.24).

    It is given the data X (N, inputs) and y (N,).
    """

    def __init__(self, kernel: Kernel, likelihood: Likelihood, X: Array, y: Array, size: int) -> None:
        self.likelihood, self.X, self.y, self.size = likelihood, X, y, size
        self.basis = Nystroem(kernel, X)
        self.eigenvalues = self.basis.eigenvalues[:size]
        self.features = self.basis.features(X)[:, :size]
        r = Iterated(self.basis.covariance, X).diagonal(X)
        self.left = r - self.features**2 @ self.eigenvalues  # the diagonal of Sigma in (6.23)

    def potential(self, u: Array, nodes: int = 1) -> Array:
        """V* of (6.22) for coefficients (n, M), by Gauss-Hermite sums; with one node V_infinity of (D.157).

        The cost is a sum over inputs, so that only the diagonal of Sigma matters.
        """
        places, weights = np.polynomial.hermite_e.hermegauss(nodes)
        values = u @ self.features.T
        total = 0.5 * np.sum(u * u / self.eigenvalues, axis=1)
        for place, weight in zip(places, weights / weights.sum(), strict=True):
            total += weight * self.likelihood.cost(values + place * np.sqrt(self.left), self.y).sum(axis=1)
        return total

    def grid(self, points: int) -> Array:
        """Coefficients (points^M, M), evenly spaced."""
        edge = np.linspace(-REACH, REACH, points)
        axes = np.meshgrid(*[edge * math.sqrt(scale) for scale in self.eigenvalues], indexing="ij")
        return np.stack([axis.ravel() for axis in axes], axis=1)

    def bound(self) -> float:
        """(6.24): kappa^2 / 2 times the trace of Sigma, as the sum over the eigenpairs that were left out.

        A cost with the Lipschitz constant s at each of N inputs makes one with kappa = s sqrt(N).
        """
        tail = self.basis.features(self.X)[:, self.size :] ** 2 @ self.basis.eigenvalues[self.size :]
        return 0.5 * len(self.X) * self.likelihood.slope_bound**2 * float(tail.sum())


def probabilities(potential: Array) -> Array:
    """exp(-potential) on a grid, normalised to sum 1."""
    weights = np.exp(potential.min() - potential)
    return weights / weights.sum()


def normal_kl(away: Array, first: Array, second: Array) -> float:
    """KL of normal laws with these covariances, whose means differ by ``away``, in nats."""
    values = np.linalg.eigvals(np.linalg.solve(second, first)).real
    pull = away @ np.linalg.solve(second, away)
    return float(0.5 * (np.sum(values - 1.0 - np.log(values)) + pull))


def distribution(places: Array, law: Array) -> tuple[Array, Array]:
    """Ends of cells around equally spaced places (n,), and the distribution function of a law (n,) there, (n + 1,)."""
    half = 0.5 * (places[1] - places[0])
    return np.append(places - half, places[-1] + half), np.append(0.0, np.cumsum(law))


def divergence(p: Array, q: Array) -> float:
    """KL(p, q) of probabilities, in nats."""
    support = p > 0.0
    return float(np.sum(p[support] * np.log(p[support] / q[support])))
