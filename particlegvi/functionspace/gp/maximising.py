"""The search for hyperparameters: L-BFGS over logarithms, within a factor 1000 of the start.

`by_bound` searches for inducing points as well, by the highest evidence lower bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import preprocessing, search
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.functionspace.search import Objective, Places
from particlegvi.functionspace.selection.objectives import CollapsedBound, Scratch
from particlegvi.functionspace.selection.rules import greedy
from particlegvi.tools.arguments import whole

REACH = 1e3  # a parameter of the covariance stays within this factor of its value at the start
NOISE = (1e-6, 1e2)  # limits of noise variance / mean square of the targets, which avoid nearly singular matrices
SECOND_NOISES = (0.05, 0.2, 0.5)  # noise variances of the second start, relative to the mean square of the targets
FAILED = 1e100  # value of the objective if a matrix is singular


class Maximum(NamedTuple):
    """The end of a search."""

    logs: Array  # the logarithms of the parameters, (parameters,)
    points: Array  # the inducing points (M, dim); none where none were searched for
    facts: Facts  # ``iterations``, ``converged``, ``at_bound`` (names), and the value before and after by its name


def by_name(covariance: Covariance, logs: Array) -> dict[str, float]:
    """The parameters of a covariance and a noise variance by name, from their logarithms."""
    return dict(zip([*covariance.parameter_names(), "noise_variance"], np.exp(logs).tolist(), strict=True))


def noise_limits(mean_square: float) -> Array:
    """The logarithms of the smallest and the largest noise variance, for targets of this mean square."""
    return np.log(NOISE) + np.log(mean_square)


def maximise(
    objective: Objective,
    covariance: Covariance,
    named: str,
    noise: float | None = None,
    limits: Array | None = None,
    places: Places | None = None,
    **options: float,
) -> Maximum:
    """Find the parameters with the largest value of an objective, by L-BFGS, from those of the covariance.

    The objective returns minus the value and minus its gradient, for an array of the logarithms and then of the
    variables of ``places``; ``named`` is the name of the value in the facts. The logarithm of a ``noise`` variance
    follows those of the covariance, and stays between its ``limits`` (2,).
    """
    names, start = covariance.parameter_names(), covariance.log_parameters()
    low, high = start - math.log(REACH), start + math.log(REACH)
    if noise is not None and limits is not None:
        names = [*names, "noise_variance"]
        start = np.append(start, np.clip(np.log(noise), *limits))
        low, high = np.append(low, limits[0]), np.append(high, limits[1])
    size, begin = len(start), start
    if places is not None:
        begin, low, high = (np.append(*pair) for pair in (
            (start, places.start), (low, places.low), (high, places.high)))  # fmt: skip
    end = search.minimise(objective, begin, low, high, None, **options)
    facts: Facts = {
        named: {"before": -end.before, "after": -end.after},
        "iterations": end.iterations,
        "converged": end.converged,
        "at_bound": [name for name, ended in zip(names, end.at_bound[:size], strict=True) if ended],
    }
    points = np.empty((0, 0)) if places is None else places.at(end.at[size:])
    return Maximum(end.at[:size], points, facts)


class Regression(NamedTuple):
    """Gaussian process regression, with limits of the log noise variance."""

    X: Array
    y: Array
    limits: Array


def by_bound(
    data: Regression, start: Covariance, noise: float, inducing_points: int, most_iterations: int, *, seed: int
) -> tuple[Covariance, float, Facts]:
    """The better result of two searches: from the start, and from longer lengthscales with little noise.

    A search from short lengthscales may explain all targets as noise; a search from long lengthscales may miss a rough
    function. The second search begins with lengthscales of sqrt(dim) standard deviations of the inputs. Its noise
    variance is a twentieth, a fifth or a half of the mean square of y: the one with the highest bound at the start. A
    much smaller one makes the first steps so long that the search ends with noise only. Both searches begin with greedy
    points, filled up by random rows if greedy points find no variance left.
    """
    count = min(whole("inducing_points", inducing_points, 1), len(data.X))

    def placed(covariance: Covariance) -> Array:
        chosen = greedy(covariance, data.X, count, seed).points
        rows = preprocessing.order(seed, "subsets", len(data.X))[: count - len(chosen)]
        return np.vstack([chosen, data.X[rows]])

    ends = [_search(data, start, noise, placed(start), most_iterations)]
    longer = start.with_log_parameters(_longer(start, data.X))
    Z = placed(longer)
    noises = [share * float(np.mean(data.y**2)) for share in SECOND_NOISES]
    second = min(noises, key=lambda variance: _minus_bound(data, longer, variance, Z))
    ends.append(_search(data, longer, second, Z, most_iterations))
    chosen = int(np.argmax([end.facts["elbo"]["after"] for end in ends]))
    best = ends[chosen]
    facts = {
        "bound": "elbo", "rows": len(data.X), "seed": seed, "inducing_points": len(best.points), "chosen": chosen,
        "fits": [end.facts for end in ends], "points": best.points.tolist(),
    }  # fmt: skip
    return start.with_log_parameters(best.logs[:-1]), float(np.exp(best.logs[-1])), facts


def _minus_bound(data: Regression, covariance: Covariance, noise: float, Z: Array) -> float:
    try:
        return CollapsedBound(covariance, data.X, data.y, noise).at(Z)[0]
    except ValueError:  # k(Z, Z) is singular to rounding, even with the largest jitter
        return FAILED


def _longer(start: Covariance, X: Array) -> Array:
    """The log parameters with lengthscales of sqrt(dim) standard deviations."""
    dim, sd = X.shape[1], column_sd(X)
    logs = start.log_parameters().copy()
    for place, name in enumerate(start.parameter_names()):
        if "lengthscale" in name:
            own = name.rpartition("[")[2].removesuffix("]")
            logs[place] = math.log(math.sqrt(dim) * (sd[int(own)] if own.isdigit() else float(np.mean(sd))))
    return logs


def _search(data: Regression, covariance: Covariance, noise: float, Z: Array, most_iterations: int) -> Maximum:
    """L-BFGS over logarithms and points."""
    X, y, limits = data
    places, scratch, size = Places(X, Z), Scratch(), len(covariance.parameter_names()) + 1

    def objective(state: Array) -> tuple[float, Array]:
        k, own_noise = covariance.with_log_parameters(state[: size - 1]), math.exp(state[size - 1])
        problem = CollapsedBound(k, X, y, own_noise, scratch)
        try:
            value, in_points, in_logs = problem.everywhere(places.at(state[size:]))
        except ValueError:  # k(Z, Z) is singular to rounding, however much jitter
            return FAILED, np.zeros_like(state)
        return value, np.append(in_logs, places.gradient(in_points))

    end = maximise(
        objective, covariance, "elbo", noise, limits, places, maxiter=most_iterations, maxfun=2 * most_iterations
    )
    start = np.append(covariance.log_parameters(), np.clip(math.log(noise), *limits))
    ends = {"start": by_name(covariance, start), "parameters": by_name(covariance, end.logs)}
    return end._replace(facts={**ends, **end.facts})
