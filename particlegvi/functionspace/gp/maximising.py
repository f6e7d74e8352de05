"""The search for hyperparameters: L-BFGS over logarithms, within a factor 1000 of the start."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize

from particlegvi.contracts import Array, Facts

REACH = 1e3  # a parameter of the covariance stays within this factor of its value at the start
NOISE = (1e-6, 1e2)  # limits of noise variance / mean square of the targets, which avoid nearly singular matrices


class Maximum(NamedTuple):
    """The end of a search."""

    start: Array  # the logarithms of the parameters at the start, (parameters,)
    logs: Array  # and at the end
    rest: Array  # further variables, (variables,)
    facts: Facts  # ``iterations``, ``converged``, ``at_bound`` (names), and the value before and after by its name


def by_name(names: Sequence[str], logs: Array) -> dict[str, float]:
    """Parameters by name, from their logarithms."""
    return dict(zip(names, np.exp(logs).tolist(), strict=True))


def noise_limits(mean_square: float) -> Array:
    """The logarithms of the smallest and the largest noise variance, for targets of this mean square."""
    return np.log(NOISE) + np.log(mean_square)


def maximise(
    objective: Callable[[Array], tuple[float, Array]],
    logs: Array,
    names: Sequence[str],
    named: str,
    limits: Array | None = None,
    rest: tuple[Array, Array, Array] | None = None,
    **options: float,
) -> Maximum:
    """Find the parameters with the largest value of an objective, by L-BFGS.

    Parameters
    ----------
    objective : callable
        Returns minus the value and minus its gradient, for an array of the logarithms and then the further variables.
    logs : array (parameters,)
        The logarithms at the start.
    names : sequence of str
        Names of the parameters.
    named : str
        The name of the value in the facts.
    limits : array (2,), optional
        Limits of the last logarithm, which belongs to a noise variance; the start is clipped to them.
    rest : arrays (variables,), optional
        Further variables at the start, and their smallest and largest values.
    options
        Options of L-BFGS.
    """
    first = logs if limits is None else np.append(logs[:-1], np.clip(logs[-1], *limits))
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
