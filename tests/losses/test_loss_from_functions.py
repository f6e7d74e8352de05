"""Losses made of functions, compiled or of numpy: what comes out, what is refused, and gradients that do not fit."""

import math
import warnings

import numba
import numpy as np
import pytest

from particlegvi.losses.loss import Loss

from ..refusals import refuse, refused

pytestmark = pytest.mark.thorough


def quartic(x):
    return x[0] ** 4 + x[0] * x[1]


def quartic_gradient(x):
    return np.array([4.0 * x[0] ** 3 + x[1], x[0]])


def quartic_filling(x, out):
    out[0] = 4.0 * x[0] ** 3 + x[1]
    out[1] = x[0]


@pytest.mark.parametrize(
    ("value", "gradient"),
    [(quartic, quartic_gradient), (numba.njit(quartic), numba.njit(quartic_filling))],
    ids=["plain", "jitted"],
)
@pytest.mark.sample("plain")
def test_from_numba(value, gradient):
    loss = Loss.from_numba(value, gradient, dim=2)
    assert (loss.name, loss.kind, loss.dim) == ("quartic", "compiled", 2)
    points = np.random.default_rng(1).normal(size=(70, 2))
    np.testing.assert_allclose(loss.value(points), [quartic(x) for x in points], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(loss.gradient(points), [quartic_gradient(x) for x in points], rtol=1e-13, atol=1e-14)


def test_from_numba_in_one_dimension_takes_numbers():
    loss = Loss.from_numba(lambda x: math.cos(x[0]), lambda x: -math.sin(x[0]), dim=1)
    np.testing.assert_allclose(loss.gradient([0.3, 0.6])[:, 0], -np.sin([0.3, 0.6]), rtol=1e-14)


def test_from_numba_functions_may_want_contiguous_points_and_may_write_to_them():
    @numba.njit("float64(float64[::1])")
    def value(x):
        x[0] *= 2.0
        return x[0]

    loss = Loss.from_numba(value, lambda x: np.full(2, 2.0) * np.array([1.0, 0.0]), dim=2)
    points = np.ones((3, 2))
    np.testing.assert_array_equal(loss.value(points), 2.0)
    np.testing.assert_array_equal(points, 1.0)


def undefined(x):
    return nowhere(x)  # type: ignore[name-defined]  # noqa: F821


def leaves_out(x, out):
    out[0] = 1.0


def stops(x):
    raise RuntimeError("no")


test_from_numba_refuses = refused(
    lambda value, gradient: Loss.from_numba(value, gradient, dim=2),
    *[
        (3, quartic_gradient, "value must be a function, not 3"),
        (quartic, lambda x: -np.array([4.0 * x[0] ** 3 + x[1], x[0]]), "the gradient of quartic at"),
        (lambda x, y: 0.0, quartic_gradient, "value takes 2 arguments; it must be value(x)"),
        (quartic, lambda: 0.0, "gradient takes 0 arguments; it must be gradient(x) or gradient(x, out)"),
        (lambda x: x, quartic_gradient, "value(x) returned an array of shape (2,); it must return a number"),
        (lambda x: "a", quartic_gradient, "value(x) returned str; it must return a number"),
        (quartic, lambda x: x[:1], "gradient(x) returned an array of shape (1,)"),
        (quartic, lambda x: (x[0], x[1]), "gradient(x) returned tuple"),
        (undefined, quartic_gradient, "value cannot be compiled by numba (NameError: name 'nowhere' is not defined)"),
        (quartic, leaves_out, "gradient is not finite at any trial point"),
        (lambda x: np.log(-1.0 - x[0] ** 2), quartic_gradient, "value is not finite at any of"),
        (stops, quartic_gradient, "value failed at x ="),
    ],
    plain=True,
)


def square(X):
    return (X**2).sum(axis=1)


def test_from_numpy():
    loss = Loss.from_numpy(square, lambda X: 2 * X, dim=2)
    assert (loss.term, loss.kind, loss.dim, loss.name) == (None, "numpy", 2, "square")
    np.testing.assert_array_equal(loss.value([[1, 2], [3, 4]]), [5.0, 25.0])
    np.testing.assert_array_equal(loss.gradient([3.0, 4.0]), [6.0, 8.0])
    assert loss.value([3.0, 4.0]) == 25.0
    assert loss.gradient(np.zeros((0, 2))).shape == (0, 2)


def writes(X):
    X *= 2.0
    return X


test_from_numpy_refuses = refused(
    lambda value, gradient: Loss.from_numpy(value, gradient, dim=2),
    *[
        (lambda X: square(X.astype(np.float32)), lambda X: 2 * X, "returned float32, which has seven digits only; it"),
        (square, lambda X: (2 * X).astype(np.float32), "gradient(X) returned float32"),
        (3, square, "value must be a function, not 3"),
        (lambda X: (X**2).sum(axis=0), lambda X: 2 * X, "value(X) returned float64 of shape (2,)"),
        (lambda X: (X**2).sum(axis=1, keepdims=True), lambda X: 2 * X, "it must return real numbers of shape (6,)"),
        (square, lambda X: 2 * X.T, "gradient(X) returned float64 of shape (2, 6)"),
        (square, writes, "read-only"),
        (lambda X: X.nothing, lambda X: 2 * X, "the loss failed on a batch of shape (6, 2)"),
        (lambda X: np.log(-1 - square(X)), lambda X: 2 * X, "value is not finite at any of 106 trial points"),
        (square, lambda X: np.nan * X, "gradient is not finite at any trial point"),
    ],
    plain=True,
)


def test_from_numpy_checks_every_result_not_only_the_first():
    loss = Loss.from_numpy(square, lambda X: 2 * X if len(X) > 1 else X[0], dim=2)
    refuse(lambda: loss.gradient([1.0, 2.0]), "of shape")


def test_a_right_gradient_is_taken_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Loss.from_numpy(lambda X: square(X) + 1e4, lambda X: 2 * X, dim=2)
        Loss.from_numpy(lambda X: -np.abs(np.sin(X[:, 0])), lambda X: -np.sign(np.sin(X)) * np.cos(X), dim=1)
        Loss.from_numpy(lambda X: np.log(X[:, 0]), lambda X: 1 / X, dim=1)  # finite on one side only
        Loss.from_numpy(lambda X: (square(X.astype(np.float32)) + 10).astype(float), lambda X: 2 * X, dim=2)  # noise
        Loss.from_numpy(lambda X: np.sin(1000 * X[:, 0]), lambda X: 1000 * np.cos(1000 * X), dim=1)
        last = Loss.from_numba(quartic, quartic_gradient, dim=2)
    assert last.dim == 2


@pytest.mark.parametrize("wrong", [lambda X: -2 * X, lambda X: X, lambda X: 2 * X + 0.1, lambda X: 2 * X[:, ::-1]])
def test_a_wrong_gradient_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^the gradient of square at \[.*\] must be .* as differences of its value"):
        Loss.from_numpy(square, wrong, dim=2)


@pytest.mark.parametrize("scale", [3.0, -1.0, 0.0])
def test_batches_whose_mean_is_not_the_gradient_are_refused(scale):
    def batch(X, step, seed):  # noise as large as the gradient
        return scale * 2 * X + np.random.default_rng([seed, step]).normal(size=X.shape)

    with pytest.raises(ValueError, match="mean of gradient_at over steps of square .* not .* times it"):
        Loss.from_numpy(square, lambda X: 2 * X, dim=2, gradient_at=batch)


def test_right_batches_pass():
    factors = np.array([0.2, 3.1, -0.3])  # three batches in turn, whose mean is the gradient

    def in_turn(X, step, seed):
        return factors[step % 3] * 2 * X

    def noisy(X, step, seed):
        return 2 * X + 10 * np.random.default_rng([seed, step]).normal(size=X.shape)

    def ends(X, step, seed):
        return [2 * X][step]

    for batch in (in_turn, noisy, ends):
        Loss.from_numpy(square, lambda X: 2 * X, dim=2, gradient_at=batch)
