"""The distribution Q0 of the starting points: its distribution function and quantiles, for the weights of basins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Distribution, Prior, Start
from particlegvi.tools import arguments

Map = Callable[[np.ndarray], np.ndarray]
MOST_SPANS = 40.0  # largest distance from the median to an end of the bulk; a Normal has 8.5, a Laplace 34
EDGE = 1e-17  # probability outside the bulk, on either side
BELOW_ONE = 1.0 - 2.0**-53  # the largest probability below 1


@runtime_checkable
class Independent(Protocol):
    """An optional part of a `Prior`: the distribution functions of its independent coordinates."""

    def cdf(self, x: np.ndarray, coordinate: int = 0) -> np.ndarray: ...
    def quantile(self, u: np.ndarray, coordinate: int = 0) -> np.ndarray: ...


class Q0:
    """A distribution with independent coordinates, given by a prior object.

    Outside the bulk from ``low`` to ``high`` (dim,) the mass is below 1e-16 in each coordinate. ``scale`` is its
    largest side over 18: for a Normal about its sd.
    """

    def __init__(self, prior: Prior) -> None:
        from particlegvi.priors import Flat

        self.prior, self.dim = prior, int(prior.dim)
        low, high = np.asarray(prior.low, dtype=np.float64), np.asarray(prior.high, dtype=np.float64)
        if isinstance(prior, Flat):
            raise ValueError("initial must be Normal, Uniform or an array, not Flat, which is not a probability")
        self._pairs = [self._coordinate(i) for i in range(self.dim)]
        lower, middle = (np.array([quantile(np.array([u]))[0] for _, quantile in self._pairs]) for u in (EDGE, 0.5))
        # 1 - 1e-17 is 1 in floating point: a Normal's upper edge mirrors its lower one. A half-line has no mirror.
        upper = np.array([quantile(np.array([BELOW_ONE]))[0] for _, quantile in self._pairs])
        upper = np.where(np.isinf(low), middle + (middle - lower), upper)
        self.low, self.high = np.maximum(low, lower), np.where(np.isinf(high), upper, high)
        # With heavy tails the bulk would be so large that a search would miss its middle.
        reach = MOST_SPANS * self.quantile_span()
        self.low, self.high = np.maximum(self.low, middle - reach), np.minimum(self.high, middle + reach)
        self.scale = float(np.max(self.high - self.low)) / 18.0

    def cdf(self, x: np.ndarray, coordinate: int = 0) -> np.ndarray:
        """Probability that a coordinate is at most x, for x of any shape."""
        return self._pairs[coordinate][0](x)

    def quantile(self, u: np.ndarray, coordinate: int = 0) -> np.ndarray:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        return self._pairs[coordinate][1](u)

    def quantile_span(self) -> np.ndarray:
        """Half the distance between the 16% and 84% quantiles of each coordinate (a Normal's sd)."""
        edges = np.array([0.16, 0.84])
        return np.array([0.5 * np.ptp(self.quantile(edges, i)) for i in range(self.dim)])

    def _coordinate(self, i: int) -> tuple[Map, Map]:
        from scipy.special import ndtr, ndtri

        from particlegvi.priors import Normal, Uniform

        prior = self.prior
        if isinstance(prior, Normal):
            mean, sd = float(prior.mean[i]), float(prior.sd[i])
            return (lambda x: ndtr((x - mean) / sd)), (lambda u: mean + sd * ndtri(u))
        if isinstance(prior, Uniform):
            low, high = float(prior.low[i]), float(prior.high[i])
            return (lambda x: np.clip((x - low) / (high - low), 0.0, 1.0)), (lambda u: low + (high - low) * u)
        if isinstance(prior, Independent):
            return partial(prior.cdf, coordinate=i), partial(prior.quantile, coordinate=i)
        if self.dim == 1:
            # For any other distribution on the line, integrate its density.
            from particlegvi.targets.quadrature.nodes import discretise
            from particlegvi.targets.quadrature.panels import Curve
            from particlegvi.targets.quadrature.potential import place_of

            panels = discretise(lambda x: np.array(prior.log_density(x)), place_of(prior)).panels
            assert panels is not None
            curve = Curve(panels)
            return curve.cdf, curve.quantile
        allowed = f"a prior with independent coordinates or an array of points in {self.dim}-D"
        raise arguments.refuse("initial", prior, allowed)


def start_points(initial: Start | ArrayLike, dim: int) -> np.ndarray | None:
    """The points (n, dim) if ``initial`` is an array of them, None if it is a prior object."""
    if isinstance(initial, Distribution):
        if initial.dim != dim:
            raise ValueError(f"initial must be of dimension {dim}, as the loss is, not {initial.dim}")
        return None
    points = arguments.array("initial", initial, f"a prior object or a finite array (n, {dim})")
    if dim == 1 and points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != dim or not len(points) or not np.all(np.isfinite(points)):
        raise arguments.refuse("initial", initial, f"a prior object or a finite array (n, {dim})")
    return points
