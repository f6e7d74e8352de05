"""Linear functionals of a function: values at points, means over intervals and windows, slopes, and Fourier features.

A set of functionals L_1, ..., L_m stands where an array of inputs stands: as data, ``ExactGaussianProcess.fit(months,
y)``; in predictions, ``predict(Slopes(X))``; and as features, ``SparseGaussianProcess(kernel, likelihood, fourier)``.
Sets of different kinds are joined by ``+``. An array (n, dim) means `Points`.

Source: thesis 3.2 to 3.5, with the closed forms that it does not print.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.functionals.fourier import Fourier
from particlegvi.functionspace.functionals.functional import Functionals, Union
from particlegvi.functionspace.functionals.intervals import Intervals
from particlegvi.functionspace.functionals.points import Points
from particlegvi.functionspace.functionals.slopes import Slopes
from particlegvi.functionspace.functionals.windows import Windows

__all__ = ["Fourier", "Functionals", "Intervals", "Points", "Slopes", "Union", "Windows", "facts_at", "of"]


def of(given: ArrayLike | Functionals) -> Functionals:
    """The functionals themselves, or the values at the rows of an array (n, dim)."""
    return given if isinstance(given, Functionals) else Points(given)


def facts_at(given: ArrayLike | Functionals, X: Array) -> Facts:
    """Facts of functionals at inputs (n, dim): how many of them are ``outside`` of the interval of Fourier features."""
    if not isinstance(given, Functionals):
        return {}
    beyond = [part.outside(X) for part in given.parts() if isinstance(part, Fourier)]
    return {"outside": sum(beyond)} if beyond else {}
