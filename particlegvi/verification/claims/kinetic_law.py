"""The exact law of BAOAB on a quadratic, whose positions have the variance of Q* at every step size."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

CURVATURE, TEMPERATURE, START, FRICTION = 2.0, 0.5, 1.5, 1.0


class KineticLaw(Claim):
    """On a t^2/2 place and velocity follow a linear recursion, whose stationary variance of the place is T/a.

    Measured are the largest Kolmogorov-Smirnov distance over five steps to the normal laws of the recursion, and the
    variance of the places at the end. Wrong: kick, drift and noise in turn, a splitting of first order.
    """

    name = "kinetic-law"
    claim = "On a quadratic BAOAB has its exact law, and the variance of Q* at every step size"
    source = "Leimkuhler and Matthews 2013, section 3.1"
    wrong = "a splitting of first order: kick, drift, noise"
    particles, step_size = 50_000, 0.6
    looks = (1, 2, 3, 5, 40)

    def law(self, step: int) -> tuple[float, float]:
        """Mean and standard deviation of the place after ``step`` steps."""
        h, c = self.step_size, math.exp(-FRICTION * self.step_size)
        kick, drift, damp = np.array([[1, 0], [-h * CURVATURE, 1]]), np.array([[1, 0.5 * h], [0, 1]]), np.diag([1, c])
        step_matrix, noise = drift @ damp @ drift @ kick, drift @ [0.0, math.sqrt(TEMPERATURE * (1.0 - c * c))]
        mean, covariance = np.array([START, 0.0]), np.zeros((2, 2))
        for _ in range(step):
            mean = step_matrix @ mean
            covariance = step_matrix @ covariance @ step_matrix.T + np.outer(noise, noise)
        return float(mean[0]), math.sqrt(covariance[0, 0])

    def measure(self, seed: int, wrong: bool) -> Experiment:
        places = self._first_order(seed) if wrong else self._simulated(seed)
        distances = []
        for step in self.looks:
            mean, sd = self.law(step)
            distances.append(chance.ks_to_cdf((places[step] - mean) / sd, ndtr))
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(self.looks))
        ratio = float(places[-1].var()) * CURVATURE / TEMPERATURE
        error = abs(ratio - 1.0) / math.sqrt(2.0 / self.particles)
        checks = (
            Check("largest KS distance to the exact law", max(distances), bound),
            Check("variance at the end against T/a, in standard errors", error, chance.ERRORS),
        )
        return Experiment(checks, {"sd": places[:21].std(axis=1)})

    def _simulated(self, seed: int) -> Array:
        """The places after every step, (steps + 1, particles)."""
        run = pg.simulate(
            pg.losses.get("quadratic", curvature=CURVATURE), pg.methods.DLE(kl_weight=TEMPERATURE),
            initial=np.full((self.particles, 1), START), steps=self.looks[-1], step_size=self.step_size, seed=seed,
            record_every=1, integrator={"name": "baoab", "friction": FRICTION},
        )  # fmt: skip
        return run.positions[:, :, 0]

    def _first_order(self, seed: int) -> Array:
        draws, h, c = np.random.default_rng(seed), self.step_size, math.exp(-FRICTION * self.step_size)
        x, v = np.full(self.particles, START), np.zeros(self.particles)
        places = [x]
        for _ in range(self.looks[-1]):
            v = v - h * CURVATURE * x
            x = x + h * v
            v = c * v + math.sqrt(TEMPERATURE * (1.0 - c * c)) * draws.standard_normal(self.particles)
            places.append(x)
        return np.array(places)

    def draw(self, picture: Picture, data: Data) -> None:
        steps = np.arange(len(data["sd"]))
        picture.dots(steps, data["sd"], "sd of the particles")
        picture.truth(steps, [self.law(int(step))[1] for step in steps], "sd, exact")
        picture.level(math.sqrt(TEMPERATURE / CURVATURE), r"$\sqrt{T/a}$", ":")
        picture.frame("step $k$", r"sd of $\theta_k$", "lower right", xticks=range(0, 21, 5))
