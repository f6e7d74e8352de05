"""Features that kernels on networks compare: outputs at given inputs, or the parameters of one layer."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.engine.networks import compute
from particlegvi.networks.architecture import Network
from particlegvi.priors import Normal


class Outputs:
    """The outputs of networks at inputs (n, inputs): features (particles, n outputs)."""

    def __init__(self, network: Network, inputs: Array) -> None:
        self.network, self.inputs = network, inputs

    def of(self, particles: Array) -> Array:
        """The features (particles, n outputs)."""
        return compute.outputs(self.network.shape, particles, self.inputs).reshape(len(particles), -1)

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """The transposed Jacobian of the features times slopes (particles, n outputs), as (particles, dim)."""
        shape = (len(particles), len(self.inputs), self.network.outputs)
        return compute.pull_back(self.network.shape, particles, self.inputs, slopes.reshape(shape))

    def marginal(self, prior: Prior) -> Prior | None:
        """None: the distribution of outputs under a prior is not a prior of the package."""
        return None


class Parameters:
    """The parameters of one layer as features (particles, parameters of the layer)."""

    def __init__(self, network: Network, place: slice) -> None:
        self.network, self.place = network, place

    def of(self, particles: Array) -> Array:
        """The features, one row for each particle."""
        return particles[:, self.place].copy()

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """Turn slopes of the features into slopes (particles, dim) of all parameters."""
        found = np.zeros_like(particles)
        found[:, self.place] = slopes
        return found

    def marginal(self, prior: Prior) -> Prior | None:
        """The distribution of the features under a Normal prior."""
        return Normal(prior.mean[self.place], prior.sd[self.place]) if isinstance(prior, Normal) else None
