"""Where a flow without noise ends depends on its start (Theorems 5.4.1 and C.6.1); with noise it does not (C.5)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.contracts import Method
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

LOW, HIGH = -2.0, 1.0  # the minima; the barrier between their basins is at 0
# A repulsion that separates particles within one valley as well.
STRONG = pg.methods.DRE(mmd_weight=5.0, kernel=problems.KERNEL)
NOISY = pg.methods.DRLE(kl_weight=1.0, mmd_weight=5.0, kernel=problems.KERNEL)


@claim("thesis, Theorem 5.4.1 and (C.126)", wrong="with the noise of kl_weight 0.5")
def basin_law(
    seed: int,
    wrong: bool,
    *,
    particles: int = 20_000,
    steps: int = 2_000,
    step_size: float = 1e-2,
    means: tuple[float, ...] = (0.0, 0.5),
) -> Checks:
    """DE ends at the minima, each with the probability of its basin under Q0.

    W1 of the final particles to Q0(theta < 0) at -2 and the rest at 1, with the basins' weights from erf, for
    Q0 = N(0, 1) and for N(0.5, 1), which favours a basin.

    W1 is 3 |share - weight| once all particles have arrived, so that four standard errors of the share bound it.
    Wrong: a small temperature, at which particles cross the barrier.
    """
    method = pg.methods.DLE(kl_weight=0.5) if wrong else pg.methods.DE()
    checks = []
    for mean in means:
        start = pg.priors.Normal(mean, 1.0)
        run = problems.simulate(method, seed, particles, steps, step_size, prior=pg.priors.Flat(1), initial=start)
        weight = float(ndtr(-mean))
        target = pg.target(problems.LOSS, pg.methods.DE(), initial=start)
        assert isinstance(target, pg.targets.AtomicTarget)
        distance = pg.diagnostics.wasserstein1(run.final, target)
        bound = (HIGH - LOW) * chance.ERRORS * math.sqrt(weight * (1.0 - weight) / particles)
        checks.append(Check(f"W1 to the law of the basins of N({mean:g}, 1)", distance, bound))
    return tuple(checks)


def starts(number: int, seed: int) -> dict[str, np.ndarray]:
    """Particles all at one point, at two (one quarter of them at the left one), at three, and spread."""
    points = {"one point": (0.5,), "two points": (-0.5, 0.5, 0.5, 0.5), "three points": (-1.0, 0.5, 0.6)}
    fixed = {label: np.resize(places, number)[:, None] for label, places in points.items()}
    return fixed | {"spread": problems.PRIOR.sample(number, seed=seed)}


def resting(
    method: Method, seed: int, particles: int, steps: int, step_size: float
) -> tuple[dict[str, np.ndarray], list[float]]:
    """The ends (particles,) for each start, and the speed of the fastest particle at each end."""
    ends, speeds = {}, []
    starting = starts(particles, seed)
    for own, (label, start) in zip(chance.seeds(seed, len(starting)), starting.items(), strict=True):
        run = problems.simulate(method, own, particles, steps, step_size, initial=start, record_every=steps - 1)
        ends[label] = run.final[:, 0]
        speeds.append(float(np.max(np.abs(run.positions[-1] - run.positions[-2])) / step_size))
    return ends, speeds


@claim("thesis, Theorem C.6.1", wrong="with noise (DRLE), which forgets its start")
def dre_invariant(
    seed: int, wrong: bool, *, particles: int = 900, steps: int = 20_000, step_size: float = 5e-3
) -> Checks:
    """DRE has several invariant measures: different starts come to rest apart.

    DRE from particles at one, two and three points (the proof's N_E) and from spread ones, until all are at rest.

    Two checks: the fastest particle has stopped, and the two nearest ends are further apart than samples of one law.
    """
    ends, speeds = resting(NOISY if wrong else STRONG, seed, particles, steps, step_size)
    nearest = min(pg.diagnostics.wasserstein1(a, b) for a, b in combinations(ends.values(), 2))
    # Two samples of n have about the distance of one sample of n/2 to its law.
    bound = chance.w1(problems.target(NOISY), particles // 2)
    return (
        Check("W1 between the nearest two ends", nearest, bound, ">="),
        Check("fastest particle at the end", max(speeds), 1e-6),
    )
