"""Draws that stand for a truth which nobody can compute: those of a long run of another sampler."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.errors import needed
from particlegvi.tools.files import place
from particlegvi.tools.quoting import shown

if TYPE_CHECKING:
    import xarray

LEAST = 50
WAYS = "an array (draws, dim), an InferenceData of ArviZ, or the path of its NetCDF file"


@runtime_checkable
class Inferred(Protocol):
    """The InferenceData of ArviZ, of any version."""

    posterior: xarray.Dataset


class Draws:
    """A target that is known by draws alone.

    Attributes
    ----------
    kind : str
        "draws".
    dim : int
    draws : array (n, dim)
    mean, variance : float, or array (dim,)
        The mean and variance of the draws.
    """

    kind = "draws"

    def __init__(self, draws: Array) -> None:
        self.draws = draws
        self.dim = draws.shape[1]
        mean, variance = draws.mean(axis=0), draws.var(axis=0)
        self.mean, self.variance = (mean[0], variance[0]) if self.dim == 1 else (mean, variance)

    def sample(self, number: int, /, seed: int = 0) -> Array:
        """So many of the draws (number, dim) in random order; with repetitions only where there are fewer."""
        chosen = np.random.default_rng(seed).choice(len(self.draws), number, replace=number > len(self.draws))
        return self.draws[chosen]

    def quantile(self, u: ArrayLike) -> Array:
        """Quantiles of the draws on the line."""
        return np.quantile(self.draws[:, 0], np.asarray(u, dtype=np.float64))


def draws_of(reference: object, dim: int) -> Array:
    """The draws (n, dim) of an array, an InferenceData, or a NetCDF file with the group ``posterior``, checked.

    A number for each draw is enough on the line. Variables of ArviZ are put side by side in their order.
    """
    if isinstance(reference, str | os.PathLike):
        reference = _read(reference)
    elif isinstance(reference, Inferred):
        reference = _side_by_side(reference.posterior)
    draws = arguments.points("reference", reference, dim, least=LEAST)
    return np.ascontiguousarray(draws)


def _read(path: str | os.PathLike[str]) -> Array:
    file = place("reference", path, "a file")
    needed("draws in a NetCDF file", "export", "xarray", "h5netcdf")
    import xarray

    try:
        with xarray.open_dataset(file, group="posterior") as posterior:
            return _side_by_side(posterior)
    except (OSError, ValueError, KeyError) as error:
        words = f"{type(error).__name__}: {error}".splitlines()[0][:120]
        allowed = f"{WAYS} with the group posterior"
        raise ValueError(f"reference must be {allowed}, not {shown(str(file))}, which fails with {words}") from None


def _side_by_side(posterior: xarray.Dataset) -> Array:
    """The variables of a data set with the dimensions chain, draw and their own, as columns."""
    columns = []
    for name, values in posterior.data_vars.items():
        if values.dims[:2] != ("chain", "draw"):
            raise ValueError(f"reference must have the dimensions chain and draw first, not {values.dims} as {name}")
        columns.append(np.asarray(values, dtype=np.float64).reshape(values.shape[0] * values.shape[1], -1))
    return np.concatenate(columns, axis=1) if columns else np.empty((0, 0))
