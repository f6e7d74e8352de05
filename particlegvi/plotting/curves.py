"""One fit of functions: its data, and the functions over their inputs with mean and band, which move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes

from particlegvi.contracts import Array
from particlegvi.plotting import style
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.protocols import FunctionRun

BAND, COUNTED = (0.025, 0.975), (0.05, 0.95)  # ends of a band, and of that whose share of the data is counted
WIDE = 1.959963984540054  # standard deviations of a band of 95%
DOTS = (0, (1, 1.4))
FEW = 150  # with more data than this the dots are small
MEANS, SLOPES = "intervals", "slopes"  # names of kinds of functionals
TANGENT = 0.05  # width of the tangent of a slope, as a part of the panel's
SIGNS = ("functions_above", "functions_below")  # words for functions where the posterior has two signs

Follow: TypeAlias = Callable[[FunctionRun], None]  # puts artists to a run as it was at a record


def draw_functions(
    axes: Axes, run: FunctionRun, grid: Array, sampled: Array, colour: str, turning: float, *, counted: bool = False
) -> Follow:
    """Draw the sampled functions and, where the cost is convex, the mean and band of their distribution.

    The band is that of 90% if it is ``counted``. Returns a function that moves them to another record of the run.
    """
    if run.problem.likelihood.even:
        return draw_signs(axes, grid, sampled, turning)
    lines = axes.plot(grid, sampled.T, color=colour, linewidth=0.8, alpha=0.3)
    axes.plot([], [], color=palette().words, linewidth=1.0, alpha=0.7, label=say("sampled_functions"))
    follows = [draw_band(axes, run, grid, colour, counted)] if run.problem.likelihood.convex else []

    def follow(then: FunctionRun) -> None:
        for line, values in zip(lines, evenly(then.sample(grid), len(lines)), strict=True):
            line.set_ydata(values)
        for each in follows:
            each(then)

    return follow


def draw_signs(axes: Axes, grid: Array, sampled: Array, turning: float) -> Follow:
    """Draw functions in the colour of their sign at one input."""
    place, signs = int(np.argmin(np.abs(grid - turning))), palette().signs
    positive = sampled[:, place] > 0.0
    order, lines = np.concatenate([np.flatnonzero(positive), np.flatnonzero(~positive)]), []
    for rows, shade, key in zip((positive, ~positive), signs, SIGNS, strict=True):
        lines += axes.plot(grid, sampled[rows].T, color=shade, linewidth=1.0, alpha=0.5) if rows.any() else []
        axes.plot([], [], color=shade, label=say(key, x=localised(f"{turning:.3g}")))

    def follow(then: FunctionRun) -> None:
        for line, values in zip(lines, evenly(then.sample(grid), len(sampled))[order], strict=True):
            line.set_ydata(values)
            line.set_color(signs[int(values[place] <= 0.0)])

    return follow


def draw_band(axes: Axes, run: FunctionRun, grid: Array, colour: str, counted: bool = False) -> Follow:
    """Draw the band that holds 95% of the distribution at each input, or the one that is counted, and its mean."""
    shares, name = (COUNTED, say("band_counted")) if counted else (BAND, say("band"))
    low, middle, high = band_of(run, grid, shares)
    band = axes.fill_between(grid, low, high, color=colour, alpha=0.16, linewidth=0.0)
    axes.fill([], [], color=palette().words, alpha=0.25, linewidth=0.0, label=name)
    (mean,) = axes.plot(grid, middle, color=style.lettering(colour), linewidth=2.2)
    axes.plot([], [], color=palette().words, linewidth=2.2, label=say("mean"))

    def follow(then: FunctionRun) -> None:
        low, middle, high = band_of(then, grid, shares)
        # The outline as fill_between makes it: along the lower edge, and back along the upper one.
        ends = [(grid[0], high[0])], np.column_stack([grid, low]), [(grid[-1], high[-1])]
        band.set_verts([np.concatenate([*ends, np.column_stack([grid, high])[::-1]])])
        mean.set_ydata(middle)

    return follow


def mark_beyond(axes: Axes, run: FunctionRun, grid: Array, colour: str) -> None:
    """Mark where the mean is farthest beyond the lower or upper end of the panel: a triangle with its value."""
    mean, shade, across = run.marginals(grid).mean(), style.lettering(colour), axes.get_xaxis_transform()
    low, high = axes.get_ylim()
    for place, end, mark in ((np.argmin(mean), 0.0, "v"), (np.argmax(mean), 1.0, "^")):
        if not low <= mean[place] <= high:
            x, value = grid[place], localised(f"{mean[place]:.3g}").replace("-", "−")
            axes.plot([x], [end], mark, color=shade, markersize=9.0, transform=across, clip_on=False, zorder=5)
            axes.annotate(value, (x, end), (8.0 * look().letters, 0.0), xycoords=across, textcoords="offset points",
                          va="top" if end else "bottom", color=shade, gid="beyond")  # fmt: skip


def draw_target_band(axes: Axes, run: FunctionRun, grid: Array, colour: str) -> None:
    """Draw the edges of the band that holds 95% of new observations at each input."""
    marginals, likelihood = run.marginals(grid), run.problem.likelihood
    mean = marginals.expectation(likelihood.mean)
    square = marginals.expectation(lambda f: likelihood.variance(f) + (likelihood.mean(f) - mean) ** 2)
    sd = np.sqrt(square)
    for edge in (mean - WIDE * sd, mean + WIDE * sd):
        axes.plot(grid, edge, color=style.lettering(colour), linestyle=DOTS, linewidth=1.6)
    axes.plot([], [], color=palette().words, linestyle=DOTS, linewidth=1.6, label=say("band_of_targets"))


def draw_guarantee(axes: Axes, run: FunctionRun, exact: FunctionRun | None, grid: Array, colour: str) -> None:
    """Draw the ends of the certified band, which contains the band of the exact process, and the ends of the latter."""
    ends = run.guaranteed(grid[:, None])
    axes.plot([], [], color=palette().words, linewidth=4.5, alpha=0.7, label=say("guaranteed_band"))
    if exact is not None:
        low, _, high = band_of(exact, grid)
        for edge in (low, high):
            axes.plot(grid, edge, color=palette().ink, linestyle=DOTS, linewidth=1.8, zorder=3.5)
        name = say("exact_band", label=exact.label)
        axes.plot([], [], color=palette().ink, linestyle=DOTS, linewidth=1.8, label=name)
    for end in ends if ends is not None else ():
        axes.plot(grid, end, color=colour, linewidth=4.5, alpha=0.7, zorder=1.9)


def guaranteed_reach(run: FunctionRun, grid: Array) -> str:
    """Half the width of the certified band in words, its median over the inputs; empty without a certificate."""
    ends = run.guaranteed(grid[:, None])
    if ends is None:
        return ""
    reach = float(np.median(ends[1] - ends[0]) / 2.0)
    if not np.isfinite(reach):
        return say("guaranteed_nothing")
    return say("guaranteed_reach", reach=localised(f"{reach:.2g}"))


def band_of(run: FunctionRun, grid: Array, shares: tuple[float, float] = BAND) -> tuple[Array, Array, Array]:
    """The lower edge of the band, the mean and the upper edge."""
    marginals = run.marginals(grid)
    low, high = (marginals.quantile(share) for share in shares)
    return low, marginals.mean(), high


def evenly(sampled: Array, most: int) -> Array:
    """At most ``most`` rows, evenly chosen."""
    return sampled[np.unique(np.linspace(0, len(sampled) - 1, min(most, len(sampled))).astype(int))]


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
            axes.plot(
                shown,
                np.full(len(shown), height),
                mark,
                markersize=6.0,
                transform=across,
                color=palette().words,
                label=say("label", label=f"{label:.0f}"),
            )
