"""Exact Gaussian process regression on some of the rows: the simplest approximation of all."""

from __future__ import annotations

from typing import Self

from numpy.typing import ArrayLike

from particlegvi.functionspace import selection
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.tools import arguments
from particlegvi.tools.arguments import points, vector, whole
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import look_up

ROWS_ONLY = ("greedy", "random")  # rules whose points are rows of X


class SubsetOfData(ExactGaussianProcess):
    """The exact posterior of M of the n rows, in O(M^3).

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k.
    noise_variance : float
        Noise variance of an observation, positive.
    rows : int
        M, at most n.
    selection : str
        "random" or "greedy"; see `particlegvi.functionspace.selection`.
    seed : int
        Seed of the selection.

    Attributes
    ----------
    indices : array (M,)
        Numbers of the chosen rows of X.
    facts : dict
        Facts of the selection.

    Source: Rasmussen and Williams (2006), 8.3.3.
    """

    def __init__(
        self, kernel: KernelLike, noise_variance: float, rows: int = 500, selection: str = "random", seed: int = 0
    ) -> None:
        super().__init__(kernel, noise_variance)
        self.rows = whole("rows", rows, 1)
        self.selection = look_up("selection of rows", selection, {name: name for name in ROWS_ONLY})
        self.seed = arguments.seed(seed)

    def fit(self, X: ArrayLike | Functionals, y: ArrayLike) -> Self:
        """Condition on some of the rows of inputs (n, dim) and targets (n,).

        Raises
        ------
        ValueError
            If X has fewer rows than ``rows``, and for the reasons of `ExactGaussianProcess.fit`.
        """
        if isinstance(X, Functionals):
            raise refuse("X", X, "an array (n, dim), of whose rows some are chosen")
        x = points("X", X)
        t = vector("y", y, len(x))
        if self.rows > len(x):
            raise refuse("rows", self.rows, f"a whole number from 1 to {len(x)}, the rows of X")
        chosen = selection.select(self.selection, self.covariance, x, self.rows, self.seed)
        assert chosen.indices is not None
        self.indices, self.facts = chosen.indices, chosen.facts
        return super().fit(x[self.indices], t[self.indices])
