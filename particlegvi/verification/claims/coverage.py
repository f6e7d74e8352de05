"""The share of bands of 90% that hold the true function, and the posterior given functionals."""

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
NOISE, WIDE = 0.05, 1.6448536269514722  # the latter standard deviations of a band of 90%


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


@claim("thesis (3.4), (3.5), A.1; (3.4) forgets (m, D)", wrong="y in the place of y - (m, D), as (3.4) prints it")
def functional_posterior(seed: int, wrong: bool, *, sets: int = 20) -> Checks:
    """Given means over intervals, slopes and values, F has the law of (3.4), (3.5), corrected.

    Mean and variance of a point, a slope and a mean over an interval, given two means over intervals, two points and
    a slope, under a prior mean that is not 0; against the joint precision matrix, in units of prior sds.

    Twenty random sets of data under a Matern 5/2.
    """
    r = np.random.default_rng(seed)
    look = fl.Points([[0.3]]) + fl.Slopes([[1.4]]) + fl.Intervals(0.0, 2.0)
    of_mean, of_variance, gp = 0.0, 0.0, None
    for _ in range(sets):
        k = covariances.Matern52(float(r.uniform(0.4, 0.8)), float(r.uniform(0.5, 2.0)))
        low, x = r.uniform(0.0, 1.5, 2), r.uniform(0.0, 2.0, (3, 1))
        data = fl.Intervals(low, low + r.uniform(0.2, 0.5, 2)) + fl.Points(x[:2]) + fl.Slopes(x[2:])
        y, known = r.normal(0.0, 1.0, 5), data.apply(prior_mean)
        gp = ExactGaussianProcess(k, NOISE, prior_mean).fit(data, y + known if wrong else y)
        mean, sd = gp.predict(look, return_std=True)
        right, variance = conditioned((data + look).gram(k), y - known, look.apply(prior_mean))
        scale = np.sqrt(look.diagonal(k))
        of_mean = max(of_mean, float(np.max(np.abs(mean - right) / scale)))
        of_variance = max(of_variance, float(np.max(np.abs(sd**2 - variance) / scale**2)))
    return (
        Check("error of the mean, in prior sds", of_mean, 1e-10),
        Check("error of the variance, in prior variances", of_variance, 1e-10),
    )


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


def prior_mean(X: np.ndarray) -> np.ndarray:
    """2 - x^2, whose means and slopes are polynomials."""
    return 2.0 - X[:, 0] ** 2


def conditioned(joint: np.ndarray, left: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variances of what is looked at, from the precision of all: independent of (3.4) and (3.5)."""
    n = len(left)
    matrix = joint.copy()
    matrix[:n, :n] += NOISE * np.eye(n)
    precision = linalg.inv(matrix)
    covariance = linalg.inv(precision[n:, n:])
    return means - covariance @ precision[n:, :n] @ left, covariance.diagonal()
