"""The distance to the truth over time: when a run arrives, and whether it does."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from particlegvi import diagnostics
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import ParticleRun, Results, Runs, is_density, is_draws

MOST_DRAWS = 2000  # of the truth


@figure_kind("distance", runs=reading.chosen_runs)
def distance(results: Results, runs: Runs) -> Figure:
    """The distance of the particles to the truth at every record, and beside it its range for as many exact draws.

    On the line it is W1, to Q* or to draws that stand for the truth; in more dimensions it is sliced W1 to such draws.
    Both axes are logarithmic, so that the record at time 0 is left out. A band, and the bar at its right, hold exact
    draws from their 5% to their 95% quantile, in the colour of the method: a line in its band has arrived. A method
    without such a truth is left out.
    """
    colours = style.colours(results)
    known = {label: _over_time(results, label, run) for label, run in runs.items()}
    dim = max(run.positions.shape[2] for run in runs.values())
    if dim > 1 and not any(known.values()):
        raise ValueError(
            f"the particles have {dim} dimensions; figures of 1 and 2 can be drawn, and in more the distance to draws"
            " of the truth, pg.compare(..., reference=draws)"
        )
    with slide(results, runs=runs) as figure:
        axes, beside = figure.subplots(1, 2, sharey=True, width_ratios=[1.0, 0.04 * max(2, len(runs))])
        for place, (label, found) in enumerate(known.items()):
            if found is None:
                continue
            far, (low, high) = found
            axes.plot(
                runs[label].times[1:],
                far,
                color=colours[label],
                linewidth=2.4,
                label=style.shown_name(label),
                linestyle=style.DASHES[place % len(style.DASHES)],
            )
            axes.axhspan(low, high, color=colours[label], alpha=0.25 / len(runs), linewidth=0.0, zorder=0.5)
            beside.bar(place, high - low, 0.7, low, color=colours[label], gid=f"exact draws of {label}")
        if beside.patches:
            beside.fill([], [], color=palette().particles, label=say("band_of_exact_draws"))
        words = say("distance_axis") if dim == 1 else say("sliced_distance")
        axes.set(xscale="log", yscale="log", xlabel=say("time"), ylabel=words)
        beside.set(xticks=[], xlim=(-0.7, len(runs) - 0.3))
        beside.set_xlabel(say("exact"))
        for side in ("left", "bottom"):
            beside.spines[side].set_visible(False)
        beside.tick_params(axis="y", which="both", left=False, labelleft=False)
    return figure


def _over_time(results: Results, label: str, run: ParticleRun) -> tuple[list[float], list[float]] | None:
    """The distance at every record after the first, and the ends of the band; None without a truth to measure it to."""
    target, records = results.targets.get(label), np.asarray(run.positions)[1:]
    found = reading.facts_of(results, label).get("distances", {})
    known = found.get("w1") or found.get("sliced_w1")
    if known is None:
        return None
    band = known["floor"][:2]  # the level of the brackets in histograms
    if is_draws(target):
        some = np.arange(known["particles"]) * run.positions.shape[1] // known["particles"]
        draws = target.draws[:: 1 + len(target.draws) // MOST_DRAWS]
        return [diagnostics.sliced_wasserstein(record[some], draws) for record in records], band
    if not is_density(target) or run.positions.shape[2] > 1:
        return None
    far = [diagnostics.wasserstein1(record, target) for record in records]  # type: ignore[arg-type]  # it had one
    return far, band
