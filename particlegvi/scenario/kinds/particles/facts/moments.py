"""Means and standard deviations of the final particles; variances divide by n, not by n - 1."""

from __future__ import annotations

from particlegvi.contracts import Array, Facts
from particlegvi.scenario.kinds.facts import fact, is_per_coordinate
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(20, ("mean", "sd"), mean=is_per_coordinate, sd=is_per_coordinate)
def moments(seen: Seen) -> Facts:
    """``mean`` and ``sd``: a number in one dimension, a list otherwise."""
    final = seen.run.final
    return {"mean": _per_coordinate(final.mean(axis=0)), "sd": _per_coordinate(final.std(axis=0))}


def _per_coordinate(values: Array) -> float | list[float]:
    return float(values[0]) if len(values) == 1 else [float(value) for value in values]
