"""The Nystroem basis against its definition, dense linear algebra and eigenvalues known in closed form."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

from particlegvi.functionspace.basis import Mercer, Nystroem
from particlegvi.functionspace.covariances import Iterated, Matern32, SquaredExponential

from ..refusals import refuse, refused

RNG = np.random.default_rng(5)
Z = RNG.uniform(-2.0, 2.0, size=(12, 2))
X = RNG.uniform(-2.5, 2.5, size=(30, 2))
K = Matern32([0.8, 1.5], 1.3)


@pytest.mark.parametrize("points", [Z, Z[:1]], ids=["twelve points", "one point"])
def test_eigenpairs_and_features_are_d88_and_both_priors_the_kernels_of_the_thesis(points):
    basis, M = Nystroem(K, points), len(points)
    assert basis.size == M and np.all(np.diff(basis.eigenvalues) < 0.0)
    np.testing.assert_allclose(K(points) / M @ basis.vectors, basis.vectors * basis.eigenvalues, atol=1e-15)
    assert basis.eigenvalues.sum() == pytest.approx(1.3, rel=1e-13)  # the trace
    e = basis.features(X)
    for n, m in ((0, 0), (7, M // 3), (7, M - 1)):
        terms = [basis.vectors[j, m] * K(X[n : n + 1], points[j : j + 1])[0, 0] for j in range(M)]
        assert e[n, m] == pytest.approx(math.fsum(terms) / math.sqrt(M * basis.eigenvalues[m]), rel=1e-11)
    for prior, kernel in (
        ("gp", lambda A: K(A, points) @ np.linalg.solve(K(points), K(points, A))), ("rkhs", Iterated(K, points))
    ):  # fmt: skip
        variances = basis.prior_variances(prior)
        for at in (X, points):  # at the points the first is k itself
            features = basis.features(at)
            np.testing.assert_allclose((features * variances) @ features.T, kernel(at), atol=1e-12)


def test_the_other_weights_of_the_sources_fail():
    """D.7's b-hat scaled by the root of lambda only, and the authors' number of kept functions instead of M."""
    doubled = np.vstack([Z, Z[:4]])
    basis = Nystroem(K, doubled)
    e = basis.features(doubled)
    for wrong in (e * math.sqrt(16 / 12), e * np.sqrt(basis.eigenvalues)):
        assert np.abs(wrong @ wrong.T - K(doubled)).max() > 0.3


@pytest.mark.thorough
def test_they_tend_to_the_exact_eigenpairs():
    """Inducing points at the quantiles of nu = N(0, 0.7^2); Rasmussen and Williams (2006), section 4.3.1."""
    k, x = SquaredExponential(0.9), np.linspace(-1.2, 1.2, 25)[:, None]
    basis, exact = Nystroem(k, 0.7 * ndtri((np.arange(800) + 0.5) / 800)), Mercer(k, 0.0, 0.7, 4)
    np.testing.assert_allclose(basis.eigenvalues[:4], exact.eigenvalues, rtol=4e-3)
    found, right = basis.features(x)[:, :4], exact.features(x)
    np.testing.assert_allclose(found * np.sign(np.sum(found * right, axis=0)), right, atol=5e-3)


def test_duplicates_are_dropped_and_count_twice_in_the_measure():
    doubled = np.vstack([Z, Z[3:6]])
    basis = Nystroem(K, doubled)
    assert basis.facts() == {"inducing_points": 15, "kept": 12, "dropped": 3}
    e = basis.features(X)
    np.testing.assert_allclose(e @ e.T, K(X, Z) @ np.linalg.solve(K(Z), K(Z, X)), atol=1e-11)
    np.testing.assert_allclose((e * basis.eigenvalues) @ e.T, Iterated(K, doubled)(X), atol=1e-12)


def test_smooth_covariance_drops_only_rounding():
    smooth = SquaredExponential(1.0)
    points = np.linspace(-1.0, 1.0, 60)
    basis = Nystroem(smooth, points)
    assert basis.size < 30 and basis.eigenvalues[-1] > 1e-12 * basis.eigenvalues[0]
    e = basis.features(points)
    np.testing.assert_allclose(e @ e.T, smooth(points), atol=60 * 1e-12)


def test_more_points_than_data_and_a_constant_column_are_fine(rng):
    many = np.hstack([rng.normal(size=(40, 1)), np.full((40, 1), 3.0)])
    few = many[:5]
    e = Nystroem(K, many).features(few)
    np.testing.assert_allclose(e @ e.T, K(few), atol=1e-11)
    line = Matern32(0.8, 1.3)
    np.testing.assert_allclose(Nystroem(K, many).eigenvalues, Nystroem(line, many[:, 0]).eigenvalues, atol=1e-15)


def test_signs_follow_the_rule_and_survive_rounding(rng):
    grid = np.linspace(-1.0, 1.0, 11)[:, None]  # symmetric: the largest entries of odd eigenvectors come in pairs
    first = Nystroem(SquaredExponential(0.5), grid)
    for column in first.vectors.T:
        large = np.flatnonzero(np.abs(column) >= 0.5 * np.abs(column).max())
        assert column[large[0]] > 0.0
    nudged = Nystroem(SquaredExponential(0.5), grid + 1e-9 * rng.normal(size=grid.shape))
    np.testing.assert_allclose(nudged.features(X[:, :1])[:, :8], first.features(X[:, :1])[:, :8], atol=1e-4)


@pytest.mark.parametrize("amount", [0.1, 1e-8])
def test_what_is_no_covariance_is_refused(amount):
    class Lowered(SquaredExponential):
        """Not a covariance: the diagonal is lowered."""

        def __call__(self, A, B=None):
            return super().__call__(A, B) - (amount * np.eye(len(A)) if B is None else 0.0)

    with pytest.raises(ValueError, match=f"not positive semi-definite: its smallest eigenvalue is -{amount:g}"):
        Nystroem(Lowered(1.0), np.linspace(-1.0, 1.0, 40))


test_bad_points_are_refused = refused(
    lambda points: Nystroem(Matern32(), points),
    (np.empty((0, 2)), "inducing_points must be an array .* with at least one row, not an array of the shape"),
    ([[1.0, np.inf]], "NaN or infinity"),
    (np.zeros((2, 2, 2)), r"inducing_points must be an array \(n, dim\).*, not an array of the shape \(2,"),
)


def test_a_prior_that_there_is_not_is_refused():
    basis = Nystroem(Matern32(), Z)
    refuse(lambda: basis.prior_variances("gpp"), 'there is no prior of the coefficients "gpp"; did you mean "gp"')
