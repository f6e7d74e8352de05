"""Checks of the particles and targets that diagnostics are given, and points that represent a target."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array, Run, Target
from particlegvi.targets import AtomicTarget, DensityTarget, GaussianOptima
from particlegvi.tools import arguments, objects

KnownTarget: TypeAlias = DensityTarget | AtomicTarget | GaussianOptima  # all targets of `particlegvi.target`
CONTRACT: tuple[type[Target], ...] = (DensityTarget, AtomicTarget, GaussianOptima)  # mypy compares them
NARROWEST, SMALLEST = 1e-11, 1e-290  # width of a histogram, relative and absolute
FARTHEST = 1e150  # largest coordinate, whose square is finite


def on_line(particles: ArrayLike) -> NDArray[np.float64]:
    """Particles of shape (n,) or (n, 1) as an array (n,); a ValueError for any other shape and for no particles."""
    allowed = "an array (n,) or (n, 1) of finite numbers with n of at least 1"
    x = arguments.array("particles", particles, allowed)
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1 or not len(x):
        raise arguments.shaped("particles", x, allowed)
    return arguments.finite("particles", x, allowed)


def in_space(particles: object, dim: int | None = None, key: str = "particles") -> NDArray[np.float64]:
    """Particles of shape (n, dim), on the line also (n,), as an array (n, dim); a ValueError for anything else."""
    x = arguments.points(key, particles, dim, least=1)
    farthest = np.max(np.abs(x))
    if farthest > FARTHEST:
        raise ValueError(f"{key} must be numbers of at most {FARTHEST:g}, whose squares are finite, not {farthest:g}")
    return np.ascontiguousarray(x)


def is_target(target: object) -> TypeGuard[KnownTarget]:
    """Whether particles are compared with a target and not with points; a ValueError if it is a wrong target."""
    if isinstance(getattr(target, "kind", None), str):
        objects.target(target)
        return True
    return False


def some(particles: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """At most ``most`` of the particles (n, dim), evenly spaced in their order, since particles are exchangeable."""
    n = len(particles)
    return particles if n <= most else np.ascontiguousarray(particles[np.arange(most) * n // most])


def has_bars(low: float, high: float) -> bool:
    """Whether an interval is wide enough to be cut into bars: a few floats are not, nor are subnormal numbers."""
    return high - low > max(NARROWEST * max(abs(low), abs(high)), SMALLEST)


class FittedGaussian(NamedTuple):
    """Mean and standard deviations (dim,) of the Gaussian of FD-GVI."""

    mean: Array
    sd: Array


def fitted_gaussian(run: Run, record: int = -1) -> FittedGaussian | None:
    """The Gaussian that FD-GVI had fitted at a record; None for the particle methods.

    At an earlier record it follows from two particles or more, which are mean + sd z with the same z at all records.
    """
    if "mean" not in run.info or "sd" not in run.info:
        return None
    mean = np.atleast_1d(np.asarray(run.info["mean"], dtype=np.float64))
    sd = np.broadcast_to(np.asarray(run.info["sd"], dtype=np.float64), mean.shape)
    if record in (-1, len(run.positions) - 1):
        return FittedGaussian(mean, sd)
    then, last = np.asarray(run.positions[record]), np.asarray(run.positions[-1])
    away = last - last.mean(axis=0)
    with np.errstate(invalid="ignore"):  # one particle does not tell
        ratio = np.sum(away * then, axis=0) / np.sum(away * away, axis=0)
    return FittedGaussian(then.mean(axis=0) - ratio * (last.mean(axis=0) - mean), np.abs(ratio) * sd)


def line_target(target: object) -> None:
    """A ValueError unless the target has one dimension."""
    dim = objects.target(target).dim
    if dim != 1:
        raise ValueError(f"target must be of dimension 1 for this distance, not {dim}")


def reference(target: KnownTarget, number: int, seed: int = 0) -> tuple[NDArray[np.float64], float]:
    """Points (number, dim) that represent a target, and the number of independent draws that they are worth.

    On the line they are the quantiles of (i - 1/2)/number, whose distance to the target is neglected: worth infinitely
    many draws. In the plane they are draws.
    """
    if target.dim == 1:
        return target.quantile((np.arange(number) + 0.5) / number)[:, None], np.inf
    return target.sample(number, seed), float(number)
