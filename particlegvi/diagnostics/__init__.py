"""Distances of particles to their target, their sampling floors, basins, free energies, and tests of equilibrium.

The *sampling floor* of a distance is a quantile, usually the 95% one, of its null distribution: that of the distance
between the target and as many independent exact draws from it. A distance below the floor cannot be distinguished
from the sampling error. Functions whose names end in ``_floor`` compute such quantiles (`null_quantiles`).
"""

from particlegvi.diagnostics.basins import (
    Basins,
    binomial_limits,
    independent_coverage,
    mean_interval,
    mode_fractions,
    mode_occupancy,
    nearest_mode,
)
from particlegvi.diagnostics.discrepancy import (
    energy_distance,
    kernel_stein_discrepancy,
    kernel_stein_discrepancy_squared,
    maximum_mean_discrepancy,
    maximum_mean_discrepancy_squared,
    target_score,
)
from particlegvi.diagnostics.distances import Distance, distances
from particlegvi.diagnostics.entropy import entropy, entropy_nearest_neighbours, entropy_spacings
from particlegvi.diagnostics.equilibrium import (
    Drift,
    drift,
    effective_sample_size,
    potential_scale_reduction,
    spread_records,
    time_to_equilibrium,
)
from particlegvi.diagnostics.free_energy import (
    ExcessEnergy,
    FreeEnergyParts,
    excess_energy,
    free_energy,
    mmd_squared_to_prior,
    prior_self_energy,
    target_free_energy,
)
from particlegvi.diagnostics.line_distances import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_floor,
    sliced_wasserstein,
    sliced_wasserstein_floor,
    wasserstein1,
    wasserstein2,
)
from particlegvi.diagnostics.misplaced import Misplaced, misplaced
from particlegvi.diagnostics.null_quantiles import limit_floor, line_floors, wasserstein1_floor
from particlegvi.diagnostics.stationary import stationary_law
from particlegvi.diagnostics.two_samples import distances_to_draws

__all__ = [
    "Basins", "Distance", "Drift", "ExcessEnergy", "FreeEnergyParts", "Misplaced", "binomial_limits", "distances",
    "distances_to_draws", "drift", "effective_sample_size", "energy_distance", "entropy",
    "entropy_nearest_neighbours", "entropy_spacings", "excess_energy", "free_energy", "independent_coverage",
    "kernel_stein_discrepancy", "kernel_stein_discrepancy_squared", "kolmogorov_smirnov",
    "kolmogorov_smirnov_floor", "limit_floor", "line_floors", "maximum_mean_discrepancy",
    "maximum_mean_discrepancy_squared", "mean_interval", "misplaced", "mmd_squared_to_prior", "mode_fractions",
    "mode_occupancy", "nearest_mode", "potential_scale_reduction", "prior_self_energy", "sliced_wasserstein",
    "sliced_wasserstein_floor", "spread_records", "stationary_law", "target_free_energy", "target_score",
    "time_to_equilibrium", "wasserstein1", "wasserstein1_floor", "wasserstein2",
]  # fmt: skip
