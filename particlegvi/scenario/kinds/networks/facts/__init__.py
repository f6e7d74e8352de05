"""The numbers of one run of networks in ``summary.json``. Their keys are in docs/networks.md.

A fact is a function of a `NetworkRun` (`scenario.kinds.networks.simulating`), marked by `scenario.kinds.facts.fact`.
"""

from particlegvi.scenario.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
