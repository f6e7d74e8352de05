"""Functionals of functions of several coordinates that are made of functionals of functions on the line.

With a separable covariance k_1(a_1, b_1) k_2(a_2, b_2) ... the space of k is the tensor product of the spaces of the
k_d. Products of functionals L^1, L^2, ... on the line are functionals on it, and their covariances are products: a
Kronecker product for all pairs. With an additive covariance F is a sum of independent F_d, and the functionals L^d are
those of F_d alone: covariances of different coordinates are 0, and that of L^d F_d with F is that with F_d.

Source: Hensman, Durrande and Solin (2018), section 4; thesis 3.5.4.
"""

from __future__ import annotations

from functools import reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, khatri_rao

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.coordinates import OnCoordinates
from particlegvi.functionspace.covariances.covariance import Compound, Covariance, Product, Sum
from particlegvi.functionspace.functionals.functional import Functionals, anywhere, joined_state
from particlegvi.functionspace.functionals.terms import Terms, at_points
from particlegvi.tools.arguments import refuse


class ByCoordinate(Functionals):
    """Base class of `TensorProduct` and `Additive`: a set of functionals on the line for each coordinate."""

    kind: ClassVar[type[Compound]]  # of the covariances

    def __init__(self, *sets: Functionals) -> None:
        if len(sets) < 2 or not all(isinstance(each, Functionals) and each.inputs == 1 for each in sets):
            raise refuse("sets", list(sets), "two or more sets of functionals of functions of one coordinate")
        self.sets, self.inputs = sets, len(sets)

    def separate(self, covariance: Covariance) -> list[Covariance]:
        """The covariance of each coordinate."""
        parts = covariance.parts if isinstance(covariance, self.kind) else ()
        alone = {part.coordinates[0]: part.covariance for part in parts
                 if isinstance(part, OnCoordinates) and len(part.coordinates) == 1}  # fmt: skip
        if not len(parts) == len(alone) == self.inputs or max(alone) >= self.inputs:
            raise ValueError(
                f"the covariance for {self.name} must be a {self.kind.kind} of one OnCoordinates(covariance, number) "
                f"for each of the {self.inputs} coordinates, not {covariance!r}"
            )
        return [alone[d] for d in range(self.inputs)]

    def check(self, covariance: Covariance) -> None:
        for each, k in zip(self.sets, self.separate(covariance), strict=True):
            each.check(k)

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        assert terms.plain  # slopes and windows are refused for these covariances
        each = enumerate(zip(self.sets, self.separate(covariance), strict=True))
        return self.joined([of.against(k, at_points(terms.place[:, d : d + 1])) for d, (of, k) in each])

    def beside(self, covariance: Covariance, other: Functionals) -> Array:
        if not isinstance(other, type(self)):
            return super().beside(covariance, other)
        each = zip(self.sets, self.separate(covariance), other.sets, strict=True)
        return self.paired([of.between(k, beside) for of, k, beside in each])

    def joined(self, tables: list[Array]) -> Array:
        """The covariances with values of F, from those of each coordinate."""
        raise NotImplementedError

    def paired(self, tables: list[Array]) -> Array:
        """The covariances of two sets of this kind, from those of each coordinate."""
        raise NotImplementedError

    def outside(self, X: Array) -> NDArray[np.bool_] | None:
        return anywhere([each.outside(X[:, d : d + 1]) for d, each in enumerate(self.sets)])

    def state(self) -> dict[str, Array]:
        return joined_state(self.sets)


class TensorProduct(ByCoordinate):
    """All products of functionals of one coordinate each, for a product of `OnCoordinates` covariances.

    Parameters
    ----------
    *sets : Functionals
        One set of m_d functionals on the line for each coordinate d. There are m_1 m_2 ... products, and the number of
        the last set's functional runs fastest.
    """

    name = "tensor-product"
    kind = Product

    def __len__(self) -> int:
        return int(np.prod([len(each) for each in self.sets]))

    def joined(self, tables: list[Array]) -> Array:
        return reduce(khatri_rao, tables)

    def paired(self, tables: list[Array]) -> Array:
        return reduce(lambda a, b: np.asarray(np.kron(a, b)), tables)


class Additive(ByCoordinate):
    """Functionals of the parts F_d of a sum of functions of one coordinate each, for a sum of `OnCoordinates`.

    Parameters
    ----------
    *sets : Functionals
        One set of m_d functionals of F_d for each coordinate d. There are m_1 + m_2 + ... functionals.
    """

    name = "additive"
    kind = Sum

    def __len__(self) -> int:
        return sum(len(each) for each in self.sets)

    def joined(self, tables: list[Array]) -> Array:
        return np.concatenate(tables)

    def paired(self, tables: list[Array]) -> Array:
        return np.asarray(block_diag(*tables))
