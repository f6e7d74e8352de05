"""The start of a run: particles from the normals that several paths of an optimiser found, weighed by importance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.contracts import Start as InitialLaw
from particlegvi.losses.loss import Loss
from particlegvi.priors import Flat
from particlegvi.simulation.sampling.ensemble_mala import Indices, scale
from particlegvi.simulation.sampling.pathfinder import NormalApproximation, best_gaussian, descent
from particlegvi.simulation.sampling.posterior import EnergyPoints, LinearView, PosteriorEnergy
from particlegvi.simulation.sampling.sample_settings import points_of
from particlegvi.simulation.sampling.smoothing import smoothed

PATHS = 4
MOST_ROUNDS = 8  # each in the coordinates of the best normal of those before
REACHES = np.geomspace(3.0, 100.0, 8)  # standard deviations from the best normal, times the root of the dimension
GAIN = 0.5  # in the evidence bound: a round that gains less is the last
ENOUGH = 0.5  # share of independent draws that weighed ones must be worth
LOST = 30.0  # below the best evidence bound: a normal has no particles then
SLOPE, SHORT = 0.3, 30  # slope of the energy in its coordinates at which a path from there ends, and most steps
OTHER = 3.0  # standard deviations for the root of a dimension: a path that ends farther away has another optimum
# Rise of the energy of a point that starts wide, relative to the lowest; 4 for a normal law. In bent coordinates a
# place that is twice as far in a logarithm is the square in the user's units, and would be in their means for long.
STEEPEST, STEEPEST_BENT = 8.0, 2.0
MOST_TRIALS = 100  # points at which a path may begin, as in Stan
NEARNESS = (1.0, 0.1, 0.01, 0.001)  # of the point of a path to the middle, one after the other
WIDTHS = (2.0, 1.7, 1.4, 1.2)  # how much wider the second half starts: the first that the posterior allows


@dataclass(frozen=True)
class Start:
    """Where particles start, and what the paths found.

    Attributes
    ----------
    view : LinearView
        Coordinates in which the best normal is standard: steps and stop see one problem, whatever its linear image.
    particles : EnergyPoints
        In these coordinates. Even rows are draws from the mixture of the paths' normals, weighed by importance; odd
        rows lie wider about the median, so that both halves come to one law from different sides.
    facts : dict
        Numbers for the result.
    """

    view: LinearView
    particles: EnergyPoints
    facts: Facts


def find_start(posterior: PosteriorEnergy, particles: int, seed: int, initial: InitialLaw | None = None) -> Start:
    """Follow the paths, and draw the particles; or take those of ``initial``, every second one moved away.

    Raises
    ------
    ValueError
        If the density is 0 or not finite wherever a path may begin, or no path finds a normal.
    """
    if initial is not None:
        return _given(posterior, points_of(initial, posterior, particles, seed))
    random = [np.random.default_rng([seed, path]) for path in range(PATHS + 1)]
    gaussians: list[NormalApproximation] = []
    for generator in random[:PATHS]:
        gaussians += _by_path(posterior, gaussians, generator)
    if not gaussians:
        if posterior.flaw is not None:
            raise ValueError(posterior.flaw.sentence)
        raise ValueError(
            "the loss and the prior must have a smooth minimum that an optimiser finds from points near 0 or in the"
            f" prior; {PATHS} paths found none"
        )
    paths = PATHS
    for _ in range(MOST_ROUNDS):
        paths += 2 * len(REACHES)
        before = _best(gaussians)
        gaussians += _around(posterior, before, random[PATHS])
        best = _best(gaussians)
        gaussians = [gaussian for gaussian in gaussians if gaussian.bound > best.bound - LOST]
        if best.bound < before.bound + GAIN:
            break
    view = LinearView(posterior, best.mean, best.root)
    draws, weights, shape = _weighed(view, gaussians, particles, random[PATHS])
    chosen = draws.rows(evenly(weights, particles, random[PATHS]))
    width = _widen(posterior, view, chosen)
    facts = {
        "paths": paths,
        "optima": _optima(view, gaussians),
        "normals": len(gaussians),
        "bounds": [round(gaussian.bound, 3) for gaussian in gaussians],
        "pareto_shape": round(shape, 3),
        "effective_draws": round(float(1.0 / (weights**2).sum()), 1),
        "width": round(width, 3),
        "gradients": posterior.evaluations,
    }
    return Start(view, chosen, facts)


def _given(posterior: PosteriorEnergy, points: Array) -> Start:
    """The start at points (particles, dim); their own mean and covariance make the view."""
    root = scale(points)
    if not np.all(np.diag(root) > 0.0):
        raise ValueError("initial must be points that do not lie in a plane")
    view = LinearView(posterior, points.mean(axis=0), root)
    chosen = EnergyPoints.at(view, view.coordinates(points))
    lost = int(np.count_nonzero(~np.isfinite(chosen.energy)))
    if lost:
        raise ValueError(f"the loss must be finite at initial, and it is not at {lost} of {len(points)} points")
    facts = {
        "paths": 0,
        "optima": 0,
        "width": round(_widen(posterior, view, chosen), 3),
        "gradients": posterior.evaluations,
    }
    return Start(view, chosen, facts)


def _optima(view: LinearView, gaussians: list[NormalApproximation]) -> int:
    """How many of the means are apart, in the coordinates of the best normal."""
    apart: list[Array] = []
    for gaussian in gaussians:
        mean = view.coordinates(gaussian.mean[None])[0]
        if all(np.linalg.norm(mean - other) > OTHER * np.sqrt(view.dim) for other in apart):
            apart.append(mean)
    return len(apart)


def _best(gaussians: list[NormalApproximation]) -> NormalApproximation:
    return max(gaussians, key=lambda gaussian: gaussian.bound)


def _around(
    posterior: PosteriorEnergy, best: NormalApproximation, random: np.random.Generator
) -> list[NormalApproximation]:
    """Normals of paths from far and near around a normal, in its coordinates: a better one, and other optima."""
    reached = zip(_directions(posterior.dim, len(REACHES), random), REACHES, strict=True)
    begins = [sign * reach * direction for direction, reach in reached for sign in (1.0, -1.0)]
    return _in_coordinates_of(posterior, best, begins, [], random)


def _in_coordinates_of(
    posterior: PosteriorEnergy,
    best: NormalApproximation,
    begins: list[Array],
    ends: list[Array],
    random: np.random.Generator,
) -> list[NormalApproximation]:
    """The normals of paths that begin at these places and have another end than those before, or than ``ends``.

    A linear map of the problem maps these paths, and no scale of the coordinates makes their optimiser end too early.
    """
    view = LinearView(posterior, best.mean, best.root)
    normals: list[NormalApproximation] = []
    for begin in begins:
        path = descent(view, begin, SLOPE, SHORT)
        if not path or any(np.linalg.norm(path[-1].point - end) < OTHER * np.sqrt(view.dim) for end in ends):
            continue
        ends = [*ends, path[-1].point]
        normal = best_gaussian(view, path, random)
        if normal is not None:
            bound = normal.bound + float(np.log(np.diag(best.root)).sum())
            normals.append(NormalApproximation(bound, view.places(normal.mean), best.root @ normal.root))
    return normals


def _directions(dim: int, number: int, random: np.random.Generator) -> Array:
    """Vectors (number, dim) of length sqrt(dim), as many at right angles to each other as can be."""
    bases = [np.linalg.qr(random.standard_normal((dim, dim)))[0] for _ in range(-(-number // dim))]
    rows: Array = np.sqrt(dim) * np.concatenate(bases)[:number]
    return rows


def _by_path(
    posterior: PosteriorEnergy, known: list[NormalApproximation], random: np.random.Generator
) -> list[NormalApproximation]:
    """The normals that one more path finds: the first one, or in its coordinates another optimum than the known ones.

    Where an optimiser finds none, the path begins again ten times as near to the middle: rates and odds of covariates
    in unusual units are 1e100 between -2 and 2, and no line search comes down from there.
    """
    middle, point = _first_point(posterior, random)
    if known:
        best = _best(known)
        view = LinearView(posterior, best.mean, best.root)
        ends = [view.coordinates(gaussian.mean[None])[0] for gaussian in known]
        return _in_coordinates_of(posterior, best, [view.coordinates(point[None])[0]], ends, random)
    for nearness in NEARNESS:
        gaussian = best_gaussian(posterior, descent(posterior, middle + nearness * (point - middle)), random)
        if gaussian is not None:
            return [gaussian]
    return []


def _first_point(posterior: PosteriorEnergy, random: np.random.Generator) -> tuple[Array, Array]:
    """The middle of the prior and a point of it; where that is flat 0, or where the loss is known to be, and one near.

    The density is positive at the point.
    """
    near = posterior.loss.near if isinstance(posterior.loss, Loss) else None
    middle = np.zeros(posterior.dim) if near is None else posterior.support.coordinates(near[None])[0]
    trials = middle + random.uniform(-2.0, 2.0, (MOST_TRIALS, posterior.dim))
    if not isinstance(posterior.prior, Flat):
        drawn = posterior.prior.sample(MOST_TRIALS, int(random.integers(2**32)))
        trials = posterior.support.coordinates(drawn)
        middle = np.median(trials, axis=0)
    for point in trials:
        if np.isfinite(posterior(point[None])[0][0]):
            return middle, point
    raise ValueError(
        f"the loss must be finite where particles may start, and it is not at {MOST_TRIALS} points"
        f" {'between -2 and 2' if isinstance(posterior.prior, Flat) else 'of the prior'}; initial may give the start"
    )


def _weighed(
    view: LinearView, gaussians: list[NormalApproximation], particles: int, random: np.random.Generator
) -> tuple[EnergyPoints, Array, float]:
    """Draws from the mixture of the normals, their importance weights, and the shape of the weights' tail.

    There are as many as particles, and twice as many where they are not worth half of that.
    """
    number = max(-(-particles // len(gaussians)), 10)
    groups: list[EnergyPoints] = []
    for _ in range(2):
        more = [g.mean + random.standard_normal((number, view.dim)) @ g.root.T for g in gaussians]
        groups.append(EnergyPoints.at(view, view.coordinates(np.concatenate(more))))
        draws = EnergyPoints(*(np.concatenate(values) for values in zip(*groups, strict=True)))
        places = view.places(draws.place)
        mixture = np.logaddexp.reduce([gaussian.log_density(places) for gaussian in gaussians], axis=0)
        weights, shape = smoothed(-draws.energy - mixture)
        if 1.0 / (weights**2).sum() > ENOUGH * len(weights):
            break
    return draws, tempered(weights, min(particles, len(places)) // 2), shape


def evenly(weights: Array, number: int, random: np.random.Generator) -> Indices:
    """So many indices with frequencies as near to the weights (n,) as can be: systematic resampling, shuffled."""
    places = (random.random() + np.arange(number)) / number
    chosen = np.minimum(np.searchsorted(np.cumsum(weights), places), len(weights) - 1)
    random.shuffle(chosen)
    return chosen


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


def _widen(posterior: PosteriorEnergy, view: LinearView, chosen: EnergyPoints) -> float:
    """Move every second point away from the median, in place; by how much, on average.

    A point at which the energy rises far more than that of a normal law would never come back; it moves less.
    """
    middle, lowest = np.median(chosen.place, axis=0), chosen.energy.min()
    steepest = STEEPEST_BENT if posterior.is_bent else STEEPEST
    rows = np.arange(1, len(chosen.place), 2)
    widths = np.ones(len(rows))
    for width in WIDTHS:
        left = np.flatnonzero(widths == 1.0)
        if len(left):
            own = rows[left]
            wide = EnergyPoints.at(view, middle + width * (chosen.place[own] - middle))
            possible = wide.energy - lowest <= steepest * (chosen.energy[own] - lowest) + view.dim
            chosen.put(own[possible], wide.rows(possible))
            widths[left[possible]] = width
    return float(widths.mean())
