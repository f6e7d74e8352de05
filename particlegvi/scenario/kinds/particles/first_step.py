"""The step size of a scenario that gives none, from the loss, the prior and the weights where the particles start.

It is a twentieth of the stability limit 2 / (largest curvature of loss - kl_weight log p, and of the repulsion). On a
quadratic the stationary variance is then 5% too large. Where the loss is much steeper at a wall, steps grow from such a
twentieth at the steepest start to that of the starts near the law: -log x or 1/x drives a particle away from the wall
in about the time of its own limit, so that each step is stable. Steps of "aldi", which the ensemble scales, end at
about this bias too, and grow to it where the start is wider than the law. The numbers are computed without compiled
losses, from points that do not depend on the seed, and rounded coarsely: they are equal on every machine and in every
process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from particlegvi.contracts import Array, Located, Loss, Method, Prior, Start
from particlegvi.integrators.aldi import rate
from particlegvi.integrators.schedules import Geometric, Schedule
from particlegvi.losses.formulas.values import PlainFormula
from particlegvi.methods.flow import potential_slope
from particlegvi.simulation.stability import second_derivatives, where_the_law_is

STARTS = 64
DIGITS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # leading digits of a chosen number
MEDIAN = 0.95  # median distance of two draws from a normal distribution, in its standard deviations
WIDTH = 1e-3  # step of a difference, relative to the size of the points: a kink counts as a bend of this width
SAFETY = 20.0  # stability limit divided by the step size
SHARE = 0.1  # by which a particle moves in a step of "aldi" where its law is: a variance that is 5.6% too large
MUCH_STEEPER = 10.0  # at a wall than where the law is: the first steps are then smaller than the others
GROWTH = 1.1  # from step to step, from a start that is wide or close to a wall


def step_size(
    loss: Loss, prior: Prior, initial: Start | None, methods: Iterable[Method], integrator: str = ""
) -> float | Schedule:
    """A step size far inside the stability limit of every method; 0.1 where there is no limit.

    An ``initial`` of None is the prior.
    """
    points = starts(prior if initial is None else initial)
    if integrator == "aldi":
        return scaled_steps(loss, prior, points, list(methods))
    methods, (value, _) = list(methods), plain(loss)
    everywhere = min(limit_of_euler(loss, prior, points, method) for method in methods)
    usual = [where_the_law_is(points, value, prior, float(method.kl_weight)) for method in methods]
    limit = min(limit_of_euler(loss, prior, part, method) for part, method in zip(usual, methods, strict=True))
    if limit > MUCH_STEEPER * everywhere and all(method.schedules for method in methods):
        last = rounded(limit / SAFETY) if math.isfinite(limit) else 0.1
        return growing(min(rounded(everywhere / SAFETY), last), last)
    return rounded(everywhere / SAFETY) if math.isfinite(everywhere) else 0.1


def scaled_steps(loss: Loss, prior: Prior, points: Array, methods: list[Method]) -> float | Schedule:
    """The step size of "aldi": that of a normal law of its width, `SHARE` / rate, or a schedule that grows to it.

    At a start that is wider than the law the rate is larger; it falls by a fifth in a step of such a size.
    """
    gaps = (points - points.mean(axis=0)) / np.sqrt(len(points))
    root = np.transpose(np.linalg.qr(gaps, mode="r"))
    width, sizes = float((root**2).sum()), []
    for method in methods:
        slopes = potential_slope(plain(loss)[1], prior, float(method.kl_weight))(points)
        fastest, pushed = rate(root, slopes[np.isfinite(slopes).all(axis=1)]), width * repulsion(method, prior)
        usual = float(method.kl_weight) + pushed
        sizes.append((SHARE / max(fastest + pushed, usual), SHARE / usual))
    first, last = (rounded(min(size)) for size in zip(*sizes, strict=True))
    return growing(first, last)


def growing(first: float, last: float) -> float | Schedule:
    """The last step size, or a schedule that grows to it from a smaller first one."""
    return last if first >= last else Geometric(first, last, math.ceil(math.log(last / first) / math.log(GROWTH)))


def limit_of_euler(loss: Loss, prior: Prior, points: Array, method: Method) -> float:
    """2 / (largest curvature at the points and of the repulsion); infinite if no curvature is positive."""
    width = WIDTH * min(1.0 + float(np.abs(points).max()), 10.0)
    slope = potential_slope(plain(loss)[1], prior, float(method.kl_weight))
    blocks = second_derivatives(slope, points, width, prior, points.shape[1])
    blocks = blocks[np.isfinite(blocks).all(axis=(1, 2))]
    own = np.linalg.eigvalsh(blocks)[:, -1].max() if len(blocks) else 0.0
    steepest = max(0.0, float(own) + repulsion(method, prior))
    return 2.0 / steepest if steepest > 0.0 else math.inf


def repulsion(method: Method, prior: Prior) -> float:
    """The largest slope of the force between a particle and all others, lambda1 variance / lengthscale^2."""
    if method.mmd_weight == 0.0:
        return 0.0
    usual = MEDIAN * float(np.min(prior.sd)) if isinstance(prior, Located) else 1.0
    lengthscale = usual if method.kernel is None else method.kernel.lengthscale
    variance = 1.0 if method.kernel is None else float(method.kernel.variance)
    return 2.0 * method.mmd_weight * variance / (usual if isinstance(lengthscale, str) else lengthscale) ** 2


def plain(loss: Loss) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Values (n,) and gradients (n, dim) at points (n, dim), without compiled code."""
    formula, variables, term = vars(loss).get("formula"), vars(loss).get("variables"), loss.term
    if formula is not None and variables is not None:
        typed = PlainFormula(formula, variables)
        return typed.values_at, typed.gradients_at
    if term is None:
        return loss.value, loss.gradient

    def gradient(points: Array) -> Array:
        out = np.empty_like(points)
        for x, slope in zip(points, out, strict=True):
            term.gradient(x, slope)
        return out

    return lambda points: np.array([term.value(x) for x in points]), gradient


def starts(start: Prior | Array) -> Array:
    """At most 64 points of the start: the first given ones, or draws that do not depend on the seed of a run."""
    return np.ascontiguousarray(start[:STARTS]) if isinstance(start, np.ndarray) else start.sample(STARTS)


def rounded(number: float) -> float:
    """Round to the nearest number (in ratio) with a leading digit of `DIGITS`: 0.014 becomes 0.015."""
    choices = [digit * 10.0 ** math.floor(math.log10(number)) for digit in DIGITS]
    return float(f"{min(choices, key=lambda choice: abs(math.log(choice / number))):.3g}")
