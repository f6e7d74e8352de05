"""The numbers of one run of particles in ``summary.json``: one small file each. Their keys are in docs/results.md.

A fact is a function of `Seen` marked by `particlegvi.kinds.facts.fact`; `particlegvi.kinds.particles.seen` has what it
can look at.
"""

from __future__ import annotations

from particlegvi.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
