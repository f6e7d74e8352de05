"""The thesis's estimator of W2^2 beside the exact distance, and the eigenvalues whose roots it adds."""

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
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

SMALLEST = 1e-12  # smallest eigenvalue to draw, relative to the largest


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
    with frame(results, 3, 17.0, note=observations(runs)) as (figure, grid):
        for axes, name in zip(grid, ("itself", "posterior"), strict=False):
            for place, (label, each) in enumerate(found.items()):
                away = np.array(each[name]["mean"]) - each[name]["exact"]
                axes.errorbar(each["points"], away, 2.0 * np.array(each[name]["sd"]), capsize=2.5, linewidth=1.6,
                              markersize=5, **series(place, label, shades[place % len(shades)]))  # fmt: skip
            axes.axhline(0.0, color=palette().ink, linestyle="--", linewidth=1.6, label=say("truth"))
            axes.set_xscale("log")
            ticks = next(iter(found.values()))["points"]
            shown = ticks if look().breadth > 40.0 else ticks[::2]
            axes.set_xticks(shown, [number(f"{each}") for each in shown])
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xlabel(say("number_of_points_of_estimate"))
            axes.set_title(style.narrowed(axes, say(f"estimate_of_{name}")), color=palette().words)
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
    axes.set_xlabel(say("number_of_eigenvalue"))
    share = number(f"{found['improper']:.0%}")
    axes.set_title(style.narrowed(axes, say("spectrum_of", method=style.plain(label), share=share)),
                   color=palette().words)  # fmt: skip
