"""The contract of a mean."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.tools.arguments import points, vector
from particlegvi.tools.quoting import refuse

Validation: TypeAlias = "tuple[Array, Array] | None"


@runtime_checkable
class Mean(Protocol):
    """A mean function that is fitted by least squares."""

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int, /) -> None:
        """Fit inputs (n, dim) and targets (n,); validation rows (X, y) may end the training."""
        ...

    def predict(self, X: Array, /) -> Array: ...  # (n,)
    def facts(self) -> Facts: ...


def held_out(validation: object, inputs: int) -> tuple[Array, Array]:
    """Validation rows (X, y) as arrays (n, inputs) and (n,), n at least 1."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise refuse("validation", validation, "two arrays, (X, y)")
    x = points("validation[0]", validation[0], inputs)
    if not len(x):
        raise refuse("validation[0]", validation[0], "an array with at least one row")
    return x, vector("validation[1]", validation[1], len(x))
