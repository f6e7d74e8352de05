"""A run of networks with its data and its predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.metrics.mixtures import Mixture
from particlegvi.networks import Network, NetworkLoss
from particlegvi.networks.mixtures import class_probabilities, mixture, mutual_information
from particlegvi.scenario.kinds.networks.data import Drawn
from particlegvi.simulation.run import Run

if TYPE_CHECKING:
    import xarray

_EMPTY = Drawn(np.empty((0, 1)), np.empty(0))


@dataclass(repr=False)  # the short repr of Run
class NetworkRun(Run):
    """The records of one method that moves networks, and the data.

    Attributes
    ----------
    data : Drawn
    noise_sd : float
        Standard deviation of an observation's noise, in units of the networks' scaled targets; 0 for a cost without
        noise.
    """

    data: Drawn = field(default_factory=lambda: _EMPTY)
    noise_sd: float = 0.0

    @property
    def network(self) -> Network:
        """The network; each particle is an array of its parameters."""
        return self.network_loss.network

    @property
    def network_loss(self) -> NetworkLoss:
        """The loss."""
        assert isinstance(self.loss, NetworkLoss)
        return self.loss

    @property
    def classifies(self) -> bool:
        """Whether the task is a classification."""
        return self.network_loss.cost in ("logistic", "softmax")

    def predict(self, X: ArrayLike) -> Array:
        """Outputs of the final networks at inputs (n, inputs): (particles, n), or (particles, n, outputs)."""
        return self.network.predict(self.final, X)

    def mixture(self, X: ArrayLike) -> Mixture:
        """The distribution of an observation at each input, in regression."""
        return mixture(self.predict(X), self.noise_sd)

    def probabilities(self, X: ArrayLike) -> Array:
        """The probabilities (particles, n, classes) of every member, in classification."""
        return class_probabilities(self.predict(X))

    def disagreement(self, X: ArrayLike) -> Array:
        """The mutual information (n,) between the label and the member, in nats."""
        return mutual_information(self.probabilities(X))

    def to_xarray(self) -> xarray.Dataset:
        """The records of the parameters, the data, and the predictions of the final networks at the data.

        ``X`` (observation, input), ``y`` (observation), and ``prediction`` (particle, observation), or (particle,
        observation, output) of networks with several.
        """
        said = self.predict(self.data.X)
        dims = ("particle", "observation", "output")[: said.ndim]
        data = {"X": (("observation", "input"), self.data.X), "y": (("observation",), self.data.y)}
        return super().to_xarray().assign({**data, "prediction": (dims, said)})

    def process(self, X: ArrayLike) -> tuple[Array, Array] | None:
        """Mean and sd (n,) of the function given the data, if it was drawn from a Gaussian process; else None."""
        return None if self.data.lengthscale == 0.0 else self.data.process(self.network.rows(X))
