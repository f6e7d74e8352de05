"""The exact eigenpairs against quadrature of the integral operator, sums of squares, and what does not have them."""

import numpy as np
import pytest

from particlegvi.functionspace import ProjectedLangevinSampler, SparseGaussianProcess, likelihoods, residuals
from particlegvi.functionspace.basis import Mercer
from particlegvi.functionspace.covariances import Matern32, SquaredExponential

from ..refusals import refuse


def test_eigenpairs_solve_the_integral_equation():
    k, mean, sd = SquaredExponential(0.7, 2.0), 0.5, 1.3
    x = np.linspace(-8.0, 8.0, 500)
    weights = np.exp(-0.5 * x**2) / np.exp(-0.5 * x**2).sum()
    x = mean + sd * x
    basis = Mercer(k, mean, sd, size=12)
    e = basis.features(x[:, None])
    np.testing.assert_allclose((e * weights[:, None]).T @ e, np.diag(basis.eigenvalues), atol=1e-10)
    outside = np.append(np.linspace(mean - 4.0 * sd, mean + 4.0 * sd, 9), mean)[:, None]
    image = k(outside, x[:, None]) @ (e * weights[:, None])
    error, wrong = (
        np.abs(image - basis.features(outside) * basis.eigenvalues * factor).max() for factor in (1.0, 1.01)
    )
    assert error < 1e-9 * basis.eigenvalues[0] and wrong > 2e-9 * basis.eigenvalues[0]
    assert basis.facts()["left_out"] == pytest.approx(1.0 - basis.eigenvalues.sum() / k.variance, abs=1e-12)


@pytest.mark.parametrize(
    "basis",
    [
        Mercer(SquaredExponential(0.3, 1.7), -1.0, 2.0, 400),
        Mercer(SquaredExponential([0.9, 1.5], 1.7), [0.0, 1.0], 1.0, 900),
    ],
    ids=["line", "plane"],
)
def test_all_functions_together_make_the_covariance(basis, rng):
    X = rng.normal(size=(20, basis.inputs))
    e = basis.features(X)
    np.testing.assert_allclose(e @ e.T, basis.covariance(X), atol=1e-7)
    assert np.all(np.diff(basis.eigenvalues) <= 0.0)
    assert len({tuple(each) for each in basis.levels}) == basis.size
    assert np.abs(e[:, 1:] @ e[:, 1:].T - basis.covariance(X)).max() > 1e-3  # the first is needed


def test_far_inputs_need_functions_of_high_order():
    """At 20 sd the first functions vanish; with enough of them the sum of squares is the variance again."""
    basis = Mercer(SquaredExponential(0.7), 0.0, 1.0, 900)
    e = basis.features([[20.0]])[0]
    assert np.sum(e[:50] ** 2) < 1e-30
    assert np.sum(e**2) == pytest.approx(1.0, abs=1e-9)


def test_a_sparse_process_takes_it_and_nears_the_evidence_and_a_sampler_has_its_eigenvalues(rng):
    k, X = SquaredExponential(0.6, 1.3), rng.normal(size=(60, 1))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=60)
    K = k(X) + 0.09 * np.eye(60)
    evidence = -0.5 * (y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1] + 60 * np.log(2.0 * np.pi))
    bounds = [SparseGaussianProcess(k, likelihoods.Gaussian(0.09), Mercer(k, 0, 1, size)).fit(X, y).bound
              for size in (4, 40)]  # fmt: skip
    assert bounds[0] < evidence - 1.0 and evidence - 1e-3 < bounds[1] <= evidence + 1e-9
    basis = Mercer(k, 0.0, 1.0, 8)
    pls = ProjectedLangevinSampler(k, likelihoods.Gaussian(0.09), basis, particles=2, steps=1, prior="gp").fit(X, y)
    np.testing.assert_array_equal(pls.eigenvalues_, basis.eigenvalues)
    assert np.linalg.eigvalsh(residuals.get("gp", basis).covariance(X))[0] > -1e-12


def test_what_has_no_closed_form_is_refused():
    k = SquaredExponential(1.0)
    refuse(lambda: Mercer(Matern32(1.0)), "covariance must be SquaredExponential")
    refuse(lambda: Mercer(k, 0.0, -1.0), "sd must be a positive finite number")
    refuse(lambda: Mercer(k, np.nan), "mean must be a finite number")
    refuse(lambda: Mercer(k, [0.0, 1.0], [1.0, 1.0, 1.0]), "mean and sd must have the same number of entries")
    refuse(lambda: Mercer(k, [0.0, 1.0], inputs=3), "inputs must be 2")
    refuse(lambda: Mercer(k, size=0), "size must be a whole number")
    refuse(lambda: Mercer(k, 0.0, 0.01, 200), "size must be at most")
    refuse(lambda: Mercer(k).features(np.zeros((2, 2))), "X must be an array")
    fit = lambda kernel, basis: ProjectedLangevinSampler(kernel, likelihoods.Gaussian(0.1), basis).fit(
        np.zeros((3, 1)), np.zeros(3)
    )
    refuse(lambda: fit(k, Mercer(k, inputs=2)), "the basis must be of functions of 1 coordinates")
    refuse(lambda: fit(SquaredExponential(2.0), Mercer(k)), "the basis must have the prior's covariance")
