"""The probability that each of several independent Gaussian functions is the largest, and the robust-max likelihood.

For F_j ~ N(m_j, r_j), j = 1, ..., J, at one input (thesis B.6),

    S_j = P(F_j > F_l for all l != j) = int N(t | m_j, r_j) prod_{l != j} Phi((t - m_l) / sqrt(r_l)) dt.       (B.52)

The thesis prints a density in the place of the distribution function Phi, and Gauss-Hermite nodes, with which the S_j
of small variances do not sum to 1. Here all J integrands share panels of Gauss-Legendre nodes around every mean. Their
sum is the derivative of prod_l Phi((t - m_l) / sqrt(r_l)), so that the sum of all S_j is 1 to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

REACH = np.array([-9.0, -5.0, -2.5, -1.0, 0.0, 1.0, 2.5, 5.0, 9.0])  # ends of panels, in standard deviations
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
BLOCK = 256  # inputs at a time
CONSTANT = 0.5 * np.log(2.0 * np.pi)


def class_probabilities(means: ArrayLike, variances: ArrayLike, epsilon: float = 0.0) -> Array:
    """The probability that each class is the largest, (n, J), or (J,) for one input.

    Parameters
    ----------
    means, variances : array (n, J) or (J,)
        Of the independent functions, J at least 2; variances are positive.
    epsilon : float
        From 0 and below 1: of the robust-max likelihood, which gives the label that is not the largest with this
        probability. Then the result is the probability of each label, (1 - epsilon) S + epsilon (1 - S) / (J - 1).

    Raises
    ------
    ValueError
        If the shapes differ, there is one class alone, or a number is not allowed.
    """
    m, r = _checked(means, variances)
    share = arguments.fraction("epsilon", epsilon, "0")
    rows = np.atleast_2d(m), np.atleast_2d(r)
    found = np.concatenate([_largest(rows[0][i : i + BLOCK], rows[1][i : i + BLOCK])
                            for i in range(0, max(len(rows[0]), 1), BLOCK)])  # fmt: skip
    found = (1.0 - share) * found + share * (1.0 - found) / (m.shape[-1] - 1)
    return found if m.ndim == 2 else found[0]


def robust_max_cost(means: ArrayLike, variances: ArrayLike, labels: ArrayLike, epsilon: float = 0.01) -> Array:
    """Minus the expected log likelihood of labels under the robust-max likelihood, (n,).

    The likelihood of a label is 1 - epsilon where its function is the largest, else epsilon / (J - 1).

    Parameters
    ----------
    means, variances : array (n, J)
    labels : array (n,)
        Whole numbers from 0 to J - 1.
    epsilon : float
        Above 0 and below 1.
    """
    m, r = _checked(means, variances)
    if m.ndim != 2:
        raise arguments.shaped("means", m, "an array (n, J)")
    share = arguments.fraction("epsilon", epsilon)
    y = arguments.vector("labels", labels, len(m))
    classes = m.shape[1]
    if not np.isin(y, np.arange(classes)).all():
        raise refuse("labels", labels, f"whole numbers from 0 to {classes - 1}")
    S = class_probabilities(m, r)[np.arange(len(m)), y.astype(int)]
    return -(S * np.log1p(-share) + (1.0 - S) * np.log(share / (classes - 1)))


def _checked(means: ArrayLike, variances: ArrayLike) -> tuple[Array, Array]:
    allowed = "an array (n, J) or (J,) of finite numbers, J at least 2"
    m = arguments.finite("means", arguments.array("means", means, allowed), allowed)
    r = arguments.finite("variances", arguments.array("variances", variances, allowed), allowed)
    if m.ndim not in (1, 2) or m.shape[-1] < 2:
        raise arguments.shaped("means", m, allowed)
    if r.shape != m.shape:
        raise arguments.shaped("variances", r, f"an array {m.shape} like means")
    if not (r > 0.0).all():
        raise refuse("variances", variances, "positive numbers")
    return m, r


def _largest(m: Array, r: Array) -> Array:
    sd = np.sqrt(r)
    cuts = np.sort((m[:, :, None] + sd[:, :, None] * REACH).reshape(len(m), -1), axis=1)
    half, middle = 0.5 * np.diff(cuts, axis=1), 0.5 * (cuts[:, 1:] + cuts[:, :-1])
    t = (middle[:, :, None] + half[:, :, None] * NODES).reshape(len(m), -1)
    weight = (half[:, :, None] * WEIGHTS).reshape(len(m), -1)
    z = (t[:, None, :] - m[:, :, None]) / sd[:, :, None]  # (n, J, nodes)
    logs = log_ndtr(z)  # of the product over the others: a quotient of products would be 0 / 0 where all are far
    others = np.exp(np.minimum(logs.sum(axis=1, keepdims=True) - logs, 0.0))
    density = np.exp(-0.5 * z * z - CONSTANT) / sd[:, :, None]
    return np.einsum("njt,nt->nj", density * others, weight)
