"""C.1: along a flat direction of the loss the prior keeps the mass bounded, so that a minimiser exists."""

from __future__ import annotations

from scipy.special import ndtr

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

LOSS = pg.Loss.from_formula("x**2/2", variables=["x", "y"])
PRIOR = pg.priors.Normal([0.0, 0.0], 1.0)
STARTS = ([2.0, -3.0], [-2.0, 3.0])
SD = (0.5**0.5, 1.0)  # sds of Q*, whose density is proportional to exp(-x^2/2) p(x, y)


class Existence(Claim):
    """A loss that is constant in y, hence not norm-coercive, (L2): all laws of y have the same loss.

    With kl_weight 1 and a standard normal prior Q* = N(0, 1/2) x N(0, 1): the loss minus log p is coercive, as with
    weight decay in the thesis. Measured is the largest Kolmogorov-Smirnov distance of a coordinate to Q*, from two
    starts. Leimkuhler and Matthews's integrator has no bias on a quadratic, so that the bound is the sampling error
    alone. Wrong: the same noise under a flat prior. L then has no minimiser, and the sd of y grows as sqrt(2 t).
    """

    name = "existence"
    claim = "Along a flat direction of the loss, KL to the prior makes a minimiser exist"
    source = "thesis, Theorem C.1.1 and the discussion of its assumption (L2)"
    wrong = "a flat prior: L has no minimiser"
    particles, steps, step_size = 5_000, 400, 0.05

    def measure(self, seed: int, wrong: bool) -> Experiment:
        prior = pg.priors.Flat(2) if wrong else PRIOR
        ends, distances = [], []
        for start, own in zip(STARTS, chance.seeds(seed, len(STARTS)), strict=True):
            run = pg.simulate(
                LOSS, pg.methods.DLE(kl_weight=1.0), prior=prior, initial=pg.priors.Normal(start, 0.5),
                particles=self.particles, steps=self.steps, step_size=self.step_size, seed=own, record_every=0,
                integrator="leimkuhler-matthews",
            )  # fmt: skip
            ends.append(run.final)
            distances += [chance.ks_to_cdf(run.final[:, i] / sd, ndtr) for i, sd in enumerate(SD)]
        bound = chance.kolmogorov_smirnov(self.particles, looks=len(distances))
        check = Check("largest distance of a coordinate's law to Q*", max(distances), bound)
        return Experiment((check,), {"ends": ends})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.ends(STARTS, data["ends"])
        for times in (1.0, 2.0):
            picture.ellipse(times * SD[0], times * SD[1], "$Q^*$: 1 and 2 sd")
        picture.plane(12.0, "$x$", "$y$ (the loss is flat along it)")
