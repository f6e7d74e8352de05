"""The base class of functionals, their covariances under a Gaussian process, and unions of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.functionals.terms import Terms, at_points
from particlegvi.tools.arguments import points


class Functionals:
    """A set of m linear functionals of a function of ``inputs`` coordinates.

    A subclass defines `__len__`, ``inputs`` and ``against``. It defines ``terms`` if its
    functionals are sums of derivatives and integrals of F, and ``check`` if some covariances are not allowed.
    """

    name: str
    inputs: int

    def __len__(self) -> int:
        raise NotImplementedError

    def parts(self) -> Sequence[Functionals]:
        """The sets of one kind that make up this set."""
        return [self]

    def terms(self) -> Terms | None:
        """The functionals as sums of derivatives and integrals of F; None if they are not such sums."""
        return None

    def check(self, covariance: Covariance) -> None:
        """Refuse, with a ValueError, a covariance under which one of the functionals is not defined."""

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        """The covariances of these functionals with the functionals that ``terms`` describe, (m, others)."""
        raise NotImplementedError

    def beside(self, covariance: Covariance, other: Functionals) -> Array:
        """The covariances (m, others) with functionals of another set, if neither set has ``terms``."""
        raise ValueError(f"{self.name} must not be joined with {other.name}: their covariances are not known")

    def apply(self, function: Callable[[Array], Array]) -> Array:
        """Apply the functionals to a function from inputs (n, dim) to values (n,), such as a prior mean; (m,).

        Inner products in the space of k cannot be taken of a function that is known by its values: a ValueError.
        """
        raise ValueError(f"mean must be None where {self.name} features are observed or predicted, not a function")

    def between(self, covariance: KernelLike, other: Functionals) -> Array:
        """The covariances of these functionals of F with other functionals of F, (m, others)."""
        k = covariances.of(covariance)
        if other.inputs != self.inputs:
            raise ValueError(f"functionals must be of functions of {self.inputs} coordinates, not {other.inputs}")
        self.check(k)
        other.check(k)
        return np.block([[_pair(k, a, b) for b in other.parts()] for a in self.parts()])

    def gram(self, covariance: KernelLike) -> Array:
        """The covariance matrix of the functionals, (m, m), exactly symmetric: C_LL of the thesis."""
        matrix = self.between(covariance, self)
        return 0.5 * (matrix + matrix.T)

    def cross(self, covariance: KernelLike, X: ArrayLike) -> Array:
        """The covariances of the functionals and of F(X), (m, n), for inputs (n, dim): C_LT of the thesis."""
        k = covariances.of(covariance)
        self.check(k)
        return self.against(k, at_points(points("X", X, self.inputs)))

    def diagonal(self, covariance: KernelLike) -> Array:
        """The variances of the functionals, (m,)."""
        return self.gram(covariance).diagonal().copy()

    def facts(self) -> Facts:
        """The kinds and the number, as JSON can hold them."""
        return {"functionals": [part.name for part in self.parts()], "number": len(self)}

    def __add__(self, other: Functionals) -> Union:
        return Union(self, other) if isinstance(other, Functionals) else NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of functions of {self.inputs} coordinate{'s' * (self.inputs > 1)})"


def _pair(covariance: Covariance, a: Functionals, b: Functionals) -> Array:
    terms = b.terms()
    if terms is not None:
        return a.against(covariance, terms)
    terms = a.terms()
    if terms is not None:
        return b.against(covariance, terms).T
    return a.beside(covariance, b)


class Union(Functionals):
    """Functionals of several kinds, one after the other: ``a + b``."""

    name = "union"

    def __init__(self, *sets: Functionals) -> None:
        self._parts = [part for some in sets for part in some.parts()]
        self.inputs = self._parts[0].inputs
        for part in self._parts[1:]:
            if part.inputs != self.inputs:
                raise ValueError(f"functionals must be of functions of {self.inputs} coordinates, not {part.inputs}")

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def parts(self) -> Sequence[Functionals]:
        return self._parts

    def check(self, covariance: Covariance) -> None:
        for part in self._parts:
            part.check(covariance)

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        return np.concatenate([part.against(covariance, terms) for part in self._parts])

    def apply(self, function: Callable[[Array], Array]) -> Array:
        return np.concatenate([part.apply(function) for part in self._parts])
