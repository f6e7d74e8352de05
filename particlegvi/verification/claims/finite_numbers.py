"""The law of N particles of DRLE, and the distance O(1/N) of the law of one of them to Q*."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, Claim
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
GRID = np.linspace(-4.2, 3.2, 141)
NUMBERS = (2, 3, 4)


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


class MarginalLimit(Claim):
    """W1 of the marginal of exp(-E / kl_weight) to Q*, times N, must not grow with N: a distance of c/N plus less.

    Nothing is simulated: both laws come from grids. Wrong: E without the 1/2 before its sum of pairs, whose marginal
    tends to the Q* of twice the repulsion, so that N times the distance grows without bound.
    """

    claim = "The law of one of N particles of DRLE is at a distance O(1/N) of Q*"
    source = "thesis, Theorem 5.4.2; Langevin dynamics of the energy E"
    wrong = "energy without the 1/2 before its pairs"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        truth = np.asarray(problems.target(METHOD).cdf(GRID))
        laws = {number: marginal(number, 2.0 if wrong else 1.0) for number in NUMBERS}
        far = {number: float(np.trapezoid(np.abs(law - truth), GRID)) for number, law in laws.items()}
        picture.curves(GRID, laws.values(), [f"$N = {number}$" for number in NUMBERS])
        picture.truth(GRID, truth, "$Q^*$").frame(ylabel="distribution function")
        return tuple(
            Check(f"N W1 at N = {number}, over that at {number - 1}", number * far[number] / bound, 1.0)
            for number, bound in ((number, (number - 1) * far[number - 1]) for number in NUMBERS[1:])
        )


def marginal(number: int, factor: float) -> np.ndarray:
    """Distribution function of one particle at GRID, the pairs of E multiplied by ``factor``."""
    v = problems.potential(GRID, METHOD)
    weight = np.exp(-(v - v.min()) / METHOD.kl_weight)
    kappa = np.exp(-0.5 * (GRID[:, None] - GRID[None, :]) ** 2)
    pair = np.exp(-factor * METHOD.lambda1 / number * kappa / METHOD.kl_weight)
    mass = np.empty(len(GRID))
    for i, row in enumerate(pair):  # one particle is at GRID[i], the sum is over the others
        others = row * weight
        if number == 2:
            rest = np.sum(others)
        elif number == 3:
            rest = others @ pair @ others
        else:
            rest = np.sum(others[:, None] * others * pair * ((pair * others) @ pair))
        mass[i] = weight[i] * rest
    return (np.cumsum(mass) - 0.5 * mass) / np.sum(mass)


class DrleBias(problems.Simulated):
    """The mean of a particle, pooled over many runs of N, is that of Q* plus c/N plus O(1/N^2).

    Twice the mean at 2N minus that at N has no term c/N: it equals Q*'s mean within four standard errors over the runs
    plus the square of the removed bias, for the next order. The bias must be significant at the smallest N: no particle
    repels itself, so that the repulsion lacks 1/N of its strength. Wrong: the repulsion lacks the 2 of the square in
    MMD^2, and the means extrapolate to another Q*.
    """

    claim = "The law of a particle among N differs from Q* by O(1/N): pooled runs extrapolate to Q*"
    source = "thesis, Theorem 5.4.2"
    wrong = "lambda1 = mmd_weight, without its 2"
    runs = {4: 250, 8: 150, 16: 100, 32: 80}
    steps, step_size, warm = 4_000, 2e-2, 800

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        method = problems.halved(METHOD, wrong)
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        means, errors = [], []
        for number, count in self.runs.items():
            averages = []
            for _ in range(count):
                looks = {"record_every": 50, "integrator": "leimkuhler-matthews"}
                run = self.simulate(method, next(seeds), particles=number, **looks)
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
        x, weights = 1.0 / numbers, 1.0 / error**2
        slope = np.sum(weights * x * bias) / np.sum(weights * x * x)
        picture.errors(x, bias, error, "pooled runs, 4 standard errors")
        picture.truth([0.0, x[0]], [0.0, slope * x[0]], "$c/N$").level(0.0, linestyle=":")
        picture.frame("$1/N$", "bias of the mean", "lower left", xlim=(0.0, 1.05 * x[0]))
        return tuple(checks)
