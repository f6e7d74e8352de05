"""Learned inducing points in Gaussian Wasserstein inference beside greedy ones: docs/appendix/table-4-1.md.

The objective (B.43) of the inducing points alone, with the best mean and S = I / a^2 put in, is up to a constant

    (|y|^2 - f |P y|^2) / (2 s2) + b (tr k(X, X) - tr C C^T),    f = 1 / (1 + 2 s2 w / n),
    b = (1 - 1/a^2) / (2 s2) - (w / n) (1 - 1/a)^2,

with C = L^-1 k(Z, X) and P the projection onto its rows, here with a ridge. It is minimised by L-BFGS with its exact
gradient, from greedy points. Beside it are greedy points, and those of the evidence bound (rule "elbo").
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import linalg

from particlegvi.functionspace import GaussianWasserstein, likelihoods, selection
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.functionspace.linalg import factor, in_gram, in_points
from particlegvi.functionspace.selection.rules import Targets, greedy, place
from particlegvi.functionspace.wasserstein.rules import shrinkage
from particlegvi.metrics import gaussian_nll
from particlegvi.scenario.tables.wasserstein.protocols import problem

RIDGE = 1e-8  # of the projection, in units of the largest eigenvalue of C C^T


class Objective:
    """The objective and its gradient in points (M, dim)."""

    def __init__(self, k, X, y, noise, weight=1.0):
        self.k, self.X, self.y, self.noise = k, X, y, noise
        n, a = len(y), shrinkage(weight, len(y), noise) ** -0.5
        self.fit = 1.0 / (1.0 + 2.0 * noise * weight / n)
        self.trace = (1.0 - 1.0 / a**2) / (2.0 * noise) - weight / n * (1.0 - 1.0 / a) ** 2

    def at(self, Z):
        k, X, y = self.k, self.X, self.y
        L = factor(k(Z))
        C = linalg.solve_triangular(L, k(Z, X), lower=True)
        G, c = C @ C.T, C @ y
        A = linalg.cho_factor(G + RIDGE * float(np.trace(G)) * np.eye(len(Z)))
        mean = linalg.cho_solve(A, c)
        scale = self.fit / (2.0 * self.noise)
        value = float(y @ y) / (2.0 * self.noise) - scale * float(c @ mean)
        value += self.trace * (float(k.diagonal(X).sum()) - float(np.trace(G)))
        # in C: of c, of G, and of the ridge, which is a multiple of the trace of G
        in_c = -2.0 * scale * (np.outer(mean, y - mean @ C) - RIDGE * float(mean @ mean) * C) - 2.0 * self.trace * C
        across = linalg.solve_triangular(L, in_c, lower=True, trans="T")
        return value, in_points(k, Z, in_gram(L, across @ C.T), (X, across))


def points(rule, k, noise, part, count, seed, most):
    """Inducing points (M, dim) by a rule."""
    start = greedy(k, part.X, count, seed).points
    if rule == "greedy":
        return start
    if rule == "elbo":
        return selection.select("elbo", k, part.X, len(start), seed, Targets(part.y, noise, start)).points
    return place(Objective(k, part.X, part.y, noise).at, start, part.X, most)[0]


def scores(row, split, counts, most):
    """Objective and negative log-likelihood of the test rows by rule and number of points, in a table."""
    data, found = problem(row, "standardised", split), {}
    train, held, test = data.train, data.validation, data.test
    k, noise = regression_covariance(*train, seed=data.seed)
    for times in counts:
        count = round(times * np.sqrt(len(train.y)))
        for rule in ("greedy", "elbo", "learned"):
            Z = points(rule, k, noise, train, count, data.seed, most)
            model = GaussianWasserstein(k, likelihoods.Gaussian(noise_variance=noise), Z, covariance="svgp")
            model.fit(*train, validation=tuple(held))
            mean, sd = model.predict(test.X, return_std=True, of="target")
            nll = gaussian_nll(data.scale * test.y, data.scale * mean, data.scale * sd)
            found[times, rule] = Objective(k, *train, noise).at(Z)[0], nll
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", default=["boston", "concrete"])
    parser.add_argument("--splits", nargs="+", type=int, default=list(range(5)))
    parser.add_argument("--counts", nargs="+", type=float, default=[1.0, 3.0], help="numbers of points over sqrt(n)")
    parser.add_argument("--iterations", type=int, default=300)
    given = parser.parse_args()
    for row in given.rows:
        every = [scores(row, split, given.counts, given.iterations) for split in given.splits]
        for times, rule in every[0]:
            objectives, nll = np.array([each[times, rule] for each in every]).T
            gain = nll - np.array([each[times, "greedy"][1] for each in every])
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
            print(
                f"{row:9} {times:g} sqrt(n)  {rule:8} J {objectives.mean():10.1f}   NLL {nll.mean():7.3f} "
                f"({nll.std():.3f})   against greedy {gain.mean():+.3f} +- {error:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
