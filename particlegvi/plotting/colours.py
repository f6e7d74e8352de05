"""One colour for each method of a figure; several weights of one method have one hue, darker for the larger weight."""

from __future__ import annotations

import numpy as np

from particlegvi.plotting.look import look, palette
from particlegvi.plotting.palettes import Palette, at_lightness, lightness
from particlegvi.plotting.protocols import ParticleRun, Results, Runs


def colours(runs: Runs | Results) -> dict[str, str]:
    """One colour for each method: always the same for the known methods, and no colour twice below nine methods.

    Where one method is there with several weights, its runs have its hue at several lightnesses, in the order of the
    weights (``kl_weight`` first): the larger the farther from the ground, also in grey.
    """
    paint, chosen = palette(), {label: colour for label, colour in look().colours.items() if label in runs}
    given = set(chosen)
    for label, run in runs.items():
        known = paint.methods.get(key_of(run))
        if label not in chosen and known is not None and known not in chosen.values():
            chosen[label] = known
    for position, label in enumerate(runs):
        if label not in chosen:
            free = [colour for colour in paint.spare if colour not in chosen.values()]
            chosen[label] = free[0] if free else paint.spare[position % len(paint.spare)]
    for labels in weighted(runs).values():
        own = next(chosen[label] for label in runs if label in labels)
        for label, colour in zip(labels, scale(own, len(labels), paint), strict=True):
            if label not in given:
                chosen[label] = colour
    return {label: chosen[label] for label in runs}


def key_of(run: ParticleRun) -> str:
    """The name of a run's method as palettes have it: "FDGVI" for "FD-GVI"."""
    return run.method.label.upper().replace("-", "").replace(" ", "")


def weighted(runs: Runs | Results) -> dict[str, list[str]]:
    """By method, the labels of its runs in the order of their weights, where it is there with several.

    If runs with the same weights differ in another setting, only the first is listed.
    """
    found: dict[str, dict[tuple[float, float], str]] = {}
    for label, run in runs.items():
        pair = (float(run.method.kl_weight), float(run.method.mmd_weight))
        found.setdefault(key_of(run), {}).setdefault(pair, label)
    return {key: [by[pair] for pair in sorted(by)] for key, by in found.items() if len(by) > 1}


def scale(own: str, number: int, paint: Palette) -> list[str]:
    """``number`` lightnesses of one hue at equal steps; the one nearest to the colour is the colour itself."""
    first, last = paint.lightness
    there = lightness(own)
    if number == 2:  # the colour, and one that is farther from the ground
        first = there
    levels = [float(level) for level in np.linspace(first, last, number)]
    nearest = min(range(number), key=lambda place: abs(levels[place] - there))
    return [own if place == nearest else at_lightness(own, level) for place, level in enumerate(levels)]
