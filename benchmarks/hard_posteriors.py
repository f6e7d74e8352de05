"""Laws on which `pg.sample` must not say "arrived" when it is wrong, and linear images of posteriors.

    python benchmarks/hard_posteriors.py                                  # twenty seeds of each law
    python benchmarks/hard_posteriors.py --seeds 100 --steps 100 banana   # short runs, for arrivals that are too early
    python benchmarks/hard_posteriors.py --momentum                       # normal laws with the momentum and without
    python benchmarks/hard_posteriors.py --half-lines --seeds 60          # means of laws on a half-line
    PARTICLEGVI_DATA=FOLDER python benchmarks/hard_posteriors.py --images # linear images of three posteriors

A run is wrong where, in some coordinate, the Kolmogorov-Smirnov distance of its final particles to 100,000 exact draws
is one that the same number of exact draws exceeds in one of a thousand runs (Bonferroni over the coordinates).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from posteriors import POSTERIORS, errors

import particlegvi as pg
from particlegvi.simulation.sampling import ensemble_mala
from particlegvi.tools.limits import STEPS_TO_ARRIVE

Array = np.ndarray
LEVEL = 1e-3
SHIFT = 3.0  # standard deviations by which an image is moved


class Law(NamedTuple):
    """A density by its energy at points (n, dim), with draws from it."""

    dim: int
    value: Callable[[Array], Array]
    draws: Callable[[np.random.Generator, int], Array]
    particles: int = 200
    gradient: Callable[[Array], Array] | str = "differences"

    def loss(self) -> pg.Loss:
        return pg.Loss.from_numpy(self.value, self.gradient, dim=self.dim)


def funnel_draws(rng: np.random.Generator, n: int) -> Array:
    v = 3.0 * rng.standard_normal(n)
    return np.column_stack([v, np.exp(v / 2.0)[:, None] * rng.standard_normal((n, 9))])


def funnel_gradient(x: Array) -> Array:
    slope = x[:, 1:] * np.exp(-x[:, :1])
    return np.column_stack([x[:, 0] / 9.0 - 0.5 * (x[:, 1:] * slope).sum(axis=1) + 4.5, slope])


def banana_gradient(x: Array) -> Array:
    off = 4.0 * (x[:, 1] + 0.5 * x[:, 0] ** 2 - 2.0)
    return np.column_stack([x[:, 0] / 4.0 + off * x[:, 0], off])


def banana_draws(rng: np.random.Generator, n: int) -> Array:
    x = 2.0 * rng.standard_normal(n)
    return np.column_stack([x, 2.0 - 0.5 * x**2 + 0.5 * rng.standard_normal(n)])


def two_modes(apart: float) -> Law:
    def value(x: Array) -> Array:
        return -np.logaddexp(*(-0.5 * ((x - sign * apart) ** 2).sum(axis=1) for sign in (1.0, -1.0)))

    def draws(rng: np.random.Generator, n: int) -> Array:
        return rng.standard_normal((n, 3)) + apart * rng.choice([-1.0, 1.0], (n, 1))

    def gradient(x: Array) -> Array:
        return x - apart * np.tanh(apart * x.sum(axis=1))[:, None]

    return Law(3, value, draws, gradient=gradient)


def unequal(share: float, sd: float, away: float) -> Law:
    """A standard normal law in three dimensions, and a mode with this share and width so many of its sds away."""
    half = away / np.sqrt(12.0)

    def value(x: Array) -> Array:
        far = np.log(share) - 3.0 * np.log(sd) - ((x + half) ** 2).sum(axis=1) / (2.0 * sd**2)
        return -np.logaddexp(np.log(1.0 - share) - 0.5 * ((x - half) ** 2).sum(axis=1), far)

    def draws(rng: np.random.Generator, n: int) -> Array:
        wide = rng.random((n, 1)) < 1.0 - share
        return np.where(wide, half + rng.standard_normal((n, 3)), -half + sd * rng.standard_normal((n, 3)))

    return Law(3, value, draws)


def ridge_draws(rng: np.random.Generator, n: int) -> Array:
    z = rng.standard_normal((n, 6))
    return np.column_stack([(1e-3 * z[:, 0] + z[:, 1]) / 2.0, (1e-3 * z[:, 0] - z[:, 1]) / 2.0, z[:, 2:]])


def step_draws(rng: np.random.Generator, n: int) -> Array:
    x = rng.standard_normal((20 * n, 2))
    return x[rng.random(20 * n) < np.where(x[:, 0] > 0.5, np.exp(-3.0), 1.0)][:n]


def ring_draws(rng: np.random.Generator, n: int) -> Array:
    angle = 2.0 * np.pi * rng.random(n)
    radius = 3.0 + 0.1 * rng.standard_normal(n)
    kept = rng.random(n) < radius / radius.max()  # the area grows with the radius
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])[kept]


PRECISIONS = np.logspace(-2.0, 2.0, 100)
LAWS = {
    "funnel, 10 dimensions": Law(
        10,
        lambda x: x[:, 0] ** 2 / 18.0 + 0.5 * (x[:, 1:] ** 2).sum(axis=1) * np.exp(-x[:, 0]) + 4.5 * x[:, 0],
        funnel_draws,
        gradient=funnel_gradient,
    ),
    "banana": Law(
        2,
        lambda x: x[:, 0] ** 2 / 8.0 + 2.0 * (x[:, 1] + 0.5 * x[:, 0] ** 2 - 2.0) ** 2,
        banana_draws,
        gradient=banana_gradient,
    ),
    "two modes, 4 apart": two_modes(2.0 / np.sqrt(3.0)),
    "two modes, 8.7 apart": two_modes(2.5),
    "two modes, 17 apart": two_modes(5.0),
    "a quarter in a narrow far mode": unequal(0.25, 0.3, 31.2),
    "40%, half as wide, 12 away": unequal(0.4, 0.5, 12.0),
    "20%, half as wide, 5 away": unequal(0.2, 0.5, 5.0),
    "Cauchy, 5 dimensions": Law(
        5,
        lambda x: np.log1p(x**2).sum(axis=1),
        lambda rng, n: rng.standard_cauchy((n, 5)),
        gradient=lambda x: 2.0 * x / (1.0 + x**2),
    ),
    "ridge, condition 1e6": Law(
        6,
        lambda x: 0.5e6 * (x[:, 0] + x[:, 1]) ** 2 + 0.5 * (x[:, 0] - x[:, 1]) ** 2 + 0.5 * (x[:, 2:] ** 2).sum(axis=1),
        ridge_draws,
        gradient=lambda x: np.column_stack(
            [
                1e6 * (x[:, 0] + x[:, 1]) + (x[:, 0] - x[:, 1]),
                1e6 * (x[:, 0] + x[:, 1]) - (x[:, 0] - x[:, 1]),
                x[:, 2:],
            ]
        ),
    ),
    "normal, 100 dimensions, 50 particles": Law(
        100,
        lambda x: 0.5 * (x**2 * PRECISIONS).sum(axis=1),
        lambda rng, n: rng.standard_normal((n, 100)) / np.sqrt(PRECISIONS),
        50,
        lambda x: x * PRECISIONS,
    ),
    "a step of 3 in the energy": Law(
        2,
        lambda x: 0.5 * (x**2).sum(axis=1) + 3.0 * (x[:, 0] > 0.5),
        step_draws,
        gradient=lambda x: x,
    ),
    "ring": Law(
        2,
        lambda x: 50.0 * (np.sqrt((x**2).sum(axis=1)) - 3.0) ** 2,
        ring_draws,
        gradient=lambda x: (100.0 - 300.0 / np.sqrt((x**2).sum(axis=1)))[:, None] * x,
    ),
}


def wrong(final: Array, exact: Array) -> bool:
    """Whether a coordinate of the particles has another law than the exact draws."""
    n, dim = final.shape
    largest = 0.0
    for particles, draws in zip(final.T, exact.T, strict=True):
        share = np.searchsorted(np.sort(draws), np.sort(particles)) / len(draws)
        ranks = np.arange(n + 1) / n
        largest = max(largest, float(np.max(ranks[1:] - share)), float(np.max(share - ranks[:-1])))
    return largest * np.sqrt(n) > np.sqrt(-0.5 * np.log(LEVEL / (2.0 * dim)))


def verdicts(law: Law, seeds: int, steps: int) -> tuple[Counter[str], Counter[str]]:
    """How many runs arrived or not, and were right or wrong, or found no start; and why the others have not arrived."""
    exact = law.draws(np.random.default_rng(7), 100_000)
    loss = law.loss()
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in range(seeds):
        try:
            run = pg.sample(loss, particles=law.particles, seed=seed, steps=steps, progress=None)
        except ValueError:
            counts["refused"] += 1
            continue
        said = "arrived" if run.arrived else "not arrived"
        counts[f"{said}, {'wrong' if wrong(run.final, exact) else 'right'}"] += 1
        if not run.arrived:
            reasons[f"{run.info['worst'] or 'a direction'} {run.info['reason']}"] += 1
    return counts, reasons


HALF_LINES = {
    "half-normal": (lambda: ("0*x", pg.priors.HalfNormal(1.0)), np.sqrt(2.0 / np.pi), np.sqrt(1.0 - 2.0 / np.pi)),
    "exponential": (lambda: ("0*x", pg.priors.Exponential(1.0)), 1.0, 1.0),
    "gamma of shape 1/2": (lambda: ("0.5*log(x)", pg.priors.Exponential(1.0)), 0.5, np.sqrt(0.5)),
}


def half_lines(seeds: int) -> None:
    """Errors of the means that count, in standard deviations of laws on a half-line; a tenth is the accuracy."""
    print("| law | arrived | error above 0.1 | mean error | largest |\n|---|---|---|---|---|")
    for name, (make, mean, sd) in HALF_LINES.items():
        formula, prior = make()
        runs = [
            pg.sample(pg.Loss.from_formula(formula, ["x"]), prior, seed=seed, progress=None) for seed in range(seeds)
        ]
        off = np.array([(run.counted.mean() - mean) / sd for run in runs if run.arrived])
        numbers = f"{np.sum(np.abs(off) > 0.1)} | {off.mean():.3f} | {np.abs(off).max():.3f}"
        print(f"| {name} | {len(off)} of {seeds} | {numbers} |", flush=True)


def normal(dim: int, condition: float) -> Law:
    """A normal law whose variances go from 1 to the condition."""
    precisions = np.geomspace(1.0, 1.0 / condition, dim)
    return Law(
        dim,
        lambda x: 0.5 * (x**2 * precisions).sum(axis=1),
        lambda rng, n: rng.standard_normal((n, dim)) / np.sqrt(precisions),
        gradient=lambda x: x * precisions,
    )


def momentum(seeds: int) -> None:
    """Steps to arrive with the momentum and without, 200 particles."""
    print("| dimensions | condition | steps with a momentum (arrived) | without |\n|---|---|---|---|")
    for dim in (20, 50, 100):
        for condition in (1.0, 1e4):
            loss, cells = normal(dim, condition).loss(), []
            for first in (1, 1000):
                ensemble_mala.MANY = first
                runs = [pg.sample(loss, seed=seed, progress=None) for seed in range(seeds)]
                steps = sorted(int(run.steps[-1]) for run in runs)
                cells.append(f"{steps[0]} to {steps[-1]} ({sum(run.arrived for run in runs)} of {seeds})")
            print(f"| {dim} | {condition:.0e} | {cells[0]} | {cells[1]} |", flush=True)


def images(seeds: int) -> None:
    """Verdicts of three posteriors and of their linear images; errors in standard errors of as many exact draws."""
    print("| posterior | condition of the map | arrived | their worst error | worst error of the others |")
    print("|---|---|---|---|---|")
    for name in ("kidiq-momhsiq", "sblri", "eight_schools"):
        posterior = POSTERIORS[name]()
        dim = len(posterior.names)
        for condition in (1.0, 1e2, 1e4, 1e6):
            rng = np.random.default_rng(int(condition))
            left, right = (np.linalg.qr(rng.standard_normal((dim, dim)))[0] for _ in range(2))
            there = np.eye(dim) if condition == 1.0 else left @ np.diag(np.geomspace(1.0, condition, dim)) @ right
            back = np.linalg.inv(there)
            shift = SHIFT * rng.choice([-1.0, 1.0], dim) * (posterior.reference @ there.T).std(axis=0)
            loss = pg.Loss.from_numpy(
                lambda x, p=posterior, m=back, s=shift: p.value((x - s) @ m.T),
                lambda x, p=posterior, m=back, s=shift: p.gradient((x - s) @ m.T) @ m,
                dim=dim,
                near=shift if condition > 1e2 else None,  # log sigma is in the thousands near 0
            )
            runs = [pg.sample(loss, seed=seed, progress=None) for seed in range(seeds)]
            worst = {True: 0.0, False: 0.0}
            for run in runs:
                worst[run.arrived] = max(worst[run.arrived], *errors((run.final - shift) @ back.T, posterior.reference))
            arrived = sum(run.arrived for run in runs)
            print(
                f"| {name} | {condition:.0e} | {arrived} of {seeds} | {worst[True]:.1f} | {worst[False]:.1f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=STEPS_TO_ARRIVE, help="most steps of a run")
    parser.add_argument("--images", action="store_true")
    parser.add_argument("--momentum", action="store_true")
    parser.add_argument("--half-lines", action="store_true")
    parser.add_argument("names", nargs="*", help="parts of names of laws; all where left out")
    chosen = parser.parse_args()
    if chosen.momentum:
        momentum(chosen.seeds)
        return
    if chosen.half_lines:
        half_lines(chosen.seeds)
        return
    if chosen.images:
        images(chosen.seeds)
        return
    kinds = ("arrived, right", "arrived, wrong", "not arrived, right", "not arrived, wrong", "refused")
    print("| law | " + " | ".join(kinds) + " | found out by |\n|---|" + "---|" * (len(kinds) + 1))
    for name, law in LAWS.items():
        if not chosen.names or any(part in name for part in chosen.names):
            counts, reasons = verdicts(law, chosen.seeds, chosen.steps)
            why = "; ".join(f"{reason}: {number}" for reason, number in reasons.most_common(2))
            print(f"| {name} | " + " | ".join(str(counts[kind]) for kind in kinds) + f" | {why} |", flush=True)


if __name__ == "__main__":
    main()
