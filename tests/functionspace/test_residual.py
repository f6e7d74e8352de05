"""The residuals: what makes a Gaussian process of the basis, and what the thesis prints instead."""

import numpy as np
import pytest

from particlegvi.functionspace import residuals
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances import Matern32, SquaredExponential

from ..refusals import refuse

RNG = np.random.default_rng(11)
Z = np.linspace(-2.0, 2.0, 9)[:, None]
X = np.sort(RNG.uniform(-2.5, 2.5, size=25))[:, None]
K = Matern32(0.8, 1.3)
BASIS = Nystroem(K, Z)


def smallest(matrix):
    """The smallest eigenvalue relative to the largest."""
    ascending = np.linalg.eigvalsh(matrix)
    return ascending[0] / ascending[-1]


def test_both_are_found():
    assert {"gp", "thesis"} <= set(residuals.names())
    refuse(lambda: residuals.get("theses", BASIS), 'there is no residual "theses"; did you mean "thesis"')


class TestConditional:
    residual = residuals.get("gp", BASIS)

    def test_covariance_is_that_of_a_process_whose_values_at_the_points_are_known(self):
        expected = K(X) - K(X, Z) @ np.linalg.inv(K(Z)) @ K(Z, X)
        np.testing.assert_allclose(self.residual.covariance(X), expected, atol=1e-12)
        np.testing.assert_allclose(self.residual.covariance(X[:4], X), expected[:4], atol=1e-12)
        np.testing.assert_allclose(self.residual.variance(X), expected.diagonal(), atol=1e-12)
        np.testing.assert_allclose(self.residual.variance(X, BASIS.features(X)), expected.diagonal(), atol=1e-12)

    @pytest.mark.parametrize("k", [K, SquaredExponential(1.0, 2.0), SquaredExponential(5.0, 2.0)])
    def test_positive_semi_definite_also_for_ill_conditioned_points(self, k):
        residual = residuals.get("gp", Nystroem(k, np.linspace(-2.0, 2.0, 60)))
        assert np.linalg.eigvalsh(residual.covariance(X))[0] > -1e-10 * k.variance
        assert np.all(residual.variance(X) >= 0.0)

    def test_dropped_functions_stay_in_the_residual(self):
        smooth = SquaredExponential(1.0)
        basis = Nystroem(smooth, np.linspace(-2.0, 2.0, 50))
        assert basis.size < 50
        e = basis.features(X)
        np.testing.assert_allclose(e @ e.T + residuals.get("gp", basis).covariance(X), smooth(X), atol=1e-14)

    def test_the_law_of_the_draws_is_exact(self):
        # A draw is a linear map of its normals: unit vectors give the map, and the map times itself the covariance.
        inputs = np.vstack([X, Z[:3], X[:2]])  # with inputs where there is nothing left, and repeated ones
        root = self.residual.sample(inputs, np.eye(len(inputs)))
        np.testing.assert_allclose(root.T @ root, self.residual.covariance(inputs), atol=1e-13)

    def test_no_inputs(self):
        assert self.residual.sample(np.empty((0, 1)), np.empty((7, 0))).shape == (7, 0)
        assert self.residual.variance(np.empty((0, 1))).shape == (0,)


class TestThesis:
    residual = residuals.get("thesis", BASIS)

    def test_joint_is_the_printed_matrix(self):
        both = np.vstack([X, Z])
        e = BASIS.features(X)
        joint = self.residual.joint(X)
        np.testing.assert_allclose(joint[:25, :25], K(X, both) @ K(both, X) / 34, atol=1e-13)  # (D.122)
        np.testing.assert_allclose(joint[:25, 25:], e * BASIS.eigenvalues, atol=1e-14)
        np.testing.assert_allclose(joint[25:, 25:], np.diag(BASIS.eigenvalues), atol=0.0)
        assert np.array_equal(joint, joint.T)

    def test_it_is_no_covariance_and_says_so(self):
        assert smallest(self.residual.joint(X)) < -0.01
        assert self.residual.negative_eigenvalue(X) == pytest.approx(smallest(self.residual.joint(X)))

    def test_it_depends_on_what_else_is_asked(self):
        alone = self.residual.joint(X[:5])[:5, :5]
        assert np.abs(alone - self.residual.joint(X)[:5, :5]).max() > 0.01

    def test_the_draws_follow_the_nearest_positive_matrix(self):
        ascending, vectors = np.linalg.eigh(self.residual.joint(X))
        positive = (vectors * np.maximum(ascending, 0.0)) @ vectors.T
        matheron = np.hstack([np.eye(25), -BASIS.features(X)])
        expected = matheron @ positive @ matheron.T
        root = self.residual.sample(X, np.eye(25))
        np.testing.assert_allclose(root.T @ root, expected, atol=1e-12)
        np.testing.assert_allclose(self.residual.covariance(X), expected, atol=1e-12)
        np.testing.assert_allclose(self.residual.variance(X), expected.diagonal(), atol=1e-12)

    def test_two_sets_of_inputs_are_refused(self):
        refuse(lambda: self.residual.covariance(X, X), "X2 must be None")
