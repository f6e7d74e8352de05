"""How far particles are from the measure they stand for: one small function per question."""

from particlegvi.diagnostics.kolmogorov_smirnov import kolmogorov_smirnov
from particlegvi.diagnostics.occupancy import binomial_limits, mode_occupancy
from particlegvi.diagnostics.wasserstein import wasserstein1, wasserstein1_floor

__all__ = ["binomial_limits", "kolmogorov_smirnov", "mode_occupancy", "wasserstein1", "wasserstein1_floor"]
