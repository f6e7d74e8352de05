"""Distances of particles to their target, what chance allows for them, and where the particles are."""

from particlegvi.diagnostics.binomial import binomial_limits
from particlegvi.diagnostics.entropy import entropy, entropy_nearest_neighbours, entropy_spacings
from particlegvi.diagnostics.floor import wasserstein1_floor
from particlegvi.diagnostics.free_energy import (
    FreeEnergyParts,
    free_energy,
    mmd_squared_to_prior,
    prior_self_energy,
    target_free_energy,
)
from particlegvi.diagnostics.kolmogorov_smirnov import kolmogorov_smirnov
from particlegvi.diagnostics.occupancy import mode_fractions, mode_occupancy, nearest_mode
from particlegvi.diagnostics.wasserstein import wasserstein1

__all__ = [
    "FreeEnergyParts",
    "binomial_limits",
    "entropy",
    "entropy_nearest_neighbours",
    "entropy_spacings",
    "free_energy",
    "kolmogorov_smirnov",
    "mmd_squared_to_prior",
    "mode_fractions",
    "mode_occupancy",
    "nearest_mode",
    "prior_self_energy",
    "target_free_energy",
    "wasserstein1",
    "wasserstein1_floor",
]
