"""The projection onto functionals: the best approximation of a Gaussian process by m linear functionals of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import covariances, functionals
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals, Union
from particlegvi.tools.arguments import points
from particlegvi.tools.quoting import refuse

DROP = 1e-12  # eigenvalues of the scaled matrix below this part of the largest are rounding
NEGATIVE = 1e-10  # below minus this part they are no rounding
ROWS = 4096  # features are made in blocks of this many rows


class Projection:
    """``e(x) = C_LL^-1/2 Cov(L F, F(x))``, whitened functionals, for ``prior="gp"``.

    C_LL is brought to a unit diagonal before its eigenvectors are found: without that Fourier features would lose
    functions to rounding. With Points it spans the space of `Nystroem`, in other coordinates.

    Parameters
    ----------
    covariance : Covariance or a kernel of particlegvi.kernels
        k.
    of : Functionals or array (m, dim)
        L, of `particlegvi.functionspace.functionals`; an array stands for the values at its rows.

    Attributes
    ----------
    covariance : Covariance
    functionals : Functionals
    inputs, size : int
    weights : array (m, size)
        The features are those of C_LT times these.

    Raises
    ------
    ValueError
        If a functional is not defined under k, or C_LL is not positive semi-definite but for rounding.
    """

    name = "projection"

    def __init__(self, covariance: KernelLike, of: Functionals | ArrayLike) -> None:
        if not isinstance(of, Functionals):
            of = functionals.Points(points("of", of))
            if not len(of):
                raise ValueError("of must have at least one row, not none")
        k = covariances.of(covariance)
        matrix = of.gram(k)
        scale = 1.0 / np.sqrt(matrix.diagonal())
        ascending, vectors = linalg.eigh(scale[:, None] * matrix * scale)
        if not ascending[0] >= -NEGATIVE * ascending[-1]:
            raise ValueError(
                f"the covariance matrix of the functionals must be positive semi-definite, not have the eigenvalue "
                f"{ascending[0]:.3g} after scaling"
            )
        kept = np.flatnonzero(ascending > DROP * ascending[-1])[::-1]
        self._set(k, of, scale[:, None] * vectors[:, kept] / np.sqrt(ascending[kept]))

    def _set(self, covariance: covariances.Covariance, of: Functionals, weights: Array) -> None:
        self.covariance, self.functionals, self.weights = covariance, of, weights

    @property
    def inputs(self) -> int:
        """The number of coordinates of an input."""
        return self.functionals.inputs

    @property
    def size(self) -> int:
        """The number of features."""
        return self.weights.shape[1]

    def features(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size), for inputs (n, dim)."""
        x = points("X", X, self.inputs)
        e = np.empty((len(x), self.size))
        for first in range(0, len(x), ROWS):
            block = slice(first, first + ROWS)
            np.matmul(self.functionals.cross(self.covariance, x[block]).T, self.weights, out=e[block])
        return e

    def prior_variances(self, prior: str) -> Array:
        """Ones, for "gp"; there are no eigenvalues for "rkhs"."""
        if prior != "gp":
            raise refuse("prior", prior, '"gp" for functionals that are no points')
        return np.ones(self.size)

    def facts(self) -> Facts:
        """The functionals, and the numbers of kept and dropped functions."""
        number = len(self.weights)
        return {**self.functionals.facts(), "number": number, "kept": self.size, "dropped": number - self.size}

    def state(self) -> dict[str, Array]:
        """The arrays from which `restore` makes the same basis, bit for bit."""
        parts = enumerate(self.functionals.parts())
        return {"weights": self.weights} | {
            f"{number}.{part.name}.{key}": each for number, part in parts for key, each in part.state().items()
        }

    @classmethod
    def restore(cls, covariance: KernelLike, state: Mapping[str, Any]) -> Self:
        """The basis with this `state`."""
        groups: dict[tuple[int, str], dict[str, Any]] = {}
        for key, each in state.items():
            number, _, rest = key.partition(".")
            kind, _, argument = rest.partition(".")
            if argument:
                groups.setdefault((int(number), kind), {})[argument] = each
        sets = [_made(kind, arguments) for (_, kind), arguments in sorted(groups.items())]
        basis = cls.__new__(cls)
        k, of = covariances.of(covariance), sets[0] if len(sets) == 1 else Union(*sets)
        of.check(k)
        cls._set(basis, k, of, np.asfortranarray(state["weights"]))
        return basis


def _made(kind: str, arguments: Mapping[str, Any]) -> Functionals:
    values = {key: np.asarray(each, dtype=np.float64) for key, each in arguments.items()}
    if kind == functionals.Fourier.name:
        low, high, frequencies, ends = (values[key].item() for key in ("low", "high", "frequencies", "ends"))
        return functionals.Fourier(low, high, int(frequencies), bool(ends))
    if kind == functionals.Slopes.name:
        return functionals.Slopes(values["X"], int(values["coordinate"].item()))
    if kind == functionals.Windows.name:
        return functionals.Windows(values["centres"], values["widths"])
    if kind == functionals.Intervals.name:
        return functionals.Intervals(values["low"], values["high"])
    return functionals.Points(values["X"])


def basis_of(covariance: KernelLike, given: ArrayLike | Functionals, inputs: int) -> Basis:
    """The projection onto functionals, or the Nystroem basis of points, for data with this number of coordinates."""
    if not isinstance(given, Functionals):
        return Nystroem(covariance, points("inducing_points", given, inputs))
    if given.inputs != inputs:
        raise ValueError(f"functionals must be of functions of {inputs} coordinates like X, not {given.inputs}")
    return Projection(covariance, given)
