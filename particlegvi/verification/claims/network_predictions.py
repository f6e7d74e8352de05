"""Predictions of ensembles: scores, one member, and the limit of wide networks."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

EULER = 0.5772156649015329
NOISE = 0.1  # variance of an observation


@claim("thesis 5.5, Table 5.1; docs/networks.md", wrong="ten members")
def spread_score(seed: int, wrong: bool, *, rows: int = 400_000, largest: int = 400, noise: float = 1.0) -> Checks:
    """The spread of five members makes a score with no variance.

    The Gaussian NLL with the spread of five members as all the variance: its mean, and its tail index of 2.

    For members N(f, s^2) and errors of their mean with variance r^2 the mean of the score is
    log(2 pi s^2)/2 + (psi(2) - log 2)/2 + r^2/s^2, and P(score > t) falls as 1.5 (r/s)^4 / t^2: it has no variance.
    The index is Hill's estimate from the largest scores. Wrong: ten members, whose index is 4.5.
    """
    random = np.random.default_rng(seed)
    members = random.standard_normal((10 if wrong else 5, rows))
    error = math.sqrt(noise**2 + 0.2) * random.standard_normal(rows)
    variance = members.var(axis=0, ddof=1)
    scores = 0.5 * np.log(2.0 * math.pi * variance) + 0.5 * error**2 / variance
    ratio = noise**2 + 0.2
    mean = 0.5 * math.log(2.0 * math.pi) + 0.5 * (1.0 - EULER - math.log(2.0)) + ratio
    tail = 1.5 * ratio**2
    allowed = chance.ERRORS * math.sqrt(tail * math.log(rows * tail) / rows)
    top = np.sort(scores)[-largest - 1 :]
    index = 1.0 / float(np.mean(np.log(top[1:] / top[0])))
    return (
        Check("distance of the mean score to the closed form", abs(float(scores.mean()) - mean), allowed),
        Check("distance of the tail index to 2", abs(index - 2.0), chance.ERRORS * 2.0 / math.sqrt(largest)),
    )


@claim("Neal (1996); Cho and Saul (2009)", wrong="width 32")
def wide_network(seed: int, wrong: bool, *, width: int = 4096, rows: int = 12) -> Checks:
    """Wide networks come near their Gaussian process as width^-1/2.

    The last layer of a drawn network is a Bayesian linear regression; in the limit of width that of the NNGP.

    Its kernel is a mean over the hidden units, so that an entry misses the arc-cosine kernel (Cho and Saul, 2009) with
    a standard deviation of at most sqrt(5 / width) of the diagonal; the bound is four of them. The relative errors of
    the members' mean and sd at test inputs have the bound of the kernel.
    """
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows + 8, 2))
    net = pg.networks.Network(2, (32 if wrong else width,), parameterisation="ntk")
    theta = net.prior("unit").sample(1, seed=seed)
    weights = net.layers[-1][0]
    slopes = net.pull_back(np.repeat(theta, len(X), axis=0), X, np.eye(len(X)))[:, weights]
    own, exact = slopes @ slopes.T, kernel(X)
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    error = np.abs(own - exact) / scale
    bound = 4.0 * math.sqrt(5.0 / width)
    y = np.sin(X[:rows, 0])
    (mean, sd), (true_mean, true_sd) = (predicted(K, y) for K in (own, exact))
    apart = max(np.abs(mean - true_mean).max() / np.abs(y).max(), np.abs(sd / true_sd - 1.0).max())
    return (
        Check("largest relative error of the kernel", float(error.max()), bound),
        Check("largest error of the mean and the sd of members", float(apart), bound),
    )


def kernel(X: np.ndarray) -> np.ndarray:
    """The kernel of the infinite network: 2 E relu(u) relu(v) for the sums u, v of the first layer."""
    sums = X @ X.T + 1.0  # 2 / inputs, of the gain and two inputs, is 1
    sizes = np.sqrt(np.diag(sums))
    angle = np.arccos(np.clip(sums / np.outer(sizes, sizes), -1.0, 1.0))
    return np.outer(sizes, sizes) / math.pi * (np.sin(angle) + (math.pi - angle) * np.cos(angle))


def predicted(K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the function at the last rows given targets at the first."""
    n = len(y)
    gain = np.linalg.solve(K[:n, :n] + NOISE * np.eye(n), K[:n, n:])
    variance = np.diag(K[n:, n:] - K[n:, :n] @ gain)
    return gain.T @ y, np.sqrt(np.maximum(variance, 1e-12))
