"""With jumps DLE finds the shares of wells that it cannot leave."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

CENTRES = np.array([[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]])
DEPTHS = (1.0, 1.3, 1.6, 1.8)
KL, SD = 0.2, 4.0
FORMULA = "0.01*(x**2 + y**2)" + "".join(
    f" - {depth}*exp(-((x - {a})**2 + (y - {b})**2)/2)" for (a, b), depth in zip(CENTRES, DEPTHS, strict=True)
)


class ModeShares(Claim):
    """Counts of particles in four wells of unequal depth, against the masses of Q* by quadrature.

    The barriers are 5 to 8 kl_weight high. Wrong: the same steps without jumps, which keep the shares of the start.
    """

    name = "mode-shares"
    claim = "With jumps DLE finds the masses of wells that its steps do not leave"
    source = "Metropolis-Hastings on half of an ensemble, docs/equilibrium.md"
    wrong = "no jumps"
    particles, steps, step_size = 2_000, 1_000, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        loss = pg.Loss.from_formula(FORMULA, variables=["x", "y"])
        method = pg.methods.DLE(KL, jumps=not wrong)
        run = pg.simulate(
            loss, method, pg.priors.Normal([0.0, 0.0], [SD, SD]), self.particles, self.steps, self.step_size,
            seed=seed, record_every=0,
        )  # fmt: skip
        mass = masses()
        found = np.bincount(_well(run.final), minlength=4) / self.particles
        worst = float(np.max(np.abs(found - mass) / np.sqrt(mass * (1.0 - mass) / self.particles)))
        check = Check("largest deviation of a count, in standard errors", worst, chance.ERRORS)
        return Experiment((check,), {"found": found, "masses": mass})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.shares(data["found"], data["masses"], "masses of $Q^*$").frame("well", "share", xticks=range(4))


def masses() -> np.ndarray:
    """The masses of Q* nearest to each centre, on a grid."""
    axis = np.linspace(-9.0, 9.0, 901)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    squares = ((points[:, None] - CENTRES) ** 2).sum(axis=-1)
    loss = 0.01 * (points**2).sum(axis=1) - (np.array(DEPTHS) * np.exp(-0.5 * squares)).sum(axis=1)
    weights = np.exp(-loss / KL - 0.5 * (points**2).sum(axis=1) / SD**2)
    return np.bincount(squares.argmin(axis=1), weights, minlength=4) / weights.sum()


def _well(points: np.ndarray) -> np.ndarray:
    return ((points[:, None] - CENTRES) ** 2).sum(axis=-1).argmin(axis=1)
