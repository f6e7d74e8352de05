"""The data of a fit of functions: dots at the values of f that they suggest, bars for means, tangents for slopes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from particlegvi.contracts import Array
from particlegvi.plotting import style
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import FunctionRun

FEW = 150  # with more data than this the dots are small
MEANS, SLOPES = "intervals", "slopes"  # names of kinds of functionals
TANGENT = 0.05  # width of the tangent of a slope, as a part of the panel's


def levels_of(run: FunctionRun) -> Array:
    """The values of f, in any shape, that every panel shows; slopes have none."""
    y, observed = run.problem.y, run.problem.observed
    if observed is None:
        return np.ravel(run.problem.likelihood.levels(y))
    return y[: sum(len(part) for part in observed.parts() if part.name == MEANS)]


def draw_functionals(axes: Axes, run: FunctionRun, width: float) -> None:
    """Draw a mean over an interval as a bar at its height, and a slope as a tangent of the mean function."""
    first = 0
    for part in run.problem.observed.parts():
        y = run.problem.y[first : first + len(part)]
        first += len(part)
        if part.name == MEANS:
            style.outlined(axes.hlines(y, part.low, part.high, color=palette().words, linewidth=3.5, zorder=3))
            axes.plot([], [], color=palette().words, linewidth=3.5, label=say("data_of_means"))
        elif part.name == SLOPES:
            reach = TANGENT * width
            for x, slope, height in zip(part.X[:, 0], y, run.marginals(part.X).mean(), strict=True):
                ends = np.array([-reach, reach])
                (line,) = axes.plot(x + ends, height + slope * ends, color=palette().ink, linewidth=2.6, marker="|",
                                    markersize=7, zorder=3.5)  # fmt: skip
                style.outlined(line)
            axes.plot([], [], color=palette().ink, linewidth=2.6, marker="|", markersize=7, label=say("data_of_slopes"))


def draw_data(axes: Axes, run: FunctionRun, faint: bool = False) -> None:
    """Draw dots at the levels of the observations, and labels, which have none, at the edges of the panel.

    Faint dots are below the functions.
    """
    likelihood, X, y = run.problem.likelihood, run.problem.X[:, 0], run.problem.y
    levels = likelihood.levels(y)
    size = 26.0 if len(y) <= FEW else 5.0
    shade, ground = palette().words, palette().ground
    dots: dict[str, Any] = {"s": size, "color": shade, "edgecolors": ground, "linewidths": 0.3, "zorder": 3}
    if faint:
        dots |= {"color": palette().faint, "zorder": 0.5}
    if likelihood.even:
        dots["alpha"] = 0.8 if len(y) <= FEW else 0.3
        axes.scatter(X, levels[0], label=say("data_of_counts"), **dots)
        axes.scatter(X, levels[1], **dots)
    elif len(levels):
        axes.scatter(X, levels[0], label=say("data"), **dots)
        hollow = {**dots, "color": "none", "edgecolors": palette().words, "linewidths": 1.0}
        for others in levels[1:]:
            axes.scatter(X, others, label=say("data_shifted"), **hollow)
    else:
        across = axes.get_xaxis_transform()
        for label, height, mark in ((1.0, 0.97, "v"), (0.0, 0.03, "^")):
            shown = X[y == label]
            axes.plot(shown, np.full(len(shown), height), mark, markersize=6.0, transform=across,
                      color=palette().words, label=say("label", label=f"{label:.0f}"))


