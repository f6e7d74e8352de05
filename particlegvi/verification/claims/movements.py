"""The implicit step of (5.4), end points against trajectories (5.4.2), and saddles (C.3)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

import particlegvi as pg
from particlegvi.methods.implicit import JKO
from particlegvi.targets.fokker_planck import FokkerPlanck
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

GRID = np.linspace(-5.0, 4.0, 451)
STEP_SIZES = (0.2, 0.1, 0.05)


@claim("thesis, (5.2) to (5.5); Jordan, Kinderlehrer and Otto (1998)", wrong="W2^2/eta, without the 2")
def implicit_step(seed: int, wrong: bool, *, particles: int = 200, time: float = 0.4) -> Checks:
    """The implicit step is the minimiser of L + W2^2/(2 eta), and tends to the gradient flow.

    JKO's particles against closed forms and the flow on a grid.

    For V = a x^2/2 the step takes N(m, s^2) to a Gaussian with mean m / (1 + eta a) and the sd that solves
    (1/eta + a) s'^2 - s s'/eta = kl_weight. N quantiles have an error of O(1/N), since no mass is beyond the outermost
    two. On the problem of Figure 5.2 L + W2^2 / (2 eta) never exceeds L before the step, by the definition of (5.4),
    with L written out for equal masses between neighbours. And the particles approach the flow on the grid with first
    order: half the step has about half the distance.
    """
    part = 0.5 if wrong else 1.0
    levels = ndtri((np.arange(particles) + 0.5) / particles)
    a, kl_weight = 0.8, 0.6
    loss, distances = pg.Loss.from_formula(f"{a}*t^2/2", variables=["t"]), []
    for eta in (0.1, 1.0, 10.0):
        x = moved(loss, JKO(kl_weight), 1.5 + 0.5 * levels, part * eta, 1)[-1]
        b = 1.0 / eta + a
        sd = (0.5 / eta + math.sqrt(0.25 / eta**2 + 4.0 * b * kl_weight)) / (2.0 * b)
        distances.append(float(np.abs(x - 1.5 / (1.0 + eta * a) - sd * levels).mean()))
    method = JKO(1.0, 0.5, problems.KERNEL)
    start = np.sort(problems.PRIOR.sample(particles, seed=seed)[:, 0])
    prior = problems.PRIOR
    rises, gaps = [], []
    field = problems.potential(GRID, method)
    flow = FokkerPlanck(field, GRID, 1.0, method.lambda1, lambda r2: np.exp(-0.5 * r2))
    edges, levels = np.append(GRID - 0.5 * flow.width, GRID[-1] + 0.5 * flow.width), ndtr(levels)
    masses = np.diff(ndtr(edges))
    for _ in range(200):
        masses = flow.step(masses, time / 200)
    exact = np.interp(levels, np.append(0.0, np.cumsum(masses)), edges)
    for eta in STEP_SIZES:
        path = moved(problems.LOSS, method, start, part * eta, 10, prior)
        energies = [energy(x, method) for x in path]
        moves = np.mean(np.diff(path, axis=0) ** 2, axis=1) / (2.0 * eta)
        rises.append(float(np.max(np.diff(energies) + moves)))
        end = moved(problems.LOSS, method, ndtri(levels), part * eta, round(time / eta), prior)[-1]
        gaps.append(float(np.abs(end - exact).mean()))
    return (
        Check("W1 to the closed form, times N", particles * max(distances), 1.0),
        Check("rise of L + W2^2/(2 eta) in a step", max(rises), 1e-9),
        Check("W1 to the flow, of half the step over the whole", max(gaps[1] / gaps[0], gaps[2] / gaps[1]), 0.65),
    )


def moved(
    loss: pg.Loss, method: JKO, start: np.ndarray, step_size: float, steps: int, prior: pg.priors.Normal | None = None
) -> np.ndarray:
    """The places (steps + 1, particles), sorted."""
    run = pg.simulate(
        loss, method, prior=prior, initial=start[:, None], steps=steps, step_size=step_size, record_every=1
    )
    return run.positions[:, :, 0]


def energy(x: np.ndarray, method: JKO) -> float:
    """L of masses 1/N between neighbours, up to a constant."""
    pairs = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2).mean()
    disorder = np.log(np.diff(x)).sum() / len(x)
    return float(problems.potential(x, method).mean() + 0.5 * method.lambda1 * pairs - method.kl_weight * disorder)


@claim("thesis, 5.4.2", wrong="places on one trajectory")
def dle_not_ula(seed: int, wrong: bool, *, draws: int = 2_000, step_size: float = 0.1) -> Checks:
    """DLE's end points are independent draws; the places on one trajectory (ULA) are not.

    End points of as many trajectories of DLE, and places of one trajectory, on V = x^2/2 at temperature 1.

    Both have the law N(0, 1/(1 - eta/2)) exactly. DLE's end points are independent: neighbours in the list have no
    correlation, and the KS distance keeps Massart's bound. Neighbours on a trajectory have the correlation 1 - eta.
    """
    loss, method = pg.losses.get("quadratic"), pg.methods.DLE(1.0)
    run = pg.simulate(
        loss, method, initial=pg.priors.Normal(0.0, 1.0), particles=1 if wrong else draws, seed=seed,
        steps=200 + (draws - 1 if wrong else 0), step_size=step_size, record_every=1 if wrong else 0,
    )  # fmt: skip
    x = run.positions[200:, 0, 0] if wrong else run.final[:, 0]
    sd = 1.0 / math.sqrt(1.0 - 0.5 * step_size)
    pairs = np.stack([x[:-1], x[1:]], axis=1)
    return (
        Check("correlation of neighbours in standard errors", chance.largest_correlation(pairs), chance.ERRORS),
        Check("KS distance to the law", chance.ks_to_cdf(x, lambda at: ndtr(at / sd)),
              chance.kolmogorov_smirnov(draws)),
    )  # fmt: skip


@claim(
    "thesis, Lemma C.3.1 and Theorem C.3.2 with that condition", wrong="a critical point without a negative eigenvalue"
)
def saddles(seed: int, wrong: bool, *, particles: int = 4_000, steps: int = 2_000, step_size: float = 0.02) -> Checks:
    """From almost every start DE ends at a local minimum, where all saddles are strict.

    DE in the plane from N(0, I): the share of particles that are not at a local minimum in the end.

    The loss (x^2 - 1)^2/4 + y^2/2 has a strict saddle at 0, to which the starts with x = 0 alone go. The loss
    x^4/4 + x^3/3 + y^2/2 has a critical point at 0 that is no minimum, and no negative eigenvalue there: all starts
    with x > 0 end at it, which Lemma C.3.1 as printed excludes.
    """
    formula = "x^4/4 + x^3/3 + y^2/2" if wrong else "(x^2 - 1)^2/4 + y^2/2"
    loss = pg.Loss.from_formula(formula, variables=["x", "y"])
    run = pg.simulate(
        loss, pg.methods.DE(), initial=pg.priors.Normal([0.0, 0.0], [1.0, 1.0]), particles=particles,
        seed=seed, steps=steps, step_size=step_size, record_every=0,
    )  # fmt: skip
    minima = np.array([[-1.0, 0.0]] if wrong else [[-1.0, 0.0], [1.0, 0.0]])
    away = np.min(np.linalg.norm(run.final[:, None] - minima, axis=2), axis=1)
    return Check("share of particles away from a minimum", float(np.mean(away > 1e-3)), 0.0)
