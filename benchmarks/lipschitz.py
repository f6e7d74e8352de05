"""The certificate of projected Langevin sampling in 2,000 random problems, against quadrature: never broken, how tight.

Each problem has 1 to 3 rows, 1 or 2 coefficients, a random covariance and one of three costs: logistic, Student-t, and
a wave, a (sin(w f + y)), which is not convex. All laws are sums over grids, once with half of the points.

python benchmarks/lipschitz.py [PROBLEMS]
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, rel_entr

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.sampling.lipschitz import certificate_of

POINTS = {1: 2001, 2: 241, 3: 81}  # along each axis
STEEPEST = {1: 12.0, 2: 5.0, 3: 2.5}  # slope of the cost in units of the prior's deviation
REACH = 9.0
Array = np.ndarray


class _Wave(NamedTuple):
    size: float
    frequency: float


class Wave(_Wave, Likelihood):
    """The cost size sin(frequency f + y)."""

    __slots__ = ()
    name = "wave"

    @property
    def slope_bound(self) -> float:  # type: ignore[override]
        return self.size * self.frequency

    def cost(self, f: Array, y: Array) -> Array:
        return self.size * np.sin(self.frequency * f + y)


def axes(dim: int, share: int) -> tuple[Array, Array]:
    """Standard normal points (n, dim) of a grid, and the logarithms of their weights (n,)."""
    edge = np.linspace(-REACH, REACH, (POINTS[dim] - 1) // share + 1)
    grid = np.stack([each.ravel() for each in np.meshgrid(*[edge] * dim, indexing="ij")], axis=1)
    logs = -0.5 * np.sum(grid**2, axis=1)
    return grid, logs - logsumexp(logs)


def problem(random: np.random.Generator) -> tuple[ProjectedLangevinSampler, Array, Array]:
    """A posterior with its data; the fewer rows, the steeper the cost may be at this number of points."""
    rows = int(random.choice([1, 2, 3], p=[0.4, 0.4, 0.2]))
    X = random.uniform(-1.0, 1.0, (rows, 1)) * 10.0 ** random.uniform(-1.0, 0.5)
    variance = 10.0 ** random.uniform(-1.5, 1.5)
    kernel = pg.kernels.SquaredExponential(lengthscale=1.0, variance=variance)
    steep = random.uniform(0.2, STEEPEST[rows]) / math.sqrt(variance)
    kind = int(random.integers(3))
    if kind == 0:
        likelihood: Likelihood = likelihoods.Bernoulli(steepness=steep)
        y = random.integers(0, 2, rows).astype(float)
    elif kind == 1:
        nu = 10.0 ** random.uniform(-0.3, 1.5)
        likelihood = likelihoods.StudentT(nu, 1.0 / (steep * math.sqrt(nu)) + 0.3 * math.sqrt(variance / nu))
        y = random.normal(0.0, 2.0 * math.sqrt(variance), rows)
    else:
        likelihood = Wave(random.uniform(0.2, 4.0), min(steep, 2.0 / math.sqrt(variance)))
        y = random.uniform(-3.0, 3.0, rows)
    Z = random.uniform(X.min() - 0.7, X.max() + 0.7, (int(random.integers(1, min(rows, 2) + 1)), 1))
    sampler = ProjectedLangevinSampler(kernel, likelihood, Z, prior="gp")
    return sampler.restored(Nystroem(kernel, Z), np.zeros((1, len(Z)))), X, y


def measured(pls: ProjectedLangevinSampler, X: Array, y: Array, share: int = 1) -> tuple[float, float, float, float]:
    """KL(best, exact), KL(PLS, tau*), and at the first row the errors of the mean and of P(y = 1), as KL of coins."""
    cost, e = pls.likelihood.cost, pls.basis_.features(X)
    root = np.linalg.cholesky(pls.basis_.covariance(X) + 1e-12 * np.eye(len(X)))
    z, weights = axes(len(X), share)
    f = z @ root.T
    exact = weights - cost(f, y).sum(axis=1)
    u, prior = axes(e.shape[1], share)
    nodes, of_nodes = axes(1, 10 * share)
    left = np.sqrt(pls.residual_.variance(X))
    mean = u @ e.T
    expected = np.zeros(len(u))
    for node, weight in zip(nodes[:, 0], np.exp(of_nodes), strict=True):
        expected += weight * cost(mean + node * left, y).sum(axis=1)
    best, sampled = prior - expected, prior - cost(mean, y).sum(axis=1)
    gap = float(logsumexp(exact) - logsumexp(best))
    exact, best, sampled = (each - logsumexp(each) for each in (exact, best, sampled))
    law = np.exp(sampled)
    f_exact = float(np.exp(exact) @ f[:, 0])
    p_exact = float(np.exp(exact) @ expit(f[:, 0]))
    p = float(law @ expit(mean[:, :1] + nodes[:, 0] * left[0]) @ np.exp(of_nodes))
    coins = float(rel_entr(p, p_exact) + rel_entr(1.0 - p, 1.0 - p_exact))
    return gap, float(law @ (sampled - best)), abs(float(law @ mean[:, 0]) - f_exact), coins


def main(problems: int = 2000, seed: int = 0) -> None:
    random = np.random.default_rng(seed)
    ratios: dict[str, list[list[float]]] = {}
    unsure = 0.0
    for number in range(problems):
        pls, X, y = problem(random)
        found = measured(pls, X, y)
        if number % 20 == 0:
            unsure = max(unsure, max(np.abs(np.subtract(found, measured(pls, X, y, 2)))))
        given = certificate_of(pls, X, y, "gp")
        bounds = (given.family, given.projection, float(given.mean_error(X[:1])[0]), given.total)
        # errors of the sums are at most 1e-9; the certificates are wider
        row = [max(a - 1e-9, 0.0) / b for a, b in zip(found, bounds, strict=True)]
        ratios.setdefault(pls.likelihood.name, []).append(row)
    print(f"{problems} problems; halving the points changes a number by at most {unsure:.1e}")
    heads = ("KL(best, exact)", "KL(PLS, best)", "error of mean", "P(y = 1)")
    print(f"{'measured over its bound':26}" + "".join(f"{head:>22}" for head in heads))
    for name, rows in ratios.items():
        table = np.array(rows)
        cells = [f"{np.median(each):.2g}, most {each.max():.3g}" for each in table.T]
        print(f"{name:20} {len(rows):5} " + "".join(f"{cell:>22}" for cell in cells))
        assert table.max() <= 1.0, "a bound is broken"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
