"""Figure 5.2: a histogram of the final particles of every method, with the truth drawn over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from particlegvi import diagnostics
from particlegvi.contracts import Array, Scenario, Target
from particlegvi.diagnostics.particles import fitted_gaussian
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.atoms import MANY_ATOMS, bins_around, draw_atoms, draw_histogram, gathered, path_of
from particlegvi.plotting.axis_numbers import parameter_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.moving import MovingFigure, Show, clock_of, together
from particlegvi.plotting.plane import grid_of, panel_grid
from particlegvi.plotting.protocols import Interval, ParticleRun, Results, Runs, Targets, is_atoms, is_density, is_draws

MOST_MINIMA = 200  # of a loss that can be drawn as a curve
HEADROOM = 1.08  # end of a vertical axis divided by the largest value


@figure_kind("histograms", runs=reading.chosen_runs, dim=1, moves=True, bins=rules.whole(1, 1000), range=rules.interval)
def histograms(results: Results, runs: Runs, *, bins: int = 36, range: Interval | None = None) -> MovingFigure:
    """One panel per method: histogram of the final particles, the truth, and the loss in grey.

    Where the truth is a density the area of the bars is one (less what lies outside the panel). Where it is atomic
    (DE) the bars are fractions of the particles, and the truth is a stem with its weight at every atom.

    Parameters
    ----------
    bins : int
        Number of bins across the panel; half of it where bars are fractions.
    range : (low, high), optional
        The part of the axis to show; chosen from the particles and the truth by default.
    """
    colours = style.colours(results)
    limits = common_range(runs, results.targets) if range is None else range
    shows: dict[str, Show] = {}
    rows, columns = panel_grid(len(runs))
    with slide(results, rows, runs, meaning_of_brackets(results, runs), clock_of(runs).at(-1), tall=1.8) as figure:
        panels = grid_of(figure, (rows, columns), len(runs), columns, sharex=True)
        for axes, (label, run) in zip(panels, runs.items(), strict=True):
            target, facts = results.targets.get(label), reading.facts_of(results, label)
            follow = draw_panel(axes, run, target, colours[label], limits, bins)
            style.panel_title(axes, label, run, colours[label])
            shows[label] = together(follow, write_note(axes, run, target, facts, limits))
        share_heights(panels, columns)
        if rows == 1:
            style.level_titles(panels)
        if reading.is_here(next(iter(runs.values())).loss):
            for axes in panels:
                draw_loss(axes, list(runs.values()), limits, axes is panels[-1])
    return MovingFigure(figure, runs, shows, figure.clock)


def common_range(runs: Runs, targets: Targets) -> Interval:
    """An interval that fits the particles of every method and all but 0.2% of every truth, inside the prior's box."""
    samples = [reading.final_particles(run) for run in runs.values()]
    for label in runs:
        target = targets.get(label)
        if is_density(target):
            samples.append(np.asarray(target.quantile(np.array([0.001, 0.999]))))
        elif is_atoms(target):
            samples.append(np.asarray(target.atoms))
    return reading.fitting_range(samples, reading.prior_bounds(next(iter(runs.values()))))


def draw_panel(axes: Axes, run: ParticleRun, target: Target | None, colour: str, limits: Interval, bins: int) -> Show:
    """Bars, truth and axis labels of one method; the truth may be None. Returns what moves the bars to a record."""
    particles = reading.final_particles(run)[:, 0]
    edges = np.linspace(*limits, bins + 1)
    axes.set_xlim(*limits)
    axes.set_xlabel(parameter_of(run.loss)[0])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    at_points = target is None and np.count_nonzero(np.histogram(particles, edges)[0]) <= MANY_ATOMS
    axes.set_ylabel(say("fraction" if at_points or is_atoms(target) else "density"))
    if at_points or is_atoms(target):
        edges = np.linspace(*limits, max(bins // 2, 1) + 1)  # bars at few points are seen from the last row if broad
    if at_points and len(particles):
        edges = bins_around(gathered(particles, float(edges[1] - edges[0])), edges)
    if is_atoms(target):
        follow = draw_atoms(axes, particles, target, colour, edges)
    else:
        width = 1.0 if at_points else float(edges[1] - edges[0])  # on few points the bars are fractions, as at atoms
        bars = draw_histogram(axes, particles, edges, share_of(particles, width), colour, label=say("particles"))
        ink, dashed = palette().ink, (0, (4, 1.5))
        if is_density(target):
            grid = np.linspace(*limits, 1201)
            density, words = np.asarray(target.pdf(grid)).ravel(), say("truth_density")
            axes.plot(grid, density, color=ink, linestyle=dashed, linewidth=2.2, label=words, gid="truth")
        if is_draws(target):
            heights = np.histogram(target.draws[:, 0], edges)[0] * share_of(target.draws, width)
            words = say("truth_draws")
            axes.stairs(heights, edges, color=ink, linestyle=dashed, linewidth=2.0, label=words, gid="truth")

        def follow(particles: Array) -> None:
            bars.set_path(path_of(particles, edges, share_of(particles, width)))

    fitted = draw_fitted(axes, run, limits)

    def show(record: int) -> None:
        follow(reading.final_particles(run, record)[:, 0])
        fitted(record)

    return show


def share_of(particles: Array, width: float = 1.0) -> float:
    """The height that a particle adds to a bar of this width, so that all bars have the area one."""
    return 1.0 / (max(len(particles), 1) * width)


def draw_fitted(axes: Axes, run: ParticleRun, limits: Interval) -> Show:
    """Draw the Gaussian that a run of FD-GVI fitted; returns a function that moves it to another record."""
    if fitted_gaussian(run) is None:
        return lambda record: None
    grid = np.linspace(*limits, 1201)
    (curve,) = axes.plot(
        grid, height_of(run, grid, -1), color=palette().ink, linestyle=":", linewidth=2.2, label=say("fitted_gaussian")
    )
    return lambda record: curve.set_ydata(height_of(run, grid, record))


def height_of(run: ParticleRun, grid: Array, record: int) -> Array:
    """The density of the fitted Gaussian at points of the line."""
    fitted = fitted_gaussian(run, record)
    assert fitted is not None
    mean, sd = float(fitted.mean[0]), float(fitted.sd[0])
    return np.exp(-0.5 * ((grid - mean) / sd) ** 2) / (sd * np.sqrt(2.0 * np.pi))


def write_note(axes: Axes, run: ParticleRun, target: Target | None, facts: Scenario, limits: Interval) -> Show:
    """Write above a panel the distance to the truth and the share of the particles outside, at the end the verdict too.

    Returns a function that writes those of another record.
    """

    def words(record: int) -> tuple[str, ...]:
        particles, distance = reading.final_particles(run, record)[:, 0], facts.get("w1")
        is_end = record in (-1, len(run.positions) - 1)
        if distance is not None and not is_end:
            truth = target.draws if is_draws(target) else target
            distance = diagnostics.wasserstein1(particles, truth)  # type: ignore[arg-type]  # the summary had its W1
        stray = np.mean((particles < limits[0]) | (particles > limits[1])) if len(particles) else 0.0
        # without noise repulsion has no law of its own: it keeps the start
        lacks = bool(facts) and target is None and run.method.mmd_weight > 0.0 and not run.method.kl_weight
        return (
            style.metastable(facts) if is_end else "",
            say("no_distance") * lacks if distance is None else words_of_distance({**facts, "w1": distance}),
            say("outside", share=localised(f"{stray:.1%}")) if stray > 0 else "",
        )

    if not look().note or not any(words(-1)):
        return lambda record: None
    note = style.note_above(axes, *words(-1))

    def write(record: int) -> None:
        # as many lines as the last picture has room for, the first of them below the title
        said, most = [line for line in words(record) if line], note.get_text().count("\n")
        while style.in_note(axes, *said).count("\n") > most:
            said.pop()
        lines = style.in_note(axes, *said)
        note.set_text(lines + "\n" * (most - lines.count("\n")))

    return write


def meaning_of_brackets(results: Results, runs: Runs) -> str:
    """The words that explain the numbers behind W1 on a slide, where there are some."""
    is_needed = look().is_slide and any(reading.facts_of(results, label).get("w1_floor") for label in runs)
    return say("in_brackets") if is_needed else ""


def decimals(value: float) -> str:
    """A distance to three decimals, or to four digits where it is long."""
    return f"{value:.3f}" if value < 10.0 else f"{value:.4g}"


def words_of_distance(facts: Scenario) -> str:
    """The distance, and the range of exact draws where it is known."""
    values = {"distance": facts["w1"], **dict(zip(("low", "high"), facts.get("w1_floor") or (), strict=False))}
    key = "distance_and_draws" if "high" in values else "distance"
    return say(key, **{name: localised(decimals(value)) for name, value in values.items()})


def share_heights(panels: Sequence[Axes], columns: int = 1) -> None:
    """Give panels of the same quantity the same height.

    If the look asks for own axes, each panel has its own height.
    """
    quantities = {axes.get_ylabel() for axes in panels}
    together = [[axes for axes in panels if axes.get_ylabel() == quantity] for quantity in quantities]
    for same in [[axes] for axes in panels] if look().vertical_axis == "own" else together:
        top = max(axes.dataLim.y1 for axes in same) * HEADROOM
        for axes in same:
            position = list(panels).index(axes)
            axes.set_ylim(0.0, top if top > 0 else 1.0)
            axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
            if axes.get_ylabel() == say("fraction") and top > 1.0:
                axes.set_yticks(np.linspace(0.0, 1.0, 6))
            if position % columns > 0 and panels[position - 1] in same:
                axes.set_ylabel("")
                axes.tick_params(labelleft=False)


def draw_loss(axes: Axes, runs: Sequence[ParticleRun], limits: Interval, named: bool) -> None:
    """The loss behind everything else, on an axis of its own at the right of the last panel.

    A loss that changes faster than the grid can show is left out.
    """
    grid = np.linspace(*limits, 2001)
    values = reading.loss_values(runs[0].loss, grid[:, None])
    if len(reading.turning_points(grid, values)[0]) > MOST_MINIMA:
        return
    ends = [reading.finite_particles(np.asarray(run.positions[record])) for run in runs for record in (0, -1)]
    places = np.concatenate(ends)
    places = places[(places[:, 0] >= limits[0]) & (places[:, 0] <= limits[1])]
    top = reading.loss_ceiling(values, reading.loss_values(runs[0].loss, places))
    bottom = float(np.min(values[np.isfinite(values)], initial=top))
    height = (top - bottom) or 1.0
    twin, name = axes.twinx(), parameter_of(runs[0].loss)[1]
    twin.plot(
        grid,
        np.where(values <= top, values, np.nan),
        color=palette().faint,
        linewidth=1.8,
        alpha=0.8,
        label=None if look().is_slide else name,  # its axis has the name
    )
    twin.set_ylim(bottom - 0.06 * height, bottom + height * HEADROOM * 1.02)
    minimisers = reading.global_minimisers(runs[0].loss, limits)
    if 1 <= len(minimisers) <= MANY_ATOMS:
        draw_minimisers(axes, minimisers, np.zeros(len(minimisers)), 8, 5)
    twin.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    twin.spines["right"].set_visible(named)
    twin.tick_params(axis="y", right=named, labelright=named, colors=palette().words)
    twin.yaxis.set_major_locator(MaxNLocator(nbins=5))
    if named:
        twin.set_ylabel(name, color=palette().words)


def draw_minimisers(axes: Axes, places: Array, heights: Array, size: float, order: float) -> None:
    """Diamonds at the global minimisers of the loss."""
    axes.plot(places, heights, "D", color=palette().minimiser, markeredgecolor=palette().ink, markersize=size,
              label=r"$\mathrm{arg\,min}\ \ell$", clip_on=False, zorder=order, gid="minimisers")  # fmt: skip
