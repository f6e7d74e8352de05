"""The architecture of a network: how an array of parameters becomes a function."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.networks import compute
from particlegvi.engine.networks.layout import layout
from particlegvi.networks import activations
from particlegvi.priors import Normal
from particlegvi.tools import arguments
from particlegvi.tools.html import Card
from particlegvi.tools.registry import look_up

MOST_LAYERS, MOST_UNITS = 4, 4096
PARAMETERISATIONS = ("standard", "ntk")
GAINS = {"relu": math.sqrt(2.0), "gelu": math.sqrt(2.0)}  # gains of the parameterisation "ntk"; others have the gain 1
RULES = {  # the sd of a parameter of a layer with n inputs and m outputs
    "he": lambda n, m: math.sqrt(2.0 / n),
    "glorot": lambda n, m: math.sqrt(2.0 / (n + m)),
    "kaiming-fan-out": lambda n, m: math.sqrt(2.0 / m),
    "kaiming-fan-out-code": lambda n, m: math.sqrt(1.0 / m),
    "unit": lambda n, m: 1.0,
    "ntk": lambda n, m: 1.0,
}


class Network(Card):
    """A fully connected network. A particle is the array (dim,) of its parameters.

    The array holds one layer after another: first the weights (inputs by outputs, row by row), then the biases. The
    outputs have no activation.

    Parameters
    ----------
    inputs : int
        Number of coordinates of an input.
    hidden : sequence of int or None
        Units of each of one to four hidden layers; None for a linear network without hidden layers.
    outputs : int
    activation : str
        One of ``particlegvi.networks.activations.names()``.
    parameterisation : str
        "standard", or "ntk": the output of a layer is multiplied by gain / sqrt(its inputs). The gain is sqrt(2) for
        relu and gelu and 1 for the others, so that the prior "unit" is sensible and one step size serves all widths.

    Attributes
    ----------
    dim : int
        Number of parameters, at most 2^24.
    widths : tuple of int
        Inputs, units of each hidden layer, outputs.
    scales : array (layers,)
        The factor of each layer: ones in the standard parameterisation.
    """

    def __init__(
        self,
        inputs: int,
        hidden: Sequence[int] | int | None = (50,),
        outputs: int = 1,
        activation: str = "relu",
        parameterisation: str = "standard",
    ) -> None:
        self.inputs = arguments.whole("inputs", inputs, 1, 2**20)
        self.hidden = hidden_layers(hidden)
        self.outputs = arguments.whole("outputs", outputs, 1, MOST_UNITS)
        code = activations.code(activation)
        self.activation = activation
        if not isinstance(parameterisation, str) or parameterisation not in PARAMETERISATIONS:
            raise arguments.refuse("parameterisation", parameterisation, 'one of "standard" and "ntk"')
        self.parameterisation = parameterisation
        self.widths = (self.inputs, *self.hidden, self.outputs)
        self.dim = sum((a + 1) * b for a, b in zip(self.widths[:-1], self.widths[1:], strict=True))
        if self.dim > arguments.MOST_COORDINATES:
            raise ValueError(f"hidden must make at most {arguments.MOST_COORDINATES} parameters, not {self.dim}")
        gain = GAINS.get(activation, 1.0) if parameterisation == "ntk" else 0.0
        self.scales = np.array([gain / math.sqrt(width) if gain else 1.0 for width in self.widths[:-1]])
        self.shape = compute.Shape(layout(self.widths, self.scales.tolist()), np.array([code, 0], dtype=np.int64))

    @property
    def layers(self) -> list[tuple[slice, slice]]:
        """For each layer, the slices of its weights and of its biases in a particle."""
        places, at = [], 0
        for a, b in zip(self.widths[:-1], self.widths[1:], strict=True):
            places.append((slice(at, at + a * b), slice(at + a * b, at + (a + 1) * b)))
            at += (a + 1) * b
        return places

    @property
    def names(self) -> list[str]:
        """A name for each parameter: ``w1[3,7]`` is the weight from input 3 to unit 7 of layer 1, counted from 0."""
        names: list[str] = []
        for layer, (a, b) in enumerate(zip(self.widths[:-1], self.widths[1:], strict=True), start=1):
            names += [f"w{layer}[{i},{j}]" for i in range(a) for j in range(b)]
            names += [f"b{layer}[{j}]" for j in range(b)]
        return names

    def prior(
        self,
        name: str | float | ArrayLike | Mapping[str, ArrayLike] = "he",
        *,
        weights: ArrayLike | None = None,
        biases: ArrayLike | None = None,
    ) -> Normal:
        """The Normal prior N(0, sd^2) with standard deviations chosen for each layer; it can serve as the start, too.

        Parameters
        ----------
        name : str or numbers
            With n inputs and m outputs of a layer: "he", sd sqrt(2/n) for weights and biases; "glorot", sqrt(2/(n+m));
            "kaiming-fan-out", sqrt(2/m), the thesis's start (C.7.4); "kaiming-fan-out-code", sqrt(1/m), the start in
            its authors' program; "unit" and "ntk", 1. Instead of a name: one number, a number for each layer, a number
            for each parameter, or a mapping with ``weights`` and ``biases``.
        weights, biases : float or sequence, optional
            Standard deviations of the weights and of the biases: one number, or a number for each layer. They take
            precedence over the name.
        """
        if isinstance(name, Mapping):
            if set(name) - {"weights", "biases"}:
                raise arguments.refuse("name", name, 'a mapping with "weights" and "biases"')
            weights = name.get("weights") if weights is None else weights
            biases = name.get("biases") if biases is None else biases
            name = "he"
        sd = deviations(self.widths, name, weights, biases)
        return Normal(np.zeros(self.dim), sd)

    def predict(self, particles: ArrayLike, X: ArrayLike) -> Array:
        """Outputs at inputs X (n, inputs): (particles, n), or (particles, n, outputs) for several outputs.

        ``particles`` is (particles, dim); for one particle (dim,) the result has no first axis either.
        """
        theta, one = self.particles(particles)
        values = compute.outputs(self.shape, theta, self.rows(X))
        values = values[:, :, 0] if self.outputs == 1 else values
        return values[0] if one else values

    def pull_back(self, particles: ArrayLike, X: ArrayLike, slopes: ArrayLike) -> Array:
        """Gradients (particles, dim) of ``sum slopes * predict(particles, X)`` in each particle's parameters.

        ``slopes`` has the shape of the predictions; the result is the transposed Jacobian times ``slopes``.
        """
        theta, one = self.particles(particles)
        x = self.rows(X)
        shape = (len(theta), len(x), self.outputs)
        allowed = f"numbers of the shape of the predictions, {shape[: 2 + (self.outputs > 1)]}"
        weights = arguments.array("slopes", slopes, allowed)
        if weights.size != shape[0] * shape[1] * shape[2]:
            raise arguments.shaped("slopes", weights, allowed)
        gradient = compute.pull_back(self.shape, theta, x, weights.reshape(shape).copy())
        return gradient[0] if one else gradient

    def particles(self, particles: ArrayLike) -> tuple[Array, bool]:
        """Parameters as an array (particles, dim), and whether one particle (dim,) was given."""
        array, shape = arguments.one_or_many("particles", particles, self.dim)
        return array.copy(), not shape

    def rows(self, X: ArrayLike, key: str = "X") -> Array:
        """Inputs as an array (n, inputs) of finite numbers; a network of one input accepts (n,) as well."""
        return arguments.points(key, X, self.inputs).copy()

    def __repr__(self) -> str:
        widths = "-".join(map(str, self.widths))
        return f"Network({widths}, {self.activation}, {self.parameterisation}: {self.dim} parameters)"


def hidden_layers(hidden: Sequence[int] | int | None, key: str = "hidden") -> tuple[int, ...]:
    """The units of each hidden layer; a ValueError where they are not one to four whole numbers from 1 to 4096."""
    if hidden is None:
        return ()
    allowed = "one to four whole numbers from 1 to 4096, or None for no hidden layer"
    listed = [hidden] if isinstance(hidden, int) else hidden
    if isinstance(listed, str | bytes | Mapping) or not isinstance(listed, Iterable):
        raise arguments.refuse(key, hidden, allowed)
    units = list(listed)
    if not 1 <= len(units) <= MOST_LAYERS:
        raise arguments.refuse(key, hidden, allowed)
    return tuple(arguments.whole(f"{key}[{index}]", number, 1, MOST_UNITS) for index, number in enumerate(units))


def deviations(
    widths: Sequence[int], rule: object = "he", weights: ArrayLike | None = None, biases: ArrayLike | None = None
) -> Array:
    """The standard deviation of each parameter, (dim,), of a network with these widths; see `Network.prior`."""
    fans = list(zip(widths[:-1], widths[1:], strict=True))
    dim = sum((n + 1) * m for n, m in fans)
    if isinstance(rule, str):
        chosen = look_up("start", rule, RULES)
        of_weights = np.array([chosen(n, m) for n, m in fans])
    else:
        of_weights = _numbers("sd", rule, (len(fans), dim))
        if of_weights.size == dim and dim != len(fans):
            return of_weights
    of_biases = of_weights
    if weights is not None:
        of_weights = _numbers("weights", weights, (len(fans),))
    if biases is not None:
        of_biases = _numbers("biases", biases, (len(fans),))
    pieces = [np.r_[np.full(n * m, w), np.full(m, b)] for (n, m), w, b in zip(fans, of_weights, of_biases, strict=True)]
    return np.concatenate(pieces)


def _numbers(key: str, value: object, lengths: tuple[int, ...]) -> Array:
    """Positive numbers, one for each layer or parameter; a single number holds for every layer."""
    allowed = f"a positive finite number, or {' or '.join(map(str, lengths))} of them"
    numbers = arguments.array(key, value, allowed)
    if numbers.ndim > 1 or numbers.size not in (1, *lengths) or not np.all((numbers > 0.0) & np.isfinite(numbers)):
        raise arguments.refuse(key, value, allowed)
    return np.full(lengths[0], numbers) if numbers.size == 1 else numbers
