"""Whether the sampler has reached its equilibrium."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.functions.run import FunctionRun


@fact(40)
def equilibrium(run: FunctionRun) -> Facts:
    """``equilibrium``: as the sampler states it."""
    return {"equilibrium": run.info["equilibrium"]} if "equilibrium" in run.info else {}
