"""The loss of networks on data, which the flows of the package reduce."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Method
from particlegvi.engine.networks.batches import WAYS, Batches
from particlegvi.engine.networks.compute import Networks, Shape
from particlegvi.engine.networks.ensemble import NetworkEnsemble
from particlegvi.engine.pairs.features import Features
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.losses.loss import Loss
from particlegvi.methods.flow import ParticleProblem
from particlegvi.networks import costs
from particlegvi.networks.architecture import Network
from particlegvi.networks.repulsion import Outputs, Parameters, advice
from particlegvi.tools import arguments, memory
from particlegvi.tools.quoting import refuse


class NetworkLoss(Loss):
    """The mean cost of a network over the rows of data, as a function of its parameters.

    Parameters
    ----------
    network : Network
    X : array (n, inputs)
        Inputs as the network receives them: they are not scaled.
    y : array (n,) or (n, outputs)
        Targets, or labels 0 and 1 ("logistic") or 0, ..., outputs - 1 ("softmax").
    cost : str
        One of ``particlegvi.networks.costs.names()``. "squared" is the sum over outputs of squared errors, without a
        factor 1/2; "logistic" takes the output as a logit.
    batch_size : int, optional
        Number of rows of a batch. By default all rows.
    batches : str
        "epochs": each epoch visits every row once, in a new order; its last batch may be smaller. "fresh": every step
        draws rows anew, without repetition, as the authors' program does.
    shared_batches : bool
        If true, all particles have the same batches; otherwise each particle has its own.

    Attributes
    ----------
    network, cost, batch_size
    X : array (n, inputs)
    y : array (n,) or (n, outputs)
    rows : int
        n.
    kind : str
        "network".

    Raises
    ------
    ValueError
        If labels do not fit the cost, or the cost does not allow the network's number of outputs.
    """

    def __init__(
        self,
        network: Network,
        X: ArrayLike,
        y: ArrayLike,
        cost: str = "squared",
        batch_size: int | None = None,
        batches: str = "epochs",
        *,
        shared_batches: bool = True,
    ) -> None:
        if not isinstance(network, Network):
            raise refuse("network", network, "a particlegvi.networks.Network")
        x = network.rows(X)
        if not len(x):
            raise arguments.shaped("X", x, f"an array (n, {network.inputs}) with at least one row")
        code = costs.code(cost)
        costs.check_outputs(cost, network.outputs)
        t = costs.targets(cost, y, len(x), network.outputs)
        if batch_size is not None:
            batch_size = arguments.whole("batch_size", batch_size, 1, len(x))
        if not isinstance(batches, str) or batches not in WAYS:
            raise refuse("batches", batches, 'one of "epochs" and "fresh"')
        shared = arguments.flag("shared_batches", shared_batches)
        super().__init__(None, network.dim, f"network {'-'.join(map(str, network.widths))}", functions=(_none, _none))
        self.kind = "network"
        self.network, self.cost, self.batch_size = network, cost, batch_size
        self.rows = len(x)
        self.X, self.y = _shown(x), _shown(t[:, 0] if t.shape[1] == 1 else t)
        shape = Shape(network.shape.layout, np.array([network.shape.codes[0], code], dtype=np.int64))
        self.networks = Networks(shape, x, t, Batches(len(x), batch_size, batches, shared))

    def value(self, x: ArrayLike) -> Array | float:
        """The mean cost over all rows: an array (n,) for particles (n, dim), or a float for one particle (dim,)."""
        points, one = self._points(x)
        found = self.networks.values(points)
        return float(found[0]) if one else found

    def gradient(self, x: ArrayLike) -> Array:
        """The gradient of the mean cost over all rows, (n, dim), or (dim,) for one particle."""
        points, one = self._points(x)
        found = self.networks.gradients(points)
        return found[0] if one else found

    def gradient_at(self, points: Array, step: int, seed: int) -> Array:
        """The gradient (n, dim) of the mean cost over the batch of this step; row i belongs to particle i."""
        theta, _ = self._points(points)
        step = arguments.whole("step", step)
        return self.networks.gradients_at(theta, step, arguments.seed(seed))

    def predict(self, particles: ArrayLike, X: ArrayLike) -> Array:
        """The outputs of the network: see `Network.predict`."""
        return self.network.predict(particles, X)

    def pull_back(self, particles: ArrayLike, X: ArrayLike, slopes: ArrayLike) -> Array:
        """The gradients of a sum of outputs: see `Network.pull_back`."""
        return self.network.pull_back(particles, X, slopes)

    def kl_weight(self, noise_variance: float | None = None) -> float:
        """The kl_weight for which the minimiser of E[loss] + kl_weight KL is the posterior.

        Parameters
        ----------
        noise_variance : float
            Noise variance of an observation, in squared units of the given targets. The cost "squared" needs it: its
            kl_weight is 2 noise_variance / n. Every other cost is a negative log likelihood with the kl_weight 1 / n
            and ignores it.
        """
        if self.cost != "squared":
            return 1.0 / self.rows
        return 2.0 * arguments.positive("noise_variance", noise_variance) / self.rows

    def driver(self, scheme: str) -> type[NetworkEnsemble] | None:
        """The ensemble that takes the steps of a scheme; None if the scheme has to call this loss from outside.

        Raises
        ------
        ValueError
            For the Metropolis step with batches: it needs the cost of all rows.
        """
        if scheme == "metropolis" and self.batch_size is not None:
            raise ValueError(
                'integrator must not be "mala" for a loss with batch_size: its acceptance needs the cost of all rows'
            )
        return NetworkEnsemble if scheme == "plain" else None

    def features(self, kernel: OnFeatures) -> Features:
        """The features of particles that a kernel of `particlegvi.kernels` on networks compares."""
        if kernel.inputs is not None:
            return Outputs(self.network, self.network.rows(kernel.inputs, "inputs"))
        weights, biases = self.network.layers[0 if kernel.what == "first layer" else -1]
        return Parameters(self.network, slice(weights.start, biases.stop))

    def advice(self, problem: ParticleProblem, method: Method) -> list[str]:
        """Sentences that a run of this problem warns with before it begins."""
        return advice(problem, method, self.network.activation)

    def check_memory(self, particles: int) -> None:
        """Refuse more particles than fit into memory: a step needs gradients, units and copies of the parameters."""
        units = 64 * 3 * sum(self.network.widths)
        needed = 8 * (6 * particles * self.dim + 4 * (units + 4 * self.dim))
        memory.check(f"{particles} networks of {self.dim} parameters", needed, "give fewer particles or units")

    def _points(self, x: ArrayLike) -> tuple[Array, bool]:
        points, one = super()._points(x)
        # The compiled code takes writable arrays only.
        return (points if points.flags.writeable and points.flags.c_contiguous else points.copy()), one


def _none(*given: object) -> Array:
    raise NotImplementedError  # never called: NetworkLoss overrides the methods that would call it


def _shown(numbers: Array) -> Array:
    view = numbers.view()
    view.flags.writeable = False
    return view
