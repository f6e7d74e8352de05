"""Functionals that are sums of derivatives and integrals of F: which covariances they go with."""

from __future__ import annotations

from typing import ClassVar

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances import integrals
from particlegvi.functionspace.covariances.covariance import Covariance, Sum
from particlegvi.functionspace.covariances.squared_exponential import SquaredExponential
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.terms import Terms, covariance_of


class Local(Functionals):
    """Base class of `Points`, `Windows`, `Intervals` and `Slopes`; a subclass gives `terms` and what it needs.

    Attributes
    ----------
    needs : str
        "any" covariance, the "squared-exponential", a "closed" form (it or a Matern of order 1/2, 3/2, 5/2), or one of
        those that is "differentiable" as well.
    """

    needs: ClassVar[str] = "closed"

    def terms(self) -> Terms:
        raise NotImplementedError

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        return covariance_of(covariance, self.terms(), terms)

    def check(self, covariance: Covariance) -> None:
        if self.needs == "any":
            return
        for part in covariance.parts if isinstance(covariance, Sum) else (covariance,):
            smooth = integrals.smoothness(part)
            if type(part) is SquaredExponential or (self.needs == "closed" and smooth is not None):
                continue
            if self.needs == "differentiable" and smooth:
                continue
            allowed = {
                "closed": "a squared exponential, a Matern covariance, or a sum of them",
                "differentiable": "a squared exponential, a Matern covariance of order 3/2 or 5/2, or a sum of them",
                "squared-exponential": "a squared exponential, or a sum of them",
            }
            raise ValueError(f"the covariance for {self.name} must be {allowed[self.needs]}, not {part!r}")
