"""Functionals of functions of several inputs: products and sums over coordinates, and spherical harmonics."""

import re

import numpy as np
import pytest
from scipy.special import eval_legendre

from particlegvi.functionspace import ExactGaussianProcess, ProjectedLangevinSampler, SparseGaussianProcess, likelihoods
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.basis import Projection
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances import Matern12, Matern32, Matern52, OnCoordinates, SquaredExponential

from ...refusals import refused

pytestmark = pytest.mark.thorough
FIRST, SECOND = Matern32(0.4), Matern52(0.6, 1.3)
PRODUCT = OnCoordinates(FIRST, 0) * OnCoordinates(SECOND, 1)
SUM = OnCoordinates(SECOND, 1) + OnCoordinates(FIRST, 0)  # in another order than the coordinates
KINDS = ((fl.TensorProduct, PRODUCT), (fl.Additive, SUM))
NOISE = likelihoods.Gaussian(noise_variance=0.09)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
X = np.random.default_rng(3).uniform(size=(120, 2))
Y = np.sin(7.0 * X[:, 0]) + np.cos(5.0 * X[:, 1]) * (1.0 + X[:, 0])


def bound(k, kind, number, ends=True):
    return SparseGaussianProcess(k, NOISE, kind(*[fl.Fourier(0.0, 1.0, number, ends=ends)] * 2)).fit(X, Y).bound


def test_products_of_means_are_means_over_rectangles():
    rectangles = fl.TensorProduct(fl.Intervals([0.0, 0.4], [0.3, 1.0]), fl.Intervals([-0.2, 0.1, 0.5], [0.1, 0.7, 1.0]))
    gram, at = rectangles.gram(PRODUCT), np.array([[1.4, -0.5], [2.0, 0.9]])  # outside: k is smooth on the rectangles
    for i, (a, b) in enumerate(((0.0, 0.3), (0.4, 1.0))):
        for j, (c, d) in enumerate(((-0.2, 0.1), (0.1, 0.7), (0.5, 1.0))):
            x, y = 0.5 * (a + b) + 0.5 * (b - a) * NODES, 0.5 * (c + d) + 0.5 * (d - c) * NODES
            grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
            means = np.outer(WEIGHTS, WEIGHTS).ravel() / 4.0
            row = 3 * i + j
            assert np.allclose(rectangles.cross(PRODUCT, at)[row], means @ PRODUCT(grid, at), rtol=1e-12)
            assert np.allclose(gram[row], rectangles.cross(PRODUCT, grid) @ means, rtol=2e-4)  # kinked at a border


def test_inner_products_of_products_are_limits_of_grids():
    """g(Z)^T K(Z, Z)^-1 g(Z) grows to <g, g>_k as Z fills the rectangle: the error falls with the spacing."""
    some, errors = fl.TensorProduct(fl.Fourier(0.0, 1.0, 1), fl.Fourier(0.0, 1.2, 1)), []
    for number in (10, 20):
        line = np.linspace(0.0, 1.0, number)
        Z = np.stack(np.meshgrid(line, 1.2 * line), axis=-1).reshape(-1, 2)
        g = some.cross(PRODUCT, Z)
        limit = g @ np.linalg.solve(PRODUCT(Z) + 1e-10 * np.eye(len(Z)), g.T)
        errors.append(np.abs(limit - some.gram(PRODUCT)).max())
    assert errors[1] < 0.6 * errors[0] and errors[1] < 0.1 * some.gram(PRODUCT).max()


def test_additive_functionals_are_those_of_the_parts():
    """Means of F_0 over intervals, by nodes, are independent of those of F_1, and F is the sum of both."""
    low, high = np.array([0.0, 0.4]), np.array([0.3, 1.0])
    some, at = fl.Additive(fl.Intervals(low, high), fl.Intervals(low, high)), np.array([[1.4, -0.5], [2.0, 1.1]])
    gram, cross = some.gram(SUM), some.cross(SUM, at)
    for d, k in enumerate((FIRST, SECOND)):
        for i, (a, b) in enumerate(zip(low, high, strict=True)):
            x = (0.5 * (a + b) + 0.5 * (b - a) * NODES)[:, None]
            assert np.allclose(cross[2 * d + i], 0.5 * WEIGHTS @ k(x, at[:, [d]]), rtol=1e-12)
            assert gram[2 * d + i, 2 * d + i] == pytest.approx(0.25 * WEIGHTS @ k(x) @ WEIGHTS, rel=1e-4)
    assert not gram[:2, 2:].any() and gram[0, 1] > 0.0


@pytest.mark.parametrize(("kind", "k"), KINDS)
def test_the_gap_to_the_evidence_halves_unless_the_features_are_periodic(kind, k):
    """As on the line: the gap falls like 1 / M with the ends, and stays without them."""
    exact = ExactGaussianProcess(k, 0.09).fit(X, Y).log_marginal_likelihood()
    gaps = [exact - bound(k, kind, number) for number in (3, 6, 12)]
    assert gaps[2] > 0.0 and np.allclose([gaps[1] / gaps[0], gaps[2] / gaps[1]], 0.5, atol=0.05)
    assert exact - bound(k, kind, 12, ends=False) > 50.0 * gaps[2]


@pytest.mark.parametrize(("kind", "k"), KINDS)
def test_they_have_every_use_of_functionals(kind, k):
    some = kind(fl.Fourier(0.0, 0.9, 2, ends=True) + fl.Points([[0.5]]), fl.Intervals([0.0, 0.4], [0.3, 1.0]))
    assert np.linalg.eigvalsh((some + fl.Points(X[:3])).gram(k))[0] > -1e-12
    made = Projection(k, some + fl.Points(X[:3]))
    assert np.array_equal(unpacked(k, packed(made)).features(X), made.features(X))
    model = SparseGaussianProcess(k, NOISE, some).fit(X, Y)
    assert model.facts["outside"] == np.sum(X[:, 0] > 0.9)
    pls = ProjectedLangevinSampler(k, NOISE, some, particles=3, steps=2, prior="gp", seed=0).fit(X, Y)
    assert pls.predict(X[:2]).shape == (2,)


def sphere(number):
    """Nodes (n, 3) and weights of a quadrature on the sphere that is exact for products of harmonics of low degree."""
    z, heights = np.polynomial.legendre.leggauss(number)
    angles = 2.0 * np.pi * np.arange(2 * number) / (2 * number)
    flat = np.sqrt(1.0 - z**2)[:, None]
    x = np.stack(np.broadcast_arrays(flat * np.cos(angles), flat * np.sin(angles), z[:, None]), axis=-1)
    return x.reshape(-1, 3), np.repeat(heights, 2 * number) * np.pi / number


def test_harmonics_are_orthonormal_and_have_the_addition_theorem():
    x, weights = sphere(16)
    table = fl.SphericalHarmonics(12).cross(Matern12(), x)
    assert np.allclose(table * weights @ table.T, np.eye(169), atol=1e-13)
    degrees = np.repeat(np.arange(13), 2 * np.arange(13) + 1)
    for l in (1, 5, 12):
        rows = table[degrees == l]
        theorem = (2 * l + 1) / (4.0 * np.pi) * eval_legendre(l, x @ x[7])
        assert np.allclose(rows.T @ rows[:, 7], theorem, atol=1e-13)
    axes = fl.SphericalHarmonics(1).cross(Matern12(), np.eye(3))[1:] * np.sqrt(4.0 * np.pi / 3.0)
    assert np.allclose(axes, np.eye(3)[[1, 2, 0]])  # y, z, x


@pytest.mark.parametrize(("k", "wrong"), [(Matern52(0.7, 1.3), Matern52(0.75, 1.3)), (SquaredExponential(0.5),) * 2])
def test_their_variances_are_one_over_eigenvalues(k, wrong):
    x, weights = sphere(60)
    some, at = fl.SphericalHarmonics(5), x[[11, 800]]
    image = k(at, x) * weights @ some.cross(k, x).T
    expected = some.cross(k, at).T / np.diag(some.gram(k))
    assert np.allclose(image, expected, atol=1e-8)
    assert wrong is k or not np.allclose(image, some.cross(k, at).T / np.diag(some.gram(wrong)), atol=1e-3)


def test_the_bound_of_harmonics_grows_to_the_evidence(rng):
    x = rng.standard_normal((100, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    y = np.sin(4.0 * x[:, 0]) + x[:, 1] * x[:, 2]
    for k, least in ((Matern52(0.7), 0.2), (SquaredExponential(0.7), 1e-7)):
        exact = ExactGaussianProcess(k, 0.09).fit(x, y).log_marginal_likelihood()
        models = [SparseGaussianProcess(k, NOISE, fl.SphericalHarmonics(l)).fit(x, y) for l in (2, 5, 14)]
        gaps = [exact - model.bound for model in models]
        assert gaps[0] > gaps[1] > gaps[2] > -1e-9 and gaps[2] < least
        again = unpacked(k, packed(models[0].basis))
        assert all(re.fullmatch("[a-z_]+", name) for name in packed(models[0].basis))  # names of files
        assert np.array_equal(again.features(x), models[0].basis.features(x))
    union = fl.SphericalHarmonics(4) + fl.SphericalHarmonics(2) + fl.Points(x[:2])
    assert np.linalg.eigvalsh(union.gram(k))[0] > -1e-9


test_bad_features_are_refused = refused(
    (lambda: fl.TensorProduct(fl.Fourier(0, 1, 2)), "sets must be two or more sets of functionals of functions of one"),
    (lambda: fl.Additive(fl.Points([[0.0]]), fl.Points([[0.0, 1.0]])), "of functions of one coordinate"),
    (lambda: fl.TensorProduct(*[fl.Fourier(0, 1, 2)] * 2).gram(SUM), "must be a product of one OnCoordinates"),
    (lambda: fl.Additive(*[fl.Fourier(0, 1, 2)] * 2).gram(PRODUCT), "must be a sum of one OnCoordinates"),
    (lambda: fl.Additive(*[fl.Fourier(0, 1, 2)] * 3).gram(SUM), "for each of the 3 coordinates"),
    (lambda: fl.TensorProduct(*[fl.Fourier(0, 1, 2)] * 2).gram(OnCoordinates(FIRST, 0) * OnCoordinates(FIRST, 0)),
     "for each of the 2 coordinates"),
    (lambda: fl.Additive(*[fl.Fourier(0, 1, 2)] * 2).between(SUM, fl.Slopes(X)), "the covariance for slopes must be"),
    (lambda: fl.Additive(*[fl.Intervals(0, 1)] * 2).apply(lambda x: x[:, 0]), "mean must be None"),
    (lambda: OnCoordinates(FIRST, [0, 0]), "coordinates must be one or more numbers of columns, each once"),
    (lambda: OnCoordinates(FIRST, 2)(X), "coordinates must be below 2, the number of columns of the inputs"),
    (lambda: fl.SphericalHarmonics(-1), "degree must be"),
    (lambda: fl.SphericalHarmonics(2).cross(FIRST, [[0.0, 0.0, 1.1]]), "must have length 1, not 1.1 in row 0"),
    (lambda: fl.SphericalHarmonics(2).gram(Matern12([1.0, 1.0, 2.0])), "one of the distance with one lengthscale"),
    (lambda: fl.SphericalHarmonics(40).gram(SquaredExponential(1.0)), "degree must be at most"),
    (lambda: fl.SphericalHarmonics(2).between(Matern52(), fl.Slopes([[0.0, 0.0, 1.0]])), "joined with functionals"),
)  # fmt: skip
