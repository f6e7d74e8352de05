"""Sums of weighted cosines and sines of many frequencies over many points, linear in points and in frequencies.

    C_m = sum_n a_n cos(2 pi m t_n),   S_m = sum_n a_n sin(2 pi m t_n),   m = 0, ..., modes.

The modes of a point follow from the recurrence of `add_modes`, whose error grows like the square of the number of
modes. So it begins anew after `RUN` of them, from the cosine and the sine of the angle itself.
The sums run over lanes of eight points and chunks of `CHUNK` points in a fixed order: threads cannot change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, inlined
from particlegvi.engine.numerics.vectors import WIDTH, add, broadcast, load, loads, multiply, subtract, total
from particlegvi.engine.pairs.series import GROUP, TOGETHER, add_modes, twice_cos_and_sin

CHUNK = 16_384  # points
RUN = 64  # modes of one recurrence, even
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number


@inlined
def _turned(t, mode):
    """2 cos and sin of 2 pi mode t."""
    turns = multiply(t, broadcast(mode))
    whole = subtract(add(turns, broadcast(ROUND)), broadcast(ROUND))
    return twice_cos_and_sin(multiply(subtract(turns, whole), broadcast(0.5)))


@compiled
def _chunk_moments(t, weights, first, last, modes, lanes, sums):
    """Add the sums over points first..last-1 of t (n,) with weights (n,) to ``sums`` (2, modes + 1)."""
    padded = np.zeros(2 * GROUP)
    for run in range(0, modes + 1, RUN):
        pairs = (min(RUN, modes + 1 - run) + 1) // 2
        lanes[: pairs * 4 * WIDTH] = 0.0
        for i in range(first, last, GROUP):
            points, factors, at = t, weights, i
            if i + GROUP > last:
                for lane in range(GROUP):
                    inside = i + lane < last
                    padded[lane] = t[i + lane] if inside else 0.0
                    padded[GROUP + lane] = weights[i + lane] if inside else 0.0
                points, factors, at = padded[:GROUP], padded[GROUP:], 0
            turns = loads(points, at, WIDTH, TOGETHER)
            weight = loads(factors, at, WIDTH, TOGETHER)
            half = multiply(weight, broadcast(0.5))
            twice, _ = _turned(turns, 1.0)
            c, s = _turned(turns, float(run))
            c2, s2 = _turned(turns, float(run - 1))  # of the mode before it
            add_modes(
                twice, multiply(half, c), multiply(weight, s), multiply(half, c2), multiply(weight, s2), lanes,
                pairs * 4 * WIDTH,
            )  # fmt: skip
        for m in range(min(RUN, modes + 1 - run)):
            sums[0, run + m] += total(load(lanes, 2 * m * WIDTH))
            sums[1, run + m] += total(load(lanes, (2 * m + 1) * WIDTH))


def moments(t: np.ndarray, weights: np.ndarray, modes: int) -> np.ndarray:
    """The sums C (row 0) and S (row 1) of the modes 0, ..., modes, (2, modes + 1).

    Parameters
    ----------
    t : array (n,)
        Turns, of size 2^20 or less. Contiguous, and ``weights`` (n,) too.
    """
    n = len(t)
    parts = np.zeros((max(1, -(-n // CHUNK)), 2, modes + 1))

    def work(first: int, last: int) -> None:
        lanes = np.zeros((RUN + 2) * 2 * WIDTH)
        for part in range(first, last):
            _chunk_moments(t, weights, part * CHUNK, min((part + 1) * CHUNK, n), modes, lanes, parts[part])

    threads.split(work, len(parts))
    return parts.sum(axis=0)
