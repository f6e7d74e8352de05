"""Linear functionals of a function: values at points, means over intervals and windows, slopes, and Fourier features.

A set of functionals L_1, ..., L_m can replace an array of inputs: as data, ``ExactGaussianProcess.fit(months, y)``; in
predictions, ``predict(Slopes(X))``; and as features, ``SparseGaussianProcess(kernel, likelihood, fourier)``. Sets of
different kinds are joined by ``+``. An array (n, dim) means `Points`.

Source: thesis 3.2 to 3.5. The closed forms are derived here; the thesis does not print them.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.functionspace.functionals.by_coordinate import TensorProduct
from particlegvi.functionspace.functionals.fourier import Fourier
from particlegvi.functionspace.functionals.functional import Functionals, Union
from particlegvi.functionspace.functionals.local import Intervals, Points, Slopes, Windows

__all__ = [
    "Fourier", "Functionals", "Intervals", "Points", "Slopes", "TensorProduct", "Union", "Windows", "of",
]  # fmt: skip


def of(inputs: ArrayLike | Functionals) -> Functionals:
    """Return functionals unchanged; turn an array (n, dim) into the values at its rows."""
    return inputs if isinstance(inputs, Functionals) else Points(inputs)
