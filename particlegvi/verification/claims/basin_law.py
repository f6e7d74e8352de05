"""Theorem 5.4.1: deep ensembles end at the minima, each with the initial probability of its basin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

if TYPE_CHECKING:
    from particlegvi.contracts import Method

LOW, HIGH = -2.0, 1.0  # the minima; the barrier between their basins is at 0


class BasinLaw(Claim):
    """W1 of the final particles to Q0(theta < 0) at -2 and the rest at 1, with the basins' weights from erf.

    W1 is 3 |share - weight| once all particles have arrived, so that four standard errors of the share bound it.
    Wrong: a small temperature, at which particles cross the barrier.
    """

    name = "basin-law"
    claim = "DE ends at the minima, each with the probability of its basin under Q0"
    source = "thesis, Theorem 5.4.1 and (C.126)"
    wrong = "with the noise of kl_weight 0.5"
    particles, steps, step_size = 20_000, 2_000, 1e-2
    mean = 0.0

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DLE(kl_weight=0.5) if wrong else pg.methods.DE()
        return self.compare(method, self.mean, seed)

    def compare(self, method: Method, start: float, seed: int) -> Experiment:
        """Particles started around ``start`` against the law for a start around ``self.mean``."""
        initial = pg.priors.Normal(start, 1.0)
        run = problems.simulate(
            method, prior=pg.priors.Flat(1), initial=initial, particles=self.particles, steps=self.steps,
            step_size=self.step_size, seed=seed,
        )  # fmt: skip
        law = pg.priors.Normal(self.mean, 1.0)
        weight = 0.5 * (1.0 + math.erf(-self.mean / math.sqrt(2.0)))
        x = run.final[:, 0]
        distance = pg.diagnostics.wasserstein1(x, pg.target(problems.LOSS, pg.methods.DE(), initial=law))
        bound = (HIGH - LOW) * chance.ERRORS * math.sqrt(weight * (1.0 - weight) / len(x))
        return Experiment((Check("W1 to the law of the basins", distance, bound),), {"final": x, "weight": weight})

    def draw(self, picture: Picture, data: Data) -> None:
        window, weights = (-3.25, 2.25), [data["weight"], 1.0 - data["weight"]]  # the minima are in the middle of a bin
        picture.histogram(data["final"], window, 55, shares=True).truth([LOW, HIGH], weights, r"$Q_0(\Theta_i)$", "D")
        picture.frame(ylabel="share of the particles", legend="upper center", ylim=(0.0, 0.85))


class BasinLawAsymmetric(BasinLaw):
    """The law of `BasinLaw` for a start that favours one basin. Wrong: the particles start symmetrically."""

    name = "basin-law-asymmetric"
    claim = "Theorem 5.4.1 also where Q0 favours a basin: Q0 = N(0.5, 1)"
    source = "thesis, Theorem 5.4.1"
    wrong = "started from N(0, 1)"
    mean = 0.5

    def measure(self, seed: int, wrong: bool) -> Experiment:
        return self.compare(pg.methods.DE(), 0.0 if wrong else self.mean, seed)
