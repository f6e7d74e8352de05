"""Functionals as features: the best law of them, and kernel ridge regression in their span."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.functionspace import SparseGaussianProcess, covariances, likelihoods
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.covariances import Covariance
from particlegvi.functionspace.functionals import Functionals
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import normal_kl

NOISE, ROWS = 0.1, 60
SHOWN = np.linspace(-0.1, 1.1, 121)[:, None]
SIZES = np.geomspace(1e-4, 0.3, 25)


def problems(seed: int) -> list[tuple[Covariance, Functionals, np.ndarray, np.ndarray]]:
    """Covariance, functionals, and data: points, windows and Fourier functions."""
    r = np.random.default_rng(seed)
    X = r.uniform(0.0, 1.0, (ROWS, 1))
    y = np.sin(7.0 * X[:, 0]) + np.sqrt(NOISE) * r.standard_normal(ROWS)
    places = np.linspace(0.0, 1.0, 8)[:, None] + r.uniform(-0.03, 0.03, (8, 1))
    smooth = covariances.SquaredExponential(0.15, 1.2)
    return [
        (smooth, fl.Points(places), X, y),
        (smooth, fl.Windows(places, r.uniform(0.0, 0.08, (8, 1))), X, y),
        (covariances.Matern32(0.3, 1.2), fl.Fourier(-0.5, 1.5, 6, ends=True), X, y),
    ]


@claim("thesis, A.2.2 and (3.10)", wrong="s2 in the place of 1/s2 in Sigma")
def best_features(seed: int, wrong: bool, *, others: int = 200) -> Checks:
    """No law of the features has a higher bound than N(mu, Sigma) of (3.10).

    The bound of SVGP for a law N(mu, Sigma) of the features, written out in C_LL, C_LD of A.2.2, against that of 200
    other laws near (3.10), of sizes from 1e-4 to 0.3: none may be higher. The package's bound is that of (3.10).

    Points, windows and Fourier features.
    """
    r = np.random.default_rng(seed + 1)
    gains, distances = [], []
    for k, of, X, y in problems(seed):
        own, cross = of.gram(k), of.cross(k, X)
        mean = own @ linalg.solve(NOISE * own + cross @ cross.T, cross @ y, assume_a="pos")
        weight = NOISE if wrong else 1.0 / NOISE
        covariance = own @ linalg.solve(own + weight * cross @ cross.T, own, assume_a="pos")
        best = elbo((own, cross), k.diagonal(X), y, mean, covariance)
        model = SparseGaussianProcess(k, likelihoods.Gaussian(NOISE), of).fit(X, y)
        distances.append(abs(best - model.bound) / abs(model.bound))
        half = linalg.cholesky(covariance, lower=True)
        for number in range(others):
            size = SIZES[number % len(SIZES)]
            a, b = r.standard_normal(len(mean)), r.standard_normal(own.shape)
            other = half + size * half @ b
            value = elbo((own, cross), k.diagonal(X), y, mean + size * half @ a, other @ other.T)
            gains.append(value - best)
    return (
        Check("largest gain of another law, in nats", float(max(gains)), 1e-8),
        Check("distance of the bound to the package's, relative", float(max(distances)), 1e-8),
    )


@claim("thesis, Theorem 3.6.1, A.3", wrong="noise variance lambda, not n lambda", name="nystroem-ridge")
def nystroem_ridge_mean(seed: int, wrong: bool, *, penalty: float = 0.002) -> Checks:
    """Nystroem ridge regression is the mean of SVGP with noise variance n times the penalty.

    Kernel ridge regression in the span of features, by the alpha of Theorem 3.6.1 written out, against the mean of
    SVGP with noise variance n lambda; points, windows and Fourier features.
    """
    of_mean = 0.0
    for k, of, X, y in problems(seed):
        own, cross, shown = of.gram(k), of.cross(k, X), of.cross(k, SHOWN)
        alpha = linalg.solve(cross @ cross.T + len(X) * penalty * own, cross @ y, assume_a="pos")
        right = shown.T @ alpha
        noise = likelihoods.Gaussian(penalty * (1 if wrong else len(X)))
        mean = SparseGaussianProcess(k, noise, of).fit(X, y).predict(SHOWN)
        of_mean = max(of_mean, float(np.abs(mean - right).max()))
    return Check("distance of the mean of SVGP to Theorem 3.6.1", of_mean, 1e-10)


def elbo(
    blocks: tuple[np.ndarray, np.ndarray], prior: np.ndarray, y: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> float:
    """The bound of A.2.2 for N(mean, covariance) of the features, from C_LL, C_LD and k(x_n, x_n), in nats."""
    own, cross = blocks
    solved = linalg.solve(own, cross, assume_a="pos")
    at, kept = solved.T @ mean, np.sum(solved * (covariance @ solved), axis=0)
    variances = prior - np.sum(cross * solved, axis=0) + kept
    fit = -0.5 * len(y) * np.log(2.0 * np.pi * NOISE) - np.sum((y - at) ** 2 + variances) / (2.0 * NOISE)
    return float(fit) - normal_kl(mean, covariance, own)
