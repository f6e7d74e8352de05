"""Tries parts of a user's own classes where they come in: kernels, priors, losses and likelihoods."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel, Likelihood, Loss, Prior
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.numerics.user_code import frozen
from particlegvi.engine.terms.trial import Slopes, Values, agree, checked, each, try_batches, try_term
from particlegvi.tools.arguments import real, refuse

FRACTIONS = np.array([0.04, 0.3, 1.0, 2.5, 7.0])  # of the squared lengthscale, at which a kernel is tried
TRIED = 7  # points
VALUES = np.array([-1.9, -0.7, 0.3, 0.8, 1.4])  # of a function, at which a likelihood is tried
DRAWS, MANY_DRAWS = 200, 10_000  # of it at each of these


@runtime_checkable
class PointwiseLikelihood(Likelihood, Protocol):
    """A likelihood as compiled code calls it."""

    def cost_at(self, f: float, y: float, /) -> float: ...
    def slope_at(self, f: float, y: float, /) -> float: ...
    def curvature_at(self, f: float, y: float, /) -> float: ...


def try_kernel(kernel: Kernel) -> None:
    """Try a kernel of a user, unless its lengthscale is the name of a rule."""
    if isinstance(kernel.lengthscale, str):
        return
    kernel = frozen(kernel)
    squares = float(kernel.lengthscale) ** 2 * FRACTIONS[:, None]
    name = f"the kernel {kernel.name}"
    values = _of_numbers(f"the value of {name}", kernel.value)
    slopes = _column(_of_numbers(f"the slope of {name}", kernel.slope))
    agree(f"the slope of {name}", "its value by the squared distance", values, slopes, squares, squares)


def try_prior(prior: Prior) -> None:
    """Try a prior of a user at some of its own draws: its log density, the gradient of it, and its term."""
    points = np.asarray(prior.sample(TRIED, seed=0), dtype=np.float64).reshape(TRIED, -1)
    width = np.maximum(points.std(axis=0), 1e-6 * np.abs(points).max())
    name = f"the prior {prior.name}"
    values, slopes = _both(name, "log density", prior.log_density, prior.gradient)
    agree(f"the gradient of {name}", "its log density", values, slopes, points, width)
    term = prior.term()
    if from_outside(term):
        term = frozen(term)
        try_term(f"the term of {name}", term, prior.dim, points, width)

        def minus(x: Array) -> Array:
            return each(f"the value of the term of {name}", lambda p: term.value(p.copy()), x)

        agree(f"minus the gradient of {name}", "its term", minus, lambda x: -slopes(x), points, width)


def try_loss(loss: Loss, points: Array) -> None:
    """Try a loss that is an object of a user's own class, at points (n, dim) where particles start."""
    name = f"the loss {loss.name}"
    values, slopes = _both(name, "value", loss.value, loss.gradient)
    some = points[np.linspace(0, len(points) - 1, min(TRIED, len(points))).astype(int)]
    agree(f"the gradient of {name}", "its value", values, slopes, some)
    try_batches(name, loss.gradient, loss.gradient_at, some[:2])


def try_likelihood(likelihood: Likelihood, y: Array) -> None:
    """Try a likelihood of a user at the observations: its cost, its slope and curvature, and its log density.

    A ValueError if they disagree, or if the log density of an observation is not finite anywhere.
    """
    if not isinstance(likelihood, PointwiseLikelihood) or not from_outside(likelihood) or not len(y):
        return
    if type(likelihood).__module__.startswith("particlegvi."):  # an estimator's, outside the digested folders
        return
    name = f"the likelihood {likelihood.name}"
    for key, parameter in likelihood.facts().items():
        if key != "name":
            real(f"{key} of {name}", parameter)
    _try_support(name, likelihood, y)
    _try_information(name, likelihood)
    with np.errstate(all="ignore"):
        returned = _returned(f"log_density(y, f) of {name}", likelihood.log_density, y[:, None], VALUES[None, :])
        densities = checked(f"the log density of {name}", returned, (len(y), len(VALUES)))
        impossible = ~np.isfinite(densities).any(axis=1)
    if impossible.any():
        row = int(np.argmax(impossible))
        raise ValueError(
            f"y must be values that {name} allows, not {y[row]:.6g} in row {row}, whose log density is"
            f" {densities[row, 0]:.6g}"
        )
    own = frozen(likelihood)
    for observed in np.unique(y)[[0, -1]].tolist():
        cost = _of_numbers(f"the cost of {name}", own.cost_at, observed)
        slope = _of_numbers(f"the slope of {name}", own.slope_at, observed)
        curvature = _of_numbers(f"the curvature of {name}", own.curvature_at, observed)
        of_one, points = f"for y = {observed:.6g}", VALUES[:, None]
        density = partial(_minus_log_density, likelihood, observed)
        agree(f"the slope of {name} {of_one}", "its cost", cost, _column(slope), points)
        agree(f"the slope of {name} {of_one}", "minus its log density", density, _column(slope), points)
        agree(f"the curvature of {name} {of_one}", "its slope", slope, _column(curvature), points)
        if likelihood.convex and (lowest := float(curvature(points).min())) < 0.0:
            raise ValueError(f"convex of {name} must be False: its curvature {of_one} is {lowest:.3g} at some value")
    _try_slopes(name, likelihood)
    _try_density(name, likelihood)


def _try_slopes(name: str, likelihood: Likelihood) -> None:
    """Refuse a likelihood that contradicts its draws.

    Over draws of y the mean of its slope is 0 for every f, and that of its curvature is the Fisher information.
    """
    draws = _draws(name, likelihood)
    if draws is None:
        return
    slopes = likelihood.slope(np.repeat(VALUES, DRAWS), draws).reshape(-1, DRAWS)
    means, errors = slopes.mean(axis=1), slopes.std(axis=1) / np.sqrt(DRAWS)
    wrong = np.abs(means) > 6.0 * errors + 1e-9
    if 2 * wrong.sum() > len(VALUES):
        at = int(np.argmax(wrong))
        raise ValueError(
            f"the mean of the slope of {name} over its draws must be 0, not {means[at]:.3g} (error {errors[at]:.2g}) at"
            f" f = {VALUES[at]:g}: sample(f) and slope(f, y) contradict each other"
        )
    bends = likelihood.curvature(np.repeat(VALUES, DRAWS), draws).reshape(-1, DRAWS)
    means, errors = bends.mean(axis=1), bends.std(axis=1) / np.sqrt(DRAWS)
    if 2 * (means < -6.0 * errors - 1e-9).sum() > len(VALUES):
        at = int(np.argmin(means))
        raise ValueError(
            f"the mean of the curvature of {name} over its draws must be 0 or above, not {means[at]:.3g} (error"
            f" {errors[at]:.2g}) at f = {VALUES[at]:g}: its cost grows where draws are likely, as one of the wrong sign"
        )


def _try_density(name: str, likelihood: Likelihood) -> None:
    """Refuse draws that are not those of the density.

    For each f the mean of p(y|g) / p(y|f) over draws of p(y|f) is 1 for every g; g is half a unit of information away.
    """
    draws = _draws(name, likelihood, MANY_DRAWS)
    if draws is None:
        return
    y = draws.reshape(len(VALUES), MANY_DRAWS)
    with np.errstate(all="ignore"):
        slopes = likelihood.slope(VALUES[:, None], y)
        away = VALUES + 0.5 / np.sqrt((slopes**2).mean(axis=1))
        ratios = np.exp(likelihood.log_density(y, away[:, None]) - likelihood.log_density(y, VALUES[:, None]))
    gaps, errors = ratios.mean(axis=1) - 1.0, ratios.std(axis=1) / np.sqrt(MANY_DRAWS)
    known = np.isfinite(gaps) & (errors > 0.0)
    scores = gaps[known] / errors[known]
    if abs(scores.sum()) > 6.0 * np.sqrt(max(1, known.sum())):
        at = int(np.argmax(np.abs(scores)))
        raise ValueError(
            f"sample(f) of {name} must draw from its log_density(y, f): the mean of p(y|g) / p(y|f) over its draws is"
            f" 1 + {gaps[known][at]:.3g} (error {errors[known][at]:.2g}) at f = {VALUES[known][at]:g}"
        )


def _try_support(name: str, likelihood: Likelihood, y: Array) -> None:
    """Refuse observations that its draws never are, where its class does not say by itself which are allowed."""
    if not type(likelihood).check_targets.__module__.startswith("particlegvi."):
        return
    draws = _draws(name, likelihood)
    if draws is None:
        return
    for allowed, test in (("0 or above", lambda t: t >= 0.0), ("whole numbers", lambda t: t == np.floor(t))):
        if test(draws).all() and not test(y).all():
            row = int(np.argmin(test(y)))
            raise ValueError(
                f"y must be {allowed}, as all draws of {name} are, not {y[row]:.6g} in row {row}; a method"
                " check_targets(y, rows) of its class may allow more"
            )


def _try_information(name: str, likelihood: Likelihood) -> None:
    """Refuse an information of another shape than the values, or with a negative number."""
    values = np.stack([VALUES, VALUES], axis=1)
    with contextlib.suppress(NotImplementedError):
        returned = _returned(f"information(f) of {name}", likelihood.information, values)
        information = checked(f"information(f) of {name}", returned, values.shape)
        if not (information >= 0.0).all():
            raise refuse(f"information(f) of {name}", float(information.min()), "0 or above for every f")


def _draws(name: str, likelihood: Likelihood, count: int = DRAWS) -> Array | None:
    """Draws of y at each of the values, (values * count,); None for a likelihood that has none."""
    values = np.repeat(VALUES, count)
    try:
        returned = _returned(f"sample(f, random) of {name}", likelihood.sample, values, 0)
    except NotImplementedError:
        return None
    return checked(f"sample(f, random) of {name}", returned, values.shape)


def _returned(role: str, method: Callable[..., object], *arguments: object) -> object:
    """The result of a user's method of arrays."""
    try:
        return method(*arguments)
    except NotImplementedError:
        raise
    except Exception as error:
        raise ValueError(f"{role} failed: {error!r}") from error


def _both(name: str, value: str, values: Values, slopes: Slopes) -> tuple[Values, Slopes]:
    """A user's functions of points (n, dim), whose results are checked."""
    return (
        lambda x: checked(f"the {value} of {name}", values(x), x.shape[:1]),
        lambda x: checked(f"the gradient of {name}", slopes(x), x.shape),
    )


def _of_numbers(role: str, function: Callable[..., object], *more: float) -> Values:
    """A user's function of one number, and of constants, at points (n, 1)."""
    return lambda points: each(role, lambda number: function(number, *more), points[:, 0].tolist())


def _column(values: Values) -> Slopes:
    return lambda f: values(f)[:, None]


def _minus_log_density(likelihood: Likelihood, y: float, f: Array) -> Array:
    return -np.asarray(likelihood.log_density(np.full(len(f), y), f[:, 0]), dtype=np.float64)
