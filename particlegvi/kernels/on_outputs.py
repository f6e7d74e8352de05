"""Kernels on what networks say, and on the parameters of one layer, instead of on all parameters.

kappa(theta, theta') = k(phi(theta), phi(theta')) is a positive semi-definite kernel on parameters for every function
phi, so that DRE and DRLE minimise the same objective by the same flow. It is not characteristic: laws of parameters
with the same law of phi have MMD 0, so that the MMD is convex but not strictly, and DRE alone loses what uniqueness it
had. They need a loss that knows phi: a `particlegvi.networks.NetworkLoss`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import noise
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import shares_parameters


class OnFeatures:
    """A kernel k of features of particles; `OnOutputs`, `OnLastLayer` and `OnFirstLayer` say which.

    Parameters
    ----------
    kernel : kernel
        k, of `particlegvi.kernels`. The rule "median" for its lengthscale is the median distance between the features
        of draws from the prior.
    """

    features = ""  # "outputs", "last layer" or "first layer"

    def __init__(self, kernel: Kernel) -> None:
        self.kernel: Kernel = objects.kernel_or_rule(kernel)
        if isinstance(kernel, OnFeatures):
            raise arguments.refuse("kernel", kernel, "a kernel of particles such as SquaredExponential")
        self.inputs: Array | str | None = None

    @property
    def name(self) -> str:
        """For the facts of a run: the name of k, and what it compares."""
        return f"{self.kernel.name} on the {self.features}"

    @property
    def lengthscale(self) -> float | str:
        return self.kernel.lengthscale

    @property
    def variance(self) -> float:
        return self.kernel.variance

    def value(self, r2: float) -> float:
        return self.kernel.value(r2)

    def slope(self, r2: float) -> float:
        return self.kernel.slope(r2)

    def with_kernel(self, kernel: Kernel) -> OnFeatures:
        """These features under another kernel."""
        return type(self)(kernel)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r})"


class OnOutputs(OnFeatures):
    """Repulsion between the outputs of networks at context inputs.

    With ``inputs="fresh"`` every step draws the context anew, so that particles follow the flow of the kernel
    E_X k(f_theta(X), f_theta'(X)) up to the step size: a kernel of functions on the whole box. Its MMD is finite for
    every two laws of functions, where KL of networks to a Gaussian process is infinite.

    Parameters
    ----------
    kernel : kernel
        k, in units of the Euclidean distance between outputs, over all context inputs and outputs.
    inputs : array (n, inputs) or "fresh"
        The context: where networks should disagree unless the data forbid it.
    count : int
        Number of fresh inputs in a step.
    low, high : float or array (inputs,), optional
        The box in which fresh inputs are uniform. By default that of the data, widened by half of its width on each
        side.
    process : covariance, optional
        P of the MMD is the law of outputs of a Gaussian process with mean 0 and this covariance, which is a prior over
        functions, in the place of the prior of the parameters; several outputs are independent. A covariance of
        `particlegvi.functionspace.covariances`, or a function of inputs (n, inputs) that gives a matrix (n, n).
    """

    features = "outputs"

    def __init__(
        self,
        kernel: Kernel,
        inputs: ArrayLike | str,
        count: int = 24,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        process: Callable[[Array], Array] | None = None,
    ) -> None:
        super().__init__(kernel)
        if process is not None and not callable(process):
            raise arguments.refuse("process", process, "a covariance of particlegvi.functionspace.covariances")
        self.low = None if low is None else arguments.coordinates("low", low).copy()
        self.high = None if high is None else arguments.coordinates("high", high).copy()
        self.process = process
        if isinstance(inputs, str):
            if inputs != "fresh":
                raise arguments.refuse("inputs", inputs, 'an array (n, inputs) or "fresh"')
            self.inputs, self.count = inputs, arguments.whole("count", count, 1, 10_000)
            self.features = f"outputs at {self.count} fresh inputs"
        else:
            self.inputs = arguments.frozen(arguments.points("inputs", inputs, least=1).copy())
            self.count = len(self.inputs)

    def drawn(self, step: int, seed: int, rows: Array) -> Array:
        """The context (count, inputs) in the step of this number, for data with these rows (n, inputs)."""
        if isinstance(self.inputs, np.ndarray):
            return self.inputs
        least, most, columns = rows.min(axis=0), rows.max(axis=0), rows.shape[1]
        low = 1.5 * least - 0.5 * most if self.low is None else self.low
        high = 1.5 * most - 0.5 * least if self.high is None else self.high
        for key, end in (("low", low), ("high", high)):
            if len(end) not in (1, columns):
                raise arguments.refuse(key, end, f"one number, or one for each of the inputs, which are {columns}")
        if not np.all(low < high):
            raise arguments.refuse("low", low, f"below high in every input, which is {high}")
        return np.asarray(low + (high - low) * noise.uniforms(seed, "context", self.count, columns, step))

    def with_kernel(self, kernel: Kernel) -> OnOutputs:
        assert self.inputs is not None
        return OnOutputs(kernel, self.inputs, self.count, self.low, self.high, self.process)

    def __repr__(self) -> str:
        return f"OnOutputs({self.kernel!r}, {self.count}{' fresh' if isinstance(self.inputs, str) else ''} inputs)"


@shares_parameters(OnOutputs)
class OnLastLayer(OnFeatures):
    """Repulsion between the parameters of the last layers of networks."""

    features = "last layer"


@shares_parameters(OnOutputs)
class OnFirstLayer(OnFeatures):
    """Repulsion between the parameters of the first layers of networks."""

    features = "first layer"
