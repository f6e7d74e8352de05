"""The checks of objects: a loss, a prior, a method, a kernel, a target, a run, a function.

Each asks for the members of a Protocol of `particlegvi.contracts` and returns the object, or raises a ``ValueError`` of
one sentence that names the first member that is missing. The checks of values are in `particlegvi.tools.arguments`.
"""

from __future__ import annotations

import inspect
from typing import Any, get_args

import numpy as np

from particlegvi import contracts
from particlegvi.contracts import Array
from particlegvi.tools.arguments import array, finite, not_negative, points, shaped
from particlegvi.tools.quoting import refuse, shown

METHOD = "a method such as particlegvi.methods.DLE(kl_weight=1.0)"
PRIOR = "a prior such as particlegvi.priors.Normal(mean=0.0, sd=1.0)"
SCIPY = (
    "a distribution of scipy has no gradient: there are pg.priors.Normal, Laplace, StudentT, Uniform, GaussianMixture,"
    " Exponential, HalfNormal, Gamma, LogNormal, and any other density is given as a formula,"
    ' pg.Prior.from_formula("exp(-abs(t)**3)", ["t"])'
)
KERNEL = "a kernel such as particlegvi.kernels.SquaredExponential(lengthscale=1.0)"
TARGET = "a target, as particlegvi.target gives it"


def members(contract: type) -> list[str]:
    """Names of the members of a Protocol, inherited ones first."""
    names = [name for base in reversed(contract.__mro__) for name in (*inspect.get_annotations(base), *vars(base))]
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def having(
    key: str, value: Any, contract: type | tuple[str, ...], allowed: str, *, without: str = "", more: str = ""
) -> Any:
    """An object (not a class) having the members of a contract.

    Parameters
    ----------
    contract : type or tuple of str
        A Protocol, or the names of the members.
    without : str
        Members that this use does not need, separated by spaces.
    more : str
        A phrase for the end of the sentence if only some members are missing.
    """
    if isinstance(value, type):
        raise refuse(key, value, allowed)
    names = contract if isinstance(contract, tuple) else members(contract)
    wanted = [name for name in names if name not in without.split()]
    missing = [name for name in wanted if not hasattr(value, name)]
    if len(missing) == len(wanted):
        raise refuse(key, value, allowed)
    if missing:
        raise ValueError(f"{key} must be {allowed}, not {shown(value)}, which has no {missing[0]}{more}")
    return value


def function(key: str, value: Any) -> Any:
    """A callable that is not a class. The check of its result is `returned`."""
    if not callable(value) or isinstance(value, type):
        raise refuse(key, value, "a function")
    return value


def returned(key: str, value: Any, shape: tuple[int, ...]) -> Array:
    """The value that a user's function returned: finite numbers of this shape."""
    allowed, key = f"finite numbers of the shape {shape}", f"the result of {key}"
    numbers = array(key, value, allowed)
    if numbers.shape != shape:
        raise shaped(key, numbers, allowed)
    return finite(key, numbers, allowed)


def loss(value: Any, for_run: bool = False) -> Any:
    """A loss; ``for_run`` with a name and a gradient for every step."""
    allowed = 'a Loss such as particlegvi.losses.get("double-well")'
    if isinstance(value, str):
        made = 'pg.losses.get(NAME) or pg.Loss.from_formula("t**2", ["t"])'
        raise ValueError(f"{refuse('loss', value, allowed)}; a text is made one by {made}")
    if inspect.isroutine(value) or isinstance(value, np.ufunc):
        made = "pg.Loss.from_numpy(value, gradient, dim=1)"
        raise ValueError(f"{refuse('loss', value, allowed)}; functions are made one by {made}")
    return having("loss", value, contracts.Loss, allowed, without="name" if for_run else "name gradient_at")


def prior(value: Any, key: str = "prior") -> Any:
    """A prior, or another distribution on R^dim; with finite moments if it has a ``mean`` and an ``sd``."""
    no_scipy(key, value)
    checked = having(key, value, contracts.Prior, PRIOR)
    dim = checked.dim
    if isinstance(checked, contracts.Located):
        whose = "of the prior" if key == "prior" else f"of {key}"
        _moment(f"mean {whose}", checked.mean, dim, "finite")
        if not (_moment(f"sd {whose}", checked.sd, dim, "positive finite") > 0.0).all():
            raise refuse(f"sd {whose}", checked.sd.tolist(), f"an array ({dim},) of positive finite numbers")
    return checked


def start(value: object, dim: int) -> contracts.Start:
    """Where particles start, the argument ``initial``: a distribution of this dimension, or points (n, dim), a copy."""
    if isinstance(value, contracts.Distribution):
        same_dim("initial", prior(value, "initial").dim, dim)
        return value  # type: ignore[return-value]  # it has all members of a prior
    no_scipy("initial", value)
    return points("initial", value, dim, least=1, other="a prior, or ").copy()


def no_scipy(key: str, value: object) -> None:
    """Refuse a frozen distribution of scipy, and name the prior to use instead."""
    if type(value).__module__.startswith("scipy.stats"):
        raise ValueError(f"{refuse(key, value, PRIOR)}; {SCIPY}")


def _moment(key: str, value: Any, dim: int, which: str) -> Array:
    allowed = f"an array ({dim},) of {which} numbers"
    if not isinstance(value, np.ndarray):
        raise refuse(key, value, allowed)
    numbers = array(key, value, allowed)
    if numbers.shape != (dim,):
        raise shaped(key, numbers, allowed)
    return finite(key, numbers, allowed)


def method(value: Any) -> Any:
    """A method, with an objective and weights that are allowed."""
    checked = having("method", value, contracts.Method, METHOD, more="; particlegvi.methods.Method has the defaults")
    objectives = get_args(contracts.Objective)
    if not isinstance(checked.objective, str) or checked.objective not in objectives:
        raise refuse("objective of the method", checked.objective, f"one of {', '.join(objectives)}")
    not_negative("kl_weight of the method", checked.kl_weight)
    not_negative("mmd_weight of the method", checked.mmd_weight)
    return checked


def target(value: Any, density: bool = False, dim: int | None = None) -> Any:
    """A target made by `particlegvi.target`; with ``density``, one that has a density."""
    kind = having("target", value, contracts.Target, TARGET, without="sample").kind
    if kind not in ("density", "atoms", "gaussians"):
        raise refuse("target", value, TARGET)
    if density and kind != "density":
        raise ValueError(f'target must be one with a density, not one of the kind "{kind}"')
    if dim not in (None, value.dim):
        raise ValueError(f"target must be of dimension {dim}, as the loss is, not {value.dim}")
    return value


def run(value: Any) -> Any:
    """A run made by `particlegvi.simulate`."""
    return having("run", value, contracts.Run, "a run, as particlegvi.simulate gives it", without="steps info")


def results(value: Any) -> Any:
    """Results made by `particlegvi.run`: runs by label, and their scenario."""
    return having("results", value, ("items", "scenario"), "results, as particlegvi.run or particlegvi.load gives them")


def kernel(value: Any) -> Any:
    """A kernel that can be evaluated: its lengthscale is a number and not the name of a rule."""
    if isinstance(having("kernel", value, contracts.Kernel, KERNEL, without="name variance").lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number, not the rule "{value.lengthscale}"')
    return value


def kernel_or_rule(value: Any) -> Any:
    """A kernel whose lengthscale may still be the name of a rule."""
    return having("kernel", value, contracts.Kernel, KERNEL)


def progress(value: Any) -> Any:
    """A callable, or None."""
    if value is not None and not callable(value):
        raise refuse("progress", value, "a function or None")
    return value


def check_listening(value: object) -> None:
    """A callable, True, False, "auto" or None."""
    if not (value is None or isinstance(value, bool) or callable(value) or (type(value) is str and value == "auto")):
        raise refuse("progress", value, 'True, "auto", a function or None')


def has_walls(low: Array, high: Array) -> bool:
    """Whether the density of a prior ends somewhere: in any coordinate, on either side."""
    return bool(np.any(np.isfinite(low)) or np.any(np.isfinite(high)))


def same_dim(key: str, dim: int, of_loss: int) -> None:
    """The dimensions of two parts must agree."""
    if dim != of_loss:
        raise ValueError(f"{key} must be of dimension {of_loss}, as the loss is, not {dim}")
