"""Figures of laws on a grid, without particles: the rates of DRLE, and DRE with noise that is added to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from particlegvi.diagnostics import spread_records, wasserstein1
from particlegvi.diagnostics.little_noise import LittleNoise
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import localised, palette, say
from particlegvi.plotting.protocols import Interval, ParticleRun, Results
from particlegvi.targets import rates
from particlegvi.targets.density import DensityTarget
from particlegvi.targets.fokker_planck import FokkerPlanck

NARROW = 15.0  # sizes of the smallest letters that a panel needs
NUMBERS = np.array([2, 8, 32, 128, 512])
CELLS, MOMENTS = 241, 500
DOTS = 40  # most records of particles
STEPS = 5  # step sizes, each half of the one before, from that of the scenario on
WEIGHTS = np.geomspace(0.01, 1.0, 9)


@figure_kind("rates", runs=reading.chosen_runs, dim=1, range=rules.interval)
def rates_of(results: Results, runs: Mapping[str, ParticleRun], *, range: Interval | None = None) -> Figure:
    """Three panels with W1 to Q*: of the law of one of N particles, of the flow at each time, and of Euler's steps.

    The laws are computed on a grid (`particlegvi.targets.rates`), and are those of the first method with a kl_weight
    and an mmd_weight. Dots are the particles of its run, whose W1 has a floor. Slopes are those of the last points.

    Parameters
    ----------
    results : Results
        Results of a scenario on the line with DRLE.
    range : (low, high), optional
        Ends of the grid; by default those of the particles of all records, a little widened.
    """
    chosen = [(label, run) for label, run in runs.items() if run.method.kl_weight and run.method.mmd_weight]
    if not chosen:
        raise ValueError("this kind of figure draws DRLE, with a kl_weight and an mmd_weight above 0")
    label, run = chosen[0]
    x, colour = np.asarray(run.positions), style.colours(results)[label]
    wide = 0.15 * float(np.ptp(x))
    flow = FokkerPlanck.of(run.loss, run.method, run.prior, range or (x.min() - wide, x.max() + wide), CELLS)
    q = flow.minimiser()
    time, size = float(run.times[-1]), float(run.times[-1] / run.steps[-1])
    found = (
        rates.in_number(flow, q, NUMBERS),
        rates.in_time(flow, q, flow.shares(x[0, :, 0]), time, time / MOMENTS),
        rates.in_step(flow, q, np.ldexp(size, -np.arange(STEPS))),
    )
    words = ("number_of_particles_axis", "time", "step_size_axis")
    with frame(results, 3, NARROW, {label: run}) as (figure, panels):
        for axes, rate, word in zip(panels, found, words, strict=True):
            marker = "" if word == "time" else "o"
            axes.plot(rate.values, rate.distances, marker=marker, color=palette().ink, linewidth=1.8,
                      label=say("law_on_grid"))  # fmt: skip
            axes.set(yscale="log", xscale="linear" if word == "time" else "log")
            text = localised(f"{rate.slope:.2f}").replace("-", "−")  # in time the distance falls like exp(-rate t)
            title = say("rate", rate=text.removeprefix("−")) if word == "time" else say("slope", slope=text)
            axes.set_title(title, color=palette().words)
            axes.set_xlabel(say(word))
            axes.yaxis.set_minor_formatter(NullFormatter())
            if word != "time":
                axes.xaxis.set_minor_formatter(NullFormatter())
        target = results.targets[label]
        if isinstance(target, DensityTarget):
            some = spread_records(len(x), DOTS)
            panels[1].plot(run.times[some], [wasserstein1(x[each], target) for each in some], ".", color=colour,
                           label=style.shown_name(label))  # fmt: skip
        panels[0].set_ylabel(say("distance_axis"))
    return figure


@figure_kind("noise", runs=reading.chosen_runs, dim=1, range=rules.interval)
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
        say("flow_at_end", time=localised(f"{time:g}")): [problem.after(each, start, time) for each in WEIGHTS],
        say("flow_for_ever"): [problem.flow(each).minimiser() for each in WEIGHTS],
        say("falling_noise"): [problem.cooled((ends[0], ends[1]), start, time)] * len(WEIGHTS),
    }
    colours = style.colours(results)
    with frame(results, runs=runs) as (figure, [axes]):
        for (name, laws), dashes in zip(lines.items(), style.DASHES, strict=False):
            axes.plot(WEIGHTS, problem.excess(laws), color=palette().ink, linestyle=dashes, label=name,
                      linewidth=1.8)  # fmt: skip
        for label, each in chosen.items():
            [excess] = problem.excess([problem.start(each.positions[-1][:, 0])])
            name, dot = say("particles_of", method=style.plain(each.method.label)), palette().methods["DRLE"]
            if each.method.kl_weight:
                axes.plot([each.method.kl_weight], [excess], "o", color=dot, markersize=9, label=name)
            else:
                axes.axhline(excess, color=colours[label], linewidth=1.8, label=name)
        axes.set(xscale="log", yscale="log", xlabel=say("kl_weight_axis"), ylabel=say("excess_axis"))
    return figure
