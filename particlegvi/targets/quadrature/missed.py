"""A bound on the mass that a quadrature misses, proven by interval arithmetic where the log density is a formula.

Theorem. Let boxes B cover the support of exp(f), with middles c, sides h, f in [l, u] and f' in [s, S] on B. Then the
mass of B is between the largest of exp(l) |B| and exp(f(c)) I(s), and the smallest of exp(u) |B| and exp(f(c)) I(S), I
being the integral over B of the exponential of the steepest descent, or rise, from the middle. The sums of these bounds
enclose the normaliser Z, so that with the normaliser Z' of the quadrature |Z'/Z - 1| is bounded.

The mean value form has an error that falls with the cube of h. Boxes are halved where the two bounds differ most
(branch and bound). A well that no point of the survey met cannot hide: the box that holds it keeps a large upper bound
until it is found. The function f is the exact one; rounding of the formula's own numbers is not counted. Where the
boxes are used up before the bounds are close, the bound says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.parser import parse
from particlegvi.losses.formulas.values import Interval, enclose
from particlegvi.targets.quadrature.nodes import Nodes
from particlegvi.targets.quadrature.potential import Domain

GOAL = {1: 1e-6, 2: 9e-3}  # width of the bounds to reach, as a share of the mass, by dimension
MOST_BOXES = {1: 2**16, 2: 2**19}
FEWEST = 4  # a share of the boxes that are left goes to the worst ones at a time, one in so many
MOST_HALVINGS = 120
LARGEST = 1e5  # largest exponent in the mean value form, whose rounding is then below 1e-9
ROUNDING = 1e-12  # relative error of a rise and of the value in the middle, which are sums of few terms
FARTHEST = 1e60  # distance up to which the survey looks, in scales of the prior
MOST_WELLS = 64
NOTABLE = 1e-9  # share of the mass from which a box is worth a grid of its own


class Missed(NamedTuple):
    """Bounds on the normaliser, relative to that of a quadrature, and boxes (2, dim) around the sharpest mass."""

    least: float
    most: float
    wells: tuple[Array, ...]

    @property
    def share(self) -> float:
        """Upper bound on |Z' / Z - 1| with Z the exact normaliser and Z' the quadrature's, 1 where there is none."""
        return min(max(1.0 - 1.0 / self.most, 1.0 / self.least - 1.0), 1.0) if self.least > 0.0 else 1.0


class Certifier:
    """The log density of a formula of one or two variables, ready to be enclosed over boxes.

    The domain has the box, centre and scale of the prior.
    """

    def __init__(self, text: str, variables: list[str], domain: Domain) -> None:
        self._graph, self._value = parse(text, variables)
        self._slopes = gradient(self._graph, self._value, len(variables))
        self._domain, self._dim = domain, len(variables)

    def missed(self, nodes: Nodes) -> Missed:
        """The bounds for a quadrature of this density."""
        low, high = self._partition(nodes)
        done = np.zeros(2)
        boxes = len(low)
        goal, most = GOAL[self._dim], MOST_BOXES[self._dim]
        sharpest: list[tuple[Array, Array, Array]] = []
        for _ in range(MOST_HALVINGS):
            least, greatest = self._masses(low, high, nodes.log_normaliser)
            gap = greatest - least
            total = done + (least.sum(), greatest.sum())
            split = ~(gap <= 0.25 * goal / boxes)
            sharpest.append((low[split], high[split], greatest[split]))
            if total[1] - total[0] <= goal or not np.any(split):
                break
            spare = (most - boxes) // (2**self._dim - 1)
            if np.count_nonzero(split) > spare:  # no more boxes for all: the worst get those that are left
                if self._dim > 1 or spare < FEWEST:
                    break
                split &= gap >= np.partition(gap, -(spare // FEWEST))[-(spare // FEWEST)]
            done = done + (least[~split].sum(), greatest[~split].sum())
            low, high = _halves(low[split], high[split])
            boxes += len(low) - int(np.count_nonzero(split))
        return Missed(float(total[0]), float(total[1]), _wells(sharpest[-1]))

    def _partition(self, nodes: Nodes) -> tuple[Array, Array]:
        """Boxes that cover the prior's own, or everything up to 1e60 scales: first those of a grid that widens."""
        edges = []
        for i in range(self._dim):
            centre, scale = float(self._domain.centre[i]), float(self._domain.scale[i])
            steps = scale * 2.0 ** np.arange(-3.0 if self._dim == 1 else -1.0, 200.0, 1.0 if self._dim == 1 else 2.0)
            ends = [centre, -FARTHEST * scale, FARTHEST * scale, self._domain.low[i], self._domain.high[i]]
            own: list[Array] = [centre - steps, centre + steps, np.array(ends)]
            if nodes.panels is not None:
                own += [nodes.panels.left, nodes.panels.right]
            line: Array = np.unique(np.concatenate(own))
            line = line[np.isfinite(line) & (line >= self._domain.low[i]) & (line <= self._domain.high[i])]
            edges.append(line[np.abs(line - centre) <= FARTHEST * scale * (1.0 + 1e-12)])
        lows = np.meshgrid(*(line[:-1] for line in edges), indexing="ij")
        highs = np.meshgrid(*(line[1:] for line in edges), indexing="ij")
        low, high = (np.stack([ends.ravel() for ends in sides], axis=1) for sides in (lows, highs))
        return low, high

    def _masses(self, low: Array, high: Array, log_normaliser: float) -> tuple[Array, Array]:
        """Lower and upper bounds on the integral of exp(f) over each box, relative to the quadrature's."""
        value, *slopes = enclose(self._graph, [self._value, *self._slopes], low, high)
        middle = 0.5 * low + 0.5 * high
        (at,) = enclose(self._graph, [self._value], middle, middle)
        with np.errstate(all="ignore"):
            log_volume = np.sum(np.log(high - low), axis=1) - log_normaliser
            greatest = np.exp(value.high + log_volume)
            least = np.where(value.partly, 0.0, np.exp(value.low + log_volume))
            up, down = _rises(slopes, low, middle, high)
            size = np.maximum(np.abs(at.low), np.maximum(np.abs(up), np.abs(down)))
            # beyond the largest exponent the rounding of the rise is counted, so that far boxes are empty at kinks too
            slack = np.where(size < LARGEST, 0.0, ROUNDING * size)
            known = ~(value.partly | at.partly)
            greatest = np.where(known, np.fmin(greatest, np.exp(at.high + up + slack - log_normaliser)), greatest)
            least = np.where(known & (size < LARGEST), np.fmax(least, np.exp(at.low + down - log_normaliser)), least)
        greatest[value.nowhere] = 0.0
        return np.minimum(least, greatest), greatest


def _rises(slopes: list[Interval], low: Array, middle: Array, high: Array) -> tuple[Array, Array]:
    """Logarithms of upper and lower bounds on the integral of exp(f - f(middle)) over each box, from bounds of f'."""
    up, down = np.zeros(len(low)), np.zeros(len(low))
    for i, slope in enumerate(slopes):
        left, right = middle[:, i] - low[:, i], high[:, i] - middle[:, i]
        up += np.logaddexp(_log_exponential(slope.high, right), _log_exponential(-slope.low, left))
        down += np.logaddexp(_log_exponential(slope.low, right), _log_exponential(-slope.high, left))
    return up, down


def _log_exponential(slope: Array, length: Array) -> Array:
    """Logarithm of the integral of exp(slope t) over t from 0 to ``length``."""
    x = slope * length
    small, large = np.abs(x) < 1e-5, x > 30.0
    between = np.log(np.expm1(x) / slope)
    return np.where(small, np.log(length) + 0.5 * x, np.where(large, x - np.log(slope), between))


def _halves(low: Array, high: Array) -> tuple[Array, Array]:
    """Each box halved along every coordinate."""
    for i in range(low.shape[1]):
        middle = 0.5 * low[:, i] + 0.5 * high[:, i]
        upper, lower = low.copy(), high.copy()
        upper[:, i], lower[:, i] = middle, middle
        low, high = np.concatenate([low, upper]), np.concatenate([lower, high])
    return low, high


def _wells(boxes: tuple[Array, Array, Array]) -> tuple[Array, ...]:
    low, high, mass = boxes
    order = np.argsort(mass)[::-1][:MOST_WELLS]
    order = order[mass[order] > NOTABLE]
    return tuple(np.stack([low[order], high[order]], axis=1))
