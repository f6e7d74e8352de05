"""Particles that have left every scale of their problem and go on growing, as an unstable step makes them do."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.targets.quadrature.potential import place_of

FAR = 1e3  # scales of the problem beyond which no particle has any business
GROWTH = 10.0  # factor of the second half; an exponential that has come so far has at least sqrt(FAR)
HUGE = 1e100  # squares of larger coordinates are not finite


def problem_scale(start: Array, prior: Prior, ends: Array) -> float:
    """The largest distance from the mean of the start, (particles, dim), of the start, the prior and the truth.

    The prior counts with its centre and its scale, and the truth with points (n, dim) at its ends.
    """
    place = place_of(prior)
    centre = start.mean(axis=0)
    points = np.concatenate([start, place.centre[None], place.centre + place.scale[None], ends])
    return float(np.max(np.linalg.norm(points - centre, axis=1)))


def escaped(positions: Array, times: Array, scale: float) -> Array:
    """Which particles (particles,) are beyond 1000 scales of the start's mean, at least 10 times as far as halfway.

    Diffusion and steady drifts grow by less; a particle beyond 1e100 has escaped in any case.
    """
    final, centre = positions[-1], positions[0].mean(axis=0)
    middle = int(np.searchsorted(times, 0.5 * times[-1]))
    halfway = positions[middle if middle < len(positions) - 1 else 0]
    with np.errstate(all="ignore"):
        far, before = (np.linalg.norm(x - centre, axis=1) for x in (final, halfway))
        grown = (far > FAR * scale) & ~(far < GROWTH * before)
    return np.asarray(grown | ~np.all(np.abs(final) < HUGE, axis=1))
