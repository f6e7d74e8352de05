"""Covariances of functionals: against quadrature, differences and reference numbers."""

import numpy as np
import pytest
from scipy.integrate import quad

from particlegvi import functionspace as fs
from particlegvi.functionspace import covariances, likelihoods
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.basis import Nystroem, Projection

from ...differences import slopes
from ...refusals import refused

SE, M32 = covariances.SquaredExponential, covariances.Matern32


def value(k, a, b):
    return k([[a]], [[b]]).item()


def mean_of(function, low, high, *breaks):
    inside = [each for each in breaks if low < each < high]
    return quad(function, low, high, points=inside or None, epsabs=1e-13, epsrel=1e-12)[0] / (high - low)


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.6), (-0.2, 0.2999), (0.3, 0.301)])
def test_means_over_intervals_are_integrals(low, high):
    k = SE(0.3, 1.7)
    one = fl.Intervals(low, high)
    for x in (-1.0, 0.05, 0.3, 0.45, 2.0):
        exact = mean_of(lambda t, x=x: value(k, t, x), low, high, x)
        assert one.cross(k, [[x]]).item() == pytest.approx(exact, rel=1e-9, abs=1e-12)
    for other in ((0.5, 1.4), (low, high), (0.2, 0.4), (3.0, 3.5)):
        exact = mean_of(
            lambda s: fl.Intervals(*other).cross(k, [[s]]).item(), low, high, *other  # noqa: B023
        )  # fmt: skip
        assert one.between(k, fl.Intervals(*other)).item() == pytest.approx(exact, rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("dim", [1, 3])
def test_slopes_are_differences(dim, rng):
    k, h = SE(np.array([0.6, 1.1, 0.8])[:dim], 1.3), 1e-5
    A, B = rng.standard_normal((4, dim)), rng.standard_normal((5, dim))
    B[0] = A[0]
    for c in range(dim):
        step = h * np.eye(dim)[c]
        exact = (k(A + step, B) - k(A - step, B)) / (2.0 * h)
        assert np.allclose(fl.Slopes(A, c).cross(k, B), exact, rtol=1e-6, atol=1e-8)
        for d in range(dim):
            step = h * np.eye(dim)[d]
            second = (fl.Slopes(A, c).cross(k, B + step) - fl.Slopes(A, c).cross(k, B - step)) / (2.0 * h)
            found = fl.Slopes(A, c).between(k, fl.Slopes(B, d))
            assert np.allclose(found[1:, 1:], second[1:, 1:], rtol=1e-4, atol=1e-6)
    line, mean = SE(0.3, 1.7), fl.Intervals(0.5, 1.4)
    (exact,) = slopes(lambda x: mean.cross(line, x[None])[:, 0], [0.3])
    assert fl.Slopes([[0.3]]).between(line, mean).item() == pytest.approx(exact.item(), rel=1e-6)
    gram = (fl.Points(A) + fl.Slopes(A, 0) + fl.Slopes(A, dim - 1)).gram(k)
    assert np.array_equal(gram, gram.T) and np.linalg.eigvalsh(gram)[0] > -1e-10


def test_windows_are_averages_under_a_normal_distribution():
    k = SE([0.4, 0.9], 1.3)
    windows = fl.Windows([[0.2, -0.1], [0.9, 0.4]], [[0.3, 0.2], [0.15, 0.0]])
    entries = windows.gram(k)[[0, 0, 1], [0, 1, 1]]
    assert np.allclose(entries, [0.85076847964, 0.341601447996, 1.148487871178], rtol=1e-10)
    assert np.allclose(windows.cross(k, [[0.5, 0.5]])[:, 0], [0.686159587386, 0.780396684803], rtol=1e-10)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    grid = np.array([[0.2 + 0.3 * a, -0.1 + 0.2 * b] for a in nodes for b in nodes])
    total = np.outer(weights, weights).ravel() / weights.sum() ** 2
    for other in (fl.Points([[0.1, 1.0]]), fl.Slopes([[0.4, 0.2]], 1), fl.Windows([[1.0, 0.0]], 0.5)):
        exact = total @ other.cross(k, grid).T
        assert np.allclose(windows.between(k, other)[0], exact, rtol=1e-9)
    line = SE(0.4, 1.3)
    points = 0.2 + 0.3 * nodes
    exact = weights @ fl.Intervals(0.1, 0.7).cross(line, points[:, None]).T / weights.sum()
    found = fl.Windows([[0.2]], 0.3).between(line, fl.Intervals(0.1, 0.7))
    assert np.allclose(found[0], exact, rtol=1e-9)
    assert np.allclose(fl.Windows(grid[:5], 0.0).gram(k), k(grid[:5]))


test_what_is_not_defined_is_refused_in_a_sentence = refused(
    (lambda: fl.Intervals([0.0, 1.0], [0.5, 1.0]), r"high\[1\] must be above low\[1\]"),
    (lambda: fl.Intervals([0.0], [np.inf]), "high must be finite numbers"),
    (lambda: fl.Windows([[0.0]], -0.1), "widths must be"),
    (lambda: fl.Slopes([[0.0]], coordinate=1), "coordinate must be"),
    (lambda: fl.Slopes([[0.0]]).gram(M32(0.3)), "the covariance for slopes must be"),
    (lambda: fl.Intervals(0.0, 1.0).gram(SE(0.3) + M32(0.2)), "the covariance for intervals must be"),
    (lambda: fl.Intervals(0.0, 1e-4).gram(SE(0.3)), "at least 1e-3 lengthscales long"),
    (lambda: fl.Windows([[0.0]], 0.1).gram(M32(0.3)), "the covariance for windows must be a squared exponential"),
    (lambda: fl.Intervals(0.0, 1.0) + fl.Points([[0.0, 1.0]]), "functions of 1 coordinates, not 2"),
    (lambda: fl.Intervals(0.0, 1.0).between(SE(0.3), fl.Points([[0.0, 1.0]])), "functions of 1 coordinates, not 2"),
    (lambda: Projection(M32(0.5), fl.Points([[0.1]])).prior_variances("rkhs"), 'prior must be "gp"'),
)


def test_functionals_of_a_function():
    def cubic(X):
        return X[:, 0] ** 3 + X[:, -1]

    assert np.allclose(fl.Points([[2.0], [1.0]]).apply(cubic), [10.0, 2.0])
    assert np.allclose(fl.Intervals([0.0], [2.0]).apply(cubic), [3.0])
    assert np.allclose(fl.Slopes([[2.0]]).apply(cubic), [13.0], rtol=1e-9)
    union = fl.Points([[2.0]]) + fl.Slopes([[2.0]]) + fl.Intervals(0.0, 2.0)
    assert len(union) == 3 and np.allclose(union.apply(cubic), [10.0, 13.0, 3.0])
    assert union.facts() == {"functionals": ["points", "slopes", "intervals"], "number": 3}


K = SE(0.5, 0.9) + SE(0.3, 0.5)
DATA = fl.Intervals([0.0, 0.25, 1.0], [0.25, 0.5, 1.6]) + fl.Points([[1.0], [0.1]]) + fl.Slopes([[0.7]])
Y = np.array([1.0, 1.3, 0.2, 0.5, 0.9, -1.0])
LOOK = fl.Points([[0.3], [2.0]]) + fl.Slopes([[0.4]]) + fl.Intervals(0.0, 1.0)


@pytest.mark.parametrize("mean", [None, lambda X: 2.0 - X[:, 0] ** 2])
def test_a_posterior_is_the_conditional_of_the_joint_distribution(mean):
    gp = fs.ExactGaussianProcess(K, 0.05, mean).fit(DATA, Y)
    joint = (DATA + LOOK).gram(K)
    joint[:6, :6] += 0.05 * np.eye(6)
    precision = np.linalg.inv(joint)  # independent of the formulas: the block of what is looked at
    covariance = np.linalg.inv(precision[6:, 6:])
    of_mean = np.zeros(10) if mean is None else np.concatenate([DATA.apply(mean), LOOK.apply(mean)])
    expected = of_mean[6:] - covariance @ precision[6:, :6] @ (Y - of_mean[:6])
    found, sd = gp.predict(LOOK, return_std=True)
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert np.allclose(sd**2, covariance.diagonal(), rtol=1e-8)
    assert np.allclose(gp.posterior_covariance(LOOK), covariance, atol=1e-10)
    root = gp.sample(LOOK, np.eye(4)) - found  # a draw is a linear map of its normals
    assert np.allclose(root.T @ root, covariance, atol=1e-10)
    residual = Y - of_mean[:6]
    evidence = -0.5 * residual @ np.linalg.solve(joint[:6, :6], residual) - 0.5 * np.linalg.slogdet(joint[:6, :6])[1]
    assert gp.log_marginal_likelihood() == pytest.approx(evidence - 3.0 * np.log(2.0 * np.pi), rel=1e-10)
    wrong = fs.ExactGaussianProcess(K, 0.05, mean).fit([[0.125], [0.375], [1.3], [1.0], [0.1], [0.7]], Y)
    assert np.abs(wrong.predict([[2.0]]) - found[1]) > 0.01  # control: centres as points, a slope as a value


def test_points_are_what_arrays_are(rng):
    X, t, y = rng.uniform(0.0, 2.0, (12, 1)), rng.uniform(0.0, 2.0, (5, 1)), rng.standard_normal(12)
    plain, by_points = fs.ExactGaussianProcess(K, 0.1).fit(X, y), fs.ExactGaussianProcess(K, 0.1).fit(fl.Points(X), y)
    assert np.allclose(plain.predict(t, return_std=True), by_points.predict(t, return_std=True), rtol=1e-10)
    nystroem, projection = Nystroem(K, X), Projection(K, fl.Points(X))
    a, b = nystroem.features(t), projection.features(t)
    assert np.allclose(a @ a.T, b @ b.T, atol=1e-10)
    sparse = [fs.SparseGaussianProcess(K, likelihoods.Gaussian(0.1), Z).fit(X, y) for Z in (X, fl.Points(X))]
    assert sparse[0].bound == pytest.approx(sparse[1].bound, rel=1e-9)
