"""Tries a user's parts at a few points before anything relies on them: do they run, and do they belong together?

Each check compares a slope with differences of its value, and raises a ``ValueError`` of one sentence with both
numbers. The parts of the package are not checked at run time: the tests check them, by `agree` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from particlegvi.contracts import Array, Term
from particlegvi.engine.numerics.user_code import frozen
from particlegvi.tools.arguments import refuse

Values: TypeAlias = Callable[[Array], Array]  # of points (n, dim): (n,)
Slopes: TypeAlias = Callable[[Array], Array]  # of points (n, dim): (n, dim)
Point = TypeVar("Point")

STEP = 1e-4  # of the differences, in units of the width that is given
FEW = 6  # coordinates up to which each is tried by itself
DIRECTIONS = 3  # tried in more coordinates
BATCHES = 48  # whose mean gradient is compared
MOST_TRIALS = 100  # points between -2 and 2 where no other is finite, as in Stan
LATEST = 100_000  # step from which a batch is drawn


def agree(slope: str, value: str, values: Values, slopes: Slopes, points: Array, width: float | Array = 1.0) -> None:
    """Compare slopes (n, dim) at points (n, dim) with central differences of values (n,).

    A ValueError if they disagree at more than half of the points at which both are finite. A kink is at fewer. Its
    message calls them ``slope`` and ``value``, for example "the gradient of banana" and "its value". The width is the
    scale on which the values change, of the shape of ``points`` or broadcast to it.
    """
    with np.errstate(all="ignore"):
        here, slopes_here = values(points), slopes(points)
        good = np.isfinite(here) & np.isfinite(slopes_here).all(axis=1)
        finite = np.abs(here[good])
        scale = np.abs(here) + min(1.0, float(finite.max(initial=0.0)))
        for direction in _directions(points.shape[1]):
            way = direction * width * np.ones(points.shape)
            expected, coarser = (
                (values(points + step * way) - values(points - step * way)) / (2.0 * step)
                for step in (STEP, 3.0 * STEP)
            )
            along = (slopes_here * way).sum(axis=1)
            # Two steps measure how exact differences are: little for single precision, kinks and steep functions.
            doubt = 4.0 * np.abs(expected - coarser)
            allowed = 1e-3 * (np.abs(expected) + np.abs(along)) + 1e-6 * scale + doubt
            known = good & np.isfinite(expected) & np.isfinite(coarser)
            wrong = known & (np.abs(expected - along) > allowed)
            if 2 * wrong.sum() > known.sum():
                at = int(np.argmax(wrong))
                size = float(np.linalg.norm(way[at]))
                where = _where(direction)
                raise ValueError(
                    f"{slope} at {_shown(points[at])} must be {expected[at] / size:.6g}{where}, as differences of"
                    f" {value} say, not {along[at] / size:.6g}"
                )


def try_out(
    name: str, values: Values, gradients: Slopes, dim: int, names: Sequence[str] = (), near: Array | float = 0.0
) -> None:
    """Try the functions of a loss at a few points up to about 10 from 0, or at those of a hundred where it is finite.

    ``near`` is the point that stands for 0.
    A ValueError if one fails, if both are finite together at no point, or if they disagree by differences. ``names``
    are those of the coordinates.
    """
    points = near + trial_points(dim)
    with np.errstate(all="ignore"):
        try:
            values_here, slopes = values(points), gradients(points)
            if not np.isfinite(values_here).any():
                points = near + np.random.default_rng(0).uniform(-2.0, 2.0, (MOST_TRIALS, dim))
                values_here = values(points)
                points = points[np.argsort(~np.isfinite(values_here), kind="stable")[: len(slopes)]]
                values_here, slopes = values(points), gradients(points)
        except Exception as error:
            if isinstance(error, ValueError) and "it must return" in str(error):
                raise
            raise ValueError(f"the loss failed on a batch of shape {points.shape}: {error!r}") from error
    known = np.isfinite(values_here)
    if not known.any():
        raise ValueError(
            f"value is not finite at any of {MOST_TRIALS + len(points)} trial points, for example {points[0].tolist()};"
            " where it is finite far from 0 only, near= takes a point of there"
        )
    if not np.isfinite(slopes[known]).all(axis=1).any():
        at = int(np.argmax(known))
        wrong = int(np.argmax(~np.isfinite(slopes[at])))
        called = f" ({names[wrong]})" if names else ""
        raise ValueError(
            f"gradient is not finite at any trial point where the value is, for example {slopes[at, wrong]} in"
            f" coordinate {wrong + 1}{called} at {_shown(points[at])}"
        )
    agree(f"the gradient of {name}", "its value", values, gradients, points)


def try_term(name: str, term: Term, dim: int, points: Array | None = None, width: float | Array = 1.0) -> None:
    """Try a term of a user in plain Python, so that nothing is compiled for it."""
    term = frozen(term)
    points = trial_points(dim) if points is None else points

    def values(x: Array) -> Array:
        return each(f"the value of {name}", lambda p: term.value(p.copy()), x)

    def fill(x: Array, out: Array, row: int) -> float:
        term.gradient(x[row].copy(), out[row])
        return 0.0

    def slopes(x: Array) -> Array:
        out = np.full(x.shape, np.nan)
        each(f"the gradient of {name}", partial(fill, x, out), range(len(x)))
        return out

    values_here, gradients = values(points), slopes(points)
    known = np.isfinite(values_here)
    if known.any() and not np.isfinite(gradients[known]).all(axis=1).any():
        at = int(np.argmax(known))
        raise ValueError(
            f"the gradient of {name} must be finite where its value is, not {gradients[at].tolist()} at"
            f" {_shown(points[at])}; gradient(x, out) fills out"
        )
    agree(f"the gradient of {name}", "its value", values, slopes, points, width)


def try_batches(name: str, gradients: Slopes, at_step: Callable[[Array, int, int], Array], points: Array) -> None:
    """Compare the mean of ``gradient_at`` over a few steps with the gradient, along the gradient.

    A ValueError if it is off by more than six standard errors. Functions that know no later steps are left alone.
    """
    full = np.asarray(gradients(points), dtype=np.float64)
    size = np.sum(full**2)
    if not np.isfinite(size) or size == 0.0:
        return
    steps = np.random.default_rng(0).integers(0, LATEST, BATCHES).tolist()
    try:
        shares = np.array([np.sum(full * np.asarray(at_step(points, step, 0))) / size for step in steps])
    except (LookupError, ArithmeticError):  # a list of batches that ends, for example
        return
    except Exception as error:
        raise ValueError(f"gradient_at of {name} failed at {_shown(points[0])}: {error!r}") from error
    mean, standard_error = float(shares.mean()), float(shares.std(ddof=1)) / np.sqrt(BATCHES)
    if np.isfinite(mean) and abs(mean - 1.0) > 6.0 * standard_error + 1e-3:
        raise ValueError(
            f"the mean of gradient_at over steps of {name} at {_shown(points[0])} must be the gradient, not"
            f" {mean:.4g} +- {standard_error:.1g} times it"
        )


def trial_points(dim: int) -> Array:
    """A few points up to about 10 from 0, (n, dim) with n not equal to dim, so that a transposed result shows."""
    count = 6 if dim != 6 else 7
    points = np.random.default_rng(0).normal(size=(count, dim)) * np.geomspace(0.3, 3.0, count)[:, None]
    points[0], points[1] = np.abs(points[0]), -np.abs(points[1])  # a loss may live on one side of 0 only
    return points


def each(role: str, function: Callable[[Point], object], points: Iterable[Point]) -> Array:
    """A function's results at these points, each a float64; nan where arithmetic fails, as compiled code has it."""

    def at(x: Point) -> float:
        try:
            with np.errstate(all="ignore"):
                returned = function(x)
        except (ArithmeticError, ValueError):  # of the module math
            return np.nan
        except Exception as error:
            raise ValueError(f"{role} failed at {_shown(np.asarray(x))}: {error!r}") from error
        return float(checked(role, returned, ()))

    return np.array([at(x) for x in points])


def checked(role: str, returned: object, shape: tuple[int, ...]) -> Array:
    """A result of a user's function: double precision, of this shape."""
    array = np.asarray(returned)
    allowed = f"float64 of the shape {shape}" if shape else "a float64"
    if array.dtype.kind not in "biuf" or array.shape != shape:
        raise refuse(role, returned if array.size < FEW else array.shape, allowed)
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        raise ValueError(f"{role} must be {allowed}, not {array.dtype}, which has seven digits only")
    return array.astype(np.float64)


def _directions(dim: int) -> Array:
    if dim <= FEW:
        return np.eye(dim)
    ways = np.random.default_rng(1).normal(size=(DIRECTIONS, dim))
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _where(direction: Array) -> str:
    if len(direction) == 1:
        return ""
    return f" in coordinate {int(np.argmax(direction)) + 1}" if len(direction) <= FEW else " along a random direction"


def _shown(point: Array) -> str:
    few = [f"{number:.6g}" for number in np.atleast_1d(point)[:FEW]]
    return f"[{', '.join(few)}{', ...' * (np.size(point) > FEW)}]"
