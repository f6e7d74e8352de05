"""A loss and a prior as one formula, ``-loss/kl_weight + log p``, where both can be written as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from particlegvi.contracts import Array, Loss, Prior
from particlegvi.losses.loss import Loss as KnownLoss
from particlegvi.priors import Flat, GaussianMixture, Laplace, Normal, StudentT, Uniform
from particlegvi.priors import Prior as FormulaPrior
from particlegvi.priors.half_lines import Positive

NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def log_density_formula(loss: Loss, prior: Prior, kl_weight: float) -> str | None:
    """``-loss/kl_weight + log p`` in the variables of the loss; None for a loss or a prior that is no formula."""
    if not isinstance(loss, KnownLoss) or not loss.formula:
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
    exponents = [
        _sum([f"(-0.5)*{z}**2" for z in _standard(names, mean, sd)])
        for mean, sd in zip(prior.means, prior.sds, strict=True)
    ]
    broadest = exponents[int(np.argmax(np.prod(prior.sds, axis=1)))]
    rows = zip(exponents, prior.weights / np.prod(prior.sds, axis=1), strict=True)
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
