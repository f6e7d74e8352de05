"""Jumps leave Q* invariant: on the whole line, and between walls."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Method, Prior
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture
from particlegvi.verification.wrong_jumps import FoldedBack, Unweighted

EVERY_STEP = {"every": 1, "share": 0.1}


class JumpLaw(Claim):
    """Exact draws take tiny steps, each with a jump of all, and must still be draws: their Kolmogorov-Smirnov distance.

    Wrong: a move is accepted by the energy alone, without g(old) / g(new).
    """

    name = "jump-law"
    claim = "Jumps of DLE leave its minimiser Q* invariant"
    source = "Metropolis-Hastings on half of an ensemble, docs/equilibrium.md"
    wrong = "acceptance without g(old)/g(new)"
    control: ClassVar[type[pg.methods.DLE]] = Unweighted
    prior: ClassVar[Prior] = problems.PRIOR
    window: ClassVar[tuple[float, float]] = problems.WINDOW
    particles, steps, step_size = 10_000, 10, 1e-6
    ensembles = 1  # into which they are divided

    def measure(self, seed: int, wrong: bool) -> Experiment:
        made = self.control if wrong else pg.methods.DLE
        method: Method = made(1.0, jumps=EVERY_STEP)
        target = problems.density(problems.LOSS, method, self.prior)
        start = target.sample(self.particles, seed=seed)
        runs = [
            problems.simulate(
                method, prior=self.prior, initial=part, particles=len(part), steps=self.steps, step_size=self.step_size,
                seed=seed + number,
            )
            for number, part in enumerate(np.split(start, self.ensembles))
        ]  # fmt: skip
        final = np.concatenate([run.final[:, 0] for run in runs])
        distance = chance.ks_to_cdf(final, target.cdf)
        check = Check("Kolmogorov-Smirnov distance to Q*", distance, chance.kolmogorov_smirnov(self.particles))
        moved = float(np.mean(np.abs(final - start[:, 0]) > 0.1))
        went = Check("share of particles that jumped", moved, 0.4, ">=")
        return Experiment((check, went), {"final": final, "target": target})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.histogram(data["final"], self.window).density(data["target"], self.window).frame()


class JumpLawWalls(JumpLaw):
    """The law of `JumpLaw` for a Uniform prior that cuts the deeper well. Wrong: proposals outside are folded back.

    In ensembles of 40, whose proposals are wide enough to leave the box.
    """

    name = "jump-law-walls"
    claim = "Between walls, too, jumps of DLE leave its minimiser Q* invariant"
    wrong = "proposals outside of the walls folded back"
    control: ClassVar[type[pg.methods.DLE]] = FoldedBack
    prior: ClassVar[Prior] = pg.priors.Uniform(-1.6, 1.2)
    window: ClassVar[tuple[float, float]] = (-1.8, 1.4)
    ensembles = 250
