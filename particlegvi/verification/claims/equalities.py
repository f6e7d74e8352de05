"""Methods and priors that are the same in one limit give the same particles."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.plotting import palettes
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
METHODS = (pg.methods.DE(), pg.methods.DLE(0.2), pg.methods.DRE(0.3, KERNEL), pg.methods.DRLE(0.2, 0.3, KERNEL))


class Independence(problems.Simulated):
    """The first of DLE's particles, alone and among many others: their paths must be equal bit by bit."""

    claim = "DLE's particles are independent: the others do not change a bit of a path"
    source = "thesis, 5.4.2 (5.8)"
    wrong = "DRLE, whose particles see each other"
    few, particles, steps, step_size = 5, 500, 2_000, 2e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        start = problems.PRIOR.sample(self.particles, seed=seed)
        method = problems.DRLE if wrong else problems.DLE
        some = self.simulate(method, seed, initial=start[: self.few], particles=self.few, record_every=10)
        many = self.simulate(method, seed, initial=start, record_every=10)
        gap = np.abs(some.positions[:, :, 0] - many.positions[:, : self.few, 0])
        label = f"a path among {self.few}, and among {self.particles}"
        picture.curve(many.times, gap, label, linewidth=1.2).level(0.0, "bound: 0")
        picture.frame("time $t$", r"difference in $\theta$", "upper left", ylim=(-0.01, 0.2))
        return Check("largest difference of a path", float(np.max(gap)), 0.0)


class Reductions(problems.Simulated):
    """DRLE with weights of zero against DLE, DRE and DE, particle by particle; no difference is allowed."""

    claim = "mmd_weight 0 turns DRLE into DLE, kl_weight 0 into DRE, both into DE, bit for bit"
    source = "thesis, 5.4.3 and C.7 (C.123)"
    wrong = "weights of 0.0001 in place of 0"
    particles, steps, step_size = 500, 2_000, 2e-3

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        off = 1e-4 if wrong else 0.0
        kernel = problems.KERNEL
        pairs = {
            "DLE": (pg.methods.DRLE(1.0, off, kernel), pg.methods.DLE(1.0)),
            "DRE": (pg.methods.DRLE(off, 0.5, kernel), pg.methods.DRE(0.5, kernel)),
            "DE": (pg.methods.DRLE(off, off, kernel), pg.methods.DE()),
        }
        gaps = {}
        for label, methods in pairs.items():
            ends = [self.simulate(method, seed).final for method in methods]
            gaps[label] = np.abs(ends[0] - ends[1])[:, 0]
        for label, gap in gaps.items():
            place, look = np.arange(1, len(gap) + 1), palettes.LIGHT.methods[label]
            picture.curve(place, np.sort(gap)[::-1], f"DRLE to {label}", color=look)
        labels = ("particles, by their difference", r"difference in $\theta$")
        picture.level(0.0, "bound: 0").frame(*labels, "lower left", columns=2, symlog=1e-9, ylim=(-2e-10, 10.0))
        return tuple(
            Check(f"largest difference to {label}'s particles", float(gap.max()), 0.0) for label, gap in gaps.items()
        )


class FlatPrior(problems.Simulated):
    """The four methods on the four modes of Figure 5.3, flat prior against the remark's U(-10^100, 10^100).

    "Up to machine precision": the particles may differ by 1e-12, ten thousand rounding errors of their coordinates.
    Wrong: a box of ordinary size, in which mu_P is not constant and whose walls reflect particles.
    """

    claim = "A flat prior and a uniform one on a huge box give the same particles"
    source = "thesis, Remark C.7.1"
    wrong = "a box from -4 to 4"
    particles, steps, step_size = 200, 500, 1e-2

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        edge = 4.0 if wrong else 1e100
        box = pg.priors.Uniform([-edge, -edge], [edge, edge])
        start = np.clip(pg.priors.Normal([0.0, 0.0], 1.0).sample(self.particles, seed=seed), -3.9, 3.9)
        settings, ends = {"loss": pg.losses.get("four-gaussians"), "initial": start}, {}
        for method in METHODS:
            priors = (pg.priors.Flat(2), box)
            ends[method.label] = [self.simulate(method, seed, prior=prior, **settings).final for prior in priors]
        gap = max(float(np.max(np.abs(flat - boxed))) for flat, boxed in ends.values())
        picture.pairs(ends["DRLE"][0], "flat prior", markersize=7, markerfacecolor="none")
        picture.pairs(ends["DRLE"][1], "box", ".", markersize=5).plane(4.8)
        return Check("largest difference of a coordinate", gap, 1e-12)
