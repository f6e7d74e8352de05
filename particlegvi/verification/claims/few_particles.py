"""The invariant law of N particles of DRLE is exp(-E / kl_weight), at N = 2 by quadrature."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

KL, MMD = problems.STRONG.kl_weight, problems.STRONG.mmd_weight
GRID = np.linspace(-5.0, 4.0, 901)
BATCHES = 40
FUNCTIONS = {
    "mean of theta": lambda x, y: 0.5 * (x + y),
    "mean of theta^2": lambda x, y: 0.5 * (x**2 + y**2),
    "share below 0": lambda x, y: 0.5 * (1.0 * (x < 0.0) + (y < 0.0)),
    "mean of a product": lambda x, y: x * y,
    "share of close pairs": lambda x, y: 1.0 * (np.abs(x - y) < 0.7),
}


class FewParticles(Claim):
    """Two particles, steps and jumps: means of five functions of the pair along one path, against quadrature.

    E = V(x) + V(y) + lambda1 / 2 (kappa(x, y) + kappa(0)) with V of 5.4.3. Standard errors come from the means of 40
    parts of the path. Wrong: the force of the energy without the 1/2 before the sum of pairs, which is that of twice
    the mmd_weight with the attraction to the prior left as it is.
    """

    name = "few-particles"
    claim = "Two particles of DRLE have the law exp(-E/kl_weight) exactly"
    source = "Langevin dynamics of the energy E, docs/equilibrium.md"
    wrong = "energy without the 1/2 before its pairs"
    steps, step_size = 40_000, 2e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        mmd, loss = MMD, problems.LOSS
        if wrong:
            mmd = 2.0 * MMD
            loss = pg.Loss.from_formula(f"{problems.LOSS_FORMULA} + {2.0 * MMD}*{problems.EMBEDDING_FORMULA}", ["t"])
        method = pg.methods.DRLE(KL, mmd, problems.KERNEL, jumps={"every": 4, "share": 0.5})
        run = problems.simulate(
            method, loss=loss, particles=2, steps=self.steps, step_size=self.step_size, seed=seed,
            record_every=self.steps // 4000,
        )  # fmt: skip
        x, y = run.positions[200:, 0, 0], run.positions[200:, 1, 0]
        law = pair_law()
        worst = 0.0
        for function in FUNCTIONS.values():
            exact = float(np.sum(law * function(GRID[:, None], GRID[None, :])))
            parts = np.array([part.mean() for part in np.array_split(function(x, y), BATCHES)])
            worst = max(worst, abs(parts.mean() - exact) / (parts.std(ddof=1) / np.sqrt(BATCHES)))
        bound = chance.student(BATCHES, len(FUNCTIONS))
        check = Check("largest deviation of a mean, in standard errors", worst, bound)
        return Experiment((check,), {"apart": x - y, "law": law})

    def draw(self, picture: Picture, data: Data) -> None:
        gaps = GRID[:, None] - GRID[None, :]
        density, edges = np.histogram(gaps, np.linspace(-4.0, 4.0, 81), weights=data["law"], density=True)
        picture.histogram(data["apart"], (-4.0, 4.0), label="two particles")
        picture.truth(0.5 * (edges[1:] + edges[:-1]), density, "quadrature").frame(r"difference $\theta_1 - \theta_2$")


def pair_law() -> np.ndarray:
    """Probabilities of the cells of GRID x GRID under exp(-E / kl_weight)."""
    v = problems.potential(GRID, problems.STRONG)
    energy = v[:, None] + v[None, :] + MMD * np.exp(-0.5 * (GRID[:, None] - GRID[None, :]) ** 2)
    law = np.exp(-(energy - energy.min()) / KL)
    return law / law.sum()
