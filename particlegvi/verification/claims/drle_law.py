"""Theorem 5.4.2: with many particles, DRLE's law is Q*."""

from __future__ import annotations

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class DrleLaw(Claim):
    """W1 of the particles of one large run to Q*, the fixed point, against as many exact draws.

    Wrong: the weight of the interaction and of mu_P is mmd_weight, as in (C.114) and (C.115), in place of twice that.
    """

    name = "drle-law"
    claim = "With many particles, DRLE's particles become draws from Q*"
    source = "thesis, Theorem 5.4.2"
    wrong = "lambda1 = mmd_weight, without its 2"
    particles, steps, step_size = 5_000, 3_000, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DRLE(METHOD.kl_weight, METHOD.mmd_weight * (0.5 if wrong else 1.0), problems.KERNEL)
        run = problems.simulate(
            method, particles=self.particles, steps=self.steps, step_size=self.step_size, seed=seed,
            integrator="leimkuhler-matthews",
        )  # fmt: skip
        target = problems.target(METHOD)
        distance = pg.diagnostics.wasserstein1(run.final, target)
        bound = chance.w1(target, self.particles, self.step_size)
        return Experiment((Check("W1 to Q*", distance, bound),), {"final": run.final[:, 0]})

    def draw(self, picture: Picture, data: Data) -> None:
        target = problems.target(METHOD)
        picture.histogram(data["final"], problems.WINDOW).density(target, problems.WINDOW).frame()
