"""Central differences, against which gradients are tested."""

import numpy as np


def slopes(function, at, width=1e-5):
    """The slopes of a function at a point (dim,), or at points (n, dim): its values' shape, and dim at the end."""
    at = np.asarray(at, dtype=np.float64)
    steps = width * np.eye(at.shape[-1])
    both = [np.asarray(function(at + step)) - np.asarray(function(at - step)) for step in steps]
    return np.stack(both, axis=-1) / (2.0 * width)
