"""A certificate for sparse Gaussian process regression: bounds on its distance from the exact process, at every input.

With K = k(X, X), Q = e(X) e(X)^T the part that the basis explains, E = K - Q and s2 the noise variance,

    2 KL(q, p) = y^T (Q + s2)^-1 y - y^T (K + s2)^-1 y + tr(E) / s2 - log(det(K + s2) / det(Q + s2)).           (1)

Each term that would cost O(n^3) has a bound that costs O(n^2):

    y^T (K + s2)^-1 y >= 2 v^T y - v^T (K + s2) v for every v, here one step of conjugate gradients,           (2)
    log(det(K + s2) / det(Q + s2)) >= log(1 + tr((Q + s2)^-1 E)) >= 0,                                         (3)

(2) holds since its right side is largest at v = (K + s2)^-1 y; (3) holds since det(I + B) >= 1 + tr(B) for a positive
semi-definite B. Titsias (2014) bounds both terms in O(n M^2).

Now let q and p be the values at one input, r = var_q / var_p, and g an upper bound on KL of the processes, in nats. KL
of the processes is at least KL of their values, so that

    2 KL(q, p) = r - 1 - log r + (mean_q - mean_p)^2 / var_p <= 2 g.                                            (4)

r lies between the two roots of r - 1 - log r = 2 g, and

    (mean_q - mean_p)^2 / var_q <= (2 g + 1 + log r) / r - 1,                                                   (5)

which is largest, exp(2 g) - 1, at r = exp(-2 g).

Sources: Titsias (2009, 2014); Artemev, Burt and van der Wilk (2021); (3) and the bounds at an input are derived here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, optimize

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.linalg import product
from particlegvi.functionspace.residuals import Residual
from particlegvi.tools.arguments import points

SMALL = 1e-6  # for a smaller gap, series enclose the roots of (4)
LARGEST = 300.0  # the largest gap: above it exp(2 g) is near the largest double
TINY = 1e-300  # avoids 0 / 0 where y is 0
EPS = 8.0 * float(np.finfo(float).eps)  # rounding errors are at most this share of the sizes of their terms
INFORMATIVE = 0.5 * math.log(2.0)  # nats: a KL up to this bound guarantees the mean within one sd


def log_ratios(gap: float) -> tuple[float, float]:
    """The logarithms of the smallest and largest r that (4) allows, rounded outwards so that both roots lie between."""
    if not math.isfinite(gap):
        return -math.inf, math.inf
    step = 2.0 * math.sqrt(gap)
    if gap < SMALL:  # e^s - 1 - s is at least s^2 / 2 above 0, and at least s^2 / 2 + s^3 / 6 below
        return -step * (1.0 + 0.5 * step), step

    def excess(s: float) -> float:
        return math.expm1(s) - s - 2.0 * gap

    low = optimize.brentq(excess, -2.0 * gap - 2.0, 0.0, xtol=1e-14)
    high = optimize.brentq(excess, 0.0, min(step, 2.0 * math.log1p(2.0 * gap) + 1.0), xtol=1e-14)
    return low * (1.0 + 1e-9), high * (1.0 + 1e-9)


def largest_mean_error(gap: float, variances: Array, priors: Array) -> Array:
    """The largest |mean_q - mean_p| that (5) allows, for variances of q (n,) and var_p at most ``priors`` (n,)."""
    if not math.isfinite(gap):
        return np.full(len(variances), math.inf)
    with np.errstate(divide="ignore"):
        least = np.log(variances) - np.log(priors)  # the smallest log r that ``priors`` allow
    anywhere = variances * math.expm1(2.0 * min(gap, LARGEST))
    # (5) falls beyond its maximum: with r above exp(-2 g) the smallest r is the worst
    cut = priors * np.maximum(2.0 * gap + 1.0 + np.maximum(least, -2.0 * gap) - np.exp(least), 0.0)
    return np.sqrt(np.where(least > -2.0 * gap, cut, anywhere if gap <= LARGEST else 2.0 * gap * priors))


def sd_ends(gap: float, variances: Array, priors: Array) -> tuple[Array, Array]:
    """The smallest and largest sd of p that (4) allows, each (n,), and none above the root of ``priors`` (n,)."""
    low, high = log_ratios(gap)
    sd = np.sqrt(variances)
    with np.errstate(over="ignore"):
        above = np.where(sd > 0.0, sd * np.exp(np.float64(-0.5 * low)), 0.0)
    return sd * math.exp(-0.5 * high), np.minimum(above, np.sqrt(priors))


class Fitted(NamedTuple):
    """A fitted sparse Gaussian process with a Gaussian likelihood, and its data."""

    basis: Nystroem
    law: Law
    X: Array
    y: Array
    noise_variance: float


class Certificate:
    """Guaranteed distances of a sparse Gaussian process from the exact one of the same covariance and noise.

    Attributes
    ----------
    kl : float
        Upper bound on KL(sparse, exact) of the processes, in nats; it includes ``facts["rounding"]``.
    evidence : (float, float)
        Lower and upper bound on log p(y).
    facts : dict
        ``inducing_points``, their number; two bounds, of which the smaller is used: ``tight``, and ``trace`` (of
        Titsias); ``rounding``, the allowance for rounding errors; ``unexplained``, tr(E) / s2; ``finite``,
        whether `kl` is finite; ``informative``, whether the mean is guaranteed within one standard deviation at every
        input.
    """

    def __init__(self, fitted: Fitted, kl: float, evidence: tuple[float, float], facts: Facts) -> None:
        self.kl, self.evidence, self.facts = kl, evidence, facts
        self._basis, self._law = fitted.basis, fitted.law
        self._residual = Residual(fitted.basis)

    @one_blas_thread()
    def mean_error(self, X: ArrayLike) -> Array:
        """At inputs (n, dim), the largest |mean - exact mean| that `kl` allows, (n,); infinite if `kl` is infinite."""
        variances, priors, in_mean, in_variance = self._at(X)
        return largest_mean_error(self.kl, variances + in_variance, priors) + in_mean

    @one_blas_thread()
    def sd_range(self, X: ArrayLike) -> tuple[Array, Array]:
        """At inputs (n, dim), two arrays (n,) between which the exact standard deviation of f lies."""
        variances, priors, _, in_variance = self._at(X)
        priors = priors * (1.0 + EPS)
        low, _ = sd_ends(self.kl, np.maximum(variances - in_variance, 0.0), priors)
        _, high = sd_ends(self.kl, variances + in_variance, priors)
        return low, high

    def _at(self, X: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Variances of q, prior variances, and the rounding errors of predicted means and variances; each (n,)."""
        x = points("X", X, self._basis.inputs)
        e = self._basis.features(x)
        variances = self._law.variances(e) + self._residual.variance(x, e)
        priors = self._basis.covariance.diagonal(x)
        errors, weights = amplification(self._basis, priors)
        weighted = np.sqrt(np.sum((e * weights) ** 2, axis=1))
        in_mean = EPS * (errors @ np.abs(self._law.mean) + weighted * linalg.norm(weights * self._law.mean))
        in_variance = EPS * (2.0 * np.abs(e) @ errors + weighted**2 + priors)
        return variances, priors, in_mean, in_variance


def amplification(basis: Nystroem, priors: Array) -> tuple[Array, Array]:
    """Sizes of the rounding errors of features e_m and of their prior covariance, in units of the machine's precision.

    Both arrays are (size,). A feature is a product of length M with entries of k, divided by sqrt(M lambda_m). The
    computed eigenpairs belong to a matrix that differs from k(Z, Z) by rounding of its largest eigenvalue, so that the
    prior covariance of coefficients i and j has the error ``weights[i] weights[j]``.
    """
    roots = np.sqrt(basis.eigenvalues)
    return float(np.max(priors, initial=0.0)) / roots, roots[0] / roots


@one_blas_thread()
def certify(fitted: Fitted) -> Certificate:
    """The certificate of a fit, in O(n^2 (dim + M)) time and O(n M) memory."""
    basis, law, X, y, noise = fitted
    e = basis.features(X)
    priors = basis.covariance.diagonal(X)
    left = Residual(basis).variance(X, e)
    unexplained = float(left.sum()) / noise
    v = (y - e @ law.mean) / noise
    quadratic = noise * float(v @ v) + float(law.mean @ law.mean)  # at least y^T (Q + s2)^-1 y, for any mean
    sizes = [quadratic, float(priors.sum()) / noise, *_sizes(fitted, e, v)]

    trace = 0.5 * (quadratic - _shifted(e, y, noise * (1.0 + unexplained)) + unexplained)
    products = product(basis.covariance, X, np.column_stack([e, v]))
    along = products[:, -1] + noise * v  # (K + s2) v
    best = (float(y @ v) / max(float(v @ along), TINY)) * v
    below = max(float(best @ y), 0.0)  # (2) at the best multiple of v
    in_trace, size = _trace(law, e, products[:, :-1], noise)
    tight = 0.5 * (quadratic - below + unexplained - math.log1p(max(unexplained - in_trace, 0.0)))
    root = float(np.sqrt(priors) @ np.abs(best))
    sizes += [2.0 * abs(float(best @ y)), root**2, noise * float(best @ best), size]
    _, weights = amplification(basis, priors)
    # If the prior covariance of the coefficients has the error W, KL from N(0, I) is tr(W^2) / 4 to leading order.
    rounding = 0.5 * EPS * float(np.sum(sizes)) + 0.25 * (EPS * float(weights @ weights)) ** 2
    gap = max(min(trace, tight), 0.0) + rounding
    kl = gap if math.isfinite(gap) else math.inf
    log_determinant = 2.0 * float(np.sum(np.log(law.factor.diagonal()))) + len(y) * math.log(2.0 * math.pi * noise)
    bound = -0.5 * (quadratic + log_determinant + unexplained)
    facts: Facts = {
        "inducing_points": len(basis.inducing_points), "tight": tight, "trace": trace, "rounding": rounding,
        "unexplained": unexplained, "finite": math.isfinite(kl),
        "informative": kl <= INFORMATIVE,
    }  # fmt: skip
    allowance = rounding + EPS * abs(log_determinant)
    return Certificate(fitted, kl, (bound - allowance, bound + kl + EPS * abs(log_determinant)), facts)


def _shifted(e: Array, y: Array, level: float) -> float:
    """The lower bound of Titsias (2014) on ``y^T (e e^T + level I)^-1 y``, exact up to rounding."""
    precision = np.eye(e.shape[1]) + e.T @ e / level
    v = (y - e @ linalg.solve(precision, e.T @ y / level, assume_a="pos")) / level
    return float(2.0 * (v @ y) - np.sum((e.T @ v) ** 2) - level * (v @ v))


def _trace(law: Law, e: Array, products: Array, noise: float) -> tuple[float, float]:
    """``tr(A^-1 e^T E e) / s2^2`` from ``products`` K e, with A the precision, and the size of its rounding errors."""
    inside = linalg.cho_solve((law.factor, True), e.T).T / noise**2
    unexplained = products - e @ (e.T @ e)  # E e
    return float(np.sum(inside * unexplained)), float(np.sum(np.abs(inside) * np.abs(products)))


def _sizes(fitted: Fitted, e: Array, v: Array) -> list[float]:
    """Sizes of the rounding errors in the features and in the prior of the coefficients; see `amplification`."""
    basis, law, noise = fitted.basis, fitted.law, fitted.noise_variance
    errors, weights = amplification(basis, basis.covariance.diagonal(fitted.X))
    weighted = np.sqrt(np.sum((e * weights) ** 2, axis=1))
    own = np.sum(linalg.solve_triangular(law.factor, np.eye(len(law.mean)), lower=True) ** 2, axis=0)
    return [
        float(np.sum(weights**2 * (law.mean**2 + np.maximum(1.0 - own, 0.0)))),
        2.0 * float(np.sum(np.abs(v)) * (errors @ np.abs(law.mean))),
        2.0 * float(np.abs(v) @ weighted) * float(linalg.norm(weights * law.mean)),
        2.0 * float(np.sum(np.abs(e) @ errors)) / noise,
        float(weighted @ weighted) / noise,
    ]
