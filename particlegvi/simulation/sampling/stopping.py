"""When an ensemble has arrived: nothing drifts, halves agree, particles have forgotten their start, and they suffice.

The halves start at different widths, so that they agree only when both have come to one law, from inside and from
outside (Gelman and Rubin 1992; Margossian, Hoffman, Sountsov, Riou-Durand, Vehtari and Gelman 2024 for many short
chains). A test of drift alone would pass while an ensemble that is too narrow creeps.

A difference of 7 standard errors passes a look with probability 2.3e-4, that of a normal number below -3.5. A run of
400 steps is looked at 21 times with two windows each, so that it is missed in less than one of 100 runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array

LARGEST = 3.5  # standard errors of a difference or a correlation
# The reasons of a verdict, as they follow the name of a coordinate.
DRIFTS = "drifts"
DIFFERS = "differs between the half that started wide and the other"
REMEMBERS = "has not forgotten where it was"
TOO_FEW = "has too few effective draws for the accuracy"
UNJUDGED = "has taken too few steps to be judged"


class Verdict(NamedTuple):
    """Whether an ensemble has arrived; if not, the first test that it fails, with the coordinate that is worst."""

    arrived: bool
    reason: str = ""
    worst: int = -1  # number of the coordinate; -1: none, dim: the energy
    effective_draws: float = 0.0
    counted: int = 0  # records that it counts, from the last one


class History(NamedTuple):
    """Numbers of every particle at the steps of two windows: (steps, particles, observables)."""

    values: Array
    dim: int

    def coordinate(self, observable: int) -> int:
        """The coordinate of an observable; -1 for a direction between coordinates, dim for the energy."""
        if observable < self.dim:
            return observable
        return -1 if observable < 2 * self.dim else self.dim


def observed(positions: Array, scaled: Array, energies: Array) -> History:
    """Coordinates, coordinates that are uncorrelated with variance 1, and the energy.

    ``positions`` (steps, particles, dim), and ``scaled``, a linear map of them that is well conditioned;
    ``energies`` (steps, particles). Without the second kind a drift along a
    ridge hides behind the spread of the coordinates.
    """
    dim = positions.shape[2]
    flat = scaled.reshape(-1, dim)
    covariance = np.cov(flat.T).reshape(dim, dim)
    variances, directions = np.linalg.eigh(covariance)
    kept = np.sqrt(np.maximum(variances, 1e-300))
    white = (scaled - flat.mean(axis=0)) @ directions / kept
    return History(np.concatenate([positions, white, energies[:, :, None]], axis=2), dim)


def judge(seen: History, wanted_draws: float) -> Verdict:
    """Whether the ensemble had arrived at the end of the two windows."""
    earlier, later = np.split(seen.values, 2)
    for reason, first, second in ((DRIFTS, earlier, later), (DIFFERS, later[:, ::2], later[:, 1::2])):
        size = _difference(first, second)
        if not np.all(size < 1.0):
            return Verdict(False, reason, seen.coordinate(int(np.argmax(np.nan_to_num(size, nan=np.inf)))))
    correlation = np.abs(_correlations(seen.values[0], seen.values[-1])) * np.sqrt(later.shape[1])
    if not np.all(correlation < LARGEST):
        worst = seen.coordinate(int(np.argmax(np.nan_to_num(correlation, nan=np.inf))))
        return Verdict(False, REMEMBERS, worst)
    draws = effective_draws(seen.values)
    if draws < wanted_draws:
        return Verdict(False, TOO_FEW, -1, draws)
    return Verdict(True, "", -1, draws)


def _difference(first: Array, second: Array) -> Array:
    """How far two sets (steps, particles, k) differ in mean or log standard deviation, (k,): 1 is the largest allowed.

    Standard errors come from the scatter of the particles' own means over the steps, so that a tail of any kind and
    particles that hardly move count as what they are.
    """
    with np.errstate(all="ignore"):  # a number that is none is a difference
        a, b = _moments(first), _moments(second)
        gap = np.abs(a.mean - b.mean) / np.sqrt(a.of_mean + b.of_mean + 1e-300)
        wider = np.abs(np.log(a.variance / b.variance)) / np.sqrt(a.of_log_variance + b.of_log_variance)
    return np.maximum(gap, wider) / LARGEST


class Moments(NamedTuple):
    """Moments with the squared standard errors of the mean and of the logarithm of the variance, each (k,)."""

    mean: Array
    of_mean: Array
    variance: Array
    of_log_variance: Array


def _moments(values: Array) -> Moments:
    number = values.shape[1]
    of_particles = values.mean(axis=0)
    squares = ((values - of_particles.mean(axis=0)) ** 2).mean(axis=0)
    variance = squares.mean(axis=0)
    mean, of_mean = of_particles.mean(axis=0), of_particles.var(axis=0) / number
    return Moments(mean, of_mean, variance, squares.var(axis=0) / number / variance**2)


def _correlations(first: Array, second: Array) -> Array:
    """Correlations over particles of (particles, k) at two steps, (k,)."""
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    with np.errstate(all="ignore"):
        return (a * b).sum(axis=0) / np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))


def effective_draws(values: Array) -> float:
    """Independent draws that are worth as much as all particles at all these steps, for the worst observable.

    The variance of a particle's mean over the steps, against that of one draw.
    """
    steps, particles, _ = values.shape
    ratio = values.mean(axis=0).var(axis=0) / values.var(axis=(0, 1))
    return float(particles / np.max(ratio)) if steps > 1 else float(particles)
