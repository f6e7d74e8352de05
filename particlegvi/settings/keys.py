"""The class of a scenario's keys, and the keys that every kind of scenario has: ``HEAD`` and ``TAIL``.

Each kind (`particlegvi.scenario.kinds`) adds its own keys between ``HEAD`` and ``TAIL``. The name of a part (a loss, a
method) is looked up when the scenario is built; each part checks its own parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from particlegvi.contracts import Facts
from particlegvi.settings import checks, grids, pictures
from particlegvi.settings.checks import Check
from particlegvi.tools import plugins
from particlegvi.tools.quoting import POSITIVE, refuse, shown
from particlegvi.tools.registry import check_parameters, unknown

REQUIRED: Any = object()
ABSENT: Any = object()
CHOSEN: Any = object()  # the kind chooses a missing value from the other keys
# The value of these keys names a part. A new name replaces the whole table; other values are merged into the table.
CHOICES = ("loss", "prior", "initial", "kernel", "embedding", "data", "likelihood")
PICKED = (*CHOICES, "step_size")  # step_size has no short form: alone it is a number
SELECTORS = ("name", "formula", "points", "how", "schedule")
DEFAULT_KERNEL = "squared-exponential"


CROWDED = 3  # a hint names at most so many places of a key

LABEL = checks.file_name(checks.LABEL, "letters, digits, spaces and _ + = - (at most 40)")
ABOVE_ZERO = checks.number(above=0.0, allowed=POSITIVE)


class Key(NamedTuple):
    check: Check
    help: str
    default: Any = ABSENT
    otherwise: str = ""  # the chosen value in words, if the key is left out


def part(value: Any, key: str, selectors: Iterable[str] = ("name",)) -> Facts:
    """A table that names one part of a registry and gives its parameters."""
    names = " or ".join(f'"{selector}"' for selector in selectors)
    if not isinstance(value, dict):
        raise refuse(key, value, f"a name or a table with the key {names}")
    if sum(selector in value for selector in selectors) != 1:
        raise ValueError(f"{key} must have exactly one of the keys {names}, not {_keys(value)}")
    if "name" in value:
        checks.text(80)(value["name"], f"{key}.name")
    return value


def checked(table: Facts, of_key: Mapping[str, Check], key: str, owner: str = "") -> Facts:
    """A table whose every entry passes the check of its key; a key without one is refused in the name of ``owner``."""
    check_parameters(owner or key, table, of_key)
    return {name: of_key[name](entry, f"{key}.{name}") for name, entry in table.items()}


def filled(table: Facts, of_key: Mapping[str, Key], key: str, owner: str = "") -> Facts:
    """A table with the defaults of its keys, in their order, each of which passes the check of its key."""
    check_parameters(owner or key, table, of_key)
    values = {name: table.get(name, entry.default) for name, entry in of_key.items()}
    for name, value in values.items():
        if value is REQUIRED:
            raise ValueError(f"{owner or key} must have the key {name}")
    return {name: of_key[name].check(value, f"{key}.{name}") for name, value in values.items() if value is not ABSENT}


def on_the_line(count: int, scattered: bool) -> dict[str, Key]:
    """The keys of the inputs of data on the line, with these defaults."""
    return {
        "low": Key(checks.number(), "the left end of the inputs", -3.0),
        "high": Key(checks.number(), "the right end of the inputs", 3.0),
        "count": Key(checks.whole(1, 1_000_000), "number of inputs", count),
        "scattered": Key(checks.flag, "whether the inputs are random, and not evenly spaced", scattered),
        "gaps": Key(checks.intervals, "intervals without inputs", []),
    }


def missing(names: list[str], of_kind: Mapping[str, Key], smallest: str) -> str:
    """The sentence that names every missing key and shows the smallest file, if there is one."""
    words = [f'the key "{name}" is missing: {of_kind[name].help}' for name in names]
    return "; ".join([*words, f"the smallest file is: {smallest}"] if smallest else words)


def places(name: str, table: Mapping[str, Any], before: str = "") -> list[str]:
    """Dotted keys of the tables inside ``table`` that have a key of this name; none where there are more than three."""
    ways = []
    for key, value in table.items():
        if isinstance(value, dict):
            ways += [f"{before}{key}.{name}"] * (name in value) + places(name, value, f"{before}{key}.")
    return ways if len(ways) <= CROWDED else []


def step_size(value: Any, key: str) -> float | Facts:
    """A number, or a table that names a schedule and gives its parameters."""
    if not isinstance(value, dict):
        allowed = "a positive finite number or the table of a schedule"
        return float(checks.number(above=0.0, allowed=allowed)(value, key))
    part(value, key, ("schedule",))
    checks.text(80)(value["schedule"], f"{key}.schedule")
    return {
        name: parameter if name == "schedule" else ABOVE_ZERO(parameter, f"{key}.{name}")
        for name, parameter in value.items()
    }


def observations(table: Facts, key: str) -> Facts:
    """Data as a list of points; each point lists its inputs and then its target."""
    check_parameters(f"{key} with points", table, ("points",))
    rows = checks.points(table["points"], f"{key}.points")
    if len(rows[0]) < 2:
        raise refuse(f"{key}.points", rows[0], "a list of points whose last number is y, such as [[0.0, 1.5]]")
    return {"points": rows}


def check_low_high(table: Facts, key: str) -> None:
    """Refuse an interval whose ``low`` is not below its ``high``."""
    if not table["low"] < table["high"]:
        raise ValueError(f"{key}.low must be below {key}.high, which is {table['high']:g}, not {table['low']:g}")


def check_record_every(scenario: Facts) -> None:
    """Refuse a ``record_every`` of more than all steps."""
    every, steps = scenario.get("record_every", 0), scenario["steps"]
    if every > steps:
        raise ValueError(f"record_every must be at most steps, which is {steps}, not {every}")


def _keys(table: Facts) -> str:
    return ", ".join(shown(name) for name in list(table)[:8]) or "none"


def entries(entry: Check) -> Check:
    """A check of the tables of methods by label, each checked by ``entry``."""
    return lambda value, key: _entries(value, key, entry)


def _entries(value: Any, key: str, entry: Check) -> Facts:
    if not isinstance(value, dict) or not 1 <= len(value) <= 32:
        raise refuse(key, value, "a table of 1 to 32 methods, such as [methods.DE]")
    spelled: dict[str, str] = {}
    for label in value:
        LABEL(label, f"the label {key}.{label}")
        other = spelled.setdefault(label.lower(), label)
        if other != label:  # both would write the same files on a disk that ignores upper and lower case
            raise ValueError(
                f"{key} has the labels {other} and {label}, which differ in upper and lower case only;"
                f" did you mean {key}.{other}?"
            )
    return {label: entry(table, f"{key}.{label}") for label, table in value.items()}


def figures(value: Any, key: str) -> list[Facts]:
    if not isinstance(value, list) or len(value) > 16 or not all(isinstance(table, dict) for table in value):
        raise refuse(key, value, "a list of at most 16 tables, each written [[figures]]")
    for index, figure in enumerate(value):
        if "kind" not in figure:
            raise ValueError(f'{key}[{index}] must have the key "kind", not {_keys(figure)}')
        checks.text(40)(figure["kind"], f"{key}[{index}].kind")
        for name, option in figure.items():
            if _holds_table(option):
                raise refuse(f"{key}[{index}].{name}", option, "a text, a number, a boolean or a list of those")
    return value


def _holds_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(_holds_table(part) for part in value))


HEAD: dict[str, Key] = {
    "kind": Key(checks.text(40), "what is simulated", "particles"),
    "name": Key(
        checks.file_name(checks.NAME, "letters, digits, _ and - (at most 64)"),
        "the name of the scenario and of the folder of a run",
        REQUIRED,
        "the name of the file",
    ),
    "title": Key(checks.text(200), "one line, shown in the list and over the figure", ""),
    "source": Key(checks.text(200), "where the setting comes from", ""),
    "description": Key(checks.text(4000, lines=True), "what the run shows", ""),
}


def facts(value: Any, key: str) -> list[str]:
    """Names of facts from outside the package, each once."""
    if not isinstance(value, list) or len(value) > 16 or len({str(word) for word in value}) != len(value):
        raise refuse(key, value, "a list of at most 16 names, each once")
    for name in value:
        if plugins.find("facts", name, "fact") is None:
            raise ValueError(f"{key}: {unknown('fact of an installed package', name, plugins.names('facts'))}")
    return value


TAIL: dict[str, Key] = {
    "facts": Key(facts, "numbers of the summary that installed packages compute, by their names"),
    "style": Key(pictures.check, "the look of all pictures, as options of plot"),
    "figures": Key(figures, "the pictures, drawn in this order", []),
    "sweep": Key(grids.sweep, "the grid of settings and seeds that particlegvi sweep computes"),
}
