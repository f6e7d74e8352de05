"""FD-GVI's local optima: Gaussians N(mean, diag(sd^2)) at which the objective (C.135) has a local minimum."""

from __future__ import annotations

import itertools
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Distribution, Located, Loss, Prior, Start
from particlegvi.methods.flow import potential_slope
from particlegvi.targets.basins.minima import BasinDescent, Landscape, hessian, polish
from particlegvi.targets.basins.survey import survey
from particlegvi.targets.basins.survey_plane import survey_plane
from particlegvi.targets.density import Values, at_levels, in_shape, on_line, seeded
from particlegvi.targets.quadrature.potential import domain_of, gibbs_log_weight, line
from particlegvi.tools import arguments, html
from particlegvi.tools.arguments import as_written
from particlegvi.tools.objects import has_walls
from particlegvi.tools.quoting import shown

REACH = 8.5  # standard deviations that the nodes cover
WIDEST = 60.0  # largest |log variance| of an optimum; beyond it there is none
CHUNK = 1_000_000
LOG_2_PI_E = float(np.log(2.0 * np.pi)) + 1.0
NODES = {1: 200, 2: 48}  # quadrature nodes in each coordinate for the search, by dimension
FINE = {1: 3000, 2: 200}  # nodes in each coordinate for the results
MOST_STARTS = 24


class Objective:
    """(C.135) and its gradient in (mean, log variance), by a tensor trapezoidal rule under the Gaussian.

    For analytic losses it converges geometrically, as Gauss-Hermite does with nodes as dense; unlike that it spends no
    node where the Gaussian is negligible.
    """

    def __init__(self, loss: Loss, prior: Prior, kl_weight: float, number: int) -> None:
        self.loss, self.prior, self.kl_weight = loss, prior, kl_weight
        self.dim = int(loss.dim)
        nodes = np.linspace(-REACH, REACH, number)
        weights = np.exp(-0.5 * nodes**2)
        weights /= weights.sum()
        grids = np.meshgrid(*[nodes] * self.dim, indexing="ij")
        self.z = np.stack([grid.ravel() for grid in grids], axis=1)
        self.weights = np.prod(np.stack(np.meshgrid(*[weights] * self.dim, indexing="ij")), axis=0).ravel()
        keep = self.weights > 1e-18
        self.z, self.weights = self.z[keep], self.weights[keep]

    def landscape(self, scale: float) -> Landscape:
        """The objective as a function to search for optima; ``scale`` is its typical length."""
        none = np.full(self.dim, np.inf)
        edge = np.concatenate([none, np.full(self.dim, WIDEST)])
        return Landscape(self.value, self.gradient, -edge, edge, scale)

    def value(self, nu: Array) -> Array:
        """(C.135) at parameters nu = (mean, log variance), (n, 2 dim): an array (n,)."""

        def part(points: Array) -> Array:
            with np.errstate(all="ignore"):
                return np.asarray(self.loss.value(points)) - self.kl_weight * self.prior.log_density(points)

        means = [part(self._points(some)).reshape(len(some), -1) @ self.weights for some in self._chunks(nu)]
        return np.concatenate(means) - 0.5 * self.kl_weight * np.sum(nu[:, self.dim :] + LOG_2_PI_E, axis=1)

    def gradient(self, nu: Array) -> Array:
        """Its gradient in nu, (n, 2 dim)."""
        return np.concatenate([self._gradient(some) for some in self._chunks(nu)])

    def _chunks(self, nu: Array) -> list[Array]:
        size = max(1, CHUNK // len(self.z))
        return [nu[start : start + size] for start in range(0, len(nu), size)]

    def _points(self, nu: Array) -> Array:
        sd = np.exp(0.5 * nu[:, self.dim :])
        points = np.empty((len(nu), len(self.z), self.dim))
        for i in range(self.dim):  # long inner loops: the last axis has one or two entries
            points[:, :, i] = nu[:, i : i + 1] + sd[:, i : i + 1] * self.z[:, i]
        return points.reshape(-1, self.dim)

    def _gradient(self, nu: Array) -> Array:
        points = self._points(nu)
        slopes = potential_slope(self.loss.gradient, self.prior, self.kl_weight)(points)
        slopes = slopes.reshape(len(nu), -1, self.dim)
        by_mean = np.einsum("nqi,q->ni", slopes, self.weights)
        by_sd = np.einsum("nqi,qi,q->ni", slopes, self.z, self.weights) * np.exp(0.5 * nu[:, self.dim :])
        return np.concatenate([by_mean, 0.5 * by_sd - 0.5 * self.kl_weight], axis=1)


def newton(land: Landscape, at: Array) -> Array:
    """A few Newton steps to the zero of the gradient near a point."""
    for _ in range(6):
        move = np.linalg.solve(hessian(land, at, 1e-5), land.gradient(at[None])[0])
        at = at - move
        if np.max(np.abs(move)) < 1e-12:
            break
    return at


def packed(mean: Array, sd: Array) -> Array:
    """The parameters (mean, log variance) of a Gaussian."""
    return np.concatenate([mean, 2.0 * np.log(sd)])


def starts(loss: Loss, prior: Prior, kl_weight: float, initial: Start | None) -> list[Array]:
    """Narrow and broad Gaussians at the modes of the Gibbs density, and broad ones at the start and the prior."""
    log_weight, domain = gibbs_log_weight(loss, prior, kl_weight), domain_of(prior)
    broad = [(domain.centre, domain.scale)]
    if isinstance(initial, Located):
        broad.append((np.asarray(initial.mean, dtype=np.float64), np.asarray(initial.sd, dtype=np.float64)))
    elif initial is not None and not isinstance(initial, Distribution):
        points = np.asarray(initial, dtype=np.float64).reshape(-1, int(loss.dim))
        broad += [(points.mean(axis=0), np.maximum(points.std(axis=0), 1e-3))]
        broad += [(point, np.ones(int(loss.dim))) for point in points[:3]]
    if len(domain.centre) == 1:
        peaks = survey(line(log_weight), domain).peaks
        at, width, mass = peaks.at[:, None], 0.5 * (peaks.left + peaks.right)[:, None], peaks.log_mass
    else:
        in_plane = survey_plane(log_weight, domain).peaks
        at, width, mass = in_plane.at, in_plane.width, in_plane.log_mass
    order = np.argsort(mass)[::-1]
    narrow = [(at[k], width[k] / np.sqrt(2.0)) for k in order]
    return [packed(np.full(domain.centre.shape, mean), np.full(domain.centre.shape, sd)) for mean, sd in broad + narrow]


class Optimum(NamedTuple):
    """A local optimum: mean (dim,), sd (dim,), and the objective there."""

    mean: np.ndarray
    sd: np.ndarray
    objective: float


class GaussianOptima:
    """The local optima that were found, the best first; density, mean and variance belong to the best.

    A run ends in the optimum whose basin contains its start: see :meth:`basin_of`.

    Attributes
    ----------
    kind : str
        "gaussians".
    dim : int
    optima : list of Optimum
        With ``mean`` (dim,), ``sd`` (dim,) and ``objective``: E_Q[loss] + kl_weight KL(Q, P), where KL under a Flat
        prior is minus the entropy (C.136). Equal objectives are ordered by their means.
    mean, variance : float in 1-D, arrays (dim,) otherwise
    residual : float
        Largest change of an optimum's objective under a finer quadrature.
    """

    kind: Literal["gaussians"] = "gaussians"

    def __init__(self, loss: Loss, prior: Prior, kl_weight: float, initial: Start | None = None) -> None:
        if has_walls(prior.low, prior.high):
            raise ValueError("prior must be Normal or Flat, not bounded, under which every Gaussian has infinite KL")
        self.dim = int(loss.dim)
        self._objective = Objective(loss, prior, kl_weight, NODES[self.dim])
        self._fine = Objective(loss, prior, kl_weight, FINE[self.dim])
        scale = float(np.clip(np.min(domain_of(prior).scale), 1e-3, 1.0))
        self._landscape, self._fine_landscape = self._objective.landscape(scale), self._fine.landscape(scale)
        self._descent: BasinDescent | None = None  # made by the first call of basin_of
        self._minima: list[np.ndarray] = []
        for start in starts(loss, prior, kl_weight, initial)[:MOST_STARTS]:
            self._descend_from(start)
        if self.dim == 2:  # where the loss is nearly separable, so are the optima
            for first, second in list(itertools.product(self._minima[:5], repeat=2)):
                self._descend_from(np.where([True, False, True, False], first, second))
        optima = [self._unpacked(at) for at in self._minima]
        self.optima = sorted(optima, key=lambda optimum: (round(optimum.objective, 8), optimum.mean.round(6).tolist()))
        if not self.optima:
            raise ValueError("the objective of FD-GVI has no local optimum: the sd of its Gaussian grows without bound")
        mean, sd = self.optima[0].mean, self.optima[0].sd
        self.mean: Values = float(mean[0]) if self.dim == 1 else mean
        self.variance: Values = float(sd[0] ** 2) if self.dim == 1 else sd**2
        finer = Objective(loss, prior, kl_weight, 3 * FINE[self.dim] // 2)
        again = finer.value(np.array([packed(optimum.mean, optimum.sd) for optimum in self.optima]))
        self.residual = float(np.max(np.abs(again - [optimum.objective for optimum in self.optima])))

    def pdf(self, x: ArrayLike) -> Values:
        """Density of the best optimum for x of shape (n, dim), in 1-D also (n,) or a number."""
        points, shape = arguments.one_or_many("x", x, self.dim)
        best = self.optima[0]
        exponent = -0.5 * np.sum(((points - best.mean) / best.sd) ** 2 + np.log(2.0 * np.pi * best.sd**2), axis=1)
        return in_shape(np.exp(exponent), shape)

    def cdf(self, x: ArrayLike) -> Values:
        """In 1-D, the best optimum's probability of (-infinity, x]; a ValueError otherwise."""
        from scipy.special import ndtr

        best = self.optima[0]
        return on_line("cdf", self.dim, x, lambda t: ndtr((t - best.mean[0]) / best.sd[0]))

    def quantile(self, u: ArrayLike) -> Values:
        """In 1-D, the x with cdf(x) = u; a ValueError otherwise."""
        from scipy.special import ndtri

        best = self.optima[0]
        return at_levels(self.dim, u, lambda levels: best.mean[0] + best.sd[0] * ndtri(levels))

    def partial_mean(self, x: ArrayLike) -> Values:
        """In 1-D, the integral of (t - mean) q(t) over (-infinity, x] under the best optimum, else a ValueError."""
        variance = self.optima[0].sd[0] ** 2
        return on_line("partial_mean", self.dim, x, lambda t: -variance * self.pdf(t))

    def sample(self, number: int, seed: int = 0) -> np.ndarray:
        """Independent draws (number, dim) from the best optimum; equal numbers and seeds give equal draws."""
        best = self.optima[0]
        return best.mean + best.sd * seeded(number, seed).standard_normal((number, self.dim))

    def basin_of(self, mean: ArrayLike, sd: ArrayLike = 1.0) -> int | None:
        """Index in ``optima`` of the limit of the gradient flow of (mean, log variance) from a start.

        None if the limit is no optimum but a saddle, as for a start on a line of symmetry, or if an optimum is not
        isolated. If the limit is an optimum
        that is not in ``optima`` yet, it is appended there.

        Parameters
        ----------
        mean, sd : floats or arrays (dim,)
        """
        centre, spread = np.full(self.dim, mean, dtype=np.float64), np.full(self.dim, sd, dtype=np.float64)
        if not np.all(spread > 0.0):
            raise ValueError(f"sd must be positive numbers, not {sd!r}")
        if self._descent is None:
            descent = BasinDescent(self._landscape)
            try:
                for at in self._minima:
                    descent.add(at)
            except ValueError:  # an optimum is flat to rounding: nobody can tell which starts flow to it
                return None
            self._descent = descent
        label = int(self._descent.labels(packed(centre, spread)[None])[0])
        if label < 0:
            return None
        end = self._unpacked(self._descent.traps[label].at)
        away = [np.max(np.abs([optimum.mean - end.mean, optimum.sd - end.sd]) / end.sd) for optimum in self.optima]
        nearest = int(np.argmin(away))
        if away[nearest] > 1e-3:
            self.optima.append(end)
            return len(self.optima) - 1
        return nearest

    def _descend_from(self, start: np.ndarray) -> None:
        minimum = polish(self._landscape, start)
        if minimum is None or np.any(np.abs(minimum[self.dim :]) > 0.99 * WIDEST):
            return
        if any(np.max(np.abs(minimum - known)) < 1e-5 for known in self._minima):
            return
        if np.linalg.eigvalsh(hessian(self._landscape, minimum, 1e-4 * self._landscape.scale))[0] > 0.0:
            self._minima.append(minimum)

    def _unpacked(self, at: np.ndarray) -> Optimum:
        at = newton(self._fine_landscape, at)
        return Optimum(at[: self.dim].copy(), np.exp(0.5 * at[self.dim :]), float(self._fine.value(at[None])[0]))

    def _repr_html_(self) -> str:
        facts = {
            f"optimum {number + 1}": f"mean {shown(as_written(optimum.mean))}, sd {shown(as_written(optimum.sd))}, "
            f"objective {optimum.objective:.6g}"
            for number, optimum in enumerate(self.optima)
        }
        return html.card("GaussianOptima", {"dim": self.dim, **facts, "residual": self.residual})

    def __repr__(self) -> str:
        return f"GaussianOptima(dim={self.dim}, optima={len(self.optima)}, mean={self.mean}, variance={self.variance})"
