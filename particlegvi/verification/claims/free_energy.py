"""The free energy of DRLE's particles falls, and tends to L(Q*)."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

METHOD = problems.STRONG
RECORDS = (0, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)


@claim("thesis, 5.3.2 (5.6)", wrong="V with the weights swapped, as C.7 prints it")
def free_energy_particles(
    seed: int, wrong: bool, *, runs: int = 24, particles: int = 1_000, steps: int = 2_560, step_size: float = 5e-3
) -> Checks:
    """L falls along DRLE's particles, up to O(step_size) and 4 standard errors.

    L of DRLE's particles at times that double, averaged over runs: the largest increase relative to its bound.

    Between two records L may increase by the step size, for Euler and Maruyama's first order, plus a Student's bound on
    the mean difference of the runs.
    """
    loss = problems.swapped(METHOD) if wrong else problems.LOSS
    energies = []
    for own in chance.seeds(seed, runs):
        start, every = pg.priors.Normal(-2.0, 0.5), RECORDS[1]
        run = problems.simulate(METHOD, own, particles, steps, step_size, loss=loss, initial=start, record_every=every)
        energies.append([_energy(run.positions[record // every]) for record in RECORDS])
    table = np.array(energies)
    rises = np.diff(table, axis=1)
    error = rises.std(axis=0, ddof=1) / math.sqrt(runs)
    allowed = chance.student(runs, looks=rises.shape[1]) * error + step_size
    worst = int(np.argmax(rises.mean(axis=0) / allowed))
    return Check("largest rise of L between records", float(rises.mean(axis=0)[worst]), float(allowed[worst]))


def _energy(positions: np.ndarray) -> float:
    return pg.diagnostics.free_energy(positions, problems.LOSS, METHOD, prior=problems.PRIOR).total


@claim("thesis, 5.3.2 (5.6) and C.5 (C.100)", wrong="lambda1 = mmd_weight, without its 2")
def free_energy_limit(
    seed: int, wrong: bool, *, numbers: tuple[int, ...] = (128, 512, 2048), runs: tuple[int, ...] = (80, 40, 20),
    steps: int = 2_500, step_size: float = 1e-2,
) -> Checks:  # fmt: skip
    """The free energy of DRLE's particles tends to L(Q*): entropy by spacings, no self pairs.

    L of DRLE's particles at the end of independent runs, against L(Q*) by quadrature, for growing N.

    The entropy is estimated by spacings, and the sum over pairs leaves out the self pairs, which would add
    mmd_weight (kappa(0) - E kappa)/N. The bound is a Student's bound on the mean of the runs plus half of
    mmd_weight kappa(0)/N for the correlation of the particles, whose effect is smaller. Wrong: lambda1
    without its 2, whose particles minimise another L.
    """
    method, target = problems.halved(METHOD, wrong), problems.target(METHOD)
    best = pg.diagnostics.target_free_energy(target, problems.LOSS, METHOD, prior=problems.PRIOR).total
    seeds = iter(chance.seeds(seed, sum(runs)))
    checks = []
    for number, count in zip(numbers, runs, strict=True):
        ends = (
            problems.simulate(method, next(seeds), number, steps, step_size, integrator="leimkuhler-matthews").final
            for _ in range(count)
        )
        excess = np.array([_energy(end) for end in ends]) - best
        error = float(excess.std(ddof=1)) / math.sqrt(count)
        allowed = chance.student(count, looks=len(runs)) * error + 0.5 * METHOD.mmd_weight / number
        checks.append(Check(f"L of {number} particles, less L(Q*)", float(abs(excess.mean())), allowed))
    return tuple(checks)
