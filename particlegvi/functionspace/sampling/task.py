"""The posterior to sample, with checked settings: the input of every plan."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.simulation.journal import Journal

SIGN_ROWS = 64  # number of rows with y >= 1 at which signs are recorded


class Task(NamedTuple):
    """A posterior of coefficients, and the settings of the sampler.

    Attributes
    ----------
    likelihood : Likelihood
    X, y : array (rows, inputs), array (rows,)
    features : array (rows, dim)
        The features e_m(x_n), C-contiguous; a plan may overwrite them.
    prior_variances : array (dim,)
        Prior variances of the coefficients.
    particles : int
    steps, step_size : int or None, float or None
        None if the plan chooses.
    initial : array (particles, dim) or None
        Coefficients at the start; None for draws from the prior.
    batch_size : int or None
        Number of rows of a stochastic gradient; None for all rows.
    seed : int
    journal : Journal
        Stores the results of the work before the first step.
    """

    likelihood: Likelihood
    X: Array
    y: Array
    features: Array
    prior_variances: Array
    particles: int
    steps: int | None
    step_size: float | None
    initial: Array | None
    batch_size: int | None
    seed: int
    journal: Journal

    def signed_features(self) -> Array | None:
        """The features of some rows with y >= 1 if the likelihood has a pole at f = 0; otherwise None.

        After a plan was chosen, the features are in the plan's coordinates.
        """
        rows = np.flatnonzero(self.y > 0.0)
        if not self.likelihood.even or not len(rows):
            return None
        return self.features[rows[:: max(1, len(rows) // SIGN_ROWS)]]
