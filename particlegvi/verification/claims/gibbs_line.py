"""C.4: on the line, DLE samples the Gibbs measure."""

from __future__ import annotations

import math

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class GibbsLine(Claim):
    """W1 of the final particles to exp(-loss/kl_weight) p, normalised, against as many exact draws.

    Wrong: sqrt(eta kl_weight) Z in place of sqrt(2 eta kl_weight) Z. Half the weight halves the square of the noise,
    and a prior with half the variance leaves the drift unchanged.
    """

    name = "gibbs-line"
    claim = "On the line, DLE's particles become draws from the Gibbs measure"
    source = "thesis, C.4 (C.76)"
    wrong = "noise sqrt(eta lambda2) Z, without the 2"
    same_scale = False
    particles, steps, step_size = 20_000, 10_000, 2e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method, prior = problems.DLE, problems.PRIOR
        if wrong:
            method, prior = pg.methods.DLE(kl_weight=0.5), pg.priors.Normal(0.0, math.sqrt(0.5))
        run = problems.simulate(
            method, prior=prior, initial=problems.PRIOR, particles=self.particles, steps=self.steps,
            step_size=self.step_size, seed=seed,
        )  # fmt: skip
        target = problems.target(problems.DLE)
        distance = pg.diagnostics.wasserstein1(run.final, target)
        bound = chance.w1(target, self.particles, self.step_size)
        return Experiment((Check("W1 to the Gibbs measure", distance, bound),), {"final": run.final[:, 0]})

    def draw(self, picture: Picture, data: Data) -> None:
        target = problems.target(problems.DLE)
        picture.histogram(data["final"], problems.WINDOW).density(target, problems.WINDOW, "Gibbs measure").frame()
