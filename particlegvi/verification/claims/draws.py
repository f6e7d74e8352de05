"""Particles become draws from the minimiser Q* (C.4 and Theorem 5.4.2), on the line and in the plane."""

from __future__ import annotations

import math
from functools import cache
from typing import ClassVar

import numpy as np
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.settings import colours
from particlegvi.simulation.run import Run
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

STRONG = problems.STRONG
LOSS = pg.losses.get("ring", radius=2.0, width=0.5)
PRIOR = pg.priors.Normal([1.0, 0.0], 1.0)
KL_WEIGHT = 0.5
METHOD = pg.methods.DLE(KL_WEIGHT)
EDGES = np.linspace(-3.6, 3.6, 25)
FINE = 8  # midpoints of the quadrature along a side of a cell


class AreDraws(problems.Simulated):
    """The W1 of the particles at the end of a run to a target, against as many exact draws."""

    method: ClassVar[pg.methods.DLE | pg.methods.DRLE]
    of: ClassVar[str]

    def compare(self, run: Run, picture: Picture) -> Check:
        """The W1 of a run, whose final particles are drawn beside the target."""
        target = problems.target(self.method)
        picture.histogram(run.final[:, 0], problems.WINDOW).density(target, problems.WINDOW, self.of).frame()
        distance = pg.diagnostics.wasserstein1(run.final, target)
        return Check(f"W1 to {self.of}", distance, chance.w1(target, self.particles, self.step_size))


class GibbsLine(AreDraws):
    """W1 of the final particles to exp(-loss/kl_weight) p, normalised, against as many exact draws.

    Wrong: sqrt(eta kl_weight) Z in place of sqrt(2 eta kl_weight) Z. Half the weight halves the square of the noise,
    and a prior with half the variance leaves the drift unchanged.
    """

    claim = "On the line, DLE's particles become draws from the Gibbs measure"
    source = "thesis, C.4 (C.76)"
    wrong = "noise sqrt(eta lambda2) Z, without the 2"
    same_scale = False
    particles, steps, step_size = 20_000, 10_000, 2e-3
    method, of = problems.DLE, "the Gibbs measure"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        method, prior = problems.DLE, problems.PRIOR
        if wrong:
            method, prior = pg.methods.DLE(kl_weight=0.5), pg.priors.Normal(0.0, math.sqrt(0.5))
        return self.compare(self.simulate(method, seed, prior=prior, initial=problems.PRIOR), picture)


class DrleLaw(AreDraws):
    """W1 of the particles of one large run to Q*, the fixed point, against as many exact draws."""

    claim = "With many particles, DRLE's particles become draws from Q*"
    source = "thesis, Theorem 5.4.2"
    wrong = "lambda1 = mmd_weight, without its 2"
    particles, steps, step_size = 5_000, 3_000, 1e-2
    method, of = STRONG, "Q*"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        run = self.simulate(problems.halved(STRONG, wrong), seed, integrator="leimkuhler-matthews")
        return self.compare(run, picture)


class DrleSampling(problems.Simulated):
    """The slope of log W1 against log N over independent runs is -1/2.

    The standard error of the slope follows from the variance between runs; 0.02 is added for the bias of order 1/N,
    which increases W1 at the smallest N.
    """

    claim = "One run's W1 to Q* falls as N^-1/2, as the error of a sample does"
    source = "thesis, Theorem 5.4.2"
    wrong = "V with the weights swapped, as C.7 prints it"
    runs = {128: 64, 512: 40, 2048: 24}
    steps, step_size = 2_500, 1e-2

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        loss = problems.swapped(STRONG) if wrong else problems.LOSS
        target = problems.target(STRONG)
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        distances = {}
        for number, count in self.runs.items():
            runs = (
                self.simulate(STRONG, next(seeds), loss=loss, particles=number, integrator="leimkuhler-matthews")
                for _ in range(count)
            )
            distances[number] = np.array([pg.diagnostics.wasserstein1(run.final, target) for run in runs])
        x = np.log([*distances])
        y = np.array([math.log(w1.mean()) for w1 in distances.values()])
        errors = np.array([w1.std(ddof=1) / w1.mean() / math.sqrt(len(w1)) for w1 in distances.values()])
        weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        slope, error = float(weights @ y), float(np.sqrt(weights**2 @ errors**2))
        numbers = np.array([*self.runs])
        for number, w1 in distances.items():
            picture.dots(np.full(len(w1), number), w1, "a run", ".", color=colours.SKY, alpha=0.7)
        means = np.array([w1.mean() for w1 in distances.values()])
        picture.curve(numbers, means, f"mean: slope {slope:.2f}", "o-").slope(numbers, means[0], -0.5, "$N^{-1/2}$")
        picture.frame("particles $N$", r"W1 to $Q^*$ (units of $\theta$)", "lower left", log="xy", ticks=numbers)
        return Check("distance of the slope of log W1 to -1/2", abs(slope + 0.5), chance.ERRORS * error + 0.02)


@cache
def density() -> tuple[np.ndarray, np.ndarray]:
    """Midpoints along a side of the window, and the density of Q* over pairs of them."""
    number = FINE * (len(EDGES) - 1)
    middle = EDGES[0] + (np.arange(number) + 0.5) * (EDGES[-1] - EDGES[0]) / number
    target = problems.density(LOSS, METHOD, PRIOR)
    points = np.stack(np.meshgrid(middle, middle, indexing="ij"), axis=-1).reshape(-1, 2)
    return middle, target.pdf(points).reshape(number, number)


def probabilities() -> np.ndarray:
    """Q* of the cells, by the midpoint rule, normalised over the window."""
    number = len(EDGES) - 1
    cells = density()[1].reshape(number, FINE, number, FINE).sum(axis=(1, 3))
    return cells / cells.sum()


class OnTheRing(problems.Simulated):
    """Runs of DLE on the ring; with ``wrong`` the prior is p^0.5 as in (2.4), with twice the variance."""

    def ring(self, seed: int, wrong: bool, **settings: int) -> np.ndarray:
        prior = pg.priors.Normal([1.0, 0.0], KL_WEIGHT**-0.5) if wrong else PRIOR
        shared = {"loss": LOSS, "prior": prior, "initial": PRIOR, "integrator": "leimkuhler-matthews"}
        return self.simulate(METHOD, seed, **shared, **settings).final


class GibbsPlane(OnTheRing):
    """Pearson's chi-squared of the particles' counts in cells that expect ten or more (the others are one cell).

    The loss is a ring, and the prior favours one side. Wrong: p to the power of the weight as in (2.4), p^0.5, a prior
    of twice the variance.
    """

    claim = "In the plane, DLE's law is the Gibbs measure exp(-loss/kl_weight) p, with p to the power 1"
    source = "thesis, C.4 (C.76); (2.4) has a power of p"
    wrong = "prior p^lambda, as in (2.4)"
    particles, steps, step_size = 20_000, 6_000, 5e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        x = self.ring(seed, wrong)
        counts = np.histogram2d(x[:, 0], x[:, 1], bins=(EDGES, EDGES))[0]
        expected = probabilities() * len(x)
        enough = expected >= 10.0
        seen = np.append(counts[enough], len(x) - counts[enough].sum())
        due = np.append(expected[enough], len(x) - expected[enough].sum())
        freedom = len(due) - 1
        statistic = float(np.sum((seen - due) ** 2 / due)) / freedom
        bound = float(chdtri(freedom, chance.RARE)) / freedom
        picture.pairs(x[:4000], "particles", ".", color=colours.SKY, markersize=2.5)
        middle, truth = density()
        look: Facts = {"levels": truth.max() * np.array([0.02, 0.1, 0.3, 0.6, 0.9]), "linewidths": 1.2}
        picture.add(lambda axes: axes.contour(middle, middle, truth.T, colors=colours.BLACK, **look))
        picture.truth([], [], "Gibbs measure", "-", linewidth=1.2).plane(3.6)
        return Check("chi-squared per degree of freedom", statistic, bound)


class FreeEnergyPlane(OnTheRing):
    """L of DLE's particles on the ring of `gibbs-plane` at the end of independent runs, less that of exact draws of Q*.

    In the plane the entropy estimate from nearest neighbours has a visible bias, which is the same for as many exact
    draws; both tend to L(Q*). The bound is a Student's bound on the difference of the means. Wrong: a prior p^0.5, as
    in (2.4), whose particles minimise another L.
    """

    claim = "In the plane DLE's free energy is that of Q*: entropy by nearest neighbours"
    source = "thesis, C.4 (C.73)"
    wrong = "prior p^lambda, as in (2.4)"
    runs, numbers, steps, step_size = 24, (125, 500, 2_000), 3_000, 5e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        target = problems.density(LOSS, METHOD, PRIOR)
        best = pg.diagnostics.target_free_energy(target, LOSS, METHOD, prior=PRIOR).total
        seeds = iter(chance.seeds(seed, 2 * self.runs * len(self.numbers)))
        checks, series = [], []
        for number in self.numbers:
            made = np.empty((2, self.runs))
            for k in range(self.runs):
                final = self.ring(next(seeds), wrong, particles=number)
                made[:, k] = _energy(final), _energy(target.sample(number, seed=next(seeds)))
            gap = abs(float(np.subtract(*made.mean(axis=1))))
            error = math.hypot(*made.std(axis=1, ddof=1)) / math.sqrt(self.runs)
            allowed = chance.student(self.runs, len(self.numbers)) * error
            checks.append(Check(f"L of {number} particles, less that of {number} draws of Q*", gap, allowed))
            series.append(made - best)
        numbers, excess = np.array(self.numbers), np.array(series)
        looks = (("particles, 4 s.e.", "o", 0.94), ("exact draws of $Q^*$", "s", 1.06))
        for k, (label, marker, shift) in enumerate(looks):
            errors = excess[:, k].std(axis=1, ddof=1) / math.sqrt(self.runs)
            picture.errors(shift * numbers, excess[:, k].mean(axis=1), errors, label, marker)
        picture.level(0.0, "$L(Q^*)$").add(lambda axes: axes.margins(x=0.15, y=0.35))
        picture.frame("particles $N$", "$L - L(Q^*)$", "upper right", log="x", ticks=numbers)
        return tuple(checks)


def _energy(points: np.ndarray) -> float:
    return pg.diagnostics.free_energy(points, LOSS, METHOD, prior=PRIOR).total
