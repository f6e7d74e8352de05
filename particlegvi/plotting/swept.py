"""The parts of a sweep that figures read: its grid, its numbers, and whether exact draws could have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from particlegvi.contracts import Array, Scenario
from particlegvi.diagnostics.over_seeds import mean_over
from particlegvi.plotting import style
from particlegvi.plotting.look import localised, say
from particlegvi.tools.quoting import refuse

LONGEST = 14  # characters of a value on an axis
OFF = {"far", "far, unrecorded", "near"}  # rules of verdicts: at rest, but not at Q*
WHOLE = 100_000  # whole numbers below it are written in full
# Numbers of the summary as keys of the words of figures; others are shown by their own name.
NAMES = {
    "w1": "distance_axis",
    "sliced_w1": "sliced_distance",
    "modes_covered": "modes_covered",
    "average_loss": "mean_loss",
    "sd": "sd_of_particles",
}
KEYS = {"kl_weight": r"$\lambda_\text{KL}$", "mmd_weight": r"$\lambda_\text{MMD}$"}


@runtime_checkable
class Swept(Protocol):
    """The results of a sweep (`particlegvi.sweeps.Sweep`)."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def over(self) -> Mapping[str, Sequence[object]]: ...  # the values of each swept key
    @property
    def seeds(self) -> Sequence[int]: ...
    @property
    def methods(self) -> Sequence[str]: ...
    @property
    def measures(self) -> Sequence[str]: ...  # numbers that are shown by default
    @property
    def laws(self) -> Mapping[str, Callable[[Array], Array]]: ...  # by name, formulas in the only swept key
    def has(self, measure: str, method: str, /) -> bool: ...  # whether a method has a number anywhere
    def values(self, measure: str, method: str, /) -> Array: ...  # over the grid, seeds last; NaN where there is none
    def truth(self, measure: str, method: str, /) -> Array | None: ...  # of Q*, over the grid; None where unknown
    def stopped(self, method: str, /) -> Array: ...  # 1.0 where a method diverged, seeds last
    def unsettled(self, method: str, /) -> Array: ...  # 1.0 where a run is not at equilibrium, seeds last
    def verdicts(self, method: str, /) -> Array: ...  # their rules, seeds last
    def headline(self) -> str: ...


class Panel(NamedTuple):
    """A number of a method."""

    measure: str
    method: str


def panels(sweep: Swept, measures: Sequence[str] | None, methods: Sequence[str] | None) -> list[Panel]:
    """The numbers and methods to draw, by number and then by method; a ValueError where there are none."""
    for method in methods or ():
        if method not in sweep.methods:
            raise refuse("methods", method, f"among {', '.join(sweep.methods)}")
    chosen = [
        Panel(measure, method)
        for measure in measures or sweep.measures
        for method in methods or sweep.methods
        if sweep.has(measure, method)
    ]
    if not chosen:
        asked = list(measures or sweep.measures)
        raise ValueError(f"measures must be numbers that the methods of this sweep have, not {', '.join(asked)}")
    return chosen


def unsettled(sweep: Swept, methods: Sequence[str]) -> str:
    """The words of the mark of runs that are not at equilibrium, "" where all are."""
    rules = [sweep.verdicts(method)[sweep.unsettled(method) > 0.0].tolist() for method in methods]
    found = {rule for each in rules for rule in each}
    if found <= OFF:
        return say("off_somewhere") if found else ""
    return say("too_few_somewhere" if found == {"too few"} else "unsettled_somewhere")


def means(sweep: Swept, panel: Panel) -> Array:
    """Means over the seeds that have a number, over the grid; NaN where none has."""
    return mean_over(sweep.values(panel.measure, panel.method), -1)


def key_name(key: str) -> str:
    """A swept key as an axis names it."""
    last = key.rpartition(".")[2]
    if last in KEYS:
        label = key.split(".")[1] if key.startswith("methods.") and key.count(".") == 2 else ""
        own = "" if label in ("", "*") else style.shown_name(label)
        return say("key_of_method", key=KEYS[last], method=own) if own else KEYS[last]
    return style.shown_name(key.replace("_", " "))


def measure_name(measure: str) -> str:
    """A number of the summary as an axis or a panel names it."""
    return say(NAMES[measure]) if measure in NAMES else style.plain(measure.replace("_", " "))


def value_names(values: Sequence[object]) -> list[str]:
    """Values of a key as they stand on an axis: numbers to three digits, whole ones in full, long texts cut."""
    found = []
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool):
            whole = float(value).is_integer() and abs(value) < WHOLE
            found.append(f"${style.mathtext(float(value), 6 if whole else 3)}$")
        else:
            text = value if isinstance(value, str) else json.dumps(value)
            found.append(style.plain(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"))
    return found


def note(sweep: Swept, band: bool = False) -> str:
    """The seeds over which numbers are means, in words, and with ``band`` the meaning of the band around them."""
    if len(sweep.seeds) == 1:
        return say("seed", seed=sweep.seeds[0])
    return say("mean_and_band" if band else "number_of_seeds", count=localised(f"{len(sweep.seeds):,}"))
