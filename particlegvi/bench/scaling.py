"""Cost of one repulsion against the number of particles, direct and accelerated."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import particlegvi as pg
from particlegvi.engine.pairs.algorithms import suitable

NUMBERS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LONGEST = 4.0  # seconds; an algorithm that would take longer is left out from there on


def measure(dim: int, tolerance: float = 1e-12, numbers: tuple[int, ...] = NUMBERS) -> dict[str, list[list[float]]]:
    """Seconds of each suitable algorithm on a Normal(0, 2^2) cloud: name -> [[N, seconds], ...]."""
    kernel = pg.kernels.SquaredExponential(1.0)
    curves: dict[str, list[list[float]]] = {}
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


def _seconds(algorithm: Any, x: np.ndarray, out: np.ndarray) -> float:
    times = []
    for attempt in range(4):
        begun = time.perf_counter()
        _, prepared = algorithm.estimate(x)
        algorithm.force(x, prepared, 1.0, out)
        if attempt > 0:
            times.append(time.perf_counter() - begun)
        if attempt > 0 and times[-1] > 1.0:
            break
    return statistics.median(times)
