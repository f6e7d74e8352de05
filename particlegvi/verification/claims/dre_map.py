"""Where DRE ends with and without noise (C.6): what a density of the start does, and noise that falls."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.diagnostics.little_noise import LittleNoise
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

METHOD = pg.methods.DRE(mmd_weight=1.0, kernel=problems.KERNEL)
WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0)
TIME = 100.0


class DreMap(problems.Simulated):
    """The objective of DRE above its minimum, from the prior's density: of flows on a grid, and of particles.

    The flow with hardly any noise and DRE's particles must end at the same excess, far above 0, because no mass leaves
    the wrong well; particles at one point, a start without a density, end higher. With noise for ever the minimiser is
    near that of DRE, so that only the order of the limits matters: noise that falls from 0.5 to 0.01 comes near it. The
    excess changes by 3.3 times the share of the particles in the wrong well, of which 0.15 is four standard errors.
    Wrong: 0.01 from the start.
    """

    claim = "DRE stays above its minimum, also from a density; noise that falls brings it near"
    source = "thesis, C.6, which asks when DRE converges; docs/open-questions.md"
    wrong = "the lowest noise from the start"
    particles, steps, step_size = 2_000, 5_000, 2e-2

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        problem = LittleNoise(problems.LOSS, METHOD, problems.PRIOR, (-3.8, 3.4))
        density = np.exp(problems.PRIOR.log_density(problem.flow(0.0).centres[:, None]))
        density /= density.sum()
        start = np.full((50, 1), 0.5)
        ends = [self.simulate(METHOD, seed).final, self.simulate(METHOD, seed, particles=50, initial=start).final]
        after = [problem.after(weight, density, TIME) for weight in WEIGHTS]
        kept = [problem.flow(weight).minimiser() for weight in WEIGHTS]
        cooled = problem.cooled((WEIGHTS[0] if wrong else 0.5, WEIGHTS[0]), density, TIME)
        found = problem.excess([*after, *kept, cooled, *(problem.start(end[:, 0]) for end in ends)])
        number = len(WEIGHTS)
        picture.curve(WEIGHTS, found[:number], f"flow, t = {TIME:g}", "o-")
        picture.curve(WEIGHTS, found[number : 2 * number], "minimiser with noise", "s-")
        for excess, label in zip(found[2 * number :], ("noise that falls", "DRE", "DRE from a point"), strict=True):
            picture.curve(WEIGHTS, np.full(number, excess), label, ":")
        picture.frame("kl_weight", "$L$ of DRE above its minimum", "lower right", log="xy", ylim=(1e-6, 6.0))
        flow, falls, particles, point = found[0], *found[-3:]
        return (
            Check("excess of the flow with kl_weight 0.01", float(flow), 0.5, ">="),
            Check("excess of DRE less that of this flow", float(abs(particles - flow)), 0.15),
            Check("excess from a point over that from a density", float(point / particles), 1.5, ">="),
            Check("excess of the minimiser with kl_weight 0.01", float(found[number]), 0.02),
            Check("excess of the flow whose noise falls", float(falls), 0.2),
        )
