"""The contract of a mean."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from particlegvi.contracts import Array, Basis, Facts

Validation: TypeAlias = "tuple[Array, Array] | None"


class Mean(Protocol):
    """A mean function that is fitted by least squares."""

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int, /) -> None:
        """Fit inputs (n, dim) and targets (n,); validation rows (X, y) may end the training."""
        ...

    def predict(self, X: Array, /) -> Array: ...  # (n,)
    def facts(self) -> Facts: ...
