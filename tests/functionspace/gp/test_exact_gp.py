"""Exact Gaussian processes, whose law is tested with that of functionals, and Laplace's approximation for labels."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import expit

import particlegvi as pg
from particlegvi.functionspace import ExactGaussianProcess
from particlegvi.functionspace.covariances import Matern32, Matern52, Periodic, SquaredExponential
from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters, laplace_evidence

from ...differences import slopes
from ...refusals import refused

RNG = np.random.default_rng(7)
X = RNG.uniform(-2.0, 2.0, size=(14, 2))
Y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.2 * RNG.normal(size=14)
NEW = RNG.uniform(-3.0, 3.0, size=(9, 2))
K = Matern32([0.9, 1.6], 1.4)
NOISE = 0.05


@pytest.mark.parametrize("k", [K, SquaredExponential(0.8) + Matern52([1.0, 2.0]) * Periodic(1.7)])
def test_its_gradient_is_that_of_finite_differences(k):
    def value(vector):
        return ExactGaussianProcess(k.with_log_parameters(vector[:-1]), np.exp(vector[-1])).fit(X, Y)

    start = np.append(k.log_parameters(), np.log(NOISE))
    right = slopes(lambda vector: value(vector).log_marginal_likelihood(), start)
    np.testing.assert_allclose(value(start).log_marginal_likelihood_gradient(), right, rtol=1e-6, atol=1e-7)


test_bad_data_are_refused = refused(
    lambda X, y: ExactGaussianProcess(pg.kernels.SquaredExponential(), 0.1).fit(X, y),
    (X, Y[:5], r"y must be an array \(14,\) of finite numbers, one for .*, not an array of the shape \(5,"),
    (X, np.append(Y[:13], np.nan), r"y must be an array \(14,\) of finite nu.*, not one with NaN or infinity"),
    ([["a"]], [1.0], r"X must be an array \(n, dim\) of finite numbers, not \[\['a'\]\]"),
    (X, Y[:, None], r"y must be an array \(14,\) of finite numbers, one for .*, not an array of the shape \(14"),
)


NEAR = np.linspace(0.0, 1.0, 60)
test_bad_settings_are_refused = refused(
    (lambda: ExactGaussianProcess(K, 0), "noise_variance must be a positive finite number from 1e-150 to 1e.*, not 0"),
    (lambda: ExactGaussianProcess(SquaredExponential(2.0), 1e-20).fit(NEAR, NEAR),
     "noise_variance must be larger than 1e-20: rounding makes the kernel matrix"),
    *((lambda labels=labels: laplace_evidence(SquaredExponential(), [[0.0], [1.0]], labels),
       "labels must be 0 and 1, each at least once, not")
      for labels in ([0.0, 0.0], [0.0, 2.0], [-1.0, 1.0])),
)  # fmt: skip


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=30) > 0.0).astype(float)


def by_search(K: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Laplace's approximation from its definition, a minimum, a Hessian, a determinant; the mode and the peak there."""
    inverse = np.linalg.inv(K)

    def cost(f):
        return np.sum(np.logaddexp(0.0, f) - y * f) + 0.5 * f @ inverse @ f, expit(f) - y + inverse @ f

    f = optimize.minimize(cost, np.zeros(len(y)), jac=True, method="BFGS", options={"gtol": 1e-10}).x
    p = expit(f)
    hessian = inverse + np.diag(p * (1.0 - p))
    return -cost(f)[0] - 0.5 * (np.linalg.slogdet(hessian)[1] + np.linalg.slogdet(K)[1]), f, -cost(f)[0]


@pytest.mark.parametrize("kernel", [SquaredExponential([0.5, 0.7, 0.9], 4.0), Matern52(0.5, 9.0)])
def test_the_value_and_the_mode_are_those_of_the_definition(kernel, case):
    X, y = case
    found = laplace_evidence(kernel, X, y)
    value, mode, _ = by_search(kernel(X), y)
    assert found.value == pytest.approx(value, abs=1e-7)
    np.testing.assert_allclose(kernel(X) @ found.mode, mode, atol=1e-5)


@pytest.mark.parametrize("variance", [0.1, 1.0])
def test_two_labels_against_quadrature(variance):
    X = np.array([[0.0], [1.0]])
    k = SquaredExponential(1.0, variance)
    found = laplace_evidence(k, X, [0.0, 1.0]).value
    precision = np.linalg.inv(k(X))
    scale = 0.5 * np.linalg.slogdet(precision)[1] - math.log(2.0 * math.pi)

    def density(a, b):
        f = np.array([a, b])
        return expit(-a) * expit(b) * math.exp(scale - 0.5 * f @ precision @ f)

    reach = 8.0 * math.sqrt(variance)
    exact = math.log(integrate.dblquad(density, -reach, reach, -reach, reach, epsabs=1e-9)[0])
    # Laplace's approximation leaves out terms of the second order in the variance, the peak alone those of the first.
    peak = by_search(k(X), np.array([0.0, 1.0]))[2]
    assert abs(found - exact) < 0.05 * variance**2
    assert abs(peak - exact) > 0.1 * variance


@pytest.mark.parametrize("kernel", [SquaredExponential([1.0, 2.0, 3.0], 4.0), Matern52(1.5, 9.0)])
def test_the_gradient_is_that_of_the_value(kernel, case):
    at = kernel.log_parameters()
    right = slopes(lambda vector: laplace_evidence(kernel.with_log_parameters(vector), *case).value, at, 1e-4)
    np.testing.assert_allclose(laplace_evidence(kernel, *case).gradient, right, rtol=1e-6, atol=1e-7)


def test_the_fit_raises_the_evidence_to_where_it_is_flat(case):
    X, y = case
    start = SquaredExponential(np.full(3, 1.7), 4.0)
    k, facts = fit_classification_hyperparameters(start, X, y)
    evidence = facts["log_marginal_likelihood"]
    assert facts["converged"] and facts["rows"] == 30
    assert evidence["before"] == pytest.approx(laplace_evidence(start, X, y).value)
    assert evidence["after"] == pytest.approx(laplace_evidence(k, X, y).value, abs=1e-6)
    assert evidence["after"] > evidence["before"]
    inside = [name not in facts["at_bound"] for name in k.parameter_names()]
    assert np.abs(laplace_evidence(k, X, y).gradient[inside]).max() < 0.01
    # the two inputs that do not matter are found out
    assert min(k.lengthscale[1:]) > 3.0 * k.lengthscale[0]


def test_of_many_rows_some_are_drawn_by_the_seed():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 1))
    y = (X[:, 0] + rng.normal(size=90) > 0.0).astype(float)
    fits = [
        fit_classification_hyperparameters(SquaredExponential(), X, y, threshold=40, seed=seed) for seed in (0, 0, 1)
    ]
    assert [facts["rows"] for _, facts in fits] == [40, 40, 40]
    values = [k.log_parameters().tolist() for k, _ in fits]
    assert values[0] == values[1] != values[2]
