"""The start of a run: particles from the normals that several paths of an optimiser found, weighed by importance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.priors import Flat
from particlegvi.simulation.sampling.pathfinder import NormalApproximation, best_gaussian
from particlegvi.simulation.sampling.posterior import PosteriorEnergy
from particlegvi.simulation.sampling.smoothing import smoothed

PATHS = 4
MOST_TRIALS = 100  # points at which a path may begin, as in Stan
NEARNESS = (1.0, 0.1, 0.01, 0.001)  # of the point of a path to the middle, one after the other
WIDTHS = (2.0, 1.7, 1.4, 1.2)  # how much wider the second half starts: the first that the posterior allows


@dataclass(frozen=True)
class Start:
    """Where particles start, and what the paths found.

    Attributes
    ----------
    particles : ndarray (particles, dim)
        Even rows are draws from the mixture of the paths' normals, weighed by importance; odd rows lie wider about
        the median, so that both halves come to one law from different sides.
    root : ndarray (dim, dim)
        Lower triangular root of the covariance of the best normal.
    facts : dict
        Numbers for the result.
    """

    particles: Array
    root: Array
    facts: Facts


def find_start(posterior: PosteriorEnergy, particles: int, seed: int) -> Start:
    """Follow the paths, and draw the particles.

    Raises
    ------
    ValueError
        If the density is 0 or not finite wherever a path may begin, or no path finds a normal.
    """
    random = [np.random.default_rng([seed, path]) for path in range(PATHS + 1)]
    ends = [_end_of_path(posterior, generator) for generator in random[:PATHS]]
    gaussians = [gaussian for gaussian in ends if gaussian is not None]
    if not gaussians:
        if posterior.flaw is not None:
            raise ValueError(posterior.flaw.sentence)
        raise ValueError(
            "the loss and the prior must have a smooth minimum that an optimiser finds from points near 0 or in the"
            f" prior; {PATHS} paths found none"
        )
    points, weights, shape = _weighed(posterior, gaussians, particles, random[PATHS])
    chosen = points[random[PATHS].choice(len(points), particles, p=weights)]
    best = max(gaussians, key=lambda gaussian: gaussian.bound)
    facts = {
        "paths": len(gaussians),
        "bounds": [round(gaussian.bound, 3) for gaussian in gaussians],
        "pareto_shape": round(shape, 3),
        "effective_draws": round(float(1.0 / (weights**2).sum()), 1),
    }
    width, chosen = _widened(posterior, chosen)
    return Start(chosen, best.root, {**facts, "width": width, "gradients": posterior.evaluations})


def _end_of_path(posterior: PosteriorEnergy, random: np.random.Generator) -> NormalApproximation | None:
    """The normal of a path; where an optimiser finds none, the path begins again ten times as near to the middle.

    Rates and odds of covariates in unusual units are 1e100 between -2 and 2: no line search comes down from there.
    """
    middle, point = _first_point(posterior, random)
    for nearness in NEARNESS:
        gaussian = best_gaussian(posterior, middle + nearness * (point - middle), random)
        if gaussian is not None:
            return gaussian
    return None


def _first_point(posterior: PosteriorEnergy, random: np.random.Generator) -> tuple[Array, Array]:
    """The middle of the prior and a point of it, or 0 and a point between -2 and 2 where the prior is flat.

    The density is positive at the point.
    """
    middle = np.zeros(posterior.dim)
    trials = random.uniform(-2.0, 2.0, (MOST_TRIALS, posterior.dim))
    if not isinstance(posterior.prior, Flat):
        drawn = posterior.prior.sample(MOST_TRIALS, int(random.integers(2**32)))
        trials = posterior.support.coordinates(drawn)
        middle = np.median(trials, axis=0)
    for point in trials:
        if np.isfinite(posterior(point[None])[0][0]):
            return middle, point
    raise ValueError(
        f"the loss must be finite where particles may start, and it is not at {MOST_TRIALS} points"
        f" {'between -2 and 2' if isinstance(posterior.prior, Flat) else 'of the prior'}"
    )


def _weighed(
    posterior: PosteriorEnergy, gaussians: list[NormalApproximation], particles: int, random: np.random.Generator
) -> tuple[Array, Array, float]:
    """Draws from the mixture of the normals, their importance weights, and the shape of the weights' tail."""
    number = max(-(-2 * particles // len(gaussians)), 20)
    draws = [g.mean + random.standard_normal((number, posterior.dim)) @ g.root.T for g in gaussians]
    points = np.concatenate(draws)
    energy, _ = posterior(points)
    mixture = np.logaddexp.reduce([gaussian.log_density(points) for gaussian in gaussians], axis=0)
    weights, shape = smoothed(-energy - mixture)
    return points, tempered(weights, min(particles, len(points) // 2)), shape


def tempered(weights: Array, wanted: float) -> Array:
    """The weights (n,) to the largest power from 0 to 1 at which they are worth ``wanted`` equal ones.

    Weights that a few draws dominate would start all particles at a few points, from which they hardly come away.
    """
    powers = np.linspace(1.0, 0.0, 101)
    for power in powers:
        flat = weights**power / (weights**power).sum()
        if 1.0 / (flat**2).sum() >= wanted:
            break
    return flat


def _widened(posterior: PosteriorEnergy, points: Array) -> tuple[float, Array]:
    """The points with every second one moved away from the median, and by how much; those that cannot stay."""
    middle = np.median(points, axis=0)
    for width in WIDTHS:
        wide = middle + width * (points[1::2] - middle)
        possible = np.isfinite(posterior(wide)[0])
        if np.mean(possible) > 0.9:
            break
    points = points.copy()
    points[1::2] = np.where(possible[:, None], wide, points[1::2])
    return width, points
