"""A certificate for projected Langevin sampling: how far its posterior can be from the exact one, for a Lipschitz cost.

The function is F = sum_m u_m e_m + G, with a residual G that is independent of u, and the cost is l = sum_n c(y_n, f_n)
at the values f = F(X). The family Q_M of (6.21) leaves G at its prior, so that for each Q in it

    KL(Q, exact) = KL(law of u, tau*) + KL(best, exact),                tau* and the best of the family: Theorem 6.6.1
    KL(best, exact) = log E_u E_G exp(-l) - log E_u exp(-E_G l).                                                   (1)

Let S be the covariance of G(X), and let the slope of the cost at row n be between a_n and b_n for every f. Then

    KL(best, exact) <= sup { g^T S g : a <= g <= b } / 2,                                                          (2)
    KL(law of PLS, tau*) <= (sum_n w_n)^2 / 8,   w_n = (b_n - a_n) sd(G(x_n)) / sqrt(2 pi), or half the largest
                                                 curvature times the variance, if that is less.                    (3)

(3) is for a convex cost; for others (b_n - a_n) sd(G(x_n)) / sqrt(2 pi) is added to w_n. (6.24) is at least 2 pi times
as large as (3), and needs a convex cost. The supremum in (2) is at a corner of the box, and finding it is hard; the
dual of its semidefinite relaxation is an upper bound, at most pi/2 times as large if the slopes are centred at 0.

For a convex cost there is a sharper bound, with g the slopes of the cost at the values F(X) of functions from the best
law,

    KL(best, exact) <= log E exp(g^T S g / 2),                                                                     (4)

which particles can estimate, though not guarantee. Derived here; the proofs are in docs/theory/lipschitz.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.special import logsumexp, rel_entr

from particlegvi import contracts
from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.gp.certificate import EPS
from particlegvi.functionspace.prediction.posterior import FunctionPosterior
from particlegvi.tools.arguments import points, positive, refuse

INFORMATIVE = 0.1  # nats: then no probability is wrong by more than 0.22
ASCENTS = 30  # steps of the ascent that finds weights for the dual bound; any weights give a bound
HALVINGS = 60  # of an interval within [0, 1]
Data: TypeAlias = tuple[Array, Array]  # X (n, inputs) and y (n,)


class LipschitzSlopes(NamedTuple):
    """The lowest and highest slope of the cost of each row, (n,) each."""

    low: Array
    high: Array

    @property
    def half(self) -> Array:
        return 0.5 * (self.high - self.low)


class PosteriorCertificate:
    """Guaranteed distances of the posterior that is sampled from the exact one with the same prior and likelihood.

    The guarantee is about the law from which the sampler draws. The errors of a finite number of particles and steps
    come on top of it; ``info_`` of the sampler speaks of them.

    Attributes
    ----------
    family : float
        Upper bound on KL(best, exact) in nats: the price of coefficients in so few functions.
    projection : float
        Upper bound on KL(law of the coefficients, tau*): the price of taking the cost at the residual's mean.
    total : float
        Their sum, an upper bound on KL(posterior that is sampled, exact).
    facts : dict
        ``rows``, ``coefficients``, ``unexplained`` (the trace of S), ``thesis`` (the bound (6.24) in the place of
        ``projection``), ``informative`` (whether `total` is at most 0.1 nats).
    """

    def __init__(self, posterior: FunctionPosterior, data: Data, slopes: LipschitzSlopes, facts: Facts) -> None:
        self.family, self.projection = facts["family"], facts["projection"]
        self.total = self.family + self.projection
        self.facts = {**facts, "total": self.total, "informative": self.total <= INFORMATIVE}
        self._posterior, (self._X, self._y), self._slopes = posterior, data, slopes

    @one_blas_thread()
    def estimate(self) -> float:
        """The sharper bound (4) on KL(best, exact) for a convex cost, from the particles: an estimate, no guarantee.

        The particles are drawn from the law that is sampled; its largest log ratio to tau* is added.
        """
        likelihood = self._posterior.likelihood
        if not likelihood.convex:
            raise refuse("the likelihood for an estimate", likelihood, "one with a convex cost and a largest slope")
        functions = self._posterior.sample(self._X)
        slopes = likelihood.slope(functions, self._y)
        forms = np.einsum("jn,jn->j", slopes @ self._posterior.residual_.covariance(self._X), slopes)
        return float(logsumexp(0.5 * forms) - math.log(len(forms)) + math.sqrt(8.0 * self.projection))

    def mean_error(self, X: ArrayLike) -> Array:
        """At inputs (n, dim), the largest |mean - exact mean| of the function that `total` allows, (n,).

        It is sqrt(2 v total) with v the prior variance for a convex cost (Talagrand's inequality), and a larger v for
        others.
        """
        covariance = self._posterior.basis_.covariance
        x = points("X", X, self._posterior.basis_.inputs)
        variances = covariance.diagonal(x)
        if not self._posterior.likelihood.convex:
            pull = self._slopes.half @ np.abs(covariance(self._X, x)) / np.sqrt(np.maximum(variances, 1e-300))
            variances = variances * (0.5 * (pull + np.sqrt(pull**2 + 4.0))) ** 2
        return np.sqrt(2.0 * variances * self.total)

    def probability_range(self, X: ArrayLike) -> tuple[Array, Array]:
        """At inputs (n, dim), two arrays (n,) between which the exact P(y = 1) lies, for a likelihood of labels."""
        predicted = np.clip(self._posterior.predict_probability(X), 0.0, 1.0)
        kl = partial(_binary_kl, predicted)
        return _furthest(kl, predicted, 0.0, self.total), _furthest(kl, predicted, 1.0, self.total)

    def band(self, X: ArrayLike, share: float = 0.95) -> tuple[Array, Array]:
        """At inputs (n, dim), the ends of a band within which the exact central band of this share lies, (n,) each.

        They are quantiles of the posterior at levels that `total` allows, infinite if `total` is above
        ``-log((1 + share) / 2)``, which is 0.025 for 95%.
        """
        tail = 0.5 * (1.0 - positive("share", share))
        if tail <= 0.0:
            raise refuse("share", share, "above 0 and below 1")
        marginals = self._posterior.marginals(X)
        ends = []
        for level, end in ((tail, 0.0), (1.0 - tail, 1.0)):
            (reached,) = _furthest(partial(_binary_kl, p=np.array([level])), np.array([level]), end, self.total)
            beyond = np.full(len(marginals.variances), math.copysign(math.inf, end - 0.5))
            ends.append(marginals.quantile(float(reached)) if 0.0 < reached < 1.0 else beyond)
        return ends[0], ends[1]


def check_certified(likelihood: contracts.Likelihood, prior: str, residual: str) -> None:
    """Refuse a posterior for which there is no certificate."""
    if not math.isfinite(likelihood.slope_bound):
        allowed = "one whose cost has a largest slope (for Gaussian noise SparseGaussianProcess has certify)"
        raise refuse("the likelihood for a certificate", likelihood, allowed)
    if prior != "gp" or residual != "gp":
        raise ValueError('prior and residual must be "gp" for a certificate: others change with the inducing points')


@one_blas_thread()
def certificate_of(posterior: FunctionPosterior, X: Array, y: Array, prior: str) -> PosteriorCertificate:
    """The certificate of a posterior for its data, in O(n^3) time and O(n^2) memory."""
    likelihood, basis = posterior.likelihood, posterior.basis_
    check_certified(likelihood, prior, posterior.residual_.name)
    e = basis.features(X)
    left = posterior.residual_.variance(X, e)
    facts: Facts = {"rows": len(X), "coefficients": e.shape[1], "unexplained": float(left.sum())}
    slopes = LipschitzSlopes(*likelihood.slope_range(y))
    steepest = np.maximum(np.abs(slopes.low), np.abs(slopes.high))
    family = 0.5 * largest_form(_psd(posterior.residual_.covariance(X), basis.covariance.diagonal(X)), slopes)
    wide = 2.0 * slopes.half * np.sqrt(left / (2.0 * math.pi))
    gaps = np.minimum(wide, 0.5 * likelihood.curvature_bound * left) + (0.0 if likelihood.convex else wide)
    thesis = 0.5 * float(steepest @ steepest) * facts["unexplained"]
    projection = 0.125 * float(gaps.sum()) ** 2
    return PosteriorCertificate(
        posterior, (X, y), slopes, {**facts, "family": family, "projection": projection, "thesis": thesis}
    )


def largest_form(covariance: Array, slopes: LipschitzSlopes) -> float:
    """An upper bound on g^T covariance g over all g between the slopes.

    g = centre + half w with |w_n| <= 1 is B (1, w), and for every d > 0 the form A = B^T covariance B is at most
    (largest eigenvalue of d^-1/2 A d^-1/2) sum d at signs. Good weights d come from the relaxation to unit vectors,
    which an ascent solves (Burer and Monteiro 2003).
    """
    centre, half = 0.5 * (slopes.low + slopes.high), slopes.half
    at_centre = covariance @ centre
    form = np.block([[np.array([[centre @ at_centre]]), (half * at_centre)[None]],
                     [(half * at_centre)[:, None], half[:, None] * covariance * half]])  # fmt: skip
    vectors = np.random.default_rng(0).normal(size=(len(form), 1 + math.isqrt(2 * len(form))))
    lengths = np.ones(len(form))
    for _ in range(ASCENTS):
        vectors = form @ vectors
        lengths = np.maximum(linalg.norm(vectors, axis=1), 1e-300)
        vectors /= lengths[:, None]
    weights = np.maximum(linalg.norm(form @ vectors, axis=1), 1e-9 * lengths.max())
    roots = np.sqrt(weights)
    scaled = form / roots[:, None] / roots
    last = [len(form) - 1] * 2
    dual = float(linalg.eigvalsh(scaled, subset_by_index=last)[0]) * float(weights.sum())
    return min(dual * (1.0 + len(form) * EPS), float(np.abs(form).sum()))


def _psd(covariance: Array, priors: Array) -> Array:
    """The covariance plus a multiple of the identity that covers the rounding errors which made it indefinite."""
    lowest = float(linalg.eigvalsh(covariance, subset_by_index=[0, 0])[0])
    allowance = max(-lowest, 0.0) + len(priors) * EPS * float(priors.max(initial=0.0))
    return covariance + allowance * np.eye(len(covariance))


def _binary_kl(q: Array, p: Array) -> Array:
    """KL of the law of a coin with probability q from that of one with probability p, in nats."""
    return rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p)


def _furthest(kl: Callable[[Array], Array], at: Array, end: float, most: float) -> Array:
    """The probability between ``at`` and ``end`` where ``kl``, 0 at ``at`` and growing from there, exceeds ``most``."""
    inner, outer = at, np.full(at.shape, end)
    for _ in range(HALVINGS):
        middle = 0.5 * (inner + outer)
        allowed = kl(middle) <= most
        inner, outer = np.where(allowed, middle, inner), np.where(allowed, outer, middle)
    return outer
