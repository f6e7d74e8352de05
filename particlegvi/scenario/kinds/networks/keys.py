"""The keys of a scenario of networks, and the checks of their values."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check
from particlegvi.settings.keys import Key
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

FORMS = ("formula", "points", "name")
ON_LAYERS = ("on-last-layer", "on-first-layer")
NAME, FORMULA = Key(checks.text(80), "the data"), Key(checks.text(2000), "the true function")
LINE = {**keys.on_the_line(40, scattered=True), "noise_sd": Key(keys.ABOVE_ZERO, "sd of the noise of a target", 0.1)}
OF_DATA: dict[str, dict[str, Key]] = {  # by the name of generated data
    "gaussian-process": {
        "name": NAME, **LINE, "lengthscale": Key(keys.ABOVE_ZERO, "the lengthscale of the process", 0.8)
    },
    "two-moons": {
        "name": NAME,
        "count": Key(checks.whole(4, 100_000), "number of points", 100),
        "noise_sd": Key(keys.ABOVE_ZERO, "sd of the points around the moons", 0.15),
    },
}  # fmt: skip
OF_NAMED = {
    "name": NAME,
    "scale": Key(checks.flag, "whether inputs and targets are scaled", True),
    "split": Key(checks.whole(0, 1000), "number of the split into training and test rows", 0),
}


def data(value: object, key: str) -> Facts:
    """A table with a formula, with points, or with the name of generated data or of a data set."""
    table = keys.part(value, key, FORMS)
    if "points" in table:
        return keys.observations(table, key)
    if "formula" in table:
        checked = keys.filled(table, {"formula": FORMULA, **LINE}, key, f"{key} on the line")
    else:
        checked = keys.filled(table, OF_DATA.get(table["name"], OF_NAMED), key, f"{key} {table['name']}")
    if "low" in checked:
        keys.check_low_high(checked, key)
    return checked


LAYERS = checks.list_of(checks.whole(1, 4096), "a list of one to four whole numbers from 1 to 4096", 4)
OF_NETWORK = {
    "hidden": Key(LAYERS, "units of the hidden layers", [50]),
    "activation": Key(checks.text(40), "the function of a unit"),
    "parameterisation": Key(checks.text(40), "the scale of the weights"),
}


def network(value: object, key: str) -> Facts:
    """Hidden layers, activation and parameterisation."""
    if not isinstance(value, dict):
        raise refuse(key, value, 'a table, such as {hidden = [50], activation = "tanh"}')
    return keys.filled(value, OF_NETWORK, key)


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
    of_key = {name: OF_KERNEL[name] for name in ("name", "kernel", "lengthscale")}
    owner = f"{key} {table['name']}"
    checked = keys.filled(table, OF_KERNEL if table["name"] == "on-outputs" else of_key, key, owner)
    if "away" in checked and checked.get("inputs") == "fresh":
        raise ValueError(f'{key} must have one of away and inputs = "fresh", not both')
    if "low" in checked:
        keys.check_low_high(checked, key)
    return checked


def _lengthscale(value: object, key: str) -> float | str:
    return value if value in ("median", "authors") else keys.ABOVE_ZERO(value, key)  # type: ignore[return-value]


OF_KERNEL = {
    "name": NAME,
    "kernel": Key(checks.text(40), "the kernel of outputs or parameters", "squared-exponential"),
    "lengthscale": Key(_lengthscale, "its lengthscale", "median"),
    "low": Key(checks.number(), "the left end of the context inputs", -4.0),
    "high": Key(checks.number(), "their right end", 4.0),
    "count": Key(checks.whole(1, 10_000), "their number", 24),
    "away": Key(keys.ABOVE_ZERO, "their least distance from all data"),
    "inputs": Key(checks.choice("fixed", "fresh"), "whether they are new ones at each step"),
    "process": Key(keys.part, "the Gaussian process whose draws the outputs are compared with"),
}
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
    "methods": Key(keys.entries(method), "the methods, each with its weights", keys.REQUIRED),
    **keys.TAIL,
}
