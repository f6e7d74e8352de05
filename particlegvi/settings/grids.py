"""The grid of a sweep as a scenario writes it: a list of values for each key, or a range of them, and the seeds.

[sweep]
seeds = 10                                                             # 0 to 9; or "5:15", or a list
[sweep.over]
"methods.*.kl_weight" = [0.05, 0.1, 0.2]
"methods.DRLE.mmd_weight" = {from = 0.0, to = 2.0, count = 9}          # spacing = "log" for equal ratios
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.settings import checks
from particlegvi.settings.checks import number, one_of, text, whole
from particlegvi.tools.limits import MOST_SEED
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

MOST_VALUES = 1_000_000
MOST_KEYS = 8
MOST_LAWS = 8
RANGE = ("from", "to", "count", "spacing")
SPACINGS = ("linear", "log")
VALUES = 'a list of at least one value, none twice, or a range such as {from = 0.0, to = 2.0, count = 9} or "0:2:9"'
SEEDS = 'a number of seeds, a range "FIRST:END" without its end, or a list of different seeds'
KEYS = ("over", "seeds", "measure", "heat_map", "laws")
# Names of the summary's numbers for which a larger value is better.
NEVER_NEGATIVE = ("w1", "sliced_w1", "sd", "rmse", "modes_covered", "covered", "auc", "accuracy")
HIGHER = ("modes_covered", "log_density", "covered", "auc", "accuracy", "reached_equilibrium")


def values(given: object, key: str) -> list[object]:
    """The values of one swept key.

    Parameters
    ----------
    given : list, dict or str
        A list of values; a range ``{from, to, count}`` with ``spacing = "linear"`` or ``"log"``; or a range as the
        text "FROM:TO:COUNT" or "FROM:TO:COUNT:log". A range includes both ends.
    key : str
        Name of the swept key, for messages.
    """
    if isinstance(given, str):
        given = _written(given, key)
    if isinstance(given, dict):
        return _range(given, key)
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MOST_VALUES:
        raise refuse(key, given, VALUES)
    found = [checks.plain(each, key) for each in given]
    if len({repr(each) for each in found}) < len(found):
        raise refuse(key, given, VALUES)
    return found


def seeds(given: object, key: str = "seeds") -> list[int]:
    """The seeds from their number, from a range "FIRST:END" (END excluded), or from a list."""
    if isinstance(given, str):
        first, colon, end = given.partition(":")
        if not (colon and first.isdecimal() and end.isdecimal() and max(len(first), len(end)) <= 20):
            raise refuse(key, given, SEEDS)
        chosen = range(int(first), int(end))
    elif isinstance(given, list | tuple):
        return _different([whole(0, MOST_SEED)(each, key) for each in given], given, key)
    elif isinstance(given, int) and not isinstance(given, bool):
        chosen = range(given)
    else:
        raise refuse(key, given, SEEDS)
    if not 1 <= len(chosen) <= MOST_VALUES or chosen[-1] > MOST_SEED:
        raise refuse(key, given, SEEDS)
    return list(chosen)


def _different(found: list[int], given: object, key: str) -> list[int]:
    if not found or len(set(found)) < len(found):
        raise refuse(key, given, SEEDS)
    return found


def _written(given: str, key: str) -> Facts:
    """Read "FROM:TO:COUNT" or "FROM:TO:COUNT:log" as the table of a range."""
    parts = given.split(":")
    try:
        if len(parts) not in (3, 4):
            raise ValueError
        ends = [float(part) if set(part) & set(".eEnN") else int(part) for part in parts[:2]]
        return {"from": ends[0], "to": ends[1], "count": int(parts[2]), "spacing": (*parts, "linear")[3]}
    except ValueError:
        raise refuse(key, given, VALUES) from None


def short(given: object) -> object:
    """Write a range as a text, so that it stays on the line of its key in a file; leave other values unchanged."""
    if not isinstance(given, dict):
        return given
    ends = f"{given['from']!r}:{given['to']!r}:{int(given['count'])}"
    return ends + (":log" if given.get("spacing") == "log" else "")


def _range(given: Facts, key: str) -> list[object]:
    check_parameters(f"the range {key}", given, RANGE)
    if not {"from", "to", "count"} <= set(given):
        raise refuse(key, given, VALUES)
    for end in ("from", "to"):
        number()(given[end], f"{key}.{end}")
    first, last = given["from"], given["to"]
    count = whole(2, MOST_VALUES)(given["count"], f"{key}.count")
    spacing = one_of(SPACINGS, "spacing")(given.get("spacing", "linear"), f"{key}.spacing")
    if first == last:
        raise refuse(f"{key}.to", last, "another number than from")
    if spacing == "log" and not (first > 0.0 and last > 0.0):
        raise refuse(f"{key}.from", min(first, last), "above 0, as both ends of a logarithmic range are")
    inner = [_between(first, last, place / (count - 1), spacing) for place in range(1, count - 1)]
    found = [float(each) for each in (first, *inner, last)]
    if isinstance(first, int) and isinstance(last, int) and all(each.is_integer() for each in found):
        return [int(each) for each in found]
    return list(found)


def _between(first: float, last: float, share: float, spacing: str) -> float:
    """A number between the ends, without the rounding error of a short decimal: 0.3, not 0.30000000000000004."""
    value = first + share * (last - first) if spacing == "linear" else first * (last / first) ** share
    rounded = float(f"{value:.12g}")
    return rounded if len(repr(rounded)) < 10 else value


def sweep(value: object, key: str) -> Facts:
    """The check of the table ``[sweep]`` of a scenario."""
    if not isinstance(value, dict):
        raise refuse(key, value, "a table with the keys over and seeds")
    check_parameters(key, value, KEYS)
    over = value.get("over", {})
    if not isinstance(over, dict) or len(over) > MOST_KEYS:
        raise refuse(f"{key}.over", over, f"a table with the values of at most {MOST_KEYS} keys")
    for name, given in over.items():
        values(given, f"{key}.over.{name}")
    if "seeds" in value:
        seeds(value["seeds"], f"{key}.seeds")
    if "measure" in value:
        measures(value["measure"], f"{key}.measure")
    if "heat_map" in value:
        text(40)(value["heat_map"], f"{key}.heat_map")
    if "laws" in value:
        laws(value["laws"], f"{key}.laws")
    return value


def laws(given: object, key: str) -> None:
    """Check formulas by name; they are read when the swept key is known."""
    if not isinstance(given, dict) or not 1 <= len(given) <= MOST_LAWS:
        raise refuse(key, given, f'a table of 1 to {MOST_LAWS} formulas by name, such as {{truth = "sqrt(0.2)"}}')
    for name, formula in given.items():
        text(40)(name, key)
        text(2000)(formula, f"{key}.{name}")


def is_higher_better(measure: str) -> bool:
    """Whether a larger value of this number of the summary is better."""
    return measure in HIGHER or measure.rpartition(".")[2] in HIGHER


def possible(measure: str, scenario: Mapping[str, Any]) -> tuple[float, float]:
    """The range in which a number of the summary can be, for its intervals."""
    modes = len(scenario.get("modes", ())) or math.inf
    most = {"modes_covered": modes, "covered": 1.0}.get(measure, math.inf)
    return (0.0 if measure in NEVER_NEGATIVE else -math.inf), most


def measures(given: object, key: str = "measure") -> list[str]:
    """The names of the measured numbers as a list, from one name or a list of different names."""
    names = [given] if isinstance(given, str) else given
    allowed = 'a number of the summary such as "w1", or a list of at most 8 different ones'
    if not isinstance(names, list | tuple) or not 1 <= len(names) <= 8:
        raise refuse(key, given, allowed)
    if len({repr(each) for each in names}) < len(names):
        raise refuse(key, given, allowed)
    for name in names:
        if not isinstance(name, str) or not 1 <= len(name) <= 200 or not name.isprintable():
            raise refuse(key, given, allowed)
    return list(names)
