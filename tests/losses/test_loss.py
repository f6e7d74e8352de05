"""The four ways to make a loss, what they refuse, and what comes out for which shape."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numba
import numpy as np
import pytest

from particlegvi import losses
from particlegvi.losses.loss import Loss


class Parabola(NamedTuple):
    curvature: float = 2.0

    def value(self, x):
        return 0.5 * self.curvature * x[0] * x[0] + math.cos(x[1])

    def gradient(self, x, out):
        out[0] = self.curvature * x[0]
        out[1] = -math.sin(x[1])


class Weighted(NamedTuple):
    inner: NamedTuple
    weights: np.ndarray

    def value(self, x):
        return self.inner.value(x) + self.weights[0] * x[0] + self.weights[1] * x[1]

    def gradient(self, x, out):
        self.inner.gradient(x, out)
        out[0] += self.weights[0]
        out[1] += self.weights[1]


# Shapes


@pytest.mark.parametrize(
    ("x", "value_shape", "gradient_shape"),
    [
        (0.5, (), (1,)),
        (2, (), (1,)),
        (np.float32(0.5), (), (1,)),
        ([0.5], (1,), (1, 1)),
        ([0.5, 1.0, 2.0], (3,), (3, 1)),
        ([[0.5], [1.0]], (2,), (2, 1)),
        (np.zeros((0, 1)), (0,), (0, 1)),
    ],
)
def test_shapes_in_one_dimension(x, value_shape, gradient_shape):
    loss = losses.get("double-well")
    assert np.shape(loss.value(x)) == value_shape
    assert loss.gradient(x).shape == gradient_shape
    np.testing.assert_allclose(loss.value(x), 3 * (np.squeeze(x) ** 2 - 1) ** 2 * np.ones(value_shape))


@pytest.mark.parametrize(
    ("x", "value_shape", "gradient_shape"),
    [
        ([0.5, 1.0], (), (2,)),
        ([[0.5, 1.0]], (1,), (1, 2)),
        (np.zeros((5, 2)), (5,), (5, 2)),
        (np.zeros((2, 5)).T, (5,), (5, 2)),
        (np.zeros((5, 2), dtype=np.float32), (5,), (5, 2)),
    ],
)
def test_shapes_in_two_dimensions(x, value_shape, gradient_shape):
    loss = losses.get("ring")
    assert np.shape(loss.value(x)) == value_shape
    assert isinstance(loss.value(x), float) == (value_shape == ())
    assert loss.gradient(x).shape == gradient_shape


@pytest.mark.parametrize(
    "x", [1.0, [1.0], [1.0, 2.0, 3.0], np.zeros((2, 3)), np.zeros((1, 1, 2)), "x", [[1.0], [2.0, 3.0]]]
)
def test_wrong_shapes_are_named(x):
    with pytest.raises(ValueError, match="^x "):
        losses.get("ring").value(x)


def test_transposed_and_strided_points_are_read_right():
    loss = losses.get("banana")
    points = np.random.default_rng(0).normal(size=(9, 2))
    expected = loss.value(points)
    np.testing.assert_array_equal(loss.value(np.asfortranarray(points)), expected)
    np.testing.assert_array_equal(loss.value(np.repeat(points, 2, axis=0)[::2]), expected)


# from_term


def test_from_term_reads_name_and_dim_where_they_are_said():
    loss = Loss.from_term(Parabola(), dim=2)
    assert (loss.name, loss.dim, loss.kind, loss.formula) == ("Parabola", 2, "compiled", None)
    assert loss.variables == ["theta_1", "theta_2"]
    assert losses.get("double-well").variables == ["theta"]
    np.testing.assert_allclose(loss.gradient([3.0, 0.5]), [6.0, -math.sin(0.5)], rtol=1e-14)


def test_from_term_makes_floats_and_arrays_of_what_it_is_given():
    term = Weighted(Parabola(np.float32(3)), np.array([1, 2]))
    loss = Loss.from_term(term, dim=2)
    assert loss.term.weights.dtype == np.float64
    np.testing.assert_allclose(loss.gradient([1.0, 0.0]), [4.0, 2.0])
    assert Loss.from_term(Parabola(2), dim=2).term.curvature == 2.0


def test_a_class_defined_again_under_its_name_is_another_loss():
    """What happens in a notebook when a cell is edited and run again."""

    def define(factor):
        class Edited(NamedTuple):
            unused: float = 0.0

            def value(self, x):
                return factor * x[0]

            def gradient(self, x, out):
                out[0] = factor

        return Loss.from_term(Edited(), dim=1)

    first, second = define(1.0), define(-1.0)
    assert (first.value(2.0), second.value(2.0)) == (2.0, -2.0)
    assert (first.gradient(2.0)[0], second.gradient(2.0)[0]) == (1.0, -1.0)


def test_new_parameters_do_not_make_a_new_class():
    assert type(Loss.from_term(Parabola(1.0), dim=2).term) is type(Loss.from_term(Parabola(5.0), dim=2).term)


class NoGradient(NamedTuple):
    a: float = 1.0

    def value(self, x):
        return x[0]


class NoFields(NamedTuple):
    def value(self, x):
        return x[0]

    def gradient(self, x, out):
        out[0] = 1.0


@pytest.mark.parametrize(
    ("term", "dim", "part"),
    [
        ((1.0, 2.0), 1, "term must be a NamedTuple with at least one field, not (1.0, 2.0)"),
        (lambda x: x, 1, "term must be a NamedTuple"),
        (NoFields(), 1, "at least one field"),
        (NoGradient(), 1, "no method gradient"),
        (Parabola(), None, "dim must be a whole number from 1 to 16777216, not None"),
        (Parabola(), 0, "dim must be a whole number from 1 to 16777216, not 0"),
        (Parabola(), 2.5, "dim must be a whole number from 1 to 16777216, not 2.5"),
        (Parabola(), True, "dim must be a whole number from 1 to 16777216, not True"),
        (Parabola(math.inf), 2, "curvature of Parabola must be a finite number, not inf"),
        (Parabola("steep"), 2, 'curvature of Parabola must be a number or an array, not "steep"'),
        (Weighted(Parabola(), np.array([1.0, math.nan])), 2, "weights of Weighted"),
        (Weighted(Parabola(), np.array(["a", "b"])), 2, "weights of Weighted must be real numbers"),
    ],
)
def test_from_term_refuses(term, dim, part):
    with pytest.raises(ValueError) as raised:
        Loss.from_term(term, dim=dim)
    assert part in str(raised.value)


# from_formula


def test_from_formula():
    loss = Loss.from_formula("(1 - x)**2 + 5*(y - x^2)^2", variables=["x", "y"])
    assert (loss.dim, loss.kind, loss.variables, loss.name) == (2, "compiled", ["x", "y"], "formula")
    assert loss.formula == "(1 - x)**2 + 5*(y - x^2)^2"
    banana = losses.get("banana", scale=1.0, steepness=5.0)
    points = np.random.default_rng(1).normal(size=(20, 2))
    np.testing.assert_allclose(loss.value(points), banana.value(points), rtol=1e-13)
    np.testing.assert_allclose(loss.gradient(points), banana.gradient(points), rtol=1e-12, atol=1e-13)
    assert loss.plot_window is None
    assert loss.minima is None


# from_numba


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
def test_from_numba(value, gradient):
    loss = Loss.from_numba(value, gradient, dim=2)
    assert (loss.name, loss.kind, loss.dim) == ("quartic", "compiled", 2)
    points = np.random.default_rng(1).normal(size=(70, 2))
    np.testing.assert_allclose(loss.value(points), [quartic(x) for x in points], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(loss.gradient(points), [quartic_gradient(x) for x in points], rtol=1e-13, atol=1e-14)


def test_from_numba_in_one_dimension_takes_numbers():
    loss = Loss.from_numba(lambda x: math.cos(x[0]), lambda x: -math.sin(x[0]), dim=1)
    np.testing.assert_allclose(loss.gradient([0.3, 0.6])[:, 0], -np.sin([0.3, 0.6]), rtol=1e-14)


def test_from_numba_losses_do_not_replace_each_other():
    pair = [Loss.from_numba(lambda x, a=a: a * x[0], lambda x, a=a: a + 0.0 * x, dim=1) for a in (1.0, -2.0)]
    assert [loss.value(1.0) for loss in pair] == [1.0, -2.0]


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


@pytest.mark.parametrize(
    ("value", "gradient", "part"),
    [
        (3, quartic_gradient, "value must be a function, not 3"),
        (quartic, None, "gradient must be a function, not None"),
        (lambda x, y: 0.0, quartic_gradient, "value takes 2 arguments; it must be value(x)"),
        (quartic, lambda: 0.0, "gradient takes 0 arguments; it must be gradient(x) or gradient(x, out)"),
        (lambda x: x, quartic_gradient, "value(x) returned an array of shape (2,); it must return a number"),
        (lambda x: "a", quartic_gradient, "value(x) returned str; it must return a number"),
        (lambda x: 1j * x[0], quartic_gradient, "value(x) returned complex; it must return a number"),
        (quartic, lambda x: x[:1], "gradient(x) returned an array of shape (1,)"),
        (quartic, lambda x: x[0], "it must return an array of shape (2,)"),
        (quartic, lambda x: (x[0], x[1]), "gradient(x) returned tuple"),
        (undefined, quartic_gradient, "value cannot be compiled by numba (NameError: name 'nowhere' is not defined)"),
        (quartic, leaves_out, "gradient is not finite at any of"),
        (lambda x: math.log(-1.0 - x[0] ** 2), quartic_gradient, "value is not finite at any of"),
        (lambda x: np.log(-1.0 - x[0] ** 2), quartic_gradient, "value is not finite at any of"),
        (stops, quartic_gradient, "value failed at x ="),
    ],
)
def test_from_numba_refuses(value, gradient, part):
    with pytest.raises(ValueError) as raised, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Loss.from_numba(value, gradient, dim=2)
    assert part in str(raised.value)
    assert len(str(raised.value)) < 400


# from_numpy


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


@pytest.mark.parametrize(
    ("value", "gradient", "part"),
    [
        (3, square, "value must be a function, not 3"),
        (square, 3, "gradient must be a function, not 3"),
        (lambda X: (X**2).sum(axis=0), lambda X: 2 * X, "value(X) returned float64 of shape (2,)"),
        (lambda X: (X**2).sum(), lambda X: 2 * X, "value(X) returned float64 of shape ()"),
        (lambda X: (X**2).sum(axis=1, keepdims=True), lambda X: 2 * X, "it must return real numbers of shape (6,)"),
        (square, lambda X: 2 * X.T, "gradient(X) returned float64 of shape (2, 6)"),
        (square, lambda X: 2 * X[0], "it must return real numbers of shape (6, 2)"),
        (square, lambda X: 2j * X, "gradient(X) returned complex128"),
        (square, writes, "read-only"),
        (lambda X: X.nothing, lambda X: 2 * X, "the loss failed on a batch of shape (6, 2)"),
        (lambda X: np.log(-1 - square(X)), lambda X: 2 * X, "value is not finite at any of 6 trial points"),
        (square, lambda X: np.nan * X, "gradient is not finite at any of 6 trial points"),
    ],
)
def test_from_numpy_refuses(value, gradient, part):
    with pytest.raises(ValueError) as raised:
        Loss.from_numpy(value, gradient, dim=2)
    assert part in str(raised.value)


def test_from_numpy_checks_every_result_not_only_the_first():
    loss = Loss.from_numpy(square, lambda X: 2 * X if len(X) > 1 else X[0], dim=2)
    with pytest.raises(ValueError, match="of shape"):
        loss.gradient([1.0, 2.0])


# value and gradient that do not belong together


def test_a_right_gradient_is_taken_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Loss.from_numpy(lambda X: square(X) + 1e4, lambda X: 2 * X, dim=2)
        Loss.from_numpy(lambda X: -np.abs(np.sin(X[:, 0])), lambda X: -np.sign(np.sin(X)) * np.cos(X), dim=1)
        Loss.from_numpy(lambda X: np.log(X[:, 0]), lambda X: 1 / X, dim=1)  # finite on one side only
        Loss.from_numpy(lambda X: square(X.astype(np.float32)) + 10, lambda X: 2 * X, dim=2)  # differences are noise
        Loss.from_numpy(lambda X: np.sin(1000 * X[:, 0]), lambda X: 1000 * np.cos(1000 * X), dim=1)
        last = Loss.from_numba(quartic, quartic_gradient, dim=2)
    assert last.dim == 2


@pytest.mark.parametrize("wrong", [lambda X: -2 * X, lambda X: X, lambda X: 2 * X + 0.1, lambda X: 2 * X[:, ::-1]])
def test_a_wrong_gradient_is_warned_about(wrong):
    with pytest.warns(UserWarning, match="gradient disagrees with differences of value"):
        Loss.from_numpy(square, wrong, dim=2)


def test_repr_says_what_it_is():
    assert repr(losses.get("ring")) == "<Loss ring, 2 coordinates, compiled>"
    assert repr(Loss.from_formula("t**2", ["t"])) == "<Loss formula 't**2', 1 coordinate, compiled>"
