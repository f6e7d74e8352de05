"""Where a flow without noise ends depends on its start (Theorems 5.4.1 and C.6.1); with noise it does not (C.5)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Facts, Method
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

LOW, HIGH = -2.0, 1.0  # the minima; the barrier between their basins is at 0
# A repulsion that separates particles within one valley as well.
STRONG = pg.methods.DRE(mmd_weight=5.0, kernel=problems.KERNEL)
NOISY = pg.methods.DRLE(kl_weight=1.0, mmd_weight=5.0, kernel=problems.KERNEL)


class BasinLaw(problems.Simulated):
    """W1 of the final particles to Q0(theta < 0) at -2 and the rest at 1, with the basins' weights from erf.

    W1 is 3 |share - weight| once all particles have arrived, so that four standard errors of the share bound it.
    Wrong: a small temperature, at which particles cross the barrier.
    """

    claim = "DE ends at the minima, each with the probability of its basin under Q0"
    source = "thesis, Theorem 5.4.1 and (C.126)"
    wrong = "with the noise of kl_weight 0.5"
    particles, steps, step_size = 20_000, 2_000, 1e-2
    mean = 0.0

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        method = pg.methods.DLE(kl_weight=0.5) if wrong else pg.methods.DE()
        return self.compare(method, self.mean, seed, picture)

    def compare(self, method: Method, start: float, seed: int, picture: Picture) -> Check:
        """Particles started around ``start`` against the law for a start around ``self.mean``."""
        run = self.simulate(method, seed, prior=pg.priors.Flat(1), initial=pg.priors.Normal(start, 1.0))
        law = pg.priors.Normal(self.mean, 1.0)
        weight = 0.5 * (1.0 + math.erf(-self.mean / math.sqrt(2.0)))
        x = run.final[:, 0]
        window, weights = (-3.25, 2.25), [weight, 1.0 - weight]  # the minima are in the middle of a bin
        picture.histogram(x, window, 55, shares=True).truth([LOW, HIGH], weights, r"$Q_0(\Theta_i)$", "D")
        picture.frame(ylabel="share of the particles", legend="upper center", ylim=(0.0, 0.85))
        distance = pg.diagnostics.wasserstein1(x, pg.target(problems.LOSS, pg.methods.DE(), initial=law))
        bound = (HIGH - LOW) * chance.ERRORS * math.sqrt(weight * (1.0 - weight) / len(x))
        return Check("W1 to the law of the basins", distance, bound)


class BasinLawAsymmetric(BasinLaw):
    """The law of `BasinLaw` for a start that favours one basin."""

    claim = "Theorem 5.4.1 also where Q0 favours a basin: Q0 = N(0.5, 1)"
    source = "thesis, Theorem 5.4.1"
    wrong = "started from N(0, 1)"
    mean = 0.5

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        return self.compare(pg.methods.DE(), 0.0 if wrong else self.mean, seed, picture)


class DrleForgets(problems.Simulated):
    """DRLE from all particles at one point and from spread ones: two-sample Kolmogorov-Smirnov distance of the ends."""

    claim = "DRLE forgets its start: all particles at one point, or spread, end in one law"
    source = "thesis, C.5 and Theorem 5.4.2"
    wrong = "without noise (DRE)"
    particles, steps, step_size = 5_000, 3_000, 5e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        method = pg.methods.DRE(0.5, problems.KERNEL) if wrong else problems.DRLE
        initial = (np.full((self.particles, 1), 1.5), problems.PRIOR.sample(self.particles, seed=seed))
        pairs = zip(initial, chance.seeds(seed, 2), strict=True)
        ends = [self.simulate(method, own, initial=start).final[:, 0] for start, own in pairs]
        for label, end in zip(("from one point", "from spread particles"), ends, strict=True):
            picture.curve(np.append(np.sort(end), 2.8), np.arange(len(end) + 1) / len(end), label)
        x = np.linspace(*problems.WINDOW, 400)
        picture.truth(x, problems.target(problems.DRLE).cdf(x), "$Q^*$", linewidth=1.2)
        picture.frame(ylabel="distribution function", legend="upper left", xlim=problems.WINDOW)
        bound = chance.kolmogorov_smirnov(0.5 * self.particles)
        return Check("KS distance of the two ends", chance.ks_between(*ends), bound)


def starts(number: int, seed: int) -> dict[str, np.ndarray]:
    """Particles all at one point, at two (one quarter of them at the left one), at three, and spread."""
    points = {"one point": (0.5,), "two points": (-0.5, 0.5, 0.5, 0.5), "three points": (-1.0, 0.5, 0.6)}
    fixed = {label: np.resize(places, number)[:, None] for label, places in points.items()}
    return fixed | {"spread": problems.PRIOR.sample(number, seed=seed)}


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """W1 between two samples of one size on the line."""
    return float(np.mean(np.abs(np.sort(a) - np.sort(b))))


class DreInvariant(problems.Simulated):
    """DRE from particles at one, two and three points (the proof's N_E) and from spread ones, until all are at rest.

    Two checks: the fastest particle has stopped, and the two nearest ends are further apart than samples of one law.
    """

    claim = "DRE has several invariant measures: different starts come to rest apart"
    source = "thesis, Theorem C.6.1"
    wrong = "with noise (DRLE), which forgets its start"
    particles, steps, step_size = 900, 20_000, 5e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        ends, speeds = {}, []
        starting = starts(self.particles, seed)
        seeds = iter(chance.seeds(seed, len(starting)))
        for label, start in starting.items():
            method = NOISY if wrong else STRONG
            run = self.simulate(method, next(seeds), initial=start, record_every=self.steps - 1)
            ends[label] = run.final[:, 0]
            speeds.append(float(np.max(np.abs(run.positions[-1] - run.positions[-2])) / self.step_size))
        nearest = min(distance(a, b) for a, b in combinations(ends.values(), 2))
        # Two samples of n have about the distance of one sample of n/2 to its law.
        bound = chance.w1(problems.target(NOISY), self.particles // 2)
        for row, end in enumerate(ends.values()):
            shaken = np.random.default_rng(0).uniform(-0.28, 0.28, len(end))
            picture.dots(end, -row + shaken, fmt=".", markersize=4, alpha=0.7)
        ticks: Facts = {"yticks": [-row for row in range(len(ends))], "yticklabels": [*ends]}
        picture.frame(r"parameter $\theta$ at the end", "start", xlim=(-3.2, 2.4), **ticks, ylim=(-3.5, 0.5))
        return (
            Check("W1 between the nearest two ends", nearest, bound, ">="),
            Check("fastest particle at the end", max(speeds), 1e-6),
        )
