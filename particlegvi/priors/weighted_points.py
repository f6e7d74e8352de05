"""Mean embeddings as weighted sums over points: Monte Carlo draws, or nodes of a quadrature rule."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel, Located, Prior

NODES = 8  # Gauss-Legendre nodes in each panel
PANELS = {1: (8, 16, 32, 64, 128, 256, 512), 2: (4, 8, 12)}  # tried in turn, in each coordinate, by dimension
OWN_PANELS = {1: (2, 4, 8, 16, 32, 64, 128, 256), 2: (1, 2, 3, 4, 6)}  # for a `Discretised`, on either side
NEGLIGIBLE = 1e-15  # of the largest weight: such nodes are left out
RELATIVE_TOLERANCE = 1e-9
IN_THE_PLANE = 1e-6  # for a `Discretised`: each digit more doubles the work of every step
WORST = 1e-2
REACH = 7.5  # standard deviations; a normal distribution leaves 6e-14 outside
PROBES = 64
GOLDEN = (0.7548776662466927, 0.5698402909980532)  # additive recurrence of low discrepancy in two dimensions


@runtime_checkable
class Discretised(Protocol):
    """An optional part of a `Prior`: nodes of its own, which suit it better than the nodes of a box."""
    @property
    def window(self) -> tuple[Array, Array]: ...  # the corners of a box that holds all but a negligible share
    @property
    def remembered(self) -> dict[str, tuple[WeightedPoints, float]]: ...  # embeddings found before, by their kernel
    def rule(self, panels: int, nodes: int, /) -> tuple[Array, Array]: ...  # points (n, dim), and weights that add to 1


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
    """The mean over prior samples that stay as they are (thesis, C.125), and its standard error.

    The standard error is estimated at 64 of the samples, and the largest is taken.
    """
    at = prior.sample(samples, seed=seed, role="prior")
    spread = profile(kernel, at[:PROBES], at).std(axis=1, ddof=1 if samples > 1 else 0)
    error = float(spread.max()) / math.sqrt(samples) if samples > 1 else float(kernel.value(0.0))
    return WeightedPoints(np.ascontiguousarray(at), np.full(samples, 1.0 / samples), kernel), error


def quadrature(prior: Prior, kernel: Kernel) -> tuple[WeightedPoints, float]:
    """Composite Gauss-Legendre in one or two dimensions, refined until two rules agree, and their difference.

    Raises
    ------
    ValueError
        If the finest rule cannot resolve the kernel: the prior is too wide for its lengthscale.
    """
    if not isinstance(prior, Discretised):
        return _searched(prior, kernel)
    if repr(kernel) not in prior.remembered:  # finding it takes seconds in the plane, and many ask for it
        prior.remembered[repr(kernel)] = _searched(prior, kernel)
    return prior.remembered[repr(kernel)]


def _searched(prior: Prior, kernel: Kernel) -> tuple[WeightedPoints, float]:
    low, high = prior.low, prior.high
    if isinstance(prior, Discretised):
        low, high = prior.window
    elif isinstance(prior, Located):
        low = np.where(np.isfinite(low), low, prior.mean - REACH * prior.sd)
        high = np.where(np.isfinite(high), high, prior.mean + REACH * prior.sd)
    probes = low + (high - low) * (np.outer(np.arange(1, PROBES + 1), GOLDEN[: prior.dim]) % 1.0)
    tolerance = IN_THE_PLANE if prior.dim == 2 and isinstance(prior, Discretised) else RELATIVE_TOLERANCE
    before: WeightedPoints | None = None
    for panels in (OWN_PANELS if isinstance(prior, Discretised) else PANELS)[prior.dim]:
        rule = _rule(prior, kernel, low, high, panels)
        if before is not None:
            # The nodes are probes as well: a rule too coarse for the kernel shows a spike at each.
            at = np.concatenate([probes, rule.points[:: max(1, len(rule.points) // PROBES)], before.points[:PROBES]])
            fine = profile(kernel, at, rule.points) @ rule.weights
            error = float(np.abs(fine - profile(kernel, at, before.points) @ before.weights).max())
            if error <= tolerance * fine.max():
                return rule, error
        before = rule
    if error > WORST * fine.max():
        raise ValueError(
            'embedding must be "monte-carlo", or the lengthscale larger, not by quadrature, whose '
            f"{len(rule.points)} nodes cannot resolve {kernel!r} under {prior!r}"
        )
    return rule, error


def _rule(prior: Prior, kernel: Kernel, low: Array, high: Array, panels: int) -> WeightedPoints:
    if isinstance(prior, Discretised):
        at, weights = prior.rule(panels, NODES)
        kept = weights > NEGLIGIBLE * weights.max()
        return WeightedPoints(np.ascontiguousarray(at[kept]), weights[kept], kernel)
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    unit = (np.arange(panels)[:, None] + 0.5 * (nodes + 1.0)).reshape(-1) / panels
    share = np.tile(0.5 * shares, panels) / panels
    axes = [a + (b - a) * unit for a, b in zip(low, high, strict=True)]
    at = np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    weights = share if len(axes) == 1 else np.outer(share, share).reshape(-1)
    weights = weights * np.exp(prior.log_density(at) + np.sum(np.log(high - low)))
    return WeightedPoints(np.ascontiguousarray(at), weights, kernel)


def profile(kernel: Kernel, first: Array, second: Array) -> Array:
    """kappa(a, b) for every a of ``first`` (n, dim) and b of ``second`` (m, dim), shape (n, m), in plain Python."""
    r2 = sum((first[:, None, i] - second[None, :, i]) ** 2 for i in range(first.shape[1]))
    return np.asarray(np.frompyfunc(kernel.value, 1, 1)(r2), dtype=np.float64)
