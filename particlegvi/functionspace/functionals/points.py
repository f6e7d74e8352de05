"""Values of a function at points."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.functionals.local import Local
from particlegvi.functionspace.functionals.terms import Terms, at_points
from particlegvi.tools.arguments import frozen, points


class Points(Local):
    """The values F(x_1), ..., F(x_m): Dirac measures (thesis 3.5.2).

    Parameters
    ----------
    X : array (m, dim)
    """

    name = "points"
    needs = "any"

    def __init__(self, X: ArrayLike) -> None:
        self.X = frozen(points("X", X).copy())
        self.inputs = self.X.shape[1]

    def __len__(self) -> int:
        return len(self.X)

    def terms(self) -> Terms:
        return at_points(self.X)

    def apply(self, function: Callable[[Array], Array]) -> Array:
        return function(self.X)

    def state(self) -> dict[str, Array]:
        return {"X": self.X}
