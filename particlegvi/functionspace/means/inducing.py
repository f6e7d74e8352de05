"""The mean of GWI-SVGP: least squares on the functions of the basis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace.means.mean import Validation
from particlegvi.tools import arguments


class Inducing:
    """sum_m beta_m k(x, z_m) without a penalty (thesis (4.17)), in whitened coordinates.

    Parameters
    ----------
    cut : float
        Singular values below this part of the largest are left out, because the condition number may be 1e16.
    """

    def __init__(self, cut: float = 1e-8) -> None:
        self.cut = arguments.positive("cut", cut)

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int) -> None:
        self._basis = basis
        self._weights, _, self._rank, _ = linalg.lstsq(basis.features(X), y, cond=self.cut, lapack_driver="gelsd")

    def predict(self, X: Array) -> Array:
        return np.asarray(self._basis.features(X) @ self._weights)

    def state(self) -> dict[str, Array]:
        """The arrays from which `restored` makes the fitted mean again."""
        return {"weights": self._weights, "rank": np.array([float(self._rank)])}

    def restored(self, state: Mapping[str, Array], basis: Basis) -> Self:
        """Set the result of an earlier fit, and return the mean."""
        self._basis, self._weights, self._rank = basis, np.array(state["weights"]), int(state["rank"][0])
        return self

    def facts(self) -> Facts:
        return {"mean": "inducing", "cut": self.cut, "rank": int(self._rank)}
