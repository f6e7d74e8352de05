"""Sparse Gaussian processes beside the exact one, by number of inducing points: Huggins et al. (2019), Figures 3-5.

``exact`` has the data and the exact process, ``models`` the approximations and their scores.
"""

from particlegvi.scenario.tables.approximation.exact import problem
from particlegvi.scenario.tables.approximation.models import score

__all__ = ["problem", "score"]
