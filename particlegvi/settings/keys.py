"""The keys of a scenario: what each one is for, what it may be, and what it is when it is left out.

Every kind of scenario (`particlegvi.kinds`) has its own table of keys, to which those of ``HEAD`` and ``TAIL`` belong;
``KEYS`` is the table of the particles. A new key is one line there. What a name stands for (a loss, a method) is looked
up in `building`, and the parameters of such a part are checked by the part itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from particlegvi import kinds
from particlegvi.settings import checks
from particlegvi.settings.checks import Check, refuse
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import check_parameters, unknown

REQUIRED: Any = object()
ABSENT: Any = object()
# Keys whose value picks one of several things. Naming another one replaces the table, anything else is merged into it.
CHOICES = ("loss", "prior", "initial", "kernel", "embedding", "repulsion", "data", "likelihood")
PICKED = (*CHOICES, "step_size")  # the last has no short form: alone it is a number
SELECTORS = ("name", "formula", "points", "how", "schedule")
DEFAULT_KERNEL = "squared-exponential"


LABEL = checks.matching(checks.LABEL, "letters, digits, spaces and _ + = - (at most 40)")
POSITIVE = checks.number(above=0.0, allowed="a positive finite number")


class Key(NamedTuple):
    check: Check
    help: str
    default: Any = ABSENT


def part(value: Any, key: str, selectors: Iterable[str] = ("name",)) -> dict[str, Any]:
    """A table that names one part of a registry and gives its parameters."""
    names = " or ".join(f'"{selector}"' for selector in selectors)
    if not isinstance(value, dict):
        raise refuse(key, f"a name or a table with the key {names}", value)
    if sum(selector in value for selector in selectors) != 1:
        raise ValueError(f"{key} must have exactly one of the keys {names}; it has {_keys(value)}")
    if "name" in value:
        checks.text(80)(value["name"], f"{key}.name")
    return value


def _keys(table: dict[str, Any]) -> str:
    return ", ".join(shown(name) for name in list(table)[:8]) or "no key"


def loss(value: Any, key: str) -> dict[str, Any]:
    table = part(value, key, ("name", "formula"))
    if "formula" in table:
        check_parameters(f"{key} with a formula", table, ("formula", "variables"))
        checks.text(2000)(table["formula"], f"{key}.formula")
        variables = table.get("variables")
        if not isinstance(variables, list) or not variables or not all(isinstance(each, str) for each in variables):
            raise refuse(f"{key}.variables", 'a list of the names of the variables, such as ["x", "y"]', variables)
    return table


def prior(value: Any, key: str) -> dict[str, Any]:
    return part(value, key)


def initial(value: Any, key: str) -> dict[str, Any]:
    table = part(value, key, ("name", "points"))
    if "points" in table:
        check_parameters(f"{key} with points", table, ("points",))
        return {"points": checks.points(table["points"], f"{key}.points")}
    return table


def kernel(value: Any, key: str) -> dict[str, Any]:
    return part({"name": DEFAULT_KERNEL, **value} if isinstance(value, dict) else value, key)


def embedding(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("how"), str):
        raise refuse(key, 'a name or a table with the key "how"', value)
    check_parameters(key, value, ("how", "samples"))
    if "samples" in value:
        checks.whole(1, 1_000_000)(value["samples"], f"{key}.samples")
    return value


def step_size(value: Any, key: str) -> float | dict[str, Any]:
    """A number, or a table that names a schedule and gives its parameters."""
    if not isinstance(value, dict):
        return checks.number(above=0.0, allowed="a positive finite number or the table of a schedule")(value, key)
    part(value, key, ("schedule",))
    checks.text(80)(value["schedule"], f"{key}.schedule")
    return {name: each if name == "schedule" else POSITIVE(each, f"{key}.{name}") for name, each in value.items()}


def repulsion(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("how"), str):
        raise refuse(key, 'a name or a table with the key "how"', value)
    check_parameters(key, value, ("how", "size"))
    if "size" in value:
        checks.whole(1, 1_000_000)(value["size"], f"{key}.size")
    return value


def methods(value: Any, key: str) -> dict[str, Any]:
    return entries(value, key, method)


def entries(value: Any, key: str, entry: Check) -> dict[str, Any]:
    """The tables of methods by label, each checked by ``entry``."""
    if not isinstance(value, dict) or not 1 <= len(value) <= 32:
        raise refuse(key, "a table of 1 to 32 methods, such as [methods.DE]", value)
    spelled: dict[str, str] = {}
    for label in value:
        LABEL(label, f"the label {key}.{label}")
        other = spelled.setdefault(label.lower(), label)
        if other != label:  # they would share their files where upper and lower case are the same
            raise ValueError(f"{key} has the labels {other} and {label}, which differ in upper and lower case only")
    return {label: entry(each, f"{key}.{label}") for label, each in value.items()}


def method(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(key, "a table, such as {kl_weight = 1.0}", value)
    special: dict[str, Check] = {
        "method": checks.text(40), "kernel": kernel, "embedding": embedding, "repulsion": repulsion
    }  # fmt: skip
    return {name: special.get(name, _parameter)(each, f"{key}.{name}") for name, each in value.items()}


def _parameter(value: Any, key: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(key, "a number", value)
    return value


def figures(value: Any, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > 16 or not all(isinstance(each, dict) for each in value):
        raise refuse(key, "a list of at most 16 tables, each written [[figures]]", value)
    for index, figure in enumerate(value):
        if "kind" not in figure:
            raise ValueError(f'{key}[{index}] must have the key "kind"; it has {_keys(figure)}')
        checks.text(40)(figure["kind"], f"{key}[{index}].kind")
        for name, option in figure.items():
            if _holds_table(option):
                raise refuse(f"{key}[{index}].{name}", "a text, a number, a boolean or a list of those", option)
    return value


def _holds_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(_holds_table(each) for each in value))


def kind(value: Any, key: str) -> str:
    return checks.one_of(kinds.names(), "kind of scenario")(value, key)


HEAD: dict[str, Key] = {
    "kind": Key(kind, "what is simulated", "particles"),
    "name": Key(
        checks.matching(checks.NAME, "letters, digits, _ and - (at most 64)"), "names the folder of a run", REQUIRED
    ),
    "title": Key(checks.text(200), "one line, shown in the list and over the figure", ""),
    "source": Key(checks.text(200), "where the setting comes from", ""),
    "description": Key(checks.text(4000, lines=True), "what there is to see", ""),
}
TAIL: dict[str, Key] = {"figures": Key(figures, "the pictures, drawn in this order", [])}
KEYS: dict[str, Key] = {
    **HEAD,
    "particles": Key(checks.whole(1, 100_000_000), "number of particles", REQUIRED),
    "steps": Key(checks.whole(1, 10**12), "number of updates", REQUIRED),
    "step_size": Key(step_size, "eta, the time of one update, or the table of a schedule", REQUIRED),
    "integrator": Key(checks.text(40), "how one update is made", "euler-maruyama"),
    "record_every": Key(
        checks.whole(0, 10**12), "keep the particles every so many steps; 0: first and last; absent: at most 200 times"
    ),
    "tolerance": Key(
        checks.number(above=0.0, below=0.1, allowed="a number above 0 and below 0.1"),
        "largest relative error of the pairwise sums",
        1e-12,
    ),
    "modes": Key(checks.points, "the points whose neighbourhoods are counted"),
    "replicates": Key(
        checks.whole(2, 100_000), "run every method so many times, with the next seeds, to count the modes covered"
    ),
    "loss": Key(loss, "the loss: a name with parameters, or a formula and its variables", REQUIRED),
    "prior": Key(prior, "the prior P: a name with parameters", REQUIRED),
    "initial": Key(initial, "where the particles start: a prior's name, or points; absent: drawn from the prior"),
    "kernel": Key(kernel, "kernel of the repulsion, for every method that does not have its own"),
    "methods": Key(methods, "the methods, each with its weights", REQUIRED),
    **TAIL,
}
REMOVED = {
    "seed": "the seed is not part of a scenario; give it to the run (--seed, or seed= in Python)",
    "based_on": "based_on can only be used in a file",
}


def check(scenario: dict[str, Any]) -> dict[str, Any]:
    """The scenario with every key checked, defaults filled in, and the keys in the order of its kind's table."""
    scenario = checks.plain(scenario, "")
    chosen = kinds.get(kind(scenario.get("kind", HEAD["kind"].default), "kind"))
    for name in scenario:
        if name in REMOVED:
            raise ValueError(REMOVED[name])
        if name not in chosen.keys:
            of_kind = "" if chosen.name == HEAD["kind"].default else f" of the kind {chosen.name}"
            raise unknown(f"key{of_kind}", name, chosen.keys)
    chosen.complete(scenario)
    resolved: dict[str, Any] = {}
    for name, key in chosen.keys.items():
        value = scenario.get(name, key.default)
        if value is REQUIRED:
            raise ValueError(f'the key "{name}" is missing: {key.help}')
        if value is not ABSENT:
            resolved[name] = key.check(value, name)
    chosen.agree(resolved)
    return resolved
