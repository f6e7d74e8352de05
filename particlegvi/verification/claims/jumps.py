"""Jumps leave Q* invariant and find the shares of wells."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

EVERY_STEP = {"every": 1, "share": 0.3}
CENTRES = np.array([[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]])
DEPTHS = (1.0, 1.3, 1.6, 1.8)
KL, SD = 0.2, 4.0
FORMULA = "0.01*(x**2 + y**2)" + "".join(
    f" - {depth}*exp(-((x - {a})**2 + (y - {b})**2)/2)" for (a, b), depth in zip(CENTRES, DEPTHS, strict=True)
)


@claim("Metropolis-Hastings on half of an ensemble, docs/equilibrium.md", wrong="a temperature of 1.3")
def jump_law(seed: int, wrong: bool, *, particles: int = 10_000, steps: int = 10, step_size: float = 1e-6) -> Checks:
    """Jumps of DLE leave its minimiser Q* invariant.

    Exact draws take tiny steps, each with a jump of all, and must still be draws: measured by their KS distance.
    """
    start = problems.target(problems.DLE).sample(particles, seed=seed)
    method = pg.methods.DLE(1.3 if wrong else 1.0, jumps=EVERY_STEP)
    final = problems.simulate(method, seed, particles, steps, step_size, initial=start).final
    distance = chance.ks_to_cdf(final[:, 0], problems.target(problems.DLE).cdf)
    moved = float(np.mean(np.abs(final - start) > 0.1))
    return (
        Check("Kolmogorov-Smirnov distance to Q*", distance, chance.kolmogorov_smirnov(particles)),
        Check("share of particles that jumped", moved, 0.4, ">="),
    )


@claim("Metropolis-Hastings on half of an ensemble, docs/equilibrium.md", wrong="no jumps")
def mode_shares(
    seed: int, wrong: bool, *, particles: int = 2_000, steps: int = 5_000, step_size: float = 1e-2
) -> Checks:
    """With jumps DLE finds the masses of wells that its steps do not leave.

    Counts of particles in four wells of unequal depth, against the masses of Q* by quadrature.

    The barriers are 5 to 8 kl_weight high.
    """
    loss, prior = pg.Loss.from_formula(FORMULA, variables=["x", "y"]), pg.priors.Normal([0.0, 0.0], [SD, SD])
    method = pg.methods.DLE(KL, jumps=not wrong)
    run = problems.simulate(method, seed, particles, steps, step_size, loss=loss, prior=prior)
    mass, shares = masses(), pg.diagnostics.mode_occupancy(run.final, CENTRES) / particles
    worst = float(np.max(np.abs(shares - mass) / np.sqrt(mass * (1.0 - mass) / particles)))
    return Check("largest deviation of a count, in standard errors", worst, chance.ERRORS)


def masses() -> np.ndarray:
    """The masses of Q* nearest to each centre, on a grid."""
    axis = np.linspace(-9.0, 9.0, 901)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    squares = ((points[:, None] - CENTRES) ** 2).sum(axis=-1)
    loss = 0.01 * (points**2).sum(axis=1) - (np.array(DEPTHS) * np.exp(-0.5 * squares)).sum(axis=1)
    weights = np.exp(-loss / KL - 0.5 * (points**2).sum(axis=1) / SD**2)
    return np.bincount(squares.argmin(axis=1), weights, minlength=4) / weights.sum()
