"""Bars of histograms, all of them one artist; at the atoms of a target bars of fractions, and stems of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.plotting import style
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.moving import Follow
from particlegvi.plotting.protocols import HasAtoms, Interval

LYING = 2.7  # lines of words that stand on the atoms, beside each other
MANY_ATOMS = 12  # more than this many are drawn as expected heights of bins, without their weights


def draw_atoms(axes: Axes, particles: Array, target: HasAtoms, colour: str, edges: Array) -> tuple[float, Follow]:
    """Bars and stems at the atoms; particles that reached no atom are in bars of their own.

    Returns the lines of the words, and a function that moves bars and words to other particles.
    """
    atoms, weights = np.asarray(target.atoms)[:, 0], np.asarray(target.weights)
    truth = say("truth_atoms")
    if len(atoms) > MANY_ATOMS:
        drawn = draw_histogram(axes, particles, edges, 1.0 / max(len(particles), 1), colour, label=say("particles"))
        expected, _ = np.histogram(atoms, edges, weights=weights)
        middles = (edges[:-1] + edges[1:]) / 2
        axes.plot(middles, expected, "o", color=palette().ink, markersize=4, label=truth, gid="truth")
        return 0.0, lambda particles: drawn.set_path(path_of(particles, edges, 1.0 / max(len(particles), 1)))
    width = bar_width(atoms, edges)
    fractions, arrived = at_atoms(particles, atoms, width / 2)
    bars = axes.bar(atoms, fractions, width, label=say("particles"), gid="fractions", color=colour, **bar_look())
    others = draw_histogram(axes, particles[~arrived], edges, 1.0 / max(len(particles), 1), colour)
    others.set_visible(not arrived.all())
    axes.vlines(atoms, 0.0, weights, color=palette().ink, linewidth=1.6)
    axes.plot(atoms, weights, "o", color=palette().ink, markersize=8, label=truth, gid="truth")
    lines, write = write_weights(axes, atoms, weights, fractions, (float(edges[0]), float(edges[-1])))

    def follow(particles: Array) -> None:
        fractions, arrived = at_atoms(particles, atoms, width / 2)
        for bar, fraction in zip(bars, fractions, strict=True):
            bar.set_height(fraction)
        others.set_visible(not arrived.all())
        others.set_path(path_of(particles[~arrived], edges, 1.0 / max(len(particles), 1)))
        write(fractions)

    return lines, follow


def write_weights(axes: Axes, atoms: Array, weights: Array, fractions: Array, limits: Interval) -> tuple[float, Follow]:
    """Write fraction and weight over every atom, unless there is too little room.

    Returns the lines of the words, and a function that writes other fractions.
    """
    digits = 2 if look().is_slide else 3
    for form in (say("weight", weight="{}"), "({})"):
        places = beside_each_other(axes, atoms, limits, form.format(f"{0:.{digits}f}"))
        if places is not None:
            break
    else:
        return 0.0, lambda fractions: None
    texts = [
        axes.annotate("", (place, weight), (0, 10), textcoords="offset points", ha="center", va="bottom")
        for place, weight in zip(places, weights, strict=True)
    ]
    highest = float(max(weights.max(), fractions.max()))

    def write(fractions: Array) -> None:
        for text, place, weight, fraction in zip(texts, places, weights, fractions, strict=True):
            held, expected = (number(f"{share:.{digits}f}") for share in (fraction, weight))
            text.set_text(f"{held}\n{form.format(expected)}")
            text.xy = (place, min(max(weight, fraction), highest))  # a film may have higher bars than its last record

    write(fractions)
    for text in texts:
        style.outlined(text)
    return LYING, write


def beside_each_other(axes: Axes, atoms: Array, limits: Interval, longest: str) -> Array | None:
    """The places of words as long as these over the atoms; None where there is no room for all of them."""
    half = 0.36 * len(longest) * style.columns_of(axes) / look().breadth * (limits[1] - limits[0])
    places = np.clip(atoms, limits[0] + half, limits[1] - half)
    return places if np.min(np.diff(np.sort(places)), initial=np.inf) > 2.0 * half else None


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
