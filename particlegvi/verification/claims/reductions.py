"""Every method is DRLE with some weights set to zero."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class Reductions(Claim):
    """DRLE with weights of zero against DLE, DRE and DE, particle by particle; no difference is allowed.

    Wrong: weights of one in ten thousand.
    """

    name = "reductions"
    claim = "mmd_weight 0 turns DRLE into DLE, kl_weight 0 into DRE, both into DE, bit for bit"
    source = "thesis, 5.4.3 and C.7 (C.123)"
    wrong = "weights of 0.0001 in place of 0"
    particles, steps, step_size = 500, 2_000, 2e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        off = 1e-4 if wrong else 0.0
        kernel = problems.KERNEL
        pairs = {
            "DLE": (pg.methods.DRLE(1.0, off, kernel), pg.methods.DLE(1.0)),
            "DRE": (pg.methods.DRLE(off, 0.5, kernel), pg.methods.DRE(0.5, kernel)),
            "DE": (pg.methods.DRLE(off, off, kernel), pg.methods.DE()),
        }
        gaps = {}
        for label, methods in pairs.items():
            ends = [
                problems.simulate(
                    method, particles=self.particles, steps=self.steps, step_size=self.step_size, seed=seed
                ).final
                for method in methods
            ]
            gaps[label] = np.abs(ends[0] - ends[1])[:, 0]
        checks = tuple(
            Check(f"largest difference to {label}'s particles", float(gap.max()), 0.0) for label, gap in gaps.items()
        )
        return Experiment(checks, {"gaps": gaps})

    def draw(self, picture: Picture, data: Data) -> None:
        for label, gap in data["gaps"].items():
            place, look = np.arange(1, len(gap) + 1), style.METHOD_COLOURS[label]
            picture.curve(place, np.sort(gap)[::-1], f"DRLE to {label}", color=look)
        labels = ("particles, by their difference", r"difference in $\theta$")
        picture.level(0.0, "bound: 0").frame(*labels, "lower left", columns=2, symlog=1e-9, ylim=(-2e-10, 10.0))
