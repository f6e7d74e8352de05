"""The keys of a scenario of particles, the checks of their values, and the values of missing ones.

To add a key, add a line to ``KEYS``. Only the loss is required. Chosen values go into the complete scenario, which a
run stores: a user reads them there, and a resumed run uses them again. The terminal shows a phrase for each choice.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.losses.formulas.parser import is_formula, variables_of
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check
from particlegvi.settings.keys import Key
from particlegvi.simulation.sampling.sample_settings import AUTO, SCALES
from particlegvi.tools.limits import MOST_COORDINATES, MOST_PARTICLES, PARTICLES, STEPS, STEPS_TO_ARRIVE
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

LONGEST_TITLE = 70
METHODS = ("DE", "DLE", "DRLE")  # with the default values of their parameters
FIGURES = {1: "histograms", 2: "particles"}  # by dimension; no figure shows particles in more dimensions
GIVEN: dict[str, Check] = {
    "given": checks.text(80), "dim": checks.whole(1, MOST_COORDINATES),
    "values": checks.list_of(checks.number(), "a list of numbers"),
}  # fmt: skip


def loss(value: Any, key: str) -> Facts:
    if isinstance(value, dict) and "given" in value:  # functions of Python, of which a folder has the name
        return keys.checked(value, GIVEN, key)
    table = keys.part(value, key, ("name", "formula"))
    if "formula" in table:
        check_parameters(f"{key} with a formula", table, ("formula", "variables"))
        checks.text(2000)(table["formula"], f"{key}.formula")
        variables = table.get("variables")
        if not isinstance(variables, list) or not variables or not all(isinstance(name, str) for name in variables):
            raise refuse(f"{key}.variables", variables, 'a list of the names of the variables, such as ["x", "y"]')
    return table


def prior(value: Any, key: str) -> Facts:
    table = keys.part(value, key, ("name",) if isinstance(value, dict) and "name" in value else ("name", "formula"))
    return table if "name" in table else {"name": "formula", **table}


def initial(value: Any, key: str) -> Facts:
    if isinstance(value, dict) and "array" in value:  # a file in the folder of the run
        return keys.checked(value, {"array": checks.text(40)}, key)
    table = keys.part(value, key, ("name", "points"))
    if "points" in table:
        check_parameters(f"{key} with points", table, ("points",))
        return {"points": checks.points(table["points"], f"{key}.points")}
    return table


def kernel(value: Any, key: str) -> Facts:
    return keys.part({"name": keys.DEFAULT_KERNEL, **value} if isinstance(value, dict) else value, key)


def embedding(value: Any, key: str) -> Facts:
    """A table with the key ``how`` and, for Monte Carlo, the number of samples."""
    if not isinstance(value, dict) or not isinstance(value.get("how"), str):
        raise refuse(key, value, 'a name or a table with the key "how"')
    check_parameters(key, value, ("how", "samples"))
    if "samples" in value:
        checks.whole(1, 1_000_000)(value["samples"], f"{key}.samples")
    return value


def integrator(value: Any, key: str) -> str | Facts:
    """A name, or a table with the name of an integrator and its friction."""
    if not isinstance(value, dict):
        return str(checks.text(40)(value, key))
    checked = keys.checked(value, {"name": checks.text(40), "friction": keys.ABOVE_ZERO}, key)
    return keys.part(checked, key)


def jumps(value: Any, key: str) -> bool | Facts:
    """True or False, or a table with the parameters of `particlegvi.methods.jumps.Jumps`."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        raise refuse(key, value, "true, false, or a table such as {every = 50}")
    return keys.checked(value, {"every": _parameter, "share": _parameter}, key)


def method(value: Any, key: str) -> Facts:
    if not isinstance(value, dict):
        raise refuse(key, value, "a table, such as {kl_weight = 1.0}")
    special: dict[str, Check] = {
        "method": checks.text(40), "kernel": kernel, "embedding": embedding, "jumps": jumps,
        "integrator": integrator,
    }  # fmt: skip
    return {name: special.get(name, _setting)(setting, f"{key}.{name}") for name, setting in value.items()}


def _parameter(value: Any, key: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(key, value, "a number")
    return value


def _setting(value: object, key: str) -> int | float | str:
    """A number; or a word, or true or false, of which the method knows the meaning. A weight is a number."""
    if isinstance(value, bool | str) and not key.endswith("_weight"):
        return value if isinstance(value, bool) else checks.text(40)(value, key)
    return _parameter(value, key)


def preconditioner(value: Any, key: str) -> str | list[list[float]]:
    if isinstance(value, str) and value in SCALES:
        return value
    if isinstance(value, list) and all(isinstance(row, list) for row in value):
        return checks.points(value, key)
    raise refuse(key, value, f"{', '.join(SCALES)}, a matrix, or left out")


def or_chosen(check: Check) -> Check:
    """A check that lets the word "auto" pass."""
    return lambda value, key: value if value == AUTO else check(value, key)


KEYS: dict[str, Key] = {
    **keys.HEAD,
    "particles": Key(
        checks.whole(1, MOST_PARTICLES), "number of particles", keys.CHOSEN,
        f"{PARTICLES}, or as many as initial has points",
    ),
    "steps": Key(
        or_chosen(checks.whole(1, 10**12)), "number of updates", keys.CHOSEN,
        f"{STEPS}; with a preconditioner as many as the particles need to arrive, at most {STEPS_TO_ARRIVE}",
    ),
    "step_size": Key(
        or_chosen(keys.step_size), "eta, the time of one update, or the table of a schedule", keys.CHOSEN,
        "a twentieth of the largest stable one, by the curvature where the particles start; a schedule that grows to it"
        " where the loss is infinitely steep at a wall",
    ),
    "preconditioner": Key(
        preconditioner, "steps, start and end as in pg.sample: each half is scaled by the covariance of the other; or"
        " by its diagonal, by none, or by a matrix; absent: plain steps"
    ),
    "integrator": Key(integrator, "the scheme of one update", "euler-maruyama"),
    "record_every": Key(
        checks.whole(0, 10**12), "number of steps between two records; 0: first and last; absent: at most 200 records"
    ),
    "tolerance": Key(
        checks.number(above=0.0, below=0.1, allowed="a number above 0 and below 0.1"),
        "largest relative error of the pairwise sums", 1e-12,
    ),
    "modes": Key(checks.points, "the points whose neighbourhoods are counted"),
    "replicates": Key(
        checks.whole(2, 100_000), "number of runs of each method, with consecutive seeds, to count the modes covered"
    ),
    "loss": Key(loss, "the loss: a name with parameters, or a formula and its variables", keys.REQUIRED),
    "prior": Key(prior, "the prior P: a name with parameters", keys.CHOSEN, "standard normal"),
    "initial": Key(initial, "the start of the particles: a prior's name, or points; absent: drawn from the prior"),
    "kernel": Key(kernel, "kernel of the repulsion, for every method that does not have its own"),
    "methods": Key(
        keys.entries(method), "the methods, each with its weights", keys.CHOSEN,
        "DE, DLE and DRLE with their default weights",
    ),
    **keys.TAIL,
    "figures": keys.TAIL["figures"]._replace(
        default=keys.CHOSEN, otherwise="histograms on the line, particles in the plane, otherwise none"
    ),
}  # fmt: skip


def with_variables(value: Any) -> Any:
    """The entry of a loss, where a text that names no loss is a formula, and the names in it are the variables."""
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
    """Fill in missing values, in place; return a phrase for each choice.

    Each function reads what those before it have written: a preconditioner decides on methods and step size before the
    plain choices do, and the plain step size comes last, as it follows from all other parts.
    """
    _complete_parts(scenario)
    _follow_preconditioner(scenario)
    return [*_choose_methods(scenario), *_choose_numbers(scenario), *_choose_by_loss(scenario)]


def _complete_parts(scenario: Facts) -> None:
    """Write out the variables of a formula and the parameters that parts leave out; a short formula is the title."""
    if "loss" in scenario:
        scenario["loss"] = with_variables(scenario["loss"])
    for key in ("loss", "prior", "initial", "kernel"):
        if key in scenario:
            scenario[key] = with_defaults(key, scenario[key], keys.DEFAULT_KERNEL if key == "kernel" else "")
    formula = scenario["loss"].get("formula") if isinstance(scenario.get("loss"), dict) else None
    if isinstance(formula, str) and len(formula) <= LONGEST_TITLE and formula.isprintable():
        scenario.setdefault("title", formula)


def _follow_preconditioner(scenario: Facts) -> None:
    """The word "auto" becomes a missing value; with a preconditioner the step size is "auto" again: it is adapted."""
    for key in ("steps", "step_size"):
        if scenario.get(key) == AUTO:
            del scenario[key]
    if "preconditioner" in scenario:
        scenario.update({"step_size": AUTO, "integrator": "mala", "methods": {"DLE": {}}} | scenario)


def _choose_methods(scenario: Facts) -> list[str]:
    """Write out the parameters of the methods; where none is named but to be left out, all others are chosen."""
    entries = scenario.get("methods", {})
    all_left_out = isinstance(entries, dict) and all(entry is False for entry in entries.values())
    chosen = all_left_out and scenario.get("methods") != {}  # the check of the key refuses an empty table
    if chosen:
        entries = {label: {} for label in METHODS if label not in entries}
    if isinstance(entries, dict):
        scenario["methods"] = {label: with_defaults("method", entry, label) for label, entry in entries.items()}
    if not chosen:
        return []
    weights = {label: ", ".join(f"{key} {value:g}" for key, value in entry.items())
               for label, entry in scenario["methods"].items()}  # fmt: skip
    return [f"methods = {', '.join(f'{label} ({listed})' if listed else label for label, listed in weights.items())}"]


def _choose_numbers(scenario: Facts) -> list[str]:
    """Fill in the particles, as many as the start has points, and the steps."""
    started = scenario.get("initial")
    if isinstance(started, dict) and isinstance(started.get("points"), list) and started["points"]:
        scenario.setdefault("particles", len(started["points"]))
    numbers = {"particles": PARTICLES, "steps": STEPS_TO_ARRIVE if "preconditioner" in scenario else STEPS}
    missing = {key: number for key, number in numbers.items() if key not in scenario}
    scenario.update(missing)
    return [f"{key} = {number}" for key, number in missing.items()]


def with_defaults(key: str, entry: Any, label: str = "") -> Any:
    """The entry of a loss, prior, initial, kernel or method with the numbers and words that it leaves out.

    So a stored run keeps its own. ``label`` is the name where the entry has none. The checks of keys refuse mistakes.
    """
    from particlegvi import kernels, losses, methods, priors

    rooms = {"loss": losses.registry.get, "kernel": kernels.registry.get, "method": methods.get}
    find = rooms.get(key, priors.registry.get)
    entry = {"name": entry} if isinstance(entry, str) and key != "method" else entry
    try:
        name = entry.get("method" if key == "method" else "name", label)
        parameters = inspect.signature(find(name)).parameters.values()
    except (AttributeError, KeyError, TypeError, ValueError):
        return entry
    defaults = {
        each.name: each.default
        for each in parameters
        if isinstance(each.default, int | float | str) and each.default not in (-math.inf, math.inf)  # no wall
    }
    # a run chooses the way of the embedding, and its facts say which; a flat prior has the dimension of the loss
    for left_out in ("embedding", *["dim"] * (name == "flat")):
        defaults.pop(left_out, None)
    return {**entry, **{key: value for key, value in defaults.items() if key not in entry}}


def _choose_by_loss(scenario: Facts) -> list[str]:
    """Fill in prior, figures and step size, which depend on the loss."""
    if "loss" not in scenario or {"prior", "step_size", "figures"} <= set(scenario):
        return []
    from particlegvi.integrators import schedules
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
        used = {building.of_method(checked, label).get("integrator") for label in checked["methods"]}
        scaled = "aldi" if used == {"aldi"} else ""
        size = first_step.step_size(parts.loss, parts.prior, parts.initial, parts.methods.values(), scaled)
        scenario["step_size"] = schedules.plain(size)
        grows = " at the steepest start, then near the law" if isinstance(size, schedules.Schedule) else " at the start"
        why = "scaled by the ensemble" if scaled else f"a twentieth of the largest stable one{grows}"
        chosen.append(f"step_size = {schedules.shown(size)}, {why}")
    return chosen
