"""A model of PyMC: what ``with pymc.Model() as model`` has made."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.losses.models.model import Draws, ModelEnergy, at_each, continuous, coordinate_names, split
from particlegvi.tools import arguments
from particlegvi.tools.errors import needed, warn


def of_pymc(model: Any) -> ModelEnergy:
    """The model of a ``pymc.Model``; PyTensor compiles it, the first time for some ten seconds."""
    needed("a model of PyMC", "pymc", "pymc")
    import pymc
    import pytensor

    if not isinstance(model, pymc.Model):
        raise arguments.refuse("model", model, "a pymc.Model")
    if pytensor.config.floatX != "float64":
        raise ValueError(
            f"PyMC must compute in float64, not {pytensor.config.floatX}, which has seven digits only: set"
            ' pytensor.config.floatX = "float64" before the model'
        )
    if model.free_RVs and not model.observed_RVs and not model.potentials:
        warn("the model observes nothing, so its draws are those of its prior: pymc.Normal(..., observed=data)")
    continuous("PyMC", len(model.free_RVs), [variable.name for variable in model.discrete_value_vars])
    start = model.initial_point()
    inputs = model.continuous_value_vars
    shapes = {variable.name: np.shape(start[variable.name]) for variable in inputs}
    density = model.logp_dlogp_function(grad_vars=inputs, ravel_inputs=True)
    density.set_extra_values({})
    own = model.unobserved_RVs
    to_own = model.compile_fn(model.replace_rvs_by_values(own), inputs=inputs, point_fn=False, on_unused_input="ignore")

    def log_density(point: Array) -> tuple[float, Array]:
        value, gradient = density(point)
        return float(np.squeeze(value)), gradient

    def constrain(X: Array) -> Draws:
        rows = [to_own(*split(point, shapes).values()) for point in X]
        return {variable.name: np.array([row[number] for row in rows]) for number, variable in enumerate(own)}

    # a transformed variable has the coordinate NAME_log__; its own name says more
    named = {model.values_to_rvs[variable].name: shapes[variable.name] for variable in inputs}
    coordinates = coordinate_names(named, constrain)
    return ModelEnergy(model.name or "model", "PyMC", coordinates, lambda X: at_each(log_density, X), constrain)
