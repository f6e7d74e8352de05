"""Figures 5.3 and C.1: the final particles of every method over the contours of a loss in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse

from particlegvi.contracts import Array, Facts, Target
from particlegvi.diagnostics.particles import fitted_gaussian
from particlegvi.plotting import plane as planes
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.moving import MovingFigure, Show, clock_of, together
from particlegvi.plotting.protocols import HasDensity, ParticleRun, Results, Runs, is_atoms, is_density, is_draws
from particlegvi.plotting.shares import (
    FEW,
    MANY_MODES,
    modes_of,
    places_of_words,
    true_shares,
    write_shares,
)

MOST_DRAWN = 1000
MASSES = (0.9, 0.5)


@figure_kind("particles", runs=reading.chosen_runs, dim=2, moves=True)
def particles(results: Results, runs: Runs) -> MovingFigure:
    """One panel per method, all with the same axes: final particles over the contours of the loss.

    The truth is drawn with them: for a density the curves around 50% and 90% of its mass, draws as crosses, for an
    atomic limit its atoms, for FD-GVI the ellipses of one and two standard deviations of the Gaussian that was fitted.
    The share of particles in every mode is written next to it, with that of the truth in brackets.
    """
    colours = style.colours(results)
    shows: dict[str, Show] = {}
    modes = results.scenario.get("modes")
    plane = planes.plane_of(runs, results.targets, modes)
    places = modes_of(modes, next(iter(runs.values())).loss)
    words = places_of_words(runs, plane, places) if 2 <= len(places) <= MANY_MODES else None
    rows, columns = planes.panel_grid(len(runs))
    known = any(results.targets.get(label) is not None for label in runs)
    note = say("per_mode") if words is not None and known else ""
    tall = 1.75  # square panels with two lines of title each
    with slide(results, rows, runs, note, clock_of(runs).at(-1), tall) as figure:
        panels = planes.grid_of(figure, (rows, columns), len(runs))
        for position, (label, run) in enumerate(runs.items()):
            axes, target = panels[position], results.targets.get(label)
            style.panel_title(axes, label, run, colours[label])
            moves = [draw_panel(axes, run, target, colours[label], plane, position % columns == 0)]
            moves.append(style.note_metastable(axes, reading.facts_of(results, label), run))
            if words is not None:
                expected = true_shares(target, plane, places)
                moves.append(write_shares(axes, run, expected, colours[label], places, words))
            shows[label] = together(*moves)
        if rows == 1:
            style.level_titles(panels)
    return MovingFigure(figure, runs, shows, figure.clock)


def draw_panel(
    axes: Axes,
    run: ParticleRun,
    target: Target | None,
    colour: str,
    plane: planes.Plane,
    labelled: bool = True,
) -> Show:
    """Draw one panel; numbers at the vertical axis if ``labelled``.

    Returns a function that moves the particles to another record.
    """
    planes.draw_plane(axes, plane, labelled)
    first, last = reading.finite_particles(np.asarray(run.positions[0])), reading.final_particles(run)
    fitted = fitted_gaussian(run)
    # Particles on one point look like one particle: make it larger.
    area = marker_area(len(last)) * (2.5 if is_atoms(target) and len(last) > FEW else 1.0)
    first, last = reading.drawable(first), reading.drawable(last)
    if fitted is None:
        small: Facts = {"s": marker_area(len(first)) * 0.3, "alpha": 0.5, "linewidths": 0}
        axes.scatter(
            first[:, 0], first[:, 1], **small, color=palette().starting, label=say("starting_points"), zorder=2
        )
    edge: Facts = {"edgecolors": palette().ground, "linewidths": 0.6 if len(last) <= 1000 else 0.0}
    dots = axes.scatter(
        last[:, 0],
        last[:, 1],
        s=area,
        color=colour,
        alpha=0.85,
        **edge,
        label=say("particles"),
        zorder=3,
        gid="particles",
    )
    ellipses = [] if fitted is None else draw_gaussian(axes, *fitted)
    if is_density(target):
        draw_mass(axes, target, plane)
    elif is_draws(target):
        some = target.draws[:: max(1, len(target.draws) // MOST_DRAWN)]
        cross: Facts = {"s": 3.0 * marker_area(len(some)), "marker": "+", "linewidths": 0.8}
        axes.scatter(some[:, 0], some[:, 1], **cross, color=palette().ink, alpha=0.5, zorder=2.5, gid="truth")
        axes.plot([], [], "+", color=palette().ink, label=say("truth_draws"))
    elif is_atoms(target):
        atoms = np.asarray(target.atoms)
        circle: Facts = {"s": 330, "facecolors": "none", "edgecolors": palette().ink, "linewidths": 2.0}
        axes.scatter(atoms[:, 0], atoms[:, 1], **circle, zorder=4, label=say("truth_atoms"), gid="truth")

    def show(record: int) -> None:
        dots.set_offsets(reading.drawable(reading.final_particles(run, record)))
        moved = fitted_gaussian(run, record)
        for deviations, ellipse in enumerate(ellipses, 1):
            assert moved is not None
            ellipse.set(center=moved.mean, width=2 * deviations * moved.sd[0], height=2 * deviations * moved.sd[1])

    return show


def marker_area(count: int) -> float:
    """Area of a marker in square points: large for four particles, small for thousands."""
    return float(np.clip(5000.0 / max(count, 1), 3.0, 130.0))


def draw_gaussian(axes: Axes, mean: Array, sd: Array) -> list[Ellipse]:
    """Ellipses of one and two standard deviations of a Gaussian with a diagonal covariance."""
    ellipses = []
    for deviations, width in ((1, 2.0), (2, 1.1)):  # solid, since dashed curves are the truth
        ellipse = Ellipse(
            (mean[0], mean[1]),
            2 * deviations * sd[0],
            2 * deviations * sd[1],
            fill=False,
            edgecolor=palette().ink,
            linewidth=width,
            zorder=4,
        )
        ellipses.append(ellipse)
        axes.add_patch(ellipse)
    axes.plot([], [], color=palette().ink, label=say("gaussian_ellipses"))
    return ellipses


def draw_mass(axes: Axes, target: HasDensity, plane: planes.Plane) -> None:
    """Curves of equal density around given shares of the mass of Q*."""
    across, up, _, density = reading.density_grid(target, *plane.window, size=planes.GRID)
    levels = mass_levels(density, MASSES)
    if len(levels):
        axes.contour(
            across, up, density, levels, colors=palette().ink, linewidths=1.5, linestyles=[(0, (4, 1.5))], zorder=4
        )
    axes.add_line(Line2D([], [], color=palette().ink, linewidth=1.5, linestyle=(0, (4, 1.5)), label=say("truth_mass")))


def mass_levels(density: Array, masses: Sequence[float]) -> list[float]:
    """The density values whose super-level sets hold the given shares of the mass, in ascending order."""
    values = np.sort(np.nan_to_num(density).ravel())[::-1]
    held = np.cumsum(values)
    if not held[-1] > 0:
        return []
    return sorted({float(values[np.searchsorted(held, mass * held[-1])]) for mass in masses})
