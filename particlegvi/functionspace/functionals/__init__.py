"""Linear functionals of a function: values at points, means over intervals and windows, slopes, and Fourier features.

A set of functionals L_1, ..., L_m can replace an array of inputs: as data, ``ExactGaussianProcess.fit(months, y)``; in
predictions, ``predict(Slopes(X))``; and as features, ``SparseGaussianProcess(kernel, likelihood, fourier)``. Sets of
different kinds are joined by ``+``. An array (n, dim) means `Points`.

Source: thesis 3.2 to 3.5. The closed forms are derived here; the thesis does not print them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.functionals.by_coordinate import TensorProduct
from particlegvi.functionspace.functionals.fourier import Fourier
from particlegvi.functionspace.functionals.functional import Functionals, Union, joined_state, separate_states
from particlegvi.functionspace.functionals.local import Intervals, Points, Slopes, Windows
from particlegvi.tools.registry import Registry

__all__ = [
    "Fourier", "Functionals", "Intervals", "Points", "Slopes", "TensorProduct", "Union", "Windows", "facts_at",
    "joined_state", "of", "restored",
]  # fmt: skip


_registry: Registry[type[Functionals]] = Registry(__name__, "kind of functionals")


def restored(joined: Mapping[str, Any]) -> Functionals:
    """The functionals whose `joined_state` these arrays hold; other arrays are ignored."""
    sets = _sets(joined)
    return sets[0] if len(sets) == 1 else Union(*sets)


def _sets(joined: Mapping[str, Array]) -> list[Functionals]:
    found = []
    for name, state in separate_states(joined):
        kind, inner = _registry.get(name), _sets(state)  # sets of sets have no other arrays
        found.append(kind(*inner) if inner else kind.restore(state))
    return found


def of(given: ArrayLike | Functionals) -> Functionals:
    """Return functionals unchanged; turn an array (n, dim) into the values at its rows."""
    return given if isinstance(given, Functionals) else Points(given)


def facts_at(given: object, X: Array) -> Facts:
    """Facts of functionals at inputs (n, dim): the number of inputs ``outside`` the interval of Fourier features."""
    beyond = given.outside(X) if isinstance(given, Functionals) else None
    return {} if beyond is None else {"outside": int(np.sum(beyond))}
