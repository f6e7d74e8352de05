"""Mean embeddings as weighted sums over points: Monte Carlo draws, or nodes of a quadrature rule."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel, Located, Placed, Prior
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.terms.evaluate import profile_values, squared_distances
from particlegvi.priors.stretched import Stretch, above_drop
from particlegvi.priors.stretched import rule as stretched_rule

NODES = 8  # Gauss-Legendre nodes in each panel
PANELS = {1: (8, 16, 32, 64, 128, 256, 512), 2: (4, 8, 12)}  # tried in turn, in each coordinate, by dimension
OWN_PANELS = {1: (2, 4, 8, 16, 32, 64, 128, 256), 2: (1, 2, 3, 4, 6)}  # panels of a `Discretised` on each side
FARTHEST = 300.0  # in stretched coordinates: 1e130 scales away
LOST = 1e-11  # mass beyond the nodes that is rounding, or beyond `REACH` standard deviations of a normal distribution
NEGLIGIBLE = 1e-15  # nodes whose weight is below this share of the largest are left out
RELATIVE_TOLERANCE = 1e-9
IN_THE_PLANE = 1e-6  # for a `Discretised`: each digit more doubles the nodes
WORST = 1e-2
REACH = 7.5  # standard deviations; a normal distribution leaves 6e-14 outside
PROBES = 64
GOLDEN = (0.7548776662466927, 0.5698402909980532)  # additive recurrence of low discrepancy in two dimensions


@runtime_checkable
class Discretised(Protocol):
    """An optional part of a `Prior`: nodes of its own, which suit it better than the nodes of a box."""

    @property
    def window(self) -> tuple[Array, Array]: ...  # the corners of a box that holds all but a negligible share
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
    r2 = ((at[:PROBES, None] - at) ** 2).sum(axis=2)
    spread = np.frompyfunc(kernel.value, 1, 1)(r2).astype(float).std(axis=1, ddof=1 if samples > 1 else 0)
    error = float(spread.max()) / math.sqrt(samples) if samples > 1 else float(kernel.value(0.0))
    return WeightedPoints(np.ascontiguousarray(at), np.full(samples, 1.0 / samples), kernel), error


def quadrature(prior: Prior, kernel: Kernel) -> tuple[WeightedPoints, float]:
    """Composite Gauss-Legendre in one or two dimensions, refined until two rules agree, and a bound on its error.

    The bound is the difference of the rules and the mass beyond them. Where a box would leave out more than rounding,
    as under a prior with heavy tails, the coordinates are stretched. A ValueError if the finest rule cannot resolve the
    kernel: the prior is too wide for its lengthscale.
    """
    tolerance, counts = RELATIVE_TOLERANCE, PANELS[prior.dim]
    if isinstance(prior, Discretised):
        (low, high), rule, counts = prior.window, prior.rule, OWN_PANELS[prior.dim]
        tolerance = IN_THE_PLANE if prior.dim == 2 else tolerance
    else:
        low, high = prior.low, prior.high
        if isinstance(prior, Located):
            low = np.where(np.isfinite(low), low, prior.mean - REACH * prior.sd)
            high = np.where(np.isfinite(high), high, prior.mean + REACH * prior.sd)
        rule = partial(_in_a_box, prior, low, high)
        if not np.all(np.isfinite(high - low)) or abs(1.0 - rule(counts[-1], NODES)[1].sum()) > LOST:
            stretches = _stretches(prior)
            low, high = np.array([stretch.at(np.array([stretch.low, stretch.high])) for stretch in stretches]).T
            rule = partial(_stretched, prior, stretches)
    probes = low + (high - low) * (np.outer(np.arange(1, PROBES + 1), GOLDEN[: prior.dim]) % 1.0)
    before: WeightedPoints | None = None
    for panels in counts:
        at, weights = rule(panels, NODES)
        kept = weights > NEGLIGIBLE * weights.max()
        term = WeightedPoints(np.ascontiguousarray(at[kept]), weights[kept], kernel)
        if before is not None:
            # The nodes are probes as well: a rule too coarse for the kernel shows a spike at each.
            at = np.concatenate([probes, term.points[:: max(1, len(term.points) // PROBES)], before.points[:PROBES]])
            fine = profile_values(kernel, squared_distances(at, term.points)) @ term.weights
            coarse = profile_values(kernel, squared_distances(at, before.points)) @ before.weights
            error = float(np.abs(fine - coarse).max())
            if error <= tolerance * fine.max():
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


def _in_a_box(prior: Prior, low: Array, high: Array, panels: int, number: int) -> tuple[Array, Array]:
    nodes, shares = np.polynomial.legendre.leggauss(number)
    unit = (np.arange(panels)[:, None] + 0.5 * (nodes + 1.0)).reshape(-1) / panels
    share = np.tile(0.5 * shares, panels) / panels
    axes = [a + (b - a) * unit for a, b in zip(low, high, strict=True)]
    at = np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    weights = share if len(axes) == 1 else np.outer(share, share).reshape(-1)
    return at, weights * np.exp(prior.log_density(at) + np.sum(np.log(high - low)))


def _stretched(prior: Prior, stretches: list[Stretch], panels: int, number: int) -> tuple[Array, Array]:
    at, log_weights = stretched_rule(stretches, panels, number)
    return at, np.exp(prior.log_density(at) + log_weights)


def _stretches(prior: Prior) -> list[Stretch]:
    """Stretches x = centre + scale sinh(t) of the coordinates; t ends where the density along one is negligible."""
    if isinstance(prior, Placed):
        where = prior.location, prior.scale
    else:
        assert isinstance(prior, Located)
        where = prior.mean, prior.sd
    found = []
    for i, (centre, scale) in enumerate(zip(*(part.tolist() for part in where), strict=True)):
        stretch, t = Stretch(centre, scale, 0.0, 0.0, False), np.linspace(-FARTHEST, FARTHEST, 4001)
        at = np.tile(where[0], (len(t), 1))
        at[:, i] = stretch.at(t)
        level = prior.log_density(np.clip(at, prior.low, prior.high)) + stretch.log_slope(t)
        kept = t[above_drop(level) & (at[:, i] >= prior.low[i]) & (at[:, i] <= prior.high[i])]
        found.append(stretch._replace(low=float(kept[0]), high=float(kept[-1])))
    return found


def on_the_line(term: WeightedPoints, x: Array) -> tuple[Array, Array]:
    """Values and derivatives at points of the line (n,), (n, 1) each."""
    values, slopes = np.empty((len(x), 1)), np.empty((len(x), 1))
    _on_the_line.for_terms(term.kernel)(term.kernel, term.points[:, 0].copy(), term.weights, x, values, slopes)
    return values, slopes


@compiled
def _on_the_line(kernel: Kernel, centres: Array, weights: Array, x: Array, values: Array, slopes: Array) -> None:
    for j in range(x.size):
        value = 0.0
        slope = 0.0
        for m in range(weights.size):
            gap = x[j] - centres[m]
            value += weights[m] * kernel.value(gap * gap)
            slope += 2.0 * weights[m] * kernel.slope(gap * gap) * gap
        values[j, 0] = value
        slopes[j, 0] = slope
