"""The density that is sampled, exp(-energy), with its gradient; it counts how often the gradient is asked for."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Loss, Prior
from particlegvi.simulation.sampling.support import Support


class PosteriorEnergy:
    """The measure to which DLE goes, exp(-loss / kl_weight) p, in coordinates on the whole line.

    Attributes
    ----------
    support : Support
        The map from these coordinates to the box of the prior.
    evaluations : int
        Points at which the energy and its gradient were computed so far.
    """

    def __init__(self, loss: Loss, prior: Prior, kl_weight: float) -> None:
        self.loss = loss
        self.prior = prior
        self.kl_weight = kl_weight
        self.support = Support(prior.low, prior.high)
        self.evaluations = 0

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.loss.dim

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """The energy (n,) and its gradient (n, dim) at coordinates (n, dim).

        The energy is infinite and the gradient 0 where either is not finite.
        """
        self.evaluations += len(points)
        x = np.ascontiguousarray(self.support.inside(points))
        slope, logs, of_logs = self.support.slopes(points)
        with np.errstate(all="ignore"):
            energy = self.loss.value(x) / self.kl_weight - self.prior.log_density(x) - logs
            of_x = self.loss.gradient(x) / self.kl_weight - self.prior.gradient(x)
            gradient = of_x * slope - of_logs
        bad = ~(np.isfinite(energy) & np.all(np.isfinite(gradient), axis=1))
        return np.where(bad, np.inf, energy), np.where(bad[:, None], 0.0, gradient)
