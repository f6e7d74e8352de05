"""Gaussian Wasserstein inference for regression, in closed form (thesis 4.4; Wild, Hu and Sejdinovic 2022).

The objective of a Gaussian process Q = N(m, r) against the prior P = N(0, k), for n rows with noise variance s2, is

    J = sum_n [(y_n - m(x_n))^2 + r(x_n, x_n)] / (2 s2) + w W2^2(P, Q)                              (B.43) for w = 1

with W2 over the empirical measure of the inputs. Mean and covariance are optimised separately. The mean is the least
squares fit times 1 / (1 + 2 s2 w / n). The covariance does not depend on y: without constraints its minimiser is
k / a^2 with a = 1 + n / (2 s2 w), the prior covariance divided by one number. In the family

    r(x, x') = k(x, x') - e(x)^T e(x') + e(x)^T S e(x')                                                       (4.18)

of a basis e, S = I / a^2 minimises an upper bound of J. So the variances of f at the data are much too small, and away
from the data only the residual of the basis adds variance: `docs/gaussian-wasserstein.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts, Likelihood, StepProgress
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.placement import placed_basis
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.functionspace.linalg import root_for_draws
from particlegvi.functionspace.means import Given, Inducing, Mean, MeanNetwork, held_out
from particlegvi.functionspace.wasserstein.process_distance import process_w2_squared
from particlegvi.functionspace.wasserstein.rules import (
    checked_rule,
    checked_weight,
    coefficient_covariance,
    fixed_point,
    shrinkage,
)
from particlegvi.tools import arguments
from particlegvi.tools.arguments import copied, points, refuse, vector, whole
from particlegvi.tools.html import Card

DENSE, ROWS = 800, 500  # with more rows than the first, the distance is estimated at so many of them


class GaussianWasserstein(Card):
    """A Gaussian process posterior by the objective of Gaussian Wasserstein inference, for a Gaussian likelihood.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k.
    likelihood : Gaussian
        Its ``noise_variance`` is s2.
    inducing_points : array (M, dim), int, Functionals or Basis
        Inducing points of the basis e, or their number for `placement`.
    mean : Mean, optional
        The model of the mean: `means.Inducing`, the default, `means.MeanNetwork` or `means.Given`.
    w2_weight : float or str
        w, 0 or more. "unsquared" is (4.12) as printed, with W2 instead of its square: w = 1 / (2 W2). "code" is the
        authors' program: w = N_B / (2 W2) with N_B the number of rows of a batch of the mean, or of all rows.
    covariance : str
        "closed": S = I / a^2. "svgp": the S of the sparse variational process, (B.59), whose variances fit the data.
    placement : str
        The rule that chooses inducing points, as for `SparseGaussianProcess`. "elbo" learns them by the evidence bound,
        from greedy ones or from given ones: a gain if they are few.
    seed : int

    Attributes
    ----------
    objective_, w2_squared_ : float
        J and W2^2 after the fit.
    w2_weight_ : float
        The weight w of the fit.
    shrinkage_ : float
        1 / a^2.
    variance_factor_ : float
        Factor of predictive variances: the mean of (y - m)^2 / v over the validation rows, or 1 without such rows.
    info_ : dict
        Facts of the fit; ``w2_rows`` is the number of rows from which W2 is computed, all or 500 random ones.
    """

    def __init__(
        self,
        kernel: KernelLike,
        likelihood: Likelihood,
        inducing_points: ArrayLike | int | Functionals | Basis,
        mean: Mean | None = None,
        w2_weight: float | str = 1.0,
        covariance: str = "closed",
        *,
        placement: str = "greedy",
        seed: int = 0,
    ) -> None:
        self.kernel = covariances.of(kernel)
        if not isinstance(likelihood, Gaussian):
            raise refuse("likelihood", likelihood, "likelihoods.Gaussian: no other one has a closed form")
        self.likelihood, self.inducing_points = likelihood, copied(inducing_points)
        if mean is not None and (isinstance(mean, type) or not isinstance(mean, Mean)):
            raise refuse("mean", mean, "one of particlegvi.functionspace.means, such as means.Given(function)")
        self.mean: Mean = Inducing() if mean is None else mean
        self.w2_weight, self.rule = checked_weight(w2_weight), checked_rule(covariance)
        self.seed = arguments.seed(seed)
        self.placement = placement
        self._known: float | None = None

    @one_blas_thread()
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        validation: tuple[ArrayLike, ArrayLike] | None = None,
        progress: StepProgress | None = None,
    ) -> Self:
        """Fit inputs (n, dim) and targets (n,), n at least 2.

        Parameters
        ----------
        validation : tuple (X, y), optional
            Rows that choose a network's last epoch, and ``variance_factor_``.
        progress : callable, optional
            Called as ``progress(epochs_done, epochs)`` while a network is trained.
        """
        x = points("X", X, least=2)
        t = vector("y", y, len(x))
        held = None if validation is None else held_out(validation, x.shape[1])
        self._x, self._y = x.copy(), t.copy()  # the caller may change its arrays
        self.basis, chosen = placed_basis(
            self.kernel, self.inducing_points, self.placement, (x, t), self.likelihood, self.seed
        )
        self._e = self.basis.features(x)
        if isinstance(self.mean, MeanNetwork):
            self.mean.fit(x, t, held, self.basis, self.seed, progress=progress)
        else:
            self.mean.fit(x, t, held, self.basis, self.seed)
        self._solve(self.w2_weight if isinstance(self.w2_weight, float) else self._found_weight())
        self.variance_factor_ = 1.0
        if held is not None:
            m, sd = self.predict(held[0], return_std=True, of="target")
            self.variance_factor_ = float(np.mean((held[1] - m) ** 2 / sd**2))
        self.info_: Facts = {
            **self.basis.facts(), **chosen, **self.mean.facts(), "w2_weight": self.w2_weight_, "covariance": self.rule,
            "validation": 0 if held is None else len(held[0]), "w2_rows": len(x) if len(x) <= DENSE else ROWS,
        }  # fmt: skip
        return self

    @property
    def w2_squared_(self) -> float:
        """W2^2; the covariances' part is computed at its first use, as it takes longer than the fit."""
        if self._known is None:
            x = self._x
            if len(x) > DENSE:
                x = x[np.sort(np.random.default_rng(self.seed).choice(len(x), ROWS, replace=False))]
            self._known = process_w2_squared(self.kernel, self.covariance, x)
        return self._known + self._square

    @property
    def objective_(self) -> float:
        return self._cost + self.w2_weight_ * self.w2_squared_

    def _found_weight(self) -> float:
        """The weight of W2^2 that is equivalent to a distance W2 without a square."""
        rows = len(self._x)
        batch = min(self.mean.batch_size, rows) if isinstance(self.mean, MeanNetwork) else rows
        scale = 1.0 if self.w2_weight == "unsquared" else float(batch)

        def w2_squared(weight: float) -> float:
            self._solve(weight)
            return self.w2_squared_

        return fixed_point(w2_squared, scale, rows / (2.0 * self.likelihood.noise_variance))

    def _solve(self, weight: float) -> None:
        """The mean and the covariance for one weight of W2^2, and the cost of the data.

        The mean is the fit to the targets times the factor of the weight; a given mean stays as it is.
        """
        n, s2 = len(self._x), self.likelihood.noise_variance
        self._ratio = 1.0 if isinstance(self.mean, Given) else 1.0 / (1.0 + 2.0 * s2 * weight / n)
        self.w2_weight_, self.shrinkage_ = weight, shrinkage(weight, n, s2)
        self._S = coefficient_covariance(self.rule, self._e, s2, weight)
        m = self._mean_at(self._x)
        r = self._variances(self._x, self._e)
        self._cost = float(np.sum((self._y - m) ** 2 + r)) / (2.0 * s2) + 0.5 * n * math.log(2.0 * math.pi * s2)
        self._square, self._known = float(np.mean(m * m)), None

    def covariance(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        """r(A, B), shape (n, m), before any variance factor."""
        e = self.basis.features(A)
        other = e if B is None else self.basis.features(B)
        covariance = self.kernel(A, B) + e @ ((self._S - np.eye(self.basis.size)) @ other.T)
        return 0.5 * (covariance + covariance.T) if B is None else covariance

    def _variances(self, x: Array, e: Array) -> Array:
        kept = np.einsum("nm,mk,nk->n", e, self._S, e, optimize=True)
        return np.maximum(self.kernel.diagonal(x) - np.einsum("nm,nm->n", e, e), 0.0) + kept

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False, of: str = "function") -> Any:
        """The mean, (n,), and with ``return_std`` the standard deviation of the function or of a target."""
        if of not in ("function", "target"):
            raise refuse("of", of, '"function" or "target"')
        x = points("X", X, self.basis.inputs)
        mean = self._mean_at(x)
        if not return_std:
            return mean
        variance = self._variances(x, self.basis.features(x))
        variance = variance + (self.likelihood.noise_variance if of == "target" else 0.0)
        return mean, np.sqrt(self.variance_factor_ * variance)

    @one_blas_thread()
    def sample(self, X: ArrayLike, draws: int = 100) -> Array:
        """Joint draws of the function at these inputs, (draws, n); equal inputs give equal draws."""
        x = points("X", X, self.basis.inputs)
        normals = noise.normals(self.seed, "draws", whole("draws", draws, 1), len(x))
        scale = float(np.max(self.kernel.diagonal(x), initial=0.0))
        half = root_for_draws(self.covariance(x), scale)
        return self._mean_at(x) + math.sqrt(self.variance_factor_) * normals @ half.T

    def _mean_at(self, x: Array) -> Array:
        return self._ratio * self.mean.predict(x)

    def state(self) -> dict[str, Array]:
        """The arrays, besides the basis, from which `restored` makes the same predictions.

        A ValueError if the mean is a given model: only its owner knows its state.
        """
        if not isinstance(self.mean, Inducing | MeanNetwork):
            raise refuse("mean", self.mean, "means.Inducing or means.MeanNetwork for a state")
        numbers = np.array([self._ratio, self.variance_factor_, self.shrinkage_])
        mean = {f"mean_{key}": array for key, array in self.mean.state().items()}
        return {"kept": self._S, "numbers": numbers, **mean}

    def restored(self, basis: Basis, state: Mapping[str, Array]) -> Self:
        """Set the basis and the `state` from an earlier fit, and return the model."""
        self.basis, self._S = basis, np.array(state["kept"])
        self._ratio, self.variance_factor_, self.shrinkage_ = map(float, state["numbers"])
        own = {key.removeprefix("mean_"): array for key, array in state.items() if key.startswith("mean_")}
        assert isinstance(self.mean, Inducing | MeanNetwork)  # others have no state
        self.mean.restored(own, basis)
        return self
