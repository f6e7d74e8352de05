"""Bandwidth rules: they choose a kernel's lengthscale, each with a sentence on the choice.

- a number: taken as it is.
- "median": the median heuristic on prior samples, `median_lengthscale`.
- "authors": the rule of the code behind the thesis's figures, on the particles, `authors_lengthscale`.

A rule whose median is zero or nearly so (most points coincide) would make a kernel of no width, so its number is never
below the floor of `with_floor`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array, Kernel, Located, Prior
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.terms.evaluate import squared_distances
from particlegvi.engine.terms.user_parts import try_kernel
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.kernels.profiles import SquaredExponential
from particlegvi.tools import arguments, objects
from particlegvi.tools.limits import LARGEST_SCALE, SMALLEST_SCALE

PRIOR_SAMPLES = 1000
MOST_POINTS = 2000
FLOOR = 1e-3
WIDEST_UNIFORM = 100.0


def resolve(
    kernel: Kernel | None, prior: Prior, initial_particles: ArrayLike | None = None, seed: int = 0
) -> tuple[Kernel, str]:
    """The kernel with a number for its lengthscale, and one sentence on the rule that chose it.

    Parameters
    ----------
    kernel : kernel or None
        The kernel that the user gave; None stands for `default_kernel`.
    prior : prior
        Sampled by the rule "median".
    initial_particles : array (particles, dim), optional
        Needed by the rule "authors".
    seed : int
        Seed of the prior samples.

    Returns
    -------
    kernel, sentence
    """
    objects.prior(prior)
    if kernel is None:
        kernel = default_kernel(prior)
        if not isinstance(kernel.lengthscale, str):
            reason = "the median heuristic says nothing useful about a flat or very wide prior"
            return kernel, f"lengthscale {kernel.lengthscale:g}, the default, because {reason}"
    rule = objects.kernel_or_rule(kernel).lengthscale
    if isinstance(kernel, OnFeatures):
        raise ValueError(f"kernel must be one of the particles themselves, not {kernel!r}, which needs a NetworkLoss")
    if rule == "median":
        number, reason = median_lengthscale(prior, seed)
    elif rule == "authors":
        if initial_particles is None:
            raise ValueError('lengthscale must be a number, not the rule "authors", where `initial` is not given')
        number, reason = authors_lengthscale(initial_particles)
    else:
        if from_outside(kernel):
            try_kernel(kernel)
        return kernel, f"lengthscale {rule:.6g}, as given"
    if not SMALLEST_SCALE <= number <= LARGEST_SCALE:
        raise ValueError(
            f"lengthscale must be a number from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}, not {number:.6g},"
            f" which it is by {reason}"
        )
    return resolve(with_lengthscale(kernel, number), prior)[0], f"lengthscale {number:.6g} by {reason}"


def with_lengthscale(kernel: Any, number: float) -> Kernel:
    """A kernel, a ``NamedTuple`` or one of features, with another lengthscale."""
    if isinstance(kernel, OnFeatures):
        return kernel.with_kernel(with_lengthscale(kernel.kernel, number))
    return type(kernel)(**{**kernel._asdict(), "lengthscale": number})


def default_kernel(prior: Prior) -> SquaredExponential:
    """The kernel that stands for ``kernel=None``: squared-exponential.

    Its lengthscale follows the median heuristic for a Normal prior and for a Uniform one no wider than 100 in any
    coordinate, and is 1 for a Flat or wider prior: there the heuristic gives nothing useful (1840 for the box of
    Figure 5.4, whose minima lie 3.1 apart).
    """
    objects.prior(prior)
    width = np.asarray(prior.high) - np.asarray(prior.low)
    useful = isinstance(prior, Located) and (np.all(np.isinf(width)) or np.all(width <= WIDEST_UNIFORM))
    return SquaredExponential(lengthscale="median" if useful else 1.0)


def median_lengthscale(prior: Prior, seed: int = 0) -> tuple[float, str]:
    """The median heuristic (Garreau, Jitkrittum and Kanagawa, 2017), and a phrase that describes it.

    ``median over i < j of |x_i - x_j|`` for independent samples x_1, ..., x_m of the prior: the distance itself, not
    divided by sqrt(2). For N(0, sd^2) on the line it tends to sqrt(2) * 0.6745 * sd, for U(low, high) to
    (1 - 1/sqrt(2)) (high - low). A Flat prior cannot be sampled: 1.
    """
    if prior.name == "flat":
        return 1.0, "default, because the median heuristic says nothing useful about a flat prior"
    number, note = median_distance(prior.sample(PRIOR_SAMPLES, seed=seed, role="prior"))
    return number, f"the median heuristic on {PRIOR_SAMPLES} prior samples (seed {seed}){note}"


def median_distance(points: Array) -> tuple[float, str]:
    """The median distance of points (n, dim), but no less than the floor, and a note if the floor was used."""
    distances = pair_distances(points)
    return with_floor(float(np.median(distances)), distances)


def authors_lengthscale(particles: ArrayLike) -> tuple[float, str]:
    """The rule of the authors' code, and a phrase that describes it.

    Their kernel is ``exp(-d2 / (2 s))`` with d2 the squared distance averaged over the coordinates and
    ``s = median of d2 / (2 log(n + 1))``, the median over all n^2 ordered pairs of particles, the zeros of each
    particle with itself included. In our units ``lengthscale = sqrt(dim * s)``, from which the average over the
    coordinates cancels: ``lengthscale^2 = median |x_i - x_j|^2 / (2 log(n + 1))``. They recompute it in the first six
    steps and then keep it; here it is found once, from the initial particles. For the attraction to the prior they
    use a second bandwidth, from the pairs of a particle and a prior sample, and here there is one kernel. Of more than
    2000 particles (particles, dim) it uses the first 2000, and counts all in n.
    """
    points = arguments.points("particles", particles, least=1)
    unit, few = _unit(points), points[:MOST_POINTS]
    distances = unit * np.sqrt(squared_distances(few / unit, few / unit).ravel())
    # The square root of the median square: with an even number of pairs not quite the median distance.
    largest = float(distances.max()) or 1.0
    median = largest * math.sqrt(float(np.median((distances / largest) ** 2)))
    number, note = with_floor(median, distances)
    number /= math.sqrt(2.0 * math.log(len(points) + 1.0))
    return number, f"the authors' rule on {len(points)} initial particles{note}"


def with_floor(median: float, distances: NDArray[np.float64]) -> tuple[float, str]:
    """The median distance, but no less than the floor; and a note if the floor was used.

    The floor is a thousandth of the root-mean-square distance; where all points coincide it is 1. The rule
    "authors" divides it like any other median.
    """
    largest = float(distances.max(initial=0.0))
    if not largest > 0.0:
        return 1.0, ", the floor where all points coincide"
    floor = FLOOR * largest * math.sqrt(float(np.mean((distances / largest) ** 2)))
    return max(median, floor), ", the floor where most points coincide" if median < floor else ""


def pair_distances(points: ArrayLike) -> NDArray[np.float64]:
    """|x_i - x_j| for all i < j, shape (n (n - 1) / 2,), for points of shape (n, dim)."""
    x = arguments.points("points", points, least=1)
    unit = _unit(x)
    squares = squared_distances(x / unit, x / unit)
    return np.asarray(unit * np.sqrt(squares[np.triu_indices(len(x), 1)]))


def _unit(points: Array) -> float:
    """A power of two near the largest coordinate: no box of 1e200 overflows, and none of 1e-200 underflows."""
    largest = float(np.abs(points).max())
    return 2.0 ** math.frexp(largest)[1] if largest > 0.0 else 1.0
