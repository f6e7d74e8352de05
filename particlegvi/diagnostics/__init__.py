"""Distances of particles to their target, what chance allows for them, and where the particles are."""

from particlegvi.diagnostics.binomial import binomial_limits
from particlegvi.diagnostics.coverage import independent_coverage, mean_interval
from particlegvi.diagnostics.floor import wasserstein1_floor
from particlegvi.diagnostics.kolmogorov_smirnov import kolmogorov_smirnov
from particlegvi.diagnostics.occupancy import mode_fractions, mode_occupancy, nearest_mode
from particlegvi.diagnostics.wasserstein import wasserstein1

__all__ = [
    "binomial_limits",
    "independent_coverage",
    "kolmogorov_smirnov",
    "mean_interval",
    "mode_fractions",
    "mode_occupancy",
    "nearest_mode",
    "wasserstein1",
    "wasserstein1_floor",
]
