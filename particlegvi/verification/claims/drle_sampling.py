"""Theorem 5.4.2 as N grows: the distance of one run to Q* is a sampling error."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class DrleSampling(Claim):
    """The slope of log W1 against log N over independent runs is -1/2.

    The standard error of the slope follows from the variance between runs; 0.02 is added for the bias of order 1/N,
    which increases W1 at the smallest N. Wrong: V as printed in C.7, for which the distance does not vanish.
    """

    name = "drle-sampling"
    claim = "One run's W1 to Q* falls as N^-1/2: what is left of it is sampling"
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
            distances[number] = np.array([
                pg.diagnostics.wasserstein1(
                    problems.simulate(
                        METHOD, loss=loss, particles=number, steps=self.steps, step_size=self.step_size,
                        seed=next(seeds), integrator="leimkuhler-matthews",
                    ).final,
                    target,
                )
                for _ in range(count)
            ])  # fmt: skip
        x = np.log([*distances])
        y = np.array([math.log(w1.mean()) for w1 in distances.values()])
        errors = np.array([w1.std(ddof=1) / w1.mean() / math.sqrt(len(w1)) for w1 in distances.values()])
        weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        slope, error = float(weights @ y), float(np.sqrt(weights**2 @ errors**2))
        check = Check("slope of log W1 in log N, from -1/2", abs(slope + 0.5), chance.ERRORS * error + 0.02)
        return Experiment((check,), {"distances": distances, "slope": slope})

    def draw(self, picture: Picture, data: Data) -> None:
        numbers = np.array([*data["distances"]])
        for number, w1 in data["distances"].items():
            picture.dots(np.full(len(w1), number), w1, "a run", ".", color=style.SKY, alpha=0.7)
        means = np.array([w1.mean() for w1 in data["distances"].values()])
        picture.curve(numbers, means, f"mean: slope {data['slope']:.2f}", "o-")
        picture.slope(numbers, means[0], -0.5, "$N^{-1/2}$")
        picture.frame("particles $N$", r"W1 to $Q^*$ (units of $\theta$)", "lower left", log="xy", ticks=numbers)
