"""The distance to the target in one number, and in words."""

from __future__ import annotations

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact, is_interval, is_number, is_text
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(110, w1=is_number, w1_floor=is_interval, verdict=is_text)
def distance(seen: Seen) -> Facts:
    """``w1`` on the line or ``sliced_w1`` in the plane, its ``_floor`` under exact draws, and the ``verdict``."""
    target, final = seen.target, seen.run.final
    if not seen.has_target("density", "atoms"):
        return {}
    known = seen.found.get("distances", {})
    name = "w1" if target.dim == 1 else "sliced_w1"
    if name in known and (known[name]["particles"] == len(final) or target.dim > 1):
        value, (low, high) = known[name]["value"], known[name]["floor"][:2]
    elif target.dim == 1:
        value = float(diagnostics.wasserstein1(final, target))
        low, high = (float(each) for each in diagnostics.wasserstein1_floor(target, len(final)))
    else:
        return {}
    return {name: value, f"{name}_floor": [low, high], "verdict": verdict(value, high)}


def verdict(value: float, high: float) -> str:
    """A distance in words, compared with the 95% quantile of the distances of as many exact draws."""
    if value <= high:
        return "as close as exact draws"
    if value <= 1.5 * high:
        return "nearly as close as exact draws"
    return "farther than exact draws"
