"""Functionals that are sums of derivatives and integrals of F, and the covariances under which they are defined."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.covariances import integrals
from particlegvi.functionspace.covariances.covariance import Covariance, Sum
from particlegvi.functionspace.covariances.squared_exponential import SquaredExponential
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.quadrature import by_panels
from particlegvi.functionspace.functionals.terms import Terms, covariance_of


def has_closed_forms(covariance: Covariance) -> bool:
    """Whether values, means and slopes have closed-form covariances under this covariance."""
    return type(covariance) is SquaredExponential or integrals.smoothness(covariance) is not None


class Local(Functionals):
    """Base class of `Points`, `Windows`, `Intervals` and `Slopes`; a subclass defines `terms` and ``needs``.

    Attributes
    ----------
    needs : str
        The required covariance: "any", "squared-exponential", or "differentiable" (a squared exponential, or a Matern
        of order 3/2 or 5/2).
    quadrature_error : float
        The largest error so far of covariances that were integrated by panels; 0 if all had closed forms.
    """

    needs: ClassVar[str] = "any"
    quadrature_error = 0.0

    def terms(self) -> Terms:
        raise NotImplementedError

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        own = self.terms()
        if isinstance(covariance, Sum):
            return np.sum([self.against(part, terms) for part in covariance.parts], axis=0)
        if (own.plain and terms.plain) or has_closed_forms(covariance):
            return covariance_of(covariance, own, terms)
        table, error = by_panels(covariance, own, terms)
        self.quadrature_error = max(self.quadrature_error, error)
        return table

    def facts(self) -> Facts:
        stated = {"quadrature_error": self.quadrature_error} if self.quadrature_error else {}
        return {**super().facts(), **stated}

    def check(self, covariance: Covariance) -> None:
        if self.needs == "any":
            return
        for part in covariance.parts if isinstance(covariance, Sum) else (covariance,):
            smooth = integrals.smoothness(part)
            if type(part) is SquaredExponential:
                continue
            if self.needs == "differentiable" and smooth:
                continue
            allowed = {
                "differentiable": "a squared exponential, a Matern covariance of order 3/2 or 5/2, or a sum of them",
                "squared-exponential": "a squared exponential, or a sum of them",
            }
            raise ValueError(f"the covariance for {self.name} must be {allowed[self.needs]}, not {part!r}")
