"""Figures of Gaussian Wasserstein inference: estimates of its distance, and standard deviations against its weight."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from particlegvi.contracts import Facts
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations, series
from particlegvi.plotting.look import localised, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

SMALLEST = 1e-12  # smallest eigenvalue to draw, relative to the largest
PLACES = (("data", "sd_at_data", "DLE", "o", "-"), ("gaps", "sd_in_gaps", "DE", "s", (0, (5, 1.5))))


@figure_kind("estimates", of=("function-space",), runs=reading.named_runs)
def estimates(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """Estimates from a process to itself, and to the posterior less the truth, by their number of points; eigenvalues.

    Each line is a method with ``estimate``; 0 is right in the first two panels, the bars are two standard deviations.
    In the third one, of the method with the most of them, crosses are eigenvalues that are negative or complex.
    """
    found: dict[str, Facts] = {label: run.info["estimates"] for label, run in runs.items() if "estimates" in run.info}
    if not found:
        raise ValueError("this kind of figure draws scenarios with methods GWI that have the parameter estimate")
    shades = palette().spare
    with frame(results, 3, 17.0, note=say("bars_of_estimates"), facts=observations(runs)) as (figure, grid):
        for axes, name in zip(grid, ("itself", "posterior"), strict=False):
            for place, (label, each) in enumerate(found.items()):
                away = np.array(each[name]["mean"]) - each[name]["exact"]
                axes.errorbar(each["points"], away, 2.0 * np.array(each[name]["sd"]), capsize=2.5, linewidth=1.6,
                              markersize=5, **series(place, label, shades[place % len(shades)]))  # fmt: skip
            axes.axhline(0.0, color=palette().ink, linestyle="--", linewidth=1.6, label=say("truth"))
            axes.set_xscale("log")
            ticks = next(iter(found.values()))["points"]
            axes.set_xticks(ticks, [localised(f"{size}") for size in ticks])
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xlabel(say("number_of_points_of_estimate"))
            axes.set_title(say(f"estimate_of_{name}"), color=palette().words)
        grid[0].set_ylabel(say("part_of_trace"))
        most = max(found, key=lambda label: found[label]["improper"])
        _spectrum(grid[2], most, found[most])
    return figure


def _spectrum(axes: Axes, label: str, found: Facts) -> None:
    """Sizes of the eigenvalues in descending order, with a cross on those that a product of covariances cannot have."""
    sizes, wrong = np.array(found["spectrum"]["sizes"]), np.array(found["spectrum"]["improper"])
    sizes = np.maximum(sizes / sizes.max(), SMALLEST)
    order = np.arange(1, len(sizes) + 1)
    axes.semilogy(order[~wrong], sizes[~wrong], "o", color=palette().words, markersize=3.0, label=say("eigenvalues"))
    if wrong.any():
        axes.semilogy(order[wrong], sizes[wrong], "x", color=palette().methods["DE"], markersize=5.0,
                      label=say("improper_eigenvalues"))  # fmt: skip
    axes.set(xlabel=say("number_of_eigenvalue"), ylabel=say("relative_eigenvalue"))
    share = localised(f"{found['improper']:.0%}")
    axes.set_title(say("spectrum_of", method=style.shown_name(label), share=share),
                   color=palette().words)  # fmt: skip


@figure_kind("shrinkage", of=("function-space",), runs=reading.of_functions)
def shrinkage(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """The mean sd of f at the data and in the gaps against w2_weight, a point a method, and 1/a of the theory.

    Horizontal lines are those of the methods without a weight: the sparse and the exact process.
    """
    everything = reading.of_functions(results, None)
    facts = {label: reading.facts_of(results, label) for label in everything}
    found = {label: facts[label] for label, run in runs.items() if "shrinkage" in run.info and "bands" in facts[label]}
    if not found:
        raise ValueError("this kind of figure draws scenarios with methods GWI and a known function")
    weights = {label: float(runs[label].info["w2_weight"]) for label in found}
    labels = sorted((label for label in found if weights[label] > 0.0), key=weights.__getitem__)
    at = np.array([weights[label] for label in labels])
    others = [label for label in everything if "shrinkage" not in everything[label].info and "bands" in facts[label]]
    told = observations({label: runs[label] for label in labels}, True)
    with frame(results, note=say("meaning_of_a"), facts=told) as (figure, [axes]):
        for place, words, method, marker, dashes in PLACES:
            if all(place in found[label]["bands"] for label in labels):
                sds = [found[label]["bands"][place]["sd"] for label in labels]
                colour = palette().methods[method]
                axes.loglog(at, sds, marker=marker, linestyle=dashes, color=colour, label=say(words))
                for other in others[-1:]:
                    axes.axhline(facts[other]["bands"][place]["sd"], color=colour, linestyle=":", linewidth=1.8,
                                 label=say(f"{words}_of", method=style.plain(other)))  # fmt: skip
        first = next(iter(everything.values()))
        prior = float(np.sqrt(first.problem.kernel.diagonal(first.problem.X[:1])[0]))
        shrunk = prior * np.sqrt([runs[label].info["shrinkage"] for label in labels])
        axes.loglog(at, shrunk, color=palette().ink, linestyle="--", linewidth=1.6, label=say("shrunk_prior"))
        axes.set_xlabel(say("weight_of_w2"))
        axes.set_ylabel(say("sd_of_f"))
    return figure
