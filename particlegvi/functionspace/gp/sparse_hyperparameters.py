"""Covariance parameters, noise variance and inducing points that maximise the evidence lower bound together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.maximising import by_name, maximise
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.functionspace.selection.blocks import Scratch
from particlegvi.functionspace.selection.elbo import CollapsedBound
from particlegvi.functionspace.selection.greedy import greedy
from particlegvi.tools.arguments import array, points, whole

SECOND_NOISES = (0.05, 0.2, 0.5)  # noise variances of the second start, relative to the mean square of the targets
FAILED = 1e100  # value of the objective if a matrix is singular


class Regression(NamedTuple):
    """Gaussian process regression, with limits of the log noise variance."""

    X: Array
    y: Array
    limits: Array


class Found(NamedTuple):
    """The end of one search."""

    logs: Array  # log parameters of the covariance and, last, log noise variance
    points: Array  # (M, dim)
    facts: Facts


def by_bound(
    data: Regression, start: Covariance, noise: float, inducing_points: ArrayLike, most_iterations: int, *, seed: int
) -> tuple[Covariance, float, Facts]:
    """The better result of two searches: from the start, and from longer lengthscales with little noise.

    A search from short lengthscales may explain all targets as noise; a search from long lengthscales may miss a rough
    function. The second search begins with lengthscales of sqrt(dim) standard deviations of the inputs. Its noise
    variance is a twentieth, a fifth or a half of the mean square of y: the one with the highest bound at the start. A
    much smaller one makes the first steps so long that the search ends with noise only. Both searches begin with the
    given points, or with greedy points, filled up by random rows if greedy points find no variance left.
    """
    given = array("inducing_points", inducing_points, "an array (M, dim) or a whole number", booleans=True)
    if given.ndim:
        given = points("inducing_points", given, data.X.shape[1])
    count = len(given) if given.ndim else min(whole("inducing_points", inducing_points, 1), len(data.X))

    def placed(covariance: Covariance) -> Array:
        return given if given.ndim else _filled(greedy(covariance, data.X, count, seed).points, data.X, count, seed)

    first = np.append(start.log_parameters(), math.log(noise))
    found = [_search(data, start, first, placed(start), most_iterations)]
    longer = start.with_log_parameters(_longer(start, data.X))
    Z = placed(longer)
    noises = [share * float(np.mean(data.y**2)) for share in SECOND_NOISES]
    second = min(noises, key=lambda each: _minus_bound(data, longer, each, Z))
    found.append(_search(data, longer, np.append(longer.log_parameters(), math.log(second)), Z, most_iterations))
    chosen = int(np.argmax([each.facts["elbo"]["after"] for each in found]))
    best = found[chosen]
    facts = {
        "bound": "elbo", "rows": len(data.X), "seed": seed, "inducing_points": len(best.points), "chosen": chosen,
        "fits": [each.facts for each in found], "points": best.points.tolist(),
    }  # fmt: skip
    return start.with_log_parameters(best.logs[:-1]), float(np.exp(best.logs[-1])), facts


def _minus_bound(data: Regression, covariance: Covariance, noise: float, Z: Array) -> float:
    try:
        return CollapsedBound(covariance, data.X, data.y, noise).at(Z)[0]
    except ValueError:  # k(Z, Z) is singular to rounding, even with the largest jitter
        return FAILED


def _filled(chosen: Array, X: Array, count: int, seed: int) -> Array:
    rows = preprocessing.order(seed, "subsets", len(X))[: count - len(chosen)]
    return np.vstack([chosen, X[rows]])


def _longer(start: Covariance, X: Array) -> Array:
    """The log parameters with lengthscales of sqrt(dim) standard deviations."""
    dim, sd = X.shape[1], column_sd(X)
    logs = start.log_parameters().copy()
    for place, name in enumerate(start.parameter_names()):
        if "lengthscale" in name:
            own = name.rpartition("[")[2].removesuffix("]")
            logs[place] = math.log(math.sqrt(dim) * (sd[int(own)] if own.isdigit() else float(np.mean(sd))))
    return logs


def _search(data: Regression, covariance: Covariance, logs: Array, Z: Array, most_iterations: int) -> Found:
    """L-BFGS over logarithms and points; points stay in their columns' ranges, in units of the columns' sd."""
    X, y, limits = data
    lowest, highest = X.min(axis=0), X.max(axis=0)
    unit, size = column_sd(X), len(logs)
    Z = np.clip(Z, lowest, highest)
    scratch = Scratch()

    def objective(state: Array) -> tuple[float, Array]:
        problem = CollapsedBound(
            covariance.with_log_parameters(state[: size - 1]), X, y, math.exp(state[size - 1]), scratch
        )
        try:
            value, in_points, in_logs = problem.everywhere(
                np.clip(state[size:].reshape(Z.shape) * unit, lowest, highest)
            )
        except ValueError:  # k(Z, Z) is singular to rounding, however much jitter
            return FAILED, np.zeros_like(state)
        return value, np.append(in_logs, in_points * unit)

    names = [*covariance.parameter_names(), "noise_variance"]
    ranges = [np.broadcast_to(end / unit, Z.shape).ravel() for end in (lowest, highest)]
    found = maximise(
        objective, logs, names, "elbo", limits, ((Z / unit).ravel(), ranges[0], ranges[1]),
        maxiter=most_iterations, maxfun=2 * most_iterations,
    )  # fmt: skip
    facts: Facts = {"start": by_name(names, found.start), "parameters": by_name(names, found.logs), **found.facts}
    return Found(found.logs, np.clip(found.rest.reshape(Z.shape) * unit, lowest, highest), facts)
