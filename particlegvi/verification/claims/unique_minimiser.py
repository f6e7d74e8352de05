"""C.1: without a regulariser there are many minimisers; with one there is one, and the flow finds it from any start."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

LOSS = pg.losses.get("ring", radius=2.0, width=0.5)
PRIOR = pg.priors.Normal([0.0, 0.0], 2.0)
STARTS = ([1.5, 0.0], [-1.5, -1.5])


class UniqueMinimiser(Claim):
    """A circle of global minima: every measure on it minimises E loss. KL to a prior picks one, which is round.

    Two starts on different sides of the circle; measured is the larger Kolmogorov-Smirnov distance of the angles to the
    uniform law of Q*. Wrong: step 1 alone, lifting without a regulariser, where each start ends at another minimiser.
    """

    name = "unique-minimiser"
    claim = "With a strictly convex regulariser the minimiser is unique: any start reaches it"
    source = "thesis, Theorems C.1.1 and C.1.2"
    wrong = "no regulariser (step 1 alone)"
    particles, steps, step_size = 5_000, 8_000, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DE() if wrong else pg.methods.DLE(kl_weight=1.0)
        ends, distances = [], []
        for start, own in zip(STARTS, chance.seeds(seed, len(STARTS)), strict=True):
            run = pg.simulate(
                LOSS, method, prior=PRIOR, initial=pg.priors.Normal(start, 0.5), particles=self.particles,
                steps=self.steps, step_size=self.step_size, seed=own, record_every=0,
            )  # fmt: skip
            angles = np.arctan2(run.final[:, 1], run.final[:, 0])
            ends.append(run.final)
            distances.append(chance.ks_to_cdf(angles, lambda angle: 0.5 + angle / (2.0 * math.pi)))
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(STARTS))
        quantity = "largest distance of the angles' law to that of Q*"
        return Experiment((Check(quantity, max(distances), bound),), {"ends": ends})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.ends(STARTS, data["ends"]).ellipse(2.0, 2.0, "minima").plane(4.2)
