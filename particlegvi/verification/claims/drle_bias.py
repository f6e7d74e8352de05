"""Theorem 5.4.2 as N grows: the law of one particle among N differs from Q* by O(1/N)."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class DrleBias(Claim):
    """The mean of a particle, pooled over many runs of N, is that of Q* plus c/N plus O(1/N^2).

    Twice the mean at 2N minus that at N has no term c/N: it equals Q*'s mean within four standard errors over the runs
    plus the square of the removed bias, for the next order. The bias must be significant at the smallest N: no particle
    repels itself, so that the repulsion lacks 1/N of its strength. Wrong: the repulsion lacks the 2 of the square in
    MMD^2, and the means extrapolate to another Q*.
    """

    name = "drle-bias"
    claim = "The law of a particle among N differs from Q* by O(1/N): pooled runs extrapolate to Q*"
    source = "thesis, Theorem 5.4.2"
    wrong = "lambda1 = mmd_weight, without its 2"
    runs = {4: 250, 8: 150, 16: 100, 32: 80}
    steps, step_size, warm = 4_000, 2e-2, 800

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DRLE(METHOD.kl_weight, METHOD.mmd_weight * (0.5 if wrong else 1.0), problems.KERNEL)
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        means, errors = [], []
        for number, count in self.runs.items():
            averages = []
            for _ in range(count):
                run = problems.simulate(
                    method, particles=number, steps=self.steps, step_size=self.step_size, seed=next(seeds),
                    record_every=50, integrator="leimkuhler-matthews",
                )  # fmt: skip
                averages.append(run.positions[run.steps >= self.warm].mean())
            means.append(np.mean(averages))
            errors.append(np.std(averages, ddof=1) / math.sqrt(count))
        numbers, error = np.array([*self.runs]), np.array(errors)
        bias = np.array(means) - float(problems.target(METHOD).mean)
        checks = [Check(f"bias at N = {numbers[0]} in standard errors", abs(bias[0]) / error[0], chance.ERRORS, ">=")]
        for k in range(len(numbers) - 1):
            left = float(abs(2.0 * bias[k + 1] - bias[k]))
            allowed = chance.ERRORS * math.hypot(2.0 * error[k + 1], error[k]) + (bias[k] - bias[k + 1]) ** 2
            checks.append(Check(f"mean extrapolated from N = {numbers[k]} and {numbers[k + 1]}", left, float(allowed)))
        return Experiment(tuple(checks), {"numbers": numbers, "bias": bias, "error": error})

    def draw(self, picture: Picture, data: Data) -> None:
        x = 1.0 / data["numbers"]
        weights = 1.0 / data["error"] ** 2
        slope = np.sum(weights * x * data["bias"]) / np.sum(weights * x * x)
        picture.errors(x, data["bias"], data["error"], "pooled runs, 4 standard errors")
        picture.truth([0.0, x[0]], [0.0, slope * x[0]], "$c/N$").level(0.0, linestyle=":")
        picture.frame("$1/N$", "bias of the mean", "lower left", xlim=(0.0, 1.05 * x[0]))
