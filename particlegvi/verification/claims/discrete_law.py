"""The exact law of Euler-Maruyama on a quadratic, at every step and not only at the end."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

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

    def draw(self, picture: Picture, data: Data) -> None:
        steps = range(data["moments"].shape[1])
        exact = np.array([self.law(step) for step in steps]).T
        for name, fmt, found, law in zip(("mean", "sd"), "os", data["moments"], exact, strict=True):
            picture.dots(steps, found, f"{name} of the particles", fmt).truth(steps, law, "exact")
        picture.level(math.sqrt(TEMPERATURE / CURVATURE), r"$\sqrt{T/a}$", ":")
        picture.frame("step $k$", r"$\theta_k$", "upper right", ylim=(-0.05, 2.3), xticks=range(0, 21, 5))
