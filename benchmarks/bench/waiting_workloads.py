"""Times for which a user waits: runs, truths and summaries under other priors and kernels than those of Figure 5.2."""

from __future__ import annotations

from typing import NamedTuple

import particlegvi as pg
from particlegvi.contracts import Kernel, Prior

from .timing import Contender
from .workloads import KERNEL, PRIOR, well

STEPS = 1000


class _Fields(NamedTuple):
    lengthscale: float = 1.0
    variance: float = 1.0


class Cauchy(_Fields):
    """A kernel as a user writes it: ``variance / (1 + |a - b|^2 / lengthscale^2)``."""

    __slots__ = ()

    name = "cauchy"

    def value(self, r2: float) -> float:
        return self.variance / (1.0 + r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2: float) -> float:
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        total = 1.0 + precision * r2
        return -self.variance * precision / (total * total)


def pairs() -> dict[str, tuple[Prior, Kernel]]:
    """Priors on the line with kernels, by their names; the first pair is the fastest."""
    heavy, formula = pg.priors.StudentT(4.0), pg.Prior.from_formula("exp(-abs(t)^3)", ["t"])
    return {
        "Normal, squared exponential": (PRIOR, KERNEL),
        "Student t, Matern-3/2": (heavy, pg.kernels.Matern32(1.0)),
        "Student t, Matern-5/2": (heavy, pg.kernels.Matern52(1.0)),
        "formula, Matern-3/2": (formula, pg.kernels.Matern32(1.0)),
        "Normal, a kernel of one's own": (PRIOR, Cauchy()),
    }


def embedding_steps(quick: bool) -> list[Contender]:
    """DRLE of 300 particles on the line, 1000 steps, by prior and kernel"""

    def contender(name: str, prior: Prior, kernel: Kernel) -> Contender:
        method, loss = pg.methods.DRLE(1.0, 0.5, kernel), well()
        return Contender(name, lambda: pg.simulate(loss, method, prior, 300, STEPS, 1e-3, record_every=0))

    return [contender(name, *pair) for name, pair in pairs().items()]


def embedding_truths(quick: bool) -> list[Contender]:
    """DRLE's truth on the line, by prior and kernel"""

    def contender(name: str, prior: Prior, kernel: Kernel) -> Contender:
        method, loss = pg.methods.DRLE(1.0, 0.5, kernel), well()
        return Contender(name, lambda: pg.target(loss, method, prior))

    return [contender(name, *pair) for name, pair in pairs().items()]


def kinked_truth(quick: bool) -> list[Contender]:
    """DRLE's truth in the plane: a smooth loss and prior, and kinks of a loss and of a Laplace prior"""
    smooth = pg.Loss.from_formula("x^2/2 + y^2/4 + x*y/4", variables=["x", "y"])
    kinks = pg.Loss.from_formula("abs(x) + abs(y)/2 + x*y/8", variables=["x", "y"])
    normal, laplace = pg.priors.Normal([0.0, 0.0], 1.5), pg.priors.Laplace([0.3, -0.2], 1.0)
    method = pg.methods.DRLE(1.0, 0.5, KERNEL)
    return [
        Contender("smooth", lambda: pg.target(smooth, method, normal)),
        Contender("abs in the loss", lambda: pg.target(kinks, method, normal)),
        Contender("Laplace prior", lambda: pg.target(smooth, method, laplace)),
    ]


def own_kernel_summary(quick: bool) -> list[Contender]:
    """a run of DRLE with its summary, 300 particles, 1000 steps, by kernel"""

    def contender(name: str, kernel: Kernel) -> Contender:
        method, loss = pg.methods.DRLE(1.0, 0.5, kernel), well()
        return Contender(
            name, lambda: pg.compare(loss, [method], PRIOR, particles=300, steps=STEPS, progress=None).summary
        )

    return [contender("Matern-5/2", pg.kernels.Matern52(1.0)), contender("a kernel of one's own", Cauchy())]


ALL = (embedding_steps, embedding_truths, kinked_truth, own_kernel_summary)
