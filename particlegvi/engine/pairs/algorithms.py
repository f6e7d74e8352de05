"""The algorithms for the repulsion behind one interface: ``estimate`` the cost of a state, then compute the ``force``.

``estimate(positions)`` returns (nanoseconds, anything prepared for the force), or None where it cannot be used; the
nanoseconds come from operation counts and fixed constants, so that the choice is the same on every machine.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.box_rule import NODES, box_plan
from particlegvi.engine.pairs.box_sum import MOST_BOXES, BoxSum, Layout
from particlegvi.engine.pairs.direct import LANES, direct_part, lanes
from particlegvi.engine.pairs.few import FEW, MANY, few_part
from particlegvi.engine.pairs.fourier import (
    CHUNK,
    MOST_MODES,
    SeriesBox,
    box_of,
    extent_part,
    fourier_plan,
    moments_part,
    series_part,
    weigh_parts,
)
from particlegvi.engine.pairs.gram import gram_force, rounding_error
from particlegvi.engine.pairs.near import Cells, kernel_reach, near_force
from particlegvi.engine.pairs.nufft import available, grid, nufft_force
from particlegvi.engine.pairs.scan import ExponentialSlope, scan_force
from particlegvi.engine.terms.trial import from_outside

CALL = 20_000.0  # nanoseconds of calls from Python, about
Prepared = TypeVar("Prepared")  # given by `estimate` to `force`


def pair_cost(dim: int) -> float:
    """Nanoseconds for one pair of the direct sum."""
    return 0.8 + 0.33 * dim


class Algorithm(Generic[Prepared]):
    """Base class of the algorithms.

    Attributes
    ----------
    name : str
        Name in the facts of a run.
    exact : bool
        Whether there is no error but rounding.
    """

    name: str
    exact: bool

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        self.kernel, self.dim, self.tolerance = kernel, dim, tolerance

    def estimate(self, positions: Array) -> tuple[float, Prepared] | None:
        """(nanoseconds, anything prepared) of a force at the positions (particles, dim), or None if it cannot be."""
        raise NotImplementedError

    def force(self, positions: Array, prepared: Prepared, factor: float, out: Array) -> None:
        """out = factor / N sum_j grad_1 kappa(x_i, x_j), both (particles, dim)."""
        raise NotImplementedError

    def attracts(self, prepared: Prepared) -> bool:
        """Whether the force prepared by `estimate` includes the attraction of the prior."""
        return False


class Direct(Algorithm[None]):
    """Every pair: any kernel, any dimension, no error but rounding."""

    name = "direct sum"
    exact = True

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        return self.cost(*positions.shape), None

    @staticmethod
    def cost(number: int, dim: int) -> float:
        """Nanoseconds for so many particles."""
        return number**2 * pair_cost(dim) + CALL

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        kernel, number = self.kernel, positions.shape[0]
        part = (few_part if number <= FEW and self.dim > MANY else direct_part).for_terms(kernel)
        scale = factor / number
        threads.split(lambda a, b: part(kernel, positions, a, b, scale, out), number, lanes(self.dim), least=256)


class Gram(Algorithm[None]):
    """Every pair through matrix products, from about seventeen dimensions on."""

    name = "direct sum by matrix products"
    exact = False

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        cost = positions.shape[0] ** 2 * (4.0 + 0.14 * self.dim) + 4.0 * CALL
        return (cost, None) if rounding_error(self.kernel, positions) <= self.tolerance else None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        gram_force(self.kernel, positions, factor, out)


class Series(Algorithm[SeriesBox]):
    """Squared exponential on the line, range up to about a hundred lengthscales."""

    name = "truncated Fourier series"
    exact = False

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.take_in(None)

    def take_in(self, attraction: tuple[float, float, float] | None) -> None:
        """Fold the gradient of a Gaussian mean embedding into the Fourier series: (mean, width, height)."""
        self.plan = fourier_plan(self.kernel.lengthscale, self.kernel.variance, self.tolerance, attraction)

    def estimate(self, positions: Array) -> tuple[float, SeriesBox] | None:
        flat = positions.reshape(-1)
        low, high = extent_part(flat, 0, flat.size)
        if not (np.isfinite(low) and np.isfinite(high)):
            return None
        box = box_of(self.plan, low, high)
        return (flat.size * (4.0 + 0.25 * box.modes) + CALL, box) if box.modes <= MOST_MODES else None

    def force(self, positions: Array, prepared: SeriesBox, factor: float, out: Array) -> None:
        """out = factor (1/N sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)), the second term only if the box attracts.
        """
        box = prepared
        flat, flat_out = positions.reshape(-1), out.reshape(-1)
        number = flat.size
        chunks = (number + CHUNK - 1) // CHUNK
        partial = np.empty((chunks, 2, box.modes))
        weighted = np.empty((2, box.modes))
        threads.split(lambda a, b: moments_part(flat, a, b, box, partial), chunks, least=2)
        weigh_parts(self.plan, box, partial, number, weighted)
        scale = factor / number
        threads.split(lambda a, b: series_part(flat, a, b, box, weighted, scale, flat_out), chunks, least=2)

    def attracts(self, prepared: SeriesBox) -> bool:
        """Whether the force prepared by `estimate` includes the attraction of the prior."""
        return bool(prepared.attracts)


class Boxes(Algorithm[Layout]):
    """Squared exponential in one and two dimensions, any range."""

    name = "Chebyshev boxes"
    exact = False

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.sum = BoxSum(box_plan(kernel.lengthscale, kernel.variance, tolerance, dim), dim)

    def estimate(self, positions: Array) -> tuple[float, Layout] | None:
        layout = self.sum.layout(positions)
        if layout is None:
            return None
        needed = self.sum.boxes_needed(layout)
        if self.dim == 2 and needed > MOST_BOXES:
            return None
        partners = min(2 * self.sum.plan.width + 1, max(used.size for used, _ in layout[0]))
        multiplications = needed * partners * (NODES**2 if self.dim == 1 else 4 * NODES**3)
        particle = 60.0 if self.dim == 1 else 150.0
        return positions.shape[0] * particle + 0.15 * multiplications + 3.0 * CALL, layout

    def force(self, positions: Array, prepared: Layout, factor: float, out: Array) -> None:
        self.sum.force(positions, prepared, factor, out)


class Near(Algorithm[Cells]):
    """Pairs within reach, for kernels that decay and clouds much wider than the reach."""

    name = "direct sum within reach"
    exact = False

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.reach = kernel_reach(kernel, tolerance)

    def estimate(self, positions: Array) -> tuple[float, Cells] | None:
        if self.reach is None or np.ptp(positions, axis=0).max() < 4.0 * self.reach:
            return None
        cells = Cells(positions, self.reach)
        if not cells.usable:
            return None
        # blocks of lanes are partly empty where cells hold few particles
        visits = cells.pairs() + LANES * cells.neighbours.size
        return visits * 1.5 * pair_cost(self.dim) + 150.0 * positions.shape[0] + 5.0 * CALL, cells

    def force(self, positions: Array, prepared: Cells, factor: float, out: Array) -> None:
        near_force(self.kernel, positions, prepared, factor, out)


class Scan(Algorithm[None]):
    """Kernels that are a polynomial times an exponential of the distance, on the line."""

    name = "sorted scan"
    exact = True

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        assert isinstance(kernel, ExponentialSlope)
        self.scanned = kernel

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        number = positions.shape[0]
        return number * (15.0 + 5.0 * np.log2(number + 1.0)) + 2.0 * CALL, None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        scan_force(self.scanned, positions, factor, out)


class Nufft(Algorithm[None]):
    """Squared exponential in three dimensions with the extra ``nufft``."""

    name = "nonuniform fast Fourier transform"
    exact = False

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.plan = fourier_plan(kernel.lengthscale, kernel.variance, 0.5 * tolerance)

    def estimate(self, positions: Array) -> tuple[float, None] | None:
        if not (available() and np.all(np.isfinite(positions))):
            return None
        _, _, modes = grid(self.plan, positions)
        cells = float(np.prod(np.array(modes, dtype=np.float64)))
        if cells > 3e7:  # half a gigabyte a copy
            return None
        digits = -np.log10(self.tolerance)
        return cells * 400.0 + positions.shape[0] * 4.0 * (digits + 1.0) ** 2.7 + 10.0 * CALL, None

    def force(self, positions: Array, prepared: None, factor: float, out: Array) -> None:
        nufft_force(self.plan, positions, self.tolerance, factor, out)


def is_gaussian(kernel: Kernel) -> bool:
    """Whether the formulas of the squared exponential hold: a kernel of a user may have its name."""
    return kernel.name == "squared-exponential" and not from_outside(kernel)


def suitable(kernel: Kernel, dim: int, tolerance: float) -> list[Algorithm[Any]]:
    """Algorithms that may be used for this kernel and dimension; the first can always be."""
    smooth = is_gaussian(kernel)
    found: list[type[Algorithm[Any]]] = [Direct]
    if smooth and dim == 1:
        found.append(Series)
    if smooth and dim <= 2:
        found.append(Boxes)
    if smooth and dim == 3:
        found.append(Nufft)
    if dim == 1 and isinstance(kernel, ExponentialSlope):
        found.append(Scan)
    if dim <= 3:
        found.append(Near)
    if dim > 3:
        found.append(Gram)
    return [algorithm(kernel, dim, tolerance) for algorithm in found]
