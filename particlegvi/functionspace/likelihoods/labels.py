"""The base class of likelihoods of labels 0 and 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, generator


class Labels(Likelihood):
    """A likelihood of labels with a ``probability`` of the label 1."""

    __slots__ = ()

    def probability(self, f: ArrayLike) -> Array:
        """P(y = 1 | f)."""
        raise NotImplementedError

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The labels as an array (rows,) of zeros and ones."""
        labels = super().check_targets(y, rows)
        wrong = labels[(labels != 0.0) & (labels != 1.0)]
        if wrong.size:
            raise ValueError(f"y must be labels 0 and 1, not {wrong[0]:g}")
        return labels

    def levels(self, y: Array) -> Array:
        """None: a label suggests no value of f."""
        return np.empty((0, len(y)))

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f: the probability of the label 1."""
        return self.probability(f)

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f."""
        p = self.probability(f)
        return p * (1.0 - p)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        p = self.probability(f)
        return (generator(random).random(p.shape) < p).astype(np.float64)
