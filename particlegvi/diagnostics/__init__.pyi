# The public names, which `particlegvi.tools.lazy.bound` imports.
from particlegvi.diagnostics.basins import Basins as Basins, binomial_limits as binomial_limits
from particlegvi.diagnostics.basins import independent_coverage as independent_coverage, mean_interval as mean_interval
from particlegvi.diagnostics.basins import mode_occupancy as mode_occupancy
from particlegvi.diagnostics.discrepancy import energy_distance as energy_distance
from particlegvi.diagnostics.discrepancy import kernel_stein_discrepancy as kernel_stein_discrepancy
from particlegvi.diagnostics.discrepancy import maximum_mean_discrepancy as maximum_mean_discrepancy
from particlegvi.diagnostics.discrepancy import target_score as target_score
from particlegvi.diagnostics.distances import Distance as Distance, distances as distances
from particlegvi.diagnostics.distances import wasserstein1_floor as wasserstein1_floor
from particlegvi.diagnostics.equilibrium import Drift as Drift, drift as drift
from particlegvi.diagnostics.equilibrium import effective_sample_size as effective_sample_size
from particlegvi.diagnostics.equilibrium import potential_scale_reduction as potential_scale_reduction
from particlegvi.diagnostics.equilibrium import spread_records as spread_records
from particlegvi.diagnostics.equilibrium import time_to_equilibrium as time_to_equilibrium
from particlegvi.diagnostics.free_energy import FreeEnergyParts as FreeEnergyParts, entropy as entropy
from particlegvi.diagnostics.free_energy import free_energy as free_energy
from particlegvi.diagnostics.free_energy import target_free_energy as target_free_energy
from particlegvi.diagnostics.line_distances import kolmogorov_smirnov as kolmogorov_smirnov
from particlegvi.diagnostics.line_distances import sliced_wasserstein as sliced_wasserstein
from particlegvi.diagnostics.line_distances import wasserstein1 as wasserstein1, wasserstein2 as wasserstein2
from particlegvi.diagnostics.outliers import ExcessEnergy as ExcessEnergy, excess_energy as excess_energy
from particlegvi.diagnostics.outliers import Misplaced as Misplaced, misplaced as misplaced
from particlegvi.diagnostics.stationary import stationary_law as stationary_law
from particlegvi.diagnostics.two_samples import distances_to_draws as distances_to_draws
