"""Means for Gaussian Wasserstein inference: least squares on kernel functions, a given model, or a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Basis, Facts, StepProgress
from particlegvi.engine.networks.batches import Batches
from particlegvi.engine.networks.compute import FIRST, SECOND, Networks, Shape, outputs
from particlegvi.engine.networks.functions import ACTIVATIONS, COSTS
from particlegvi.engine.networks.layout import layout
from particlegvi.engine.numerics import noise
from particlegvi.tools.arguments import flag, points, positive, refuse, vector, whole
from particlegvi.tools.errors import Diverged

__all__ = ["Mean", "MeanNetwork"]

Validation: TypeAlias = "tuple[Array, Array] | None"
JUDGED = 64  # epochs that are judged together
CUT = 1e-8  # smaller singular values, in units of the largest, are left out: the condition number may be 1e16


@runtime_checkable
class Mean(Protocol):
    """A mean function that is fitted by least squares."""

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int, /) -> None:
        """Fit inputs (n, dim) and targets (n,); validation rows (X, y) may end the training."""
        ...

    def predict(self, X: Array, /) -> Array: ...  # (n,)
    def facts(self) -> Facts: ...


def held_out(validation: object, inputs: int) -> tuple[Array, Array]:
    """Validation rows (X, y) as arrays (n, inputs) and (n,), n at least 1."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise refuse("validation", validation, "two arrays, (X, y)")
    x = points("validation[0]", validation[0], inputs, least=1)
    return x, vector("validation[1]", validation[1], len(x))


class Inducing:
    """sum_m beta_m k(x, z_m) without a penalty (thesis (4.17)), in whitened coordinates."""

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int) -> None:
        self._basis = basis
        self._weights, _, self._rank, _ = linalg.lstsq(self._basis.features(X), y, cond=CUT, lapack_driver="gelsd")

    def predict(self, X: Array) -> Array:
        return np.asarray(self._basis.features(X) @ self._weights)

    def state(self) -> dict[str, Array]:
        """The arrays from which `restored` makes the fitted mean again."""
        return {"weights": self._weights, "rank": np.array([float(self._rank)])}

    def restored(self, state: Mapping[str, Array], basis: Basis) -> Self:
        """Set the result of an earlier fit, and return the mean."""
        self._basis = basis
        self._weights, self._rank = np.array(state["weights"]), int(state["rank"][0])
        return self

    def facts(self) -> Facts:
        return {"mean": "inducing", "cut": CUT, "rank": int(self._rank)}


class Given:
    """A given function as the mean, so that the posterior adds error bars to the predictions of any model.

    Parameters
    ----------
    function : function
        From inputs (n, dim) to values (n,), such as the method ``predict`` of a fitted regressor.
    """

    def __init__(self, function: Callable[[Array], Array]) -> None:
        if isinstance(function, type) or not callable(function):
            raise refuse("function", function, "a function of inputs, such as the method predict of a fitted model")
        self.function = function

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int) -> None:
        self.predict(X[:1])

    def predict(self, X: Array) -> Array:
        return vector("the prediction of the given mean", self.function(X), len(X))

    def facts(self) -> Facts:
        return {"mean": "given"}


class MeanNetwork:
    """A fully connected network (thesis 4.4.2: two hidden layers of ten units).

    Parameters
    ----------
    hidden : sequence of int
        Units of each hidden layer.
    epochs : int
        Largest number of epochs; with validation rows, the epoch with the smallest error there is taken.
    step_size : float
        Step size of Adam.
    batch_size : int
        Number of rows of a batch; all rows if there are fewer.
    standardise : bool
        Whether inputs are scaled to mean 0 and standard deviation 1 for the network.
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
        listed = isinstance(hidden, Sequence | np.ndarray) and not isinstance(hidden, str)
        if not listed or not 1 <= len(hidden) <= 4:
            raise refuse("hidden", hidden, "one to four whole numbers from 1 to 4096")
        self.hidden = tuple(whole(f"hidden[{i}]", units, 1, 4096) for i, units in enumerate(hidden))
        self.epochs = whole("epochs", epochs, 1)
        self.step_size = positive("step_size", step_size)
        self.batch_size = whole("batch_size", batch_size, 1)
        self.standardise = flag("standardise", standardise)

    def fit(
        self,
        X: Array,
        y: Array,
        validation: Validation,
        basis: Basis | None,
        seed: int,
        *,
        progress: StepProgress | None = None,
    ) -> None:
        """Train on inputs (n, dim) and targets (n,); validation rows (X, y) choose the best epoch. No basis is used."""
        widths = (X.shape[1], *self.hidden, 1)
        self._form(widths)
        self._centre, self._scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.standardise:
            self._centre, self._scale = X.mean(axis=0), np.where(X.std(axis=0) > 0.0, X.std(axis=0), 1.0)
        self._mean, self._spread = float(y.mean()), float(y.std()) or 1.0
        x, t = self._scaled(X), ((y - self._mean) / self._spread)[:, None]
        networks = Networks(self._shape, x, t, Batches(len(x), min(self.batch_size, len(x))))
        start = _start(widths, seed)[0]
        moments = np.stack([start, np.zeros_like(start), np.zeros_like(start)])  # the parameters, the moments of Adam
        best, least, self._epoch = moments[0], math.inf, self.epochs
        most = networks.batches.most_steps(1) // networks.batches.steps_of_epoch  # epochs whose rows fit into memory
        together = max(1, min(JUDGED, most))
        for done in range(0, self.epochs, together):
            tried = self._trained(networks, moments, done, min(together, self.epochs - done), seed)
            if validation is not None:
                outputs = self._outputs(tried, self._scaled(validation[0]))
                errors = np.nan_to_num(np.mean((outputs - validation[1]) ** 2, axis=1), nan=math.inf)
                place = int(np.argmin(errors))
                if errors[place] < least:
                    best, least, self._epoch = tried[place].copy(), errors[place], done + place + 1
            if progress is not None:
                progress(min(done + together, self.epochs), self.epochs)
        self._theta = (moments[0] if validation is None else best)[None].copy()

    def _trained(self, networks: Networks, moments: Array, done: int, epochs: int, seed: int) -> Array:
        """The parameters (epochs, parameters) after each of the next epochs after the first ``done``."""
        number = networks.batches.steps_of_epoch
        steps = range(done * number + 1, (done + epochs) * number + 1)
        sizes = [self.step_size * math.sqrt(1.0 - SECOND**step) / (1.0 - FIRST**step) for step in steps]
        tried = networks.descend(moments, sizes, done * number, seed)
        finite = np.isfinite(tried).all(axis=1)
        if not finite.all():
            epoch, advice = done + int(np.argmin(finite)) + 1, "step_size of the mean must be smaller"
            raise Diverged(f"the network became non-finite in epoch {epoch}: {advice}", epoch, 0)
        return tried

    def _form(self, widths: Sequence[int]) -> None:
        codes = np.array([ACTIVATIONS["tanh"], COSTS["squared"]], dtype=np.int64)
        self._shape = Shape(layout(widths, [1.0] * (len(widths) - 1)), codes)

    def state(self) -> dict[str, Array]:
        scales = np.array([self._mean, self._spread, float(self._epoch)])
        return {"theta": self._theta[0], "centre": self._centre, "scale": self._scale, "scales": scales}

    def restored(self, state: Mapping[str, Array], basis: Basis) -> Self:
        self._centre, self._scale = state["centre"], state["scale"]
        self._mean, self._spread, epoch = (float(number) for number in state["scales"])
        self._epoch, self._theta = int(epoch), np.array(state["theta"])[None]
        self._form((len(self._centre), *self.hidden, 1))
        return self

    def predict(self, X: Array) -> Array:
        return self._outputs(self._theta, self._scaled(X))[0]

    def _outputs(self, theta: Array, scaled: Array) -> Array:
        return self._mean + self._spread * outputs(self._shape, theta, scaled)[:, :, 0]

    def _scaled(self, X: Array) -> Array:
        return np.ascontiguousarray((X - self._centre) / self._scale)

    def facts(self) -> Facts:
        return {"mean": "network", "hidden": list(self.hidden), "epochs": self._epoch}


def _start(widths: Sequence[int], seed: int) -> Array:
    """Weights from Glorot's normal distribution, and biases 0; (1, parameters)."""
    pairs = zip(widths[:-1], widths[1:], strict=True)
    sd = np.concatenate([np.r_[np.full(a * b, math.sqrt(2.0 / (a + b))), np.zeros(b)] for a, b in pairs])
    return np.asarray(sd * noise.normals(seed, "start", 1, len(sd)))
