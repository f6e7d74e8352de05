"""A target of finitely many atoms: the limit of deep ensembles."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.targets.density import Values, at_levels, on_line, seeded
from particlegvi.tools import html
from particlegvi.tools.quoting import as_written, shown


class AtomicTarget:
    """Point masses at minima, weighted by the share of the initial distribution that flows there (Theorem 5.4.1).

    It is the limit of the flow. The minimiser of the objective differs: it puts all mass on the global minima.

    Attributes
    ----------
    kind : str
        "atoms".
    dim : int
    atoms : array (k, dim)
        Minima that receive mass, in lexicographic order.
    weights : array (k,)
        Their probabilities, which sum to one.
    error : float
        Bound on the error of all weights together (sum of absolute differences).
    mean, variance : float in 1-D, arrays (dim,) otherwise
    residual : float
        Largest norm of the loss's gradient at an atom; zero for atoms at kinks and on the sides of a box.
    """

    kind: Literal["atoms"] = "atoms"

    def __init__(self, atoms: np.ndarray, weights: np.ndarray, error: float, residual: float) -> None:
        order = np.lexsort(atoms.T[::-1])
        self.atoms, self.weights = atoms[order], weights[order] / weights.sum()
        self.dim = atoms.shape[1]
        self.error, self.residual = error, residual
        mean = self.weights @ self.atoms
        variance = self.weights @ (self.atoms - mean) ** 2
        self.mean: Values = float(mean[0]) if self.dim == 1 else mean
        self.variance: Values = float(variance[0]) if self.dim == 1 else variance

    def pdf(self, x: ArrayLike) -> Values:
        """Always a ValueError: atoms have no density."""
        raise ValueError("this target is a sum of point masses and has no density; use atoms and weights")

    def cdf(self, x: ArrayLike) -> Values:
        """In 1-D, the probability of (-infinity, x] for x of shape (n,), (n, 1) or a number; a ValueError otherwise."""
        below = np.minimum(np.concatenate([[0.0], np.cumsum(self.weights)]), 1.0)
        return on_line("cdf", self.dim, x, lambda t: below[np.searchsorted(self.atoms[:, 0], t, side="right")])

    def quantile(self, u: ArrayLike) -> Values:
        """In 1-D, the smallest atom x with cdf(x) >= u, for probabilities u of any shape."""
        return at_levels(self.dim, u, lambda levels: self._places(levels - 1e-14)[:, 0])

    def _places(self, levels: np.ndarray) -> np.ndarray:
        """The first atom (n, dim) up to which the weights add up to each level (n,)."""
        index = np.searchsorted(np.cumsum(self.weights), levels)
        return self.atoms[np.minimum(index, len(self.atoms) - 1)]

    def sample(self, number: int, seed: int = 0) -> np.ndarray:
        """Independent exact draws (number, dim); equal numbers and seeds give equal draws."""
        return self._places(seeded(number, seed).random(number))

    def _repr_html_(self) -> str:
        pairs = zip(self.atoms, self.weights, strict=True)
        facts = {f"weight of {shown(as_written(at))}": float(weight) for at, weight in pairs}
        return html.card("AtomicTarget", {"dim": self.dim, "error": self.error, **facts})

    def __repr__(self) -> str:
        return f"AtomicTarget(dim={self.dim}, atoms={len(self.atoms)}, error={self.error:.1e})"
