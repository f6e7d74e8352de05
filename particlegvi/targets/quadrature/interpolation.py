"""The mesh spacing at which a kernel can be interpolated: its reach, Lagrange weights, and the measured error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from particlegvi.contracts import Kernel

STENCIL = 8
DENOMINATORS = np.array([np.prod([k - j for j in range(STENCIL) if j != k]) for k in range(STENCIL)], dtype=np.float64)
MOST_POINTS = {1: 2**22, 2: 2**21}
COMFORTABLE = {1: 2**17, 2: 2**18}
TRIALS = 400


def profile(kernel: Kernel, r2: np.ndarray) -> np.ndarray:
    """kappa at squared distances of any shape."""
    from particlegvi.engine.terms.evaluate import profile_values

    return profile_values(kernel, r2)


def half_distance(kernel: Kernel) -> float:
    """The distance at which the kernel has fallen to half its value at 0."""
    distances = np.geomspace(1e-150, 1e150, 3001)
    below = profile(kernel, distances**2) < 0.5 * float(profile(kernel, np.zeros(1))[0])
    return float(distances[np.argmax(below)]) if np.any(below) else 1e150


def vanishing_distance(kernel: Kernel) -> float:
    """The distance from which on the kernel is below 1e-18 of its value at 0; infinite beyond 1000 half distances."""
    reach = half_distance(kernel)
    distances = reach * np.geomspace(1.0, 1e3, 400)
    seen = profile(kernel, distances**2) > 1e-18 * float(profile(kernel, np.zeros(1))[0])
    return np.inf if seen[-1] else float(distances[np.flatnonzero(seen)[-1] + 1])


def lagrange(t: np.ndarray) -> np.ndarray:
    """Weights (n, 8) of the values at 0, 1, ..., 7 in the polynomial through them, at t (n,)."""
    gaps = t - np.arange(STENCIL)[:, None]
    result = np.empty_like(gaps)
    result[0] = 1.0
    for k in range(1, STENCIL):  # products of the gaps before k, then those after it
        np.multiply(result[k - 1], gaps[k - 1], out=result[k])
    after = gaps[-1].copy()
    for k in range(STENCIL - 2, -1, -1):
        result[k] *= after
        after *= gaps[k]
    return np.ascontiguousarray((result / DENOMINATORS[:, None]).T)


def spacing_for(
    kernel: Kernel, extent: np.ndarray, reach: float, tolerance: float, enough: float
) -> tuple[float, float]:
    """Spacing of the mesh, and the interpolation error there, for points in a box with the sides ``extent`` (dim,).

    The spacing is reduced until the error is at most ``tolerance``, or at most ``enough`` if the next mesh would be
    large. A ValueError if both need too many points.
    """
    dim = len(extent)
    spacing = reach / 4.0
    while True:
        error = _interpolation_error(kernel, spacing, reach, dim)
        number, finer = (np.prod(extent / (factor * spacing) + 2 * STENCIL) for factor in (1.0, 0.7))
        if number > MOST_POINTS[dim]:
            break
        if error <= tolerance or (error <= enough and finer > COMFORTABLE[dim]):
            return spacing, error
        spacing *= 0.7
    wide = " by ".join(f"{size:.3g}" for size in extent)
    raise ValueError(
        f"the kernel, which halves within {reach:.3g}, is too narrow for the target's support of {wide}; "
        "a larger lengthscale or a narrower prior is needed"
    )


def _interpolation_error(kernel: Kernel, spacing: float, reach: float, dim: int) -> float:
    """Largest error of the kernel over random pairs, in units of its value at 0.

    Measured for one interpolation; the factor 3 accounts for the two that a sum needs.
    """
    draw = np.random.default_rng(0)
    x = draw.uniform(STENCIL // 2 - 1, STENCIL // 2, size=(TRIALS, dim))  # in the middle of a stencil
    away = draw.normal(size=(TRIALS, dim))
    away *= (np.geomspace(1e-3 * spacing, 4.0 * reach, TRIALS) / spacing / np.linalg.norm(away, axis=1))[:, None]
    nodes = np.stack(np.meshgrid(*[np.arange(STENCIL)] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
    weights = lagrange(x[:, 0])
    for i in range(1, dim):
        weights = (weights[:, :, None] * lagrange(x[:, i])[:, None, :]).reshape(TRIALS, -1)
    r2 = np.sum(((x + away)[:, None] - nodes) ** 2, axis=2) * spacing**2
    exact = profile(kernel, np.sum(away**2, axis=1) * spacing**2)
    top = float(profile(kernel, np.zeros(1))[0])
    return 3.0 * float(np.max(np.abs(np.sum(weights * profile(kernel, r2), axis=1) - exact))) / top
