"""The layout of a particle, its names, its priors, and values that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.networks import Network, NetworkLoss, activations

from ..refusals import refused


def test_the_layout_is_layer_by_layer_weights_then_biases(rng):
    net = Network(inputs=3, hidden=(2,), outputs=2, activation="identity")
    assert net.dim == 3 * 2 + 2 + 2 * 2 + 2
    assert net.names[:9] == [*[f"w1[{i},{j}]" for i in range(3) for j in range(2)], "b1[0]", "b1[1]", "w2[0,0]"]
    theta = np.zeros(net.dim)
    theta[net.names.index("w1[2,1]")], theta[net.names.index("w2[1,0]")] = 3.0, 5.0
    theta[net.names.index("b1[1]")], theta[net.names.index("b2[0]")] = 0.5, 0.25
    assert net.predict(theta, [[7.0, 8.0, 2.0]])[0] == pytest.approx([5.0 * (3.0 * 2.0 + 0.5) + 0.25, 0.0])


def test_priors_by_layer():
    net = Network(4, (9, 16), 1)
    blocks = [(4, 9), (9, 16), (16, 1)]
    for name, sd in (
        ("he", [np.sqrt(2 / n) for n, _ in blocks]), ("kaiming-fan-out", [np.sqrt(2 / m) for _, m in blocks]),
        ("unit", [1, 1, 1]), (0.5, [0.5] * 3), ([3.0, 2.0, 1.0], [3, 2, 1]),
    ):  # fmt: skip
        prior = net.prior(name)
        assert prior.dim == net.dim
        for (weights, biases), expected in zip(net.layers, sd, strict=True):
            assert prior.sd[weights] == pytest.approx(expected)
            assert prior.sd[biases] == pytest.approx(expected)
    given = net.prior(weights=[3.0, 2.0, 1.0], biases=0.1)
    assert given.sd[net.layers[1][0]] == pytest.approx(2.0) and given.sd[net.layers[2][1]] == pytest.approx(0.1)
    assert net.prior({"weights": 2.0, "biases": [1, 2, 3]}).sd[net.layers[2][1]] == pytest.approx(3.0)
    assert np.array_equal(net.prior(np.arange(1.0, net.dim + 1)).sd, np.arange(1.0, net.dim + 1))


def test_the_prior_unit_of_the_ntk_parameterisation_beside_he(rng):
    """They are one law with relu and gelu; with the others "unit" is "he" over sqrt(2). Widths do not change sizes."""
    X = rng.standard_normal((5, 3))
    for activation in activations.names():
        ntk, standard = (Network(3, (8,), 1, activation, name) for name in ("ntk", "standard"))
        theta, factor = ntk.prior("unit").sample(2), 1.0 if activation in ("relu", "gelu") else np.sqrt(0.5)
        scaled = theta * standard.prior("he").sd * factor
        assert ntk.predict(theta, X) == pytest.approx(standard.predict(scaled, X))
    for width in (16, 128):
        net = Network(3, (width, width), parameterisation="ntk")
        squares = net.predict(net.prior("unit").sample(400), X[:1])[:, 0] ** 2
        exact = 2.0 / 3.0 * (np.sum(X[0] ** 2) + 1.0) + 4.0 / width  # each later layer adds its bias, scaled
        assert abs(squares.mean() - exact) < 4.0 * squares.std() / np.sqrt(400)


X, Y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
NET = Network(2, (3,))


test_bad_values_are_one_sentence = refused(
    (lambda: Network(0), "inputs must be"),
    (lambda: Network(2, ()), "hidden must be"),
    (lambda: Network(2, (0,)), "must be a whole number"),
    (lambda: Network(2, (-3,)), "must be a whole number"),
    (lambda: Network(2, "50"), "hidden must be"),
    (lambda: Network(2, (5,) * 5), "hidden must be"),
    (lambda: Network(2, (5000,)), "must be a whole number"),
    (lambda: Network(4096, (4096, 4096)), "parameters"),
    (lambda: Network(2, activation="rely"), 'did you mean "relu"'),
    (lambda: Network(2, parameterisation="mup"), "parameterisation must be"),
    (lambda: NET.prior("xavier"), "there is no start"),
    (lambda: NET.prior([1.0, 2.0, 3.0]), "sd must be"),
    (lambda: NET.prior(weights=[1.0, -1.0]), "weights must be"),
    (lambda: NET.predict(np.zeros((2, 5)), X), "particles must be"),
    (lambda: NET.predict(np.zeros(NET.dim), X[:, :1]), "X must be"),
    (lambda: NET.predict(np.zeros(NET.dim), X[0]), "X must be"),
    (lambda: NetworkLoss("net", X, Y), "network must be"),
    (lambda: NetworkLoss(NET, X, Y[:-1]), "y must be"),
    (lambda: NetworkLoss(NET, X, [np.nan, *Y[1:]]), "y must be"),
    (lambda: NetworkLoss(NET, X, [np.inf, *Y[1:]]), "y must be"),
    (lambda: NetworkLoss(NET, X * np.nan, Y), "X must be"),
    (lambda: NetworkLoss(NET, X[:, 0], Y), "X must be"),
    (lambda: NetworkLoss(NET, X, Y, "logistic"), "labels 0 and 1"),
    (lambda: NetworkLoss(NET, X, Y > 2, "softmax"), "outputs must be 2 or more"),
    (lambda: NetworkLoss(Network(2, (3,), 3), X, Y, "softmax"), "labels 0, 1, ..., 2"),
    (lambda: NetworkLoss(NET, X, Y, "heteroscedastic"), "outputs must be 2"),
    (lambda: NetworkLoss(NET, X, Y, "square"), 'did you mean "squared"'),
    (lambda: NetworkLoss(NET, X, Y, batch_size=0), "batch_size must be"),
    (lambda: NetworkLoss(NET, X, Y, batch_size=1.5), "batch_size must be"),
    (lambda: NetworkLoss(NET, X, Y, batch_size=7), "batch_size must be"),
    (lambda: NetworkLoss(NET, X, Y, batches="own"), "batches must be"),
    (lambda: NetworkLoss(NET, X, Y).gradient_at(np.zeros((1, NET.dim)), -1, 0), "step must be"),
    (lambda: pg.kernels.OnOutputs("median", X), "kernel must be"),
    (lambda: pg.kernels.OnOutputs(pg.kernels.SquaredExponential(), X[:0]), "inputs must be"),
)
