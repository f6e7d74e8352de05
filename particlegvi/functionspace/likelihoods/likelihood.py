"""The base class of likelihoods: array forms of the scalar methods, and checks of numbers."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import contracts
from particlegvi.contracts import Array, Facts
from particlegvi.engine.terms.user_parts import try_likelihood
from particlegvi.tools.arguments import refuse, scale, vector

COMPILED = ("cost_at", "slope_at", "curvature_at")  # methods of (f, y) that the engine compiles
Random: TypeAlias = np.random.Generator | int | None  # a generator, a seed, or None for fresh numbers


class Likelihood:
    """A likelihood p(y|f) with the cost c(y, f) = -log p(y|f) + a constant of y; f is the function's value.

    A subclass is a ``NamedTuple`` with the compiled scalar methods ``cost_at``, ``slope_at`` and ``curvature_at`` of
    (f, y), and array methods ``information``, ``log_density``, ``mean``, ``variance`` and ``sample``.

    Attributes
    ----------
    convex : bool
        Whether c is convex in f for every y.
    curvature_bound : float
        Supremum of the second derivative of c over f and the allowed y.
    slope_bound : float
        Supremum of the size of dc/df: the Lipschitz constant of c, infinite where there is none.
    quadratic : bool
        Whether c is quadratic in f.
    even : bool
        Whether c(y, -f) = c(y, f), as the rate f^2 has it.
    """

    __slots__ = ()

    name: str
    convex = False
    quadratic = False
    even = False
    curvature_bound = np.inf
    slope_bound = np.inf

    def cost(self, f: ArrayLike, y: ArrayLike) -> Array:
        """c(y, f), by the compiled method, for arrays that broadcast against each other."""
        return self._pointwise(0, f, y)

    def slope(self, f: ArrayLike, y: ArrayLike) -> Array:
        """dc/df, written d_2 c in the thesis."""
        return self._pointwise(1, f, y)

    def curvature(self, f: ArrayLike, y: ArrayLike) -> Array:
        """The second derivative of c in f."""
        return self._pointwise(2, f, y)

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f, or an upper bound of it."""
        raise self._undefined("information(f)")

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log p(y|f), for arrays that broadcast against each other."""
        raise self._undefined("log_density(y, f)")

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f."""
        raise self._undefined("mean(f)")

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f."""
        raise self._undefined("variance(f)")

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        raise self._undefined("sample(f, random)")

    def slope_range(self, y: ArrayLike) -> tuple[Array, Array]:
        """The lowest and the highest slope dc/df over all f, for each y (n,); infinite where there is no bound."""
        bound = np.full(np.shape(y), self.slope_bound)
        return -bound, bound

    def _undefined(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"the class {type(self).__name__} of a likelihood must define {method}")

    def _pointwise(self, which: int, f: ArrayLike, y: ArrayLike) -> Array:
        from particlegvi.engine.steps.projected import pointwise

        values, observed = np.broadcast_arrays(np.asarray(f, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = np.empty(values.size)
        pointwise.for_terms(self)(self, which, values.flatten(), observed.flatten(), out)
        return out.reshape(values.shape)

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The targets as an array (rows,), or a ValueError that says which values the likelihood allows."""
        return vector("y", y, rows)

    def levels(self, y: Array) -> Array:
        """Values of f that observations (n,) suggest, (levels, n): here the observations themselves.

        A picture of functions shows the data there.
        """
        return y[None]

    def tamed(self) -> Likelihood:
        """The likelihood whose derivative proposes accepted or refused moves: itself, or one without a pole."""
        return self

    def facts(self) -> Facts:
        """The name and the parameters, as JSON can hold them."""
        return {"name": self.name, **self._asdict()}  # type: ignore[attr-defined]


def observations(likelihood: contracts.Likelihood, y: ArrayLike, rows: int, *needed: str) -> Array:
    """The targets (rows,) that a likelihood allows; a likelihood of a user is tried at them.

    ``needed`` are the names of methods that the caller needs beside those that are compiled and the log density.
    """
    _check_methods(likelihood)
    targets = likelihood.check_targets(y, rows)
    try_likelihood(likelihood, targets)
    _check_methods(likelihood, *needed)
    return targets


def _check_methods(likelihood: object, *needed: str) -> None:
    """Refuse an object without the methods of a likelihood, and a class in place of an object."""
    if isinstance(likelihood, type):
        raise refuse("likelihood", likelihood, f"an object, such as {likelihood.__name__}()")
    methods, lacking = ("check_targets", "log_density", "slope", *needed), []
    if not isinstance(likelihood, Likelihood):
        lacking = [name for name in methods if name not in dir(likelihood)]
    elif not isinstance(likelihood, tuple):
        raise refuse("likelihood", likelihood, "a NamedTuple of numbers, whose methods can be compiled")
    else:
        methods = (*COMPILED, "log_density", *needed)
        homes = {name: [kind for kind in type(likelihood).__mro__ if name in vars(kind)] for name in methods}
        lacking = [name for name, home in homes.items() if not home or home[0] is Likelihood]
    if lacking:
        every = f"{', '.join(methods[:-1])} and {methods[-1]}"
        raise ValueError(f"likelihood must have the methods {every}; {type(likelihood).__name__} has no {lacking[0]}")


def checked(**parameters: Any) -> list[float]:
    """The parameters as positive floats."""
    return [scale(key, content) for key, content in parameters.items()]


def generator(random: Random) -> np.random.Generator:
    """A generator from what ``numpy.random.default_rng`` takes."""
    return np.random.default_rng(random)
