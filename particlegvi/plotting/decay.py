"""The eigenvalues of the bases of several methods, which decay at a rate that the covariance and nu determine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from particlegvi.plotting import reading
from particlegvi.plotting.functions import colours_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations, series
from particlegvi.plotting.look import say
from particlegvi.plotting.protocols import FunctionRun, Results

LEAST = 1e-18  # of the largest eigenvalue


@figure_kind("decay", of=("function-space",), runs=reading.of_functions)
def decay(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A line of eigenvalues for each method with a basis that has them, against their number, from 1 on."""
    lines = {label: found for label, run in runs.items() if (found := run.eigenvalues()) is not None}
    if not lines:
        raise ValueError("this kind of figure draws scenarios with methods PLS or SVGP whose basis has eigenvalues")
    colours, largest = colours_of(results), max(found[0] for found in lines.values())
    with frame(results, note=observations(runs)) as (figure, [axes]):
        for place, (label, found) in enumerate(lines.items()):
            shown = found[found >= LEAST * largest]
            axes.semilogy(np.arange(1, len(shown) + 1), shown, **series(place, label, colours[label]))
        axes.set_xlabel(say("number_of_eigenvalue"))
        axes.set_ylabel(say("eigenvalue"))
    return figure
