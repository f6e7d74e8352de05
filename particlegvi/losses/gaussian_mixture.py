"""Minus the log density of a mixture of Gaussians, in any dimension and with any number of components."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.float64]


class GaussianMixture(
    NamedTuple("GaussianMixture", [("means", Numbers), ("sds", Numbers), ("weights", Numbers), ("log_peaks", Numbers)])
):
    """Mixture of Gaussians in any dimension.

    ``-log sum_k weight_k N(x; mean_k, diag(sd_k^2))``. The sum is taken relative to its largest term (log-sum-exp),
    so value and gradient are right where every component underflows.

    Parameters
    ----------
    means : array (components, dim)
        Centres; a flat list is read as components on the line.
    sds : float, array (components,) or array (components, dim)
        Standard deviations, positive: one for all, one for each component, or one for each component and coordinate.
    weights : array (components,), optional
        Positive weights, divided by their sum; by default all equal.
    """

    __slots__ = ()

    name = "gaussian-mixture"
    arrays = ("means", "sds", "weights")
    source = "minus log of a finite mixture; 5.3 is the case of four"

    def __new__(
        cls, means: ArrayLike = (-2.0, 2.0), sds: ArrayLike = 1.0, weights: ArrayLike | None = None
    ) -> GaussianMixture:
        centres = np.array(means, dtype=np.float64)
        centres = np.ascontiguousarray(np.atleast_1d(centres)[:, None] if centres.ndim < 2 else centres)
        if centres.ndim != 2 or centres.size == 0:
            raise ValueError(f"means of gaussian-mixture must have the shape (components, dim), not {centres.shape}")
        components, dim = centres.shape
        spread = np.array(sds, dtype=np.float64)
        if spread.shape not in ((), (components,), (components, dim)):
            raise ValueError(
                f"sds of gaussian-mixture must be one number, or have the shape ({components},) or "
                f"({components}, {dim}), not {spread.shape}"
            )
        spread = spread[:, None] if spread.ndim == 1 else spread
        spread = np.ascontiguousarray(np.broadcast_to(spread, (components, dim)))
        shares = np.ones(components) if weights is None else np.array(weights, dtype=np.float64)
        if shares.shape != (components,):
            raise ValueError(f"weights of gaussian-mixture must have the shape ({components},), not {shares.shape}")
        for key, numbers in (("sds", spread), ("weights", shares)):
            if not np.all(numbers > 0.0):
                raise ValueError(f"{key} of gaussian-mixture must be positive numbers, not {numbers.min():g}")
        shares = shares / shares.sum()
        log_peaks = np.log(shares) - np.log(spread).sum(axis=1) - 0.5 * dim * math.log(2.0 * math.pi)
        return super().__new__(cls, centres, spread, shares, log_peaks)

    def __getnewargs__(self) -> tuple[Numbers, ...]:  # type: ignore[override]
        return self.means, self.sds, self.weights  # log_peaks follows from them

    @property
    def dim(self) -> int:
        return self.means.shape[1]

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...]:
        low = (self.means - 3.5 * self.sds).min(axis=0)
        high = (self.means + 3.5 * self.sds).max(axis=0)
        return tuple(zip(low.tolist(), high.tolist(), strict=True))

    def value(self, x: np.ndarray) -> float:
        largest = -math.inf
        total = 0.0
        for k in range(self.means.shape[0]):
            exponent = self.log_peaks[k]
            for i in range(x.shape[0]):
                gap = (x[i] - self.means[k, i]) / self.sds[k, i]
                exponent -= 0.5 * gap * gap
            # One pass: the running sum is rescaled whenever a larger term arrives.
            if exponent > largest:
                total = total * math.exp(largest - exponent) + 1.0
                largest = exponent
            else:
                total += math.exp(exponent - largest)
        return -largest - math.log(total)

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        level = -self.value(x)
        for i in range(x.shape[0]):
            out[i] = 0.0
        for k in range(self.means.shape[0]):
            exponent = self.log_peaks[k]
            for i in range(x.shape[0]):
                gap = (x[i] - self.means[k, i]) / self.sds[k, i]
                exponent -= 0.5 * gap * gap
            share = math.exp(exponent - level)
            for i in range(x.shape[0]):
                out[i] += share * (x[i] - self.means[k, i]) / (self.sds[k, i] * self.sds[k, i])

    def gradients(self, points: np.ndarray, out: np.ndarray) -> None:
        """Gradients of a block (dim, lanes), with the lanes innermost so that the exponentials are vectorised."""
        components, dim = self.means.shape
        lanes = points.shape[1]
        exponents = np.empty((components + 2, lanes))
        largest, total = components, components + 1
        for k in range(components):
            for lane in range(lanes):
                exponents[k, lane] = self.log_peaks[k]
            for i in range(dim):
                for lane in range(lanes):
                    gap = (points[i, lane] - self.means[k, i]) / self.sds[k, i]
                    exponents[k, lane] -= 0.5 * gap * gap
            for lane in range(lanes):
                before = exponents[largest, lane]
                exponents[largest, lane] = exponents[k, lane] if k == 0 else max(before, exponents[k, lane])
        for lane in range(lanes):
            exponents[total, lane] = 0.0
        for i in range(dim):
            for lane in range(lanes):
                out[i, lane] = 0.0
        for k in range(components):
            for lane in range(lanes):
                exponents[k, lane] = math.exp(exponents[k, lane] - exponents[largest, lane])
            for lane in range(lanes):
                exponents[total, lane] += exponents[k, lane]
            for i in range(dim):
                precision = 1.0 / (self.sds[k, i] * self.sds[k, i])
                for lane in range(lanes):
                    out[i, lane] += exponents[k, lane] * precision * (points[i, lane] - self.means[k, i])
        for i in range(dim):
            for lane in range(lanes):
                out[i, lane] /= exponents[total, lane]
