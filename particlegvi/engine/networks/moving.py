"""A step of one particle with all its coordinates and its noise.

``motion`` is the tuple (mean, root_precision, kl_weight, switches, stepping, key, first_step): the Normal prior's
parameters (dim,), zeros for one without a gradient; its weight; `engine.steps.flow.Switches`; the coefficients gain,
noise_now and noise_next (rows, dim); the two words of the Philox key; the number of the first step.

The lanes are the coordinates of one particle, so that five particles do not pay for thirty-two. The arithmetic repeats
`engine.steps.flow` and the terms, with the same bits.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.noise import NOISE_ROLE, normal_pair
from particlegvi.engine.steps.flow import NOISE, PRIOR, TWO_NOISES

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
def next_noise(motion, particle, index, noise, drawn):
    """Make the noise of a step ready; ``drawn`` is the pair of steps whose noise is ready, -1 for none."""
    switches, key, first_step = motion[3], motion[5], motion[6]
    if not switches[NOISE]:
        return drawn
    step = first_step + index
    ahead = 1 if switches[TWO_NOISES] and step % 2 == 1 else 0
    pair = step // 2 + ahead
    if ahead == 1 and drawn < 0:  # the odd normal of the pair before belongs to this step
        fill_coordinates(particle, noise, step // 2, key)
        drawn = step // 2
    if pair != drawn:
        if switches[TWO_NOISES]:
            for i in range(noise.shape[1]):
                noise[CARRIED, i] = noise[ODD, i]
        fill_coordinates(particle, noise, pair, key)
    return pair


@nested
def move_particle(motion, index, x, force, noise):
    """The step itself, in place, under the gradient of the loss (dim,), which is overwritten."""
    mean, root, kl_weight, switches, stepping, _, first_step = motion
    gain, noise_now, noise_next = stepping
    row = min(index, gain.shape[0] - 1)
    odd = (first_step + index) % 2 == 1
    now = noise[(CARRIED if switches[TWO_NOISES] else ODD) if odd else EVEN]
    following = noise[EVEN if odd else ODD]
    step = gain[row]
    a = noise_now[row]
    b = noise_next[row]
    if switches[PRIOR]:
        for i in range(x.size):
            force[i] = (0.0 + kl_weight * ((x[i] - mean[i]) * root[i] * root[i])) + (0.0 + force[i])
    if switches[NOISE]:
        for i in range(x.size):
            x[i] -= step[i] * force[i] - (a[i] * now[i] + b[i] * following[i])
    else:
        for i in range(x.size):
            x[i] -= step[i] * force[i]
