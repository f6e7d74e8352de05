"""Laws of a sweep: formulas in the swept key, such as the truth or a bias that is known, drawn beside the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from particlegvi.contracts import Array, Scenario
from particlegvi.losses import Loss


def laws(scenario: Scenario, over: Mapping[str, Sequence[object]]) -> dict[str, Callable[[Array], Array]]:
    """The laws of the table ``sweep.laws`` by name: functions of values of the swept key, (values,) to (values,).

    The variable of their formulas is the last word of the key. A ValueError where there are laws and not one swept key
    with numbers, or for a formula that cannot be read.
    """
    formulas = scenario.get("sweep", {}).get("laws", {})
    values = next(iter(over.values()), [])
    if formulas and (len(over) != 1 or any(type(value) not in (int, float) for value in values)):
        raise ValueError(f"sweep.laws must stand beside one swept key with numbers, not beside {len(over)} keys")
    by_name: dict[str, Callable[[Array], Array]] = {}
    for name, formula in formulas.items():
        try:
            law = Loss.from_formula(formula, [next(iter(over)).rpartition(".")[2]])
        except ValueError as error:
            raise ValueError(f"sweep.laws.{name}: {error}") from None
        by_name[name] = partial(_at, law)
    return by_name


def _at(law: Loss, values: Array) -> Array:
    return np.asarray(law.value(np.asarray(values, dtype=np.float64)[:, None]))
