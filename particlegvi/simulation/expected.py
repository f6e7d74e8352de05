"""Estimates how many kernels a first run compiles, and for how long: for the progress bar only."""

from __future__ import annotations

from collections.abc import Iterable

from particlegvi.contracts import Loss, Method
from particlegvi.engine.terms.tape import FormulaTape
from particlegvi.tools.stages import Expected

# Kernels and seconds, measured on the machine of `particlegvi.engine.numerics.compiling.REFERENCE`.
PLAIN = Expected(5, 2.0)  # the start, the loss and its gradient, the prior's, the steps without a repulsion
LINE = Expected(5, 3.0)  # the Fourier series, and the facts of a repulsion
PLANE = Expected(12, 4.3)  # the direct sum, the steps that take it in, and the boxes
FORMULA = Expected(0, 2.5)  # added for the interpreter of formulas in each of them


def expected(loss: Loss, methods: Iterable[Method]) -> Expected:
    """The kernels that a run of these methods compiles if none has been compiled before."""
    parts = [PLAIN]
    if any(method.mmd_weight > 0.0 for method in methods):
        parts.append(LINE if loss.dim == 1 else PLANE)
    if isinstance(loss.term, FormulaTape):
        parts.append(FORMULA)
    return Expected(sum(part.kernels for part in parts), sum(part.seconds for part in parts))
