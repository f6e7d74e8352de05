"""C.2: the particles' law follows the Wasserstein gradient flow at all times, not only in the limit."""

from __future__ import annotations

from functools import cache

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.fokker_planck import FokkerPlanck
from particlegvi.verification.picture import COLOURS, Picture

METHOD = problems.STRONG
START, SD = 1.0, 0.5
TIMES = (0.1, 0.3, 1.0, 3.0)
CENTRES = np.linspace(-4.5, 3.5, 401)


class FokkerPlanckLaw(Claim):
    """DRLE's particles at four times against the flow's density on a grid: the largest Kolmogorov-Smirnov distance.

    Wrong: mu_P omitted from V.
    """

    name = "fokker-planck-law"
    claim = "At any time DRLE's particles have the law of the Wasserstein gradient flow"
    source = "thesis, C.2 and (C.97)"
    wrong = "mu_P omitted from V"
    particles, step_size = 8_000, 1e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        settings: Facts = {}
        if wrong:
            formula = f"{problems.LOSS_FORMULA} + {METHOD.lambda1}*{problems.EMBEDDING_FORMULA}"
            settings["loss"] = pg.Loss.from_formula(formula, variables=["t"])
        every = round(TIMES[0] / self.step_size)
        run = problems.simulate(
            METHOD, initial=pg.priors.Normal(START, SD), particles=self.particles, steps=every * 30,
            step_size=self.step_size, record_every=every, seed=seed, **settings,
        )  # fmt: skip
        densities, looks, distances = solve(self.step_size), [], []
        for time, masses in zip(TIMES, densities, strict=True):
            edges = np.append(CENTRES, CENTRES[-1] + (CENTRES[1] - CENTRES[0])) - 0.5 * (CENTRES[1] - CENTRES[0])
            below = np.concatenate([[0.0], np.cumsum(masses)])
            x = run.positions[round(time / TIMES[0]), :, 0]
            looks.append(x)
            uniform = np.interp(x, edges, below)  # the flow's distribution function at the particles
            distances.append(chance.ks_to_cdf(uniform, lambda u: u))
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(TIMES)) + self.step_size
        quantity = "largest KS distance to the flow"
        return Experiment((Check(quantity, max(distances), bound),), {"looks": looks, "densities": densities})

    def draw(self, picture: Picture, data: Data) -> None:
        for time, x, masses, colour in zip(TIMES, data["looks"], data["densities"], COLOURS, strict=True):
            picture.histogram(x, problems.WINDOW, 66, f"t = {time}", histtype="step", edgecolor=colour, linewidth=1.4)
            picture.truth(CENTRES, masses / (CENTRES[1] - CENTRES[0]), "the flow", linewidth=1.2)
        picture.frame(legend="upper left")


@cache
def solve(step_size: float) -> list[np.ndarray]:
    """Masses of the cells at TIMES, with the first-order error of the time steps removed by extrapolation."""
    potential = problems.potential(CENTRES, METHOD)
    flow = FokkerPlanck(potential, CENTRES, METHOD.kl_weight, METHOD.lambda1, lambda r2: np.exp(-0.5 * r2))
    found = []
    for coarse in (10, 5):
        masses = np.exp(-0.5 * ((CENTRES - START) / SD) ** 2)
        masses /= masses.sum()
        size, at, step = coarse * step_size, [], 0
        for time in TIMES:
            while step < round(time / size):
                masses = flow.step(masses, size)
                step += 1
            at.append(masses)
        found.append(at)
    return [2.0 * fine - coarse for coarse, fine in zip(*found, strict=True)]
