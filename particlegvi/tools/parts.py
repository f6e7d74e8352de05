"""The checks of objects: a loss, a prior, a method, a kernel, a target, a function.

Each asks for the members of a Protocol of `particlegvi.contracts` and returns the object, or raises a ``ValueError`` of
one sentence. The checks of values are in `particlegvi.tools.arguments`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.tools.arguments import array
from particlegvi.tools.quoting import refuse

METHOD = (
    "label", "flow", "objective", "kl_weight", "mmd_weight", "kernel", "has_noise", "schedules", "follows_loss",
    "check_integrator",
)  # fmt: skip
PRIOR = "a prior such as particlegvi.priors.Normal(mean=0.0, sd=1.0)"


def part(key: str, thing: Any, attributes: tuple[str, ...], allowed: str) -> Any:
    """An object (not a class) with these attributes: a loss, a method, a prior, a target."""
    if isinstance(thing, type) or not all(hasattr(thing, name) for name in attributes):
        raise refuse(key, thing, allowed)
    return thing


def function(key: str, thing: Any) -> Any:
    """A callable that is not a class. The check of its result is `returned`."""
    if not callable(thing) or isinstance(thing, type):
        raise refuse(key, thing, "a function")
    return thing


def returned(key: str, value: Any, shape: tuple[int, ...]) -> Array:
    """What a user's function returned: finite numbers of this shape."""
    allowed = f"finite numbers of the shape {shape}"
    found = array(f"what {key} gives", value, allowed)
    if found.shape != shape:
        raise ValueError(f"{key} gives the shape {found.shape}; {shape} is allowed")
    if not np.all(np.isfinite(found)):
        raise ValueError(f"{key} gives a number that is not finite; {allowed} are allowed")
    return found


def loss(thing: Any) -> Any:
    """A loss."""
    allowed = "a Loss, for example particlegvi.losses.get('double-well'),"
    return part("loss", thing, ("value", "gradient", "dim", "term"), allowed)


def prior(thing: Any, key: str = "prior") -> Any:
    """A prior, or another distribution on R^dim."""
    return part(key, thing, ("log_density", "gradient", "sample", "term", "dim", "low", "high"), PRIOR)


def method(thing: Any) -> Any:
    """A method."""
    return part("method", thing, METHOD, "a particlegvi.methods.Method such as particlegvi.methods.DLE(kl_weight=1.0)")


def target(thing: Any, density: bool = False, dim: int | None = None) -> Any:
    """A target, as `particlegvi.target` gives it; with ``density`` only one that has one."""
    allowed = "a target, as particlegvi.target gives it,"
    kind = part("target", thing, ("kind", "dim"), allowed).kind
    if kind not in ("density", "atoms", "gaussians"):
        raise refuse("target", thing, allowed)
    if density and kind != "density":
        raise ValueError(f"target is of the kind {kind!r}; one with a density is allowed")
    if dim not in (None, thing.dim):
        raise ValueError(f"target has {thing.dim} dimensions; {dim} is allowed")
    return thing


def kernel(thing: Any) -> Any:
    """A kernel that can be evaluated: its lengthscale is a number and not the name of a rule."""
    allowed = "a kernel such as particlegvi.kernels.SquaredExponential(lengthscale=1.0)"
    if isinstance(part("kernel", thing, ("value", "slope", "lengthscale"), allowed).lengthscale, str):
        raise ValueError(f'kernel has the rule "{thing.lengthscale}" for its lengthscale; a number is allowed')
    return thing


def kernel_or_none(thing: Any) -> Any:
    """A kernel of the repulsion, or None."""
    allowed = "a kernel of particlegvi.kernels, or None,"
    return None if thing is None else part("kernel", thing, ("value", "slope", "lengthscale"), allowed)


def progress(thing: Any) -> Any:
    """A callable, or None."""
    if thing is not None and not callable(thing):
        raise refuse("progress", thing, "a function or None")
    return thing


def same_dim(key: str, dim: int, of_loss: int) -> None:
    """The dimensions of two parts must agree."""
    if dim != of_loss:
        has = f"{key} has {dim} dimension{'s' * (dim != 1)} but the loss has {of_loss}"
        raise ValueError(f"{has}; equal dimensions are allowed")
