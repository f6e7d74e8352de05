"""Repulsion inside the compiled steps of networks, by squared exponentials: between weights, or between outputs.

``repelling`` is the tuple (kernel, context, draws, embedding): the kernel; inputs (rows, inputs) whose outputs are
compared, none where it is the weights; for outputs, the outputs of frozen draws of the prior, flat, in rows as long as
a multiple of WIDTH; for weights, the mean embedding as means and precisions, both (Gaussians, dim), and heights
(Gaussians,), none where it has no gradient.

The room for outputs is (particles, 1, row) with rows of that length. The arithmetic repeats
`engine.pairs.features`, `engine.pairs.few` and the terms, with the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.pairs.features import pair_forces
from particlegvi.engine.pairs.few import few_forces


class Exponential(NamedTuple):
    """The squared exponential, of one type for all compiled steps."""

    lengthscale: float
    variance: float

    def slope(self, r2: float) -> float:
        """The slope of `particlegvi.kernels.SquaredExponential`, operation by operation."""
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        return -0.5 * precision * self.variance * math.exp(-0.5 * precision * r2)


@nested
def push_weights(kernel, positions, motion, out, targets):
    """The forces (particles, dim) of the particles on each other."""
    number = positions.shape[0]
    few_forces(kernel, positions, 0, number, motion[2][1] / number, out, targets)


@nested
def push_outputs(kernel, told, particles, draws, motion, sums):
    """The outputs of particles become the forces on them; ``sums`` is room for as many numbers."""
    lambda1 = motion[2][1]
    for i in range(sums.size):
        sums[i] = 0.0
    pair_forces(kernel, (told, particles), (told, particles), lambda1 / particles, sums)
    samples = draws.size // (told.size // particles)
    if samples > 0:
        pair_forces(kernel, (told, particles), (draws, samples), -lambda1 / samples, sums)
    for i in range(sums.size):
        told[i] = sums[i]


@nested
def add_push(embedding, x, push, slope, pull):
    """slope += push of a particle; ``pull`` (dim,) becomes the gradient of the mean embedding, or zero without one."""
    means, precisions, heights = embedding
    for i in range(x.size):
        slope[i] += push[i]
        pull[i] = 0.0
    for q in range(heights.size):
        exponent = 0.0
        for i in range(x.size):
            gap = x[i] - means[q, i]
            exponent += 0.5 * precisions[q, i] * gap * gap
        level = heights[q] * mathematics.exp(-exponent)
        for i in range(x.size):
            pull[i] -= precisions[q, i] * (x[i] - means[q, i]) * level
