"""Mean embeddings as weighted sums over points: Monte Carlo draws, or nodes of a quadrature rule."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel, Prior
from particlegvi.engine.terms.evaluate import profile_values, squared_distances
from particlegvi.priors.sinh_quadrature import Stretch, fit_stretches, rule

NODES = 8  # Gauss-Legendre nodes in each panel
PANELS = {1: (2, 4, 8, 16, 32, 64, 128, 256, 512), 2: (1, 2, 3, 4, 6)}  # on each side of the centre, by dimension
TOLERANCE = {1: 1e-9, 2: 1e-7}  # in the plane each digit more doubles the nodes
NEGLIGIBLE = 1e-15  # nodes whose weight is below this share of the largest are left out
LOST = 1e-11  # mass beyond the nodes that is rounding
WORST = 1e-2
PROBES = 64
GOLDEN = (0.7548776662466927, 0.5698402909980532)  # additive recurrence of low discrepancy in two dimensions


@runtime_checkable
class Stretched(Protocol):
    """An optional part of a `Prior`: the coordinates in which its density is smooth."""

    @property
    def stretches(self) -> list[Stretch]: ...


class WeightedPoints(NamedTuple):
    """``x -> sum_m weights_m kappa(x, points_m)``."""

    points: Array  # (number, dim)
    weights: Array  # (number,)
    kernel: Kernel

    def value(self, x: Array) -> float:
        total = 0.0
        for m in range(self.weights.shape[0]):
            r2 = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.points[m, i]
                r2 += gap * gap
            total += self.weights[m] * self.kernel.value(r2)
        return total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = 0.0
        for m in range(self.weights.shape[0]):
            r2 = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.points[m, i]
                r2 += gap * gap
            pull = 2.0 * self.weights[m] * self.kernel.slope(r2)
            for i in range(x.shape[0]):
                out[i] += pull * (x[i] - self.points[m, i])

    def gradients(self, points: Array, out: Array) -> None:
        if points.shape[0] > 1:
            for lane in range(points.shape[1]):
                self.gradient(points[:, lane], out[:, lane])
            return
        # On the line the lanes are the inner loop, which the compiler turns into vector instructions.
        for lane in range(points.shape[1]):
            out[0, lane] = 0.0
        for m in range(self.weights.shape[0]):
            centre = self.points[m, 0]
            weight = 2.0 * self.weights[m]
            for lane in range(points.shape[1]):
                gap = points[0, lane] - centre
                out[0, lane] += weight * self.kernel.slope(gap * gap) * gap


def monte_carlo(prior: Prior, kernel: Kernel, samples: int, seed: int) -> tuple[WeightedPoints, float]:
    """The mean over prior samples that stay as they are (thesis, C.125), and its standard error."""
    draws = prior.sample(samples, seed=seed, role="prior")
    term = WeightedPoints(np.ascontiguousarray(draws), np.full(samples, 1.0 / samples), kernel)
    return term, standard_error(kernel, draws)


def standard_error(kernel: Kernel, draws: Array) -> float:
    """The standard error of the mean of the kernel over draws (n, dim) at some of them, the largest."""
    if len(draws) < 2:
        return float(kernel.value(0.0))
    levels = profile_values(kernel, squared_distances(draws[:PROBES], draws))
    return float(levels.std(axis=1, ddof=1).max()) / math.sqrt(len(draws))


def quadrature(prior: Prior, kernel: Kernel) -> tuple[WeightedPoints, float]:
    """Composite Gauss-Legendre in one or two dimensions, refined until two rules agree, and a bound on its error.

    The coordinates are stretched to the tails of the prior. The bound is the difference of the rules and the mass
    beyond them. A ValueError if the finest rule cannot resolve the kernel: the prior is too wide for its lengthscale.
    """
    known = prior.stretches if isinstance(prior, Stretched) else None
    stretches = known or fit_stretches(prior.log_density, prior.low, prior.high)
    ends = np.array([stretch.at(np.array([stretch.low, stretch.high])) for stretch in stretches])
    spread = np.outer(np.arange(1, PROBES + 1), GOLDEN[: prior.dim]) % 1.0
    probes = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * spread
    before: WeightedPoints | None = None
    for panels in PANELS[prior.dim]:
        points, log_weights = rule(stretches, panels, NODES)
        weights = np.exp(prior.log_density(points) + log_weights)
        kept = weights > NEGLIGIBLE * weights.max()
        term = WeightedPoints(np.ascontiguousarray(points[kept]), weights[kept], kernel)
        if before is not None:
            # The nodes are probes as well: a rule too coarse for the kernel shows a spike at each.
            at = np.concatenate([probes, term.points[:: max(1, len(term.points) // PROBES)], before.points[:PROBES]])
            fine = profile_values(kernel, squared_distances(at, term.points)) @ term.weights
            coarse = profile_values(kernel, squared_distances(at, before.points)) @ before.weights
            error = float(np.abs(fine - coarse).max())
            if error <= TOLERANCE[prior.dim] * fine.max():
                break
        before = term
    else:
        if error > WORST * fine.max():
            raise ValueError(
                'embedding must be "monte-carlo", or the lengthscale larger, not by quadrature, whose '
                f"{len(term.points)} nodes cannot resolve {kernel!r} under {prior!r}"
            )
    beyond = abs(1.0 - float(term.weights.sum()))
    return term, error + (beyond * float(kernel.value(0.0)) if beyond > LOST else 0.0)
