"""The base class of the estimators: settings, scales, validation rows, and the training of the ensemble."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import integrators
from particlegvi.contracts import Array, Facts, Kernel, Method
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.estimators.base import Estimator
from particlegvi.functionspace.preprocessing import STEPS
from particlegvi.kernels import OnOutputs, SquaredExponential
from particlegvi.methods import DE, DLE, DRE, DRLE
from particlegvi.methods.method import DEFAULT
from particlegvi.networks.architecture import Network
from particlegvi.networks.loss import NetworkLoss
from particlegvi.networks.training import FIRST, Trained, train
from particlegvi.tools import arguments
from particlegvi.tools.calls import shares_parameters

METHODS = {method.name: method for method in (DE(), DLE(1.0), DRE(1.0), DRLE(1.0, 1.0))}
MMD_WEIGHT = 0.1  # the default for a method with repulsion
CONTEXT = 40  # default number of inputs at which outputs repel each other


@shares_parameters()
@dataclass(eq=False, repr=False)
class EnsembleEstimator(Estimator):
    """The parameters of the two estimators, and the training of their ensemble.

    Parameters
    ----------
    method : str
        "DE", "DLE", "DRE" or "DRLE".
    hidden : sequence of int
        Units of each hidden layer.
    activation, parameterisation : str
        Parameters of `particlegvi.networks.Network`.
    particles : int
        Number of members of the ensemble.
    steps : int, optional
        Number of steps. By default it is doubled until the validation rows' score stops improving: at most 32,000
        steps of one size.
    step_size : float, optional
        Size of the first step. By default 1 / the largest curvature at the start, 0.01 for "adam".
    integrator : str
        One of `particlegvi.integrators.names()` that goes with the method and with batches; "adam" with
        DE and DRE. Plain networks, whose errors say the noise where it is not given, take "euler-maruyama".
    batch_size : int
        Number of rows of a batch; all rows if the data have fewer.
    kl_weight : float, optional
        Weight of KL in DLE and DRLE. By default the weight of the posterior (`NetworkLoss.kl_weight`).
    mmd_weight : float, optional
        Weight of the repulsion in DRE and DRLE, by default 0.1.
    kernel : kernel, optional
        Kernel of the repulsion in DRE and DRLE. By default outputs repel each other: the squared exponential of the
        outputs at ``context``, with the median heuristic.
    context : array (n, features), optional
        Inputs at which outputs repel each other, in units of X. By default 40 uniform draws from the box of the
        training inputs, widened by half of its width on each side.
    validation_fraction : float
        Share of the rows that are kept from training and choose the number of steps and, in regression, the noise. If
        it gives fewer than two rows, all rows are trained on for 1000 steps, and the training rows choose the noise.

    Attributes
    ----------
    network_ : Network
    particles_ : array (particles, dim)
    kl_weight_ : float
        0 for DE and DRE.
    steps_ : int
    step_size_ : float
    rows_held_ : int
        Number of validation rows.
    facts_ : dict
        The chosen weight and context of the repulsion.
    """

    method: str = "DE"
    hidden: Sequence[int] = (50,)
    activation: str = "relu"
    parameterisation: str = "standard"
    particles: int = 10
    steps: int | None = None
    _: KW_ONLY
    step_size: float | None = None
    integrator: str = DEFAULT
    batch_size: int = 100
    kl_weight: float | None = None
    mmd_weight: float | None = None
    kernel: Kernel | None = None
    context: ArrayLike | None = None
    validation_fraction: float = 0.1

    result: ClassVar[str] = "particles_"

    def _check_settings(self) -> None:
        """Refuse settings that are wrong for any data."""
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise arguments.refuse("method", self.method, f"one of {', '.join(METHODS)}")
        METHODS[self.method].check_integrator(integrators.integrator_from(self.integrator).name)
        arguments.whole("particles", self.particles, 1, arguments.MOST_PARTICLES)
        arguments.whole("batch_size", self.batch_size, 1)
        if self.steps is not None:
            arguments.whole("steps", self.steps, 1)
        if self.step_size is not None:
            arguments.positive("step_size", self.step_size)
        if self.kl_weight is not None:
            arguments.positive("kl_weight", self.kl_weight)
        if self.mmd_weight is not None:
            arguments.not_negative("mmd_weight", self.mmd_weight)
        arguments.fraction("validation_fraction", self.validation_fraction, "0")

    def _split(self, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers for training and for validation; both are all rows if either would have fewer than two."""
        trained, held = self._held_out(rows, self.validation_fraction, seed, "validation")
        self.rows_held_ = len(held)
        return trained, held if len(held) else trained

    def _network(self, inputs: int, outputs: int) -> Network:
        return Network(inputs, self.hidden, outputs, self.activation, self.parameterisation)

    def _loss(self, network: Network, X: Array, y: Array, cost: str) -> NetworkLoss:
        loss = NetworkLoss(network, X, y, cost, batch_size=min(int(self.batch_size), len(X)))
        loss.driver(integrators.get(integrators.integrator_from(self.integrator).name))
        return loss

    def _train(
        self, loss: NetworkLoss, kl_weight: float, score: Callable[[Array], float], seed: int, plain: bool = False
    ) -> Trained:
        """Train with the chosen method; with ``plain`` without its noise and its repulsion."""
        name = "ntk" if self.parameterisation == "ntk" else "he"
        method = DE() if plain else self._made(loss, kl_weight, seed)
        alone = self.steps is None and self.rows_held_ == 0  # training rows cannot choose when to stop
        return train(
            loss, method, loss.network.prior(name), score,
            particles=int(self.particles), steps=FIRST if alone else self.steps, step_size=self.step_size, seed=seed,
            integrator=DEFAULT if plain else self.integrator,
        )  # fmt: skip

    def _made(self, loss: NetworkLoss, kl_weight: float, seed: int) -> Method:
        self.facts_: Facts = {}
        if self.method in ("DRE", "DRLE"):
            weight = MMD_WEIGHT if self.mmd_weight is None else float(self.mmd_weight)
            kernel = self._kernel(loss, seed)
            self.facts_ = {"mmd_weight": weight, **self.facts_}
            return DRE(weight, kernel) if self.method == "DRE" else DRLE(kl_weight, weight, kernel)
        return DLE(kl_weight) if self.method == "DLE" else DE()

    def _kernel(self, loss: NetworkLoss, seed: int) -> Kernel:
        if self.kernel is not None:
            return self.kernel
        if self.context is not None:
            points = arguments.points("context", self.context, loss.network.inputs)
            self.facts_["context"] = f"{len(points)} inputs, as given"
            return OnOutputs(SquaredExponential("median"), (points - self.input_mean_) / self.input_scale_)
        low, high = loss.X.min(axis=0), loss.X.max(axis=0)
        uniforms = noise.uniforms(seed, "split", CONTEXT, loss.network.inputs, STEPS["context"])
        self.facts_["context"] = (
            f"{CONTEXT} uniform draws in the box of the training inputs, widened by half of its width on each side"
        )
        return OnOutputs(SquaredExponential("median"), low + (high - low) * (2.0 * uniforms - 0.5))

    def _keep(self, loss: NetworkLoss, trained: Trained, kl_weight: float) -> None:
        self.network_, self.particles_ = loss.network, trained.particles
        self.steps_, self.step_size_ = trained.steps, trained.step_size
        self.kl_weight_ = kl_weight if self.method in ("DLE", "DRLE") else 0.0
        self.n_iter_ = trained.steps
