"""Modes in the plane: the share of particles nearest to each beside the mass of the target there."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, Target
from particlegvi.diagnostics.particles import fitted_gaussian
from particlegvi.losses.loss import Loss
from particlegvi.plotting import reading, style
from particlegvi.plotting.look import localised, look, say
from particlegvi.plotting.moving import Show
from particlegvi.plotting.plane import GRID, Modes, Plane, panel_grid
from particlegvi.plotting.protocols import ParticleRun, Runs, is_atoms, is_density

FEW = 20  # up to so many particles are counted, more are given as shares
MANY_MODES = 12  # with more modes than this no numbers are written
REACH = 0.07  # least distance of the words from their mode, as a part of the panel's height
SIDE, EDGE = 0.13, 0.15  # half of their width, and their height, as parts of the panel's
HIGH = 3.8  # height of the words on a slide: sizes of the smallest letters times the slide's height over the panel's


def write_shares(axes: Axes, run: ParticleRun, expected: Array | None, colour: str, modes: Array, spots: Array) -> Show:
    """The share of particles in every mode, and in brackets that of the truth; returns what moves it to a record."""
    letters: Facts = {"color": style.lettering(colour, 0.8), "fontweight": "bold", "linespacing": 1.05, "zorder": 6}
    ways = np.where(spots[:, 1] > modes[:, 1], "bottom", "top")
    written = [
        axes.text(x, y, text, ha="center", va=way, gid="share", **letters)
        for (x, y), way, text in zip(spots, ways, words_at(run, -1, modes, expected), strict=True)
    ]
    for text in written:
        style.outlined(text)

    def show(record: int) -> None:
        for text, words in zip(written, words_at(run, record, modes, expected), strict=True):
            text.set_text(words)

    return show


def words_at(run: ParticleRun, record: int, modes: Array, expected: Array | None) -> list[str]:
    """The words of every mode: numbers of few particles, or shares of many."""
    last = reading.final_particles(run, record)
    counts, total = np.bincount(nearest_of(last, modes), minlength=len(modes)), len(last)
    shares = [
        localised(f"{count / total:.0%}") if total > FEW else say("of_all", count=count, all=total) for count in counts
    ]
    if expected is None:
        return shares
    return [f"{share}\n({localised(f'{mass:.0%}')})" for share, mass in zip(shares, expected, strict=True)]


def places_of_words(runs: Runs, plane: Plane, modes: Array) -> Array:
    """Places (modes, 2) of the words: above the particles at modes of the upper half, below them at others."""
    (left, right), (bottom, top) = plane.window
    reach = REACH * (top - bottom)
    for run in runs.values():
        fitted = fitted_gaussian(run)
        last = reading.final_particles(run) if fitted is None else (fitted.mean + 2.0 * fitted.sd)[None]
        away = np.abs(last[:, 1] - modes[nearest_of(last, modes), 1])
        reach = max(reach, float(np.quantile(away, 0.9))) if len(away) else reach
    signs = np.where(modes[:, 1] >= np.mean(modes[:, 1]), 1.0, -1.0)
    height = look().height
    letters = 0.0 if height is None else panel_grid(len(runs))[0] * look().small / (72.0 * height)
    side, edge = SIDE * (right - left), max(EDGE, HIGH * letters) * (top - bottom)
    x, outside = modes[:, 0], np.where(signs > 0.0, top - modes[:, 1], modes[:, 1] - bottom)
    if np.min(outside) < reach + edge and len(np.unique(x)) == len(modes):  # no mode is above another: between them
        signs, x = -signs, 0.5 * (x + np.where(x > np.mean(x), right, left))
    across = np.clip(x, left + side, right - side)
    return np.column_stack([across, np.clip(modes[:, 1] + signs * reach, bottom + edge, top - edge)])


def true_shares(target: Target | None, plane: Plane, modes: Array) -> Array | None:
    """The mass of the target nearest to every mode, or None where it is not known."""
    if is_atoms(target):
        points, mass = np.asarray(target.atoms), np.asarray(target.weights)
    elif is_density(target):
        points, density = reading.density_grid(target, *plane.window, size=GRID)[2:]
        mass = np.nan_to_num(density).ravel()
    else:
        return None
    total = float(mass.sum())
    return np.bincount(nearest_of(points, modes), weights=mass, minlength=len(modes)) / total if total > 0 else None


def nearest_of(points: Array, places: Array) -> NDArray[np.intp]:
    """Index of the nearest of ``places`` (modes, dim) to each of ``points`` (n, dim)."""
    squares = [np.sum((points - place) ** 2, axis=1) for place in places]
    return np.argmin(squares, axis=0).astype(np.intp)


def modes_of(named: Modes, loss: object) -> Array:
    """The modes (k, 2) that a scenario names, or else the minima that the loss knows."""
    known = loss.minima if isinstance(loss, Loss) and not named else None
    return np.asarray(named or [], dtype=np.float64).reshape(-1, 2) if known is None else known
