"""The law of N particles of DRLE, and of one of them, beside simulated ones."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.targets.fokker_planck import FokkerPlanck
from particlegvi.targets.rates import finite_number
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

KL, MMD = problems.STRONG.kl_weight, problems.STRONG.mmd_weight
PAIR_GRID = np.linspace(-5.0, 4.0, 901)
BATCHES = 40
FUNCTIONS = {
    "mean of theta": lambda x, y: 0.5 * (x + y),
    "mean of theta^2": lambda x, y: 0.5 * (x**2 + y**2),
    "share below 0": lambda x, y: 0.5 * (1.0 * (x < 0.0) + (y < 0.0)),
    "mean of a product": lambda x, y: x * y,
    "share of close pairs": lambda x, y: 1.0 * (np.abs(x - y) < 0.7),
}
METHOD = problems.STRONG


class FewParticles(problems.Simulated):
    """Two particles, steps and jumps: means of five functions of the pair along one path, against quadrature.

    E = V(x) + V(y) + lambda1 / 2 (kappa(x, y) + kappa(0)) with V of 5.4.3. Standard errors come from the means of 40
    parts of the path. Wrong: the force of the energy without the 1/2 before the sum of pairs, which is that of twice
    the mmd_weight with the attraction to the prior left as it is.
    """

    claim = "Two particles of DRLE have the law exp(-E/kl_weight) exactly"
    source = "Langevin dynamics of the energy E, docs/equilibrium.md"
    wrong = "energy without the 1/2 before its pairs"
    particles, steps, step_size = 2, 40_000, 2e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        mmd, loss = MMD, problems.LOSS
        if wrong:
            mmd = 2.0 * MMD
            loss = pg.Loss.from_formula(f"{problems.LOSS_FORMULA} + {2.0 * MMD}*{problems.EMBEDDING_FORMULA}", ["t"])
        method = pg.methods.DRLE(KL, mmd, problems.KERNEL, jumps={"every": 4, "share": 0.5})
        run = self.simulate(method, seed, loss=loss, record_every=self.steps // 4000)
        x, y = run.positions[200:, 0, 0], run.positions[200:, 1, 0]
        law = pair_law()
        worst = 0.0
        for function in FUNCTIONS.values():
            exact = float(np.sum(law * function(PAIR_GRID[:, None], PAIR_GRID[None, :])))
            parts = np.array([part.mean() for part in np.array_split(function(x, y), BATCHES)])
            worst = max(worst, abs(parts.mean() - exact) / (parts.std(ddof=1) / np.sqrt(BATCHES)))
        gaps = PAIR_GRID[:, None] - PAIR_GRID[None, :]
        density, edges = np.histogram(gaps, np.linspace(-4.0, 4.0, 81), weights=law, density=True)
        picture.histogram(x - y, (-4.0, 4.0), label="two particles")
        picture.truth(0.5 * (edges[1:] + edges[:-1]), density, "quadrature").frame(r"difference $\theta_1 - \theta_2$")
        bound = chance.student(BATCHES, len(FUNCTIONS))
        return Check("largest deviation of a mean, in standard errors", worst, bound)


def pair_law() -> np.ndarray:
    """Probabilities of the cells of PAIR_GRID x PAIR_GRID under exp(-E / kl_weight)."""
    v = problems.potential(PAIR_GRID, problems.STRONG)
    energy = v[:, None] + v[None, :] + MMD * np.exp(-0.5 * (PAIR_GRID[:, None] - PAIR_GRID[None, :]) ** 2)
    law = np.exp(-(energy - energy.min()) / KL)
    return law / law.sum()


class DrleBias(problems.Simulated):
    """The mean of a particle, pooled over many runs of N, against that of the exact law of one of N particles.

    The bias against Q*'s mean must be significant: no particle repels itself, so that the repulsion lacks 1/N of its
    strength. Wrong: the repulsion lacks the 2 of the square in MMD^2.
    """

    claim = "The mean of a particle among N is biased by O(1/N), as the exact law of one of N has it"
    source = "thesis, Theorem 5.4.2; docs/open-questions.md"
    wrong = "lambda1 = mmd_weight, without its 2"
    runs = {2: 24, 8: 24}
    steps, step_size, warm = 16_000, 2e-2, 800

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        flow = FokkerPlanck.of(problems.LOSS, METHOD, problems.PRIOR, (-4.2, 3.2), 201)
        method = problems.halved(METHOD, wrong)
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        means, errors = [], []
        for number, count in self.runs.items():
            averages = []
            for _ in range(count):
                looks = {"record_every": 100, "integrator": "leimkuhler-matthews"}
                run = self.simulate(method, next(seeds), particles=number, **looks)
                averages.append(run.positions[run.steps >= self.warm].mean())
            means.append(np.mean(averages))
            errors.append(np.std(averages, ddof=1) / math.sqrt(count))
        limit, error = float(problems.target(METHOD).mean), np.array(errors)
        numbers = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32])
        exact = {int(number): float(finite_number(flow, number) @ flow.centres) for number in numbers}
        picture.errors(1.0 / np.array([*self.runs]), np.array(means) - limit, error, "pooled runs, 4 standard errors")
        picture.truth(1.0 / numbers, np.array([*exact.values()]) - limit, "exact law").level(0.0, linestyle=":")
        picture.frame("$1/N$", "bias of the mean", "upper right", ylim=(-0.5, 0.2))
        off = [abs(mean - exact[number]) for mean, number in zip(means, self.runs, strict=True)]
        bound = chance.student(min(self.runs.values()), looks=len(self.runs))
        return (
            Check("largest distance to the exact mean, in standard errors", float(np.max(off / error)), bound),
            Check("bias at N = 2 in standard errors", float(abs(means[0] - limit) / error[0]), bound, ">="),
        )
