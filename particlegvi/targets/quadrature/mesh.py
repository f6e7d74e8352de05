"""Sums of a kernel over many weighted points, by a uniform mesh and the fast Fourier transform.

Weights are spread to the mesh by eighth-order Lagrange interpolation, the mesh is convolved with the kernel exactly,
and the result is interpolated back with the same weights. This matrix is symmetric, and positive semi-definite where
the kernel is, at any spacing; the solver of the fixed point needs both. The spacing is refined until the measured error
of the interpolation meets a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from particlegvi.contracts import Kernel
from particlegvi.engine.terms.evaluate import profile_values, squared_distances

STENCIL = 8  # mesh points along a side, from which the polynomial of a point is made
DENOMINATORS = np.array([np.prod([k - j for j in range(STENCIL) if j != k]) for k in range(STENCIL)], dtype=np.float64)
MOST_POINTS = {1: 2**22, 2: 2**21}
COMFORTABLE = {1: 2**17, 2: 2**18}
TRIALS = 400
HALF = STENCIL // 2


def half_distance(kernel: Kernel) -> float:
    """The distance at which the kernel has fallen to half its value at 0."""
    distances = np.geomspace(1e-150, 1e150, 3001)
    below = profile_values(kernel, distances**2) < 0.5 * float(profile_values(kernel, np.zeros(1))[0])
    return float(distances[np.argmax(below)]) if np.any(below) else 1e150


def vanishing_distance(kernel: Kernel) -> float:
    """The distance from which on the kernel is below 1e-18 of its value at 0; infinite beyond 1000 half distances."""
    reach = half_distance(kernel)
    distances = reach * np.geomspace(1.0, 1e3, 400)
    notable = profile_values(kernel, distances**2) > 1e-18 * float(profile_values(kernel, np.zeros(1))[0])
    return np.inf if notable[-1] else float(distances[np.flatnonzero(notable)[-1] + 1])


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
    exact = profile_values(kernel, np.sum(away**2, axis=1) * spacing**2)
    top = float(profile_values(kernel, np.zeros(1))[0])
    return 3.0 * float(np.max(np.abs(np.sum(weights * profile_values(kernel, r2), axis=1) - exact))) / top


class MeshInteraction:
    """``sum_j kappa(x, x_j) weight_j`` for points x_j (n, dim) known in advance and a lengthscale that is a number.

    ``tolerance`` is the error of the interpolated kernel that is aimed at, in units of its value at 0; ``enough`` is
    accepted where the tolerance would need too fine a mesh. Attribute: ``error``, the measured one.
    """

    def __init__(self, kernel: Kernel, points: np.ndarray, tolerance: float, enough: float) -> None:
        self.kernel, self.points = kernel, points
        low, high = points.min(axis=0), points.max(axis=0)
        self.reach = half_distance(kernel)
        self.spacing, self.error = spacing_for(kernel, high - low, self.reach, tolerance, enough)
        self._mesh = Mesh(kernel, low, high, self.spacing)
        self._spread = self._mesh.stencils(points)

    def apply(self, weights: np.ndarray) -> np.ndarray:
        """The sum at the points themselves, (n,) for weights (n,)."""
        return self._spread @ self._mesh.convolved(self._spread.T @ weights)

    def field(self, weights: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """The sum as a function of points (m, dim)."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        # The mesh is wider: up to the reach of the kernel, or up to where a few masses can replace all points.
        margin = min(vanishing_distance(self.kernel), float(max(np.max(high - low), 6.0 * self.reach)))
        mesh = Mesh(self.kernel, low - margin, high + margin, self.spacing)
        values = mesh.convolved(mesh.stencils(self.points).T @ weights)
        coarse = Mesh(self.kernel, low, high, margin / 12.0)
        return partial(_field, mesh, values, coarse.corners(), coarse.stencils(self.points).T @ weights)


def _field(mesh: Mesh, values: np.ndarray, far: np.ndarray, masses: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The sum at points (m, dim) by a mesh, and outside of it by few masses at places ``far`` away."""
    inside = mesh.holds(x)
    result = np.empty(len(x))
    result[inside] = mesh.interpolated(values, x[inside])
    result[~inside] = _direct(mesh.kernel, far, masses, x[~inside])
    return result


class Mesh:
    """A uniform mesh over a box, half a stencil wider on each side."""

    def __init__(self, kernel: Kernel, low: np.ndarray, high: np.ndarray, spacing: float) -> None:
        self.kernel, self.spacing = kernel, spacing
        self.origin = low - HALF * spacing
        self.shape = tuple(int(number) for number in np.ceil((high - low) / spacing) + 2 * HALF + 1)
        self._transform: np.ndarray | None = None
        self._padded: tuple[int, ...] = ()

    def convolved(self, masses: np.ndarray) -> np.ndarray:
        """Sums of the kernel at the mesh points for masses at the mesh points, both (mesh points,)."""
        if self._transform is None:
            self._padded = tuple(fast_length(2 * number - 1) for number in self.shape)
            axes = [self.spacing * np.minimum(np.arange(size), size - np.arange(size)) for size in self._padded]
            r2 = sum(axis**2 for axis in np.meshgrid(*axes, indexing="ij"))
            self._transform = np.fft.rfftn(profile_values(self.kernel, np.asarray(r2))).real
        axes_order = tuple(range(len(self.shape)))
        product = np.fft.rfftn(masses.reshape(self.shape), self._padded, axes_order) * self._transform
        result = np.fft.irfftn(product, self._padded, axes_order)
        return np.ascontiguousarray(result[tuple(slice(0, number) for number in self.shape)]).ravel()

    def holds(self, x: np.ndarray) -> np.ndarray:
        """Mask (n,) of the points (n, dim) whose whole stencil is on the mesh."""
        position = (x - self.origin) / self.spacing
        return np.all((position >= HALF - 1) & (position < np.array(self.shape) - HALF), axis=1)

    def corners(self) -> np.ndarray:
        """All mesh points, (number, dim)."""
        axes = [self.origin[i] + self.spacing * np.arange(size) for i, size in enumerate(self.shape)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))

    def stencils(self, x: np.ndarray) -> Any:
        """A ``scipy.sparse.csr_array``: the matrix (n, mesh points) of Lagrange weights of the points."""
        from scipy.sparse import csr_array

        number = int(np.prod(self.shape))
        # Half a million points have 64 weights each: indices of half the size take a third of the time.
        index: type[np.integer] = np.int32 if max(number, len(x) * STENCIL ** x.shape[1]) < 2**31 else np.int64
        sizes = np.array(self.shape, dtype=index)
        position = (x - self.origin) / self.spacing
        first = np.clip(np.floor(position).astype(index) - (HALF - 1), 0, sizes - STENCIL)
        steps = np.arange(STENCIL, dtype=index)
        columns, weights = first[:, :1] + steps, lagrange(position[:, 0] - first[:, 0])
        for i in range(1, x.shape[1]):
            more = lagrange(position[:, i] - first[:, i])
            columns = columns[:, :, None] * sizes[i] + (first[:, i : i + 1] + steps)[:, None, :]
            columns = columns.reshape(len(x), -1)
            weights = (weights[:, :, None] * more[:, None, :]).reshape(len(x), -1)
        starts = (np.arange(len(x) + 1) * columns.shape[1]).astype(index)
        return csr_array((weights.ravel(), columns.ravel(), starts), shape=(len(x), number))

    def interpolated(self, values: np.ndarray, x: np.ndarray, chunk: int = 50_000) -> np.ndarray:
        """Values (mesh points,) interpolated to points (n, dim)."""
        parts = [self.stencils(x[start : start + chunk]) @ values for start in range(0, len(x), chunk)]
        return np.concatenate(parts) if parts else np.empty(0)


def _direct(kernel: Kernel, sources: np.ndarray, masses: np.ndarray, x: np.ndarray) -> np.ndarray:
    result = np.empty(len(x))
    step = max(1, 4_000_000 // max(1, len(sources)))
    for start in range(0, len(x), step):
        part = x[start : start + step]
        with np.errstate(over="ignore"):
            r2 = squared_distances(part, sources)
        result[start : start + step] = profile_values(kernel, np.minimum(r2, 1e300)) @ masses
    return result


def fast_length(least: int) -> int:
    """The smallest number from ``least`` on without prime factors above 5: transforms of this length are fast."""
    odd = (3**i * 5**j for i in range(least.bit_length()) for j in range(least.bit_length()))
    return min(part << (-(-least // part) - 1).bit_length() for part in odd)
