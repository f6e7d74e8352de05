"""The exact law of Euler-Maruyama on a quadratic, at every step and not only at the end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance, drawing
from particlegvi.verification.claim import Check, Claim, Data, Experiment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVATURE, TEMPERATURE, START = 2.0, 0.5, 1.5


class DiscreteLaw(Claim):
    """On a t^2/2, theta_k ~ N(r^k theta_0, (T/a) (1 - r^2k) / (1 - h a/2)) with r = 1 - h a: with no condition on h.

    Measured is the largest Kolmogorov-Smirnov distance over five steps. Wrong: another integrator, Leimkuhler and
    Matthews's, whose stationary variance is T/a.
    """

    name = "discrete-law"
    claim = "On a quadratic, Euler-Maruyama has exactly the law of its linear recursion"
    source = "thesis, (C.123)"
    wrong = "integrator of Leimkuhler and Matthews"
    particles, step_size = 50_000, 0.25
    looks = (1, 2, 3, 5, 40)

    def law(self, step: int) -> tuple[float, float]:
        """Mean and standard deviation after ``step`` steps."""
        shrink = 1.0 - self.step_size * CURVATURE
        variance = TEMPERATURE / CURVATURE * (1.0 - shrink ** (2 * step)) / (1.0 - 0.5 * self.step_size * CURVATURE)
        return shrink**step * START, math.sqrt(variance)

    def measure(self, seed: int, wrong: bool) -> Experiment:
        run = pg.simulate(
            pg.losses.get("quadratic", curvature=CURVATURE), pg.methods.DLE(kl_weight=TEMPERATURE),
            initial=np.full((self.particles, 1), START), steps=self.looks[-1], step_size=self.step_size, seed=seed,
            record_every=1, integrator="leimkuhler-matthews" if wrong else "euler-maruyama",
        )  # fmt: skip
        distances = []
        for step in self.looks:
            mean, sd = self.law(step)
            distances.append(chance.ks_to_cdf((run.positions[step, :, 0] - mean) / sd, ndtr))
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(self.looks))
        moments = np.stack([run.positions[:21, :, 0].mean(axis=1), run.positions[:21, :, 0].std(axis=1)])
        return Experiment((Check("largest KS distance to the exact law", max(distances), bound),), {"moments": moments})

    def draw(self, axes: Axes, data: Data) -> None:
        steps = np.arange(data["moments"].shape[1])
        exact = np.array([self.law(int(step)) for step in steps]).T
        for moment, (name, colour, marker) in enumerate((("mean", style.BLUE, "o"), ("sd", style.ORANGE, "s"))):
            axes.plot(steps, data["moments"][moment], marker, color=colour, label=f"{name} of the particles")
            axes.plot(steps, exact[moment], "--", color=style.darker(colour), label=f"{name}, exact")
        axes.axhline(math.sqrt(TEMPERATURE / CURVATURE), color=style.LOSS_GREY, linewidth=1.2, label=r"$\sqrt{T/a}$")
        axes.set(xlabel="step $k$", ylabel=r"$\theta_k$", ylim=(-0.05, 2.3), xticks=range(0, 21, 5))
        drawing.legend(axes, "upper right")
