"""Which counts a binomial law allows."""

from __future__ import annotations

import numpy as np

from particlegvi import arguments


def binomial_limits(n: int, p: float, level: float = 0.99) -> tuple[int, int]:
    """The smallest and largest count between which a Binomial(n, p) count lies, each tail at most half of the rest.

    The tighter of the limits for which ``P(X < low) <= (1 - level)/2`` and ``P(X > high) <= (1 - level)/2``: particles
    that fall independently into basins of weight p must have counts between them (Theorem 5.4.1).

    Parameters
    ----------
    n : int
        Number of particles, at least 0.
    p : float
        Probability in [0, 1].
    level : float
        Probability of a count inside the limits, at least this; in (0, 1).

    Returns
    -------
    low, high : ints

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    from scipy.special import bdtr

    n = arguments.whole("n", n, 0, arguments.MOST_PARTICLES)
    allowed = "a probability from 0 to 1"
    if not 0.0 <= arguments.real("p", p, allowed) <= 1.0:
        raise arguments.refuse("p", p, allowed)
    if not 0.0 < arguments.real("level", level, "a number between 0 and 1") < 1.0:
        raise arguments.refuse("level", level, "a number between 0 and 1")
    tail = 0.5 * (1.0 - level)
    below = bdtr(np.arange(n + 1, dtype=np.float64), int(n), p)
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1.0 - tail, side="left"))
    return min(low, int(n)), min(high, int(n))
