"""The line divided into buckets, one for every local minimum of a periodic loss, and an axis named in pi."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator
from numpy.typing import NDArray

from particlegvi.plotting import reading
from particlegvi.plotting.reading import Array


class Buckets(NamedTuple):
    """Intervals of one width, one for every local minimum: number i is [origin + i width, origin + (i + 1) width)."""

    width: float
    origin: float

    def of(self, places: Array) -> NDArray[np.int64]:
        """The bucket of every place."""
        return np.floor((places - self.origin) / self.width).astype(np.int64)

    def ends(self, bucket: int) -> tuple[float, float]:
        """Where a bucket begins and ends."""
        return self.origin + bucket * self.width, self.origin + (bucket + 1) * self.width

    def lowest(self, loss: Any, buckets: NDArray[np.int64]) -> Array:
        """Where the loss is lowest in each of the given buckets."""
        known, back = np.unique(buckets, return_inverse=True)
        fractions = np.linspace(0.0, 1.0, 401)
        bottoms = np.empty(len(known))
        for position, bucket in enumerate(known):
            grid = self.ends(int(bucket))[0] + fractions * self.width
            values = reading.loss_values(loss, grid[:, None])
            inner, _ = reading.turning_points(grid, values)
            at_inner = reading.loss_values(loss, inner[:, None])
            bottoms[position] = inner[np.argmin(at_inner)] if len(inner) else grid[np.argmin(values)]
        return bottoms[back]


def bucket_to_enlarge(runs: Mapping[str, Any], division: Buckets) -> int:
    """The fullest bucket over all methods; among equals the one where the same particles lie farthest apart."""
    ends = {label: reading.final_particles(run)[:, 0] for label, run in runs.items()}
    everywhere = np.concatenate(list(ends.values()))
    found, counts = np.unique(division.of(everywhere), return_counts=True)
    fullest = found[counts == counts.max()]
    spread = [float(np.std(everywhere[division.of(everywhere) == each])) for each in fullest]
    return int(fullest[int(np.argmax(spread))])


def alone(places: Array, division: Buckets) -> NDArray[np.bool_]:
    """Which particles have their bucket to themselves."""
    _, back, counts = np.unique(division.of(places), return_inverse=True, return_counts=True)
    return np.asarray(counts[back] == 1)


def name_in_pi(axes: Axes, width: float, at_most: int = 5) -> None:
    """Ticks at round multiples of pi where buckets are a simple fraction of it wide."""
    twelfths = 12.0 * width / math.pi
    low, high = axes.get_xlim()
    if abs(twelfths - round(twelfths)) > 1e-9 or round(twelfths) == 0:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        return
    span = (high - low) / math.pi
    steps = [0.25, 0.5, *(base * 10**power for power in range(12) for base in (1, 2, 5))]
    step = next(each for each in steps if span / each <= at_most)
    axes.xaxis.set_major_locator(MultipleLocator(step * math.pi))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: _in_pi(place / math.pi)))


def _in_pi(multiple: float) -> str:
    if abs(multiple) < 1e-9:
        return "0"
    text = f"{multiple:.10g}".replace("-", "\u2212")
    return {"1": "", "\u22121": "\u2212"}.get(text, text) + r"$\pi$"
