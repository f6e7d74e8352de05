"""The numbers of one run of networks in ``summary.json``: one small file each. Their keys are in docs/networks.md.

A fact is a function of a `particlegvi.kinds.networks.run.NetworkRun`, marked by `particlegvi.kinds.facts.fact`.
"""

from __future__ import annotations

from particlegvi.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
