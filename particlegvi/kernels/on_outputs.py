"""Kernels on what networks say, and on the parameters of one layer, instead of on all parameters.

kappa(theta, theta') = k(phi(theta), phi(theta')) is a positive semi-definite kernel on parameters for every function
phi, so that DRE and DRLE minimise the same objective by the same flow. It is not characteristic: laws of parameters
with the same law of phi have MMD 0, so that the MMD is convex but not strictly, and DRE alone loses what uniqueness it
had. They need a loss that knows phi: a `particlegvi.networks.NetworkLoss`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel
from particlegvi.tools import arguments, parts


class OnFeatures:
    """A kernel k of features of particles; `OnOutputs`, `OnLastLayer` and `OnFirstLayer` say which.

    Parameters
    ----------
    kernel : kernel
        k, of `particlegvi.kernels`. The rule "median" for its lengthscale is the median distance between the features
        of draws from the prior.

    Attributes
    ----------
    what : str
        "outputs", "last layer" or "first layer".
    inputs : array (n, inputs) or None
    lengthscale, variance
        Lengthscale and variance of k.
    """

    what = ""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel: Kernel = parts.kernel_or_rule(kernel)
        if isinstance(kernel, OnFeatures):
            raise arguments.refuse("kernel", kernel, "a kernel of particles such as SquaredExponential")
        self.inputs: Array | None = None

    @property
    def name(self) -> str:
        """For the facts of a run: the name of k, and what it compares."""
        return f"{self.kernel.name} on the {self.what}"

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

    Parameters
    ----------
    kernel : kernel
        k, in units of the Euclidean distance between outputs, over all context inputs and outputs.
    inputs : array (n, inputs)
        The context: where networks should disagree unless the data forbid it.
    """

    what = "outputs"

    def __init__(self, kernel: Kernel, inputs: ArrayLike) -> None:
        super().__init__(kernel)
        self.inputs = arguments.frozen(arguments.points("inputs", inputs, least=1).copy())

    def with_kernel(self, kernel: Kernel) -> OnOutputs:
        assert self.inputs is not None
        return OnOutputs(kernel, self.inputs)

    def __repr__(self) -> str:
        number = 0 if self.inputs is None else len(self.inputs)
        return f"OnOutputs({self.kernel!r}, {number} inputs)"


class OnLastLayer(OnFeatures):
    """Repulsion between the parameters of the last layers of networks."""

    what = "last layer"


class OnFirstLayer(OnFeatures):
    """Repulsion between the parameters of the first layers of networks."""

    what = "first layer"
