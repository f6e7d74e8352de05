"""The state of an estimator as plain data, a tree of tables, lists, numbers, texts and arrays, and the way back.

A covariance, kernel, likelihood, network or mean stands there by its name and its settings, and is made again by its
own class, which checks them; a fitted model by its settings, its basis and what the fit has found. Pickle, skops and
`particlegvi.tools.bundle` all write this tree, so that none of them has to know these classes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from particlegvi import kernels
from particlegvi.contracts import Facts
from particlegvi.functionspace import covariances, likelihoods
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances.covariance import Compound, Covariance, Iterated, Product, Sum
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.means import Inducing, MeanNetwork
from particlegvi.functionspace.sampling.classes import ClassSampler
from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
from particlegvi.functionspace.wasserstein.classes import ClassProcesses
from particlegvi.functionspace.wasserstein.inference import GaussianWasserstein
from particlegvi.kernels.on_outputs import OnFirstLayer, OnLastLayer, OnOutputs
from particlegvi.tools.plugins import name_of

CLASS = "$class"  # the key of a table that stands for an object
PLAIN = (type(None), bool, int, float, str)
ROOMS: dict[str, tuple[type, Callable[..., object]]] = {  # parts that have names in registries, those from outside too
    "covariance": (Covariance, covariances.get),
    "likelihood": (Likelihood, likelihoods.get),
    "kernel": (tuple, kernels.get),
}
_CLASSES: dict[str, type] = {}  # by their own names
Kind = TypeVar("Kind", bound=type)


class Model(NamedTuple):
    """How a fitted model is kept: the attributes of its basis, what its ``restored`` takes, and further attributes."""

    basis: str
    fitted: Callable[..., object]
    further: tuple[str, ...]
    renamed: dict[str, str] = {}


MODELS: dict[type, Model] = {
    ProjectedLangevinSampler: Model(
        "basis_", lambda model: model.coefficients_, ("steps_", "step_size_", "info_", "selection_")
    ),
    ClassSampler: Model("basis_", lambda model: model.coefficients_, ("info_",)),
    ClassProcesses: Model("basis", ClassProcesses.state, ("objective_", "info_")),
    SparseGaussianProcess: Model(
        "basis", lambda model: model.law, ("bound", "facts", "_data"), {"kernel": "covariance"}
    ),
    GaussianWasserstein: Model(
        "basis", GaussianWasserstein.state, ("w2_weight_", "_facts", "_x", "_cost", "_square"), {"covariance": "rule"}
    ),
}  # fmt: skip


def known(kind: Kind) -> Kind:
    """Keep objects of a class by their settings: a NamedTuple, or attributes with the names of the parameters."""
    _CLASSES[kind.__name__] = kind
    return kind


for _each in (Sum, Product, Iterated, covariances.OnCoordinates, Law, Inducing, MeanNetwork, OnOutputs, OnLastLayer,
              OnFirstLayer, *MODELS):  # fmt: skip
    known(_each)


def written(value: object) -> object:
    """The tree of a value. An object that has none stays in the tree as it is, as pickle can hold it."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {CLASS: "objects", "items": [written(each) for each in value]} if value.dtype == object else value
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    if type(value) is list or type(value) is tuple:
        items = [written(each) for each in value]
        return items if isinstance(value, list) else {CLASS: "tuple", "items": items}
    if _CLASSES.get(type(value).__name__) is type(value):
        return {CLASS: type(value).__name__, **_object(value)}
    for room, (contract, get) in ROOMS.items():
        if isinstance(value, contract):
            try:
                settings, name = _settings(value), name_of(type(value))
                if type(get(name, **settings)) is type(value):
                    return {CLASS: room, "name": name, "settings": written(settings)}
            except (AttributeError, KeyError, TypeError, ValueError):
                pass  # a part of a user that is in no registry
    return value


def read(tree: object) -> object:
    """The value of a tree. Damaged trees raise KeyError, TypeError, AttributeError or ValueError."""
    if isinstance(tree, list):
        return [read(each) for each in tree]
    return tree if not isinstance(tree, dict) else _read_object(tree) if CLASS in tree else table(tree)


def table(tree: Facts) -> Facts:
    """The values of a table."""
    return {key: read(each) for key, each in tree.items()}


def _read_object(tree: Facts) -> object:
    name = tree[CLASS]
    if "items" in tree:
        items = [read(each) for each in tree["items"]]
        if name == "objects":
            found = np.empty(len(items), dtype=object)
            found[:] = items
            return found
        return tuple(items) if name == "tuple" else _CLASSES[name](*items)
    settings = table(tree["settings"])
    if name in ROOMS:
        return ROOMS[name][1](tree["name"], **settings)
    made = _CLASSES[name](**settings)
    model = MODELS.get(type(made))
    if model is not None:
        covariance = vars(made)[model.renamed.get("kernel", "kernel")]
        made.restored(unpacked(covariance, table(tree["basis"])), read(tree["fitted"]))
        further = table(tree["further"])
        vars(made).update({key: further[key] for key in model.further})
    return made


def _object(value: object) -> Facts:
    if isinstance(value, Compound):
        return {"items": [written(part) for part in value.parts]}
    model = MODELS.get(type(value))
    if model is None:
        return {"settings": written(_settings(value))}
    return {
        "settings": written(_settings(value, model.renamed)),
        "basis": packed(vars(value)[model.basis]),
        "fitted": written(model.fitted(value)),
        "further": {key: written(vars(value)[key]) for key in model.further},
    }


def _settings(value: object, renamed: dict[str, str] | None = None) -> Facts:
    """The parameters of the class of a value, from its attributes."""
    if isinstance(value, tuple):
        settings: Facts = value._asdict()  # type: ignore[attr-defined]
        return settings
    names = inspect.signature(type(value)).parameters
    return {name: vars(value)[(renamed or {}).get(name, name)] for name in names}
