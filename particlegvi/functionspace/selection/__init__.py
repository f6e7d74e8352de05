"""Rules that choose the inducing points Z among the inputs: one small file each.

A rule is a function ``rule(covariance, X, count, seed)`` with a ``name`` that gives a `Selection`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.selection.selection import Selection
from particlegvi.tools.arguments import points, whole
from particlegvi.tools.registry import Registry

__all__ = ["Selection", "names", "select"]

_registry = Registry("particlegvi.functionspace.selection", "selection")


def names() -> list[str]:
    """The names of all rules, in alphabetical order."""
    return _registry.names()


def select(name: str, covariance: KernelLike, X: ArrayLike, count: int, seed: int = 0) -> Selection:
    """Inducing points for the inputs.

    Parameters
    ----------
    name : str
        One of `names`: "greedy", "random" or "k-means".
    covariance : Covariance or a kernel of particlegvi.kernels
        k; only "greedy" uses it.
    X : array (n, dim)
        The inputs.
    count : int
        M, at most n.
    seed : int
        Of the random part of the rule.

    Returns
    -------
    Selection
        With ``points`` (M, dim), ``indices`` (M,) into X or None where the points are no rows of X, and ``facts``.
        There may be fewer points than asked for, if further points would add nothing; the facts have both numbers.

    Raises
    ------
    ValueError
        If there is no such rule, or the count is below 1 or above n.
    """
    rule = _registry[name]
    x = points("X", X)
    asked = whole("the number of inducing points", count, 1)
    if asked > len(x):
        raise ValueError(f"the number of inducing points must be at most {len(x)}, the rows of X, not {asked}")
    return rule(covariances.of(covariance), x, asked, seed)
