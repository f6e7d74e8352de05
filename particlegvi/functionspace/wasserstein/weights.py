"""The weight w of W2^2 in an objective: a given number, or the one equivalent to a distance W2 without a square."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

from scipy import optimize

from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

WEIGHTS = ("unsquared", "code")
ITERATIONS, SETTLED = 60, 1e-12  # limits of the fixed-point iteration for a weight that depends on W2
LEAST, PRIOR = 1e-12, 1e6  # range of this weight, in units of n / (2 s2)


def checked_weight(value: object) -> float | str:
    """Check a weight: a number of 0 or more (0 gives a warning), or one of two names."""
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise refuse("w2_weight", value, 'a number of at least 0, "unsquared" or "code"')
        return value
    found = float(arguments.not_negative("w2_weight", value))
    if found == 0.0:
        warnings.warn("w2_weight is 0: least squares, with no variance but the residual of the basis", stacklevel=3)
    return found


def fixed_point(w2_squared: Callable[[float], float], scale: float, rows: float) -> float:
    """The weight w = scale / (2 W2) that is equivalent to a distance W2 without a square.

    2 w W2 grows with w. If it does not reach ``scale``, the distance outweighs the data: the prior is the minimiser
    and the weight is infinite.

    Parameters
    ----------
    w2_squared : callable
        Returns the W2^2 of a fit with this weight.
    scale : float
    rows : float
        n / (2 s2): at a million times this weight the posterior differs from the prior by a millionth.
    """

    def distance(w: float) -> float:
        return math.sqrt(max(w2_squared(w), 1e-300))

    w, most = 1.0, PRIOR * rows
    for _ in range(ITERATIONS):
        new = scale / (2.0 * distance(w))
        if abs(new - w) <= SETTLED * w:
            return w
        if new > most:  # the solution lies beyond the range, where W2 is rounding
            break
        w = new

    def excess(log: float) -> float:
        return log + math.log(2.0 * distance(math.exp(log)) / scale)

    if excess(math.log(most)) <= 0.0:
        warnings.warn("w2_weight outweighs the data for this noise variance: the posterior is the prior", stacklevel=5)
        return most
    return math.exp(optimize.brentq(excess, math.log(LEAST * rows), math.log(most), xtol=1e-13))
