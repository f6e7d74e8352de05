"""The activations of hidden units, and the costs of a row of the data: functions and slopes, over a block in place.

They are chosen by a number when the program runs, so that all networks run the same compiled code.
"""

import math

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import inlined, nested

RELU = 0  # which the products of `engine.networks.products` take along
ACTIVATIONS = {"relu": RELU, "tanh": 1, "gelu": 2, "identity": 3, "sine": 4}
ROOT_HALF = math.sqrt(0.5)
NORMAL = 1.0 / math.sqrt(2.0 * math.pi)
COSTS = {"squared": 0, "logistic": 1, "softmax": 2, "heteroscedastic": 3}
LEAST_VARIANCE = 1e-6  # of the heteroscedastic cost, added to the softplus (Lakshminarayanan et al. 2017)


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


@inlined
def softplus(f):
    """log(1 + e^f)."""
    return max(f, 0.0) + mathematics.log1p(mathematics.exp(-math.fabs(f)))


@inlined
def logistic(f):
    """1 / (1 + e^-f)."""
    t = mathematics.exp(-math.fabs(f))
    return 1.0 / (1.0 + t) if f >= 0.0 else t / (1.0 + t)


@nested
def block_costs(code, outputs, targets, rows, number, share, errors):
    """The sum of the costs of a block of rows; fills the slopes (rows, number) in the outputs times ``share``.

    ``outputs`` are (rows, number) and ``targets`` (rows, number), or (rows, 1) where there is one for all outputs; all
    are flat.
    """
    cost = 0.0
    if code == 0:
        for i in range(rows * number):
            error = outputs[i] - targets[i]
            cost += error * error
            errors[i] = 2.0 * error * share
    elif code == 1:
        for r in range(rows):
            f = outputs[r]
            cost += softplus(f) - targets[r] * f
            errors[r] = (logistic(f) - targets[r]) * share
    elif code == 2:
        for r in range(rows):
            at = r * number
            largest = outputs[at]
            for c in range(1, number):
                largest = max(largest, outputs[at + c])
            mass = 0.0
            for c in range(number):
                errors[at + c] = mathematics.exp(outputs[at + c] - largest)
                mass += errors[at + c]
            label = at + int(targets[r])
            cost += largest + mathematics.log(mass) - outputs[label]
            for c in range(number):
                errors[at + c] *= share / mass
            errors[label] -= share
    else:
        for r in range(rows):
            error = outputs[2 * r] - targets[r]
            variance = softplus(outputs[2 * r + 1]) + LEAST_VARIANCE
            ratio = error * error / variance
            cost += 0.5 * (mathematics.log(variance) + ratio)
            errors[2 * r] = error / variance * share
            errors[2 * r + 1] = 0.5 * (1.0 - ratio) / variance * logistic(outputs[2 * r + 1]) * share
    return cost
