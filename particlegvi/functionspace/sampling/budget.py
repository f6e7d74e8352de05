"""The error of projected Langevin sampling in four parts that are measured apart, for Gaussian noise.

Between the exact process and the particles there are three laws, all Gaussian and known in closed form:

=============  =========================================================================  ==============================
part           from, to                                                                   made smaller by
=============  =========================================================================  ==============================
truncation     the exact process, the best law in as many exact eigenfunctions (Mercer)   more functions
nystroem       that law, the best law in the basis of the fit                             other inducing points
step           that law, the stationary law of the integrator's steps                     a smaller step
sampling       that law, the particles                                                    more particles, or more steps
=============  =========================================================================  ==============================

At one input the distance of two of them is the W2 distance of normal laws, sqrt((difference of means)^2 + (difference
of sds)^2); a part is its root mean square over inputs. So the total is at most the sum of the parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Basis, Facts, Likelihood
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.gp.coefficient_law import collapsed
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.functionspace.residuals import Residual
from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
from particlegvi.tools.arguments import refuse

PARTS = ("truncation", "nystroem", "step", "sampling")
KNOBS = {"truncation": "inducing_points", "nystroem": "inducing_points", "step": "step_size"}
LUCK = 2.0  # sampling above so many times the error of independent draws: the run is too short


class BudgetMarginals(NamedTuple):
    """Mean and standard deviation of f at inputs, (n,) each."""

    mean: Array
    sd: Array

    def distance(self, other: BudgetMarginals) -> float:
        return float(np.sqrt(np.mean((self.mean - other.mean) ** 2 + (self.sd - other.sd) ** 2)))


def check_budget(likelihood: Likelihood, prior: str, residual: str) -> None:
    """Refuse a posterior whose parts are not known in closed form."""
    if not isinstance(likelihood, Gaussian):
        raise refuse("the likelihood for an error budget", likelihood, "Gaussian")
    if prior != "gp" or residual != "gp":
        raise ValueError('prior and residual must be "gp" for an error budget: other priors have no exact process')


@one_blas_thread()
def error_budget(pls: ProjectedLangevinSampler, X: Array, y: Array) -> Facts:
    """The four `PARTS` at the data X (n, inputs) of a fit to them, in units of f; see above.

    Further facts are ``total``, the distance of the particles from the exact process; ``draws``, the sampling error of
    as many independent draws; ``turn``, the setting to change first. A ValueError if the likelihood, the prior or the
    residual has no budget, or the eigenfunctions of the covariance under a normal law of the inputs are not known.
    """
    check_budget(pls.likelihood, pls.prior, pls.residual)
    assert isinstance(pls.likelihood, Gaussian)
    k, noise = covariances.of(pls.kernel), pls.likelihood.noise_variance
    exact = BudgetMarginals(*ExactGaussianProcess(k, noise).fit(X, y).predict(X, return_std=True))
    eigenfunctions = Mercer(k, X.mean(axis=0), X.std(axis=0), pls.basis_.size, inputs=X.shape[1])
    step_size = pls.step_size_ if pls.integrator == "euler-maruyama" else 0.0
    at_data = pls.marginals(X)
    laws = [
        exact,
        _best(eigenfunctions, X, y, noise),
        _best(pls.basis_, X, y, noise),
        _best(pls.basis_, X, y, noise, step_size),
        BudgetMarginals(at_data.mean(), at_data.sd()),
    ]
    parts = {part: near.distance(far) for part, near, far in zip(PARTS, laws, laws[1:], strict=False)}
    # a mean of J draws has the variance sd^2 / J, their sd about half of that
    draws = math.sqrt(1.5 * float(np.mean(laws[3].sd ** 2)) / len(pls.coefficients_))
    worst = max(parts, key=lambda part: parts[part])
    turn = KNOBS.get(worst, "steps" if parts["sampling"] > LUCK * draws else "particles")
    return {**parts, "total": exact.distance(laws[-1]), "draws": draws, "turn": turn}


def _best(basis: Basis, X: Array, y: Array, noise: float, step_size: float = 0.0) -> BudgetMarginals:
    """The best law in a basis, or the stationary one of Euler-Maruyama, of covariance (A (I - step_size A / 2))^-1."""
    e = basis.features(X)
    left = Residual(basis).variance(X, e)
    law, _ = collapsed(e, left, y, noise)
    rates, vectors = linalg.eigh(law.precision)
    if not step_size * rates[-1] < 2.0:
        raise ValueError(f"step_size must be below {2.0 / rates[-1]:.3g}, where steps are stable, not {step_size:g}")
    turned = e @ vectors
    return BudgetMarginals(e @ law.mean, np.sqrt(turned**2 @ (1.0 / (rates * (1.0 - 0.5 * step_size * rates))) + left))
