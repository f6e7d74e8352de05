"""Minus the log likelihood of a linear model: labels, numbers or counts from a line through the inputs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.engine.networks.layout import BLOCK, TILE
from particlegvi.engine.networks.products import add_outer, rows_by_weights
from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import WIDTH
from particlegvi.tools import arguments

PANEL = 4 * WIDTH  # lanes that a product takes together
FAMILIES = {"bernoulli": 0.0, "gaussian": 1.0, "poisson": 2.0}


@nested
def slopes_of_rows(family, noise_variance, y, at_y, slopes, row, rows):
    """Turn the predictors f of a block, flat (rows, row), into the slopes of the cost in f, in place."""
    for r in range(rows):
        target = y[at_y + r]
        found = slopes[r * row : (r + 1) * row]  # a loop over the flat array itself would not be vectorised
        if family == 0.0:
            for lane in range(row):
                found[lane] = 1.0 / (1.0 + mathematics.exp(-found[lane])) - target
        elif family == 1.0:
            for lane in range(row):
                found[lane] = (found[lane] - target) / noise_variance
        else:
            for lane in range(row):
                found[lane] = mathematics.exp(found[lane]) - target


@nested
def gradients_of_rows(X, y, family, noise_variance, points, out):
    """The gradients (dim, lanes) of a linear model at ``points`` (dim, lanes), summed in the order of the rows.

    The points, and the sums, lie in panels (dim, PANEL), one behind the other, the last one narrower.
    """
    dim, lanes = points.shape
    wide = (lanes + WIDTH - 1) // WIDTH * WIDTH
    tall = dim + TILE  # rows of a panel of sums: a product may add to a few too many
    weights = np.empty(dim * wide)
    sums = np.zeros(tall * wide + PANEL)  # with room for the slope in an intercept, which there is not
    slopes = np.empty(BLOCK * PANEL)
    nothing = np.zeros(PANEL)
    for begin in range(0, wide, PANEL):
        row = min(PANEL, wide - begin)
        for i in range(dim):
            for lane in range(row):
                weights[begin * dim + i * row + lane] = points[i, min(begin + lane, lanes - 1)]
    rows = X.reshape(-1)
    for first in range(0, y.size, BLOCK):
        count = min(BLOCK, y.size - first)
        at = first * dim
        for begin in range(0, wide, PANEL):
            row = min(PANEL, wide - begin)
            rows_by_weights(rows, at, dim, dim, weights, begin * dim, nothing, 0, slopes, 0, row, count, False)
            slopes_of_rows(family, noise_variance, y, first, slopes, row, count)
            add_outer(rows, at, dim, dim, slopes, 0, row, count, sums, begin * tall, tall * wide, 0)
    for begin in range(0, wide, PANEL):
        row = min(PANEL, wide - begin)
        for i in range(dim):
            for lane in range(min(row, lanes - begin)):
                out[i, begin + lane] = sums[begin * tall + i * row + lane]


def padded(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows (n, dim), and TILE rows of zeros behind them."""
    return np.concatenate([X, np.zeros((TILE, X.shape[1]))])


class _Fields(NamedTuple):
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    family: float
    noise_variance: float
    constant: float


class LinearModel(_Fields):
    """Minus the log likelihood of data (X, y) for the coefficients theta of a linear model.

    With f_r = sum_i X_ri theta_i the sum over rows r of

        bernoulli   log(1 + exp(f_r)) - y_r f_r
        gaussian    (f_r - y_r)^2 / (2 noise_variance) + log(2 pi noise_variance) / 2
        poisson     exp(f_r) - y_r f_r + log(y_r!)

    The parameters are those of `particlegvi.losses.linear_model`. The field ``X`` has TILE rows of zeros behind the
    data, because the products may read beyond them.
    """

    __slots__ = ()

    def __new__(cls, X: ArrayLike, y: ArrayLike, family: str = "bernoulli", noise_variance: float = 1.0) -> LinearModel:
        inputs = arguments.points("X", X)
        targets = arguments.vector("y", y, len(inputs))
        if not isinstance(family, str) or family not in FAMILIES:
            raise arguments.refuse("family", family, 'one of "bernoulli", "gaussian" and "poisson"')
        variance = arguments.positive("noise_variance", noise_variance)
        constant = 0.0
        if family == "bernoulli":
            arguments.labels(targets)
        elif family == "gaussian":
            constant = 0.5 * len(targets) * math.log(2.0 * math.pi * variance)
        else:
            wrong = targets[(targets < 0.0) | (targets != np.floor(targets))]
            if wrong.size:
                raise ValueError(f'y must be counts 0, 1, 2, ... for the family "poisson", not {wrong[0]:g}')
            constant = math.fsum(math.lgamma(count + 1.0) for count in targets)
        return super().__new__(cls, padded(inputs), targets.copy(), FAMILIES[family], variance, constant)

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]
        family = next(name for name, code in FAMILIES.items() if code == self.family)
        return self.X[:-TILE], self.y, family, self.noise_variance  # the constant follows from them

    @property
    def dim(self) -> int:
        return self.X.shape[1]

    def value(self, x: np.ndarray) -> float:
        total = self.constant
        for r in range(self.y.size):
            f = 0.0
            for i in range(x.shape[0]):
                f += self.X[r, i] * x[i]
            if self.family == 0.0:
                total += max(f, 0.0) + math.log1p(math.exp(-math.fabs(f))) - self.y[r] * f
            elif self.family == 1.0:
                total += (f - self.y[r]) * (f - self.y[r]) / (2.0 * self.noise_variance)
            else:
                total += math.exp(f) - self.y[r] * f
        return total

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        point = np.empty((x.shape[0], 1))
        found = np.empty((x.shape[0], 1))
        for i in range(x.shape[0]):
            point[i, 0] = x[i]
        gradients_of_rows(self.X, self.y, self.family, self.noise_variance, point, found)
        for i in range(x.shape[0]):
            out[i] = found[i, 0]

    def gradients(self, points: np.ndarray, out: np.ndarray) -> None:
        """Gradients of a block (dim, lanes): two products of matrices for each block of rows."""
        gradients_of_rows(self.X, self.y, self.family, self.noise_variance, points, out)
