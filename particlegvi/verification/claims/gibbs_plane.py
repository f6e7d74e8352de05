"""C.4 in the plane, and the power of the prior in the Gibbs measure."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.plotting import style
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

LOSS = pg.losses.get("ring", radius=2.0, width=0.5)
PRIOR = pg.priors.Normal([1.0, 0.0], 1.0)
KL_WEIGHT = 0.5
EDGES = np.linspace(-3.6, 3.6, 25)
FINE = 8  # midpoints of the quadrature along a side of a cell


@cache
def density() -> tuple[np.ndarray, np.ndarray]:
    """Midpoints along a side of the window, and the density of Q* over pairs of them."""
    number = FINE * (len(EDGES) - 1)
    middle = EDGES[0] + (np.arange(number) + 0.5) * (EDGES[-1] - EDGES[0]) / number
    target = pg.target(LOSS, pg.methods.DLE(KL_WEIGHT), prior=PRIOR)
    points = np.stack(np.meshgrid(middle, middle, indexing="ij"), axis=-1).reshape(-1, 2)
    return middle, target.pdf(points).reshape(number, number)


def probabilities() -> np.ndarray:
    """Q* of the cells, by the midpoint rule, normalised over the window."""
    number = len(EDGES) - 1
    cells = density()[1].reshape(number, FINE, number, FINE).sum(axis=(1, 3))
    return cells / cells.sum()


class GibbsPlane(Claim):
    """Pearson's chi-squared of the particles' counts in cells that expect ten or more (the others are one cell).

    The loss is a ring, and the prior favours one side. Wrong: p to the power of the weight as in (2.4), p^0.5, a prior
    of twice the variance.
    """

    name = "gibbs-plane"
    claim = "In the plane, DLE's law is the Gibbs measure exp(-loss/kl_weight) p, with p to the power 1"
    source = "thesis, C.4 (C.76); (2.4) has a power of p"
    wrong = "prior p^lambda, as in (2.4)"
    particles, steps, step_size = 20_000, 6_000, 5e-3

    def measure(self, seed: int, wrong: bool) -> Experiment:
        prior = pg.priors.Normal([1.0, 0.0], KL_WEIGHT**-0.5) if wrong else PRIOR
        run = pg.simulate(
            LOSS, pg.methods.DLE(KL_WEIGHT), prior=prior, initial=PRIOR, particles=self.particles, steps=self.steps,
            step_size=self.step_size, seed=seed, record_every=0, integrator="leimkuhler-matthews",
        )  # fmt: skip
        x = run.final
        counts = np.histogram2d(x[:, 0], x[:, 1], bins=(EDGES, EDGES))[0]
        expected = probabilities() * len(x)
        enough = expected >= 10.0
        seen = np.append(counts[enough], len(x) - counts[enough].sum())
        due = np.append(expected[enough], len(x) - expected[enough].sum())
        freedom = len(due) - 1
        statistic = float(np.sum((seen - due) ** 2 / due)) / freedom
        bound = float(chdtri(freedom, chance.RARE)) / freedom
        return Experiment((Check("chi-squared per degree of freedom", statistic, bound),), {"final": x})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.pairs(data["final"][:4000], "particles", ".", color=style.SKY, markersize=2.5)
        middle, truth = density()
        levels = truth.max() * np.array([0.02, 0.1, 0.3, 0.6, 0.9])
        picture.axes.contour(middle, middle, truth.T, levels=levels, colors=style.BLACK, linewidths=1.2)
        picture.truth([], [], "Gibbs measure", "-", linewidth=1.2).plane(3.6)
