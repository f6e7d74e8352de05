"""C.4 in the plane: the power of the prior in the Gibbs measure, and the free energy."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Data, Experiment
from particlegvi.verification.picture import Picture

LOSS = pg.losses.get("ring", radius=2.0, width=0.5)
PRIOR = pg.priors.Normal([1.0, 0.0], 1.0)
KL_WEIGHT = 0.5
METHOD = pg.methods.DLE(KL_WEIGHT)
EDGES = np.linspace(-3.6, 3.6, 25)
FINE = 8  # midpoints of the quadrature along a side of a cell


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

    name = "gibbs-plane"
    claim = "In the plane, DLE's law is the Gibbs measure exp(-loss/kl_weight) p, with p to the power 1"
    source = "thesis, C.4 (C.76); (2.4) has a power of p"
    wrong = "prior p^lambda, as in (2.4)"
    particles, steps, step_size = 20_000, 6_000, 5e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        x = self.ring(seed, wrong)
        counts = np.histogram2d(x[:, 0], x[:, 1], bins=(EDGES, EDGES))[0]
        expected = probabilities() * len(x)
        enough = expected >= 10.0
        seen = np.append(counts[enough], len(x) - counts[enough].sum())
        due = np.append(expected[enough], len(x) - expected[enough].sum())
        freedom = len(due) - 1
        statistic = float(np.sum((seen - due) ** 2 / due)) / freedom
        bound = float(chdtri(freedom, chance.RARE)) / freedom
        return Experiment((Check("chi-squared per degree of freedom", statistic, bound),), {"final": x})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.pairs(data["final"][:4000], "particles", ".", color=style.SKY, markersize=2.5)
        middle, truth = density()
        levels = truth.max() * np.array([0.02, 0.1, 0.3, 0.6, 0.9])
        picture.axes.contour(middle, middle, truth.T, levels=levels, colors=style.BLACK, linewidths=1.2)
        picture.truth([], [], "Gibbs measure", "-", linewidth=1.2).plane(3.6)


class FreeEnergyPlane(OnTheRing):
    """L of DLE's particles on the ring of `gibbs-plane` at the end of independent runs, less that of exact draws of Q*.

    In the plane the entropy estimate from nearest neighbours has a visible bias, which is the same for as many exact
    draws; both tend to L(Q*). The bound is a Student's bound on the difference of the means. Wrong: a prior p^0.5, as
    in (2.4), whose particles minimise another L.
    """

    name = "free-energy-plane"
    claim = "In the plane DLE's free energy is that of Q*: entropy by nearest neighbours"
    source = "thesis, C.4 (C.73)"
    wrong = "prior p^lambda, as in (2.4)"
    runs, numbers, steps, step_size = 24, (125, 500, 2_000), 3_000, 5e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
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
        return Experiment(tuple(checks), {"excess": np.array(series)})

    def draw(self, picture: Picture, data: Data) -> None:
        numbers, excess = np.array(self.numbers), data["excess"]
        looks = (("particles, 4 s.e.", "o", 0.94), ("exact draws of $Q^*$", "s", 1.06))
        for k, (label, marker, shift) in enumerate(looks):
            error = excess[:, k].std(axis=1, ddof=1) / math.sqrt(self.runs)
            picture.errors(shift * numbers, excess[:, k].mean(axis=1), error, label, marker)
        picture.level(0.0, "$L(Q^*)$").axes.margins(x=0.15, y=0.35)
        picture.frame("particles $N$", "$L - L(Q^*)$", "upper right", log="x", ticks=numbers)


def _energy(points: np.ndarray) -> float:
    return pg.diagnostics.free_energy(points, LOSS, METHOD, prior=PRIOR).total
