"""Birth and death of particles: the Fisher-Rao part of a gradient flow, on a kernel density of the particles.

After every so many steps, in which the time ``duration`` has passed, particle i has the excess

    a_i = V(theta_i) + kl_weight log q_h(theta_i),      q_h(x) = 1/N sum_j N(x; theta_j, diag(width^2)),

over the mean of all, that is the first variation of E_Q[V] + kl_weight E_Q[log q] at the particle. One after the
other, with probability 1 - exp(-rate duration |a_i - mean|), a particle whose excess is positive is replaced by a copy
of another one, and one whose excess is negative is copied over another one (Lu, Lu and Nolen 2019, algorithm 1, whose
unit of time is kl_weight times this one). The number of particles stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Facts, Loss, Prior
from particlegvi.engine.jumps.proposals import ACCEPT, NORMAL, PICK, Broad, centres_of, fitted, uniform
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.mathematics import exp, log
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.terms import evaluate

LANES = 64
LEAST = 64  # particles whose density repays waking a thread
COPIES, WIDTH = "copies", "width"


class Births:
    """Births and deaths of all particles of an ensemble.

    The bandwidth is the width of q_h in every coordinate. None chooses one for each birth and death: the standard
    deviation of the particles divided by that power of two under which half of up to 64 of them are most likely, each
    left out once. ``duration(number)`` is the time between birth and death number - 1 and this one. Attributes:
    ``counts``, the number of copies so far; ``width`` (dim,), the last width.
    """

    name = "birth_death"

    def __init__(
        self,
        loss: Loss,
        prior: Prior,
        *,
        kl_weight: float,
        rate: float,
        bandwidth: float | None,
        duration: Callable[[int], float],
        seed: int,
    ) -> None:
        self.counts = {COPIES: 0}
        self.width: Array | None = None
        self._loss, self._prior_term = loss, prior.term()
        self._kl_weight, self._rate, self._bandwidth, self._duration = kl_weight, rate, bandwidth, duration
        self._key = key_words(seed)

    def jump(self, x: Array, number: int) -> None:
        """Birth and death number ``number``, from 0, of the particles ``x`` (particles, dim), in place."""
        if not np.isfinite(x).all():
            return  # a run that diverges says so
        excess = np.array(self._loss.value(x), dtype=np.float64)
        excess += self._kl_weight * (evaluate.values(self._prior_term, x) + self.log_density(x, number))
        excess -= excess.mean()
        chance = -np.expm1(-self._rate * self._duration(number) * np.abs(excess))
        self.counts[COPIES] += int(_copy(x, excess, chance, number, self._key))

    def log_density(self, x: Array, number: int) -> Array:
        """The logarithm of q_h at the particles (particles, dim), (particles,)."""
        self.width = width = self._width(x, number)
        scaled = np.ascontiguousarray((x / width).T)
        out = np.empty(len(x))
        threads.split(lambda first, last: _log_sums(scaled, first, last, out), len(x), least=LEAST)
        return out - math.log(len(x)) - float(np.log(width * math.sqrt(2.0 * math.pi)).sum())

    def _width(self, x: Array, number: int) -> Array:
        dim = x.shape[1]
        if self._bandwidth is not None:
            return np.full(dim, self._bandwidth)
        everyone = np.arange(len(x))
        mean, spread = fitted(x, everyone)
        spread = np.where(spread > 0.0, spread, 1.0)
        return centres_of(x, everyone, Broad(NORMAL, mean, spread), 0.0, number, 0, self._key)[1]

    def extra_state(self) -> Facts:
        """The counts, and the last width, which facts state: a run may be resumed after its last birth and death."""
        return {**self.counts, **({} if self.width is None else {WIDTH: self.width.tolist()})}

    def restore(self, extra_state: Facts) -> None:
        """Take them out of the state of an interrupted run."""
        self.counts.update({name: int(extra_state.pop(name)) for name in self.counts})
        width = extra_state.pop(WIDTH, None)
        self.width = None if width is None else np.array(width, dtype=np.float64)

    def facts(self) -> Facts:
        """Facts for the result: the rate, the bandwidth, the number of copies, and the bias of q_h."""
        width = None if self.width is None else [float(each) for each in self.width]
        return {
            "rate": self._rate,
            "bandwidth": width if self._bandwidth is None else self._bandwidth,
            "bandwidth_rule": "given" if self._bandwidth is not None else "leave-one-out likelihood, at the last one",
            "copies": self.counts[COPIES],
            "bias": "the kernel density is wider than the particles' distribution: order bandwidth^2",
        }


@compiled
def _log_sums(x, first, last, out):
    """log sum_j exp(-|x_i - x_j|^2 / 2) of the particles i in [first, last), ``x`` (dim, N); at least 0."""
    dim, number = x.shape
    squares = np.empty(LANES)
    for particle in range(first, last):
        total = 0.0
        for start in range(0, number, LANES):
            count = min(LANES, number - start)
            for lane in range(LANES):
                squares[lane] = 0.0
            for i in range(dim):
                here = x[i, particle]
                for lane in range(count):
                    difference = here - x[i, start + lane]
                    squares[lane] += difference * difference
            for lane in range(LANES):
                squares[lane] = exp(-0.5 * squares[lane])
            for lane in range(count):
                total += squares[lane]
        out[particle] = log(total)


@compiled
def _copy(x, excess, chance, number, key):
    """Replace particles with too large an excess and copy those with too small a one; return how many copies."""
    particles, dim = x.shape
    copies = 0
    for particle in range(particles):
        if particles < 2 or not uniform(particle, number, ACCEPT, key) < chance[particle]:
            continue
        other = min(int(uniform(particle, number, PICK, key) * (particles - 1)), particles - 2)
        other += 1 if other >= particle else 0
        source, place = (other, particle) if excess[particle] > 0.0 else (particle, other)
        for i in range(dim):
            x[place, i] = x[source, i]
        copies += 1
    return copies
