"""Functionals of functions of several coordinates: products of functionals of functions on the line.

With a separable covariance k_1(a_1, b_1) k_2(a_2, b_2) ... the space of k is the tensor product of the spaces of the
k_d. Products of functionals L^1, L^2, ... on the line are functionals on it, and their covariances are products: a
Kronecker product for all pairs.

Source: Hensman, Durrande and Solin (2018), section 4; thesis 3.5.4.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from scipy.linalg import khatri_rao

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.coordinates import OnCoordinates
from particlegvi.functionspace.covariances.covariance import Covariance, Product
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.terms import Terms, at_points
from particlegvi.tools.arguments import refuse


class TensorProduct(Functionals):
    """All products of functionals of one coordinate each, for a product of `OnCoordinates` covariances.

    Parameters
    ----------
    *sets : Functionals
        One set of m_d functionals on the line for each coordinate d. There are m_1 m_2 ... products, and the number of
        the last set's functional runs fastest.
    """

    name = "tensor-product"

    def __init__(self, *sets: Functionals) -> None:
        if len(sets) < 2 or not all(isinstance(part, Functionals) and part.inputs == 1 for part in sets):
            raise refuse("sets", list(sets), "two or more sets of functionals of functions of one coordinate")
        self.sets, self.inputs = sets, len(sets)

    def __len__(self) -> int:
        return int(np.prod([len(part) for part in self.sets]))

    def separate(self, covariance: Covariance) -> list[Covariance]:
        """The covariance of each coordinate."""
        parts = covariance.parts if isinstance(covariance, Product) else ()
        alone = {part.coordinates[0]: part.covariance for part in parts
                 if isinstance(part, OnCoordinates) and len(part.coordinates) == 1}  # fmt: skip
        if not len(parts) == len(alone) == self.inputs or max(alone) >= self.inputs:
            raise ValueError(
                f"the covariance for {self.name} must be a product of one OnCoordinates(covariance, number) "
                f"for each of the {self.inputs} coordinates, not {covariance!r}"
            )
        return [alone[d] for d in range(self.inputs)]

    def check(self, covariance: Covariance) -> None:
        for part, k in zip(self.sets, self.separate(covariance), strict=True):
            part.check(k)

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        assert terms.plain  # slopes and windows are refused for these covariances
        pairs = enumerate(zip(self.sets, self.separate(covariance), strict=True))
        return reduce(khatri_rao, [part.against(k, at_points(terms.place[:, d : d + 1])) for d, (part, k) in pairs])

    def beside(self, covariance: Covariance, other: Functionals) -> Array:
        if not isinstance(other, TensorProduct):
            return super().beside(covariance, other)
        triples = zip(self.sets, self.separate(covariance), other.sets, strict=True)
        tables = [part.between(k, beside) for part, k, beside in triples]
        return reduce(lambda a, b: np.asarray(np.kron(a, b)), tables)
