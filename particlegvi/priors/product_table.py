"""Mean embeddings as tables of polynomials on the line, and in more dimensions as sums of products of them.

A mean embedding that takes long to compute is replaced by polynomials on panels, which every step of a run can afford.
Panels are halved until the polynomials agree with it between their nodes, and the largest difference there is stated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array

TERMS = 10  # coefficients of a polynomial
FIT = 1e-12  # a polynomial fits to this share of the largest value
MOST_PANELS = 2**11
MOST_NUMBERS = 2e7  # of a table: 160 MB
VANISHED = 1e-14  # the table ends where all values are below this share of the largest
FARTHEST = 1e150  # largest coordinate of a table, whose square is finite
WORST_SLOPE = 1e-2  # largest error of a slope, in units of the largest slope
NODES = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)  # of the polynomials, on [-1, 1]
CHECKS = np.cos(np.pi * np.arange(TERMS + 1) / TERMS)  # between them, and at both ends
TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES))
AT_CHECKS, SLOPES_AT_CHECKS = np.vander(CHECKS, TERMS), np.vander(CHECKS, TERMS - 1) * np.arange(TERMS - 1.0, 0.0, -1.0)

Functions = Callable[[Array], tuple[Array, Array]]  # of x (n,): values and derivatives, (n, functions) each


class ProductTable(NamedTuple):
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


def look_up(table: ProductTable, x: Array, levels: Array, slopes: Array) -> float:
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


def look_up_slopes(table: ProductTable, x: Array, out: Array) -> None:
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


class TableFit(NamedTuple):
    """Polynomials of some functions of one coordinate, and their largest errors."""

    edges: Array  # (panels + 1,)
    coefficients: Array  # (panels, TERMS, functions)
    error: float
    slope_error: float


def product_table(coordinates: list[TableFit | None], weights: Array) -> ProductTable | None:
    """The table of ``sum_q weights_q prod_i f_iq``; with two or more coordinates each f is at most 1."""
    fits = [fit for fit in coordinates if fit is not None]
    if len(fits) < len(coordinates):
        return None
    panels = [len(fit.coefficients) for fit in fits]
    edges = np.full((len(fits), max(panels) + 1), np.inf)
    coefficients = np.zeros((len(fits), max(panels), TERMS, len(weights)))
    for i, (number, fit) in enumerate(zip(panels, fits, strict=True)):
        edges[i, : number + 1], coefficients[i, :number] = fit.edges, fit.coefficients
    coefficients[0] *= weights
    total, error, steepest = float(weights.sum()), sum(fit.error for fit in fits), max(fit.slope_error for fit in fits)
    return ProductTable(np.array(panels, dtype=np.float64), edges, coefficients, total * error, total * steepest)


def fitted(functions: Functions, centres: Array, error: float = 0.0) -> TableFit | None:
    """Polynomials on panels that fit to 1e-12 of the largest value, or to ``error``, from one end to the other.

    Panels begin at the ``centres`` of the functions, where narrow features are, and at the ends, where all have
    vanished. None where they need too many panels, or where their derivatives are far from those of the functions. The
    errors are twice the largest differences between the nodes.
    """
    edges = np.unique(np.concatenate([centres, _ends(functions, centres)]))
    values, derivatives = functions(edges)
    tolerance, steepest = max(FIT * float(np.abs(values).max()), error), float(np.abs(derivatives).max())
    left, right = edges[:-1], edges[1:]
    done: list[tuple[Array, Array, Array]] = []
    worst = worst_slope = 0.0
    panels = 0
    while len(left):
        panels += len(left)
        if panels > 2 * MOST_PANELS or panels * values.shape[-1] * TERMS > 2 * MOST_NUMBERS:
            return None
        half = 0.5 * (right - left)
        at = (left + half)[:, None] + half[:, None] * np.concatenate([NODES, CHECKS])
        values, derivatives = (numbers.reshape(*at.shape, -1) for numbers in functions(at.ravel()))
        steepest = max(steepest, float(np.abs(derivatives).max()))
        coefficients = np.einsum("kj,pjq->pkq", TO_COEFFICIENTS, values[:, :TERMS])
        miss = np.abs(np.einsum("jk,pkq->pjq", AT_CHECKS, coefficients) - values[:, TERMS:])
        slopes = np.einsum("jk,pkq->pjq", SLOPES_AT_CHECKS, coefficients[:, :-1]) / half[:, None, None]
        fine = (miss.max(axis=(1, 2)) <= tolerance) | (half < 1e-13 * np.maximum(np.abs(left), np.abs(right)))
        done.append((left[fine], right[fine], coefficients[fine]))
        worst = max(worst, float(miss[fine].max(initial=0.0)))
        worst_slope = max(worst_slope, float(np.abs(slopes - derivatives[:, TERMS:])[fine].max(initial=0.0)))
        middle = (left + half)[~fine]
        left, right = np.concatenate([left[~fine], middle]), np.concatenate([middle, right[~fine]])
    if not worst_slope <= WORST_SLOPE * steepest:
        return None
    left, right, coefficients = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(left)
    return TableFit(np.append(left[order], right.max()), coefficients[order], 2.0 * worst, 2.0 * worst_slope)


def _ends(functions: Functions, centres: Array) -> Array:
    """The ends beyond which all functions have vanished, (2,), found at distances from the centres that grow."""
    low, high = float(centres.min()), float(centres.max())
    far = 16.0 ** np.arange(-125.0, 125.0)
    far = far[far + max(abs(low), abs(high)) < FARTHEST]
    levels = np.abs(functions(np.concatenate([low - far, high + far, centres]))[0]).max(axis=1)
    shown = np.maximum(levels[: len(far)], levels[len(far) : 2 * len(far)]) > VANISHED * levels.max()
    distance = far[min(int(np.max(np.flatnonzero(shown), initial=0)) + 1, len(far) - 1)]
    return np.array([low - distance, high + distance])
