"""The numbers of one fit of a function in ``summary.json``: one small file each. Their keys are in docs/results.md.

A fact is a function of a `particlegvi.kinds.functions.run.FunctionRun`, marked by `particlegvi.kinds.facts.fact`.
"""

from __future__ import annotations

from particlegvi.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
