"""Covariances against formulas written down in another way, finite differences, and the definition of a covariance."""

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.pairs import scaled
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances import (
    Iterated,
    Matern12,
    Matern32,
    OnCoordinates,
    Periodic,
    SquaredExponential,
    Sum,
)

from ..differences import slopes
from ..refusals import refused
from .references import OwnProfile

RNG = np.random.default_rng(20)
A = RNG.normal(size=(9, 3))
B = np.vstack([RNG.normal(size=(6, 3)), A[:2]])  # two inputs in common with A
SCALES = np.array([0.7, 1.9, 1.1])


def examples():
    ard = [covariances.get(name, lengthscale=SCALES, variance=1.7) for name in covariances.names()]
    one = [covariances.get(name, lengthscale=0.8, variance=0.6) for name in covariances.names()]
    periodic = Periodic(period=1.3, lengthscale=0.9, variance=2.0)
    compound = [
        ard[0] + periodic,
        ard[0] * periodic,
        (ard[1] + ard[2]) * (one[0] + periodic) + one[3],
        ard[3] * ard[3],
        OnCoordinates(one[2], 2) * one[0] + OnCoordinates(covariances.get("matern-52", lengthscale=SCALES[:2]), [2, 0]),
    ]
    return [*ard, *one, periodic, *compound, OwnProfile(SCALES, 1.7), OwnProfile(0.8, 0.6)]


def identity(covariance):
    return repr(covariance)[:60]


def test_periodic_repeats_and_is_the_formula():
    k = Periodic(period=1.3, lengthscale=0.9, variance=2.0)
    np.testing.assert_allclose(k(A + 1.3 * np.array([1, -2, 3]), B), k(A, B), rtol=1e-12)
    exponent = sum(math.sin(math.pi * (p - q) / 1.3) ** 2 for p, q in zip(A[0], B[3], strict=True))
    assert k(A, B)[0, 3] == pytest.approx(2.0 * math.exp(-2.0 * exponent / 0.81), rel=1e-14)


def test_periodic_with_a_lengthscale_for_each_input_is_a_product_over_the_inputs():
    product = np.ones((len(A), len(B)))
    for d, scale in enumerate(SCALES):
        product *= Periodic(period=1.3, lengthscale=scale)(A[:, d], B[:, d])
    np.testing.assert_allclose(Periodic(1.3, SCALES, 2.0)(A, B), 2.0 * product, rtol=1e-13)


def test_iterated_is_the_mean_over_the_centres(rng):
    k = Matern32(0.8, 1.5)
    centres = rng.normal(size=(7, 3))
    terms = [k(A, c[None]) * k(c[None], B) for c in centres]
    r = Iterated(k, centres)
    np.testing.assert_allclose(r(A, B), np.mean(terms, axis=0), rtol=1e-13)
    np.testing.assert_allclose(r.diagonal(A), r(A).diagonal(), rtol=1e-13)


@pytest.mark.parametrize("k", examples(), ids=identity)
def test_symmetric_and_positive_semi_definite(k):
    X = np.vstack([A, A[:3], 1e-7 + A[:2]])
    matrix = k(X)
    assert np.array_equal(matrix, matrix.T)
    np.testing.assert_allclose(matrix, k(X, X), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(matrix.diagonal(), k.diagonal(X), rtol=1e-13)
    assert np.linalg.eigvalsh(matrix)[0] > -1e-13 * np.trace(matrix)
    np.testing.assert_allclose(k(A, B), k(B, A).T, rtol=1e-13)


def test_a_function_that_is_no_covariance_fails_that_test():
    class Box(SquaredExponential):
        @staticmethod
        def profile(s2):
            return (s2 < 1.0).astype(float)

    matrix = Box(1.0)(np.linspace(0.0, 3.0, 12))
    assert np.linalg.eigvalsh(matrix)[0] < -1e-2 * np.trace(matrix)


@pytest.mark.parametrize("k", examples(), ids=identity)
@pytest.mark.parametrize("other", [None, B], ids=["A with itself", "A with B"])
def test_gradients_in_the_parameters_are_differences(k, other):
    weights = np.random.default_rng(3).normal(size=(len(A), len(A if other is None else other)))  # not symmetric
    logs, made = k.log_parameters(), k.with_log_parameters
    _, found = k.gradients(A, A if other is None else other, weights)
    right = slopes(lambda v: np.sum(weights * made(v)(A, other)), logs)
    np.testing.assert_allclose(found, right, rtol=1e-7, atol=1e-8)
    assert len(found) == len(k.parameter_names()) == len(set(k.parameter_names()))
    of_diagonal = slopes(lambda v: weights[:, 0] @ made(v).diagonal(A), logs)
    np.testing.assert_allclose(k.diagonal_gradient(A, weights[:, 0]), of_diagonal, rtol=1e-5, atol=2e-7)


@pytest.mark.parametrize("k", examples(), ids=identity)
def test_gradients_in_the_inputs_are_differences_and_compiled_ones_agree(k):
    weights, apart = np.random.default_rng(3).normal(size=(len(A), len(B))), B[:6]  # two kernels have kinks at A
    right = slopes(lambda a: np.sum(weights[:, :6] * k(a, apart), axis=1), A)
    np.testing.assert_allclose(k.gradients(A, apart, weights[:, :6])[0], right, rtol=1e-6, atol=2e-8)
    columns = scaled.TOGETHER * (1 + len(B) // scaled.TOGETHER)
    both, value = k.between(A, B, columns), np.empty((len(A), columns))
    both.fill(value)
    np.testing.assert_allclose(value[:, : len(B)], k(A, B), rtol=1e-13)
    assert not value[:, len(B) :].any()
    compiled = both.gradients(np.pad(weights, ((0, 0), (0, columns - len(B)))))
    for fast, plain in zip(compiled, k.gradients(A, B, weights), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("k", examples(), ids=identity)
def test_parameters_come_back(k):
    again = k.with_log_parameters(k.log_parameters())
    np.testing.assert_allclose(again(A, B), k(A, B), rtol=1e-12)
    assert again.parameter_names() == k.parameter_names()
    np.testing.assert_allclose([v for key, v in k.facts().items() if key != "name"], np.exp(k.log_parameters()))


@pytest.mark.parametrize("name", sorted({*pg.kernels.names()} & {*covariances.names()}))
def test_a_kernel_of_the_particles_is_the_same_function(name):
    """Also with a lengthscale for each input."""
    kernel = pg.kernels.get(name, lengthscale=0.7, variance=1.4)
    k, scaled_k = covariances.of(kernel), covariances.get(name, lengthscale=0.7 * SCALES, variance=1.4)
    assert k.name == name
    for a, b in zip(A, B, strict=False):
        right = pytest.approx(kernel.value(float(np.sum((a - b) ** 2))), rel=1e-13)
        assert k(a[None], b[None])[0, 0] == right == scaled_k(a[None] * SCALES, b[None] * SCALES)[0, 0]


def test_sums_and_products_are_taken_apart():
    a, b, c = Matern12(), Matern32(2.0), Periodic()
    assert covariances.of(a + c).parts == (a, c)
    assert [part.name for part in (a + b + c).parts] == ["matern-12", "matern-32", "periodic"]
    assert [part.name for part in (a * b * c).parts] == ["matern-12", "matern-32", "periodic"]
    assert [part.name for part in (a * b + c).parts] == ["product", "periodic"]
    np.testing.assert_allclose((a * (b + c))(A, B), a(A, B) * b(A, B) + a(A, B) * c(A, B), rtol=1e-13)


test_bad_input_is_refused_in_one_sentence = refused(
    *(
        (lambda name=name: covariances.get(name, lengthscale=0.0), "^lengthscale must be a positive finite number")
        for name in covariances.names()
    ),
    (lambda: SquaredExponential(-1.0), r"lengthscale must be a positive finite number, o.*, not -1\.0"),
    (lambda: SquaredExponential("median"), 'lengthscale must be a positive finite number, o.*, not "median"'),
    (lambda: Matern12(1.0, float("nan")), "variance must be a positive finite number fr.*, not nan"),
    (lambda: Periodic(period=0.0), r"period must be a positive finite number from 1e-150 to 1e\+150, not 0\.0"),
    (lambda: Periodic(lengthscale=[1.0, 2.0])(A), "lengthscale must be one number, or on.*, not 2 numbers"),
    (lambda: SquaredExponential([1.0, 2.0])(A), "lengthscale must be one number, or on.*, not 2 numbers"),
    (lambda: SquaredExponential()(A, B[:, :2]), r"inputs must be an arra.*, not an array of the shape \(8,"),
    (lambda: SquaredExponential()(["a"]), r"inputs must be an array \(n, dim\) of finite numbers, not \['a'\]"),
    (lambda: covariances.get("matern32"), 'did you mean "matern-32"'),
    (lambda: covariances.get("sum"), "there is no covariance"),
    (lambda: covariances.of("matern-32"), 'kernel must be a covariance of particlegvi.*, not "matern-32"'),
    (lambda: Sum(), "one or more covariances"),
)
