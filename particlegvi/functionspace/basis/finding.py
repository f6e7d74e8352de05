"""The basis of a fit: found once, also where the fit is interrupted, because another machine might find other bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.covariances.base import Covariance
from particlegvi.functionspace.journal import Journal

ARRAYS = ("inducing_points", "eigenvalues", "vectors")


def find(
    journal: Journal, covariance: Covariance, choose: Callable[[], tuple[ArrayLike, dict[str, Any]]]
) -> tuple[Nystroem, dict[str, Any]]:
    """The Nystroem basis of the inducing points that ``choose`` gives, and the facts that it gives with them."""

    def make() -> tuple[Any, ...]:
        Z, facts = choose()
        state = Nystroem(covariance, Z).state()
        return *(state[name] for name in ARRAYS), float(state["jitter"]), facts

    *arrays, jitter, facts = journal.once("basis", make)
    return Nystroem.restore(covariance, {**dict(zip(ARRAYS, arrays, strict=True)), "jitter": jitter}), facts
