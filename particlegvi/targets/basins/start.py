"""The distribution Q0 that particles start from, as the basin weights need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi.tools import arguments

EDGE = 1e-17  # probability outside the bulk, on either side


class Start:
    """A law with independent coordinates, given by a prior object.

    Attributes
    ----------
    low, high : arrays (dim,)
        The bulk, outside which there is practically no mass.
    scale : float
        Typical distance.
    """

    def __init__(self, law: Any) -> None:
        self.law, self.dim = law, int(law.dim)
        low, high = np.asarray(law.low, dtype=np.float64), np.asarray(law.high, dtype=np.float64)
        if getattr(law, "name", None) == "flat":
            raise ValueError("initial is Flat, which is not a probability; Normal, Uniform or an array is allowed")
        self._pairs = [self._coordinate(i) for i in range(self.dim)]
        self.low = np.maximum(low, [quantile(np.array([EDGE]))[0] for _, quantile in self._pairs])
        self.high = np.minimum(high, [-mirrored for mirrored in self._upper()])
        self.scale = float(np.max(self.high - self.low)) / 18.0

    def _upper(self) -> list[float]:
        # 1 - 1e-17 is 1 in floating point: a Normal's upper edge mirrors its lower one.
        edges = []
        for i, (_, quantile) in enumerate(self._pairs):
            middle, lower = quantile(np.array([0.5]))[0], quantile(np.array([EDGE]))[0]
            edges.append(-(middle + (middle - lower)) if np.isinf(self.law.high[i]) else -float(self.law.high[i]))
        return edges

    def cdf(self, x: np.ndarray, coordinate: int = 0) -> np.ndarray:
        """Probability that a coordinate is at most x, for x of any shape."""
        return self._pairs[coordinate][0](x)

    def quantile(self, u: np.ndarray, coordinate: int = 0) -> np.ndarray:
        return self._pairs[coordinate][1](u)

    def quantile_span(self) -> np.ndarray:
        """Half the distance between the 16% and 84% quantiles of each coordinate (a Normal's sd)."""
        edges = np.array([0.16, 0.84])
        return np.array([0.5 * np.ptp(self.quantile(edges, i)) for i in range(self.dim)])

    def _coordinate(self, i: int) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]:
        from scipy.special import ndtr, ndtri

        name = getattr(self.law, "name", None)
        if name == "normal":
            mean, sd = float(self.law.mean[i]), float(self.law.sd[i])
            return (lambda x: ndtr((x - mean) / sd)), (lambda u: mean + sd * ndtri(u))
        if name == "uniform":
            low, high = float(self.law.low[i]), float(self.law.high[i])
            return (lambda x: np.clip((x - low) / (high - low), 0.0, 1.0)), (lambda u: low + (high - low) * u)
        if self.dim == 1:
            # Any other law on the line, from its log density.
            from particlegvi.targets.quadrature.curve import Curve
            from particlegvi.targets.quadrature.nodes import discretise
            from particlegvi.targets.quadrature.potential import place_of

            panels = discretise(lambda x: np.array(self.law.log_density(x)), place_of(self.law)).panels
            assert panels is not None
            curve = Curve(panels)
            return curve.cdf, curve.quantile
        raise ValueError(f"initial is {self.law!r}; Normal, Uniform or an array of points is allowed in {self.dim}-D")


def start_points(initial: Any, dim: int) -> np.ndarray | None:
    """The points (n, dim) if ``initial`` is an array of them, None if it is a law.

    Raises
    ------
    ValueError
        If it is an array of another shape, or holds numbers that are not finite.
    """
    if hasattr(initial, "log_density"):
        if initial.dim != dim:
            raise ValueError(f"initial has {initial.dim} dimensions and the loss has {dim}; the same number is allowed")
        return None
    points = arguments.array("initial", initial, f"a prior object or a finite array (n, {dim})")
    if dim == 1 and points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != dim or not len(points) or not np.all(np.isfinite(points)):
        raise arguments.refuse("initial", initial, f"a prior object or a finite array (n, {dim})")
    return points
