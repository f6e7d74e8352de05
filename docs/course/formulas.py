"""The names in the formulas of the course's tables, for anyone who wants to compute a number again."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from statistics import NormalDist

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

Function = Callable[[np.ndarray], np.ndarray]
Phi = NormalDist().cdf
LINE = np.linspace(-5.0, 5.0, 401)
GRID = np.linspace(-12.0, 12.0, 48_001)


def integral(f: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(f, low, high)[0])


def average(f: Function, V: Function) -> float:
    """The mean of f under the density exp(-V) / Z on the line."""
    q = np.exp(V(GRID).min() - V(GRID))
    return float(q @ f(GRID) / q.sum())


def share(where: Function, V: Function) -> float:
    """The mass of exp(-V) / Z at the places where a condition holds."""
    return average(lambda t: where(t).astype(float), V)


def coin(p: float, n: int) -> float:
    """The standard error of the share of n independent draws that have the probability p."""
    return float(np.sqrt(p * (1.0 - p) / n))


def tilted(t: np.ndarray) -> np.ndarray:
    """The tilted double well of lectures 1 to 4."""
    return 1.5 * (t**4 / 4.0 + t**3 / 3.0 - t**2) - 0.375


def stationary(eta: float) -> float:
    """The mean of Euler-Maruyama's own law on the tilted double well, kl_weight 1, prior N(0, 1), by many steps."""
    x = np.linspace(-5.0, 4.0, 361)
    slope = 1.5 * (x**3 + x**2 - 2.0 * x) + x
    step = np.exp(-0.25 * (x - (x - eta * slope)[:, None]) ** 2 / eta)
    step /= step.sum(axis=1, keepdims=True)
    for _ in range(16):  # 65,536 steps
        step = step @ step
    return float(step[0] @ x)


def evidence(points: int | None = None) -> float:
    """The log evidence of the data of `regression-curve`, or Titsias's bound with as many inducing points."""
    import particlegvi as pg

    sparse = pg.run("regression-curve", particles=1, inducing_points=points or 10, progress=None)["SVGP"]
    x, y = sparse.problem.X[:, 0], sparse.problem.y
    full = 1.5 * np.exp(-0.5 * ((x[:, None] - x) / 0.8) ** 2)
    low = full
    if points is not None:
        z = sparse.posterior.model.inducing_points_[:, 0]
        across = 1.5 * np.exp(-0.5 * ((x[:, None] - z) / 0.8) ** 2)
        among = 1.5 * np.exp(-0.5 * ((z[:, None] - z) / 0.8) ** 2)
        low = across @ np.linalg.lstsq(among, across.T, rcond=1e-13)[0]
    law = low + 0.06 * np.eye(len(y))
    level = y @ np.linalg.solve(law, y) + np.linalg.slogdet(law)[1] + len(y) * np.log(2.0 * np.pi)
    return float(-0.5 * level - 0.5 * np.trace(full - low) / 0.06)


def repelled_minimiser(loss: np.ndarray, kl_weight: float, mmd_weight: float) -> np.ndarray:
    """The masses of Q* of DRLE on LINE: prior N(0, 1), lengthscale 1; Newton steps on the convex dual problem."""
    values, vectors = np.linalg.eigh(np.exp(-0.5 * (LINE[:, None] - LINE) ** 2))
    features = vectors[:, values > 1e-10] * np.sqrt(values[values > 1e-10])
    lambda1 = max(2.0 * mmd_weight, 1e-9)
    base = loss - lambda1 * np.exp(-(LINE**2) / 4.0) / np.sqrt(2.0) + 0.5 * kl_weight * LINE**2

    def dual(z: np.ndarray) -> tuple[float, np.ndarray]:
        level = -(base + features @ z) / kl_weight
        q = np.exp(level - level.max())
        return float(kl_weight * (np.log(q.sum()) + level.max()) + z @ z / (2.0 * lambda1)), q / q.sum()

    z = np.zeros(features.shape[1])
    for _ in range(200):
        value, q = dual(z)
        mean = q @ features
        slope = z / lambda1 - mean
        curvature = (features.T * q @ features - np.outer(mean, mean)) / kl_weight + np.eye(len(z)) / lambda1
        way, size = np.linalg.solve(curvature, slope), 1.0
        while dual(z - size * way)[0] > value - 1e-4 * size * (slope @ way) and size > 1e-8:
            size *= 0.5
        z = z - size * way
    return dual(z)[1]


def repelled(mmd_weight: float) -> float:
    """The share below 0 of Q* of DRLE on the tilted double well, kl_weight 1."""
    q = repelled_minimiser(tilted(LINE), 1.0, mmd_weight)
    return float(q[LINE < -1e-9].sum() + 0.5 * q[np.abs(LINE) < 1e-9].sum())


def repelled_spring(particles: int) -> float:
    """The average loss t^2/2 of DRLE with weights 0.25 and 5: of the law of one or two particles, or of Q* for many."""
    if 2 < particles < 1000:
        raise ValueError(f"particles must be 1, 2, or 1000 or more, which have the law of Q* to 1e-4, not {particles}")
    if particles > 2:
        return float(repelled_minimiser(0.5 * LINE**2, 0.25, 5.0) @ (0.5 * LINE**2))
    level = 0.625 * LINE**2 - 10.0 * np.exp(-(LINE**2) / 4.0) / np.sqrt(2.0)
    if particles == 1:
        return average(lambda t: 0.5 * t**2, lambda t: np.interp(t, LINE, level, np.inf, np.inf) / 0.25)
    energy = level[:, None] + level + 5.0 * np.exp(-0.5 * (LINE[:, None] - LINE) ** 2)
    law = np.exp((energy.min() - energy) / 0.25)
    return float(law.sum(axis=1) @ (0.5 * LINE**2) / law.sum())


def modes_of_eight(mmd_weight: float) -> float:
    """The mean number of eight modes that eight particles of DRLE cover, in 200 simulations of exercise 3 by numpy."""
    rng, lambda1, edges = np.random.default_rng(12345), 2.0 * mmd_weight, np.array([-0.5, 7.5])
    t = rng.uniform(*edges, (200, 8))
    for _ in range(10_000):
        r = t[:, :, None] - t[:, None, :]
        pushed = (r / 0.25 * np.exp(-2.0 * r**2)).sum(axis=2) * lambda1 / 8.0
        low, high = (np.exp(-2.0 * (t - edge) ** 2) / 8.0 for edge in edges)
        drawn = lambda1 * (low - high) - np.pi * np.sin(2.0 * np.pi * t)  # by the prior, and by the loss
        t = t + 2e-3 * (pushed + drawn) + np.sqrt(2.0 * 0.05 * 2e-3) * rng.standard_normal(t.shape)
        t = edges[1] - np.abs(edges[1] - (edges[0] + np.abs(t - edges[0])))  # reflected at both walls
    return float(np.mean([len(set(np.clip(np.round(row), 0, 7))) for row in t]))


NAMES = {
    **{name: getattr(np, name) for name in ("abs", "arctan", "cos", "exp", "log", "pi", "sin", "sqrt")},
    "Phi": Phi, "average": average, "coin": coin, "evidence": evidence, "factorial": factorial, "integral": integral,
    "modes_of_eight": modes_of_eight,
    "repelled": repelled, "repelled_spring": repelled_spring, "root": brentq, "share": share, "stationary": stationary,
    "student": stats.t.sf, "sum": sum, "tilted": tilted, "zip": zip,
}  # fmt: skip
