"""Means of a function under Gaussian windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.functionals.local import Local
from particlegvi.functionspace.functionals.terms import Terms
from particlegvi.tools.arguments import array, frozen, points
from particlegvi.tools.quoting import refuse

MOST_INPUTS = 4  # largest number of coordinates for which a grid of nodes averages a prior mean
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(20)


class Windows(Local):
    """The means of F under the normal distributions N(centre, diag width^2), on the whole space (thesis 3.5.3).

    Parameters
    ----------
    centres : array (m, dim)
    widths : float or array (m, dim)
        Standard deviations, 0 or more; a window of width 0 is a point. One number holds for all windows.

    Raises
    ------
    ValueError
        When used with another covariance than a squared exponential: only this one has closed forms.
    """

    name = "windows"
    needs = "squared-exponential"

    def __init__(self, centres: ArrayLike, widths: ArrayLike) -> None:
        self.centres = frozen(points("centres", centres).copy())
        self.inputs = self.centres.shape[1]
        allowed = f"a number or an array {self.centres.shape} of numbers of at least 0"
        found = array("widths", widths, allowed)
        if found.ndim and found.shape != self.centres.shape or not np.all((found >= 0.0) & np.isfinite(found)):
            raise refuse("widths", widths, allowed)
        self.widths = frozen(np.broadcast_to(found, self.centres.shape).copy())

    def __len__(self) -> int:
        return len(self.centres)

    def terms(self) -> Terms:
        number = len(self.centres)
        return Terms(np.zeros(self.centres.shape), self.centres, self.widths, np.ones(number), np.arange(number))

    def apply(self, function: Callable[[Array], Array]) -> Array:
        """Average the function under each window by twenty Gauss-Hermite nodes in each coordinate."""
        if self.inputs > MOST_INPUTS:
            raise ValueError(f"a mean under windows must be of at most {MOST_INPUTS} coordinates, not {self.inputs}")
        grid = np.stack(np.meshgrid(*[NODES] * self.inputs, indexing="ij"), axis=-1).reshape(-1, self.inputs)
        weights = np.prod(np.stack(np.meshgrid(*[WEIGHTS] * self.inputs, indexing="ij"), axis=-1), axis=-1).ravel()
        x = self.centres[:, None] + self.widths[:, None] * grid
        values = np.asarray(function(x.reshape(-1, self.inputs))).reshape(x.shape[:2])
        return values @ (weights / weights.sum())

    def state(self) -> dict[str, Array]:
        return {"centres": self.centres, "widths": self.widths}
