"""The free energy of particles in the plane, with the entropy from nearest neighbours."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.claims.gibbs_plane import KL_WEIGHT, LOSS, PRIOR
from particlegvi.verification.picture import Picture

METHOD = pg.methods.DLE(KL_WEIGHT)


class FreeEnergyPlane(Claim):
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
        prior = pg.priors.Normal([1.0, 0.0], KL_WEIGHT**-0.5) if wrong else PRIOR
        target = problems.density(LOSS, METHOD, PRIOR)
        best = pg.diagnostics.target_free_energy(target, LOSS, METHOD, prior=PRIOR).total
        seeds = iter(chance.seeds(seed, 2 * self.runs * len(self.numbers)))
        checks, series = [], []
        for number in self.numbers:
            made = np.empty((2, self.runs))
            for k in range(self.runs):
                run = pg.simulate(
                    LOSS, METHOD, prior=prior, initial=PRIOR, particles=number, steps=self.steps,
                    step_size=self.step_size, seed=next(seeds), record_every=0, integrator="leimkuhler-matthews",
                )  # fmt: skip
                made[:, k] = _energy(run.final), _energy(target.sample(number, seed=next(seeds)))
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
