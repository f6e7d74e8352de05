"""Bars of histograms, all of them one artist; at the atoms of a target bars of fractions, and stems of weights."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from particlegvi.contracts import Array
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.moving import Follow
from particlegvi.plotting.protocols import HasAtoms

MANY_ATOMS = 12  # more than this many are drawn as expected heights of bins


def draw_atoms(axes: Axes, particles: Array, target: HasAtoms, colour: str, edges: Array) -> Follow:
    """Bars of fractions, one of them around each atom, and a stem of its weight at each.

    Returns a function that moves the bars to other particles.
    """
    atoms, weights = np.asarray(target.atoms)[:, 0], np.asarray(target.weights)
    few, share = len(atoms) <= MANY_ATOMS, 1.0 / max(len(particles), 1)
    edges = bins_around(atoms, edges) if few else edges
    bars = draw_histogram(axes, particles, edges, share, colour, label=say("particles"), gid="fractions")
    if few:
        axes.vlines(atoms, 0.0, weights, color=palette().ink, linewidth=1.6)
    else:
        atoms, weights = (edges[:-1] + edges[1:]) / 2, np.histogram(atoms, edges, weights=weights)[0]
    size = 8 if few else 4
    axes.plot(atoms, weights, "o", color=palette().ink, markersize=size, label=say("truth_atoms"), gid="truth")
    return lambda particles: bars.set_path(path_of(particles, edges, share))


def bins_around(atoms: Array, edges: Array) -> Array:
    """Bins about as wide as those between ``edges``, so that each atom is in the middle of one.

    A bar at an atom is then as wide as other bars: particles on their way there do not look as if they had arrived.
    """
    places, width = np.unique(atoms), float(edges[1] - edges[0])
    half = 0.5 * float(np.min(np.diff(places), initial=width))
    outside = half + np.arange(len(edges)) * width
    parts = [places[0] - outside, places[-1] + outside]
    for left, right in pairwise(places):
        parts.append(np.linspace(left + half, right - half, 1 + max(1, round((right - left - 2.0 * half) / width))))
    return np.unique(np.concatenate(parts))


def gathered(particles: Array, width: float) -> Array:
    """The means of particles that lie together: neighbours less than ``width`` apart."""
    ordered = np.sort(particles[np.isfinite(particles)])
    parts = np.split(ordered, np.flatnonzero(np.diff(ordered) >= width) + 1)
    return np.array([part.mean() for part in parts if len(part)])


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
