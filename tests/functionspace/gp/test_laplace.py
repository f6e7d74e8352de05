"""Laplace's evidence against a search and determinants that know no Newton step, and against quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import expit

from particlegvi.functionspace.covariances import Matern52, SquaredExponential
from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters, laplace_evidence


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
    X, y = case
    at = kernel.log_parameters()
    gradient = laplace_evidence(kernel, X, y).gradient
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = 1e-4
        high, low = (laplace_evidence(kernel.with_log_parameters(at + s), X, y).value for s in (step, -step))
        assert gradient[i] == pytest.approx((high - low) / 2e-4, rel=1e-6, abs=1e-7)


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


@pytest.mark.parametrize("labels", [[0.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
def test_labels_that_are_not_zero_and_one_are_refused(labels):
    with pytest.raises(ValueError, match="labels must be 0 and 1, each at least once, not"):
        laplace_evidence(SquaredExponential(), [[0.0], [1.0]], labels)
