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
from particlegvi.settings.checks import one_of, text, whole
from particlegvi.tools.limits import MOST_SEED
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters

MOST_VALUES = 1_000_000
MOST_KEYS = 8
MOST_LAWS = 8
SPACINGS = ("linear", "log")
VALUES = 'a list of at least one value, none twice, or a range such as "0:2:9" or "0.1:10:5:log"'
SEEDS = 'a number of seeds, a range "FIRST:END" without its end, or a list of different seeds'
KEYS = ("over", "seeds", "measure", "heat_map", "laws")
NEVER_NEGATIVE = ("w1", "sliced_w1", "sd", "rmse", "modes_covered", "covered", "auc", "accuracy")
# Names of the summary's numbers for which a larger value is better.
HIGHER = ("modes_covered", "log_density", "covered", "auc", "accuracy", "reached_equilibrium")


def values(given: object, key: str) -> list[object]:
    """The values of one swept key.

    Parameters
    ----------
    given : list or str
        A list of values; or a range "FROM:TO:COUNT" or "FROM:TO:COUNT:log", which includes both ends.
    key : str
        Name of the swept key, for messages.
    """
    if isinstance(given, str):
        return _range(given, key)
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MOST_VALUES:
        raise refuse(key, given, VALUES)
    chosen = [checks.plain(value, key) for value in given]
    if len({repr(value) for value in chosen}) < len(chosen):
        raise refuse(key, given, VALUES)
    return chosen


def seeds(given: object, key: str = "seeds") -> list[int]:
    """The seeds from their number, from a range "FIRST:END" (END excluded), or from a list."""
    if isinstance(given, str):
        first, colon, end = given.partition(":")
        if not (colon and first.isdecimal() and end.isdecimal() and max(len(first), len(end)) <= 20):
            raise refuse(key, given, SEEDS)
        chosen = range(int(first), int(end))
    elif isinstance(given, list | tuple):
        listed = [whole(0, MOST_SEED)(seed, key) for seed in given]
        if not listed or len(set(listed)) < len(listed):
            raise refuse(key, given, SEEDS)
        return listed
    elif isinstance(given, int) and not isinstance(given, bool):
        chosen = range(given)
    else:
        raise refuse(key, given, SEEDS)
    if not 1 <= chosen.stop - chosen.start <= MOST_VALUES or chosen[-1] > MOST_SEED:
        raise refuse(key, given, SEEDS)
    return list(chosen)


def _range(text: str, key: str) -> list[object]:
    """The values of a range; whole numbers where both ends are written without a point and all values are whole."""
    words = text.split(":")
    try:
        if len(words) not in (3, 4):
            raise ValueError
        first, last, number = float(words[0]), float(words[1]), int(words[2])
    except ValueError:
        raise refuse(key, text, VALUES) from None
    spacing = one_of(SPACINGS, "spacing")((*words, "linear")[3], key)
    for end in (first, last):
        checks.number()(end, key)
    count = whole(2, MOST_VALUES)(number, f"the count of {key}")
    if first == last or (spacing == "log" and not (first > 0.0 and last > 0.0)):
        raise refuse(key, text, "a range with two ends" + ", both above 0" * (spacing == "log"))
    inner = [_between(first, last, place / (count - 1), spacing) for place in range(1, count - 1)]
    chosen = [first, *inner, last]
    is_whole = not set(words[0] + words[1]) & set(".eEnN") and all(value.is_integer() for value in chosen)
    return [int(value) for value in chosen] if is_whole else list(chosen)


def _between(first: float, last: float, share: float, spacing: str) -> float:
    """A number between the ends, without the rounding error of a short decimal: 0.3, not 0.30000000000000004."""
    if spacing == "linear":
        value = first * (1.0 - share) + last * share if math.isinf(last - first) else first + share * (last - first)
    else:
        ratio = last / first
        value = first * ratio**share if 0.0 < ratio < math.inf else first ** (1.0 - share) * last**share
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
    for name, swept in over.items():
        values(swept, f"{key}.over.{name}")
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
    if len({repr(measure) for measure in names}) < len(names):
        raise refuse(key, given, allowed)
    for name in names:
        if not isinstance(name, str) or not 1 <= len(name) <= 200 or not name.isprintable():
            raise refuse(key, given, allowed)
    return list(names)
