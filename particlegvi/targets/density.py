"""A target with a density, in one or two dimensions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.targets.quadrature.nodes import Nodes
from particlegvi.targets.quadrature.panels import Curve
from particlegvi.targets.quadrature.potential import LogWeight
from particlegvi.tools import arguments, html

OUTSIDE = 1e-12  # mass that ``support`` leaves out on either side
Values = Any  # a float where one number is asked for or the target is on the line, else an array


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
        well with more of the mass is missed. None where nothing is proven.
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
        low: np.ndarray,
        high: np.ndarray,
        residual: float,
        error: float,
        *,
        log_normaliser: float,
        resolution: float,
        missed: float | None = None,
    ) -> None:
        self.dim = nodes.points.shape[1]
        self.resolution, self.missed = resolution, missed
        self.residual, self.error, self.log_normaliser = residual, error, log_normaliser
        self._log_density = log_density
        self._low, self._high = low, high
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
        points, shape = as_points(x, self.dim)
        result = np.full(len(points), -np.inf)
        inside = np.all((points >= self._low) & (points <= self._high), axis=1)
        if np.any(inside):
            result[inside] = self._log_density(np.ascontiguousarray(points[inside]))
        return result.reshape(shape) if shape else float(result[0])

    def pdf(self, x: ArrayLike) -> Values:
        """Density at points x.

        Parameters
        ----------
        x : array (n, dim), or in 1-D of shape (n,) or a number, or in 2-D one point (2,)

        Returns
        -------
        array (n,), or a float for one point
        """
        density = np.exp(self.log_pdf(x))
        return density if np.ndim(density) else float(density)

    def cdf(self, x: ArrayLike) -> Values:
        """In 1-D, the probability of (-infinity, x] for x as in :meth:`pdf`; a ValueError in 2-D."""
        curve = self.curve("cdf")
        points, shape = as_points(x, self.dim)
        result = curve.cdf(points[:, 0])
        return result.reshape(shape) if shape else float(result[0])

    def quantile(self, u: ArrayLike) -> Values:
        """In 1-D, the x with cdf(x) = u, for probabilities u of any shape; a ValueError in 2-D or outside [0, 1]."""
        curve = self.curve("quantile")
        levels = arguments.array("u", u, "an array of probabilities")
        if not np.all((levels >= 0.0) & (levels <= 1.0)):
            wrong = levels[~((levels >= 0.0) & (levels <= 1.0))].flat[0]
            raise ValueError(f"u must be probabilities from 0 to 1, not {wrong:g}")
        result = curve.quantile(levels.ravel())
        result[levels.ravel() == 0.0] = self._low[0]
        result[levels.ravel() == 1.0] = self._high[0]
        return result.reshape(levels.shape) if levels.ndim else float(result[0])

    def partial_mean(self, x: ArrayLike) -> Values:
        """In 1-D, the integral of (t - mean) q(t) over (-infinity, x] for x as in :meth:`pdf`; a ValueError in 2-D."""
        curve = self.curve("partial_mean")
        points, shape = as_points(x, self.dim)
        result = curve.partial_mean(points[:, 0])
        return result.reshape(shape) if shape else float(result[0])

    def sample(self, number: int, seed: int = 0) -> np.ndarray:
        """Independent exact draws (number, dim); equal numbers and seeds give equal draws."""
        random = seeded(number, seed)
        if self._nodes is None:
            return self.quantile(random.random(number))[:, None]
        from particlegvi.targets.quadrature.nodes import draws_in_plane

        return draws_in_plane(self._nodes, self.log_pdf, number, random)

    def quadrature_pdf(self, x: np.ndarray) -> np.ndarray:
        """The density of the quadrature's polynomials at points (n, dim), (n,): lower than `pdf` in a missed well."""
        if self._nodes is None:
            return self.curve("quadrature_pdf").pdf(x[:, 0])
        from particlegvi.targets.quadrature.nodes import density_in_plane

        return density_in_plane(self._nodes, x)

    def curve(self, what: str) -> Curve:
        """Distribution function and moments on the line; a ValueError that names ``what`` in 2-D."""
        if self._curve is None:
            raise ValueError(f"{what} is for one dimension; this target has {self.dim}")
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
        proven = "" if self.missed is None else f", missed<={self.missed:.0e} (proven)"
        return f"DensityTarget(dim={self.dim}, {moments}, residual={self.residual:.1e}{proven})"


def as_points(x: ArrayLike, dim: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """Points (n, dim), and the shape of the values at them: () for a single point."""
    given = arguments.array("x", x, f"an array (n, {dim})" + (" or (n,)" if dim == 1 else ""))
    if dim == 1 and given.ndim < 2:
        return given.reshape(-1, 1), given.shape
    if given.ndim == 1 and given.shape == (dim,):
        return given.reshape(1, dim), ()
    if given.ndim != 2 or given.shape[1] != dim:
        raise arguments.shaped("x", given, f"an array (n, {dim}){' or (n,)' * (dim == 1)} of numbers")
    return given, (len(given),)


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
