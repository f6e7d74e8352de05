"""C.2: particles follow the Wasserstein gradient flow, along which the free energy falls to L(Q*)."""

from __future__ import annotations

from functools import cache

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.targets.fokker_planck import FokkerPlanck
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import distribution

MMD_WEIGHT = 0.5
METHOD = problems.STRONG
WIDE = np.linspace(-5.0, 4.0, 301)
START, SD = 1.0, 0.5
TIMES = (0.1, 0.3, 1.0, 3.0)
CENTRES = np.linspace(-4.5, 3.5, 401)


def objective(x: np.ndarray) -> float:
    """E loss + mmd_weight MMD^2(Q, P) of equally weighted particles (n,), without the term of P alone."""
    pairs = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2)
    return float(problems.loss(x).mean() + MMD_WEIGHT * (pairs.mean() - 2.0 * problems.embedding(x).mean()))


@claim("thesis, 5.4.3; not (C.115)", wrong="lambda1 = mmd_weight, as in (C.115)")
def objective_gradient(
    seed: int, wrong: bool, *, particles: int = 60, steps: int = 1, step_size: float = 1e-3, width: float = 1e-4
) -> Checks:
    """DRE's particles move along minus the gradient of E loss + mmd_weight MMD^2.

    The velocity of DRE's particles in one step, against central differences of N L(theta_1, ..., theta_N).

    The differences have an error of their squared width times a third derivative, some 1e-8.
    """
    method = pg.methods.DRE(MMD_WEIGHT * (0.5 if wrong else 1.0), problems.KERNEL)
    run = problems.simulate(method, seed, particles, steps, step_size)
    x = run.initial[:, 0]
    velocity = (run.final[:, 0] - x) / step_size
    gradient = np.empty(len(x))
    for n in range(len(x)):
        shift = np.zeros(len(x))
        shift[n] = width
        gradient[n] = len(x) * (objective(x + shift) - objective(x - shift)) / (2.0 * width)
    return Check("largest difference of velocity and minus gradient", float(np.max(np.abs(velocity + gradient))), 1e-6)


def flow(grid: np.ndarray = WIDE, wrong: bool = False) -> FokkerPlanck:
    """The flow of DRLE on a grid; with ``wrong`` that of the potential printed in C.7."""
    change = METHOD.lambda1 - METHOD.kl_weight if wrong else 0.0
    potential = problems.potential(grid, METHOD) + change * (0.5 * grid**2 + problems.embedding(grid))
    return FokkerPlanck(potential, grid, METHOD.kl_weight, METHOD.lambda1, lambda r2: np.exp(-0.5 * r2))


@claim("thesis, 5.3.2 and C.5 (C.97, C.100)", wrong="V with the weights swapped, as C.7 prints it")
def free_energy_grid(seed: int, wrong: bool, *, steps: int = 1_000, step_size: float = 0.03) -> Checks:
    """L(Q_t) falls along the flow, down to L(Q*): DRLE by a Fokker-Planck solve.

    L(Q_t) of DRLE by a Fokker-Planck solve: it never increases, and ends at L(Q*), with Q* from the fixed point.

    With the implicit steps L decreases at any step size, so that only rounding errors are allowed; the bounds do not
    depend on the start. Wrong: the flow of V as printed in C.7, with the weights swapped, which does not end at Q*.
    """
    judge, moved = flow(), flow(wrong=wrong)
    masses = np.exp(-0.5 * ((WIDE + 2.0) / 0.5) ** 2)
    masses /= masses.sum()
    best = problems.target(METHOD).pdf(WIDE)
    lowest = judge.free_energy(best / best.sum())
    energies = []
    for _ in range(steps):
        energies.append(judge.free_energy(masses) - lowest)
        masses = moved.step(masses, step_size)
    excess = np.array(energies)
    rise = float(np.max(excess - np.minimum.accumulate(excess)))
    return (
        Check("rise of L above what it had fallen to", rise, 1e-11),
        Check("L(Q_t) - L(Q*) at the end", float(abs(excess[-1])), 1e-5),
    )


@claim("thesis, C.2 and (C.97)", wrong="mu_P omitted from V")
def fokker_planck_law(
    seed: int, wrong: bool, *, particles: int = 8_000, steps: int = 3_000, step_size: float = 1e-3
) -> Checks:
    """At any time DRLE's particles have the law of the Wasserstein gradient flow.

    DRLE's particles at four times against the flow's density on a grid: the largest Kolmogorov-Smirnov distance.
    """
    settings: Facts = {}
    if wrong:
        formula = f"{problems.LOSS_FORMULA} + {METHOD.lambda1}*{problems.EMBEDDING_FORMULA}"
        settings["loss"] = pg.Loss.from_formula(formula, variables=["t"])
    settings |= {"initial": pg.priors.Normal(START, SD), "record_every": round(TIMES[0] / step_size)}
    run = problems.simulate(METHOD, seed, particles, steps, step_size, **settings)
    distances = []
    for time, masses in zip(TIMES, solve(step_size), strict=True):
        x = run.positions[round(time / TIMES[0]), :, 0]
        uniform = np.interp(x, *distribution(CENTRES, masses))  # the flow's distribution function at the particles
        distances.append(chance.ks_to_cdf(uniform, lambda u: u))
    bound = chance.kolmogorov_smirnov(particles, looks=len(TIMES)) + step_size
    return Check("largest KS distance to the flow", max(distances), bound)


@cache
def solve(step_size: float) -> list[np.ndarray]:
    """Masses of the cells at TIMES, with the first-order error of the time steps removed by extrapolation."""
    laws, moved = [], flow(CENTRES)
    for coarse in (10, 5):
        masses = np.exp(-0.5 * ((CENTRES - START) / SD) ** 2)
        masses /= masses.sum()
        size, at, step = coarse * step_size, [], 0
        for time in TIMES:
            while step < round(time / size):
                masses = moved.step(masses, size)
                step += 1
            at.append(masses)
        laws.append(at)
    return [2.0 * fine - coarse for coarse, fine in zip(*laws, strict=True)]
