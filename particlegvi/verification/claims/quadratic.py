"""Exact laws of integrators on a quadratic, at every step and not only at the end."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.contracts import Array, Facts
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

CURVATURE, TEMPERATURE, START, FRICTION = 2.0, 0.5, 1.5, 1.0


class OnAQuadratic(problems.Simulated):
    """Particles on a t^2/2 at the temperature T, all started at one point, and the exact law of every step."""

    looks = (1, 2, 3, 5, 40)
    steps = looks[-1]

    def law(self, step: int) -> tuple[float, float]:
        """Mean and standard deviation of the place after ``step`` steps."""
        raise NotImplementedError

    def places(self, seed: int, integrator: str | Facts) -> Array:
        """The places after every step, (steps + 1, particles)."""
        start = np.full((self.particles, 1), START)
        settings: Facts = {"loss": pg.losses.get("quadratic", curvature=CURVATURE), "prior": None, "initial": start}
        method = pg.methods.DLE(kl_weight=TEMPERATURE)
        return self.simulate(method, seed, record_every=1, integrator=integrator, **settings).positions[:, :, 0]

    def distance(self, places: Array) -> Check:
        """The largest Kolmogorov-Smirnov distance over five steps."""
        distances = []
        for step in self.looks:
            mean, sd = self.law(step)
            distances.append(chance.ks_to_cdf((places[step] - mean) / sd, ndtr))
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(self.looks))
        return Check("largest KS distance to the exact law", max(distances), bound)

    def show(self, picture: Picture, measured: Mapping[str, Array]) -> None:
        """Draw the sd, and where it is measured the mean, of the places after the first twenty steps."""
        steps = range(21)
        exact = np.array([self.law(step) for step in steps]).T
        for (name, found), fmt, law in zip(measured.items(), "so", exact[::-1], strict=False):
            picture.dots(steps, found[:21], f"{name} of the particles", fmt).truth(steps, law, "exact")
        picture.level(math.sqrt(TEMPERATURE / CURVATURE), r"$\sqrt{T/a}$", ":")
        picture.frame("step $k$", r"$\theta_k$", xticks=range(0, 21, 5))


class DiscreteLaw(OnAQuadratic):
    """On a t^2/2, theta_k ~ N(r^k theta_0, (T/a) (1 - r^2k) / (1 - h a/2)) with r = 1 - h a: with no condition on h.

    Measured is the largest Kolmogorov-Smirnov distance over five steps.
    """

    claim = "On a quadratic, Euler-Maruyama has exactly the law of its linear recursion"
    source = "thesis, (C.123)"
    wrong = "integrator of Leimkuhler and Matthews"
    particles, step_size = 50_000, 0.25

    def law(self, step: int) -> tuple[float, float]:
        shrink = 1.0 - self.step_size * CURVATURE
        variance = TEMPERATURE / CURVATURE * (1.0 - shrink ** (2 * step)) / (1.0 - 0.5 * self.step_size * CURVATURE)
        return shrink**step * START, math.sqrt(variance)

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        places = self.places(seed, "leimkuhler-matthews" if wrong else "euler-maruyama")
        self.show(picture, {"sd": places.std(axis=1), "mean": places.mean(axis=1)})
        return self.distance(places)


class KineticLaw(OnAQuadratic):
    """On a t^2/2 place and velocity follow a linear recursion, whose stationary variance of the place is T/a.

    Measured are the largest Kolmogorov-Smirnov distance over five steps to the normal laws of the recursion, and the
    variance of the places at the end.
    """

    claim = "On a quadratic BAOAB has its exact law, and the variance of Q* at every step size"
    source = "Leimkuhler and Matthews 2013, section 3.1"
    wrong = "a splitting of first order: kick, drift, noise"
    particles, step_size = 50_000, 0.6

    def law(self, step: int) -> tuple[float, float]:
        h, c = self.step_size, math.exp(-FRICTION * self.step_size)
        kick, drift, damp = np.array([[1, 0], [-h * CURVATURE, 1]]), np.array([[1, 0.5 * h], [0, 1]]), np.diag([1, c])
        step_matrix, noise = drift @ damp @ drift @ kick, drift @ [0.0, math.sqrt(TEMPERATURE * (1.0 - c * c))]
        mean, covariance = np.array([START, 0.0]), np.zeros((2, 2))
        for _ in range(step):
            mean = step_matrix @ mean
            covariance = step_matrix @ covariance @ step_matrix.T + np.outer(noise, noise)
        return float(mean[0]), math.sqrt(covariance[0, 0])

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        baoab = {"name": "baoab", "friction": FRICTION}
        places = self._first_order(seed) if wrong else self.places(seed, baoab)
        ratio = float(places[-1].var()) * CURVATURE / TEMPERATURE
        error = abs(ratio - 1.0) / math.sqrt(2.0 / self.particles)
        self.show(picture, {"sd": places.std(axis=1)})
        return (
            self.distance(places),
            Check("variance at the end against T/a, in standard errors", error, chance.ERRORS),
        )

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
