"""Entries of a scenario for parts that were handed in as objects: a run of objects gets a folder like any other.

A part with a name is written with its name and its parameters, and must follow from them. A loss in functions of Python
cannot be written: its entry has its values at some points, which tell it from another one. An array of starts becomes a
file.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from operator import attrgetter

import numpy as np

from particlegvi.contracts import Array, Facts, Loss, Scenario
from particlegvi.engine.terms.trial import trial_points
from particlegvi.integrators import schedules
from particlegvi.methods.jumps import Jumps
from particlegvi.priors.parameters import FromParameters
from particlegvi.scenario.kinds.particles import building
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.scenario.kinds.particles.keys import FIGURES
from particlegvi.simulation.sampling.sample_settings import AUTO
from particlegvi.tools.arguments import as_written
from particlegvi.tools.quoting import shown

CLOSE = 1e-12  # relative difference of values that are the same but for rounding
MOST_WRITTEN = 1000  # numbers of a parameter that are written out
REMEDY = "leave out out, or give it a name by pg.{room}.register, and parameters that are its attributes"


def complete(scenario: Scenario, parts: Parts) -> Facts:
    """The scenario of these parts: ``scenario`` with an entry for each of them.

    A ValueError if a part has no name, or does not follow from its name and its parameters.
    """
    loss = _of_loss(parts.loss)
    dim, names = parts.loss.dim, building.loss_of(loss).variables
    whole = {**scenario, "loss": loss, "step_size": _step_size(scenario["step_size"])}
    whole["prior"] = _named("prior", "priors", parts.prior, lambda e: building.prior_of(e, "prior", dim, names))
    if type(scenario["integrator"]) not in (str, dict):
        raise _nameless("integrator", "integrators", scenario["integrator"])
    if isinstance(parts.initial, np.ndarray):
        whole["initial"] = {"array": name_of_array("initial", parts.initial)}
    elif parts.initial is not None:
        whole["initial"] = _named(
            "initial", "priors", parts.initial, lambda e: building.prior_of(e, "initial", dim, names)
        )
    whole["methods"] = {label: _of_method(label, method) for label, method in parts.methods.items()}
    if "figures" not in whole:
        whole["figures"] = [{"kind": FIGURES[dim]}] if dim in FIGURES else []
    return whole


def name_of_array(key: str, array: Array) -> str:
    """A name for a file of an array that was given: another array has another name."""
    return f"{key}-{hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:8]}"


def check_same(place: object, known: Facts, loss: Loss) -> None:
    """Refuse another loss than the one of a folder, by its dimension and its values at some points.

    ``place`` is the folder, for the message, and ``known`` the entry of its loss.
    """
    if loss.dim != known["dim"]:
        raise ValueError(f"loss must be of dimension {known['dim']}, as that of {place} is, not {loss.dim}")
    if not np.allclose(known["values"], _values(loss)[: len(known["values"])], rtol=CLOSE, atol=0.0):
        raise ValueError(f"loss must be the one with which {place} was begun, not another: its values differ")


def _values(loss: Loss) -> list[float]:
    """The loss at some points, 0 where it is not finite."""
    with np.errstate(all="ignore"):
        values = np.asarray(loss.value(trial_points(loss.dim)), dtype=np.float64)
    return np.where(np.isfinite(values), values, 0.0).tolist()


def _of_loss(loss: Loss) -> Facts:
    for entry in _entries_of_loss(loss):
        try:
            made = building.loss_of(entry)
        except (ValueError, TypeError):
            continue
        if type(made.term) is type(loss.term) and _values(made) == _values(loss):
            return entry
    name = "".join(letter for letter in str(loss.name)[:80] if letter.isprintable())
    return {"given": name or "loss", "dim": int(loss.dim), "values": _values(loss)}


def _entries_of_loss(loss: Loss) -> list[Facts]:
    if isinstance(loss, building.Loss) and loss.formula:
        return [{"formula": loss.formula, "variables": loss.variables}]
    fields: Facts = loss.term._asdict() if isinstance(loss.term, tuple) and isinstance(loss, building.Loss) else {}
    small = all(np.size(value) <= MOST_WRITTEN for value in fields.values())
    return [{"name": loss.name, **{key: _plain(value) for key, value in fields.items()}}] if fields and small else []


def _nameless(key: str, room: str, part: object) -> ValueError:
    allowed = "a part that follows from its name and its parameters where out is given"
    return ValueError(f"{key} must be {allowed}, not {shown(part)}; {REMEDY.format(room=room)}")


def _named(key: str, room: str, part: object, make: Callable[[Facts], object]) -> Facts:
    """The entry of a part from which ``make`` makes an equal one."""
    try:
        entry = {"name": attrgetter("name")(part), **_parameters(part)}
        made = make(entry)
        if type(made) is type(part) and _parameters(made) == _parameters(part):
            return entry
    except (ValueError, TypeError, AttributeError):
        pass
    raise _nameless(key, room, part)


def _of_method(label: str, method: object) -> Facts:
    entry = _named(f"methods.{label}", "methods", method, lambda e: building.method_of(label, _renamed(e), None))
    return _renamed(entry)


def _renamed(entry: Facts) -> Facts:
    return {"method" if key == "name" else key: value for key, value in entry.items()}


def _parameters(part: object) -> Facts:
    """The parameters of a part's class, as its attributes have them: numbers, and what differs from its default."""
    if isinstance(part, FromParameters):  # a prior of the package
        return part.parameters()
    parameters = {}
    for key, parameter in inspect.signature(type(part)).parameters.items():
        value = _plain(attrgetter(key)(part))
        if value is not None and (isinstance(value, float) or value != parameter.default):
            parameters[key] = {"how": value} if key == "embedding" and isinstance(value, str) else value
    return parameters


def _plain(value: object) -> object:
    """A parameter as plain data: a number, a list, or the table of a part inside a part."""
    if isinstance(value, np.ndarray):
        return as_written(value)
    if isinstance(value, Jumps):
        return _parameters(value) or True
    if isinstance(value, Mapping | str | int | float | list | None):
        return value
    return {"name": attrgetter("name")(value), **_parameters(value)}


def _step_size(size: object) -> object:
    if size == AUTO:  # with a preconditioner
        return size
    table = schedules.plain(size)  # type: ignore[arg-type]  # the problem was checked with it
    try:
        if schedules.plain(schedules.step_size_from(table)) == table:
            return table
    except ValueError:
        pass
    raise _nameless("step_size", "schedules", size)
