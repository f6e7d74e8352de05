"""The free energy of the particles tends to that of Q*."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class FreeEnergyLimit(Claim):
    """L of DRLE's particles at the end of independent runs, against L(Q*) by quadrature, for growing N.

    The entropy is estimated by spacings, and the sum over pairs leaves out the self pairs, which would add
    mmd_weight (kappa(0) - E kappa)/N. The bound is a Student's bound on the mean of the runs plus half of
    mmd_weight kappa(0)/N for the correlation of the particles, whose effect is smaller. Wrong: lambda1
    without its 2, whose particles minimise another L.
    """

    name = "free-energy-limit"
    claim = "The free energy of DRLE's particles tends to L(Q*): entropy by spacings, no self pairs"
    source = "thesis, 5.3.2 (5.6) and C.5 (C.100)"
    wrong = "lambda1 = mmd_weight, without its 2"
    runs = {128: 80, 512: 40, 2048: 20}
    steps, step_size = 2_500, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DRLE(METHOD.kl_weight, METHOD.mmd_weight * (0.5 if wrong else 1.0), problems.KERNEL)
        best = pg.diagnostics.target_free_energy(
            problems.target(METHOD), problems.LOSS, METHOD, prior=problems.PRIOR
        ).total
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        checks, series = [], []
        for number, count in self.runs.items():
            ends = [
                problems.simulate(
                    method, particles=number, steps=self.steps, step_size=self.step_size, seed=next(seeds),
                    integrator="leimkuhler-matthews",
                ).final
                for _ in range(count)
            ]  # fmt: skip
            energies = [pg.diagnostics.free_energy(end, problems.LOSS, METHOD, prior=problems.PRIOR) for end in ends]
            excess = np.array([energy.total for energy in energies]) - best
            error = float(excess.std(ddof=1)) / math.sqrt(count)
            allowed = chance.student(count, looks=len(self.runs)) * error + 0.5 * METHOD.mmd_weight / number
            checks.append(Check(f"L of {number} particles, less L(Q*)", float(abs(excess.mean())), allowed))
            series.append((number, excess.mean(), error, _self_pairs(ends[0], energies[0].mmd_squared)))
        return Experiment(tuple(checks), {"series": np.array(series).T})

    def draw(self, picture: Picture, data: Data) -> None:
        numbers, excess, error, self_pairs = data["series"]
        picture.errors(numbers, excess, error, "particles, 4 standard errors")
        picture.dots(numbers, excess + self_pairs, "with the self pairs", "s").level(0.0, "$L(Q^*)$")
        picture.axes.margins(y=0.25)
        picture.frame("particles $N$", "$L - L(Q^*)$", "center", log="x", ticks=numbers)


def _self_pairs(end: np.ndarray, mmd_squared: float) -> float:
    """Contribution of the self pairs to L: mmd_weight (kappa(0) - mean over the other pairs)/N."""
    pairs = mmd_squared + 2.0 * problems.embedding(end).mean()
    pairs -= pg.diagnostics.prior_self_energy(problems.PRIOR, problems.KERNEL)
    return METHOD.mmd_weight * (1.0 - float(pairs)) / len(end)
