"""A loss drawn by hand: a cubic spline through equally spaced heights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.tools import arguments

EDGE = 8.0  # slope at both ends, up and out
WALL = 20.0  # of the parabola outside, WALL x^2
MOST_KNOTS = 1000


class _Fields(NamedTuple):
    low: float
    high: float
    heights: NDArray[np.float64]
    bends: NDArray[np.float64]


class Spline(_Fields):
    """Drawn loss, a cubic spline on the line.

    Through ``heights`` at equally spaced places from ``low`` to ``high``, with the slopes -8 and 8 at the ends, so that
    it rises outwards. Beyond them it goes on as ``8 x + 20 x^2`` in the distance x from the end: what lies outside the
    drawing keeps the particles inside.

    Parameters
    ----------
    low, high : float
        Where the drawing begins and ends.
    heights : array (knots,)
        Values of the loss at the knots, 3 to 1000 of them.
    """

    __slots__ = ()

    name = "spline"
    dim = 1
    arrays = ("heights",)
    source = "the live page, where a loss is drawn by hand"

    def __new__(cls, low: float = -3.0, high: float = 3.0, heights: ArrayLike = (4.5, -0.5, 0.0, -0.5, 4.5)) -> Spline:
        drawn = np.array(heights, dtype=np.float64)
        if drawn.ndim != 1 or not 3 <= drawn.size <= MOST_KNOTS:
            allowed = f"a list of 3 to {MOST_KNOTS} numbers"
            raise arguments.shaped("heights of spline", drawn, allowed)
        if not low < high:
            raise arguments.refuse("high of spline", high, f"a number above low, which is {low:g}")
        return super().__new__(cls, float(low), float(high), drawn, bends(float(low), float(high), drawn))

    def __getnewargs__(self) -> tuple[float, float, NDArray[np.float64]]:  # type: ignore[override]
        return self.low, self.high, self.heights  # the bends follow from them

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...]:
        return ((self.low, self.high),)

    def value(self, x: np.ndarray) -> float:
        knots = self.heights.shape[0]
        h = (self.high - self.low) / (knots - 1)
        t = x[0] if x[0] > self.low else self.low
        t = t if t < self.high else self.high
        at = (t - self.low) / h
        i = min(int(at), knots - 2)
        a = at - i
        b = 1.0 - a
        bent = (b * b * b - b) * self.bends[i] + (a * a * a - a) * self.bends[i + 1]
        beyond = x[0] - t
        inside = b * self.heights[i] + a * self.heights[i + 1] + h * h * bent / 6.0
        return inside + EDGE * math.fabs(beyond) + WALL * beyond * beyond

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        knots = self.heights.shape[0]
        h = (self.high - self.low) / (knots - 1)
        t = x[0] if x[0] > self.low else self.low
        t = t if t < self.high else self.high
        at = (t - self.low) / h
        i = min(int(at), knots - 2)
        a = at - i
        b = 1.0 - a
        bent = (3.0 * a * a - 1.0) * self.bends[i + 1] - (3.0 * b * b - 1.0) * self.bends[i]
        out[0] = (self.heights[i + 1] - self.heights[i]) / h + h * bent / 6.0 + 2.0 * WALL * (x[0] - t)


def bends(low: float, high: float, heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Second derivatives at the knots of the spline that has the end slopes, (knots,).

    Thomas's algorithm, number by number, so that the page's JavaScript has the same bits.
    """
    knots = heights.size
    h = (high - low) / (knots - 1)
    y = heights.tolist()
    diagonal, m = [0.0] * knots, [0.0] * knots
    for i in range(knots):
        left = -EDGE if i == 0 else (y[i] - y[i - 1]) / h
        right = EDGE if i == knots - 1 else (y[i + 1] - y[i]) / h
        factor = 0.0 if i == 0 else 1.0 / diagonal[i - 1]
        diagonal[i] = (2.0 if i in (0, knots - 1) else 4.0) - factor
        m[i] = 6.0 * (right - left) / h - (0.0 if i == 0 else factor * m[i - 1])
    m[knots - 1] /= diagonal[knots - 1]
    for i in range(knots - 2, -1, -1):
        m[i] = (m[i] - m[i + 1]) / diagonal[i]
    return np.array(m)
