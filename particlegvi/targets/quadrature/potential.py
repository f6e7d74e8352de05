"""The logarithms that the targets exponentiate, minus the loss over kl_weight plus the log prior; as formulas, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial, singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Located, Loss, Placed, Prior
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.priors import Flat, GaussianMixture, Laplace, Normal, StudentT, Uniform
from particlegvi.priors import Prior as FormulaPrior
from particlegvi.priors.half_lines import Positive

UNIFORM = 2**18  # points of the survey's uniform grid over the bulk of a prior on the line
PLANE, PLANE_BOUNDED = 384, 512  # intervals along a side of the one in the plane, and over a box
LogWeight = Callable[[np.ndarray], np.ndarray]


class Domain(NamedTuple):
    """The bounds of a prior, with a centre and a scale: the search for mass starts from these, and from known wells."""

    low: np.ndarray  # (dim,), minus infinity where unbounded
    high: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    wells: tuple[np.ndarray, ...] = ()  # boxes (2, dim), the lower corner and the upper one

    @property
    def resolution(self) -> float:
        """Twice the longest side of a box in the bulk that no point of the survey's first grid need meet.

        A round well so wide has a point of the grid in its inner half on the line, in its inner 71% in the plane. One
        of the width of a single side may have points at its very edge alone.
        """
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        points = (2 * UNIFORM, UNIFORM) if len(self.low) == 1 else (PLANE_BOUNDED, PLANE)
        halves = 12.0 if len(self.low) == 1 else 6.0
        sides = np.where(bounded, (self.high - self.low) / points[0], 2.0 * halves * self.scale / points[1])
        return 2.0 * float(np.max(sides))


def gibbs_log_weight(loss: Loss, prior: Prior, kl_weight: float) -> LogWeight:
    """``-loss(x)/kl_weight + log p(x)`` for points (n, dim), shape (n,).

    It is minus infinity where the loss is plus infinity or undefined (outside its domain) and outside the prior's box.
    """
    return partial(_gibbs_log_weight, loss, prior, kl_weight)  # not a local function: a target can be pickled


def _gibbs_log_weight(loss: Loss, prior: Prior, kl_weight: float, points: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        level = -np.asarray(loss.value(points), dtype=np.float64) / kl_weight + prior.log_density(points)
    level[np.isnan(level)] = -np.inf
    return level


def domain_of(prior: Prior) -> Domain:
    """Bounds, centre and scale of a prior; an unbounded coordinate without mean or sd gets 0 and 1."""
    low, high = np.asarray(prior.low, dtype=np.float64), np.asarray(prior.high, dtype=np.float64)
    bounded = np.isfinite(low) & np.isfinite(high)
    with np.errstate(invalid="ignore"):
        middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    mean, sd = np.zeros(prior.dim), np.ones(prior.dim)
    if isinstance(prior, Located):
        mean, sd = _known(prior.mean, mean), _known(prior.sd, sd)
    elif isinstance(prior, Placed):
        mean, sd = _known(prior.location, mean), _known(prior.scale, sd)
    return Domain(low, high, np.where(bounded, middle, mean), np.where(bounded, half, sd))


def _known(known: ArrayLike, otherwise: np.ndarray) -> np.ndarray:
    """The finite numbers of ``known``, as an array of the shape of ``otherwise``, which has the others."""
    number = np.broadcast_to(np.asarray(known, dtype=np.float64), otherwise.shape)
    return np.where(np.isfinite(number), number, otherwise)


def line(log_weight: LogWeight) -> LogWeight:
    """The potential on the line, for arrays of any shape."""
    return partial(_on_line, log_weight)


def _on_line(log_weight: LogWeight, x: np.ndarray) -> np.ndarray:
    return log_weight(np.ascontiguousarray(x).reshape(-1, 1)).reshape(np.shape(x))


def not_integrable(side: str, weight: str = "exp(-loss/kl_weight) times the prior") -> ValueError:
    """The error, ready to raise, for a weight whose integral is infinite."""
    return ValueError(
        f"there is no target: {weight} is not integrable because it does not fall off {side}; "
        "a prior that is not flat, or a loss that grows faster, is needed"
    )


NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def log_density_formula(loss: Loss, prior: Prior, kl_weight: float) -> str | None:
    """``-loss/kl_weight + log p`` in the variables of the loss; None for a loss or a prior that is no formula."""
    if not isinstance(loss, PackageLoss) or not loss.formula:
        return None
    log_prior = log_prior_formula(prior, loss.variables)
    return log_prior and f"-({loss.formula})/{_number(kl_weight)} + {log_prior}"


@singledispatch
def log_prior_formula(prior: Prior, names: Sequence[str]) -> str | None:
    """``log p`` inside the prior's box, in variables of these names; None for a prior of another class."""
    return None


def _number(value: float) -> str:
    return f"({float(value)!r})"


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(["0", *terms])


def _standard(names: Sequence[str], location: Array, scale: Array) -> list[str]:
    """Each coordinate less its location, over its scale."""
    rows = zip(names, location, scale, strict=True)
    return [f"(({name} - {_number(at)})/{_number(width)})" for name, at, width in rows]


@log_prior_formula.register
def _normal(prior: Normal, names: Sequence[str]) -> str:
    squares = [f"(-0.5)*{z}**2" for z in _standard(names, prior.mean, prior.sd)]
    return _sum([*squares, _number(-np.sum(np.log(prior.sd)) - 0.5 * len(names) * np.log(2.0 * np.pi))])


@log_prior_formula.register
def _laplace(prior: Laplace, names: Sequence[str]) -> str:
    away = [f"(-1)*abs{z}" for z in _standard(names, prior.location, prior.scale)]
    return _sum([*away, _number(-np.sum(np.log(2.0 * prior.scale)))])


@log_prior_formula.register
def _student_t(prior: StudentT, names: Sequence[str]) -> str:
    freedom = float(prior.degrees_of_freedom)
    tails = [f"{_number(-0.5 * (freedom + 1.0))}*log(1 + {z}**2/{_number(freedom)})"
             for z in _standard(names, prior.location, prior.scale)]  # fmt: skip
    return _sum([*tails, _number(prior.log_density(prior.location[None])[0])])


@log_prior_formula.register
def _mixture(prior: GaussianMixture, names: Sequence[str]) -> str:
    """Each exponential is divided by the broadest one, which does not underflow before them."""
    term = prior.distinct
    exponents = [
        _sum([f"(-0.5)*{z}**2" for z in _standard(names, mean, sd)])
        for mean, sd in zip(term.means, term.sds, strict=True)
    ]
    broadest = exponents[int(np.argmax(np.prod(term.sds, axis=1)))]
    rows = zip(exponents, term.weights / np.prod(term.sds, axis=1), strict=True)
    peaks = [
        _number(peak) + (f"*exp({exponent} - ({broadest}))" if exponent != broadest else "") for exponent, peak in rows
    ]
    return f"{broadest} + log({_sum(peaks)}) + {_number(-0.5 * len(names) * np.log(2.0 * np.pi))}"


@log_prior_formula.register
def _positive(prior: Positive, names: Sequence[str]) -> str:
    term = prior.minus_log
    parts = [_number(-term.constant)]
    for name, linear, square, power, curve, centre in zip(names, *term[1:], strict=True):
        parts += [f"{_number(-linear)}*{name}" if linear else "0", f"{_number(-square)}*{name}**2" if square else "0"]
        parts += [f"{_number(-power)}*log({name})"] if power else []
        parts += [f"{_number(-curve)}*(log({name}) - {_number(centre)})**2"] if curve else []
    return _sum(parts)


@log_prior_formula.register
def _formula(prior: FormulaPrior, names: Sequence[str]) -> str:
    meant = dict(zip(prior.variables, names, strict=True))
    density = NAME.sub(lambda word: meant.get(word[0], word[0]), prior.formula)
    return f"log({density}) + {_number(-prior.log_normaliser)}"


@log_prior_formula.register(Uniform)
@log_prior_formula.register(Flat)
def _constant(prior: Uniform | Flat, names: Sequence[str]) -> str:
    return _number(prior.log_density(np.clip(np.zeros((1, len(names))), prior.low, prior.high))[0])
