"""The activations of hidden units: a function and its slope, over a block of sums in place.

They are chosen by a number when the program runs, so that all networks run the same compiled code.
"""

from __future__ import annotations

import math

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import nested

RELU = 0  # which the products of `engine.networks.products` take along
ACTIVATIONS = {"relu": RELU, "tanh": 1, "gelu": 2, "identity": 3, "sine": 4}
ROOT_HALF = math.sqrt(0.5)
NORMAL = 1.0 / math.sqrt(2.0 * math.pi)


@nested
def activate(code, units, slopes, at, number):
    """The numbers from ``at`` on: units become the activations, slopes the derivatives, of all but relu."""
    z = units[at : at + number]
    s = slopes[at : at + number]
    if code == 1:
        for i in range(number):
            a = mathematics.tanh(z[i])
            z[i] = a
            s[i] = 1.0 - a * a
    elif code == 2:
        for i in range(number):
            share = 0.5 * (1.0 + math.erf(ROOT_HALF * z[i]))
            s[i] = share + z[i] * NORMAL * mathematics.exp(-0.5 * z[i] * z[i])
            z[i] = z[i] * share
    elif code == 3:
        for i in range(number):
            s[i] = 1.0
    else:
        for i in range(number):
            s[i] = mathematics.cos(z[i])
        for i in range(number):
            z[i] = mathematics.sin(z[i])
