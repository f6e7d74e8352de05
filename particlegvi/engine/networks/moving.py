"""A step of one particle with all its coordinates, its noise, and its repulsion by squared exponentials.

``motion`` is the tuple (mean, root_precision, weights, switches, stepping, key, first_step): the Normal prior's
parameters (dim,), zeros for one without a gradient; kl_weight and lambda1; `engine.steps.flow.Switches`; the
coefficients gain, noise_now and noise_next (rows, dim); the two words of the Philox key; the number of the first step.

``repelling`` is the tuple (kernel, context, draws, embedding): the kernel; inputs (rows, inputs) whose outputs are
compared, none where weights are compared; for outputs, the outputs of frozen draws of the prior, flat, in rows as long
as a multiple of WIDTH; for weights, the mean embedding as means and precisions, both (Gaussians, dim), and heights
(Gaussians,), none where it has no gradient. The room for outputs is (particles, 1, row) with rows of that length.

The lanes are the coordinates of one particle, so that five particles do not pay for thirty-two. The arithmetic repeats
`engine.steps.flow`, `engine.pairs.features`, `engine.pairs.direct` and the terms, with the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, normal_pair
from particlegvi.engine.pairs.direct import few_forces
from particlegvi.engine.pairs.features import pair_forces
from particlegvi.engine.steps.flow import EMBEDDING, NOISE, PRIOR, TWO_NOISES

EVEN, ODD, CARRIED = range(3)  # rows of the noise


@nested
def fill_coordinates(particle, noise, pair, key):
    """The normals of one particle in steps 2 pair and 2 pair + 1."""
    even = noise[EVEN]
    odd = noise[ODD]
    for i in range(even.size):
        a, b = normal_pair(np.uint64(particle), np.uint64(pair), NOISE_ROLE + np.uint64(i), key[0], key[1])
        even[i] = a
        odd[i] = b


@nested
def next_noise(motion, particle, index, noise, held):
    """Make the noise of a step ready; ``held`` is the pair of steps whose noise is there, -1 for none."""
    switches, key, first_step = motion[3], motion[5], motion[6]
    if not switches[NOISE]:
        return held
    step = first_step + index
    ahead = 1 if switches[TWO_NOISES] and step % 2 == 1 else 0
    pair = step // 2 + ahead
    if ahead == 1 and held < 0:  # the odd normal of the pair before belongs to this step
        fill_coordinates(particle, noise, step // 2, key)
        held = step // 2
    if pair != held:
        if switches[TWO_NOISES]:
            for i in range(noise.shape[1]):
                noise[CARRIED, i] = noise[ODD, i]
        fill_coordinates(particle, noise, pair, key)
    return pair


@nested
def move_particle(motion, index, x, force, pull, noise):
    """The step itself, in place, under the gradient of the loss and any other force (dim,).

    ``pull`` (dim,) is the gradient of the mean embedding where that is switched on.
    """
    mean, root, weights, switches, stepping, _, first_step = motion
    gain, noise_now, noise_next = stepping
    row = min(index, gain.shape[0] - 1)
    odd = (first_step + index) % 2 == 1
    now = noise[(CARRIED if switches[TWO_NOISES] else ODD) if odd else EVEN]
    following = noise[EVEN if odd else ODD]
    step = gain[row]
    a = noise_now[row]
    b = noise_next[row]
    kl_weight = weights[0]
    lambda1 = weights[1]
    if switches[EMBEDDING]:
        if switches[PRIOR]:
            for i in range(x.size):
                drift = 0.0 + kl_weight * ((x[i] - mean[i]) * root[i] * root[i])
                force[i] = (drift - lambda1 * pull[i]) + (0.0 + force[i])
        else:
            for i in range(x.size):
                force[i] = (0.0 - lambda1 * pull[i]) + (0.0 + force[i])
    elif switches[PRIOR]:
        for i in range(x.size):
            force[i] = (0.0 + kl_weight * ((x[i] - mean[i]) * root[i] * root[i])) + (0.0 + force[i])
    if switches[NOISE]:
        for i in range(x.size):
            x[i] -= step[i] * force[i] - (a[i] * now[i] + b[i] * following[i])
    else:
        for i in range(x.size):
            x[i] -= step[i] * force[i]


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
