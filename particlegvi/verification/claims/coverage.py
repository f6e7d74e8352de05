"""The share of bands of 90% that hold the true function, given values at points or means over intervals."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.functionspace import (
    ExactGaussianProcess,
    GaussianWasserstein,
    SparseGaussianProcess,
    covariances,
    likelihoods,
)
from particlegvi.functionspace import functionals as fl
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

X = np.linspace(-1.0, 1.0, 200)[:, None]
WIDE = 1.6448536269514722  # standard deviations of a band of 90%


@claim("thesis, Figure 4.1; docs/gaussian-wasserstein.md", wrong="mean and covariance of GWI's objective")
def bands_of_f(seed: int, wrong: bool, *, functions: int = 60, noise: float = 0.25) -> Checks:
    """SVGP's 90% band contains f at 90% of the rows (Gaussian Wasserstein's does not).

    Sixty functions drawn from a known prior, 200 rows each, 30 inducing points: the share of the rows at which
    SVGP's band of 90% holds f. The share of one function has an sd of about 0.08, that of sixty of 0.01; the bound is
    five of them.

    Wrong: the covariance of Gaussian Wasserstein inference (B.43), around the same kind of mean.
    """
    r = np.random.default_rng(seed)
    k, likelihood = covariances.SquaredExponential(0.15, 1.0), likelihoods.Gaussian(noise)
    values, vectors = linalg.eigh(k(X))
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    shares, Z = [], X[3::7][:30]
    f = mean = sd = np.zeros(len(X))
    for _ in range(functions):
        f = half @ r.standard_normal(len(X))
        y = f + np.sqrt(noise) * r.standard_normal(len(X))
        model: GaussianWasserstein | SparseGaussianProcess = SparseGaussianProcess(k, likelihood, Z)
        if wrong:
            model = GaussianWasserstein(k, likelihood, Z)
        mean, sd = model.fit(X, y).predict(X, return_std=True)
        shares.append(np.mean(np.abs(f - mean) <= WIDE * sd))
    covered = float(np.mean(shares))
    return Check("distance of the coverage to 0.9", abs(covered - 0.9), 0.05)


@claim("thesis 3.3 (3.4), (3.5)", wrong="centres of intervals taken for points")
def functional_coverage(
    seed: int, wrong: bool, *, draws: int = 1000, width: float = 0.25, lengthscale: float = 0.2, noise: float = 0.01
) -> Checks:
    """Given means over intervals a 90% band contains the true function at 90% of the inputs.

    The share of 40 inputs at which a band of 90% holds a function that was drawn from the prior, given its means
    over eight intervals with noise; averaged over 1000 functions, whose spread gives the standard error.
    """
    r = np.random.default_rng(seed)
    k = covariances.SquaredExponential(lengthscale, 1.0)
    low = np.arange(8) * width
    data, look = fl.Intervals(low, low + width), np.linspace(0.0, 2.0, 40)[:, None]
    joint = (data + fl.Points(look)).gram(k)
    values, vectors = linalg.eigh(joint)
    drawn = r.standard_normal((draws, len(joint))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    y = drawn[:, :8] + np.sqrt(noise) * r.standard_normal((draws, 8))
    taken = fl.Points((low + 0.5 * width)[:, None]) if wrong else data
    # the mean is linear in y: its matrix, from the eight unit vectors
    means = np.array([ExactGaussianProcess(k, noise).fit(taken, unit).predict(look) for unit in np.eye(8)])
    _, sd = ExactGaussianProcess(k, noise).fit(taken, y[0]).predict(look, return_std=True)
    shares = np.mean(np.abs(y @ means - drawn[:, 8:]) <= WIDE * sd, axis=1)
    error = float(shares.std(ddof=1)) / np.sqrt(draws)
    covered = float(shares.mean())
    return Check("distance of the coverage to 0.9", abs(covered - 0.9), chance.ERRORS * error)
