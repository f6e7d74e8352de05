"""The minimiser of E_Q loss + weight D(Q, P) over all laws Q on the line, for other divergences D than KL.

The alpha-divergence of order a is the f-divergence E_P f(q/p) with f(r) = (r^a - 1 - a (r - 1)) / (a (a - 1)), also for
a < 0; at 1 it is KL(Q, P) and at 0 KL(P, Q). Where q > 0 the slope of the objective, loss + weight f'(q/p), is a
constant c, and q is 0 where the slope is larger at q = 0. So q = p (f')^-1((c - loss) / weight), which is

    q/p = b^(1/(a-1)),    b = max(d + (1 - a) (loss - least) / weight, 0),    d = 1 + (a - 1) (c - least) / weight,

and one equation has d: the mass is 1. Renyi's divergence of order a is log(E_P (q/p)^a) / (a - 1), an increasing
function of the alpha-divergence: its minimiser has the same form, normalised, with the d at which E_Q b = a.

For a < 1 the slope f'(r) is bounded. If the mass is below 1 for every d > 0, the rest of it is an atom at the minimum
of the loss, which costs weight f'(infinity) at most; this needs a < -1 where the minimum is quadratic.

Sources: thesis, chapter 2 (any D); Cressie and Read (1984) for the family; Burt et al. (2020), appendix B.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from particlegvi.contracts import Loss, Prior
from particlegvi.priors import Flat
from particlegvi.targets.basins.survey import survey
from particlegvi.targets.density import DensityTarget
from particlegvi.targets.minimisers import gibbs
from particlegvi.targets.quadrature.nodes import discretise
from particlegvi.targets.quadrature.potential import Domain, domain_of, gibbs_log_weight, line
from particlegvi.tools import objects
from particlegvi.tools.arguments import positive, real, refuse
from particlegvi.tools.registry import look_up

COLD = 1e-3  # part of the weight at which the peaks of exp(-loss/weight) p are near the minima of the loss
STEP, MOST_STEPS = 2.0, 10  # of log d, until the equation's sign changes; the loss must not be rounded to exp(-20)
EXACT = 1e-13  # tolerance of log d


class Divergence(NamedTuple):
    """``factor`` times the alpha-divergence, or Renyi's divergence, of an order."""

    order: float
    factor: float = 1.0
    renyi: bool = False


NAMED = {
    "kl": Divergence(1.0), "reverse-kl": Divergence(0.0), "squared-hellinger": Divergence(0.5, 0.5),
    "chi-squared": Divergence(2.0, 2.0),
}  # fmt: skip


class BestLaw(NamedTuple):
    """A minimiser over all laws: its density, E_Q loss, and D(Q, P)."""

    law: DensityTarget
    expected_loss: float
    divergence: float


@np.errstate(under="ignore")
def best_law(loss: Loss, prior: Prior, weight: float, divergence: str | Divergence = "kl") -> BestLaw:
    """The law Q that minimises E_Q loss + weight D(Q, P) over all laws on the line.

    Parameters
    ----------
    loss : Loss
        With one dimension; unless D is KL, it needs a smallest value.
    prior : prior
        P, a probability distribution.
    weight : float
        Positive.
    divergence : str or Divergence
        D: "kl", "reverse-kl" (KL(P, Q)), "squared-hellinger" (E_P (sqrt(q/p) - 1)^2), "chi-squared"
        (E_P (q/p - 1)^2), ``Divergence(order)`` or ``Divergence(order, renyi=True)``, a Renyi order being positive.

    Raises
    ------
    ValueError
        If the minimiser has no density: a part of its mass is an atom at the minimum of the loss.
    """
    if objects.loss(loss).dim != 1 or objects.prior(prior).dim != 1 or isinstance(prior, Flat):
        raise ValueError(f"loss and prior must be of one dimension, with a prior that is a probability, not {prior!r}")
    chosen = look_up("divergence", divergence, NAMED) if isinstance(divergence, str) else divergence
    if not isinstance(chosen, Divergence):
        raise refuse("divergence", divergence, f"a Divergence, or one of {', '.join(NAMED)}")
    order = positive("order", chosen.order) if chosen.renyi else real("order", chosen.order)
    size = positive("weight", weight) * positive("factor", chosen.factor)
    if order == 1.0:
        law = gibbs(loss, prior, size)
        mean = float(law.masses @ loss.value(law.grid[:, None]))
        return BestLaw(law, mean, chosen.factor * (-mean / size - law.log_normaliser))
    least, domain = _least(loss, prior, size)

    def base(x: np.ndarray, d: float) -> np.ndarray:
        """b at points (n, 1)."""
        excess = np.maximum(np.asarray(loss.value(x), dtype=np.float64) - least, 0.0) / size
        return np.maximum(d + (1.0 - order) * excess, 0.0)

    def log_weight(x: np.ndarray, d: float) -> np.ndarray:
        """log of p b^(1/(a-1)), minus infinity where the loss is undefined."""
        with np.errstate(all="ignore"):
            level = np.log(base(x, d)) / (order - 1.0) + prior.log_density(x)
        level[np.isnan(level)] = -np.inf
        return level

    def miss(log_d: float, rough: bool = True) -> float:
        """The logarithm of the mass, or of E_Q b / a for Renyi's divergence: 0 at the solution."""
        nodes = discretise(lambda x: log_weight(x, math.exp(log_d)), domain, rough=rough)
        mean = float(nodes.masses @ base(nodes.points, math.exp(log_d)))
        return math.log(mean / order) if chosen.renyi else nodes.log_normaliser

    d = math.exp(_root(miss, STEP if order > 1.0 else -STEP))
    nodes = discretise(lambda x: log_weight(x, d), domain)
    level, b = nodes.log_normaliser, base(nodes.points, d)
    law = DensityTarget(
        lambda x: log_weight(x, d) - level, nodes, domain, nodes.error + (0.0 if chosen.renyi else abs(level)),
        nodes.error, log_normaliser=level,
    )  # fmt: skip
    mean = float(nodes.masses @ b)  # E_P (q/p)^a, for a law whose mass is 1
    if chosen.renyi:
        value = math.log(mean) / (order - 1.0) - level
    elif order == 0.0:
        value = float(nodes.masses @ (b * np.log(b)))
    else:
        value = (mean - 1.0) / (order * (order - 1.0))
    return BestLaw(law, float(nodes.masses @ loss.value(nodes.points)), chosen.factor * value)


def _root(miss: Callable[[float], float], step: float) -> float:
    """The log d at which a monotone function is 0, from 0 on in the direction of the step."""
    last, begun = 0.0, miss(0.0)
    for _ in range(MOST_STEPS):
        if begun * miss(last + step) <= 0.0:
            return float(brentq(miss, last, last + step, xtol=EXACT))
        last += step
    raise ValueError(
        "the minimiser has no density that can be resolved: the prior has hardly any mass near the least loss, or"
        " an order below -1 asks for an atom there"
    )


def _least(loss: Loss, prior: Prior, weight: float) -> tuple[float, Domain]:
    """The smallest value of the loss on the support of the prior, and the prior's domain with a well around it."""
    domain = domain_of(prior)
    peaks = survey(line(gibbs_log_weight(loss, prior, COLD * weight)), domain).peaks
    low, high = float(domain.low[0]), float(domain.high[0])
    best = (math.inf, 0.0, 0.0)
    for at, left, right in zip(peaks.at, peaks.left, peaks.right, strict=True):
        a, b = max(at - 9.0 * left, low), min(at + 9.0 * right, high)
        minimum = minimize_scalar(lambda t: float(loss.value(np.array([[t]]))[0]), bounds=(a, b), method="bounded",
                                options={"xatol": 1e-10 * (b - a)})  # fmt: skip
        margin = 1e-6 * (b - a)
        inside = (minimum.x - a > margin or a == low) and (b - minimum.x > margin or b == high)
        best = min(best, (float(minimum.fun) if inside else -math.inf, float(minimum.x), b - a))
    if not math.isfinite(best[0]):
        raise ValueError("the loss must have a smallest value where the prior is, unless the divergence is KL")
    _, x, wide = best
    return best[0], domain._replace(wells=(np.array([[x - wide], [x + wide]]),))
