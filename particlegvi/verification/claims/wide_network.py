"""Wide networks with a Gaussian last layer: their kernel comes near that of a Gaussian process."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

NOISE = 0.1  # variance of an observation


class WideNetwork(Claim):
    """The last layer of a drawn network is a Bayesian linear regression; in the limit of width that of the NNGP.

    Its kernel is a mean over the hidden units, so that an entry misses the arc-cosine kernel (Cho and Saul, 2009) by
    at most sqrt(5 / width) of the diagonal's size in standard deviations: bound by four of them. The mean and the sd of
    the members' law at test inputs must miss those of the process by no more, relatively. Wrong: width 32.
    """

    name = "wide-network"
    claim = "Wide networks come near their Gaussian process as width^-1/2"
    source = "Neal (1996); Cho and Saul (2009)"
    wrong = "width 32"
    width, rows = 4096, 12

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        X = random.standard_normal((self.rows + 8, 2))
        net = pg.networks.Network(2, (32 if wrong else self.width,), parameterisation="ntk")
        theta = net.prior("unit").sample(1, seed=seed)
        weights = net.layers[-1][0]
        slopes = net.pull_back(np.repeat(theta, len(X), axis=0), X, np.eye(len(X)))[:, weights]
        found, exact = slopes @ slopes.T, self.kernel(X)
        scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
        error = np.abs(found - exact) / scale
        bound = 4.0 * math.sqrt(5.0 / self.width)
        y = np.sin(X[: self.rows, 0])
        (mean, sd), (true_mean, true_sd) = (self.predicted(K, y) for K in (found, exact))
        apart = max(np.abs(mean - true_mean).max() / np.abs(y).max(), np.abs(sd / true_sd - 1.0).max())
        checks = (
            Check("largest relative error of the kernel", float(error.max()), bound),
            Check("largest error of the mean and the sd of members", float(apart), bound),
        )
        return Experiment(checks, {"error": error[np.triu_indices(len(X))], "bound": bound})

    def kernel(self, X: np.ndarray) -> np.ndarray:
        """The kernel of the infinite network: 2 E relu(u) relu(v) for the sums u, v of the first layer."""
        sums = X @ X.T + 1.0  # 2 / inputs, of the gain and two inputs, is 1
        sizes = np.sqrt(np.diag(sums))
        angle = np.arccos(np.clip(sums / np.outer(sizes, sizes), -1.0, 1.0))
        return np.outer(sizes, sizes) / math.pi * (np.sin(angle) + (math.pi - angle) * np.cos(angle))

    def predicted(self, K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the function at the last rows given targets at the first."""
        n = len(y)
        gain = np.linalg.solve(K[:n, :n] + NOISE * np.eye(n), K[:n, n:])
        variance = np.diag(K[n:, n:] - K[n:, :n] @ gain)
        return gain.T @ y, np.sqrt(np.maximum(variance, 1e-12))

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(range(len(data["error"])), np.sort(data["error"]), markersize=3).level(data["bound"], "bound")
        picture.frame("entry of the kernel, by size", "relative error", "upper left", ylim=(0.0, 1.5))
