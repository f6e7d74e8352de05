"""Nodes, volumes and densities of the adaptive quadratures on the line and in the plane, in one form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.cells import integrate_plane
from particlegvi.targets.basins.survey import survey
from particlegvi.targets.basins.survey_plane import survey_plane
from particlegvi.targets.quadrature.panels import Panels, integrate
from particlegvi.targets.quadrature.potential import UNIFORM, LogWeight, Place, line


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


def discretise(log_weight: LogWeight, place: Place, rounding: float = 0.0, rough: bool = False) -> Nodes:
    """Nodes adapted to the density proportional to exp(log_weight), a function of points (n, dim), dim 1 or 2.

    ``rounding`` is the error of log_weight, which the quadrature does not try to resolve. With ``rough``, for nodes of
    an intermediate iterate, the search for peaks is shorter.

    Raises
    ------
    ValueError
        If the density is not integrable or cannot be resolved.
    """
    if len(place.centre) == 1:
        f = line(log_weight)
        found = survey(f, place, UNIFORM // 16 if rough else UNIFORM)
        panels = integrate(f, found.edges, float(np.max(found.peaks.log_mass)), max(1e-12, rounding))
        return on_panels(panels)
    cells = integrate_plane(log_weight, survey_plane(log_weight, place, 4 if rough else 1), max(1e-9, rounding))
    points, log_volume = cells.nodes.reshape(-1, 2), cells.log_volume.ravel()
    return Nodes(points, log_volume, cells.log_density.ravel(), cells.log_normaliser, cells.error, None)


def on_panels(panels: Panels) -> Nodes:
    """The nodes of panels on the line."""
    points, log_volume = panels.nodes.reshape(-1, 1), panels.log_volume.ravel()
    return Nodes(points, log_volume, panels.log_density.ravel(), panels.log_normaliser, panels.error, panels)
