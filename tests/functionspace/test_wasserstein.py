"""The 2-Wasserstein distance: against the optimal linear map and reference numbers; the thesis's estimator."""

import numpy as np
import pytest
from scipy import linalg

from particlegvi.functionspace import covariances
from particlegvi.functionspace.wasserstein.process_distance import (
    estimated_w2_squared,
    gaussian_w2_squared,
    process_w2_squared,
)

from ..refusals import refused

K = covariances.SquaredExponential(0.3, 1.0)
X = np.linspace(-1.0, 1.0, 60)[:, None]
ROOT = linalg.cholesky(K(np.linspace(-1.0, 1.0, 6)[:, None]), lower=True)


def whitened(A):
    return linalg.solve_triangular(ROOT, K(np.linspace(-1.0, 1.0, 6)[:, None], A), lower=True)


def shrunk(s):
    return lambda A, B=None: K(A, B) - (1.0 - s) * whitened(A).T @ whitened(A if B is None else B)


def test_known_distances_of_gaussians(rng):
    """Of matrices that commute and of degenerate ones; the claim `w2-gelbrich` has the cost of the optimal map."""
    turn, a, b = linalg.qr(rng.standard_normal((5, 5)))[0], *rng.uniform(0.0, 2.0, (2, 5))
    m, other = rng.standard_normal((2, 5))
    right = np.sum((m - other) ** 2) + np.sum((np.sqrt(a) - np.sqrt(b)) ** 2)
    given = (m, turn * a @ turn.T), (other, turn * b @ turn.T)
    for first, second in (given, given[::-1]):
        assert gaussian_w2_squared(*first, *second) == pytest.approx(right, rel=1e-8)
    assert gaussian_w2_squared(*given[0], *given[0]) == pytest.approx(0.0, abs=1e-7)
    assert gaussian_w2_squared([1.0], [[4.0]], [3.0], [[9.0]]) == pytest.approx(4.0 + 1.0)
    assert gaussian_w2_squared([0.0, 0.0], np.zeros((2, 2)), [0.0, 0.0], np.diag([1.0, 0.0])) == pytest.approx(1.0)


test_bad_input_is_refused_in_a_sentence = refused(
    (lambda: process_w2_squared(K, K, np.zeros((5001, 1))), "5000 rows, not 5001, which take 0.8 GB"),
    (lambda: estimated_w2_squared(K, K, X, [[1.0, 2.0]]), "points must be"),
    (lambda: gaussian_w2_squared([0.0], [[-1.0]], [0.0], [[1.0]]), "eigenvalue -1"),
    (lambda: gaussian_w2_squared([0.0], [[1.0]], [0.0, 1.0], np.eye(2)), "other_mean must be"),
)


def indefinite(A, B=None):
    """Of variance 1, and with the eigenvalue -1 for two points at the distance 1.5."""
    distance = np.abs(A - (A if B is None else B).T)
    return np.where(distance < 1e-9, 1.0, 0.0) + np.where(np.abs(distance - 1.5) < 0.25, 2.0, 0.0)


class TestWhatIsNoCovariance:
    @pytest.mark.parametrize("distance", [process_w2_squared, estimated_w2_squared])
    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            (lambda A, B=None: -K(A, B), "with the eigenvalue -"),
            (lambda A, B=None: K(A, B) * np.cos(4.0 * (A - (A if B is None else B).T)) - 0.3, "with the eigenvalue -"),
            (lambda A, B=None: K(A, B) * (1.0 + 0.1 * A), "not symmetric"),
            (lambda A, B=None: np.sqrt(K(A, B) - 0.5), "NaN"),
            (indefinite, "with the eigenvalue -"),
        ],
    )
    @pytest.mark.parametrize("key", ["k", "r"])
    @pytest.mark.filterwarnings("ignore:invalid value")
    def test_it_is_refused(self, distance, wrong, sentence, key):
        both = {"k": K, "r": K, key: wrong}
        with pytest.raises(ValueError, match=f"^{key} must be a covariance.*{sentence}"):
            distance(both["k"], both["r"], X, *([X[::2]] if distance is estimated_w2_squared else []))

    def test_rounding_and_processes_without_variance_are_allowed(self):
        nothing = process_w2_squared(K, lambda A, B=None: 0.0 * K(A, B), X)
        assert nothing == pytest.approx(1.0)
        # a posterior of millionths of the prior, as a difference, and one that is rounding alone
        small = process_w2_squared(K, shrunk(1e-9), X)
        assert small == pytest.approx(process_w2_squared(K, shrunk(0.0), X), abs=1e-4)
        both = [lambda A, B=None: K(A, B) + 1.0 - 1.0, lambda A, B=None: K(A, B) - K(A, B) * (1.0 - 1e-17)]
        assert process_w2_squared(*both, X) == pytest.approx(1.0)
        assert process_w2_squared(lambda A, B=None: np.round(K(A, B), 10), K, X) == pytest.approx(0.0, abs=1e-4)
