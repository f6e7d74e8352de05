"""The facts that the run states about itself."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(50, run=is_table)
def run_info(seen: Seen) -> Facts:
    """``run``: kernel, algorithm, integrator, ...; the seconds are in the manifest only."""
    return {"run": {name: value for name, value in seen.run.info.items() if name != "seconds"}}
