"""Builds the parts of a scenario of particles: the loss, the prior, the start and the methods."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import numpy as np

from particlegvi import integrators, kernels, losses, methods, priors
from particlegvi.contracts import Array, Facts, Kernel, Method, Prior, Scenario, Start
from particlegvi.integrators import schedules
from particlegvi.kernels.bandwidth import with_lengthscale
from particlegvi.losses.formulas.parser import variables_of
from particlegvi.losses.loss import Loss
from particlegvi.methods.flow import ParticleProblem
from particlegvi.scenario.kinds.kind import at_key
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.simulation.sampling.sample import check_method
from particlegvi.simulation.sampling.sample_settings import preconditioner_of
from particlegvi.tools import machine
from particlegvi.tools.errors import LossNotHere
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters


class Parts(NamedTuple):
    """The parts of a scenario."""

    loss: Loss
    prior: Prior
    initial: Start | None  # (particles, dim): start of the particles; None means the prior
    methods: dict[str, Method]  # method objects by label
    reference: Array | None = None  # draws of the truth (draws, dim), if some were given


def build(scenario: Scenario) -> Parts:
    """The parts of a complete scenario of particles, checked for consistency and memory. Nothing is compiled."""
    made = physics(scenario)
    dim = made.loss.dim
    _same_dim("modes", len(scenario["modes"][0]) if "modes" in scenario else dim, dim)
    if "preconditioner" in scenario:
        preconditioner_of(scenario["preconditioner"], dim)
        for label, method in made.methods.items():
            with at_key(f"methods.{label}"):
                check_method(method)
        return made
    with at_key("integrator"):
        integrators.integrator_from(scenario["integrator"])
    step_size = schedules.step_size_from(scenario["step_size"])
    schedules.largest(step_size, scenario["steps"])
    for label, method in made.methods.items():
        own = "integrator" in scenario["methods"][label]
        hint = "" if own else f"; [methods.{label}] may have an integrator of its own"
        try:
            method.check_integrator(integrators.integrator_from(of_method(scenario, label)["integrator"]).name)
        except ValueError as error:
            raise ValueError(f"methods.{label}: {error}{hint}") from None
    machine.check_run(scenario["particles"], dim, scenario["steps"], scenario.get("record_every"), len(made.methods))
    return made


def physics(scenario: Scenario) -> Parts:
    """The parts, which depend on ``loss``, ``prior``, ``initial``, ``kernel`` and ``methods`` only."""
    loss = loss_of(scenario["loss"])
    prior = prior_of(scenario["prior"], "prior", loss.dim, loss.variables)
    start = scenario.get("initial")
    initial: Start | None = None
    if start is not None and "points" in start:
        initial = np.array(start["points"], dtype=np.float64)
        _same_dim("initial.points", initial.shape[1], loss.dim)
    elif start is not None and "array" in start:
        initial = np.empty((0, loss.dim))  # the folder has it
    elif start is not None:
        initial = prior_of(start, "initial", loss.dim, loss.variables)
    if "preconditioner" not in scenario and isinstance(prior if initial is None else initial, priors.Flat):
        raise ValueError("initial must be a distribution or points, since a flat prior has no draws to start from")
    shared = _kernel(scenario["kernel"], "kernel") if "kernel" in scenario else None
    chosen = {label: method_of(label, entry, shared) for label, entry in scenario["methods"].items()}
    return Parts(loss, prior, initial, chosen)


def with_kernel_of_run(method: Method, info: Facts) -> Method:
    """The method with the kernel of its run, whose lengthscale is the number in the run's ``info``."""
    number, kernel = info.get("lengthscale"), method.kernel
    if method.mmd_weight == 0.0 or not isinstance(number, int | float):
        return method
    if kernel is None:
        if info.get("kernel") not in kernels.names():  # the run used no kernel of the package
            return method
        kernel = kernels.get(info["kernel"])
    elif kernel.lengthscale == number:
        return method
    return method.with_kernel(with_lengthscale(kernel, number))


def of_method(scenario: Scenario, label: str) -> Scenario:
    """The scenario with the integrator of one method, if the method has its own."""
    own = scenario["methods"][label].get("integrator")
    return scenario if own is None else {**scenario, "integrator": own}


def problem(parts: Parts, method: Method, scenario: Scenario, seed: int, record_every: int | None) -> ParticleProblem:
    """The checked problem of one method; `of_method` gives its ``scenario``."""
    shared = {key: scenario[key] for key in ("particles", "steps", "step_size", "integrator", "tolerance")}
    settings = Settings(**shared, record_every=record_every, seed=seed)
    return check_problem(parts.loss, method, parts.prior, parts.initial, settings)


def loss_of(entry: Scenario) -> Loss:
    """The loss of a checked entry."""
    with at_key("loss"):
        if "formula" in entry:
            return Loss.from_formula(entry["formula"], entry["variables"])
        if "given" in entry:
            return absent(entry)
        return losses.get(**entry)


def absent(entry: Scenario) -> Loss:
    """A placeholder for a loss of Python, because a folder has only its name."""

    def called(*_: object) -> Array:
        raise LossNotHere(
            f'this needs the loss "{entry["given"]}", functions of Python that are not in the folder:'
            " pg.load(folder, loss=...) takes them"
        )

    return Loss(None, entry["dim"], entry["given"], functions=(called, called))


def prior_of(entry: Scenario, key: str, dim: int, names: list[str]) -> Prior:
    with at_key(key):
        parameters = {"dim": dim, **entry} if entry["name"] == "flat" else dict(entry)
        if entry["name"] == "formula" and set(variables_of(str(entry.get("formula", "")))) <= set(names):
            parameters.setdefault("variables", names)
        prior = priors.get(**parameters)
    several = next((name for name, value in entry.items() if isinstance(value, int | float)), None)
    hint = f"; for example {several} = {[entry[several]] * dim}" if several is not None and prior.dim == 1 else ""
    _same_dim(key, prior.dim, dim, hint)
    return prior


def _same_dim(key: str, dim: int, of_loss: int, hint: str = "") -> None:
    if dim != of_loss:
        raise ValueError(f"{key} must have the dimension of the loss, which is {of_loss}, not {dim}{hint}")


def _kernel(entry: Scenario, key: str) -> Kernel:
    with at_key(key):
        return kernels.get(**entry)


def method_of(label: str, entry: Scenario, shared: Kernel | None) -> Method:
    key = f"methods.{label}"
    with at_key(key):
        method = methods.get(entry.get("method", label))
        known = inspect.signature(method).parameters
        parameters = {name: value for name, value in entry.items() if name not in ("method", "integrator")}
        check_parameters(entry.get("method", label), parameters, known)
        for name, value in parameters.items():  # a word, true or false only where the method's own default is no number
            if isinstance(value, bool | str) and type(known[name].default) in (int, float):
                raise refuse(name, value, "a number")
    if "kernel" in parameters:
        parameters["kernel"] = _kernel(parameters["kernel"], f"{key}.kernel")
    elif "kernel" in known and shared is not None:
        parameters["kernel"] = shared
    with at_key(key):
        return method(**parameters)
