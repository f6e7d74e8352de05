"""DE's target on the line: the minimum that each start flows to (Theorem 5.4.1, C.65 and C.66).

Between two neighbouring critical points the gradient has one sign, so that all points between them flow to the same
one. The critical points are the sign changes of the gradient on a fine grid, polished by bisection: minima and maxima,
smooth or kinks. A point where the gradient touches zero without changing sign stops the flow on one side as well; it
is an atom too, a case that Theorem C.3.2 does not cover.

`Q0` is the distribution of the starts: its distribution function and its quantiles, for the weights of basins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Loss, Prior
from particlegvi.targets.basins.survey import golden_section
from particlegvi.targets.density import AtomicTarget
from particlegvi.tools import arguments

Map = Callable[[np.ndarray], np.ndarray]
MOST_SPANS = 40.0  # largest distance from the median to an end of the bulk; a Normal has 8.5, a Laplace 34
EDGE = 1e-17  # probability outside the bulk, on either side
BELOW_ONE = 1.0 - 2.0**-53  # the largest probability below 1


@runtime_checkable
class Independent(Protocol):
    """An optional part of a `Prior`: the distribution functions of its independent coordinates."""

    def cdf(self, x: np.ndarray, coordinate: int = 0) -> np.ndarray: ...
    def quantile(self, u: np.ndarray, coordinate: int = 0) -> np.ndarray: ...


class Q0:
    """A distribution with independent coordinates, given by a prior object.

    Outside the bulk from ``low`` to ``high`` (dim,) the mass is below 1e-16 in each coordinate. ``scale`` is its
    largest side over 18: for a Normal about its sd.
    """

    def __init__(self, prior: Prior) -> None:
        from particlegvi.priors import Flat

        self.prior, self.dim = prior, int(prior.dim)
        low, high = np.asarray(prior.low, dtype=np.float64), np.asarray(prior.high, dtype=np.float64)
        if isinstance(prior, Flat):
            raise ValueError("initial must be Normal, Uniform or an array, not Flat, which is not a probability")
        self._pairs = [self._coordinate(i) for i in range(self.dim)]
        lower, middle = (np.array([quantile(np.array([u]))[0] for _, quantile in self._pairs]) for u in (EDGE, 0.5))
        # 1 - 1e-17 is 1 in floating point: a Normal's upper edge mirrors its lower one. A half-line has no mirror.
        upper = np.array([quantile(np.array([BELOW_ONE]))[0] for _, quantile in self._pairs])
        upper = np.where(np.isinf(low), middle + (middle - lower), upper)
        self.low, self.high = np.maximum(low, lower), np.where(np.isinf(high), upper, high)
        # With heavy tails the bulk would be so large that a search would miss its middle.
        reach = MOST_SPANS * self.quantile_span()
        self.low, self.high = np.maximum(self.low, middle - reach), np.minimum(self.high, middle + reach)
        self.scale = float(np.max(self.high - self.low)) / 18.0

    def cdf(self, x: np.ndarray, coordinate: int = 0) -> np.ndarray:
        """Probability that a coordinate is at most x, for x of any shape."""
        return self._pairs[coordinate][0](x)

    def quantile(self, u: np.ndarray, coordinate: int = 0) -> np.ndarray:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        return self._pairs[coordinate][1](u)

    def quantile_span(self) -> np.ndarray:
        """Half the distance between the 16% and 84% quantiles of each coordinate (a Normal's sd)."""
        edges = np.array([0.16, 0.84])
        return np.array([0.5 * np.ptp(self.quantile(edges, i)) for i in range(self.dim)])

    def _coordinate(self, i: int) -> tuple[Map, Map]:
        from scipy.special import ndtr, ndtri

        from particlegvi.priors import Normal, Uniform

        prior = self.prior
        if isinstance(prior, Normal):
            mean, sd = float(prior.mean[i]), float(prior.sd[i])
            return (lambda x: ndtr((x - mean) / sd)), (lambda u: mean + sd * ndtri(u))
        if isinstance(prior, Uniform):
            low, high = float(prior.low[i]), float(prior.high[i])
            return (lambda x: np.clip((x - low) / (high - low), 0.0, 1.0)), (lambda u: low + (high - low) * u)
        if isinstance(prior, Independent):
            return partial(prior.cdf, coordinate=i), partial(prior.quantile, coordinate=i)
        if self.dim == 1:
            # For any other distribution on the line, integrate its density.
            from particlegvi.targets.quadrature.nodes import discretise
            from particlegvi.targets.quadrature.panels import Curve
            from particlegvi.targets.quadrature.potential import domain_of

            panels = discretise(lambda x: np.array(prior.log_density(x)), domain_of(prior)).panels
            assert panels is not None
            curve = Curve(panels)
            return curve.cdf, curve.quantile
        allowed = f"a prior with independent coordinates or an array of points in {self.dim}-D"
        raise arguments.refuse("initial", prior, allowed)


COARSE, FINE = 2**14, 2**20  # cells of the first and of the finest grid
WORTH = 1e-6  # mass of a gap from which on its minimum is looked at closely: heavy tails have some mass everywhere
LOST = 1e-9  # mass that may flow to infinity, leave the box, or start where the loss is flat

Derivative = Callable[[np.ndarray], np.ndarray]


class Critical(NamedTuple):
    """Critical points in ascending order, brackets around them, and the gradient's sign in the gaps between them."""

    at: np.ndarray  # (k,)
    left: np.ndarray
    right: np.ndarray
    signs: np.ndarray  # (k + 1,): signs of the gradient below the first critical point, ..., above the last
    flat: list[tuple[float, float]]  # intervals on which the gradient vanishes


def basins_on_line(loss: Loss, low: float, high: float, initial: Prior | np.ndarray) -> AtomicTarget:
    """Atoms and weights for a loss on [low, high] (reflecting where finite) from a prior object or points (n, 1)."""

    def derivative(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.asarray(loss.gradient(np.ascontiguousarray(x).reshape(-1, 1))).reshape(np.shape(x))

    mass: Callable[[np.ndarray], np.ndarray]
    points = initial if isinstance(initial, np.ndarray) else None
    if not isinstance(initial, np.ndarray):
        start = Q0(initial)
        bulk_low, bulk_high = float(start.low[0]), float(start.high[0])
        mass = start.cdf
    else:
        ordered = np.sort(initial[:, 0])
        room = max(1.0, float(ordered[-1] - ordered[0]))
        bulk_low, bulk_high = float(ordered[0]) - room, float(ordered[-1]) + room
        mass = lambda x: np.searchsorted(ordered, x, side="right") / len(ordered)
    outside = float(mass(np.nextafter(np.array([low]), -np.inf))[0] + 1.0 - mass(np.array([high]))[0])
    if outside > LOST:
        raise ValueError(f"{outside:.3g} of the initial mass lies outside the prior's box; all of it must lie inside")
    first, last = max(low, bulk_low), min(high, bulk_high)
    for _ in range(6):
        critical = _critical_points(derivative, low, high, first, last)
        _refuse_flat(critical, mass)
        ends = _destinations(critical, low, high)
        reached = ends[np.isfinite(ends) & (np.diff(_levels(critical, mass)) > WORTH)]
        wider = min(first, reached.min(initial=first)), max(last, reached.max(initial=last))
        if wider == (first, last):
            break
        first, last = wider  # refine the grid around the points to which mass flows
    if points is None:
        doubt = float(np.sum(mass(critical.right) - mass(critical.left))) + 1e-15 * len(critical.at)
        return _gathered(derivative, ends, np.diff(_levels(critical, mass)), doubt)
    gap = np.searchsorted(critical.at, points[:, 0], side="right")
    goal = np.where(derivative(points[:, 0]) == 0.0, points[:, 0], ends[gap])  # a start on a critical point stays
    return _gathered(derivative, goal, np.full(len(points), 1.0 / len(points)), 0.0)


def _critical_points(derivative: Derivative, low: float, high: float, first: float, last: float) -> Critical:
    """Sign changes on [first, last], on a grid refined until their number settles, and those found outside it."""
    number, cells, settled = -1, COARSE, 0
    while True:
        x = _grid(low, high, first, last, cells)
        g = derivative(x)
        signs = np.sign(g)
        known = np.flatnonzero(np.isfinite(g) & (signs != 0.0))
        changes = np.flatnonzero(signs[known[1:]] != signs[known[:-1]])
        settled = settled + 1 if len(changes) == number else 0
        if settled == 2 or cells >= FINE:
            break
        number, cells = len(changes), 2 * cells
    if not len(known):
        raise ValueError("the loss has no isolated minimum: its gradient vanishes wherever it was looked at")
    left, right, sign = x[known[changes]], x[known[changes + 1]], signs[known[changes]]
    at, left, right = _bisected(derivative, left, right, sign)
    touching = _touching(derivative, x[known], g[known])
    at, left, right = (np.concatenate([part, touching]) for part in (at, left, right))
    order = np.argsort(at)
    at, left, right = at[order], left[order], right[order]
    # The sign of a gap is the sign at the grid points inside it, or at its middle if it holds no grid point.
    inside = 0.5 * (np.concatenate([x[known[:1]], at]) + np.concatenate([at, x[known[-1:]]]))
    gap_signs = np.sign(derivative(inside))
    gap_signs[np.searchsorted(at, x[known])] = signs[known]
    return Critical(at, left, right, gap_signs, _flat_parts(x, g))


def _grid(low: float, high: float, first: float, last: float, cells: int) -> np.ndarray:
    """Ascending points in (low, high): uniform on [first, last], geometric outside."""
    # Cell midpoints, slightly off centre: the critical points of a symmetric loss should not be grid points.
    x = first + (last - first) * (np.arange(cells) + 0.5 - 1e-3 * np.sqrt(2.0)) / cells
    away = (last - first) * np.geomspace(0.5 / cells, 1e12, 1500)
    x = np.concatenate([(first - away)[::-1], x, last + away])
    return x[(x > low) & (x < high)]


def _bisected(
    derivative: Derivative, left: np.ndarray, right: np.ndarray, sign: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bisection of every bracket to neighbouring numbers; ``sign`` is that of the left ends."""
    left, right = left.copy(), right.copy()
    for _ in range(120):
        middle = 0.5 * left + 0.5 * right
        here = np.sign(derivative(middle))
        left = np.where((here == sign) | (here == 0.0), middle, left)
        right = np.where((here == -sign) | (here == 0.0), middle, right)
        if np.all(right <= np.nextafter(left, np.inf)):
            break
    at = np.where(np.abs(derivative(left)) <= np.abs(derivative(right)), left, right)
    return at, left, right


def _touching(derivative: Derivative, x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Zeros of the gradient without a change of sign: minima of |gradient| at which it vanishes."""
    size = np.abs(g)
    low = (size[1:-1] < size[:-2]) & (size[1:-1] <= size[2:])
    low &= (np.sign(g[1:-1]) == np.sign(g[:-2])) & (np.sign(g[1:-1]) == np.sign(g[2:]))
    at = np.flatnonzero(low) + 1
    a, b, around = x[at - 1], x[at + 1], np.minimum(size[at - 1], size[at + 1])
    middle = golden_section(lambda t: -np.abs(derivative(t)), a, b, 80)
    return middle[np.abs(derivative(middle)) <= 1e-12 * around]


def _flat_parts(x: np.ndarray, g: np.ndarray) -> list[tuple[float, float]]:
    """Runs of at least five grid points on which the gradient is zero, or rounding around zero."""
    typical = np.median(np.abs(g[np.isfinite(g)]))
    tiny = np.abs(g) <= 1e-13 * typical
    edges = np.flatnonzero(np.diff(np.concatenate([[False], tiny, [False]]).astype(int)))
    parts = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        run = np.sign(g[begin:end])
        zeros, turns = np.sum(run == 0.0), np.sum(run[1:] * run[:-1] < 0.0)
        if end - begin >= 5 and (zeros >= 3 or turns >= 3):
            parts.append((float(x[begin]), float(x[end - 1])))
    return parts


def _refuse_flat(critical: Critical, mass: Callable[[np.ndarray], np.ndarray]) -> None:
    """A ValueError if the start has mass where the loss is flat."""
    for begin, end in critical.flat:
        low, high = mass(np.array([begin, end]))
        if high - low > LOST:
            raise ValueError(
                f"the loss is flat from {begin:.6g} to {end:.6g}, so its minima are not isolated and DE has no atoms"
            )


def _destinations(critical: Critical, low: float, high: float) -> np.ndarray:
    """End of the flow from each gap: the critical point, or side of the box, in the direction of minus the gradient."""
    downward = np.concatenate([[low], critical.at])
    upward = np.concatenate([critical.at, [high]])
    return np.where(critical.signs > 0.0, downward, upward)


def _levels(critical: Critical, mass: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Distribution function of the start at the critical points, with 0 and 1 at the ends."""
    return np.concatenate([[0.0], mass(critical.at), [1.0]])


def _gathered(derivative: Derivative, goal: np.ndarray, weights: np.ndarray, doubt: float) -> AtomicTarget:
    """The target of masses ``weights`` that flow to ``goal``, both (n,); ``doubt`` bounds the error of the weights."""
    lost = float(weights[~np.isfinite(goal)].sum())
    if lost > LOST:
        where = "-infinity" if weights[goal == -np.inf].sum() > 0.5 * lost else "+infinity"
        raise ValueError(f"{lost:.3g} of the initial mass flows to {where}, where the loss has no minimum")
    keep = np.isfinite(goal) & (weights > 0.0)
    atoms, index = np.unique(goal[keep], return_inverse=True)
    total = np.bincount(index, weights=weights[keep])
    sizes = np.abs(derivative(atoms))
    nearby = [np.abs(derivative(np.nextafter(atoms, side))) for side in (-np.inf, np.inf)]
    smooth = sizes < 1e-3 * np.max(np.abs(derivative(atoms + 1e-3)), initial=1.0)
    residual = float(np.max(np.where(smooth, np.minimum(sizes, np.minimum(*nearby)), 0.0)))
    return AtomicTarget(atoms[:, None], total, doubt + lost, residual)
