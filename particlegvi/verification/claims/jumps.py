"""Jumps leave Q* invariant, on the whole line and between walls, and find the shares of wells."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Method, Prior
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture
from particlegvi.verification.wrong_jumps import FoldedBack, Unweighted

EVERY_STEP = {"every": 1, "share": 0.1}
CENTRES = np.array([[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]])
DEPTHS = (1.0, 1.3, 1.6, 1.8)
KL, SD = 0.2, 4.0
FORMULA = "0.01*(x**2 + y**2)" + "".join(
    f" - {depth}*exp(-((x - {a})**2 + (y - {b})**2)/2)" for (a, b), depth in zip(CENTRES, DEPTHS, strict=True)
)


class JumpLaw(problems.Simulated):
    """Exact draws take tiny steps, each with a jump of all, and must still be draws: measured by their KS distance."""

    claim = "Jumps of DLE leave its minimiser Q* invariant"
    source = "Metropolis-Hastings on half of an ensemble, docs/equilibrium.md"
    wrong = "acceptance without g(old)/g(new)"
    control: ClassVar[type[pg.methods.DLE]] = Unweighted
    prior: ClassVar[Prior] = problems.PRIOR
    window: ClassVar[tuple[float, float]] = problems.WINDOW
    particles, steps, step_size = 10_000, 10, 1e-6
    ensembles = 1  # into which they are divided

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        made = self.control if wrong else pg.methods.DLE
        method: Method = made(1.0, jumps=EVERY_STEP)
        target = problems.density(problems.LOSS, method, self.prior)
        start = target.sample(self.particles, seed=seed)
        ends = [
            self.simulate(method, (seed + number) % 2**64, prior=self.prior, initial=part, particles=len(part)).final
            for number, part in enumerate(np.split(start, self.ensembles))
        ]
        final = np.concatenate(ends)[:, 0]
        distance = chance.ks_to_cdf(final, target.cdf)
        picture.histogram(final, self.window).density(target, self.window).frame()
        moved = float(np.mean(np.abs(final - start[:, 0]) > 0.1))
        return (
            Check("Kolmogorov-Smirnov distance to Q*", distance, chance.kolmogorov_smirnov(self.particles)),
            Check("share of particles that jumped", moved, 0.4, ">="),
        )


class JumpLawWalls(JumpLaw):
    """`JumpLaw` for a Uniform prior that cuts the deeper well; proposals of ensembles of 40 often leave the box."""

    claim = "Between walls, too, jumps of DLE leave its minimiser Q* invariant"
    wrong = "proposals outside of the walls folded back"
    control: ClassVar[type[pg.methods.DLE]] = FoldedBack
    prior: ClassVar[Prior] = pg.priors.Uniform(-1.6, 1.2)
    window: ClassVar[tuple[float, float]] = (-1.8, 1.4)
    ensembles = 250


class ModeShares(problems.Simulated):
    """Counts of particles in four wells of unequal depth, against the masses of Q* by quadrature.

    The barriers are 5 to 8 kl_weight high.
    """

    claim = "With jumps DLE finds the masses of wells that its steps do not leave"
    source = "Metropolis-Hastings on half of an ensemble, docs/equilibrium.md"
    wrong = "no jumps"
    particles, steps, step_size = 2_000, 1_000, 1e-2

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        loss = pg.Loss.from_formula(FORMULA, variables=["x", "y"])
        method = pg.methods.DLE(KL, jumps=not wrong)
        run = self.simulate(method, seed, loss=loss, prior=pg.priors.Normal([0.0, 0.0], [SD, SD]))
        mass = masses()
        found = pg.diagnostics.mode_fractions(run.final, CENTRES)
        worst = float(np.max(np.abs(found - mass) / np.sqrt(mass * (1.0 - mass) / self.particles)))
        picture.shares(found, mass, "masses of $Q^*$").frame("well", "share", xticks=range(4))
        return Check("largest deviation of a count, in standard errors", worst, chance.ERRORS)


def masses() -> np.ndarray:
    """The masses of Q* nearest to each centre, on a grid."""
    axis = np.linspace(-9.0, 9.0, 901)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    squares = ((points[:, None] - CENTRES) ** 2).sum(axis=-1)
    loss = 0.01 * (points**2).sum(axis=1) - (np.array(DEPTHS) * np.exp(-0.5 * squares)).sum(axis=1)
    weights = np.exp(-loss / KL - 0.5 * (points**2).sum(axis=1) / SD**2)
    return np.bincount(squares.argmin(axis=1), weights, minlength=4) / weights.sum()
