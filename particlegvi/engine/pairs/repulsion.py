"""The repulsion of all particles, by whichever algorithm is cheapest for the state at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.pairs.algorithm import CALL, Algorithm
from particlegvi.engine.pairs.boxes import Boxes
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.fourier import FourierPlan, Series
from particlegvi.engine.pairs.nufft import Nufft
from particlegvi.engine.pairs.sorted_scan import ExponentialSlope, Scan
from particlegvi.tools.errors import warn

LONG = 2e10  # nanoseconds of a step from which on a user is warned
CHEAP = 5.0 * CALL  # below this, the search for a cheaper algorithm costs as much as it could save


def is_gaussian(kernel: Kernel) -> bool:
    """Whether the formulas of the squared exponential hold: a kernel of a user may have its name."""
    return kernel.name == "squared-exponential" and not from_outside(kernel)


def suitable(kernel: Kernel, dim: int, tolerance: float) -> list[Algorithm[Any]]:
    """Algorithms that may be used for this kernel and dimension; the first can always be."""
    smooth = is_gaussian(kernel)
    allowed: dict[type[Algorithm[Any]], bool] = {
        Direct: True,
        Series: smooth and dim == 1,
        Scan: dim == 1 and isinstance(kernel, ExponentialSlope),
        Boxes: smooth and dim == 2,
        Nufft: smooth and dim <= 3,
    }
    return [algorithm(kernel, dim, tolerance) for algorithm, fits in allowed.items() if fits]


class Repulsion:
    """(1/N) sum_j grad_1 kappa(x_i, x_j) for all particles, with a number as lengthscale of the kernel.

    The error is at most ``tolerance``, in units of variance / lengthscale (the force of one particle is at most 0.61
    units). Attributes: ``used``, the steps taken by each algorithm; ``attracts``, whether the last force includes the
    prior's attraction.
    """

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        self.kernel, self.tolerance = kernel, tolerance
        self.algorithms = suitable(kernel, dim, tolerance)
        self.used: dict[str, int] = {}
        self.attracts = self._warned = False
        series = [algorithm for algorithm in self.algorithms if isinstance(algorithm, Series)]
        self._series = series[0] if series else None

    @property
    def plan(self) -> FourierPlan | None:
        """The plan of the Fourier series where that can be used."""
        return None if self._series is None else self._series.plan

    def scanned(self, number: int) -> tuple[float, float, float] | None:
        """The slope of the kernel where the sorted scan takes every step of so many particles, wherever they are."""
        scan = next((algorithm for algorithm in self.algorithms if isinstance(algorithm, Scan)), None)
        return scan.slope if scan and scan.cost(number) < CHEAP <= Direct.cost(number, 1) else None

    def take_in(self, attraction: tuple[float, float, float] | None) -> None:
        if self._series is not None:
            self._series.take_in(attraction)

    def force(self, positions: Array, factor: float, out: Array, step: int = 0) -> None:
        """out = factor / N * sum_j grad_1 kappa(x_i, x_j), both (particles, dim), in the step of this number."""
        best, prepared, cost = None, None, np.inf
        for algorithm in self.algorithms:
            # An estimate takes time, too: once a cheap algorithm is found, the others are not asked.
            if cost < CHEAP:
                break
            estimate = algorithm.estimate(positions)
            if estimate is not None and estimate[0] < cost:
                best, (cost, prepared) = algorithm, estimate
        assert best is not None  # the direct sum can always be used
        if isinstance(best, Direct) and cost > LONG and not self._warned:
            self._warned = True
            warn(
                f"the repulsion among {len(positions)} particles is a sum over all pairs, about {cost * 1e-9:.0f}"
                f" seconds a step on one processor: no faster sum is known for the kernel {self.kernel.name} and this"
                f" cloud at the tolerance {self.tolerance:g}"
            )
        best.force(positions, prepared, factor, out)
        self.attracts = best.attracts(prepared)
        self.note(best.name, 1)

    def note(self, algorithm: str, steps: int) -> None:
        """Count the steps that an algorithm took."""
        self.used[algorithm] = self.used.get(algorithm, 0) + steps

    def facts(self) -> dict[str, Any]:
        """Facts for the result: the algorithms used with their steps, and the bound on the error."""
        exact = {algorithm.name for algorithm in self.algorithms if algorithm.exact}
        bound = 0.0 if set(self.used) <= exact else self.tolerance
        return {"repulsion": dict(self.used), "repulsion_error_bound": bound}
