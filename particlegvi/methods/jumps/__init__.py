"""Jumps between the modes of a loss, which leave the distribution of N particles invariant: see `Jumps`.

A DLE or DRLE with jumps arrives at its Q* whatever the barriers, where plain steps wait for a time that grows like
exp(barrier / kl_weight):

>>> import particlegvi as pg
>>> method = pg.methods.DLE(kl_weight=0.25, jumps=pg.jumps.Jumps(every=50, share=0.1))

``jumps=True`` and, in a scenario, ``jumps = {every = 50}`` or ``jumps = true`` do the same. docs/equilibrium.md has the
reasons and the measurements.
"""

from __future__ import annotations

from particlegvi.methods.jumps.ensemble import Jumps, resolved

Ensemble = Jumps  # the name of the first versions

__all__ = ["Ensemble", "Jumps", "resolved"]
