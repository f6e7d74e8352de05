"""The distance to the truth over time: when a run arrives, and whether it does."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from particlegvi import diagnostics
from particlegvi.contracts import Array
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import ParticleRun, Results, Runs, is_density, is_draws

LEVELS = (0.05, 0.99)
MOST_DRAWS = 2000  # of the truth
SAMPLES = 200  # samples of exact draws, for the band


@figure_kind("distance", runs=reading.chosen_runs)
def distance(results: Results, runs: Runs) -> Figure:
    """The distance of the particles to the truth at every record, and beside it its range for as many exact draws.

    On the line it is W1, to Q* or to draws that stand for the truth; in more dimensions it is sliced W1 to such draws.
    Both axes are logarithmic, so that the record at time 0 is left out. A bar at the right holds exact draws from their
    5% to their 99% quantile, in the colour of its method: a line at the height of its bar has arrived. A method without
    such a truth is left out.
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
    target, number = results.targets.get(label), run.positions.shape[1]
    records = np.asarray(run.positions)[1:]
    if is_draws(target):
        found = reading.facts_of(results, label).get("distances", {})
        if not found:
            return None
        one = found.get("w1") or found["sliced_w1"]
        some = np.arange(one["particles"]) * number // one["particles"]
        far = [diagnostics.sliced_wasserstein(record[some], target.draws[:: 1 + len(target.draws) // MOST_DRAWS])
               for record in records]  # fmt: skip
        return far, [one["floor"][0], one["floor"][2]]
    if not is_density(target) or run.positions.shape[2] > 1:
        return None
    exact = np.asarray(target.quantile((np.arange(number) + 0.5) / number)).ravel()
    uniforms = np.random.default_rng(0).random((SAMPLES, number))
    draws = np.asarray(target.quantile(uniforms.ravel())).reshape(SAMPLES, number)
    floor = np.quantile([_between(draw, exact) for draw in draws], LEVELS)
    return [_between(record[:, 0], exact) for record in records], floor.tolist()


def _between(particles: Array, exact: Array) -> float:
    """W1 of particles (n,) to Q*, whose n quantiles in the middle of cells of mass 1/n are ``exact``."""
    return float(np.mean(np.abs(np.sort(particles) - exact)))
