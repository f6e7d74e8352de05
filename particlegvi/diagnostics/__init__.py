"""Distances of particles to their target, their sampling floors, basins, free energies, and tests of equilibrium.

The *sampling floor* of a distance is a quantile, usually the 95% one, of its null distribution: that of the distance
between the target and as many independent exact draws from it. A distance below the floor cannot be distinguished
from the sampling error. Functions whose names end in ``_floor`` compute such quantiles (`distances`).
"""

from particlegvi.tools.lazy import bound

__all__ = bound(__name__)
