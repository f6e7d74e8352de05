"""Functionals of functions of several inputs: products over coordinates."""

import numpy as np
import pytest

from particlegvi.functionspace import ExactGaussianProcess, ProjectedLangevinSampler, SparseGaussianProcess, likelihoods
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.basis import Projection
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances import Matern32, Matern52, OnCoordinates, SquaredExponential

from ...refusals import refused

pytestmark = pytest.mark.thorough
FIRST, SECOND = Matern32(0.4), Matern52(0.6, 1.3)
PRODUCT = OnCoordinates(FIRST, 0) * OnCoordinates(SECOND, 1)
SMOOTH = OnCoordinates(SquaredExponential(0.4), 0) * OnCoordinates(SquaredExponential(0.6, 1.3), 1)
SUM = OnCoordinates(SECOND, 1) + OnCoordinates(FIRST, 0)
NOISE = likelihoods.Gaussian(noise_variance=0.09)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
X = np.random.default_rng(3).uniform(size=(120, 2))
Y = np.sin(7.0 * X[:, 0]) + np.cos(5.0 * X[:, 1]) * (1.0 + X[:, 0])


def bound(number, ends=True):
    return (
        SparseGaussianProcess(PRODUCT, NOISE, fl.TensorProduct(*[fl.Fourier(0.0, 1.0, number, ends=ends)] * 2))
        .fit(X, Y)
        .bound
    )


def test_products_of_means_are_means_over_rectangles():
    rectangles = fl.TensorProduct(fl.Intervals([0.0, 0.4], [0.3, 1.0]), fl.Intervals([-0.2, 0.1, 0.5], [0.1, 0.7, 1.0]))
    gram, at = rectangles.gram(SMOOTH), np.array([[1.4, -0.5], [0.2, 0.9]])
    for i, (a, b) in enumerate(((0.0, 0.3), (0.4, 1.0))):
        for j, (c, d) in enumerate(((-0.2, 0.1), (0.1, 0.7), (0.5, 1.0))):
            x, y = 0.5 * (a + b) + 0.5 * (b - a) * NODES, 0.5 * (c + d) + 0.5 * (d - c) * NODES
            grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
            means = np.outer(WEIGHTS, WEIGHTS).ravel() / 4.0
            row = 3 * i + j
            assert np.allclose(rectangles.cross(SMOOTH, at)[row], means @ SMOOTH(grid, at), rtol=1e-12)
            assert np.allclose(gram[row], rectangles.cross(SMOOTH, grid) @ means, rtol=1e-12)


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


def test_the_gap_to_the_evidence_halves_unless_the_features_are_periodic():
    """As on the line: the gap falls like 1 / M with the ends, and stays without them."""
    exact = ExactGaussianProcess(PRODUCT, 0.09).fit(X, Y).log_marginal_likelihood()
    gaps = [exact - bound(number) for number in (3, 6, 12)]
    assert gaps[2] > 0.0 and np.allclose([gaps[1] / gaps[0], gaps[2] / gaps[1]], 0.5, atol=0.05)
    assert exact - bound(12, ends=False) > 50.0 * gaps[2]


def test_they_have_every_use_of_functionals():
    k = OnCoordinates(FIRST, 0) * OnCoordinates(SquaredExponential(0.6, 1.3), 1)
    some = fl.TensorProduct(
        fl.Fourier(0.0, 0.9, 2, ends=True) + fl.Points([[0.5]]), fl.Intervals([0.0, 0.4], [0.3, 1.0])
    )
    assert np.linalg.eigvalsh((some + fl.Points(X[:3])).gram(k))[0] > -1e-12
    of = some + fl.Points(X[:3])
    made = Projection(k, of)
    assert np.array_equal(unpacked(k, of, packed(made)).features(X), made.features(X))
    model = SparseGaussianProcess(k, NOISE, some).fit(X, Y)
    assert np.isfinite(model.bound)
    pls = ProjectedLangevinSampler(k, NOISE, some, particles=3, steps=2, prior="gp", seed=0).fit(X, Y)
    assert pls.predict(X[:2]).shape == (2,)


test_bad_features_are_refused = refused(
    (lambda: fl.TensorProduct(fl.Fourier(0, 1, 2)), "sets must be two or more sets of functionals of functions of one"),
    (lambda: fl.TensorProduct(*[fl.Fourier(0, 1, 2)] * 2).gram(SUM), "must be a product of one OnCoordinates"),
    (lambda: fl.TensorProduct(*[fl.Fourier(0, 1, 2)] * 2).gram(OnCoordinates(FIRST, 0) * OnCoordinates(FIRST, 0)),
     "for each of the 2 coordinates"),
    (lambda: OnCoordinates(FIRST, [0, 0]), "coordinates must be one or more numbers of columns, each once"),
    (lambda: OnCoordinates(FIRST, 2)(X), "coordinates must be below 2, the number of columns of the inputs"),
)  # fmt: skip
