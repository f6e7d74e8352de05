"""C.5, in contrast to C.6: with noise the flow forgets its start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance, drawing, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    def draw(self, axes: Axes, data: Data) -> None:
        looks = (("from one point", style.BLUE), ("from spread particles", style.ORANGE))
        for (label, colour), end in zip(looks, data["ends"], strict=True):
            x = np.sort(end)
            axes.plot(np.append(x, 2.8), np.append(np.arange(len(x)), len(x)) / len(x), color=colour, label=label)
        x = np.linspace(*problems.WINDOW, 400)
        axes.plot(x, problems.target(problems.DRLE).cdf(x), "--", color=style.BLACK, label="$Q^*$", linewidth=1.2)
        axes.set(xlim=problems.WINDOW, xlabel=r"parameter $\theta$", ylabel="distribution function")
        drawing.legend(axes, "upper left")
