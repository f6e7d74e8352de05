"""Compute the basis of a fit once, store its arrays, and make the basis again from them bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.basis.projection import Projection
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.simulation.journal import Journal


def find(
    journal: Journal,
    covariance: KernelLike,
    choice: ArrayLike | int | Functionals | Basis,
    make: Callable[[], tuple[Basis, Facts]],
) -> tuple[Basis, Facts]:
    """The two results of ``make``: the basis, and facts about its choice.

    The journal stores the arrays of the basis. The basis that is returned is always `unpacked` from them, so that an
    interrupted fit continues with the same bits.
    """

    def once() -> tuple[Any, ...]:
        basis, facts = make()
        arrays = packed(basis)
        return list(arrays), *arrays.values(), facts

    keys, *arrays, facts = journal.once("basis", once)
    return unpacked(covariance, choice, dict(zip(keys, arrays, strict=True))), facts


def packed(basis: Basis) -> dict[str, Array]:
    """The state of a basis as arrays of one dimension or more, by name."""
    return {key: np.atleast_1d(np.asarray(content, dtype=np.float64)) for key, content in basis.state().items()}


def unpacked(
    covariance: KernelLike, choice: ArrayLike | int | Functionals | Basis, arrays: Mapping[str, Array]
) -> Basis:
    """The basis of a choice with these `packed` arrays; further arrays are ignored. A basis that was given is itself.

    Eigenvectors are read and not computed: another machine may compute them with other bits.
    """
    if isinstance(choice, Basis):
        return choice
    if isinstance(choice, Functionals):
        return Projection.restore(covariance, choice, arrays["weights"])
    return Nystroem.restore(covariance, arrays)
