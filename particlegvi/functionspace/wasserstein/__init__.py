"""Wasserstein distances of Gaussian processes, and the inference that uses them as a regulariser.

====================  =======================================================================
file                  content
====================  =======================================================================
process_distance      W2^2 between Gaussian measures, and between processes over the data
inference             Gaussian Wasserstein inference: a mean and a covariance, in closed form
rules                 the rules for the covariance of its posterior and for the weight of W2^2
====================  =======================================================================
"""

from __future__ import annotations

from particlegvi.functionspace.wasserstein.process_distance import (
    SquaredDistance,
    gaussian_w2_squared,
    process_w2_squared,
)

__all__ = ["SquaredDistance", "gaussian_w2_squared", "process_w2_squared"]
