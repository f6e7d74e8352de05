"""Particles on the line become draws from the minimiser Q* (thesis, C.4 and Theorem 5.4.2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Data, Experiment
from particlegvi.verification.picture import Picture

if TYPE_CHECKING:
    from particlegvi.simulation.run import Run

METHOD = problems.STRONG


class AreDraws(problems.Simulated):
    """The W1 of the particles at the end of a run to a target, against as many exact draws."""

    method: ClassVar[pg.methods.DLE | pg.methods.DRLE]
    of: ClassVar[str]

    def compare(self, run: Run) -> Experiment:
        target = problems.target(self.method)
        distance = pg.diagnostics.wasserstein1(run.final, target)
        bound = chance.w1(target, self.particles, self.step_size)
        return Experiment((Check(f"W1 to {self.of}", distance, bound),), {"final": run.final[:, 0]})

    def draw(self, picture: Picture, data: Data) -> None:
        target = problems.target(self.method)
        picture.histogram(data["final"], problems.WINDOW).density(target, problems.WINDOW, self.of).frame()


class GibbsLine(AreDraws):
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
    method, of = problems.DLE, "the Gibbs measure"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method, prior = problems.DLE, problems.PRIOR
        if wrong:
            method, prior = pg.methods.DLE(kl_weight=0.5), pg.priors.Normal(0.0, math.sqrt(0.5))
        return self.compare(self.simulate(method, seed, prior=prior, initial=problems.PRIOR))


class DrleLaw(AreDraws):
    """W1 of the particles of one large run to Q*, the fixed point, against as many exact draws."""

    name = "drle-law"
    claim = "With many particles, DRLE's particles become draws from Q*"
    source = "thesis, Theorem 5.4.2"
    wrong = "lambda1 = mmd_weight, without its 2"
    particles, steps, step_size = 5_000, 3_000, 1e-2
    method, of = METHOD, "Q*"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        return self.compare(self.simulate(problems.halved(METHOD, wrong), seed, integrator="leimkuhler-matthews"))


class DrleSampling(problems.Simulated):
    """The slope of log W1 against log N over independent runs is -1/2.

    The standard error of the slope follows from the variance between runs; 0.02 is added for the bias of order 1/N,
    which increases W1 at the smallest N.
    """

    name = "drle-sampling"
    claim = "One run's W1 to Q* falls as N^-1/2, as the error of a sample does"
    source = "thesis, Theorem 5.4.2"
    wrong = "V with the weights swapped, as C.7 prints it"
    runs = {128: 64, 512: 40, 2048: 24}
    steps, step_size = 2_500, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        loss = problems.swapped(METHOD) if wrong else problems.LOSS
        target = problems.target(METHOD)
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        distances = {}
        for number, count in self.runs.items():
            runs = (
                self.simulate(METHOD, next(seeds), loss=loss, particles=number, integrator="leimkuhler-matthews")
                for _ in range(count)
            )
            distances[number] = np.array([pg.diagnostics.wasserstein1(run.final, target) for run in runs])
        x = np.log([*distances])
        y = np.array([math.log(w1.mean()) for w1 in distances.values()])
        errors = np.array([w1.std(ddof=1) / w1.mean() / math.sqrt(len(w1)) for w1 in distances.values()])
        weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        slope, error = float(weights @ y), float(np.sqrt(weights**2 @ errors**2))
        check = Check("distance of the slope of log W1 to -1/2", abs(slope + 0.5), chance.ERRORS * error + 0.02)
        return Experiment((check,), {"distances": distances, "slope": slope})

    def draw(self, picture: Picture, data: Data) -> None:
        numbers = np.array([*data["distances"]])
        for number, w1 in data["distances"].items():
            picture.dots(np.full(len(w1), number), w1, "a run", ".", color=style.SKY, alpha=0.7)
        means = np.array([w1.mean() for w1 in data["distances"].values()])
        picture.curve(numbers, means, f"mean: slope {data['slope']:.2f}", "o-")
        picture.slope(numbers, means[0], -0.5, "$N^{-1/2}$")
        picture.frame("particles $N$", r"W1 to $Q^*$ (units of $\theta$)", "lower left", log="xy", ticks=numbers)
