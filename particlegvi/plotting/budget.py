"""The error of projected Langevin sampling in its four parts, a stacked bar for each method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

PARTS = ("truncation", "nystroem", "step", "sampling")
HATCHES = ("", "//", "..", "xx")


@figure_kind("budget", of=("function-space",), runs=reading.of_functions)
def budget(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A bar for each method PLS with ``budget = true``: the four parts of its error at the data, stacked.

    A diamond is the total, the distance of the particles from the exact process: errors in different directions cancel
    in part, so that it is below the sum. Beside the bar stands the setting to change first.
    """
    found = {label: run.info["budget"] for label, run in runs.items() if "budget" in run.info}
    if not found:
        raise ValueError("this kind of figure draws scenarios with methods PLS whose parameter budget is true")
    at, left = np.arange(len(found)), np.zeros(len(found))
    with frame(results, note=observations({label: runs[label] for label in found}, True)) as (figure, [axes]):
        for part, colour, hatch in zip(PARTS, palette().spare, HATCHES, strict=False):
            widths = np.array([facts[part] for facts in found.values()])
            name = say(f"part_{part}")
            axes.barh(at, widths, 0.55, left, color=colour, hatch=hatch, edgecolor=palette().ground, label=name)
            left += widths
        totals = [facts["total"] for facts in found.values()]
        axes.plot(totals, at, "D", color=palette().ink, markersize=7.0 * look().scale, label=say("total_error"))
        for place, end, facts in zip(at.tolist(), left.tolist(), found.values(), strict=True):
            axes.text(end, place, "  " + say("turn_first", knob=facts["turn"]), va="center", color=palette().words)
        axes.set_xlim(0.0, 1.45 * left.max())
        axes.set_yticks(at, [style.plain(label) for label in found])
        axes.invert_yaxis()
        axes.set_xlabel(say("error_at_data"))
    return figure
