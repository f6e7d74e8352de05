"""The table of a mean embedding: polynomials on panels, which every step of a run can afford."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array


class EmbeddingTable(NamedTuple):
    """``x -> sum_q prod_i f_iq(x_i)``, where each f is a polynomial on each of its panels, and constant beyond them."""

    panels: Array  # (dim,), their number in each coordinate
    edges: Array  # (dim, panels + 1), ascending
    coefficients: Array  # (dim, panels, terms, functions): those of the powers of t in [-1, 1] from the highest to 1
    error: float  # of the value, beside the term that the table stands for
    slope_error: float  # of each component of the gradient

    def value(self, x: Array) -> float:
        factors = np.empty((2, x.shape[0], self.coefficients.shape[3]))
        return look_up(self, x, factors[0], factors[1])

    def values(self, points: Array, out: Array) -> None:
        factors = np.empty((2, points.shape[0], self.coefficients.shape[3]))
        for lane in range(points.shape[1]):
            out[lane] = look_up(self, points[:, lane], factors[0], factors[1])

    def gradient(self, x: Array, out: Array) -> None:
        factors = np.empty((2, x.shape[0], self.coefficients.shape[3]))
        look_up(self, x, factors[0], factors[1])
        add_up_slopes(factors[0], factors[1], out)

    def gradients(self, points: Array, out: Array) -> None:
        if points.shape[0] == 1 and self.coefficients.shape[3] == 1:
            look_up_slopes(self, points[0], out[0])
            return
        factors = np.empty((2, points.shape[0], self.coefficients.shape[3]))
        for lane in range(points.shape[1]):
            look_up(self, points[:, lane], factors[0], factors[1])
            add_up_slopes(factors[0], factors[1], out[:, lane])


def look_up(table: EmbeddingTable, x: Array, levels: Array, slopes: Array) -> float:
    """The value at x (dim,); fills the factors and their derivatives, (dim, functions)."""
    functions = table.coefficients.shape[3]
    for i in range(x.shape[0]):
        panel = 0
        after = int(table.panels[i])
        while after - panel > 1:
            middle = (panel + after) // 2
            if x[i] >= table.edges[i, middle]:
                panel = middle
            else:
                after = middle
        scale = 2.0 / (table.edges[i, panel + 1] - table.edges[i, panel])
        t = scale * (x[i] - table.edges[i, panel]) - 1.0
        if t < -1.0 or t > 1.0:
            t = -1.0 if t < -1.0 else 1.0
            scale = 0.0
        for q in range(functions):
            levels[i, q] = table.coefficients[i, panel, 0, q]
            slopes[i, q] = 0.0
        for k in range(1, table.coefficients.shape[2]):
            for q in range(functions):
                slopes[i, q] = slopes[i, q] * t + levels[i, q]
                levels[i, q] = levels[i, q] * t + table.coefficients[i, panel, k, q]
        for q in range(functions):
            slopes[i, q] *= scale
    total = 0.0
    for q in range(functions):
        product = 1.0
        for i in range(x.shape[0]):
            product *= levels[i, q]
        total += product
    return total


def add_up_slopes(levels: Array, slopes: Array, out: Array) -> None:
    """The gradient (dim,) from the factors and their derivatives, (dim, functions)."""
    for j in range(levels.shape[0]):
        total = 0.0
        for q in range(levels.shape[1]):
            product = slopes[j, q]
            for i in range(levels.shape[0]):
                if i != j:
                    product *= levels[i, q]
            total += product
        out[j] = total


def look_up_slopes(table: EmbeddingTable, x: Array, out: Array) -> None:
    """The derivatives at x (n,) of one function on the line, bit for bit those of `look_up`, side by side."""
    edges, coefficients = table.edges[0], table.coefficients[0]
    panels = np.zeros(x.size, dtype=np.uint64)
    rest = np.uint64(table.panels[0])
    while rest > np.uint64(1):  # as many turns for each point, so that the processor has nothing to guess
        half = rest // np.uint64(2)
        for lane in range(x.size):
            middle = panels[lane] + half
            panels[lane] = middle if x[lane] >= edges[middle] else panels[lane]
        rest -= half
    for lane in range(x.size):
        panel = panels[lane]
        left = edges[panel]
        scale = 2.0 / (edges[panel + np.uint64(1)] - left)
        t = scale * (x[lane] - left) - 1.0
        scale = 0.0 if t < -1.0 or t > 1.0 else scale
        t = -1.0 if t < -1.0 else t
        t = 1.0 if t > 1.0 else t
        level, slope = coefficients[panel, 0, 0], 0.0
        for k in range(1, coefficients.shape[1]):
            slope = slope * t + level
            level = level * t + coefficients[panel, k, 0]
        out[lane] = 0.0 + slope * scale  # no negative zero, as in a sum
