"""Covariances made of others: the parameters of all parts, one after the other."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.arguments import shown
from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.base import Covariance


class Compound(Covariance):
    """Two or more parts; a part of the same kind is taken apart, so that ``a + b + c`` has three.

    Raises
    ------
    ValueError
        If a part is not a covariance, or there is none.
    """

    def __init__(self, *parts: Covariance) -> None:
        if not parts or not all(isinstance(part, Covariance) for part in parts):
            given = shown(list(parts))
            raise ValueError(f"the parts of a {self.name} are {given}; one or more covariances are allowed")
        flat = [part.parts if type(part) is type(self) else (part,) for part in parts]
        self.parts: tuple[Covariance, ...] = tuple(part for group in flat for part in group)

    def log_parameters(self) -> Array:
        return np.concatenate([part.log_parameters() for part in self.parts])

    def parameter_names(self) -> list[str]:
        return [
            f"{number}.{part.name}.{name}"
            for number, part in enumerate(self.parts, start=1)
            for name in part.parameter_names()
        ]

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        sizes = [part.log_parameters().size for part in self.parts]
        pieces = np.split(np.asarray(vector, dtype=np.float64), np.cumsum(sizes)[:-1])
        return type(self)(*[part.with_log_parameters(piece) for part, piece in zip(self.parts, pieces, strict=True)])
