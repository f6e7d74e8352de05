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
from particlegvi.verification.claim import Check, Checks, Claim
from particlegvi.verification.picture import Picture

NOISE = 0.25
SIZES = np.geomspace(1e-3, 1.0, 20)
SHOWN = np.linspace(-1.3, 1.3, 131)[:, None]


def regression(seed: int, rows: int = 100) -> tuple[covariances.SquaredExponential, np.ndarray, np.ndarray]:
    """A covariance, inputs on [-1, 1] and targets of a curve with the noise."""
    r = np.random.default_rng(seed)
    X = np.sort(r.uniform(-1.0, 1.0, rows))[:, None]
    y = np.sin(4.0 * X[:, 0]) + np.sqrt(NOISE) * r.standard_normal(rows)
    return covariances.SquaredExponential(float(r.uniform(0.2, 0.4)), 1.0), X, y


class W2Gelbrich(Claim):
    """`gaussian_w2_squared` of random matrices against the cost of the optimal linear map, which is found on its own;
    and W2^2 of a process and itself over its trace, for 300 normal inputs of 1 to 8 coordinates.

    Wrong: the thesis's estimator with 100 of the 300 points, by which the latter is 0.01 to 0.9.
    """

    claim = "W2 of Gaussian measures is the cost of the optimal linear map; from P to P it is 0"
    source = "Gelbrich (1990); thesis (4.11), not (4.15)"
    wrong = "estimator (4.15) with 100 of 300 points"
    same_scale = False
    dims = (1, 2, 4, 8)

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        r = np.random.default_rng(seed)
        costs = []
        for n in (1, 2, 4, 6):
            a, b = (each @ each.T + 0.1 * np.eye(n) for each in r.standard_normal((2, n, n)))
            m, other = r.standard_normal((2, n))
            half = linalg.sqrtm(a).real
            inverse = linalg.inv(half)
            left = np.eye(n) - inverse @ linalg.sqrtm(half @ b @ half).real @ inverse  # 1 - T, T a T = b
            cost = float(np.trace(left @ a @ left.T) + np.sum((m - other) ** 2))
            costs.append(abs(gaussian_w2_squared(m, a, other, b) - cost) / cost)
        itself = []
        for dim in self.dims:
            k, X = covariances.SquaredExponential(float(r.uniform(0.5, 1.5)), 1.0), r.standard_normal((300, dim))
            method = "thesis" if wrong else "exact"
            points = 100 if wrong else None
            itself.append(process_w2_squared(k, k, X, method=method, points=points, seed=seed % 2**31).value)
        picture.curve(self.dims, itself, "$W_2^2(P, P)$ / trace", "o-").level(0.0, "truth")
        labels = ("coordinates of an input", "$W_2^2(P, P)$, part of the trace")
        picture.frame(*labels, "upper left", xticks=self.dims, ylim=(-0.02, max(1.15 * max(itself), 0.1)))
        return (
            Check("distance to the cost of the map, relative", float(max(costs)), 1e-8),
            Check("W2^2 of a process and itself, over its trace", float(max(itself)), 1e-8),
        )


class GwiCovariance(Claim):
    """With every input an inducing point: J as a function of the matrix r(X, X), by `gaussian_w2_squared`. At the
    covariance of `GaussianWasserstein`, k / a^2, none of 200 other positive semi-definite matrices may have a smaller
    J, and multiples of it may not either.
    """

    claim = "The minimiser of GWI's objective has the prior's covariance, divided by one number a^2"
    source = "thesis (B.43); derived in docs/gaussian-wasserstein.md"
    wrong = "a of (4.12), with W2 and not its square"
    rows, others = 30, 200

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        _, X, y = regression(seed, self.rows)
        k, r = covariances.Matern12(0.5, 1.0), np.random.default_rng(seed + 1)
        weight = "unsquared" if wrong else 1.0
        model = GaussianWasserstein(k, likelihoods.Gaussian(NOISE), X, w2_weight=weight).fit(X, y)
        prior, found = k(X), model.covariance(X)
        zero, n = np.zeros(self.rows), self.rows

        def cost(matrix: np.ndarray) -> float:
            return float(np.trace(matrix)) / (2.0 * NOISE) + gaussian_w2_squared(zero, prior / n, zero, matrix / n)

        best, table = cost(found), []
        for number in range(self.others):
            size = SIZES[number % len(SIZES)]
            change = np.eye(n) + size * r.standard_normal((n, n)) / np.sqrt(n)
            table.append((size, cost(change @ found @ change.T) - best))
        table += [(abs(factor - 1.0), cost(factor * found) - best) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0)]
        changes = np.array(table)
        picture.pairs(changes, "other matrices", markersize=4).level(0.0, "the covariance as tried")
        labels = ("size of the change", "$J$ above that of the covariance")
        ticks = [-1e-2, -1e-5, 0.0, 1e-5, 1e-2]
        picture.frame(*labels, "upper left", log="x", symlog=1e-8, yticks=ticks, ylim=(-1.0, 1e5))
        return Check("J saved by another covariance", float(np.max(-changes[:, 1])), 1e-9)


class GwiMean(Claim):
    """The gradient of J in the coefficients of the mean, written out from the features, at the mean of
    `GaussianWasserstein` for several weights w of W2^2, over that at 0.
    """

    claim = "The mean of GWI's minimiser is the least-squares fit, divided by 1 + 2 s2 w / n"
    source = "thesis (B.43), (4.17); derived in docs/gaussian-wasserstein.md"
    wrong = "the mean of SVGP"
    weights = (0.1, 1.0, 30.0, 1000.0)

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        k, X, y = regression(seed)
        Z, noise, n = np.linspace(-1.0, 1.0, 8)[:, None], likelihoods.Gaussian(NOISE), len(y)
        slopes, curves = [], []
        for w in self.weights:
            model = GaussianWasserstein(k, noise, Z, w2_weight=w).fit(X, y)
            teller = SparseGaussianProcess(k, noise, Z).fit(X, y) if wrong else model
            m, e = teller.predict(X), model.basis.features(X)
            slope = e.T @ ((m - y) / NOISE + 2.0 * w * m / n)
            slopes.append(float(np.linalg.norm(slope) / np.linalg.norm(e.T @ y / NOISE)))
            curves.append(teller.predict(SHOWN))
        picture.data(X[:, 0], y).curves(SHOWN[:, 0], curves, [f"$w$ = {w:g}" for w in self.weights])
        picture.frame("input $x$", "mean", "upper left", columns=2, xlim=(-1.3, 1.3), ylim=(-2.6, 5.0))
        return Check("gradient of J in the mean, over that at 0", max(slopes), 1e-8)


class GwiDecouples(Claim):
    """The standard deviations of f at 131 inputs for targets and for a permutation of them: not a bit differs."""

    claim = "The covariance of Gaussian Wasserstein inference does not depend on the targets"
    source = "thesis (B.43): m_Q and r never meet"
    wrong = "SVGP with counts, y and y permuted"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        k, X, y = regression(seed)
        r, Z = np.random.default_rng(seed + 1), np.linspace(-1.0, 1.0, 10)[:, None]
        targets = r.poisson(np.exp(2.0 * y)).astype(np.float64) if wrong else y
        order = r.permutation(len(y))
        sds = []
        for each in (targets, targets[order]):
            if wrong:
                _, sd = SparseGaussianProcess(k, likelihoods.Poisson("log"), Z).fit(X, each).predict(SHOWN, True)
            else:
                _, sd = GaussianWasserstein(k, likelihoods.Gaussian(NOISE), Z).fit(X, each).predict(SHOWN, True)
            sds.append(sd)
        picture.curve(SHOWN[:, 0], sds[0], "targets").curve(SHOWN[:, 0], sds[1], "targets permuted", "--")
        picture.frame("input $x$", "sd of $f$", "upper center", xlim=(-1.3, 1.3), ylim=(0.0, 1.05))
        return Check("largest difference of the sds of f", float(np.abs(sds[0] - sds[1]).max()), 0.0)
