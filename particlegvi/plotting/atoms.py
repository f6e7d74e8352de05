"""Bars of histograms, all of them one artist; at the atoms of a target bars of fractions, and stems of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.moving import Follow
from particlegvi.plotting.protocols import HasAtoms

MANY_ATOMS = 12  # more than this many are drawn as expected heights of bins
# Widths of a bar within which a particle has arrived. Others count in narrower bins: no bar stands out.
ARRIVED = 0.1


def draw_atoms(axes: Axes, particles: Array, target: HasAtoms, colour: str, edges: Array) -> Follow:
    """Bars and stems at the atoms; particles that reached no atom are in bars of their own.

    Returns a function that moves the bars to other particles.
    """
    atoms, weights = np.asarray(target.atoms)[:, 0], np.asarray(target.weights)
    truth = say("truth_atoms")
    if len(atoms) > MANY_ATOMS:
        drawn = draw_histogram(axes, particles, edges, 1.0 / max(len(particles), 1), colour, label=say("particles"))
        expected, _ = np.histogram(atoms, edges, weights=weights)
        middles = (edges[:-1] + edges[1:]) / 2
        axes.plot(middles, expected, "o", color=palette().ink, markersize=4, label=truth, gid="truth")
        return lambda particles: drawn.set_path(path_of(particles, edges, 1.0 / max(len(particles), 1)))
    width = bar_width(atoms, edges)
    fractions, arrived = at_atoms(particles, atoms, ARRIVED * width)
    bars = axes.bar(atoms, fractions, width, label=say("particles"), gid="fractions", color=colour, **bar_look())
    others = draw_histogram(axes, particles[~arrived], edges, 1.0 / max(len(particles), 1), colour)
    others.set_visible(not arrived.all())
    axes.vlines(atoms, 0.0, weights, color=palette().ink, linewidth=1.6)
    axes.plot(atoms, weights, "o", color=palette().ink, markersize=8, label=truth, gid="truth")

    def follow(particles: Array) -> None:
        fractions, arrived = at_atoms(particles, atoms, ARRIVED * width)
        for bar, fraction in zip(bars, fractions, strict=True):
            bar.set_height(fraction)
        others.set_visible(not arrived.all())
        others.set_path(path_of(particles[~arrived], edges, 1.0 / max(len(particles), 1)))

    return follow


def bar_width(atoms: Array, edges: Array) -> float:
    """Width of a bar: to be seen from the last row, and at most half the distance to the next atom."""
    gaps = np.diff(np.sort(atoms))
    return float(min(0.05 * (edges[-1] - edges[0]), 0.5 * np.min(gaps, initial=np.inf)))


def at_atoms(particles: Array, atoms: Array, reach: float) -> tuple[Array, NDArray[np.bool_]]:
    """The fraction of the particles within ``reach`` of each atom, and which particles are near any."""
    distance = np.abs(particles[:, None] - atoms[None, :])
    near = distance.min(axis=1) <= reach
    counts = np.bincount(distance.argmin(axis=1)[near], minlength=len(atoms))
    return counts / max(len(particles), 1), near


def bar_look() -> dict[str, Any]:
    """The look of bars: lighter than the truth drawn over them, parted by lines of the ground."""
    return {"alpha": 0.62, "edgecolor": palette().ground, "linewidth": 0.6}


def draw_histogram(axes: Axes, particles: Array, edges: Array, share: float, colour: str, **settings: Any) -> PathPatch:
    """Histogram bars between ``edges``; each particle adds the height ``share`` to its bar."""
    patch = PathPatch(path_of(particles, edges, share), facecolor=colour, **bar_look(), **settings)
    axes.add_patch(patch)
    return patch


def path_of(particles: Array, edges: Array, share: float) -> Path:
    """The outlines of the bars."""
    heights = share * np.histogram(particles, edges)[0]
    left, right, floor = edges[:-1], edges[1:], np.zeros(len(heights))
    corners = np.array([[left, floor], [left, heights], [right, heights], [right, floor]])  # (4, x and y, bars)
    return Path.make_compound_path_from_polys(corners.transpose(2, 0, 1))
