"""A paraboloid in any dimension: the loss on which everything is known in closed form."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.tools import arguments

Numbers: TypeAlias = NDArray[np.float64]


class Quadratic(NamedTuple("Quadratic", [("curvature", Numbers), ("centre", Numbers)])):
    """Quadratic bowl in any dimension.

    ``1/2 sum_i curvature_i (x_i - centre_i)^2``.

    Parameters
    ----------
    curvature : float or array (dim,)
        Second derivative in each coordinate, positive; one number stands for all coordinates.
    centre : float or array (dim,)
        Where the minimum is; one number stands for all coordinates.
    dim : int, optional
        Number of coordinates; by default as many as the longer of the two arrays has.
    """

    __slots__ = ()

    name = "quadratic"
    arrays = ("curvature", "centre")
    source = "the first test of every sampler: moments in closed form"

    def __new__(cls, curvature: ArrayLike = 1.0, centre: ArrayLike = 0.0, dim: float | None = None) -> Quadratic:
        a = np.atleast_1d(np.array(curvature, dtype=np.float64))
        c = np.atleast_1d(np.array(centre, dtype=np.float64))
        size = max(a.size, c.size)
        if dim is not None:
            size = arguments.whole("dim of quadratic", dim, 1, arguments.MOST_COORDINATES)
        for key, array in (("curvature", a), ("centre", c)):
            if array.shape not in ((1,), (size,)):
                raise arguments.shaped(f"{key} of quadratic", array, f"a number, or one for each of {size} coordinates")
        if not np.all(a > 0.0):
            raise arguments.refuse("curvature of quadratic", curvature, "a positive number, or positive numbers")
        return super().__new__(cls, np.full(size, a), np.full(size, c))

    @property
    def dim(self) -> int:
        return self.curvature.shape[0]

    @property
    def minima(self) -> tuple[tuple[float, ...], ...]:
        return (tuple(self.centre.tolist()),)

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...]:
        reach = 3.5 / np.sqrt(self.curvature)
        return tuple(zip((self.centre - reach).tolist(), (self.centre + reach).tolist(), strict=True))

    def value(self, x: np.ndarray) -> float:
        total = 0.0
        for i in range(x.shape[0]):
            gap = x[i] - self.centre[i]
            total += 0.5 * self.curvature[i] * gap * gap
        return total

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        for i in range(x.shape[0]):
            out[i] = self.curvature[i] * (x[i] - self.centre[i])
