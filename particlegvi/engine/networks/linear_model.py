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
def add_costs(family, noise_variance, y, at_y, predictors, row, rows, costs, at):
    """`become_slopes`, which also adds the costs to ``costs`` (lanes,) from ``at`` on."""
    sums = costs[at : at + row]
    for r in range(rows):
        target = y[at_y + r]
        f = predictors[r * row : (r + 1) * row]  # a loop over the flat array itself would not be vectorised
        if family == 0.0:
            for lane in range(row):
                size = math.fabs(f[lane])
                t = mathematics.exp(-size)
                sums[lane] += 0.5 * (f[lane] + size) + mathematics.log_normal(1.0 + t) - target * f[lane]
                f[lane] = (1.0 if f[lane] >= 0.0 else t) / (1.0 + t) - target
        elif family == 1.0:
            for lane in range(row):
                error = f[lane] - target
                f[lane] = error / noise_variance
                sums[lane] += 0.5 * error * f[lane]
        else:
            for lane in range(row):
                mean = mathematics.exp(f[lane])
                sums[lane] += mean - target * f[lane]
                f[lane] = mean - target


@nested
def become_slopes(family, noise_variance, y, at_y, predictors, row, rows):
    """Turn the predictors f of a block, flat (rows, row), into the slopes of the cost in f, in place."""
    for r in range(rows):
        target = y[at_y + r]
        f = predictors[r * row : (r + 1) * row]
        if family == 0.0:
            for lane in range(row):
                f[lane] = 1.0 / (1.0 + mathematics.exp(-f[lane])) - target
        elif family == 1.0:
            for lane in range(row):
                f[lane] = (f[lane] - target) / noise_variance
        else:
            for lane in range(row):
                f[lane] = mathematics.exp(f[lane]) - target


@nested
def pass_over_rows(model, points, values, out):
    """The values (lanes,) and the gradients (dim, lanes) of a linear model at ``points`` (dim, lanes).

    The sums are in the order of the rows; an output of size 0 is not computed. The points, and the sums, lie in panels
    (dim, PANEL), one behind the other, the last one narrower.
    """
    dim, lanes = points.shape
    y, family, noise_variance = model.y, model.family, model.noise_variance
    wide = (lanes + WIDTH - 1) // WIDTH * WIDTH
    tall = dim + TILE  # rows of a panel of sums: a product may add to a few too many
    weights = np.empty(dim * wide)
    costs = np.full(wide, model.constant)
    sums = np.zeros(tall * wide + PANEL)  # with room for the slope in an intercept, which there is not
    block = np.empty(BLOCK * PANEL)
    nothing = np.zeros(PANEL)
    for begin in range(0, wide, PANEL):
        row = min(PANEL, wide - begin)
        for i in range(dim):
            for lane in range(row):
                weights[begin * dim + i * row + lane] = points[i, min(begin + lane, lanes - 1)]
    rows = model.X.reshape(-1)
    for first in range(0, y.size, BLOCK):
        count = min(BLOCK, y.size - first)
        at = first * dim
        for begin in range(0, wide, PANEL):
            row = min(PANEL, wide - begin)
            rows_by_weights(rows, at, dim, dim, weights, begin * dim, nothing, 0, block, 0, row, count, False)
            if values.size > 0:
                add_costs(family, noise_variance, y, first, block, row, count, costs, begin)
            else:
                become_slopes(family, noise_variance, y, first, block, row, count)
            if out.size > 0:
                add_outer(rows, at, dim, dim, block, 0, row, count, sums, begin * tall, tall * wide)
    for lane in range(values.size):
        values[lane] = costs[lane]
    for begin in range(0, wide if out.size > 0 else 0, PANEL):
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
        point = np.empty((x.shape[0], 1))
        point[:, 0] = x
        cost = np.empty(1)
        pass_over_rows(self, point, cost, np.empty((0, 0)))
        return cost[0]

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        point = np.empty((x.shape[0], 1))
        point[:, 0] = x
        slope = np.empty((x.shape[0], 1))
        pass_over_rows(self, point, np.empty(0), slope)
        out[:] = slope[:, 0]

    def values(self, points: np.ndarray, out: np.ndarray) -> None:
        """Values of a block (dim, lanes): a product of matrices for each block of rows."""
        pass_over_rows(self, points, out, np.empty((0, 0)))

    def gradients(self, points: np.ndarray, out: np.ndarray) -> None:
        """Gradients of a block (dim, lanes): two products of matrices for each block of rows."""
        pass_over_rows(self, points, np.empty(0), out)

    def values_and_gradients(self, points: np.ndarray, values: np.ndarray, out: np.ndarray) -> None:
        """Both, by the same two products."""
        pass_over_rows(self, points, values, out)
