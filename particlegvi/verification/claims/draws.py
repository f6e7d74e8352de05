"""Particles become draws from the minimiser Q* (C.4 and Theorem 5.4.2), on the line and in the plane."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.simulation.run import Run
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

STRONG = problems.STRONG
LOSS = pg.losses.get("ring", radius=2.0, width=0.5)
PRIOR = pg.priors.Normal([1.0, 0.0], 1.0)
KL_WEIGHT = 0.5
METHOD = pg.methods.DLE(KL_WEIGHT)
EDGES = np.linspace(-3.6, 3.6, 25)
FINE = 8  # midpoints of the quadrature along a side of a cell


def are_draws(run: Run, method: pg.methods.DLE | pg.methods.DRLE, of: str, step_size: float) -> Check:
    """The W1 of the particles at the end of a run to the target of a method, against as many exact draws."""
    target = problems.target(method)
    distance = pg.diagnostics.wasserstein1(run.final, target)
    return Check(f"W1 to {of}", distance, chance.w1(target, run.particles, step_size))


@claim("thesis, C.4 (C.76)", wrong="noise sqrt(eta lambda2) Z, without the 2")
def gibbs_line(
    seed: int, wrong: bool, *, particles: int = 20_000, steps: int = 10_000, step_size: float = 2e-3
) -> Checks:
    """On the line, DLE's particles become draws from the Gibbs measure.

    W1 of the final particles to exp(-loss/kl_weight) p, normalised, against as many exact draws.

    Wrong: sqrt(eta kl_weight) Z in place of sqrt(2 eta kl_weight) Z. Half the weight halves the square of the noise,
    and a prior with half the variance leaves the drift unchanged.
    """
    method, prior = problems.DLE, problems.PRIOR
    if wrong:
        method, prior = pg.methods.DLE(kl_weight=0.5), pg.priors.Normal(0.0, math.sqrt(0.5))
    run = problems.simulate(method, seed, particles, steps, step_size, prior=prior, initial=problems.PRIOR)
    return are_draws(run, problems.DLE, "the Gibbs measure", step_size)


@claim("thesis, Theorem 5.4.2", wrong="lambda1 = mmd_weight, without its 2")
def drle_law(seed: int, wrong: bool, *, particles: int = 5_000, steps: int = 3_000, step_size: float = 1e-2) -> Checks:
    """With many particles, DRLE's particles become draws from Q*.

    W1 of the particles of one large run to Q*, the fixed point, against as many exact draws.
    """
    method = problems.halved(STRONG, wrong)
    run = problems.simulate(method, seed, particles, steps, step_size, integrator="leimkuhler-matthews")
    return are_draws(run, STRONG, "Q*", step_size)


def probabilities() -> np.ndarray:
    """Q* of the cells, by the midpoint rule, normalised over the window."""
    number = len(EDGES) - 1
    middle = EDGES[0] + (np.arange(FINE * number) + 0.5) * (EDGES[-1] - EDGES[0]) / (FINE * number)
    points = np.stack(np.meshgrid(middle, middle, indexing="ij"), axis=-1).reshape(-1, 2)
    density = problems.density(LOSS, METHOD, PRIOR).pdf(points)
    cells = density.reshape(number, FINE, number, FINE).sum(axis=(1, 3))
    return cells / cells.sum()


@claim("thesis, C.4 (C.76); (2.4) has a power of p", wrong="prior p^lambda, as in (2.4)")
def gibbs_plane(
    seed: int, wrong: bool, *, particles: int = 20_000, steps: int = 6_000, step_size: float = 5e-3
) -> Checks:
    """In the plane, DLE's law is the Gibbs measure exp(-loss/kl_weight) p, with p to the power 1.

    Pearson's chi-squared of the particles' counts in cells that expect ten or more (the others are one cell).

    The loss is a ring, and the prior favours one side. Wrong: p to the power of the weight as in (2.4), p^0.5, a prior
    of twice the variance.
    """
    prior = pg.priors.Normal([1.0, 0.0], KL_WEIGHT**-0.5) if wrong else PRIOR
    settings = {"loss": LOSS, "prior": prior, "initial": PRIOR, "integrator": "leimkuhler-matthews"}
    x: np.ndarray = problems.simulate(METHOD, seed, particles, steps, step_size, **settings).final
    counts = np.histogram2d(x[:, 0], x[:, 1], bins=(EDGES, EDGES))[0]
    expected = probabilities() * len(x)
    enough = expected >= 10.0
    counts, expected = (np.append(of[enough], len(x) - of[enough].sum()) for of in (counts, expected))
    freedom = len(expected) - 1
    statistic = float(np.sum((counts - expected) ** 2 / expected)) / freedom
    bound = float(chdtri(freedom, chance.RARE)) / freedom
    return Check("chi-squared per degree of freedom", statistic, bound)
