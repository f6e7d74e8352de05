"""The eigenvalues of a covariance under a law nu of the inputs, and the rates of Table 6.1."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace.basis import Mercer
from particlegvi.functionspace.covariances import Covariance, Matern12, SquaredExponential
from particlegvi.verification.claim import Check, Checks, claim

NODES = {1: 100, 2: 31}  # of the quadrature, for each input
SHOWN = {1: 24, 2: 105}  # eigenvalues: in the plane the first 14 levels


def by_quadrature(k: Covariance, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The eigenvalues of the integral operator of k, descending, for nodes (n, dim) and weights (n,) of nu."""
    roots = np.sqrt(weights)
    return np.asarray(np.linalg.eigvalsh(roots[:, None] * k(x) * roots)[::-1])


def gaussian_nodes(inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Evenly spaced nodes with the density of N(0, I): for such smooth integrands the error falls exponentially."""
    edge = np.linspace(-7.0, 7.0, NODES[inputs])
    x = np.stack([axis.ravel() for axis in np.meshgrid(*[edge] * inputs, indexing="ij")], axis=1)
    density = np.exp(-0.5 * np.sum(x**2, axis=1))
    return x, density / density.sum()


@claim(
    "thesis, Table 6.1, whose m/D must be m^(1/D); Burt et al. (2019)", wrong="exp(-alpha m/D), as Table 6.1 prints it"
)
def mercer_decay(seed: int, wrong: bool, *, lengthscale: float = 1.2) -> Checks:
    """The eigenvalues decay like exp(-alpha m^(1/D)), and those of a Matern 1/2 like m^-2.

    Eigenvalues by quadrature against those of `Mercer` and against Table 6.1, in three cases.

    Squared exponential, nu = N(0, I) in D = 1 and 2 inputs: an eigenvalue of level n is lambda_1 B^n, and the first
    C(n + D, D) are of the levels up to n. So the level of lambda_m differs from (D! m)^(1/D) by at most (D + 1) / 2:
    lambda_m falls like exp(-alpha m^(1/D)) with alpha = (D!)^(1/D) log(1/B). Table 6.1 prints exp(-alpha m / D), which
    for D = 1 is the same, and for more inputs would fall much faster. The Matern 1/2 under a uniform nu has m^-2.
    """
    k, checks = SquaredExponential(lengthscale), []
    for inputs, count in SHOWN.items():
        exact = Mercer(k, 0.0, 1.0, count, inputs=inputs)
        values = by_quadrature(k, *gaussian_nodes(inputs))[:count]
        gap = float(np.abs(values - exact.eigenvalues).max() / values[0])
        # nu has 3e-12 of its mass beyond the nodes of one input
        checks.append(Check(f"quadrature less closed form, D = {inputs}, of the largest", gap, 2e-11))
        first, second = exact.axes[0].eigenvalues(2)
        m, alpha = np.arange(1, count + 1), math.log(first / second)
        levels = -np.log(np.maximum(values, 1e-15) / values[0]) / alpha
        rate = m / inputs if wrong else (math.factorial(inputs) * m) ** (1.0 / inputs)
        exact_enough = values > 1e-10 * values[0]  # below, the quadrature has rounding errors
        away = float(np.abs(levels - rate)[exact_enough].max())
        checks.append(Check(f"levels between eigenvalue and rate, D = {inputs}", away, 0.5 * (inputs + 1) + 1e-3))
    return *checks, rough(lengthscale)


def rough(lengthscale: float) -> Check:
    """m^2 times the eigenvalues of the Matern 1/2, by quadrature."""
    k, count = Matern12(lengthscale), 24
    x = math.sqrt(3.0) * (np.arange(600) + 0.5) / 300 - math.sqrt(3.0)
    values = by_quadrature(k, x[:, None], np.full(600, 1.0 / 600))[:count]
    m = np.arange(1, count + 1)
    # theta_m is between (m - 1) pi / 2 and m pi / 2, and q = half width / lengthscale
    q = math.sqrt(3.0) / lengthscale
    most = float((values * m**2)[4:].max()) / (4.0 * q / np.pi**2 * (5.0 / 4.0) ** 2)
    return Check("m^2 times the eigenvalue over its bound, Matern 1/2, m > 4", most, 1.0)
