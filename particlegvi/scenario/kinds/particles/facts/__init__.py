"""The numbers of one run of particles in ``summary.json``. Their keys are in docs/results.md.

A fact is a function of `Seen` (`scenario.kinds.particles.seen`), which lists all inputs of a fact. It is marked by
`scenario.kinds.facts.fact`; any file of this folder may hold some.
"""

from particlegvi.scenario.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
