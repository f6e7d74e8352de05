"""Hyperparameters by the evidence lower bound: its gradients, the exact maximum where M = n, and the two starts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from particlegvi.functionspace import (
    ExactGaussianProcess,
    SparseGaussianProcess,
    covariances,
    fit_hyperparameters,
    likelihoods,
)
from particlegvi.functionspace.covariances import Matern12, Matern52, Periodic, SquaredExponential
from particlegvi.functionspace.selection.elbo import CollapsedBound

from ..references import synthetic

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(60, 2)) * [1.0, 30.0], RNG.normal(size=60)
KERNELS = [
    SquaredExponential([0.9, 25.0], 1.4), Matern52(3.0, 0.7), Matern12([2.0, 40.0]),
    SquaredExponential(1.0) + Matern52([1.0, 9.0]) * SquaredExponential(3.0),
]  # fmt: skip


@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_all_gradients_at_once_are_those_one_by_one_and_those_of_differences(k, rng):
    Z = rng.normal(size=(7, 2)) * [1.0, 30.0]
    problem = CollapsedBound(k, X, Y, 0.05)
    value, in_points, in_logs = problem.everywhere(Z)
    single, alone, weights = problem.at(Z)
    assert value == pytest.approx(single, rel=1e-12)
    np.testing.assert_allclose(in_points, alone, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(in_logs, problem.in_hyperparameters(Z, weights), rtol=1e-9, atol=1e-11)
    logs, h = np.append(k.log_parameters(), math.log(0.05)), 1e-5

    def at(v):
        return CollapsedBound(k.with_log_parameters(v[:-1]), X, Y, math.exp(v[-1])).at(Z)[0]

    differences = [(at(logs + step) - at(logs - step)) / (2.0 * h) for step in h * np.eye(len(logs))]
    np.testing.assert_allclose(in_logs, differences, rtol=1e-6, atol=1e-6)
    assert np.abs(in_logs + differences).max() > 1.0  # not all zero


@pytest.mark.parametrize("name", covariances.names())
def test_both_gradients_of_a_covariance_are_each_of_them(name, rng):
    k = covariances.get(name) if name != "periodic" else Periodic(1.5, 2.0)
    A, B = rng.normal(size=(5, 1)), rng.normal(size=(6, 1))
    B[0] = A[0]
    weights = rng.normal(size=(5, 6))
    value, pull = k.with_gradients(A, B)
    np.testing.assert_allclose(value, k(A, B), rtol=1e-13)
    in_inputs, in_logs = pull(weights.copy())
    np.testing.assert_allclose(in_inputs, k.input_gradient(A, B, weights), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(in_logs, k.log_parameter_gradient(A, B, weights), rtol=1e-10, atol=1e-12)


def test_with_every_row_it_is_the_exact_maximum():
    r = np.random.default_rng(1)
    x = r.uniform(-2.0, 2.0, (40, 1))
    y = np.sin(3.0 * x[:, 0]) + 0.3 * r.normal(size=40)
    exact, noise, _ = fit_hyperparameters(SquaredExponential(1.0), x, y, 0.1)
    sparse, found, facts = fit_hyperparameters(SquaredExponential(1.0), x, y, 0.1, bound="elbo", inducing_points=30)
    assert facts["fits"][facts["chosen"]]["elbo"]["after"] == pytest.approx(
        ExactGaussianProcess(exact, noise).fit(x, y).log_marginal_likelihood(), abs=1e-3
    )
    np.testing.assert_allclose(sparse.log_parameters(), exact.log_parameters(), atol=0.02)
    assert found == pytest.approx(noise, rel=0.02)


def test_the_better_of_two_starts_counts():
    """Source 004 begins with noise 1e-4 and lengthscales of 1, from where all of these data are explained as noise."""
    _, X, y, _ = synthetic()
    k, noise, facts = fit_hyperparameters(SquaredExponential(1.0), X, y, 1e-4, bound="elbo", inducing_points=30)
    one, other = facts["fits"]
    assert one["parameters"]["noise_variance"] > 0.95 and one["elbo"]["after"] < -1400.0
    assert other["elbo"]["after"] == pytest.approx(655.038, abs=0.01) and facts["chosen"] == 1
    np.testing.assert_allclose([*np.exp(k.log_parameters()), noise], [0.35996, 2.84855, 0.0140634], rtol=2e-3)
    assert one["start"]["noise_variance"] == pytest.approx(1e-4) and other["start"]["noise_variance"] > 0.04
    assert all(each["elbo"]["after"] >= each["elbo"]["before"] for each in facts["fits"])
    again = SparseGaussianProcess(k, likelihoods.Gaussian(noise), facts["points"]).fit(X, y)
    assert again.bound == pytest.approx(other["elbo"]["after"], abs=1e-3)
    assert facts["inducing_points"] == len(facts["points"]) == 30 and facts["bound"] == "elbo"
    low, high = X.min(), X.max()
    assert np.all((np.array(facts["points"]) >= low) & (np.array(facts["points"]) <= high))


def test_points_may_be_given_and_a_constant_column_stays():
    beside = np.column_stack([X[:, 0], np.full(60, 5.0)])
    y = np.sin(beside[:, 0])
    _, _, facts = fit_hyperparameters(
        SquaredExponential([1.0, 1.0]), beside, y, 0.1, bound="elbo", inducing_points=beside[:5], most_iterations=20
    )
    assert np.array(facts["points"]).shape == (5, 2) and np.all(np.array(facts["points"])[:, 1] == 5.0)
    with pytest.raises(ValueError, match='there is no bound "ELBO"; did you mean "elbo"'):
        fit_hyperparameters(SquaredExponential(1.0), X, Y, 0.1, bound="ELBO")
    with pytest.raises(ValueError, match="inducing_points must be an array .n, 2."):
        fit_hyperparameters(SquaredExponential(1.0), X, Y, 0.1, bound="elbo", inducing_points=np.ones((3, 1)))
