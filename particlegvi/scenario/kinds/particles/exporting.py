"""The target Q* as a dataset: a density on a grid, or atoms with their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.targets.basins.atoms import AtomicTarget
from particlegvi.targets.density import DensityTarget
from particlegvi.targets.gaussians import GaussianOptima
from particlegvi.tools.export.datasets import Coordinates, dataset
from particlegvi.tools.export.names import unique

if TYPE_CHECKING:
    import xarray

POINTS = {1: 1001, 2: 151}  # points of the grid in each coordinate, by dimension
NAMES = ("pdf", "atoms", "weights", "mean", "sd", "objective", "atom", "optimum", "coordinate")
REACH = 6.0  # standard deviations of the best Gaussian


def truth(target: object, names: list[str]) -> xarray.Dataset | None:
    """A target as a dataset.

    Parameters
    ----------
    target : target or None
    names : list of str
        Names of the coordinates, which become the dimensions of a density's grid.

    Returns
    -------
    Dataset or None
        For a density, ``pdf`` over a regular grid of its support. For atoms, ``atoms`` (atom, coordinate) and
        ``weights`` (atom). For the Gaussians of FD-GVI, ``mean``, ``sd`` (optimum, coordinate) and ``objective``
        (optimum), the best first, and the ``pdf`` of the best. None for other targets.
    """
    if isinstance(target, DensityTarget):
        low, high = np.atleast_1d(target.support[0]), np.atleast_1d(target.support[1])
        facts = _facts(target.kind, target.mean, target.variance, target.residual) | {"error": target.error}
        return dataset(*_density(target, low, high, names), facts)
    if isinstance(target, GaussianOptima):
        best = target.optima[0]
        variables, along = _density(target, best.mean - REACH * best.sd, best.mean + REACH * best.sd, names)
        variables["mean"] = (("optimum", "coordinate"), np.array([each.mean for each in target.optima]))
        variables["sd"] = (("optimum", "coordinate"), np.array([each.sd for each in target.optima]))
        variables["objective"] = (("optimum",), np.array([each.objective for each in target.optima]))
        along["coordinate"] = (("coordinate",), names)
        return dataset(variables, along, _facts(target.kind, target.mean, target.variance, target.residual))
    if isinstance(target, AtomicTarget):
        atoms: Coordinates = {
            "atoms": (("atom", "coordinate"), target.atoms),
            "weights": (("atom",), target.weights),
        }
        facts = _facts(target.kind, target.mean, target.variance, target.residual) | {"error": target.error}
        return dataset(atoms, {"coordinate": (("coordinate",), names)}, facts)
    return None


def _density(
    target: DensityTarget | GaussianOptima, low: np.ndarray, high: np.ndarray, names: list[str]
) -> tuple[Coordinates, Coordinates]:
    axes = [np.linspace(a, b, POINTS[target.dim]) for a, b in zip(low, high, strict=True)]
    dims = tuple(unique(names, NAMES))
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, target.dim)
    values = np.asarray(target.pdf(points)).reshape([len(axis) for axis in axes])
    return {"pdf": (dims, values)}, {name: ((name,), axis) for name, axis in zip(dims, axes, strict=True)}


def _facts(kind: str, mean: object, variance: object, residual: float) -> Facts:
    return {
        "kind": kind,
        "mean": np.asarray(mean).tolist(),
        "variance": np.asarray(variance).tolist(),
        "residual": residual,
    }
