"""Nodes, volumes and densities of the adaptive quadratures on the line and in the plane, in one form.

In the plane a draw is a node, then a point in its rectangle, by rejection: the Gauss-Legendre weights of a cell are the
areas of rectangles that tile it, with one node in each. The density is nearly constant on a rectangle, so that few
uniform points in it are rejected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.survey import survey
from particlegvi.targets.basins.survey_plane import PlaneSurvey, survey_plane
from particlegvi.targets.quadrature.panels import Panels, gauss_legendre, integrate
from particlegvi.targets.quadrature.potential import UNIFORM, Domain, LogWeight, line

MOST_PAIRS = 2_000_000  # pairs of points and cells at a time
STEEPEST = 2.0  # ratio of densities in one rectangle up to which a draw is exact


class Nodes(NamedTuple):
    """Nodes (n, dim) of a quadrature adapted to a density, with the density itself at the nodes."""

    points: np.ndarray
    log_volume: np.ndarray  # (n,)
    log_density: np.ndarray  # (n,), normalised
    log_normaliser: float
    error: float  # estimate of the density's error in L1
    panels: Panels | None  # on the line

    @property
    def masses(self) -> np.ndarray:
        return np.exp(self.log_density + self.log_volume)


def discretise(log_weight: LogWeight, domain: Domain, rounding: float = 0.0, rough: bool = False) -> Nodes:
    """Nodes adapted to the density proportional to exp(log_weight), a function of points (n, dim), dim 1 or 2.

    ``rounding`` is the error of log_weight, which the quadrature does not try to resolve. With ``rough``, for nodes of
    an intermediate iterate, the search for peaks is shorter.
    """
    if len(domain.centre) == 2:
        return integrate_plane(log_weight, survey_plane(log_weight, domain, 4 if rough else 1), max(1e-9, rounding))
    f = line(log_weight)
    surveyed = survey(f, domain, UNIFORM // 16 if rough else UNIFORM)
    on_line = integrate(f, surveyed.edges, float(np.max(surveyed.peaks.log_mass)), max(1e-12, rounding))
    points, log_density = on_line.nodes.reshape(-1, 1), on_line.log_density.ravel()
    return Nodes(points, on_line.log_volume.ravel(), log_density, on_line.log_normaliser, on_line.error, on_line)


def draws_in_plane(nodes: Nodes, log_density: LogWeight, number: int, random: np.random.Generator) -> np.ndarray:
    """Draws (number, 2) from the density whose quadrature is ``nodes``.

    Exact where the density in a rectangle is at most twice that at its node. The quadrature leaves steeper rectangles
    only where the mass is negligible.
    """
    below = np.cumsum(nodes.masses)
    draws: list[np.ndarray] = []
    missing = number
    while missing:
        count = int(1.2 * STEEPEST * missing) + 50
        node = np.minimum(np.searchsorted(below, random.random(count) * below[-1]), len(below) - 1)
        low, size = _rectangles(nodes.points, node)
        at = low + size * random.random((count, 2))
        ratio = np.exp(np.minimum(log_density(at) - nodes.log_density[node], 1.0))
        kept = at[STEEPEST * random.random(count) < ratio][:missing]
        draws.append(kept)
        missing -= len(kept)
    return np.concatenate(draws)


def density_in_plane(nodes: Nodes, x: np.ndarray) -> np.ndarray:
    """The polynomials of the quadrature's cells at points (n, 2), 0 outside of the cells; rounding may be negative."""
    rule, density = gauss_legendre(ORDER), np.zeros(len(x))
    centre, half = _cells(nodes.points, np.arange(len(nodes.points) // ORDER**2))
    step = max(1, MOST_PAIRS // len(centre))
    for start in range(0, len(x), step):
        inside = np.all(np.abs(x[start : start + step, None] - centre) <= half, axis=2)
        row, cell = np.nonzero(inside)
        values = np.exp(nodes.log_density.reshape(-1, ORDER, ORDER)[cell])
        series = rule.to_coefficients @ values @ rule.to_coefficients.T
        t = (x[start + row] - centre[cell]) / half[cell]
        first, second = (np.polynomial.legendre.legvander(t[:, i], ORDER - 1) for i in range(2))
        density[start + row] = np.einsum("ni,nij,nj->n", first, series, second)
    return density


def _cells(points: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides, (n, 2) each, of some cells."""
    first, last = points[cell * ORDER**2], points[cell * ORDER**2 + ORDER**2 - 1]
    return 0.5 * (first + last), 0.5 * (last - first) / gauss_legendre(ORDER).nodes[-1]


def _rectangles(points: np.ndarray, node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower corners and sides, (n, 2) each, of the rectangles of some nodes."""
    rule = gauss_legendre(ORDER)
    walls = np.concatenate([[-1.0], np.cumsum(rule.weights) - 1.0])
    cell, place = np.divmod(node, ORDER**2)
    centre, half = _cells(points, cell)
    column = np.stack(np.divmod(place, ORDER), axis=1)
    return centre + half * walls[column], half * rule.weights[column]


ORDER = 10  # nodes along a side of a cell
MOST_CELLS = 60_000


def integrate_plane(f: LogWeight, survey: PlaneSurvey, tolerance: float = 1e-9) -> Nodes:
    """The nodes, cell by cell, of a partition of the survey's box.

    On each cell exp(f) is a polynomial of degree 9 in each coordinate to ``tolerance`` of its integral.
    """
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
    log_density = (level - log_normaliser).ravel()
    return Nodes(nodes.reshape(-1, 2), log_volume.ravel(), log_density, log_normaliser, error, None)


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
