"""Values for the missing keys of a scenario of particles; only the loss is required.

The values go into the complete scenario, which a run stores: a user reads them there, and a resumed run uses them
again. The terminal shows a phrase for each choice.
"""

from __future__ import annotations

import inspect
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.losses.formulas.parser import is_formula, variables_of
from particlegvi.scenario.kinds.particles.keys import KEYS

PARTICLES, STEPS = 300, 10_000
LONGEST_TITLE = 70
METHODS = ("DE", "DLE", "DRLE")  # with the default values of their parameters
FIGURES = {1: "histograms", 2: "particles"}  # by dimension; no figure shows particles in more dimensions


def loss(value: Any) -> Any:
    """Complete the entry of a loss: a text that names no loss is a formula, and the names in it are the variables.

    The check of the key refuses other mistakes.
    """
    from particlegvi import losses

    if not isinstance(value, dict):
        return value
    name = value.get("name")
    if isinstance(name, str) and "formula" not in value and is_formula(name) and name not in losses.names():
        value = {"formula" if key == "name" else key: part for key, part in value.items()}
    if isinstance(value.get("formula"), str) and "variables" not in value:
        try:
            value = {**value, "variables": variables_of(value["formula"])}
        except ValueError as error:
            raise ValueError(f"loss: {error}") from None
    return value


def fill(scenario: Facts) -> list[str]:
    """Fill in missing values, in place; return a phrase for each choice."""
    chosen: list[str] = []
    if "loss" in scenario:
        scenario["loss"] = loss(scenario["loss"])
    left_out = scenario.get("methods", {None: False})
    if isinstance(left_out, dict) and left_out and all(entry is False for entry in left_out.values()):
        scenario["methods"] = {label: with_defaults(label, {}) for label in METHODS if label not in left_out}
        weights = {label: ", ".join(f"{key} {value:g}" for key, value in entry.items())
                   for label, entry in scenario["methods"].items()}  # fmt: skip
        words = [f"{label} ({listed})" if listed else label for label, listed in weights.items()]
        chosen.append(f"methods = {', '.join(words)}")
    if isinstance(scenario.get("methods"), dict):
        scenario["methods"] = {label: with_defaults(label, entry) for label, entry in scenario["methods"].items()}
    formula = scenario["loss"].get("formula") if isinstance(scenario.get("loss"), dict) else None
    if isinstance(formula, str) and len(formula) <= LONGEST_TITLE and formula.isprintable():
        scenario.setdefault("title", formula)
    started = scenario.get("initial")
    if isinstance(started, dict) and isinstance(started.get("points"), list) and started["points"]:
        scenario.setdefault("particles", len(started["points"]))
    for key, number in (("particles", PARTICLES), ("steps", STEPS)):
        if key not in scenario:
            scenario[key] = number
            chosen.append(f"{key} = {number}")
    if "loss" in scenario and not {"prior", "step_size", "figures"} <= set(scenario):
        chosen += _by_loss(scenario)
    return chosen


def with_defaults(label: str, entry: Any) -> Any:
    """The entry of a method with the numbers and words that it leaves out, so that a stored run keeps its own.

    The check of the key refuses mistakes.
    """
    from particlegvi import methods

    try:
        parameters = inspect.signature(methods.get(entry.get("method", label))).parameters.values()
    except (AttributeError, ValueError):
        return entry
    defaults = {
        parameter.name: parameter.default
        for parameter in parameters
        if isinstance(parameter.default, int | float | str)
    }
    defaults.pop("embedding", None)  # the run chooses a way, and its facts say which; the truth does not depend on it
    return {**entry, **{key: value for key, value in defaults.items() if key not in entry}}


def _by_loss(scenario: Facts) -> list[str]:
    """Fill in prior, figures and step size, which depend on the loss."""
    from particlegvi.scenario.kinds.particles import building, first_step

    chosen = []
    dim = building.loss_of(KEYS["loss"].check(scenario["loss"], "loss")).dim
    if "prior" not in scenario:
        scenario["prior"] = {"name": "normal", "mean": 0.0 if dim == 1 else [0.0] * dim, "sd": 1.0}
        chosen.append("prior = a standard normal one")
    if "figures" not in scenario:
        scenario["figures"] = [{"kind": FIGURES[dim]}] if dim in FIGURES else []
        chosen.append(f"figures = {FIGURES.get(dim, f'none, because none shows particles in {dim} dimensions')}")
    if "step_size" not in scenario:
        checked = {key: KEYS[key].check(scenario[key], key) for key in KEYS if key in scenario}
        parts = building.physics(checked)
        scenario["step_size"] = first_step.step_size(parts.loss, parts.prior, parts.initial, parts.methods.values())
        chosen.append(f"step_size = {scenario['step_size']:g}, a twentieth of the largest stable one at the start")
    return chosen
