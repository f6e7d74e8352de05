"""The numbers of one run of particles in ``summary.json``. Their keys are in docs/results.md.

A fact is a function of `Evidence` (`scenario.kinds.particles.evidence`), which lists all its inputs. It is marked by
`scenario.kinds.facts.fact`; any file of this folder may hold some.
"""

from particlegvi.scenario.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
