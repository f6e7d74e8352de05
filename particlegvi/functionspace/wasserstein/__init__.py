"""Wasserstein distances of Gaussian processes, and the inference that uses them as a regulariser."""

from particlegvi.functionspace.wasserstein.process_distance import (
    estimated_w2_squared,
    gaussian_w2_squared,
    process_w2_squared,
)

__all__ = ["estimated_w2_squared", "gaussian_w2_squared", "process_w2_squared"]
