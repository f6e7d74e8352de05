"""The distance to the truth over time: when a run arrives, and whether it does."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from particlegvi.contracts import Array
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import Results, Runs, is_density

LEVELS = (0.05, 0.99)
SAMPLES = 200  # samples of exact draws, for the band


@figure_kind("distance", runs=reading.on_the_line)
def distance(results: Results, runs: Runs) -> Figure:
    """W1 of the particles to Q* at every record, and beside it the range of W1 of as many exact draws for each method.

    Both axes are logarithmic, so that the record at time 0 is left out. A bar at the right holds exact draws from their
    5% to their 99% quantile, in the colour of its method: a line at the height of its bar has arrived. A method without
    a density as its truth is left out.

    Parameters
    ----------
    results : Results
        Runs in one dimension.
    """
    colours = style.colours(results)
    with slide(results, runs=runs) as figure:
        axes, beside = figure.subplots(1, 2, sharey=True, width_ratios=[1.0, 0.04 * max(2, len(runs))])
        for place, (label, run) in enumerate(runs.items()):
            target = results.targets.get(label)
            if not is_density(target):
                continue
            number = run.positions.shape[1]
            exact = np.asarray(target.quantile((np.arange(number) + 0.5) / number)).ravel()
            far = [_between(record[:, 0], exact) for record in np.asarray(run.positions)[1:]]
            axes.plot(run.times[1:], far, color=colours[label], linewidth=2.4, label=style.shown_name(label),
                      linestyle=style.DASHES[place % len(style.DASHES)])
            uniforms = np.random.default_rng(0).random((SAMPLES, number))
            draws = np.asarray(target.quantile(uniforms.ravel())).reshape(SAMPLES, number)
            low, high = np.quantile([_between(draw, exact) for draw in draws], LEVELS)
            beside.bar(place, high - low, 0.7, low, color=colours[label], gid=f"exact draws of {label}")
        if beside.patches:
            beside.fill([], [], color=palette().particles, label=say("band_of_exact_draws"))
        axes.set(xscale="log", yscale="log", xlabel=say("time"), ylabel=say("distance_axis"))
        beside.set(xticks=[], xlim=(-0.7, len(runs) - 0.3))
        beside.set_xlabel(say("exact"))
        for side in ("left", "bottom"):
            beside.spines[side].set_visible(False)
        beside.tick_params(axis="y", which="both", left=False, labelleft=False)
    return figure


def _between(particles: Array, exact: Array) -> float:
    """W1 of particles (n,) to Q*, whose n quantiles in the middle of cells of mass 1/n are ``exact``."""
    return float(np.mean(np.abs(np.sort(particles) - exact)))
