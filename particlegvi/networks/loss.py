"""The loss of networks on data, and the features that a repulsion between networks compares."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Method, Prior
from particlegvi.engine.networks import compute
from particlegvi.engine.networks.batches import WAYS, Batches
from particlegvi.engine.networks.compute import Networks, Shape
from particlegvi.engine.networks.driver import NetworkDriver
from particlegvi.engine.pairs.features import Features
from particlegvi.integrators import Integrator, schedules
from particlegvi.kernels.on_outputs import OnFeatures, OnOutputs
from particlegvi.losses.loss import Loss
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.methods.repulsion import interaction_velocity
from particlegvi.networks import costs
from particlegvi.networks.architecture import Network
from particlegvi.priors import Flat, Normal
from particlegvi.tools import arguments, machine


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
        factor 1/2; "logistic" takes the output as a logit. The number of outputs and the labels must fit the cost.
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
            raise arguments.refuse("network", network, "a particlegvi.networks.Network")
        x = arguments.points("X", X, network.inputs, least=1).copy()
        code = costs.code(cost)
        costs.check_outputs(cost, network.outputs)
        t = costs.targets(cost, y, len(x), network.outputs)
        if batch_size is not None:
            batch_size = arguments.whole("batch_size", batch_size, 1, len(x))
        if not isinstance(batches, str) or batches not in WAYS:
            raise arguments.refuse("batches", batches, 'one of "epochs" and "fresh"')
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
        values = self.networks.values(points)
        return float(values[0]) if one else values

    def gradient(self, x: ArrayLike) -> Array:
        """The gradient of the mean cost over all rows, (n, dim), or (dim,) for one particle."""
        points, one = self._points(x)
        gradients = self.networks.gradients(points)
        return gradients[0] if one else gradients

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

    def driver(self, integrator: Integrator) -> type[NetworkDriver] | None:
        """The ensemble that takes the steps of an integrator; None if its steps have to call this loss from outside.

        A ValueError for one that accepts or rejects, with batches: it needs the cost of all rows.
        """
        if integrator.accepts and self.batch_size is not None:
            raise ValueError(
                f'integrator must not be "{integrator.name}" for a loss with batch_size: its acceptance needs the cost'
                " of all rows"
            )
        return NetworkDriver if integrator.step is None else None

    def features(self, kernel: OnFeatures, step: int = 0, seed: int = 0) -> Features:
        """The features of particles that a kernel of `particlegvi.kernels` on networks compares in one step."""
        if isinstance(kernel, OnOutputs):
            return Outputs(self.network, self.network.rows(kernel.drawn(step, seed, self.X), "inputs"))
        weights, biases = self.network.layers[0 if kernel.features == "first layer" else -1]
        return Parameters(self.network, slice(weights.start, biases.stop))

    def advice(self, problem: ParticleProblem, method: Method) -> list[str]:
        """Sentences that a run of this problem warns with before it begins."""
        return advice(problem, method, self.network.activation)

    def check_memory(self, particles: int) -> None:
        """Refuse more particles than fit into memory: a step needs gradients, units and copies of the parameters."""
        units = 64 * 3 * sum(self.network.widths)
        needed = 8 * (6 * particles * self.dim + 4 * (units + 4 * self.dim))
        machine.check(f"{particles} networks of {self.dim} parameters", needed, "give fewer particles or units")

    def _points(self, x: ArrayLike) -> tuple[Array, bool]:
        points, one = super()._points(x)
        # The compiled code takes writable arrays only.
        return (points if points.flags.writeable and points.flags.c_contiguous else points.copy()), one


def _none(*arguments: object) -> Array:
    raise NotImplementedError  # never called: NetworkLoss overrides the methods that would call it


def _shown(numbers: Array) -> Array:
    view = numbers.view()
    view.flags.writeable = False
    return view


IDLE = 0.01  # warn if the interaction moves a network by less than this share of its noise or gradient


class Outputs:
    """The outputs of networks at inputs (n, inputs): features (particles, n outputs)."""

    def __init__(self, network: Network, inputs: Array) -> None:
        self.network, self.inputs = network, inputs

    def of(self, particles: Array) -> Array:
        """The features (particles, n outputs)."""
        return compute.outputs(self.network.shape, particles, self.inputs).reshape(len(particles), -1)

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """The transposed Jacobian of the features times slopes (particles, n outputs), as (particles, dim)."""
        shape = (len(particles), len(self.inputs), self.network.outputs)
        return compute.pull_back(self.network.shape, particles, self.inputs, slopes.reshape(shape))

    def marginal(self, prior: Prior) -> Prior | None:
        """None: the distribution of outputs under a prior is not a prior of the package."""
        return None

    def covariance(self, process: Callable[[Array], Array]) -> Array:
        """The covariance of the features if each output is a draw of its own from a Gaussian process."""
        return np.asarray(np.kron(process(self.inputs), np.eye(self.network.outputs)), dtype=np.float64)


class Parameters:
    """The parameters of one layer as features (particles, parameters of the layer)."""

    def __init__(self, network: Network, place: slice) -> None:
        self.network, self.place = network, place

    def of(self, particles: Array) -> Array:
        """The features, one row for each particle."""
        return particles[:, self.place].copy()

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """Turn slopes of the features into slopes (particles, dim) of all parameters."""
        whole = np.zeros_like(particles)
        whole[:, self.place] = slopes
        return whole

    def marginal(self, prior: Prior) -> Prior | None:
        """The distribution of the features under a Normal prior."""
        return Normal(prior.mean[self.place], prior.sd[self.place]) if isinstance(prior, Normal) else None


def advice(problem: ParticleProblem, method: Method, activation: str) -> list[str]:
    """Warnings: the posterior is improper, or the repulsion is too weak to have an effect."""
    methods = []
    if isinstance(problem.prior, Flat) and method.kl_weight > 0.0 and activation == "relu":
        methods.append(
            f"the posterior of {method.label} is improper without a prior: a relu network stays the same if the weights"
            " of one layer grow and the weights of the next layer shrink"
        )
    repels = isinstance(method, FreeEnergy) and method.mmd_weight > 0.0 and not isinstance(problem.prior, Flat)
    if repels and isinstance(method, FreeEnergy) and not isinstance(method.kernel, OnFeatures):
        share, other = _share(problem, method)
        if share < IDLE:
            methods.append(
                f"the repulsion of {method.label} between {problem.loss.dim} weights moves a network {share:.1g} times"
                f" as far as its {other} does; the kernel particlegvi.kernels.OnOutputs compares outputs, not weights"
            )
    return methods


def _share(problem: ParticleProblem, method: FreeEnergy) -> tuple[float, str]:
    """The displacement by the interaction divided by that by noise (or by the gradient), and the divisor's name."""
    step_size = problem.step_size
    times = schedules.times(step_size, np.array([problem.steps]))
    time = float(times[-1])
    pushed = _length(interaction_velocity(method, problem, problem.start)(problem.start)) * time
    if method.kl_weight > 0.0:
        return pushed / max(math.sqrt(2.0 * method.kl_weight * time * problem.loss.dim), 1e-300), "noise"
    return pushed / max(_length(problem.loss.gradient(problem.start)) * time, 1e-300), "gradient"


def _length(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1)).mean())
