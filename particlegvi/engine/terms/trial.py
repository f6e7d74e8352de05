"""Tries a user's functions at a few points before anything relies on them: do they run, and do they belong together?"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np


def try_out(value: Callable[[np.ndarray], np.ndarray], gradient: Callable[[np.ndarray], np.ndarray], dim: int) -> None:
    """Call ``value`` (n, dim) -> (n,) and ``gradient`` (n, dim) -> (n, dim) at a few points up to about 10 from 0.

    Raises
    ------
    ValueError
        If a function fails, or if value and gradient are finite together at none of the points.

    Warns
    -----
    UserWarning
        If the gradient disagrees with differences of the value at most of the points.
    """
    number = 6 if dim != 6 else 7  # never dim, so that a transposed result shows
    rng = np.random.default_rng(0)
    points = rng.normal(size=(number, dim)) * np.geomspace(0.3, 3.0, number)[:, None]
    points[0], points[1] = np.abs(points[0]), -np.abs(points[1])  # a loss may live on one side of 0 only
    directions = rng.normal(size=points.shape)
    with np.errstate(all="ignore"):
        try:
            values, gradients = value(points), gradient(points)
            expected, coarser = (
                (value(points + step * directions) - value(points - step * directions)) / (2.0 * step)
                for step in (1e-4, 3e-4)
            )
        except ValueError as error:
            if "it must return" in str(error):
                raise
            raise ValueError(f"the loss failed on a batch of shape {points.shape}: {error!r}") from error
        except Exception as error:
            raise ValueError(f"the loss failed on a batch of shape {points.shape}: {error!r}") from error
        slopes = (gradients * directions).sum(axis=1)
        good = np.isfinite(values) & np.isfinite(gradients).all(axis=1)
        if not good.any():
            what = "gradient" if np.isfinite(values).any() else "value"
            raise ValueError(f"{what} is not finite at any of {number} trial points, for example {points[0].tolist()}")
        # Two steps measure how exact differences are: little for single precision, kinks and steep losses.
        doubt = 4.0 * np.abs(expected - coarser)
        allowed = 1e-3 * (np.abs(expected) + np.abs(slopes)) + 1e-6 * (1.0 + np.abs(values)) + doubt
        wrong = good & np.isfinite(expected) & (np.abs(expected - slopes) > allowed)
    if 2 * wrong.sum() > good.sum():
        at = int(np.argmax(wrong))
        warnings.warn(
            f"gradient disagrees with differences of value at {int(wrong.sum())} of {int(good.sum())} trial points "
            f"(slope {slopes[at]:.6g} against {expected[at]:.6g} near {points[at].tolist()}); particles follow the "
            "gradient, the target follows the value",
            UserWarning,
            stacklevel=3,
        )
