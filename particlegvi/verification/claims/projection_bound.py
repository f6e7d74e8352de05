"""Theorem 6.6.2: the law of projected Langevin sampling is near the best law, by (6.24)."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.optimum import Leading, Projection, divergence, probabilities
from particlegvi.verification.picture import Picture

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.2, variance=1.5)
X = np.linspace(-1.5, 1.5, 7)[:, None]
Y = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
POINTS = {1: 1001, 2: 201, 3: 61}  # points of the grid along each coefficient
BINS = 20


class ProjectionBound(Claim):
    """KL of the particles' u_M to that of tau*, in bins, which is at most KL(tau_infinity, tau*); M = 1, 2, 3.

    tau* is found by quadrature. The bound is (6.24) plus the sampling error of a histogram: a chi-squared quantile over
    twice the number of particles, and 4 standard errors of the mean of log(tau_infinity / tau*). Wrong: another prior.
    """

    name = "projection-bound"
    claim = "PLS draws from a law whose KL to the best one is at most (6.24)"
    source = "thesis, Theorem 6.6.2 (6.24); D.12"
    wrong = "prior N(0, I), not N(0, Lambda)"
    particles = 4000

    def measure(self, seed: int, wrong: bool) -> Experiment:
        checks, rows = [], []
        for (size, points), run_seed in zip(POINTS.items(), chance.seeds(seed, len(POINTS)), strict=True):
            problem = Projection(KERNEL, likelihoods.Bernoulli(), X, Y, size)
            pls = ProjectedLangevinSampler(
                Leading(problem.basis, size), problem.likelihood, X, particles=self.particles, seed=run_seed,
                prior="gp" if wrong else "rkhs",
            ).fit(X, Y)  # fmt: skip
            grid = problem.grid(points)
            best, target = (probabilities(problem.potential(grid, nodes)) for nodes in (12, 1))
            edges, laws = binned(grid, points, (best, target))
            counts = np.histogram(pls.coefficients_[:, -1], edges)[0]
            measured = divergence(counts / counts.sum(), laws[0])
            allowed = problem.bound() + chance_of(laws, self.particles)
            checks.append(Check(f"KL of the particles to tau*, M = {size}, in nats", measured, allowed))
            rows.append((size, measured, divergence(target, best), problem.bound(), allowed))
        return Experiment(tuple(checks), {"rows": np.array(rows)})

    def draw(self, picture: Picture, data: Data) -> None:
        size, measured, exact, bound, allowed = data["rows"].T
        picture.truth(size, bound, "bound (6.24)", "s--").truth(size, allowed, "with chance", ":")
        picture.dots(size, measured, "particles, $u_M$ in bins", markersize=9)
        picture.curve(size, exact, "quadrature, all $u$", "D-")
        labels = ("coefficients $M$", r"KL to $\tau^*$ in nats")
        picture.frame(*labels, "lower left", log="y", xticks=list(POINTS), ylim=(1e-15, None))


def binned(grid: np.ndarray, points: int, laws: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Edges of bins of u_M that share the first law about equally, and the laws' probabilities of the bins."""
    places = grid[:points, -1]
    width = places[1] - places[0]
    ends = np.append(places - 0.5 * width, places[-1] + 0.5 * width)
    cumulative = [np.append(0.0, np.cumsum(law.reshape(-1, points).sum(axis=0))) for law in laws]
    edges = np.interp(np.arange(1, BINS) / BINS, cumulative[0], ends)
    edges = np.concatenate([[-np.inf], edges, [np.inf]])
    return edges, [np.diff(np.interp(edges, ends, each)) for each in cumulative]


def chance_of(laws: list[np.ndarray], particles: int) -> float:
    """Upper quantile of the sampling error of the KL to the first law, for draws from the second."""
    from scipy.special import chdtri

    ratio = np.log(laws[1] / laws[0])
    sd = math.sqrt(laws[1] @ ratio**2 - (laws[1] @ ratio) ** 2)
    return float(chdtri(BINS - 1, 0.3 * chance.RARE)) / (2.0 * particles) + chance.ERRORS * sd / math.sqrt(particles)
