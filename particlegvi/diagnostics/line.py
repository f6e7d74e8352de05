"""Particles and targets on the line, as the distances need them."""

from __future__ import annotations

from typing import Any

import numpy as np

GRID = 20_001  # points that carry a density target's distribution function
TAIL = 1e-9  # mass left out of that grid on either side


def on_the_line(particles: Any) -> np.ndarray:
    """Sorted particles, from (n,) or (n, 1)."""
    x = np.asarray(particles, dtype=np.float64)
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"particles has shape {x.shape}; (n,) or (n, 1) is allowed")
    if not np.all(np.isfinite(x)):
        raise ValueError("particles has a non-finite number; finite numbers are allowed")
    return np.sort(x)


def check_target(target: Any) -> None:
    """Refuse a target that has no distribution function on the line."""
    if getattr(target, "dim", None) != 1 or getattr(target, "kind", None) not in ("density", "atoms"):
        raise ValueError("target is not a density or atoms in one dimension, which is what is allowed")


def grid(target: Any, points: int = GRID) -> np.ndarray:
    """Ascending points that carry all but a negligible mass of a density target: half of them equally likely."""
    ends = np.asarray(target.quantile(np.array([TAIL, 1.0 - TAIL])), dtype=np.float64)
    even = np.linspace(ends[0], ends[1], points // 2 + 1)
    likely = np.asarray(target.quantile(np.linspace(TAIL, 1.0 - TAIL, points // 2)), dtype=np.float64)
    return np.unique(np.concatenate([even, likely]))


def atoms(target: Any) -> tuple[np.ndarray, np.ndarray]:
    """Ascending atoms of an atomic target and their weights, summing to one."""
    places = np.asarray(target.atoms, dtype=np.float64).reshape(-1)
    order = np.argsort(places)
    weights = np.asarray(target.weights, dtype=np.float64)[order]
    return places[order], weights / weights.sum()
