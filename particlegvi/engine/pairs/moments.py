"""Sums of weighted cosines and sines of many frequencies over many points, linear in points and in frequencies.

    C_m = sum_n a_n cos(2 pi m t_n),   S_m = sum_n a_n sin(2 pi m t_n),   m = 0, ..., modes.

The modes of a point follow from the recurrence T_{m+1} = 2 cos(2 pi t) T_m - T_{m-1}, whose error grows like the
square of the number of modes. So it begins anew after `RUN` of them, from the cosine and the sine of the angle itself.
The sums run over lanes of eight points and chunks of `CHUNK` points in a fixed order: threads cannot change a bit.
"""

from __future__ import annotations

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled, inlined
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    load,
    multiply,
    multiply_subtract,
    store,
    subtract,
    total,
)
from particlegvi.engine.pairs.series import twice_cos_and_sin

CHUNK = 16_384  # points
GROUP = 4 * WIDTH  # points at a time
RUN = 64  # modes of one recurrence, even
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number


@inlined
def _turned(t, mode):
    """2 cos and sin of 2 pi mode t."""
    turns = multiply(t, broadcast(mode))
    whole = subtract(add(turns, broadcast(ROUND)), broadcast(ROUND))
    return twice_cos_and_sin(multiply(subtract(turns, whole), broadcast(0.5)))


@inlined
def _begin(t, weight, first):
    """2 cos of the angle; then, times the weights, cos and sin of mode ``first`` and of the mode before it."""
    half = multiply(weight, broadcast(0.5))
    twice, _ = _turned(t, 1.0)
    now, now_sine = _turned(t, float(first))
    before, before_sine = _turned(t, float(first - 1))
    return twice, multiply(half, now), multiply(weight, now_sine), multiply(half, before), multiply(weight, before_sine)


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
            ti, ci, si, ci2, si2 = _begin(load(points, at), load(factors, at), run)
            tj, cj, sj, cj2, sj2 = _begin(load(points, at + WIDTH), load(factors, at + WIDTH), run)
            tk, ck, sk, ck2, sk2 = _begin(load(points, at + 2 * WIDTH), load(factors, at + 2 * WIDTH), run)
            tn, cn, sn, cn2, sn2 = _begin(load(points, at + 3 * WIDTH), load(factors, at + 3 * WIDTH), run)
            for row in range(0, pairs * 4 * WIDTH, 4 * WIDTH):
                store(lanes, row, add(load(lanes, row), add(add(ci, cj), add(ck, cn))))
                store(lanes, row + WIDTH, add(load(lanes, row + WIDTH), add(add(si, sj), add(sk, sn))))
                ci2, si2 = multiply_subtract(ti, ci, ci2), multiply_subtract(ti, si, si2)
                cj2, sj2 = multiply_subtract(tj, cj, cj2), multiply_subtract(tj, sj, sj2)
                ck2, sk2 = multiply_subtract(tk, ck, ck2), multiply_subtract(tk, sk, sk2)
                cn2, sn2 = multiply_subtract(tn, cn, cn2), multiply_subtract(tn, sn, sn2)
                store(lanes, row + 2 * WIDTH, add(load(lanes, row + 2 * WIDTH), add(add(ci2, cj2), add(ck2, cn2))))
                store(lanes, row + 3 * WIDTH, add(load(lanes, row + 3 * WIDTH), add(add(si2, sj2), add(sk2, sn2))))
                ci, si = multiply_subtract(ti, ci2, ci), multiply_subtract(ti, si2, si)
                cj, sj = multiply_subtract(tj, cj2, cj), multiply_subtract(tj, sj2, sj)
                ck, sk = multiply_subtract(tk, ck2, ck), multiply_subtract(tk, sk2, sk)
                cn, sn = multiply_subtract(tn, cn2, cn), multiply_subtract(tn, sn2, sn)
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
