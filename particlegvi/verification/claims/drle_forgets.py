"""C.5, in contrast to C.6: with noise the flow forgets its start."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class DrleForgets(Claim):
    """DRLE from all particles at one point and from spread ones: two-sample Kolmogorov-Smirnov distance of the ends.

    Wrong: without noise, which makes it DRE.
    """

    name = "drle-forgets"
    claim = "DRLE forgets its start: all particles at one point, or spread, end in one law"
    source = "thesis, C.5 and Theorem 5.4.2"
    wrong = "without noise (DRE)"
    particles, steps, step_size = 5_000, 3_000, 5e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        ends = []
        starts = (np.full((self.particles, 1), 1.5), problems.PRIOR.sample(self.particles, seed=seed))
        for start, own in zip(starts, chance.seeds(seed, 2), strict=True):
            run = problems.simulate(
                pg.methods.DRE(0.5, problems.KERNEL) if wrong else problems.DRLE, initial=start, steps=self.steps,
                step_size=self.step_size, seed=own,
            )  # fmt: skip
            ends.append(run.final[:, 0])
        check = Check(
            "KS distance of the two ends", chance.ks_between(*ends), chance.kolmogorov_smirnov(0.5 * self.particles)
        )
        return Experiment((check,), {"ends": ends})

    def draw(self, picture: Picture, data: Data) -> None:
        for label, end in zip(("from one point", "from spread particles"), data["ends"], strict=True):
            picture.curve(np.append(np.sort(end), 2.8), np.arange(len(end) + 1) / len(end), label)
        x = np.linspace(*problems.WINDOW, 400)
        picture.truth(x, problems.target(problems.DRLE).cdf(x), "$Q^*$", linewidth=1.2)
        picture.frame(ylabel="distribution function", legend="upper left", xlim=problems.WINDOW)
