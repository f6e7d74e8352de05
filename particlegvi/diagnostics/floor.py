"""How far as many exact draws would be from the target: the floor under W1, W2 and the energy distance on the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi.diagnostics.particles import line_target

Array = NDArray[np.float64]
CELLS = 1000
REPLICATES = 400
TAIL = 2.0 ** -np.arange(12.0, 44.0)


def wasserstein1_floor(
    target: Any, n: int, quantiles: Sequence[float] = (0.05, 0.95), replicates: int = REPLICATES, seed: int = 0
) -> tuple[float, ...]:
    """Quantiles of the W1 distance between the target and ``n`` independent exact draws from it.

    With X = Q(U), W1 is the integral of |U_n(u) - u| dQ(u), U_n the distribution function of n uniforms. The numbers of
    draws in some 1500 cells are drawn, and W1 follows by the trapezoidal rule, which is right to about one per cent,
    less than the noise of the replicates.

    Parameters
    ----------
    target : target with one dimension
    n : int
        Number of draws.
    quantiles : sequence of floats in [0, 1]
    replicates : int
        Number of simulated samples; a 95% quantile from 400 is known to about 4%.
    seed : int

    Returns
    -------
    tuple of floats
        One for each quantile, in the units of the target; infinite where the target has no mean.

    Raises
    ------
    ValueError
        If the target is not one-dimensional, or n, replicates or a quantile is out of range.
    """
    return line_floors(target, n, quantiles, replicates, seed)["w1"]


def line_floors(
    target: Any, n: int, quantiles: Sequence[float] = (0.05, 0.95), replicates: int = REPLICATES, seed: int = 0
) -> dict[str, tuple[float, ...]]:
    """The floors of `wasserstein1`, and for a density of `wasserstein2` and `energy_distance` as well.

    Parameters and errors are those of `wasserstein1_floor`; the keys are "w1", "w2" and "energy".
    """
    line_target(target)
    for key, number in (("n", n), ("replicates", replicates)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ValueError(f"{key} is {number!r}; a whole number of at least 1 is allowed")
    levels = checked_levels(quantiles)
    draw = np.random.default_rng([int(seed), int(n)])
    if target.kind == "atoms":
        masses, x = target.weights, target.atoms[:, 0]
        miss = _misses(draw, masses, int(n), replicates)
        distances = {"w1": np.abs(miss[:, :-1]) @ np.diff(x)}
    elif not np.isfinite(target.mean):
        return {name: (float("inf"),) * len(levels) for name in ("w1", "w2", "energy")}
    else:
        u, x = _cells(target)
        miss = _misses(draw, np.diff(u), int(n), replicates)[:, :-1]
        widths = halves(np.diff(x))
        distances = {
            "w1": np.abs(miss) @ widths,
            "w2": _order_two(miss, u, x),
            "energy": np.sqrt(2.0 * (miss * miss) @ widths),
        }
    floors = {name: tuple(float(value) for value in np.quantile(each, levels)) for name, each in distances.items()}
    if "w2" in floors and not np.isfinite(target.variance):
        floors["w2"] = (float("inf"),) * len(levels)
    return floors


def checked_levels(quantiles: Sequence[float]) -> Array:
    """Levels of quantiles as an array; a ValueError unless they are a list of numbers in [0, 1]."""
    levels = np.asarray(quantiles, dtype=np.float64)
    if levels.ndim != 1 or not np.all((levels >= 0.0) & (levels <= 1.0)):
        raise ValueError(f"quantiles are {quantiles!r}; a list of numbers in [0, 1] is allowed")
    return levels


def halves(gaps: Array) -> Array:
    """Weights of the trapezoidal rule for points with these gaps between them."""
    padded = np.concatenate([[0.0], gaps, [0.0]])
    return 0.5 * (padded[1:] + padded[:-1])


def _cells(target: Any) -> tuple[Array, Array]:
    """Edges of cells, fine in probability, in its tails, and in position: with 0 and 1 as levels, without as places."""
    u = np.concatenate([np.arange(1, CELLS) / CELLS, TAIL, 1.0 - TAIL])
    low, high = target.quantile(np.array([1e-7, 1.0 - 1e-7]))
    u = np.unique(np.concatenate([u, target.cdf(np.linspace(low, high, CELLS // 2))]))
    u = np.concatenate([[0.0], u[(u > 0.0) & (u < 1.0)], [1.0]])
    return u, target.quantile(u[1:-1])


def _misses(draw: np.random.Generator, masses: Array, n: int, replicates: int) -> Array:
    """Share of the draws in each cell or any before it, less its probability: (replicates, cells)."""
    masses = masses / masses.sum()
    if n < len(masses):
        cell = np.searchsorted(np.cumsum(masses)[:-1], draw.random(n * replicates), side="right")
        cell += np.repeat(np.arange(replicates) * len(masses), n)
        counts = np.bincount(cell, minlength=replicates * len(masses)).reshape(replicates, -1)
    else:
        counts = draw.multinomial(n, masses, size=replicates)
    return np.cumsum(counts / n - masses, axis=1)


def _order_two(miss: Array, u: Array, x: Array) -> Array:
    """W2 from the quantile functions, those of the draws by interpolation: [integral of (Q_n - Q)^2 du]^(1/2)."""
    middle, du = 0.5 * (u[1:] + u[:-1]), np.diff(u)
    exact = np.interp(middle, u[1:-1], x)
    return np.sqrt([np.sum((np.interp(middle, row + u[1:-1], x) - exact) ** 2 * du) for row in miss])
