"""A model of NumPyro: a function with ``numpyro.sample`` in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.losses.automatic import in_few_shapes
from particlegvi.losses.checks import name_of
from particlegvi.losses.models.model import Draws, ModelEnergy, continuous, coordinate_names, split
from particlegvi.tools import arguments
from particlegvi.tools.errors import needed, warn


def of_numpyro(model: Callable[..., object], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ModelEnergy:
    """The model of a function with these arguments."""
    if not callable(model):
        raise arguments.refuse("model", model, "a function with numpyro.sample in it")
    needed("a model of NumPyro", "numpyro", "numpyro")
    import jax
    from numpyro.infer.util import initialize_model

    if jax.numpy.zeros(1).dtype != np.float64:
        raise ValueError(
            "NumPyro must compute in float64, which has more than seven digits: call numpyro.enable_x64() before this"
        )
    _check_variables(model, args, kwargs)
    try:
        known = initialize_model(
            jax.random.PRNGKey(0), model, model_args=args, model_kwargs=dict(kwargs), validate_grad=False
        )
    except RuntimeError as error:
        if "initial parameters" not in str(error):
            raise
        raise ValueError(
            "the model must have a positive density somewhere, and it has none at 100 points between -2 and 2 in"
            " unconstrained coordinates"
        ) from None
    shapes = {name: tuple(values.shape) for name, values in known.param_info.z.items()}
    both = jax.jit(jax.vmap(jax.value_and_grad(lambda theta: known.potential_fn(split(theta, shapes)))))
    own_variables = jax.jit(jax.vmap(lambda theta: known.postprocess_fn(split(theta, shapes))))

    def energy(X: Array) -> tuple[Array, Array]:
        values, gradients = both(X)
        return np.asarray(values), np.asarray(gradients)

    def constrain(X: Array) -> Draws:
        own = {name: np.asarray(values) for name, values in own_variables(X).items()}
        return {name: own[name] for name in [*shapes, *(other for other in own if other not in shapes)]}

    return ModelEnergy(name_of(model), "NumPyro", coordinate_names(shapes, constrain), in_few_shapes(energy), constrain)


def _check_variables(model: Callable[..., object], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Refuse a model that fails, that has discrete variables or none, or whose data were left out."""
    from numpyro import handlers

    try:
        trace = handlers.trace(handlers.seed(model, 0)).get_trace(*args, **kwargs)
    except Exception as error:
        raise ValueError(f"the model must run with the arguments after it, and fails: {error!r}") from error
    sites = [site for site in trace.values() if site["type"] == "sample"]
    free = [site for site in sites if not site["is_observed"]]
    if len(free) == len(sites):
        bound = inspect.signature(model).bind(*args, **kwargs)
        bound.apply_defaults()
        missing = next((name for name, value in bound.arguments.items() if value is None), None)
        if missing is not None:
            raise ValueError(
                f"the model must observe something, and its argument {missing} is None: hand in the data, as in"
                f" from_numpyro(model, {missing}=...)"
            )
        if free:
            warn("the model observes nothing, so its draws are those of its prior: numpyro.sample(..., obs=data)")
    continuous("NumPyro", len(free), [site["name"] for site in free if site["fn"].support.is_discrete])
