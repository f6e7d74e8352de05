"""The density that is sampled, exp(-energy), with its gradient; it counts how often the gradient is asked for."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from particlegvi.contracts import Array, Loss, Prior
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.simulation.sampling.support import Support


class Energy(Protocol):
    """Minus the logarithm of a density on the whole space, and its gradient."""

    @property
    def dim(self) -> int: ...

    def __call__(self, points: Array, /) -> tuple[Array, Array]: ...


class Flaw(NamedTuple):
    """A point where the energy is finite and the gradient is not."""

    energy: float
    coordinate: int
    point: Array  # (dim,), in the coordinates of the loss
    slope: float  # nan or infinite
    name: str  # of the coordinate

    @property
    def sentence(self) -> str:
        place = np.array2string(self.point, precision=4, threshold=6)
        return (
            f"the gradient of the loss must be finite where particles may go, and it is {self.slope} in coordinate"
            f" {self.coordinate + 1}{self.name and f' ({self.name})'} at {place}, where the loss is finite"
        )


class PosteriorEnergy:
    """The measure to which DLE goes, exp(-loss / kl_weight) p, in coordinates on the whole line.

    Attributes
    ----------
    dim : int
        Number of coordinates.
    support : Support
        The map from these coordinates to the box of the prior.
    is_bent : bool
        Whether the user's units are no linear map of these coordinates: at a wall, or under the constraints of a model.
    evaluations : int
        Points at which the energy and its gradient were computed so far.
    flaw : Flaw or None
        Of the points where the energy is finite and the gradient is not, the one with the lowest energy.
    """

    def __init__(self, loss: Loss, prior: Prior, kl_weight: float) -> None:
        self.loss = loss
        self.prior = prior
        self.kl_weight = kl_weight
        self.dim = loss.dim
        self.support = Support(prior.low, prior.high)
        has_units = isinstance(loss, PackageLoss) and loss.constraining is not None
        self.is_bent = has_units or bool(np.any(self.support.between | self.support.one_sided))
        self.evaluations = 0
        self.flaw: Flaw | None = None

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """The energy (n,) and its gradient (n, dim) at coordinates (n, dim).

        The energy is infinite and the gradient 0 where either is not finite.
        """
        self.evaluations += len(points)
        x = np.ascontiguousarray(self.support.inside(points))
        slope, logs, of_logs = self.support.slopes(points)
        with np.errstate(all="ignore"):
            energy = self.loss.value(x) / self.kl_weight - self.prior.log_density(x) - logs
            of_x = self.loss.gradient(x) / self.kl_weight - self.prior.gradient(x)
            gradient = of_x * slope - of_logs
        bad = ~(np.isfinite(energy) & np.all(np.isfinite(gradient), axis=1))
        flawed = np.flatnonzero(bad & np.isfinite(energy))
        if len(flawed):
            lowest = flawed[np.argmin(energy[flawed])]
            if self.flaw is None or energy[lowest] < self.flaw.energy:
                coordinate = int(np.argmax(~np.isfinite(gradient[lowest])))
                slope_there = float(gradient[lowest, coordinate])
                name = self.loss.variables[coordinate] if isinstance(self.loss, PackageLoss) else ""
                self.flaw = Flaw(float(energy[lowest]), coordinate, x[lowest], slope_there, name)
        return np.where(bad, np.inf, energy), np.where(bad[:, None], 0.0, gradient)


class LinearView:
    """An energy in the coordinates z of points x = middle + root z."""

    def __init__(self, energy: Energy, middle: Array, root: Array) -> None:
        self.energy, self.middle, self.root = energy, middle, root
        self.dim = len(middle)

    def places(self, z: Array) -> Array:
        """The points of coordinates (..., dim)."""
        return self.middle + z @ self.root.T

    def coordinates(self, points: Array) -> Array:
        """The coordinates of points (n, dim)."""
        return np.ascontiguousarray(solve_triangular(self.root, (points - self.middle).T, lower=True).T)

    def __call__(self, z: Array) -> tuple[Array, Array]:
        """The energy (n,) and its gradient (n, dim) at coordinates (n, dim)."""
        energy, gradient = self.energy(self.places(z))
        return energy, gradient @ self.root


class EnergyPoints(NamedTuple):
    """Places (n, dim), with the energy (n,) and its gradient (n, dim) there."""

    place: Array
    energy: Array
    gradient: Array

    @classmethod
    def at(cls, energy: Energy, place: Array) -> EnergyPoints:
        """The energy and its gradient are computed."""
        return cls(place, *energy(place))

    def rows(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> EnergyPoints:
        """A copy of these rows."""
        return EnergyPoints(*(values[rows] for values in self))

    def put(self, rows: NDArray[np.intp], others: EnergyPoints) -> None:
        """Replace these rows, in place."""
        for values, other in zip(self, others, strict=True):
            values[rows] = other
