"""Counts of particles nearest to each atom of a target, with the limits of chance."""

from __future__ import annotations

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Array, Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen
from particlegvi.targets import AtomicTarget

MOST_ATOMS = 64  # the counts of more atoms are not listed one by one


@fact(120)
def basins(seen: Seen) -> Facts:
    """``basins``: for each atom its weight, the count, and the limits of a binomial count with that weight."""
    if not seen.has_target("atoms") or len(seen.target.atoms) > MOST_ATOMS:
        return {}
    return {"basins": counts(seen.run.final, seen.target)}


def counts(final: Array, target: AtomicTarget) -> list[Facts]:
    """The entries of ``basins`` for final particles (particles, dim)."""
    atoms = np.asarray(target.atoms, dtype=np.float64)
    nearest = np.zeros(len(final), dtype=np.int64)
    distance = np.full(len(final), np.inf)
    for index, atom in enumerate(atoms):  # one atom at a time: all distances of a million particles would not fit
        here = np.sqrt(((final - atom) ** 2).sum(axis=1))
        nearest = np.where(here < distance, index, nearest)
        distance = np.minimum(here, distance)
    return [
        {
            "atom": atom.tolist(),
            "weight": float(weight),
            "count": int((nearest == index).sum()),
            "limits": [int(limit) for limit in diagnostics.binomial_limits(len(final), float(weight))],
            "farthest": float(distance[nearest == index].max(initial=0.0)),
        }
        for index, (atom, weight) in enumerate(zip(atoms, target.weights, strict=True))
    ]
