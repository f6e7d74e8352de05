"""Acceptance of jumps one particle after the other, where particles interact: the change of the pair energy.

Particle n that goes from x to y changes sum_{n,m} kappa / 2 by

    D = sum_{m != n} kappa(y, x_m) - kappa(x, x_m),

with the places that the particles before it have by then. It goes if margin > factor D, where ``margin`` is the rest
of log A - log(uniform) and factor = lambda1 / (N kl_weight). Here D is the sum itself, for any kernel; for the squared
exponential on the line it comes from a Fourier series (`particlegvi.engine.jumps.moments`).
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled

LANES = 64


@compiled
def accept_direct(kernel, x, mine, new, margin, factor):
    """Move the accepted particles of ``mine``, in place; return how many. ``x`` is (dim, N)."""
    dim, number = x.shape
    before = np.empty(LANES)
    after = np.empty(LANES)
    taken = 0
    for place in range(mine.size):
        if not margin[place] > -np.inf:
            continue
        particle = mine[place]
        change = 0.0
        for start in range(0, number, LANES):
            count = min(LANES, number - start)
            for lane in range(LANES):
                before[lane] = 0.0
                after[lane] = 0.0
            for i in range(dim):
                here, there = x[i, particle], new[place, i]
                for lane in range(count):
                    other = x[i, start + lane]
                    before[lane] += (here - other) * (here - other)
                    after[lane] += (there - other) * (there - other)
            for lane in range(LANES):
                before[lane] = kernel.value(after[lane]) - kernel.value(before[lane])
            for lane in range(count):
                change += before[lane] if start + lane != particle else 0.0
        if margin[place] > factor * change:
            taken += 1
            for i in range(dim):
                x[i, particle] = new[place, i]
    return taken
