"""Theorem C.6.1: without noise the flow has several invariant measures, and the start decides which is reached."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

# A repulsion that separates particles within one valley as well.
METHOD = pg.methods.DRE(mmd_weight=5.0, kernel=problems.KERNEL)
NOISY = pg.methods.DRLE(kl_weight=1.0, mmd_weight=5.0, kernel=problems.KERNEL)


def starts(number: int, seed: int) -> dict[str, np.ndarray]:
    """Particles all at one point, at two (one quarter of them at the left one), at three, and spread."""
    points = {"one point": (0.5,), "two points": (-0.5, 0.5, 0.5, 0.5), "three points": (-1.0, 0.5, 0.6)}
    fixed = {label: np.resize(places, number)[:, None] for label, places in points.items()}
    return fixed | {"spread": problems.PRIOR.sample(number, seed=seed)}


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """W1 between two samples of one size on the line."""
    return float(np.mean(np.abs(np.sort(a) - np.sort(b))))


class DreInvariant(Claim):
    """DRE from particles at one, two and three points (the proof's N_E) and from spread ones, until all are at rest.

    Two checks: the fastest particle has stopped, and the two nearest ends are further apart than samples of one law.
    Wrong: with noise, which makes it DRLE.
    """

    name = "dre-invariant"
    claim = "DRE has several invariant measures: different starts come to rest apart"
    source = "thesis, Theorem C.6.1"
    wrong = "with noise (DRLE), which forgets its start"
    particles, steps, step_size = 900, 20_000, 5e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        ends, speeds = {}, []
        starting = starts(self.particles, seed)
        seeds = iter(chance.seeds(seed, len(starting)))
        for label, start in starting.items():
            run = problems.simulate(
                NOISY if wrong else METHOD, initial=start, steps=self.steps, step_size=self.step_size,
                record_every=self.steps - 1, seed=next(seeds),
            )  # fmt: skip
            ends[label] = run.final[:, 0]
            speeds.append(float(np.max(np.abs(run.positions[-1] - run.positions[-2])) / self.step_size))
        nearest = min(distance(a, b) for a, b in combinations(ends.values(), 2))
        # Two samples of n have about the distance of one sample of n/2 to its law.
        bound = chance.w1(problems.target(NOISY), self.particles // 2)
        checks = (
            Check("W1 between the nearest two ends", nearest, bound, ">="),
            Check("fastest particle at the end", max(speeds), 1e-6),
        )
        return Experiment(checks, {"ends": ends})

    def draw(self, picture: Picture, data: Data) -> None:
        for row, end in enumerate(data["ends"].values()):
            shaken = np.random.default_rng(0).uniform(-0.28, 0.28, len(end))
            picture.dots(end, -row + shaken, fmt=".", markersize=4, alpha=0.7)
        picture.axes.set_yticks([-row for row in range(len(data["ends"]))], [*data["ends"]])
        picture.frame(r"parameter $\theta$ at the end", "start", xlim=(-3.2, 2.4), ylim=(-3.5, 0.5))
