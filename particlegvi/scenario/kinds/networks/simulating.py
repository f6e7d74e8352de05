"""Simulate one method of a scenario of networks; its run with the data and the predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Record
from particlegvi.metrics.mixtures import Mixture
from particlegvi.networks import Network, NetworkLoss
from particlegvi.networks.mixtures import class_probabilities, mixture, mutual_information
from particlegvi.networks.mixtures import noise_variance as found_variance
from particlegvi.scenario.kinds.kind import Job, check_particles
from particlegvi.scenario.kinds.networks.building import NetworkProblem
from particlegvi.scenario.kinds.networks.data import Drawn
from particlegvi.simulation.loop import run_problem, stored_records
from particlegvi.simulation.run import Run
from particlegvi.tools.errors import Diverged, carried, carry

if TYPE_CHECKING:
    import xarray

_EMPTY = Drawn(np.empty((0, 1)), np.empty(0))


@dataclass(repr=False)  # the short repr of Run
class NetworkRun(Run):
    """The records of one method that moves networks, and the data."""

    data: Drawn = field(default_factory=lambda: _EMPTY)
    # standard deviation of an observation's noise, in units of the networks' scaled targets; 0 for a cost without noise
    noise_sd: float = 0.0

    @property
    def network(self) -> Network:
        """The network; each particle is an array of its parameters."""
        return self.network_loss.network

    @property
    def network_loss(self) -> NetworkLoss:
        """The loss."""
        assert isinstance(self.loss, NetworkLoss)
        return self.loss

    @property
    def classifies(self) -> bool:
        """Whether the task is a classification."""
        return self.network_loss.cost in ("logistic", "softmax")

    def predict(self, X: ArrayLike) -> Array:
        """Outputs of the final networks at inputs (n, inputs): (particles, n), or (particles, n, outputs)."""
        return self.network.predict(self.final, X)

    def mixture(self, X: ArrayLike) -> Mixture:
        """The distribution of an observation at each input, in regression."""
        return mixture(self.predict(X), self.noise_sd)

    def probabilities(self, X: ArrayLike) -> Array:
        """The probabilities (particles, n, classes) of every member, in classification."""
        return class_probabilities(self.predict(X))

    def disagreement(self, X: ArrayLike) -> Array:
        """The mutual information (n,) between the label and the member, in nats."""
        return mutual_information(self.probabilities(X))

    def to_xarray(self) -> xarray.Dataset:
        """The records of the parameters, the data, and the predictions of the final networks at the data.

        ``X`` (observation, input), ``y`` (observation), and ``prediction`` (particle, observation), or (particle,
        observation, output) of networks with several.
        """
        said = self.predict(self.data.X)
        dims = ("particle", "observation", "output")[: said.ndim]
        data = {"X": (("observation", "input"), self.data.X), "y": (("observation",), self.data.y)}
        return super().to_xarray().assign({**data, "prediction": (dims, said)})

    def process(self, X: ArrayLike) -> tuple[Array, Array] | None:
        """Mean and sd (n,) of the function given the data, if it was drawn from a Gaussian process; else None."""
        return None if self.data.lengthscale == 0.0 else self.data.process(self.network.rows(X))


def simulate(job: Job) -> NetworkRun:
    """Simulate from the start or from the snapshot in the storage."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    noise = job.scenario.get("noise_variance")
    try:
        run = run_problem(particles, method, job.scenario.get("record_every"), job.step_progress, job.storage)
        return _with_data(run, problem, noise)
    except (Diverged, KeyboardInterrupt) as error:
        partly = carried(error, "run")
        if isinstance(partly, Run):
            carry(error, "run", _with_data(partly, problem, noise))
        raise


def unpacked(job: Job, record: Record) -> NetworkRun:
    """The run of a stored record, with the stored data. A run that was cut short has no stored data."""
    particles, method, problem = job.parts.particle_problem(job.label, job.seed)
    check_particles(record, job.scenario["particles"])
    arrays, (scenario, dim) = record.arrays, (job.scenario, particles.loss.dim)
    positions, steps = stored_records(record, dim, scenario["steps"], scenario.get("record_every"))
    if "inputs" in arrays:
        data = replace(problem.data, X=np.asarray(arrays["inputs"]), y=np.asarray(arrays["targets"]))
        problem = problem._replace(data=data)
    made = particles.loss, particles.prior, method
    run = Run(job.label, *made, positions, steps, particles.step_size, job.seed, record.info)
    return _with_data(run, problem, job.scenario.get("noise_variance"))


def _with_data(run: Run, problem: NetworkProblem, noise_variance: float | None) -> NetworkRun:
    whole = NetworkRun(**{part.name: vars(run)[part.name] for part in fields(run)}, data=problem.data)
    if noise_variance is not None and problem.loss.cost == "squared":
        whole.noise_sd = math.sqrt(noise_variance)
    elif problem.validation is not None and np.all(np.isfinite(run.final)):
        X, y = problem.validation
        with np.errstate(all="ignore"):
            whole.noise_sd = math.sqrt(found_variance(y, problem.loss.predict(run.final, X)))
    return whole
