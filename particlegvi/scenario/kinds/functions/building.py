"""Builds the parts of a scenario over functions: the covariance, the likelihood, the data and the methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from particlegvi.contracts import Record, Scenario, StepProgress, Storage
from particlegvi.functionspace import covariances, likelihoods
from particlegvi.functionspace.covariances.coordinates import OnCoordinates
from particlegvi.functionspace.covariances.covariance import Covariance, Product
from particlegvi.scenario.kinds.functions import methods as registry
from particlegvi.scenario.kinds.functions.data import Data, resolve
from particlegvi.scenario.kinds.functions.methods.gp import GP
from particlegvi.scenario.kinds.functions.problem import Fit, Fitting, FunctionProblem
from particlegvi.scenario.kinds.functions.run import FunctionRun
from particlegvi.scenario.kinds.kind import at_key, check_particles
from particlegvi.tools import machine
from particlegvi.tools.registry import one_of

ROWS = 3  # arrays of (observations, inducing points) that a fit holds at once


class FunctionParts(NamedTuple):
    """The parts of a scenario."""

    kernel: Any
    likelihood: Any
    data: Data
    methods: dict[str, Any]  # method objects by label
    settings: Mapping[str, Any]  # the complete scenario

    def problem(self, seed: int) -> FunctionProblem:
        """The problem with the data of this seed."""
        settings = self.settings
        Z = settings["inducing_points"]
        X, y = self.data.drawn(self.likelihood, seed)
        return FunctionProblem(
            self.kernel,
            self.likelihood,
            X,
            self.likelihood.check_targets(y, len(X)),
            np.array(Z) if isinstance(Z, list) else Z,
            settings["particles"],
            settings.get("steps"),
            settings.get("step_size"),
            seed,
            self.data.observed(),
        )

    def fit(
        self, label: str, seed: int, progress: StepProgress | None = None, storage: Storage | None = None
    ) -> FunctionRun:
        """Fit one method, from the start or from a snapshot in the storage."""
        problem, method = self.problem(seed), self.methods[label]
        return FunctionRun(label, problem, self.data, method, method.fit(problem, progress, storage))

    def restored(self, label: str, seed: int, record: Record) -> FunctionRun:
        """The run of a stored record. The posterior is made here at once, so that a bad array is refused here."""
        check_particles(record, self.settings["particles"])
        arrays = dict(record.arrays)
        fit = Fit(arrays.pop("positions"), arrays.pop("steps"), record.info, arrays)
        run = FunctionRun(label, self.problem(seed), self.data, self.methods[label], fit)
        _ = run.posterior
        return run


def build(scenario: Scenario) -> FunctionParts:
    """The parts of a complete scenario, checked for consistency and memory. Nothing is compiled or drawn."""
    with at_key("likelihood"):
        likelihood = likelihoods.get(**scenario["likelihood"])
    with at_key("data"):
        data = resolve(scenario["data"])
    with at_key("kernel"):
        kernel = _covariance(scenario["kernel"], data.inputs)
    with at_key("data"):
        if data.y is not None:
            likelihood.check_targets(data.y, len(data.y))
        observed = data.observed()
        if observed is not None:
            observed.check(kernel)
    rows = data.rows
    Z = scenario["inducing_points"]
    points = len(Z) if isinstance(Z, list) else Z
    if isinstance(Z, list):
        if len(Z[0]) != data.inputs:
            raise ValueError(f"inducing_points must have {data.inputs} coordinates as the data have, not {len(Z[0])}")
    elif points > rows:
        raise ValueError(f"inducing_points must be at most the number of data, which is {rows}, not {points}")
    with at_key("kernel"):
        kernel(np.zeros((1, data.inputs)))  # refuses another number of lengthscales than of inputs
    methods = {label: _method(label, entry, kernel, likelihood, data) for label, entry in scenario["methods"].items()}
    particles = scenario["particles"]
    needed = 8 * (ROWS * rows * points + particles * (10 * points + rows) + 6 * points**2)  # bytes of a fit, about
    machine.check(f"{rows} data, {points} inducing points and {particles} particles", needed, "give fewer")
    return FunctionParts(kernel, likelihood, data, methods, scenario)


def _covariance(settings: Mapping[str, Any], inputs: int) -> Covariance:
    """The covariance; with ``by_coordinate = "product"`` it is the product of one for each coordinate of an input."""
    parameters = {key: value for key, value in settings.items() if key != "by_coordinate"}
    if "by_coordinate" in settings:
        one_of("value of by_coordinate", settings["by_coordinate"], ["product"])
        if inputs > 1:
            return Product(*(OnCoordinates(covariances.get(**parameters), number) for number in range(inputs)))
    return covariances.get(**parameters)


def _method(label: str, entry: Mapping[str, Any], kernel: Covariance, likelihood: Any, data: Data) -> Any:
    with at_key(f"methods.{label}"):
        own = {name: value for name, value in entry.items() if name != "method"}
        method = registry.get(entry.get("method", label), **own)
        method.check(likelihood)
        if isinstance(method, Fitting):
            method.fits(kernel, data.inputs)
        if data.observed() is not None and not isinstance(method, GP):
            raise ValueError(f"{method.name} has no data that are means or slopes: the method must be GP")
        return method
