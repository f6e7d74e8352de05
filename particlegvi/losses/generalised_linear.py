"""Minus the log likelihood of a linear model: labels, numbers or counts from a line through the inputs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.tools import arguments

FAMILIES = {"bernoulli": 0.0, "gaussian": 1.0, "poisson": 2.0}


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

    `particlegvi.losses.of_data.linear_model` explains the parameters.
    """

    __slots__ = ()

    def __new__(
        cls, X: ArrayLike, y: ArrayLike, family: str = "bernoulli", noise_variance: float = 1.0
    ) -> LinearModel:
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
        return super().__new__(cls, inputs, targets, FAMILIES[family], variance, constant)

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]
        family = next(name for name, code in FAMILIES.items() if code == self.family)
        return self.X, self.y, family, self.noise_variance  # the constant follows from them

    @property
    def dim(self) -> int:
        return self.X.shape[1]

    def value(self, x: np.ndarray) -> float:
        total = self.constant
        for r in range(self.X.shape[0]):
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
        for i in range(x.shape[0]):
            out[i] = 0.0
        for r in range(self.X.shape[0]):
            f = 0.0
            for i in range(x.shape[0]):
                f += self.X[r, i] * x[i]
            if self.family == 0.0:
                slope = 1.0 / (1.0 + math.exp(-f)) - self.y[r]
            elif self.family == 1.0:
                slope = (f - self.y[r]) / self.noise_variance
            else:
                slope = math.exp(f) - self.y[r]
            for i in range(x.shape[0]):
                out[i] += slope * self.X[r, i]

    def gradients(self, points: np.ndarray, out: np.ndarray) -> None:
        """Gradients of a block (dim, lanes), four rows of data at a time, with the lanes innermost."""
        rows, dim = self.X.shape
        lanes = points.shape[1]
        slopes = np.empty((4, lanes))
        for i in range(dim):
            for lane in range(lanes):
                out[i, lane] = 0.0
        for first in range(0, rows, 4):
            # the last tile repeats its last row with the weight 0
            a, b, c, d = first, min(first + 1, rows - 1), min(first + 2, rows - 1), min(first + 3, rows - 1)
            for lane in range(lanes):
                slopes[0, lane] = 0.0
                slopes[1, lane] = 0.0
                slopes[2, lane] = 0.0
                slopes[3, lane] = 0.0
            for i in range(dim):
                u, v, w, z = self.X[a, i], self.X[b, i], self.X[c, i], self.X[d, i]
                for lane in range(lanes):
                    at = points[i, lane]
                    slopes[0, lane] += u * at
                    slopes[1, lane] += v * at
                    slopes[2, lane] += w * at
                    slopes[3, lane] += z * at
            for k in range(4):
                row = min(first + k, rows - 1)
                weight = 1.0 if first + k < rows else 0.0
                if self.family == 0.0:
                    for lane in range(lanes):
                        slopes[k, lane] = weight * (1.0 / (1.0 + math.exp(-slopes[k, lane])) - self.y[row])
                elif self.family == 1.0:
                    for lane in range(lanes):
                        slopes[k, lane] = weight * (slopes[k, lane] - self.y[row]) / self.noise_variance
                else:
                    for lane in range(lanes):
                        slopes[k, lane] = math.exp(slopes[k, lane]) - self.y[row] if weight else 0.0
            for i in range(dim):
                u, v, w, z = self.X[a, i], self.X[b, i], self.X[c, i], self.X[d, i]
                for lane in range(lanes):
                    out[i, lane] += (
                        (u * slopes[0, lane] + v * slopes[1, lane]) + (w * slopes[2, lane] + z * slopes[3, lane])
                    )
