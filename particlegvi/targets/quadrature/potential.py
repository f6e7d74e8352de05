"""The logarithms that the targets exponentiate: minus the loss over kl_weight, plus the log prior."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Located, Loss, Placed, Prior

UNIFORM = 2**18  # points of the survey's uniform grid over the bulk of a prior on the line
PLANE, PLANE_BOUNDED = 384, 512  # intervals along a side of the one in the plane, and over a box
LogWeight = Callable[[np.ndarray], np.ndarray]


class Place(NamedTuple):
    """The bounds of a prior, with a centre and a scale: the search for mass starts from these, and from known wells."""

    low: np.ndarray  # (dim,), minus infinity where unbounded
    high: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    wells: tuple[np.ndarray, ...] = ()  # boxes (2, dim), the lower corner and the upper one

    @property
    def resolution(self) -> float:
        """Twice the longest side of a box in the bulk that no point of the survey's first grid need meet.

        A round well so wide has a point of the grid in its inner half on the line, in its inner 71% in the plane. One
        of the width of a single side may have points at its very edge alone.
        """
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        points = (2 * UNIFORM, UNIFORM) if len(self.low) == 1 else (PLANE_BOUNDED, PLANE)
        halves = 12.0 if len(self.low) == 1 else 6.0
        sides = np.where(bounded, (self.high - self.low) / points[0], 2.0 * halves * self.scale / points[1])
        return 2.0 * float(np.max(sides))


def gibbs_log_weight(loss: Loss, prior: Prior, kl_weight: float) -> LogWeight:
    """``-loss(x)/kl_weight + log p(x)`` for points (n, dim), shape (n,).

    It is minus infinity where the loss is plus infinity or undefined (outside its domain) and outside the prior's box.
    """
    return partial(_gibbs_log_weight, loss, prior, kl_weight)  # not a local function: a target can be pickled


def _gibbs_log_weight(loss: Loss, prior: Prior, kl_weight: float, points: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        level = -np.asarray(loss.value(points), dtype=np.float64) / kl_weight + prior.log_density(points)
    level[np.isnan(level)] = -np.inf
    return level


def place_of(prior: Prior) -> Place:
    """Bounds, centre and scale of a prior; an unbounded coordinate without mean or sd gets 0 and 1."""
    low, high = np.asarray(prior.low, dtype=np.float64), np.asarray(prior.high, dtype=np.float64)
    bounded = np.isfinite(low) & np.isfinite(high)
    with np.errstate(invalid="ignore"):
        middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    mean, sd = np.zeros(prior.dim), np.ones(prior.dim)
    if isinstance(prior, Located):
        mean, sd = _known(prior.mean, mean), _known(prior.sd, sd)
    elif isinstance(prior, Placed):
        mean, sd = _known(prior.location, mean), _known(prior.scale, sd)
    return Place(low, high, np.where(bounded, middle, mean), np.where(bounded, half, sd))


def _known(known: ArrayLike, otherwise: np.ndarray) -> np.ndarray:
    """The finite numbers of ``known``, as an array of the shape of ``otherwise``, which has the others."""
    number = np.broadcast_to(np.asarray(known, dtype=np.float64), otherwise.shape)
    return np.where(np.isfinite(number), number, otherwise)


def line(log_weight: LogWeight) -> LogWeight:
    """The potential on the line, for arrays of any shape."""
    return partial(_on_line, log_weight)


def _on_line(log_weight: LogWeight, x: np.ndarray) -> np.ndarray:
    return log_weight(np.ascontiguousarray(x).reshape(-1, 1)).reshape(np.shape(x))


def not_integrable(side: str, weight: str = "exp(-loss/kl_weight) times the prior") -> ValueError:
    """The error, ready to raise, for a weight whose integral is infinite."""
    return ValueError(
        f"there is no target: {weight} is not integrable because it does not fall off {side}; "
        "a prior that is not flat, or a loss that grows faster, is needed"
    )
