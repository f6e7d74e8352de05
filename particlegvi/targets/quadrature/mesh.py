"""Sums of a kernel over many weighted points, by a uniform mesh and the fast Fourier transform.

Weights are spread to the mesh by eighth-order Lagrange interpolation, the mesh is convolved with the kernel exactly,
and the result is interpolated back with the same weights. This matrix is symmetric, and positive semi-definite where
the kernel is, at any spacing; the solver of the fixed point needs both. The spacing is refined until the measured error
of the interpolation meets a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from particlegvi.targets.quadrature.interpolation import (
    STENCIL,
    half_distance,
    lagrange,
    profile,
    spacing_for,
    vanishing_distance,
)

if TYPE_CHECKING:
    from particlegvi.contracts import Kernel

HALF = STENCIL // 2


class Interaction:
    """``sum_j kappa(x, x_j) weight_j`` for points x_j known in advance.

    Parameters
    ----------
    kernel : kernel with a number for its lengthscale
    points : array (n, dim)
    tolerance : float
        Error of the interpolated kernel that is aimed at, in units of its value at 0.
    enough : float
        Error that is accepted where the tolerance would need too fine a mesh.

    Attributes
    ----------
    error : float
        Measured error of the interpolated kernel, in the same units.

    Raises
    ------
    ValueError
        If even ``enough`` needs too fine a mesh.
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
        # A wider mesh, to the reach of the kernel, or to where a few masses can stand for all points.
        margin = min(vanishing_distance(self.kernel), float(max(np.max(high - low), 6.0 * self.reach)))
        mesh = Mesh(self.kernel, low - margin, high + margin, self.spacing)
        values = mesh.convolved(mesh.stencils(self.points).T @ weights)
        coarse = Mesh(self.kernel, low, high, margin / 12.0)
        far, masses = coarse.corners(), coarse.stencils(self.points).T @ weights

        def field(x: np.ndarray) -> np.ndarray:
            inside = mesh.holds(x)
            result = np.empty(len(x))
            result[inside] = mesh.interpolated(values, x[inside])
            result[~inside] = _direct(self.kernel, far, masses, x[~inside])
            return result

        return field


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
            self._transform = np.fft.rfftn(profile(self.kernel, np.asarray(r2))).real
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

        position = (x - self.origin) / self.spacing
        first = np.clip(np.floor(position).astype(np.int64) - (HALF - 1), 0, np.array(self.shape) - STENCIL)
        steps = np.arange(STENCIL)
        columns, weights = first[:, :1] + steps, lagrange(position[:, 0] - first[:, 0])
        for i in range(1, x.shape[1]):
            more = lagrange(position[:, i] - first[:, i])
            columns = columns[:, :, None] * self.shape[i] + (first[:, i : i + 1] + steps)[:, None, :]
            columns = columns.reshape(len(x), -1)
            weights = (weights[:, :, None] * more[:, None, :]).reshape(len(x), -1)
        starts = np.arange(len(x) + 1) * columns.shape[1]
        return csr_array((weights.ravel(), columns.ravel(), starts), shape=(len(x), int(np.prod(self.shape))))

    def interpolated(self, values: np.ndarray, x: np.ndarray, chunk: int = 50_000) -> np.ndarray:
        """Values (mesh points,) interpolated to points (n, dim)."""
        parts = [self.stencils(x[start : start + chunk]) @ values for start in range(0, len(x), chunk)]
        return np.concatenate(parts) if parts else np.empty(0)


def fast_length(least: int) -> int:
    """The smallest number from ``least`` on without prime factors above 5: transforms of this length are fast."""
    odd = (3**i * 5**j for i in range(least.bit_length()) for j in range(least.bit_length()))
    return min(part << (-(-least // part) - 1).bit_length() for part in odd)


def _direct(kernel: Kernel, sources: np.ndarray, masses: np.ndarray, x: np.ndarray) -> np.ndarray:
    result = np.empty(len(x))
    step = max(1, 4_000_000 // max(1, len(sources)))
    for start in range(0, len(x), step):
        part = x[start : start + step]
        with np.errstate(over="ignore"):
            r2 = sum((part[:, None, i] - sources[None, :, i]) ** 2 for i in range(x.shape[1]))
        result[start : start + step] = profile(kernel, np.minimum(np.asarray(r2), 1e300)) @ masses
    return result
