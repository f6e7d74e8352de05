"""Adaptive quadrature of exp(f) in the plane: cells with Gauss-Legendre nodes, halved until a polynomial fits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.survey_plane import PlaneSurvey
from particlegvi.targets.quadrature.panels import gauss_legendre
from particlegvi.targets.quadrature.potential import LogWeight

ORDER = 10  # nodes along a side of a cell
MOST_CELLS = 60_000


class Cells(NamedTuple):
    """A partition of a box with the normalised density at the nodes of each cell."""

    nodes: np.ndarray  # (cells, ORDER**2, 2)
    log_density: np.ndarray  # (cells, ORDER**2)
    log_volume: np.ndarray  # (cells, ORDER**2): logarithms of the quadrature weights
    log_normaliser: float
    error: float  # estimate of the L1 error of the polynomials


def integrate_plane(f: LogWeight, survey: PlaneSurvey, tolerance: float = 1e-9) -> Cells:
    """Cells on each of which exp(f) is a polynomial of degree 9 in each coordinate to ``tolerance`` of its integral."""
    rule = gauss_legendre(ORDER)
    weights = np.outer(rule.weights, rule.weights).ravel()
    unit = np.stack(np.meshgrid(rule.nodes, rule.nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    centre, half = _start(survey, 12)
    shift = float(np.max(survey.peaks.log_mass))
    done: list[tuple[np.ndarray, ...]] = []
    accepted = 0
    for _ in range(100):
        nodes = centre[:, None] + half[:, None] * unit
        level = f(nodes.reshape(-1, 2)).reshape(len(centre), -1)
        area = half.prod(axis=1)
        top = float(np.max(level))
        if top > -np.inf:
            mass = float(np.sum((np.exp(level - top) @ weights) * area))
            shift = max(shift, top + np.log(mass)) if mass > 0.0 else shift
        density = np.exp(level - shift) * area[:, None]
        table = density.reshape(-1, ORDER, ORDER)
        series = np.abs(rule.to_coefficients @ table @ rule.to_coefficients.T)
        errors = np.stack([series[:, -2:].sum(axis=(1, 2)), series[:, :, -2:].sum(axis=(1, 2))], axis=1)
        split = errors > 0.5 * np.maximum(tolerance, 1e-11 * (density @ weights))[:, None]
        for marks in (survey.peaks, survey.ridges):
            split |= _too_wide(centre, half, marks.at, marks.width)
        fine = ~np.any(split, axis=1)
        log_volume = np.log(area)[:, None] + np.log(weights)
        done.append((nodes[fine], level[fine], log_volume[fine], np.log(errors[fine].sum(axis=1) + 1e-300) + shift))
        accepted += int(fine.sum())
        centre, half = _halved(centre[~fine], half[~fine], split[~fine])
        if not len(centre):
            break
        if accepted + len(centre) > MOST_CELLS:
            raise ValueError(f"the target needs more than {MOST_CELLS} cells: the loss varies too finely in the plane")
    nodes, level, log_volume, log_error = (np.concatenate(parts) for parts in zip(*done, strict=True))
    top = np.max(level)
    log_normaliser = float(top + np.log(np.sum(np.exp(level - top + log_volume))))
    error = float(np.sum(np.exp(log_error - log_normaliser)))
    return Cells(nodes, level - log_normaliser, log_volume, log_normaliser, error)


def _start(survey: PlaneSurvey, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides (number^2, 2) of equal cells over the box of the survey."""
    half = 0.5 * (survey.high - survey.low) / number
    index = np.stack(np.meshgrid(np.arange(number), np.arange(number), indexing="ij"), axis=-1).reshape(-1, 2)
    return survey.low + half * (2 * index + 1), np.broadcast_to(half, (number**2, 2)).copy()


def _too_wide(centre: np.ndarray, half: np.ndarray, at: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Mask (cells, 2) of the sides that are much wider than a peak in the cell, which could fall between the nodes."""
    split = np.zeros(half.shape, dtype=bool)
    narrowest = width.min(axis=0, initial=np.inf)
    for k in np.flatnonzero(np.any(half > 4.0 * narrowest, axis=1)):
        inside = np.all(np.abs(at - centre[k]) <= 1.0001 * half[k], axis=1)
        split[k] = half[k] > 4.0 * width[inside].min(axis=0, initial=np.inf)
    return split


def _halved(centre: np.ndarray, half: np.ndarray, split: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cells halved along the sides that ``split`` (cells, 2) marks."""
    for i in range(2):
        chosen = split[:, i]
        quarter = np.where(chosen, 0.5 * half[:, i], 0.0)
        left, right = centre.copy(), centre[chosen].copy()
        left[:, i] -= quarter
        right[:, i] += quarter[chosen]
        half = half.copy()
        half[:, i] = np.where(chosen, quarter, half[:, i])
        centre = np.concatenate([left, right])
        half, split = np.concatenate([half, half[chosen]]), np.concatenate([split, split[chosen]])
    return centre, half
