"""Theorem 5.4.1 and C.4: the particles are independent."""

from __future__ import annotations

import numpy as np

from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class Independence(Claim):
    """The first of DLE's particles, alone and among many others: their paths must be equal bit by bit.

    Wrong: DRLE, whose particles interact.
    """

    name = "independence"
    claim = "DLE's particles are independent: the others do not change a bit of a path"
    source = "thesis, 5.4.2 (5.8)"
    wrong = "DRLE, whose particles see each other"
    few, particles, steps, step_size = 5, 500, 2_000, 2e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        start = problems.PRIOR.sample(self.particles, seed=seed)
        paths = []
        for number in (self.few, self.particles):
            run = problems.simulate(
                problems.DRLE if wrong else problems.DLE, initial=start[:number], steps=self.steps,
                step_size=self.step_size, record_every=10, seed=seed,
            )  # fmt: skip
            paths.append(run.positions[:, : self.few, 0])
        gap = float(np.max(np.abs(paths[0] - paths[1])))
        check = Check("largest difference of a path", gap, 0.0)
        return Experiment((check,), {"times": run.times, "paths": paths})

    def draw(self, picture: Picture, data: Data) -> None:
        few, many = data["paths"]
        label = f"a path among {self.few}, and among {self.particles}"
        picture.curve(data["times"], np.abs(few - many), label, linewidth=1.2).level(0.0, "bound: 0")
        picture.frame("time $t$", r"difference in $\theta$", "upper left", ylim=(-0.01, 0.2))
