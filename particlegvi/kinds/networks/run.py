"""A run of networks with its data: what it predicts, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.kinds.networks.data import Drawn
from particlegvi.networks import Network, NetworkLoss
from particlegvi.networks.mixtures import Mixture, class_probabilities, mutual_information
from particlegvi.simulation.run import Run

if TYPE_CHECKING:
    import xarray

_EMPTY = Drawn(np.empty((0, 1)), np.empty(0))


@dataclass(repr=False)  # that of a run, not a page of numbers
class NetworkRun(Run):
    """The records of one method that moves networks; also its data.

    Attributes
    ----------
    data : Drawn
    noise_sd : float
        Standard deviation of an observation's noise, in units of the targets as the networks see them; 0 where the cost
        has none.
    """

    data: Drawn = field(default_factory=lambda: _EMPTY)
    noise_sd: float = 0.0

    @property
    def network(self) -> Network:
        """The network whose parameters the particles are."""
        return self.network_loss.network

    @property
    def network_loss(self) -> NetworkLoss:
        """The loss."""
        assert isinstance(self.loss, NetworkLoss)
        return self.loss

    @property
    def classifies(self) -> bool:
        """Whether the outputs are of classes."""
        return self.network_loss.cost in ("logistic", "softmax")

    def predict(self, X: ArrayLike) -> Array:
        """Outputs of the final networks at inputs (n, inputs): (particles, n), or (particles, n, outputs)."""
        return self.network.predict(self.final, X)

    def mixture(self, X: ArrayLike) -> Mixture:
        """The distribution of an observation at each input, in regression."""
        return Mixture.of_outputs(self.predict(X), self.noise_sd)

    def probabilities(self, X: ArrayLike) -> Array:
        """The probabilities (particles, n, classes) of every member, in classification."""
        return class_probabilities(self.predict(X))

    def disagreement(self, X: ArrayLike) -> Array:
        """The mutual information (n,) between the label and the member, in nats."""
        return mutual_information(self.probabilities(X))

    def to_xarray(self) -> xarray.Dataset:
        """The parameters as those of any run, and with them the data and what the final networks say at them.

        ``X`` (observation, input), ``y`` (observation), and ``prediction`` (particle, observation), or (particle,
        observation, output) of networks with several.
        """
        said = self.predict(self.data.X)
        dims = ("particle", "observation", "output")[: said.ndim]
        data = {"X": (("observation", "input"), self.data.X), "y": (("observation",), self.data.y)}
        return super().to_xarray().assign({**data, "prediction": (dims, said)})

    def process(self, X: ArrayLike) -> tuple[Array, Array] | None:
        """Mean and sd (n,) of the function given the data, by the process that it was drawn from, where it was."""
        return None if self.data.lengthscale == 0.0 else self.data.process(self.network.rows(X))
