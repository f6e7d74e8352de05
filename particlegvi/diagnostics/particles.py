"""How diagnostics read the particles they are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def on_line(particles: ArrayLike) -> NDArray[np.float64]:
    """Particles of shape (n,) or (n, 1) as an array (n,); a ValueError for any other shape and for no particles."""
    x = np.asarray(particles, dtype=np.float64)
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1 or not len(x):
        raise ValueError(f"particles has the shape {x.shape}; (n,) or (n, 1) with n of at least 1 is allowed")
    _finite(x)
    return x


def in_space(particles: ArrayLike, dim: int | None = None) -> NDArray[np.float64]:
    """Particles of shape (n, dim), on the line also (n,), as an array (n, dim); a ValueError for anything else."""
    x = np.asarray(particles, dtype=np.float64)
    if x.ndim == 1:
        x = x[:, None]
    if x.ndim != 2 or not x.size or dim not in (None, x.shape[1]):
        allowed = "dim" if dim is None else str(dim)
        raise ValueError(f"particles has the shape {x.shape}; (n, {allowed}) with n of at least 1 is allowed")
    _finite(x)
    return np.ascontiguousarray(x)


def some(particles: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """At most ``most`` of the particles (n, dim), evenly spaced in their order: particles are exchangeable."""
    n = len(particles)
    return particles if n <= most else np.ascontiguousarray(particles[np.arange(most) * n // most])


def line_target(target: object) -> None:
    """A ValueError unless the target has one dimension."""
    dim = getattr(target, "dim", None)
    if dim != 1:
        raise ValueError(f"target has {dim} dimensions; this distance is for one")


def _finite(x: NDArray[np.float64]) -> None:
    if not np.all(np.isfinite(x)):
        raise ValueError("particles has numbers that are not finite; finite ones are allowed")
