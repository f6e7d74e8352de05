"""Remark C.7.1: a flat prior and a uniform one on a very large set are equivalent."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
METHODS = (pg.methods.DE(), pg.methods.DLE(0.2), pg.methods.DRE(0.3, KERNEL), pg.methods.DRLE(0.2, 0.3, KERNEL))


class FlatPrior(Claim):
    """The four methods on the four modes of Figure 5.3, flat prior against the remark's U(-10^100, 10^100).

    "Up to machine precision": the particles may differ by 1e-12, ten thousand rounding errors of their coordinates.
    Wrong: a box of ordinary size, in which mu_P is not constant and whose walls reflect particles.
    """

    name = "flat-prior"
    claim = "A flat prior and a uniform one on a huge box give the same particles"
    source = "thesis, Remark C.7.1"
    wrong = "a box from -4 to 4"
    particles, steps, step_size = 200, 500, 1e-2

    def measure(self, seed: int, wrong: bool) -> Experiment:
        edge = 4.0 if wrong else 1e100
        box = pg.priors.Uniform([-edge, -edge], [edge, edge])
        start = np.clip(pg.priors.Normal([0.0, 0.0], 1.0).sample(self.particles, seed=seed), -3.9, 3.9)
        ends = {}
        for method in METHODS:
            ends[method.label] = [
                pg.simulate(
                    pg.losses.get("four-gaussians"), method, prior=prior, initial=start, steps=self.steps,
                    step_size=self.step_size, seed=seed, record_every=0,
                ).final
                for prior in (pg.priors.Flat(2), box)
            ]  # fmt: skip
        gap = max(float(np.max(np.abs(flat - boxed))) for flat, boxed in ends.values())
        return Experiment((Check("largest difference of a coordinate", gap, 1e-12),), {"ends": ends["DRLE"]})

    def draw(self, picture: Picture, data: Data) -> None:
        flat, boxed = data["ends"]
        picture.pairs(flat, "flat prior", markersize=7, markerfacecolor="none")
        picture.pairs(boxed, "box", ".", markersize=5)
        picture.plane(4.8)
