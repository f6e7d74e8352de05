"""The keys of a scenario of networks, and the checks of their values."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check
from particlegvi.settings.keys import Key
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

FORMS = ("formula", "points", "name")
LINE = {"low": -3.0, "high": 3.0, "count": 40, "scattered": True, "gaps": [], "noise_sd": 0.1}
DRAWN: dict[str, dict[str, object]] = {  # generated data, with the defaults of their parameters
    "gaussian-process": {**LINE, "lengthscale": 0.8},
    "two-moons": {"count": 100, "noise_sd": 0.15},
}
OF_NAMED = {"scale": True, "split": 0}  # a data set of `particlegvi.datasets`
ON_OUTPUTS = {"kernel": "squared-exponential", "lengthscale": "median", "low": -4.0, "high": 4.0, "count": 24}
ON_LAYERS = ("on-last-layer", "on-first-layer")
OF_DATA: dict[str, Check] = {
    "formula": checks.text(2000), "name": checks.text(80), "low": checks.number(), "high": checks.number(),
    "count": checks.whole(1, 100_000), "scattered": checks.flag, "gaps": checks.intervals,
    "noise_sd": keys.ABOVE_ZERO, "lengthscale": keys.ABOVE_ZERO, "scale": checks.flag, "split": checks.whole(0, 1000),
}  # fmt: skip


def data(value: object, key: str) -> Facts:
    """A table with a formula, with points, or with the name of generated data or of a data set."""
    table = keys.part(value, key, FORMS)
    if "points" in table:
        return keys.observations(table, key)
    if "formula" in table:
        return _line(table, key, {"formula": "", **LINE})
    if table["name"] == "gaussian-process":
        return _line(table, key, {"name": "", **DRAWN["gaussian-process"]})
    defaults = DRAWN.get(table["name"], OF_NAMED)
    check_parameters(f"{key} {table['name']}", table, ("name", *defaults))
    return keys.checked({**defaults, **table}, {**OF_DATA, "count": checks.whole(4, 100_000)}, key)


def _line(table: Facts, key: str, defaults: dict[str, object]) -> Facts:
    """Data on the line: the keys for the places of their inputs."""
    check_parameters(f"{key} on the line", table, defaults)
    checked = keys.checked({**defaults, **table}, OF_DATA, key)
    keys.check_low_high(checked, key)
    return checked


def network(value: object, key: str) -> Facts:
    """Hidden layers, activation and parameterisation."""
    if not isinstance(value, dict):
        raise refuse(key, value, 'a table, such as {hidden = [50], activation = "tanh"}')
    check_parameters(key, value, ("hidden", "activation", "parameterisation"))
    complete: Facts = {"hidden": [50], **value}
    layers = checks.list_of(checks.whole(1, 4096), "a list of one to four whole numbers from 1 to 4096", 4)
    complete["hidden"] = layers(complete["hidden"], f"{key}.hidden")
    for name in ("activation", "parameterisation"):
        if name in complete:
            checks.text(40)(complete[name], f"{key}.{name}")
    return complete


def prior(value: object, key: str) -> Facts:
    """The name of a start, or "layers" with standard deviations by layer."""
    table = keys.part(value, key)
    check_parameters(key, table, ("name", "weights", "biases") if table["name"] == "layers" else ("name",))
    if table["name"] == "layers" and len(table) == 1:
        raise ValueError(f"{key} must have weights or biases, a number or one for each layer, not the name alone")
    return {name: number if name == "name" else _numbers(number, f"{key}.{name}") for name, number in table.items()}


def _numbers(value: object, key: str) -> float | list[float]:
    if isinstance(value, list):
        return [keys.ABOVE_ZERO(number, f"{key}[{index}]") for index, number in enumerate(value)]
    return float(keys.ABOVE_ZERO(value, key))


def methods(value: object, key: str) -> Facts:
    return keys.entries(value, key, method)


def method(value: object, key: str) -> Facts:
    """Weights, and the kernel; ``temper`` replaces kl_weight, in units of the posterior's kl_weight."""
    if not isinstance(value, dict):
        raise refuse(key, value, "a table, such as {temper = 1.0}")
    weight = checks.number(least=0.0, allowed="a finite number of 0 or more")
    of_key: dict[str, Check] = {
        "method": checks.text(40), "kl_weight": weight, "mmd_weight": weight, "temper": weight, "kernel": kernel
    }  # fmt: skip
    if {"kl_weight", "temper"} <= set(value):
        raise ValueError(f"{key} must have one of kl_weight and temper, not both")
    return keys.checked(value, of_key, key)


def kernel(value: object, key: str) -> Facts:
    """A kernel of all parameters, or "on-outputs", "on-last-layer" or "on-first-layer"."""
    table = keys.part({"name": value} if isinstance(value, str) else value, key)
    if table["name"] not in ("on-outputs", *ON_LAYERS):
        return table
    known = (*ON_OUTPUTS, "away", "inputs", "process") if table["name"] == "on-outputs" else ("kernel", "lengthscale")
    check_parameters(f"{key} {table['name']}", table, ("name", *known))
    defaults = {name: default for name, default in ON_OUTPUTS.items() if name in known}
    of_key: dict[str, Check] = {
        "name": checks.text(40), "kernel": checks.text(40), "lengthscale": _lengthscale, "low": checks.number(),
        "high": checks.number(), "count": checks.whole(1, 10_000), "away": keys.ABOVE_ZERO,
        "inputs": checks.choice("fixed", "fresh"), "process": keys.part,
    }  # fmt: skip
    checked = keys.checked({**defaults, **table}, of_key, key)
    if "away" in checked and checked.get("inputs") == "fresh":
        raise ValueError(f'{key} must have one of away and inputs = "fresh", not both')
    if "low" in checked:
        keys.check_low_high(checked, key)
    return checked


def _lengthscale(value: object, key: str) -> float | str:
    return value if value in ("median", "authors") else keys.ABOVE_ZERO(value, key)  # type: ignore[return-value]


KEYS = {
    **keys.HEAD,
    "particles": Key(checks.whole(2, 100_000), "number of networks", 10),
    "steps": Key(checks.whole(1, 10**9), "number of updates", keys.REQUIRED),
    "step_size": Key(keys.step_size, "eta, the time of one update, or the table of a schedule", keys.REQUIRED),
    "integrator": Key(checks.text(40), "the scheme of one update", "euler-maruyama"),
    "record_every": Key(
        checks.whole(0, 10**9), "number of steps between two records; 0: first and last; absent: at most 200 records"
    ),
    "batch_size": Key(checks.whole(1, 10**8), "rows of a batch; absent: all"),
    "batches": Key(checks.text(20), "epochs: each row once in an epoch; fresh: random rows at each step", "epochs"),
    "data": Key(data, "a formula with its inputs, points [x, y], or a name", keys.REQUIRED),
    "network": Key(network, "hidden layers, activation and parameterisation", {"hidden": [50]}),
    "cost": Key(checks.text(40), "the cost of an error; absent: squared, or logistic for two classes"),
    "noise_variance": Key(keys.ABOVE_ZERO, "noise variance of an observation; absent: chosen on a tenth of the rows"),
    "prior": Key(prior, "the prior by layer: he, unit, ..., or layers with weights and biases", {"name": "he"}),
    "initial": Key(prior, "the start of the networks; absent: drawn from the prior"),
    "methods": Key(methods, "the methods, each with its weights", keys.REQUIRED),
    **keys.TAIL,
}
