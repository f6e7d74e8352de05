"""The keys of a scenario of particles, and the checks of their values. To add a key, add a line to ``KEYS``."""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Facts
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check
from particlegvi.settings.keys import Key
from particlegvi.tools.limits import MOST_COORDINATES, MOST_PARTICLES
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

GIVEN: dict[str, Check] = {
    "given": checks.text(80), "dim": checks.whole(1, MOST_COORDINATES), "digest": checks.text(40),
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


def methods(value: Any, key: str) -> Facts:
    return keys.entries(value, key, method)


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
    if key.endswith("_weight"):
        return _parameter(value, key)
    if isinstance(value, bool):
        return value
    return checks.text(40)(value, key) if isinstance(value, str) else _parameter(value, key)


KEYS: dict[str, Key] = {
    **keys.HEAD,
    "particles": Key(
        checks.whole(1, MOST_PARTICLES), "number of particles", keys.CHOSEN, "300, or as many as initial has points"
    ),
    "steps": Key(
        checks.whole(1, 10**12), "number of updates", keys.CHOSEN, "10000",
    ),
    "step_size": Key(
        keys.step_size, "eta, the time of one update, or the table of a schedule", keys.CHOSEN,
        "a twentieth of the largest stable one, by the curvature where the particles start",
    ),
    "integrator": Key(integrator, "the scheme of one update", "euler-maruyama"),
    "record_every": Key(
        checks.whole(0, 10**12), "number of steps between two records; 0: first and last; absent: at most 200 records"
    ),
    "tolerance": Key(
        checks.number(above=0.0, below=0.1, allowed="a number above 0 and below 0.1"),
        "largest relative error of the pairwise sums",
        1e-12,
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
        methods, "the methods, each with its weights", keys.CHOSEN, "DE, DLE and DRLE with their default weights",
    ),
    **keys.TAIL,
    "figures": keys.TAIL["figures"]._replace(
        default=keys.CHOSEN, otherwise="histograms on the line, particles in the plane, otherwise none"
    ),
}  # fmt: skip
