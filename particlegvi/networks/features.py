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
        """The transposed Jacobian of the features times slopes (particles, n outputs): (particles, dim)."""
        shape = (len(particles), len(self.inputs), self.network.outputs)
        return compute.pull_back(self.network.shape, particles, self.inputs, slopes.reshape(shape))

    def marginal(self, prior: Prior) -> Prior | None:
        """The distribution of the features under the prior, where it is one of the package: here it never is."""
        return None


class Parameters:
    """The parameters of one layer: features (particles, parameters of it)."""

    def __init__(self, network: Network, place: slice) -> None:
        self.network, self.place = network, place

    def of(self, particles: Array) -> Array:
        """The features, one row for each particle."""
        return particles[:, self.place].copy()

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """Slopes of the features as slopes (particles, dim) of the parameters."""
        found = np.zeros_like(particles)
        found[:, self.place] = slopes
        return found

    def marginal(self, prior: Prior) -> Prior | None:
        """The distribution of the features under a Normal prior."""
        return Normal(prior.mean[self.place], prior.sd[self.place]) if isinstance(prior, Normal) else None
