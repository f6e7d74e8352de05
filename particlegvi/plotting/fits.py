"""Figures of the approximations that fits of functions make: bounds, eigenvalues, KL of values, parts of the error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from particlegvi.contracts import Facts
from particlegvi.plotting import reading, style
from particlegvi.plotting.functions import colours_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations, series
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

CLOSEST = 1e-3  # nats: a gap that is smaller is drawn here
SMALLEST = 1e-18  # of the largest eigenvalue
LEAST = 1e-4  # nats: a KL that is smaller is drawn here
NARROW = 20.0  # sizes of the smallest letters that a panel needs
PARTS = ("truncation", "nystroem", "step", "sampling")
HATCHES = ("", "//", "..", "xx")
KNOBS = {"inducing_points": "number_of_inducing_points", "step_size": "part_step", "steps": "number_of_steps"}


@figure_kind("bound", of=("function-space",), runs=partial(reading.of_functions, inputs=None))
def bound(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A line for each sparse process whose bound was found for several ``sizes``, on two logarithmic axes.

    The distance is to log p(y) of the exact process, where the scenario has one: Gaussian noise, method GP.
    """
    every = reading.of_functions(results, None, None)
    exact = [run.info["log_marginal_likelihood"] for run in every.values() if "log_marginal_likelihood" in run.info]
    lines = {label: run.info["bounds"] for label, run in runs.items() if "bounds" in run.info}
    if not exact or not lines:
        raise ValueError("this kind of figure draws scenarios with the method GP, and SVGP with the parameter sizes")
    colours = colours_of(results)
    with frame(results, facts=observations(every)) as (figure, [axes]):
        ticks: set[int] = set()
        for place, (label, bounds) in enumerate(lines.items()):
            at = np.array([size["features"] for size in bounds])
            gaps = np.array([max(exact[0] - size["bound"], CLOSEST) for size in bounds])
            axes.loglog(at, gaps, **series(place, label, colours[label]))
            ticks.update(int(features) for features in at)
        axes.axhline(1.0, color=palette().words, linestyle=":", linewidth=1.5, label=say("one_nat"))
        if axes.get_ylim()[0] < CLOSEST * 2.0:
            axes.axhspan(CLOSEST / 1.6, CLOSEST * 1.3, color=palette().gap, linewidth=0.0, zorder=0, label=say("less"))
            axes.set_ylim(bottom=CLOSEST / 1.6)
        axes.set_xticks(sorted(ticks), [localised(f"{size}") for size in sorted(ticks)])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(say("number_of_features"))
        axes.set_ylabel(say("gap_of_bound"))
    return figure


@figure_kind("decay", of=("function-space",), runs=reading.of_functions)
def decay(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A line of eigenvalues for each method with a basis that has them, against their number, from 1 on."""
    lines = {label: eigenvalues for label, run in runs.items() if (eigenvalues := run.eigenvalues()) is not None}
    if not lines:
        raise ValueError("this kind of figure draws scenarios with methods PLS or SVGP whose basis has eigenvalues")
    colours, largest = colours_of(results), max(eigenvalues[0] for eigenvalues in lines.values())
    with frame(results, facts=observations(runs)) as (figure, [axes]):
        for place, (label, eigenvalues) in enumerate(lines.items()):
            shown = eigenvalues[eigenvalues >= SMALLEST * largest]
            axes.semilogy(np.arange(1, len(shown) + 1), shown, **series(place, label, colours[label]))
        axes.set_xlabel(say("number_of_eigenvalue"))
        axes.set_ylabel(say("eigenvalue"))
    return figure


@figure_kind("measurement", of=("function-space",), runs=reading.named_runs)
def measurement(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """Left KL to the prior of the values at random sets, and right KL to the posterior, of models BLR with ``sizes``.

    Dashed is KL of the weights to the prior of the exact model, where there is one.
    """
    lines: dict[str, list[Facts]] = {label: run.info["sizes"] for label, run in runs.items() if "sizes" in run.info}
    if not lines:
        raise ValueError("this kind of figure draws scenarios with methods BLR that have the parameter sizes")
    exact = [run.info["kl_to_prior"] for run in runs.values() if run.info.get("kl") == "exact"]
    colours = colours_of(results)
    with frame(results, 2, NARROW, facts=observations(runs)) as (figure, [left, right]):
        for place, (label, sizes) in enumerate(lines.items()):
            kind = series(place, label, colours[label])
            _line(left, sizes, "kl_at_sets", kind)
            _line(right, sizes, "kl_to_posterior", kind)
        if exact:
            left.axhline(exact[0], color=palette().ink, linestyle="--", linewidth=1.5, label=say("kl_of_weights"))
        left.set_ylim(bottom=0.0)
        right.set_yscale("log")
        right.axhspan(LEAST / 2.0, LEAST * 1.6, color=palette().gap, linewidth=0.0, zorder=0, label=say("less"))
        right.set_ylim(bottom=LEAST / 2.0)
        for axes, key in ((left, "kl_of_values"), (right, "kl_to_the_posterior")):
            axes.set_xlabel(say("inputs_in_a_set"))
            axes.set_title(say(key), color=palette().words)
    return figure


def _line(axes: Axes, sizes: list[Facts], key: str, kind: Facts) -> None:
    """The finite numbers of a method, none below `LEAST`."""
    pairs = [(size["points"], max(size[key], LEAST)) for size in sizes if not isinstance(size[key], str)]
    if pairs:
        at, values = np.array(pairs).T
        axes.plot(at, values, linewidth=1.8, **kind)


@figure_kind("budget", of=("function-space",), runs=reading.of_functions)
def budget(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """A bar for each method PLS with ``budget = true``: the four parts of its error at the data, stacked.

    A diamond is the total, the distance of the particles from the exact process: errors in different directions cancel
    in part, so that it is below the sum. Below its name stands the setting to change first, but not on a slide.
    """
    budgets = {label: run.info["budget"] for label, run in runs.items() if "budget" in run.info}
    if not budgets:
        raise ValueError("this kind of figure draws scenarios with methods PLS whose parameter budget is true")
    at, left = np.arange(len(budgets)), np.zeros(len(budgets))
    with frame(results, facts=observations({label: runs[label] for label in budgets}, True)) as (figure, [axes]):
        for part, colour, hatch in zip(PARTS, palette().spare, HATCHES, strict=False):
            widths = np.array([facts[part] for facts in budgets.values()])
            name = say(f"part_{part}")
            axes.barh(at, widths, 0.55, left, color=colour, hatch=hatch, edgecolor=palette().ground, label=name)
            left += widths
        totals = [facts["total"] for facts in budgets.values()]
        axes.plot(totals, at, "D", color=palette().ink, markersize=7.0, label=say("total_error"))
        axes.set_xlim(0.0, 1.05 * left.max())
        knobs = {label: KNOBS.get(facts["turn"], facts["turn"]) for label, facts in budgets.items()}
        names = {label: say("turn_first", knob=say(knob)) for label, knob in knobs.items()}
        below = {label: "" if look().is_slide else f"\n{first}" for label, first in names.items()}  # the longest part
        axes.set_yticks(at, [f"{style.shown_name(label)}{first}" for label, first in below.items()])
        axes.invert_yaxis()
        axes.set_xlabel(say("error_at_data"))
    return figure
