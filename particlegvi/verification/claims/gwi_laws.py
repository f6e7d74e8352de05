"""The minimiser of the objective of Gaussian Wasserstein inference: its distance, its covariance, its mean."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.functionspace import (
    GaussianWasserstein,
    SparseGaussianProcess,
    covariances,
    gaussian_w2_squared,
    likelihoods,
    process_w2_squared,
)
from particlegvi.functionspace.wasserstein import estimated_w2_squared
from particlegvi.verification.claim import Check, Checks, claim

NOISE = 0.25
SIZES = np.geomspace(1e-3, 1.0, 20)
SHOWN = np.linspace(-1.3, 1.3, 131)[:, None]


def regression(seed: int, rows: int = 100) -> tuple[covariances.SquaredExponential, np.ndarray, np.ndarray]:
    """A covariance, inputs on [-1, 1] and targets of a curve with the noise."""
    r = np.random.default_rng(seed)
    X = np.sort(r.uniform(-1.0, 1.0, rows))[:, None]
    y = np.sin(4.0 * X[:, 0]) + np.sqrt(NOISE) * r.standard_normal(rows)
    return covariances.SquaredExponential(float(r.uniform(0.2, 0.4)), 1.0), X, y


@claim("Gelbrich (1990); thesis (4.11), not (4.15)", wrong="estimator (4.15) with 100 of 300 points")
def w2_gelbrich(seed: int, wrong: bool, *, dims: tuple[int, ...] = (1, 2, 4, 8)) -> Checks:
    """W2 of Gaussian measures is the cost of the optimal linear map; from P to P it is 0.

    `gaussian_w2_squared` of random matrices against the cost of the optimal linear map, which is found on its own;
    and W2^2 of a process and itself over its trace, for 300 normal inputs of 1 to 8 coordinates.

    Wrong: the thesis's estimator with 100 of the 300 points, by which the latter is 0.01 to 0.9.
    """
    r = np.random.default_rng(seed)
    costs = []
    for n in (1, 2, 4, 6):
        a, b = (half @ half.T + 0.1 * np.eye(n) for half in r.standard_normal((2, n, n)))
        m, other = r.standard_normal((2, n))
        half = linalg.sqrtm(a).real
        inverse = linalg.inv(half)
        left = np.eye(n) - inverse @ linalg.sqrtm(half @ b @ half).real @ inverse  # 1 - T, T a T = b
        cost = float(np.trace(left @ a @ left.T) + np.sum((m - other) ** 2))
        costs.append(abs(gaussian_w2_squared(m, a, other, b) - cost) / cost)
    itself = []
    for dim in dims:
        k, X = covariances.SquaredExponential(float(r.uniform(0.5, 1.5)), 1.0), r.standard_normal((300, dim))
        itself.append(estimated_w2_squared(k, k, X, X[:100]) if wrong else process_w2_squared(k, k, X))
    return (
        Check("distance to the cost of the map, relative", float(max(costs)), 1e-8),
        Check("W2^2 of a process and itself, over its trace", float(max(itself)), 1e-8),
    )


@claim("thesis (B.43); derived in docs/gaussian-wasserstein.md", wrong="a of (4.12), with W2 and not its square")
def gwi_covariance(seed: int, wrong: bool, *, rows: int = 30, others: int = 200) -> Checks:
    """The minimiser of GWI's objective has the prior's covariance, divided by one number a^2.

    With every input an inducing point: J as a function of the matrix r(X, X), by `gaussian_w2_squared`. At the
    covariance of `GaussianWasserstein`, k / a^2, none of 200 other positive semi-definite matrices may have a smaller
    J, and multiples of it may not either.
    """
    _, X, y = regression(seed, rows)
    k, r = covariances.Matern12(0.5, 1.0), np.random.default_rng(seed + 1)
    weight = "unsquared" if wrong else 1.0
    model = GaussianWasserstein(k, likelihoods.Gaussian(NOISE), X, w2_weight=weight).fit(X, y)
    prior, covariance = k(X), model.covariance(X)
    zero, n = np.zeros(rows), rows

    def cost(matrix: np.ndarray) -> float:
        return float(np.trace(matrix)) / (2.0 * NOISE) + gaussian_w2_squared(zero, prior / n, zero, matrix / n)

    costs = []
    for number in range(others):
        size = SIZES[number % len(SIZES)]
        change = np.eye(n) + size * r.standard_normal((n, n)) / np.sqrt(n)
        costs.append(cost(change @ covariance @ change.T))
    costs += [cost(factor * covariance) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0)]
    return Check("J saved by another covariance", cost(covariance) - min(costs), 1e-9)


@claim("thesis (B.43), (4.17); derived in docs/gaussian-wasserstein.md", wrong="the mean of SVGP")
def gwi_mean(seed: int, wrong: bool, *, weights: tuple[float, ...] = (0.1, 1.0, 30.0, 1000.0)) -> Checks:
    """The mean of GWI's minimiser is the least-squares fit, divided by 1 + 2 s2 w / n.

    The gradient of J in the coefficients of the mean, written out from the features, at the mean of
    `GaussianWasserstein` for several weights w of W2^2, over that at 0.
    """
    k, X, y = regression(seed)
    Z, noise, n = np.linspace(-1.0, 1.0, 8)[:, None], likelihoods.Gaussian(NOISE), len(y)
    slopes = []
    for w in weights:
        model = GaussianWasserstein(k, noise, Z, w2_weight=w).fit(X, y)
        mean = SparseGaussianProcess(k, noise, Z).fit(X, y) if wrong else model
        m, e = mean.predict(X), model.basis.features(X)
        slope = e.T @ ((m - y) / NOISE + 2.0 * w * m / n)
        slopes.append(float(np.linalg.norm(slope) / np.linalg.norm(e.T @ y / NOISE)))
    return Check("gradient of J in the mean, over that at 0", max(slopes), 1e-8)


@claim("thesis (B.43): m_Q and r never meet", wrong="SVGP with counts, y and y permuted")
def gwi_decouples(seed: int, wrong: bool) -> Checks:
    """The covariance of Gaussian Wasserstein inference does not depend on the targets.

    The standard deviations of f at 131 inputs for targets and for a permutation of them: not a bit differs.
    """
    k, X, y = regression(seed)
    r, Z = np.random.default_rng(seed + 1), np.linspace(-1.0, 1.0, 10)[:, None]
    targets = r.poisson(np.exp(2.0 * y)).astype(np.float64) if wrong else y
    order = r.permutation(len(y))
    sds = []
    for observed in (targets, targets[order]):
        model: SparseGaussianProcess | GaussianWasserstein = GaussianWasserstein(k, likelihoods.Gaussian(NOISE), Z)
        if wrong:
            model = SparseGaussianProcess(k, likelihoods.Poisson("log"), Z)
        sds.append(model.fit(X, observed).predict(SHOWN, True)[1])
    return Check("largest difference of the sds of f", float(np.abs(sds[0] - sds[1]).max()), 0.0)
