"""Targets: a density in one or two dimensions, and finitely many atoms, the limit of deep ensembles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.targets.quadrature.nodes import Nodes, density_in_plane, draws_in_plane
from particlegvi.targets.quadrature.panels import Curve
from particlegvi.targets.quadrature.potential import Domain, LogWeight
from particlegvi.tools import arguments, html
from particlegvi.tools.arguments import as_written
from particlegvi.tools.quoting import shown

OUTSIDE = 1e-12  # mass that ``support`` leaves out on either side
Values = Any  # a float for a single point, and for moments on the line; otherwise an array

NOTABLE = 0.01  # share of the mass that the search for wells may have missed, from which on it is said


class DensityTarget:
    """A minimiser Q* with a density that can be evaluated everywhere.

    Attributes
    ----------
    kind : str
        "density".
    dim : int
        1 or 2.
    mean, variance : float in 1-D, arrays (2,) in 2-D
        Moments of each coordinate; NaN or infinity if the tails are too heavy for them to exist.
    covariance : array (dim, dim)
    log_normaliser : float
        Logarithm of the integral of exp(-V/kl_weight - lambda1/kl_weight kappa * Q*), with V = loss - lambda1 mu_P -
        kl_weight log p; for DLE that of exp(-loss/kl_weight) p.
    residual : float
        L1 norm of the residual of Q*'s equation plus the quadrature's error: an upper estimate.
    error : float
        Bound on the L1 distance to the exact Q*, provided that no well of the loss is missed: see ``resolution``.
    resolution : float
        The search meets every well of the loss that is at least so wide and within 12 scales (on the line, 6 in the
        plane) of the prior's centre. It may miss a narrower one, however much mass that has, unless ``missed`` says no.
    missed : float or None
        Proven by interval arithmetic, for DLE with a loss that is a formula: ``|Z'/Z - 1|`` is at most this number,
        with Z the normaliser and Z' that of the quadrature. So the density is right to this share everywhere, and no
        well with more of the mass is missed. 1 where this was tried and nothing could be proven, None where it was not.
        For DRLE a bound on the mass of missed wells, only where it is above 1%.
    grid, density : arrays (n,) or (n, 2), and (n,)
        The quadrature's nodes inside the support, and the density there.
    masses : array (n,)
        Probabilities that the quadrature gives the nodes: ``masses @ f(grid)`` is the mean of f under Q*.
    support : pair of floats in 1-D, of arrays (2,) in 2-D
        Interval or box that leaves out a mass of at most 1e-12 on each side.
    """

    kind: Literal["density"] = "density"

    def __init__(
        self,
        log_density: LogWeight,
        nodes: Nodes,
        place: Domain,
        residual: float,
        error: float,
        *,
        log_normaliser: float,
        missed: float | None = None,
    ) -> None:
        self.dim = nodes.points.shape[1]
        self.resolution, self.missed = place.resolution, missed
        self.residual, self.error, self.log_normaliser = residual, error, log_normaliser
        self._log_density = log_density
        self._low, self._high = place.low, place.high
        masses = nodes.masses
        self._curve: Curve | None = None
        self.mean: Values
        self.variance: Values
        self.support: tuple[Values, Values]
        if nodes.panels is not None:
            self._curve = Curve(nodes.panels)
            self.mean, self.variance = self._curve.mean, self._curve.variance
            self.covariance = np.array([[self.variance]])
            left, right = self._curve.quantile(np.array([OUTSIDE, 1.0 - OUTSIDE]))
            self.support = (float(left), float(right))
            low, high = np.array([left]), np.array([right])
        else:
            self.mean = masses @ nodes.points
            centred = nodes.points - self.mean
            self.covariance = (centred * masses[:, None]).T @ centred
            self.variance = np.diag(self.covariance).copy()
            low, high = _box(nodes.points, masses)
            self.support = (low, high)
        inside = np.all((nodes.points >= low) & (nodes.points <= high), axis=1)
        self.grid = nodes.points[inside, 0] if self.dim == 1 else nodes.points[inside]
        self.density = np.exp(nodes.log_density[inside])
        self.masses = masses[inside]
        self._nodes = nodes if self.dim == 2 else None

    def log_pdf(self, x: ArrayLike) -> Values:
        """Logarithm of the density; shapes as for :meth:`pdf`."""
        points, shape = arguments.one_or_many("x", x, self.dim)
        result = np.full(len(points), -np.inf)
        inside = np.all((points >= self._low) & (points <= self._high), axis=1)
        if np.any(inside):
            result[inside] = self._log_density(np.ascontiguousarray(points[inside]))
        return in_shape(result, shape)

    def pdf(self, x: ArrayLike) -> Values:
        """Density at points x (n, dim), in 1-D also (n,) or a number, in 2-D also one point (2,).

        The result is an array (n,), or a float for one point.
        """
        density = np.exp(self.log_pdf(x))
        return density if np.ndim(density) else float(density)

    def cdf(self, x: ArrayLike) -> Values:
        """In 1-D, the probability of (-infinity, x] for x as in :meth:`pdf`; a ValueError in 2-D."""
        return on_line("cdf", self.dim, x, lambda t: self.curve.cdf(t))

    def quantile(self, u: ArrayLike) -> Values:
        """In 1-D, the x with cdf(x) = u, for probabilities u of any shape; a ValueError in 2-D or outside [0, 1]."""
        return at_levels(self.dim, u, self._quantile)

    def _quantile(self, levels: np.ndarray) -> np.ndarray:
        inside = self.curve.quantile(levels)
        return np.where(levels == 0.0, self._low[0], np.where(levels == 1.0, self._high[0], inside))

    def partial_mean(self, x: ArrayLike) -> Values:
        """In 1-D, the integral of (t - mean) q(t) over (-infinity, x] for x as in :meth:`pdf`; a ValueError in 2-D."""
        return on_line("partial_mean", self.dim, x, lambda t: self.curve.partial_mean(t))

    def sample(self, number: int, seed: int = 0) -> np.ndarray:
        """Independent exact draws (number, dim); equal numbers and seeds give equal draws."""
        random = seeded(number, seed)
        if self._nodes is None:
            return self.quantile(random.random(number))[:, None]
        return draws_in_plane(self._nodes, self.log_pdf, number, random)

    def quadrature_pdf(self, x: np.ndarray) -> np.ndarray:
        """The density of the quadrature's polynomials at points (n, dim), (n,): lower than `pdf` in a missed well."""
        if self._nodes is None:
            return self.curve.pdf(x[:, 0])
        return density_in_plane(self._nodes, x)

    @property
    def curve(self) -> Curve:
        """Distribution function and moments on the line."""
        assert self._curve is not None
        return self._curve

    def _repr_html_(self) -> str:
        facts = {"dim": self.dim, "mean": self.mean, "variance": self.variance, "error": self.error}
        if self.dim != 1:
            return html.card("DensityTarget", facts)
        low, high = self.quantile([0.001, 0.999])
        heights = self.pdf(np.linspace(low, high, 101))
        return html.card("DensityTarget", facts, html.histogram((), heights.tolist()))

    def __repr__(self) -> str:
        moments = f"mean={self.mean}, variance={self.variance}"
        proven = "" if self.missed is None or self.missed >= 1.0 else f", missed<={self.missed:.0e} (proven)"
        return f"DensityTarget(dim={self.dim}, {moments}, residual={self.residual:.1e}{proven})"


def in_shape(values: np.ndarray, shape: tuple[int, ...]) -> Values:
    """Values (n,) in the shape of their points, a float for a single point."""
    return values.reshape(shape) if shape else float(values[0])


def on_line(name: str, dim: int, x: ArrayLike, function: Callable[[np.ndarray], np.ndarray]) -> Values:
    """A function of numbers (n,) at x of any shape that `one_or_many` reads; a ValueError in 2-D has the ``name``."""
    if dim != 1:
        raise ValueError(f"{name} is for one dimension; this target has {dim}")
    points, shape = arguments.one_or_many("x", x, 1)
    return in_shape(function(points[:, 0]), shape)


def at_levels(dim: int, u: ArrayLike, quantile: Callable[[np.ndarray], np.ndarray]) -> Values:
    """The quantiles at probabilities u of any shape; a ValueError in 2-D or outside [0, 1]."""
    if dim != 1:
        raise ValueError(f"quantile is for one dimension; this target has {dim}")
    levels = arguments.array("u", u, "an array of probabilities")
    wrong = levels[~((levels >= 0.0) & (levels <= 1.0))]
    if wrong.size:
        raise ValueError(f"u must be probabilities from 0 to 1, not {wrong.flat[0]:g}")
    return in_shape(quantile(levels.ravel()), levels.shape)


def seeded(number: int, seed: int) -> np.random.Generator:
    """Generator that ``sample`` draws from; a ValueError unless ``number`` is a whole number of at least 1."""
    number = arguments.whole("number", number, 1, arguments.MOST_PARTICLES)
    return np.random.default_rng([arguments.seed(seed), number])


def _box(points: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the smallest box that leaves out a mass of at most OUTSIDE on each side."""
    low, high = np.empty(points.shape[1]), np.empty(points.shape[1])
    for i in range(points.shape[1]):
        order = np.argsort(points[:, i])
        below = np.cumsum(masses[order])
        low[i] = points[order[np.searchsorted(below, OUTSIDE)], i]
        high[i] = points[order[np.searchsorted(below, below[-1] - OUTSIDE)], i]
    return low, high


class AtomicTarget:
    """Point masses at minima, weighted by the share of the initial distribution that flows there (Theorem 5.4.1).

    It is the limit of the flow. The minimiser of the objective differs: it puts all mass on the global minima.

    Attributes
    ----------
    kind : str
        "atoms".
    dim : int
    atoms : array (k, dim)
        Minima that receive mass, in lexicographic order.
    weights : array (k,)
        Their probabilities, which sum to one.
    error : float
        Bound on the error of all weights together (sum of absolute differences).
    mean, variance : float in 1-D, arrays (dim,) otherwise
    residual : float
        Largest norm of the loss's gradient at an atom; zero for atoms at kinks and on the sides of a box.
    """

    kind: Literal["atoms"] = "atoms"

    def __init__(self, atoms: np.ndarray, weights: np.ndarray, error: float, residual: float) -> None:
        order = np.lexsort(atoms.T[::-1])
        self.atoms, self.weights = atoms[order], weights[order] / weights.sum()
        self.dim = atoms.shape[1]
        self.error, self.residual = error, residual
        mean = self.weights @ self.atoms
        variance = self.weights @ (self.atoms - mean) ** 2
        self.mean: Values = float(mean[0]) if self.dim == 1 else mean
        self.variance: Values = float(variance[0]) if self.dim == 1 else variance

    def pdf(self, x: ArrayLike) -> Values:
        """Always a ValueError: atoms have no density."""
        raise ValueError("this target is a sum of point masses and has no density; use atoms and weights")

    def cdf(self, x: ArrayLike) -> Values:
        """In 1-D, the probability of (-infinity, x] for x of shape (n,), (n, 1) or a number; a ValueError otherwise."""
        below = np.minimum(np.concatenate([[0.0], np.cumsum(self.weights)]), 1.0)
        return on_line("cdf", self.dim, x, lambda t: below[np.searchsorted(self.atoms[:, 0], t, side="right")])

    def quantile(self, u: ArrayLike) -> Values:
        """In 1-D, the smallest atom x with cdf(x) >= u, for probabilities u of any shape."""
        return at_levels(self.dim, u, lambda levels: self._places(levels - 1e-14)[:, 0])

    def _places(self, levels: np.ndarray) -> np.ndarray:
        """The first atom (n, dim) up to which the weights add up to each level (n,)."""
        index = np.searchsorted(np.cumsum(self.weights), levels)
        return self.atoms[np.minimum(index, len(self.atoms) - 1)]

    def sample(self, number: int, seed: int = 0) -> np.ndarray:
        """Independent exact draws (number, dim); equal numbers and seeds give equal draws."""
        return self._places(seeded(number, seed).random(number))

    def _repr_html_(self) -> str:
        pairs = zip(self.atoms, self.weights, strict=True)
        facts = {f"weight of {shown(as_written(at))}": float(weight) for at, weight in pairs}
        return html.card("AtomicTarget", {"dim": self.dim, "error": self.error, **facts})

    def __repr__(self) -> str:
        return f"AtomicTarget(dim={self.dim}, atoms={len(self.atoms)}, error={self.error:.1e})"
