"""Losses from terms and formulas, what is refused, and what comes out for which shape."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from particlegvi import losses
from particlegvi.losses.loss import Loss

from ..refusals import refuse, refused


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
    ("name", "x", "value_shape", "gradient_shape"),
    [
        ("double-well", 0.5, (), (1,)),
        ("double-well", [0.5], (1,), (1, 1)),
        ("double-well", [0.5, 1.0, 2.0], (3,), (3, 1)),
        ("double-well", np.zeros((0, 1)), (0,), (0, 1)),
        ("ring", [0.5, 1.0], (), (2,)),
        ("ring", np.zeros((5, 2)), (5,), (5, 2)),
        ("ring", np.zeros((2, 5)).T, (5,), (5, 2)),
        ("ring", np.zeros((5, 2), dtype=np.float32), (5,), (5, 2)),
    ],
)
def test_shapes(name, x, value_shape, gradient_shape):
    loss = losses.get(name)
    assert np.shape(loss.value(x)) == value_shape
    assert isinstance(loss.value(x), float) == (value_shape == ())
    assert loss.gradient(x).shape == gradient_shape
    if name == "double-well":
        np.testing.assert_allclose(loss.value(x), 3 * (np.squeeze(x) ** 2 - 1) ** 2 * np.ones(value_shape))


@pytest.mark.parametrize(
    "x", [1.0, [1.0], [1.0, 2.0, 3.0], np.zeros((2, 3)), np.zeros((1, 1, 2)), "x", [[1.0], [2.0, 3.0]]]
)
def test_wrong_shapes_are_named(x):
    refuse(lambda: losses.get("ring").value(x), "^x ")


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


class NoGradient(NamedTuple):
    a: float = 1.0

    def value(self, x):
        return x[0]


class NoFields(NamedTuple):
    def value(self, x):
        return x[0]

    def gradient(self, x, out):
        out[0] = 1.0


test_from_term_refuses = refused(
    lambda term, dim: Loss.from_term(term, dim=dim),
    *[
        ((1.0, 2.0), 1, "term must be a NamedTuple with at least one field, not (1.0, 2.0)"),
        (NoFields(), 1, "at least one field"),
        (NoGradient(), 1, "no method gradient"),
        (Parabola(), None, "dim must be a whole number from 1 to 16777216, not None"),
        (Parabola(math.inf), 2, "curvature of Parabola must be a finite number, not inf"),
        (Parabola("steep"), 2, 'curvature of Parabola must be a number or an array, not "steep"'),
        (Weighted(Parabola(), np.array([1.0, math.nan])), 2, "weights of Weighted"),
        (Weighted(Parabola(), np.array(["a", "b"])), 2, "weights of Weighted must be real numbers"),
    ],
    plain=True,
)
