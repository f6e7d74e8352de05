"""How far DRE stays above the minimum of its objective, by the noise that is added to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from particlegvi.diagnostics.little_noise import LittleNoise
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.protocols import Interval, ParticleRun, Results

WEIGHTS = np.geomspace(0.01, 1.0, 9)


@figure_kind("noise", runs=reading.on_the_line, range=rules.interval)
def noise(results: Results, runs: Mapping[str, ParticleRun], *, range: Interval | None = None) -> Figure:
    """E loss + mmd_weight MMD^2 above its least value, of the flow on a grid and of particles, by kl_weight.

    One line is the flow at the end of the runs, from their start, one its minimiser, and one, at all kl_weights, a flow
    whose noise falls from the largest to the least. Dots are the particles of a run with noise; DRE is a line.

    Parameters
    ----------
    range : (low, high), optional
        Ends of the grid; by default those of the particles of all records, a little widened.
    """
    chosen = {label: run for label, run in runs.items() if run.method.mmd_weight}
    if not chosen:
        raise ValueError("this kind of figure draws DRE and DRLE, with an mmd_weight above 0")
    run = next(iter(chosen.values()))
    places = np.concatenate([np.ravel(each.positions) for each in chosen.values()])
    wide, time = 0.15 * float(np.ptp(places)), float(run.times[-1])
    grid = range or (float(places.min()) - wide, float(places.max()) + wide)
    problem = LittleNoise(run.loss, run.method, run.prior, grid)
    start, ends = problem.start(run.positions[0][:, 0]), WEIGHTS[[-1, 0]]
    lines = {
        say("flow_at_end", time=number(f"{time:g}")): [problem.after(each, start, time) for each in WEIGHTS],
        say("flow_for_ever"): [problem.flow(each).minimiser() for each in WEIGHTS],
        say("falling_noise"): [problem.cooled((ends[0], ends[1]), start, time)] * len(WEIGHTS),
    }
    colours = style.colours(results)
    with frame(results, runs=runs) as (figure, [axes]):
        for (name, laws), dashes in zip(lines.items(), style.DASHES, strict=False):
            axes.plot(WEIGHTS, problem.excess(laws), color=palette().ink, linestyle=dashes, label=name,
                      linewidth=1.8 * look().scale)  # fmt: skip
        for label, each in chosen.items():
            [excess] = problem.excess([problem.start(each.positions[-1][:, 0])])
            if each.method.kl_weight:
                axes.plot([each.method.kl_weight], [excess], "o", color=colours[label], label=style.plain(label))
            else:
                axes.axhline(excess, color=colours[label], linewidth=1.8, label=style.plain(label))
        axes.set(xscale="log", yscale="log", xlabel=say("kl_weight_axis"), ylabel=say("excess_axis"))
    return figure
