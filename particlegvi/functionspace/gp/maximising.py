"""The search for hyperparameters: L-BFGS over logarithms, within a factor 1000 of the start.

`by_bound` searches for inducing points as well, by the highest evidence lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.functionspace.selection.objectives import CollapsedBound, Scratch
from particlegvi.functionspace.selection.rules import greedy
from particlegvi.tools.arguments import array, points, whole

REACH = 1e3  # a parameter of the covariance stays within this factor of its value at the start
NOISE = (1e-6, 1e2)  # limits of noise variance / mean square of the targets, which avoid nearly singular matrices
SECOND_NOISES = (0.05, 0.2, 0.5)  # noise variances of the second start, relative to the mean square of the targets
FAILED = 1e100  # value of the objective if a matrix is singular


class Maximum(NamedTuple):
    """The end of a search."""

    start: Array  # the logarithms of the parameters at the start, (parameters,)
    logs: Array  # and at the end
    rest: Array  # further variables, (variables,)
    facts: Facts  # ``iterations``, ``converged``, ``at_bound`` (names), and the value before and after by its name


def by_name(covariance: Covariance, logs: Array) -> dict[str, float]:
    """The parameters of a covariance and a noise variance by name, from their logarithms."""
    return dict(zip([*covariance.parameter_names(), "noise_variance"], np.exp(logs).tolist(), strict=True))


def noise_limits(mean_square: float) -> Array:
    """The logarithms of the smallest and the largest noise variance, for targets of this mean square."""
    return np.log(NOISE) + np.log(mean_square)


def maximise(
    objective: Callable[[Array], tuple[float, Array]],
    covariance: Covariance,
    named: str,
    noise: float | None = None,
    limits: Array | None = None,
    rest: tuple[Array, Array, Array] | None = None,
    **options: float,
) -> Maximum:
    """Find the parameters with the largest value of an objective, by L-BFGS, from those of the covariance.

    The objective returns minus the value and minus its gradient, for an array of the logarithms and then further
    variables; ``named`` is the name of the value in the facts. The logarithm of a ``noise`` variance follows those of
    the covariance, and stays between its ``limits`` (2,). ``rest`` holds further variables (variables,) at the start,
    and their smallest and largest values. The options are those of L-BFGS.
    """
    names, first = covariance.parameter_names(), covariance.log_parameters()
    if noise is not None and limits is not None:
        names, first = [*names, "noise_variance"], np.append(first, np.clip(np.log(noise), *limits))
    low, high = first - math.log(REACH), first + math.log(REACH)
    if limits is not None:
        low[-1], high[-1] = limits
    none = np.empty(0)
    more, least_more, most_more = rest or (none, none, none)
    begin = np.append(first, more)
    before = objective(begin)[0]
    bounds = optimize.Bounds(np.append(low, least_more), np.append(high, most_more))
    found = optimize.minimize(objective, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    # A failed line search may end with a smaller value than the start's.
    state, least = (found.x, float(found.fun)) if found.fun <= before else (begin, before)
    size = len(first)
    ended = (state[:size] <= low) | (state[:size] >= high)
    facts: Facts = {
        named: {"before": -before, "after": -least},
        "iterations": int(found.nit),
        "converged": bool(found.success),
        "at_bound": [name for name, at in zip(names, ended, strict=True) if at],
    }
    return Maximum(first, state[:size], state[size:], facts)


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
        if given.ndim:
            return given
        chosen = greedy(covariance, data.X, count, seed).points
        rows = preprocessing.order(seed, "subsets", len(data.X))[: count - len(chosen)]
        return np.vstack([chosen, data.X[rows]])

    found = [_search(data, start, noise, placed(start), most_iterations)]
    longer = start.with_log_parameters(_longer(start, data.X))
    Z = placed(longer)
    noises = [share * float(np.mean(data.y**2)) for share in SECOND_NOISES]
    second = min(noises, key=lambda each: _minus_bound(data, longer, each, Z))
    found.append(_search(data, longer, second, Z, most_iterations))
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


def _longer(start: Covariance, X: Array) -> Array:
    """The log parameters with lengthscales of sqrt(dim) standard deviations."""
    dim, sd = X.shape[1], column_sd(X)
    logs = start.log_parameters().copy()
    for place, name in enumerate(start.parameter_names()):
        if "lengthscale" in name:
            own = name.rpartition("[")[2].removesuffix("]")
            logs[place] = math.log(math.sqrt(dim) * (sd[int(own)] if own.isdigit() else float(np.mean(sd))))
    return logs


def _search(data: Regression, covariance: Covariance, noise: float, Z: Array, most_iterations: int) -> Found:
    """L-BFGS over logarithms and points; points stay in their columns' ranges, in units of the columns' sd."""
    X, y, limits = data
    lowest, highest = X.min(axis=0), X.max(axis=0)
    unit, size = column_sd(X), len(covariance.parameter_names()) + 1
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

    ranges = [np.broadcast_to(end / unit, Z.shape).ravel() for end in (lowest, highest)]
    found = maximise(
        objective, covariance, "elbo", noise, limits, ((Z / unit).ravel(), ranges[0], ranges[1]),
        maxiter=most_iterations, maxfun=2 * most_iterations,
    )  # fmt: skip
    ends = {"start": by_name(covariance, found.start), "parameters": by_name(covariance, found.logs)}
    return Found(found.logs, np.clip(found.rest.reshape(Z.shape) * unit, lowest, highest), {**ends, **found.facts})
