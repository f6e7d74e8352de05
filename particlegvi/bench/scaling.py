"""Cost of one repulsion against the number of particles, direct and accelerated."""

from __future__ import annotations

import statistics
import time

import numpy as np

import particlegvi as pg
from particlegvi.engine.pairs.algorithms import Algorithm, suitable

Curves = dict[str, list[list[float]]]  # [[N, seconds], ...] of each algorithm, by its name
NUMBERS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LONGEST = 4.0  # seconds; larger N are left out for an exact algorithm that would take longer


def measure(dim: int, tolerance: float = 1e-12, numbers: tuple[int, ...] = NUMBERS) -> Curves:
    """Seconds of each suitable algorithm for points from Normal(0, 2^2)."""
    kernel = pg.kernels.SquaredExponential(1.0)
    curves: Curves = {}
    for algorithm in suitable(kernel, dim, tolerance):
        points: list[list[float]] = []
        for number in numbers:
            if points and points[-1][1] * (number / points[-1][0]) ** 2 > LONGEST and algorithm.exact:
                break
            x = pg.priors.Normal(np.zeros(dim), 2.0).sample(number)
            out = np.empty_like(x)
            if algorithm.estimate(x) is None:
                continue
            points.append([float(number), _seconds(algorithm, x, out)])
        if points:
            curves[algorithm.name] = points
    return curves


def _seconds(algorithm: Algorithm, x: np.ndarray, out: np.ndarray) -> float:
    times = []
    for attempt in range(4):
        begun = time.perf_counter()
        estimate = algorithm.estimate(x)
        assert estimate is not None
        algorithm.force(x, estimate[1], 1.0, out)
        if attempt > 0:
            times.append(time.perf_counter() - begun)
        if attempt > 0 and times[-1] > 1.0:
            break
    return statistics.median(times)
