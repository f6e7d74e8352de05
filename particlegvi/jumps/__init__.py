"""Jumps between the modes of a loss, which leave the distribution of N particles invariant: see `Ensemble`.

A DLE or DRLE with jumps arrives at its Q* whatever the barriers, where plain steps wait for a time that grows like
exp(barrier / kl_weight):

>>> import particlegvi as pg
>>> method = pg.methods.DLE(kl_weight=0.25, jumps=pg.jumps.Ensemble(every=50, share=0.1))

``jumps=True`` and, in a scenario, ``jumps = {every = 50}`` or ``jumps = true`` do the same. docs/equilibrium.md has the
reasons and the measurements.
"""

from __future__ import annotations

from particlegvi.jumps.ensemble import Ensemble, resolved

__all__ = ["Ensemble", "resolved"]

EVERY = Ensemble.every  # steps between jumps where nothing else is asked for


def names() -> list[str]:
    """Names of the kinds of jumps."""
    return [Ensemble.__name__]
