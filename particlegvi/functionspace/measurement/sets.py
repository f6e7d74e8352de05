"""The sets of inputs at which a fit compares functions, as the features there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.measurement.data_and_box import Measure, data_and_box
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

STREAM = 17  # keeps the sets of single steps apart from those of the objective
A_MEASURE = "a function of a generator, X and a number of points, an array (sets, points, dim), or None"


class Sets:
    """Random sets of inputs, or given ones.

    Parameters
    ----------
    X : array (n, dim)
        The data.
    features : function
        (n, dim) to (n, k), checked.
    points : int or array (points, dim)
        How many inputs a set has, or the one set.
    measure : function or array (sets, points, dim), optional
        ``measure(generator, X, points)`` gives a set (points, dim); an array holds all that there are, equally likely.
        `data_and_box` if not given.
    number : int
        Of the sets that stand for all of a random measure.
    seed : int
    """

    def __init__(
        self,
        X: Array,
        features: Callable[[Array], Array],
        points: Array | int,
        measure: Measure | ArrayLike | None,
        number: int,
        *,
        seed: int,
    ) -> None:
        self.X, self.features, self.number, self.seed = X, features, number, seed
        dim = X.shape[1]
        self._given: Array | None = None
        self._measure: Measure = data_and_box
        if isinstance(points, np.ndarray):
            one = arguments.points("points", points, dim)
            if not len(one):
                raise refuse("points", points, "an array (points, dim) with at least one row")
            self._given = features(one)[None]
        elif callable(measure) and not isinstance(measure, type):
            self._measure = measure
        elif measure is not None:
            given = arguments.array("measure", measure, A_MEASURE)
            if given.ndim != 3 or 0 in given.shape or given.shape[2] != dim:
                raise refuse("measure", measure, f"a function, None, or an array (sets, points, dim) with dim {dim}")
            arguments.finite("measure", given, A_MEASURE)
            self._given = features(given.reshape(-1, dim)).reshape(*given.shape[:2], -1)
        self.points = points if isinstance(points, int) else len(points)
        if self._given is not None:
            self.points = self._given.shape[1]

    def every(self, number: int | None = None) -> Array:
        """The features (sets, points, k) at the given sets, or at ``number`` random ones, always the same."""
        if self._given is not None:
            return self._given[:number]
        random = np.random.default_rng(self.seed)
        drawn = [self._draw(random) for _ in range(self.number if number is None else number)]
        return self.features(np.vstack(drawn)).reshape(len(drawn), self.points, -1)

    def steps(self) -> Callable[[], Array]:
        """A function that gives the features (points, k) at another random set at each call."""
        random = np.random.default_rng([STREAM, self.seed])
        if self._given is None:
            return lambda: self.features(self._draw(random))
        given = self._given
        return lambda: given[random.integers(len(given))]

    def _draw(self, random: np.random.Generator) -> Array:
        found = arguments.points("measure(generator, X, points)", self._measure(random, self.X, self.points),
                                 self.X.shape[1])  # fmt: skip
        if len(found) != self.points:
            raise ValueError(f"measure(generator, X, points) must give {self.points} points, not {len(found)}")
        return found
