"""The numbers of one fit of a function in ``summary.json``. Their keys are in docs/results.md.

A fact is a function of a `FunctionRun` (`scenario.kinds.functions.run`), marked by `scenario.kinds.facts.fact`.
"""

from particlegvi.scenario.kinds.facts import FactRegistry

facts = FactRegistry(__name__)
