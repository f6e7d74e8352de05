"""The computations of networks on data, for arrays of particles, spread over threads by particles."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.engine.networks.batches import Batches, Rows
from particlegvi.engine.networks.layout import FAN_IN, FAN_OUT, Layout
from particlegvi.engine.networks.work import GRADIENT, OUTPUTS, PULL_BACK, VALUE, steps_part, task_part
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.terms import evaluate  # noqa: F401 - registers the methods of terms

FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # default constants of Adam
PART = 150_000.0  # nanoseconds that repay waking a thread
Motion: TypeAlias = tuple[object, ...]  # see `engine.networks.moving`
_NONE = np.zeros((0, 0, 0))
_RESULT = np.zeros((0, 0))


class Shape(NamedTuple):
    """The layout of a network, and the codes of its activation and its cost in compiled code."""

    layout: Layout
    codes: NDArray[np.int64]


@compiled
def adam_step(moments, slope, size, parameters):
    """A step of Adam (Kingma and Ba 2015) of parameters and moments (3, dim), and the parameters after it (dim,)."""
    for i in range(slope.size):
        moments[1, i] += (1.0 - FIRST) * (slope[i] - moments[1, i])
        moments[2, i] += (1.0 - SECOND) * (slope[i] * slope[i] - moments[2, i])
        moments[0, i] -= size * moments[1, i] / (math.sqrt(moments[2, i]) + SMALL)
        parameters[i] = moments[0, i]


def outputs(shape: Shape, particles: Array, X: Array) -> Array:
    """Outputs (particles, rows, outputs) at X (rows, inputs)."""
    result = np.empty((len(particles), len(X), int(shape.layout.plan[-1, FAN_OUT])))
    particles, X = (np.require(array, requirements="W") for array in (particles, X))  # a copy of what is read-only
    _task(OUTPUTS, shape, particles, (X, X), _all(X), outer=result)
    return result


def pull_back(shape: Shape, particles: Array, X: Array, slopes: Array) -> Array:
    """The sums over rows and outputs of ``slopes`` (particles, rows, outputs) times the gradients of the outputs."""
    result = np.empty_like(particles)
    _task(PULL_BACK, shape, particles, (X, X), _all(X), outer=slopes, result=result)
    return result


class Networks:
    """Networks of one shape on data X (n, inputs), Y (n, outputs) or labels (n, 1), writable C-contiguous float64."""

    def __init__(self, shape: Shape, X: Array, Y: Array, batches: Batches) -> None:
        self.shape, self.batches = shape, batches
        self.data = X, Y

    def values(self, particles: Array) -> Array:
        """The mean costs over all rows, (particles,)."""
        costs = np.empty((len(particles), 1))
        _task(VALUE, self.shape, particles, self.data, _all(self.data[0]), result=costs)
        return costs[:, 0]

    def gradients(self, particles: Array) -> Array:
        """The gradients of the mean costs over all rows, (particles, dim)."""
        slopes = np.empty_like(particles)
        _task(GRADIENT, self.shape, particles, self.data, _all(self.data[0]), result=slopes)
        return slopes

    def gradients_at(self, particles: Array, step: int, seed: int) -> Array:
        """The gradients of the mean costs over the batch of a step, (particles, dim)."""
        slopes, batch = np.empty_like(particles), self.batches.of(seed, step, 1, len(particles))
        _task(GRADIENT, self.shape, particles, self.data, batch, result=slopes)
        return slopes

    def descend(self, moments: Array, sizes: list[float], first_step: int, seed: int) -> Array:
        """Take steps of Adam with these sizes, whole epochs; the parameters of one network after each, (epochs, dim).

        The rows of ``moments`` (3, dim), which change in place, are its parameters and the two moments.
        """
        rows, starts, counts = self.batches.of(seed, first_step, len(sizes), 1)
        layout, epoch, dim = tuple(self.shape.layout), self.batches.steps_of_epoch, moments.shape[1]
        slope, parameters = np.empty((1, dim)), np.empty((len(sizes) // epoch, dim))
        for step, size in enumerate(sizes):
            batch = rows, starts[step : step + 1], counts[step : step + 1]
            task_part(GRADIENT, layout, self.shape.codes, moments[:1], self.data, batch, _NONE, slope, 0, 1)
            adam_step(moments, slope[0], size, parameters[step // epoch])
        return parameters

    def steps(self, particles: Array, motion: Motion, first_step: int, steps: int, seed: int) -> None:
        """Move the particles, in place, by steps with the loss, the prior and the noise."""
        batches = self.batches.of(seed, first_step, steps, len(particles))
        layout, codes = tuple(self.shape.layout), self.shape.codes

        def part(first: int, last: int) -> None:
            steps_part(layout, codes, particles, self.data, batches, motion, first, last)

        threads.split(part, len(particles), least=_enough(self.shape, batches))


def _all(X: Array) -> tuple[Rows, Rows, Rows]:
    return np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64), np.full(1, len(X), dtype=np.int64)


def _cost(shape: Shape, passes: int, rows: float) -> float:
    """Nanoseconds of one particle for so many rows in all, about."""
    weights = sum(layer[FAN_IN] * layer[FAN_OUT] for layer in shape.layout.plan.tolist())
    return passes * 1000.0 + 0.15 * rows * weights


def _enough(shape: Shape, batches: tuple[Rows, Rows, Rows]) -> int:
    """Particles that repay waking a thread for passes over these batches."""
    return max(1, int(PART / _cost(shape, len(batches[1]), float(batches[2].sum()))))


def _task(
    task: int,
    shape: Shape,
    particles: Array,
    data: tuple[Array, Array],
    batch: tuple[Rows, Rows, Rows],
    *,
    outer: Array = _NONE,
    result: Array = _RESULT,
) -> None:
    layout = tuple(shape.layout)

    def part(first: int, last: int) -> None:
        task_part(task, layout, shape.codes, particles, data, batch, outer, result, first, last)

    threads.split(part, len(particles), least=_enough(shape, batch))
