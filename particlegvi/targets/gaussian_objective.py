"""FD-GVI's objective (C.135) by quadrature, and where to look for its local optima."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Distribution, Located, Loss, Prior, Start
from particlegvi.targets.basins.minima import Landscape, hessian
from particlegvi.targets.basins.survey import survey
from particlegvi.targets.basins.survey_plane import survey_plane
from particlegvi.targets.quadrature.potential import gibbs_log_weight, line, place_of

REACH = 8.5  # standard deviations that the nodes cover
WIDEST = 60.0  # largest |log variance| of an optimum; beyond it there is none
CHUNK = 1_000_000
LOG_2_PI_E = float(np.log(2.0 * np.pi)) + 1.0


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

        means = np.concatenate([self._expect(part, some) for some in self._chunks(nu)])
        return means - 0.5 * self.kl_weight * np.sum(nu[:, self.dim :] + LOG_2_PI_E, axis=1)

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

    def _expect(self, function: Callable[[Array], Array], nu: Array) -> Array:
        return function(self._points(nu)).reshape(len(nu), -1) @ self.weights

    def _gradient(self, nu: Array) -> Array:
        points = self._points(nu)
        with np.errstate(all="ignore"):
            slopes = np.asarray(self.loss.gradient(points)) - self.kl_weight * self.prior.gradient(points)
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
    log_weight, place = gibbs_log_weight(loss, prior, kl_weight), place_of(prior)
    broad = [(place.centre, place.scale)]
    if isinstance(initial, Located):
        broad.append((np.asarray(initial.mean, dtype=np.float64), np.asarray(initial.sd, dtype=np.float64)))
    elif initial is not None and not isinstance(initial, Distribution):
        points = np.asarray(initial, dtype=np.float64).reshape(-1, int(loss.dim))
        broad += [(points.mean(axis=0), np.maximum(points.std(axis=0), 1e-3))]
        broad += [(point, np.ones(int(loss.dim))) for point in points[:3]]
    if len(place.centre) == 1:
        found = survey(line(log_weight), place).peaks
        at, width = found.at[:, None], 0.5 * (found.left + found.right)[:, None]
        order = np.argsort(found.log_mass)[::-1]
    else:
        peaks = survey_plane(log_weight, place).peaks
        at, width = peaks.at, peaks.width
        order = np.argsort(peaks.log_mass)[::-1]
    narrow = [(at[k], width[k] / np.sqrt(2.0)) for k in order]
    return [packed(np.full(place.centre.shape, mean), np.full(place.centre.shape, sd)) for mean, sd in broad + narrow]
