"""The gap between the evidence and the lower bound of sparse processes, against the number of their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from particlegvi.plotting import reading
from particlegvi.plotting.functions import colours_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations, series
from particlegvi.plotting.look import number, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

LEAST = 1e-3  # nats: a gap that is smaller is drawn here


@figure_kind("bound", of=("function-space",), runs=reading.of_functions)
def bound(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A line for each sparse process whose bound was found for several ``sizes``, on two logarithmic axes.

    The distance is to log p(y) of the exact process, where the scenario has one: Gaussian noise, method GP.
    """
    every = reading.of_functions(results, None)
    exact = [run.info["log_marginal_likelihood"] for run in every.values() if "log_marginal_likelihood" in run.info]
    lines = {label: run.info["bounds"] for label, run in runs.items() if "bounds" in run.info}
    if not exact or not lines:
        raise ValueError("this kind of figure draws scenarios with the method GP, and SVGP with the parameter sizes")
    colours = colours_of(results)
    with frame(results, note=observations(every)) as (figure, [axes]):
        ticks: set[int] = set()
        for place, (label, found) in enumerate(lines.items()):
            at = np.array([each["features"] for each in found])
            gaps = np.array([max(exact[0] - each["bound"], LEAST) for each in found])
            axes.loglog(at, gaps, **series(place, label, colours[label]))
            ticks.update(int(each) for each in at)
        axes.axhline(1.0, color=palette().words, linestyle=":", linewidth=1.5, label=say("one_nat"))
        if axes.get_ylim()[0] < LEAST * 2.0:
            axes.axhspan(LEAST / 1.6, LEAST * 1.3, color=palette().gap, linewidth=0.0, zorder=0, label=say("less"))
            axes.set_ylim(bottom=LEAST / 1.6)
        apart = _apart(sorted(ticks))
        axes.set_xticks(apart, [number(f"{each}") for each in apart])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(say("number_of_features"))
        axes.set_ylabel(say("gap_of_bound"))
    return figure


def _apart(values: Sequence[int]) -> list[int]:
    """The values whose printed numbers do not touch on a logarithmic axis."""
    kept: list[int] = []
    for value in values:
        if not kept or value > 1.45 * kept[-1]:
            kept.append(value)
    return kept
