"""Covariances of some coordinates of the inputs: sums of them are additive kernels, and products are separable ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance, Derived
from particlegvi.tools.arguments import points, refuse, whole


class OnCoordinates(Derived):
    """``k(a_c, b_c)``, where c are some of the coordinates of the inputs. Sums of these are additive covariances.

    Parameters
    ----------
    covariance : Covariance
        k, of inputs with as many columns as there are ``coordinates``; this covariance has the parameters of k.
    coordinates : int or sequence of int
        Numbers of columns, from 0, each once.
    """

    def __init__(self, covariance: Covariance, coordinates: int | Sequence[int]) -> None:
        if not isinstance(covariance, Covariance):
            raise refuse("covariance", covariance, "a covariance")
        listed = isinstance(coordinates, list | tuple | range | np.ndarray) and getattr(coordinates, "ndim", 1) > 0
        numbers: Sequence[int] = coordinates if listed else [coordinates]  # type: ignore[assignment, list-item]
        self.coordinates = [whole("coordinates", number, 0) for number in numbers]
        if not self.coordinates or len(set(self.coordinates)) < len(self.coordinates):
            raise refuse("coordinates", coordinates, "one or more numbers of columns, each once")
        super().__init__(f"{covariance.name}{self.coordinates}", covariance)

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        return self.covariance(self._chosen(A), None if B is None else self._chosen(B))

    def diagonal(self, A: ArrayLike) -> Array:
        return self.covariance.diagonal(self._chosen(A))

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        return type(self)(self.covariance.with_log_parameters(vector), self.coordinates)

    def gradients(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
        in_inputs = np.zeros(points("inputs", A).shape)
        in_inputs[:, self.coordinates], in_logs = self.covariance.gradients(self._chosen(A), self._chosen(B), weights)
        return in_inputs, in_logs

    def diagonal_gradient(self, A: ArrayLike, weights: ArrayLike) -> Array:
        return self.covariance.diagonal_gradient(self._chosen(A), weights)

    def _chosen(self, inputs: ArrayLike) -> Array:
        x = points("inputs", inputs)
        if x.shape[1] <= max(self.coordinates):
            raise refuse("coordinates", self.coordinates, f"below {x.shape[1]}, the number of columns of the inputs")
        return x[:, self.coordinates]
