"""Builds the parts of a scenario of networks: data, network, loss, prior and methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi import integrators, kernels, methods
from particlegvi.contracts import Array, Facts, Kernel, Scenario
from particlegvi.functionspace import covariances, preprocessing
from particlegvi.integrators import schedules
from particlegvi.methods import FreeEnergy
from particlegvi.methods.flow import ParticleProblem
from particlegvi.networks import Network, NetworkLoss, costs
from particlegvi.priors import Normal
from particlegvi.scenario.kinds.kind import at_key
from particlegvi.scenario.kinds.networks.data import Drawn, away, drawn, inputs_of
from particlegvi.scenario.kinds.networks.keys import ON_LAYERS
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.tools import machine
from particlegvi.tools.quoting import refuse

CONTEXT = 8  # separates the draws of context inputs from other draws with the seed of the run


class NetworkProblem(NamedTuple):
    """The problem of a scenario for one seed: data, the loss on the training rows, and rows that choose the noise."""

    data: Drawn
    loss: NetworkLoss
    validation: tuple[Array, Array] | None


class NetworkParts(NamedTuple):
    """The parts of a scenario that do not depend on the seed."""

    network: Network
    cost: str
    prior: Normal
    initial: Normal | None
    settings: Scenario  # the complete scenario

    def problem(self, seed: int) -> NetworkProblem:
        """The data of this seed, and the loss on them."""
        with at_key("data"):
            data = drawn(self.settings["data"], seed)
        rows = np.arange(len(data.y))
        validation = None
        if self.cost == "squared" and "noise_variance" not in self.settings:
            rows = preprocessing.order(seed, "validation", len(data.y))  # the last tenth of them chooses the noise
            held = max(1, len(rows) // 10)
            validation = data.X[rows[-held:]], data.y[rows[-held:]]
            rows = np.sort(rows[:-held])
        batch_size = self.settings.get("batch_size")
        batches = self.settings["batches"]
        loss = NetworkLoss(self.network, data.X[rows], data.y[rows], self.cost, batch_size, batches)
        return NetworkProblem(data, loss, validation)

    def method(self, label: str, problem: NetworkProblem, seed: int) -> FreeEnergy:
        """The method of a label for the data of this seed."""
        entry = dict(self.settings["methods"][label])
        with at_key(f"methods.{label}"):
            made = methods.get(entry.pop("method", label))
            if "temper" in entry:
                if self.cost == "squared" and "noise_variance" not in self.settings:
                    raise ValueError("temper must be left out where noise_variance is not given, in whose units it is")
                entry["kl_weight"] = entry.pop("temper") * problem.loss.kl_weight(self.settings.get("noise_variance"))
            if "kernel" in entry:
                entry["kernel"] = _kernel(entry["kernel"], problem.data, seed)
            try:
                method = made(**entry)
            except TypeError:
                raise ValueError(f"{label} must have other keys, not all of {', '.join(entry)}") from None
            if not isinstance(method, FreeEnergy):
                raise refuse("method", label, "one of DE, DLE, DRE and DRLE")
        return method

    def particle_problem(self, label: str, seed: int) -> tuple[ParticleProblem, FreeEnergy, NetworkProblem]:
        """The checked problem of one method."""
        problem = self.problem(seed)
        method = self.method(label, problem, seed)
        shared = {key: self.settings[key] for key in ("particles", "steps", "step_size", "integrator")}
        settings = Settings(**shared, record_every=self.settings.get("record_every"), seed=seed)
        return check_problem(problem.loss, method, self.prior, self.initial, settings), method, problem


def build(scenario: Scenario) -> NetworkParts:
    """The parts of a complete scenario, checked for consistency and memory. Nothing is compiled."""
    with at_key("data"):
        inputs, task = inputs_of(scenario["data"])
    cost = scenario.get("cost", "squared" if task == "regression" else "logistic")
    with at_key("cost"):
        costs.code(cost)
        outputs = _outputs(cost, scenario["data"])
    with at_key("network"):
        network = Network(inputs, **{"hidden": (50,), **scenario["network"], "outputs": outputs})
    prior = _prior(scenario["prior"], "prior", network)
    initial = _prior(scenario["initial"], "initial", network) if "initial" in scenario else None
    with at_key("integrator"):
        integrators.get(scenario["integrator"])
    schedules.largest(schedules.step_size_from(scenario["step_size"]), scenario["steps"])
    number, every = len(scenario["methods"]), scenario.get("record_every")
    machine.check_run(scenario["particles"], network.dim, scenario["steps"], every, number)
    parts = NetworkParts(network, cost, prior, initial, scenario)
    problem = parts.problem(0)
    problem.loss.check_memory(scenario["particles"])
    for label in scenario["methods"]:
        method = parts.method(label, problem, 0)
        with at_key(f"methods.{label}"):
            method.check_integrator(scenario["integrator"])
            problem.loss.driver(integrators.get(scenario["integrator"]))
    return parts


def _outputs(cost: str, data: Facts) -> int:
    if cost == "heteroscedastic":
        return 2
    if cost != "softmax":
        return 1
    if "points" not in data:
        return 2
    return max(2, int(max(row[-1] for row in data["points"])) + 1)


def _prior(entry: Facts, key: str, network: Network) -> Normal:
    with at_key(key):
        if entry["name"] != "layers":
            return network.prior(entry["name"])
        return network.prior(weights=entry.get("weights"), biases=entry.get("biases"))


def _kernel(entry: Facts, data: Drawn, seed: int) -> Kernel:
    with at_key("kernel"):
        if entry["name"] not in ("on-outputs", *ON_LAYERS):
            return kernels.get(**entry)
        inner = kernels.get(entry["kernel"], lengthscale=entry["lengthscale"])
        if entry["name"] == "on-last-layer":
            return kernels.OnLastLayer(inner)
        if entry["name"] == "on-first-layer":
            return kernels.OnFirstLayer(inner)
        process = covariances.get(**entry["process"]) if "process" in entry else None
        if entry.get("inputs") == "fresh":
            return kernels.OnOutputs(inner, "fresh", entry["count"], entry["low"], entry["high"], process)
        return kernels.OnOutputs(inner, context(entry, data, seed), process=process)


def context(entry: Facts, data: Drawn, seed: int) -> Array:
    """The context inputs (count, inputs): evenly spaced on the line, random in a box, or far from all data."""
    inputs, low, high, count = data.X.shape[1], entry["low"], entry["high"], entry["count"]
    random = np.random.default_rng([CONTEXT, seed])
    ends = np.full(inputs, low), np.full(inputs, high)
    if "away" in entry:
        return away(data.X, *ends, entry["away"], count, random)
    return np.linspace(low, high, count)[:, None] if inputs == 1 else random.uniform(*ends, (count, inputs))
