"""The probability that each of several independent Gaussian functions is the largest, and the robust-max likelihood.

For F_j ~ N(m_j, r_j), j = 1, ..., J, at one input (thesis B.6),

    S_j = P(F_j > F_l for all l != j) = int N(t | m_j, r_j) prod_{l != j} Phi((t - m_l) / sqrt(r_l)) dt.       (B.52)

The thesis prints a density instead of the distribution function Phi, and uses Gauss-Hermite nodes, with which the S_j
do not sum to 1 for small variances. Here all J integrands share panels of Gauss-Legendre nodes around every mean. The
sum of the integrands is the derivative of prod_l Phi((t - m_l) / sqrt(r_l)), so that the S_j sum to 1 to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from particlegvi.contracts import Array
from particlegvi.tools import arguments

__all__ = ["class_probabilities"]

REACH = np.array([-9.0, -5.0, -2.5, -1.0, 0.0, 1.0, 2.5, 5.0, 9.0])  # ends of panels, in standard deviations
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
BLOCK = 256  # inputs at a time
CONSTANT = 0.5 * np.log(2.0 * np.pi)


def class_probabilities(means: ArrayLike, variances: ArrayLike, epsilon: float = 0.0) -> Array:
    """The probability that each class is the largest, (n, J), or (J,) for one input.

    Parameters
    ----------
    means, variances : array (n, J) or (J,)
        Moments of the J independent functions, J at least 2; variances are positive.
    epsilon : float
        Probability, from 0 and below 1, with which the robust-max likelihood gives another label than the largest
        class. The result is then the probability of each label, (1 - epsilon) S + epsilon (1 - S) / (J - 1).
    """
    m, r = _checked(means, variances)
    share = arguments.fraction("epsilon", epsilon, "0")
    rows = np.atleast_2d(m), np.atleast_2d(r)
    probabilities = np.concatenate([_largest(rows[0][i : i + BLOCK], rows[1][i : i + BLOCK])
                            for i in range(0, max(len(rows[0]), 1), BLOCK)])  # fmt: skip
    probabilities = (1.0 - share) * probabilities + share * (1.0 - probabilities) / (m.shape[-1] - 1)
    return probabilities if m.ndim == 2 else probabilities[0]


def _checked(means: ArrayLike, variances: ArrayLike) -> tuple[Array, Array]:
    allowed = "an array (n, J) or (J,) of finite numbers, J at least 2"
    m = arguments.finite("means", arguments.array("means", means, allowed), allowed)
    r = arguments.finite("variances", arguments.array("variances", variances, allowed), allowed)
    if m.ndim not in (1, 2) or m.shape[-1] < 2:
        raise arguments.shaped("means", m, allowed)
    if r.shape != m.shape:
        raise arguments.shaped("variances", r, f"an array {m.shape} like means")
    if not (r > 0.0).all():
        raise arguments.refuse("variances", variances, "positive numbers")
    return m, r


def _largest(m: Array, r: Array) -> Array:
    sd = np.sqrt(r)
    cuts = np.sort((m[:, :, None] + sd[:, :, None] * REACH).reshape(len(m), -1), axis=1)
    half, middle = 0.5 * np.diff(cuts, axis=1), 0.5 * (cuts[:, 1:] + cuts[:, :-1])
    t = (middle[:, :, None] + half[:, :, None] * NODES).reshape(len(m), -1)
    weight = (half[:, :, None] * WEIGHTS).reshape(len(m), -1)
    z = (t[:, None, :] - m[:, :, None]) / sd[:, :, None]  # (n, J, nodes)
    logs = log_ndtr(z)  # sums of logarithms give the product over the others; a quotient of products may be 0 / 0
    others = np.exp(np.minimum(logs.sum(axis=1, keepdims=True) - logs, 0.0))
    density = np.exp(-0.5 * z * z - CONSTANT) / sd[:, :, None]
    return np.einsum("njt,nt->nj", density * others, weight)
