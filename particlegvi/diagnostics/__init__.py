"""Distances of particles to their target, what chance allows for them, where they are, and what their steps bias."""

from particlegvi.diagnostics.binomial import binomial_limits
from particlegvi.diagnostics.floor import wasserstein1_floor
from particlegvi.diagnostics.kolmogorov_smirnov import kolmogorov_smirnov
from particlegvi.diagnostics.occupancy import mode_fractions, mode_occupancy, nearest_mode
from particlegvi.diagnostics.stationary import stationary_law
from particlegvi.diagnostics.wasserstein import wasserstein1

__all__ = [
    "binomial_limits",
    "kolmogorov_smirnov",
    "mode_fractions",
    "mode_occupancy",
    "nearest_mode",
    "stationary_law",
    "wasserstein1",
    "wasserstein1_floor",
]
