"""The entry of a loss that was handed in as an object: its name, its dimension, and its values at a few points."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts, Loss
from particlegvi.engine.terms.trial import trial_points

CLOSE = 1e-9  # relative difference of values that are the same but for rounding


def entry(loss: Loss) -> Facts:
    """A scenario's entry for a loss without a registered name, which tells it from others."""
    name = "".join(letter for letter in str(loss.name)[:80] if letter.isprintable())
    return {"given": name or "loss", "dim": int(loss.dim), "values": values(loss)}


def check_same(place: object, known: Facts, loss: Loss) -> None:
    """Refuse another loss than the one of the folder ``place``, whose `entry` is ``known``."""
    if int(loss.dim) != known["dim"]:
        raise ValueError(f"loss must be of dimension {known['dim']}, as that of {place} is, not {int(loss.dim)}")
    if not np.allclose(known["values"], values(loss), rtol=CLOSE, atol=0.0):
        raise ValueError(f"loss must be the one with which {place} was begun, not another: its values differ")


def values(loss: Loss) -> list[float]:
    """The loss at a few points, 0 where it is not finite."""
    with np.errstate(all="ignore"):
        computed = np.asarray(loss.value(trial_points(loss.dim)[:4]), dtype=np.float64)
    return np.where(np.isfinite(computed), computed, 0.0).tolist()
