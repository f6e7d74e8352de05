"""The base class of likelihoods of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, generator


class Counts(Likelihood):
    """A Poisson likelihood with a ``rate``."""

    __slots__ = ()

    def rate(self, f: ArrayLike) -> Array:
        """Mean of y given f."""
        raise NotImplementedError

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The counts as an array (rows,) of whole numbers from 0 on."""
        counts = super().check_targets(y, rows)
        wrong = counts[(counts < 0.0) | (counts != np.floor(counts))]
        if wrong.size:
            raise ValueError(f"y must be counts, whole numbers of at least 0, not {wrong[0]:g}")
        return counts

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f."""
        return self.rate(f)

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f."""
        return self.rate(f)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log P(y | f)."""
        from scipy.special import gammaln, xlogy

        rate = self.rate(f)
        return xlogy(y, rate) - rate - gammaln(np.asarray(y, dtype=np.float64) + 1.0)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        return generator(random).poisson(self.rate(f)).astype(np.float64)
