"""Rules that choose the inducing points Z among the inputs.

A rule is a function ``rule(covariance, X, count, seed)`` with a ``name`` that returns a `Selection`. A rule marked
``uses_targets`` takes `Targets` as well, and may place points anywhere in the range of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.selection.rules import Selection, Targets
from particlegvi.tools.arguments import points, refuse, scale, vector, whole
from particlegvi.tools.registry import Registry

__all__ = ["Selection", "Targets", "names", "select", "uses_targets"]

_registry: Registry[Callable[..., Selection]] = Registry(__name__, "selection")
names, register = _registry.names, _registry.register


def uses_targets(name: str) -> bool:
    """Whether the rule of this name needs `Targets`, and therefore a Gaussian likelihood."""
    return bool(vars(_registry[name]).get("uses_targets", False))


def select(
    name: str, covariance: KernelLike, X: ArrayLike, count: int, seed: int = 0, targets: Targets | None = None
) -> Selection:
    """Select inducing points for the inputs by a rule.

    Parameters
    ----------
    name : str
        One of `names`: "greedy", "random", or, with targets, "elbo" or "fisher".
    covariance : Covariance or a kernel of particlegvi.kernels
        k; "random" does not use it.
    X : array (n, dim)
        The inputs.
    count : int
        M, at most n.
    seed : int
        Seed of the random part of the rule.
    targets : Targets, optional
        The targets, the noise variance and starting points, for "elbo" and "fisher".

    Returns
    -------
    Selection
        ``points`` (M, dim); ``indices`` (M,), their row numbers in X, or None if they are not rows of X; and ``facts``.
        There may be fewer points than ``count`` if further points would add nothing; the facts have both numbers.
    """
    rule = _registry[name]
    x = points("X", X)
    asked = whole("the number of inducing points", count, 1)
    if asked > len(x):
        raise ValueError(f"the number of inducing points must be at most {len(x)}, the rows of X, not {asked}")
    if uses_targets(name):
        return rule(covariances.of(covariance), x, asked, seed, _checked(targets, x))
    return rule(covariances.of(covariance), x, asked, seed)


def _checked(targets: Targets | None, x: Array) -> Targets:
    if not isinstance(targets, Targets):
        raise refuse("targets", targets, "Targets(y, noise_variance) for a rule that places points by an objective")
    start = None if targets.start is None else points("start", targets.start, x.shape[1])
    return Targets(vector("y", targets.y, len(x)), scale("noise_variance", targets.noise_variance), start)
