"""The mean of GWI-net: a network with tanh units, trained by Adam with early stopping."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.engine.networks.activations import ACTIVATIONS
from particlegvi.engine.networks.batches import Batches
from particlegvi.engine.networks.compute import Networks, Shape, outputs
from particlegvi.engine.networks.costs import COSTS
from particlegvi.engine.networks.layout import layout
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.means.mean import Validation
from particlegvi.tools import arguments
from particlegvi.tools.errors import Diverged

FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # Adam (Kingma and Ba 2015), its defaults


class Network:
    """A fully connected network (thesis 4.4.2: two hidden layers of ten units).

    Parameters
    ----------
    hidden : sequence of int
        Units of each hidden layer.
    epochs : int
        At most; with validation rows the epoch with the smallest error there counts.
    step_size : float
        Of Adam.
    batch_size : int
        Rows of a batch; all where there are fewer.
    standardise : bool
        Whether the network sees inputs of mean 0 and standard deviation 1, or in their units.
    """

    def __init__(
        self,
        hidden: Sequence[int] = (10, 10),
        epochs: int = 1000,
        step_size: float = 1e-2,
        batch_size: int = 1000,
        *,
        standardise: bool = True,
    ) -> None:
        if isinstance(hidden, str) or not 1 <= len(hidden) <= 4:
            raise arguments.refuse("hidden", hidden, "one to four whole numbers from 1 to 4096")
        self.hidden = tuple(arguments.whole(f"hidden[{i}]", each, 1, 4096) for i, each in enumerate(hidden))
        self.epochs = arguments.whole("epochs", epochs, 1)
        self.step_size = arguments.positive("step_size", step_size)
        self.batch_size = arguments.whole("batch_size", batch_size, 1)
        self.standardise = arguments.flag("standardise", standardise)

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int) -> None:
        self.train(X, y, validation, seed)

    def train(self, X: Array, y: Array, validation: Validation, seed: int) -> None:
        """Train on inputs (n, dim) and targets (n,); of validation rows (X, y) the best epoch counts."""
        widths = (X.shape[1], *self.hidden, 1)
        codes = np.array([ACTIVATIONS["tanh"], COSTS["squared"]], dtype=np.int64)
        self._shape = Shape(layout(widths, [1.0] * (len(widths) - 1)), codes)
        self._centre, self._scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.standardise:
            self._centre, self._scale = X.mean(axis=0), np.where(X.std(axis=0) > 0.0, X.std(axis=0), 1.0)
        self._mean, self._spread = float(y.mean()), float(y.std()) or 1.0
        x, t = self._scaled(X), ((y - self._mean) / self._spread)[:, None]
        batches = Batches(len(x), min(self.batch_size, len(x)))
        networks = Networks(self._shape, x, t, batches)
        theta = _start(widths, seed)
        held = None if validation is None else self._scaled(validation[0])
        first, second, best = np.zeros_like(theta), np.zeros_like(theta), (math.inf, theta.copy(), 0)
        for epoch in range(1, self.epochs + 1):
            for number in range(batches.steps_of_epoch):
                step = (epoch - 1) * batches.steps_of_epoch + number
                slope = networks.gradients_at(theta, step, seed)
                first += (1.0 - FIRST) * (slope - first)
                second += (1.0 - SECOND) * (slope * slope - second)
                size = self.step_size * math.sqrt(1.0 - SECOND ** (step + 1)) / (1.0 - FIRST ** (step + 1))
                theta = theta - size * first / (np.sqrt(second) + SMALL)
            if not np.isfinite(theta).all():
                advice = "step_size of the mean must be smaller"
                raise Diverged(f"the network became non-finite in epoch {epoch}: {advice}", epoch, 0)
            if validation is not None and held is not None:
                error = float(np.mean((self._outputs(theta, held) - validation[1]) ** 2))
                best = (error, theta.copy(), epoch) if error < best[0] else best
        self._theta, self._epoch = (theta, self.epochs) if validation is None else best[1:]

    def predict(self, X: Array) -> Array:
        return self._outputs(self._theta, self._scaled(X))

    def _outputs(self, theta: Array, scaled: Array) -> Array:
        return self._mean + self._spread * outputs(self._shape, theta, scaled)[0, :, 0]

    def _scaled(self, X: Array) -> Array:
        return np.ascontiguousarray((X - self._centre) / self._scale)

    def facts(self) -> Facts:
        return {"mean": "network", "hidden": list(self.hidden), "epochs": self._epoch}


def _start(widths: Sequence[int], seed: int) -> Array:
    """Glorot's normal distribution of the weights, and biases 0; (1, parameters)."""
    pairs = zip(widths[:-1], widths[1:], strict=True)
    sd = np.concatenate([np.r_[np.full(a * b, math.sqrt(2.0 / (a + b))), np.zeros(b)] for a, b in pairs])
    return np.asarray(sd * noise.normals(seed, "start", 1, len(sd)))
