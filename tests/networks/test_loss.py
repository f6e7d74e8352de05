"""The loss of networks against plain numpy and against differences, and its batches."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import erf, expit

import particlegvi as pg
from particlegvi.methods.repulsion import lengthscale
from particlegvi.networks import Network, NetworkLoss, activations, costs

from ..differences import slopes
from ..refusals import refuse, refused

PHI = lambda z: 0.5 * (1.0 + erf(z / np.sqrt(2.0)))
ACTIVATIONS = {
    "relu": lambda z: np.maximum(z, 0.0), "tanh": np.tanh, "gelu": lambda z: z * PHI(z), "identity": lambda z: z,
    "sine": np.sin,
}  # fmt: skip


def plain_outputs(widths, activation, theta, X, scales=None):
    """Outputs (n, outputs) of one network in plain numpy whose parameters are theta (dim,), layer by layer."""
    at, a = 0, X
    for layer, (n, m) in enumerate(zip(widths[:-1], widths[1:], strict=True)):
        W, b = theta[at : at + n * m].reshape(n, m), theta[at + n * m : at + (n + 1) * m]
        a = (a @ W + b) * (1.0 if scales is None else scales[layer])
        a = ACTIVATIONS[activation](a) if layer < len(widths) - 2 else a
        at += (n + 1) * m
    return a


def plain_cost(name, f, y):
    """The mean cost of outputs f (n, outputs)."""
    if name == "squared":
        return np.mean(np.sum((f - y.reshape(len(f), -1)) ** 2, axis=1))
    if name == "logistic":
        p = expit(f[:, 0])
        return -np.mean(y * np.log(p) + (1 - y) * np.log1p(-p))
    if name == "softmax":
        p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
        return -np.mean(np.log(p[np.arange(len(y)), y.astype(int)]))
    v = np.log1p(np.exp(f[:, 1])) + 1e-6
    return np.mean(0.5 * np.log(v) + 0.5 * (y - f[:, 0]) ** 2 / v)


SHAPES = {"squared": 2, "logistic": 1, "softmax": 3, "heteroscedastic": 2}


def data(rng, cost, inputs=3, rows=45):
    X = rng.standard_normal((rows, inputs))
    if cost == "squared":
        return X, rng.standard_normal((rows, 2))
    if cost == "heteroscedastic":
        return X, rng.standard_normal(rows)
    return X, rng.integers(0, SHAPES[cost], rows).astype(float) if cost == "softmax" else rng.integers(0, 2, rows)


@pytest.mark.parametrize("cost", costs.names())
@pytest.mark.parametrize("hidden", [None, (5,), (9, 4), (3, 8, 2, 17)])
def test_values_and_gradients_agree_with_numpy(rng, cost, hidden):
    """Every depth with every cost; the activations take turns."""
    activation = activations.names()[len(hidden or ()) % 5]
    X, y = data(rng, cost)
    net = Network(3, hidden, SHAPES[cost], activation)
    loss = NetworkLoss(net, X, y, cost)
    theta = net.prior("he").sample(3)
    expected = [plain_cost(cost, plain_outputs(net.widths, activation, each, X), np.asarray(y)) for each in theta]
    assert loss.value(theta) == pytest.approx(np.array(expected), rel=1e-12)
    assert loss.value(theta[1]) == loss.value(theta)[1]
    gradient = loss.gradient(theta)
    for each, found in zip(theta, gradient, strict=True):
        assert found == pytest.approx(slopes(loss.value, each, 1e-6), abs=1e-7 * np.abs(gradient).max(), rel=1e-6)
    assert np.array_equal(loss.gradient(theta[1]), gradient[1])


@pytest.mark.parametrize("activation", activations.names())
@pytest.mark.parametrize("parameterisation", ["standard", "ntk"])
def test_every_activation_and_parameterisation(rng, activation, parameterisation):
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    net = Network(2, (11, 6), 1, activation, parameterisation)
    loss = NetworkLoss(net, X, y)
    theta = net.prior("unit").sample(2)
    f = np.array([plain_outputs(net.widths, activation, each, X, net.scales)[:, 0] for each in theta])
    assert net.predict(theta, X) == pytest.approx(f, rel=1e-11, abs=1e-11)
    gradient = loss.gradient(theta)
    assert gradient[0] == pytest.approx(slopes(loss.value, theta[0], 1e-6), rel=1e-6, abs=1e-6 * np.abs(gradient).max())
    assert not np.allclose(gradient[0], gradient[1])


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize(("inputs", "hidden"), [(8, 50), (9, 7), (21, 16)])
def test_one_hidden_layer_behind_eight_inputs_or_more(rng, activation, inputs, hidden):
    """The shape of Table 5.1, whose two layers share one loop, over several blocks of rows."""
    X, y = rng.standard_normal((150, inputs)), rng.standard_normal(150)
    net = Network(inputs, (hidden,), activation=activation)
    loss, theta = NetworkLoss(net, X, y), net.prior().sample(2)
    value = lambda t: plain_cost("squared", plain_outputs(net.widths, activation, t, X), y)
    gradient = loss.gradient(theta)
    assert gradient[1] == pytest.approx(slopes(value, theta[1], 1e-6), rel=1e-6, abs=1e-7 * np.abs(gradient).max())
    twice = NetworkLoss(net, np.tile(X, (2, 1)), np.tile(y, 2)).gradient(theta)
    assert twice == pytest.approx(gradient, rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_the_batches_of_an_epoch_add_up_to_the_gradient(rng, shared, seed):
    X, y = rng.standard_normal((103, 2)), rng.standard_normal(103)
    net = Network(2, (5,), activation="tanh")
    loss = NetworkLoss(net, X, y, batch_size=25, shared_batches=shared)
    theta = np.repeat(net.prior().sample(1), 3, axis=0)
    for first in (0, 5, 5000):
        batches = [loss.gradient_at(theta, first + step, seed) for step in range(5)]
        mean = sum(25 * each for each in batches[:4]) + 3 * batches[4]
        assert mean / 103 == pytest.approx(loss.gradient(theta), rel=1e-12, abs=1e-13)
        assert sum(25 * each for each in batches[:4]) / 100 != pytest.approx(loss.gradient(theta), rel=1e-12, abs=1e-13)
    assert np.array_equal(batches[0][0], batches[0][1]) == shared
    assert not np.array_equal(loss.gradient_at(theta, 0, 1), loss.gradient_at(theta, 5, 1))  # another order
    assert not np.array_equal(loss.gradient_at(theta, 0, 1), loss.gradient_at(theta, 0, 2))
    assert np.array_equal(loss.gradient_at(theta, 7, 1), loss.gradient_at(theta, 7, 1))


def test_fresh_batches_are_unbiased(rng):
    X, y = rng.standard_normal((40, 1)), rng.standard_normal(40)
    net = Network(1, None)
    loss = NetworkLoss(net, X, y, batch_size=10, batches="fresh")
    theta = np.ones((1, 2))
    draws = np.array([loss.gradient_at(theta, step, 4)[0] for step in range(4000)])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - loss.gradient(theta)[0]) < 4.0 * error)
    residual = 2.0 * (X[:, 0] + 1.0 - y)
    assert draws[:, 1].var() == pytest.approx(residual.var(ddof=1) / 10 * (1 - 10 / 40), rel=0.15)  # without repetition


def test_without_batch_size_every_step_has_all_rows(rng):
    net = Network(2, (3,))
    loss = NetworkLoss(net, rng.standard_normal((50, 2)), rng.standard_normal(50))
    theta = net.prior().sample(2)
    assert np.array_equal(loss.gradient_at(theta, 17, 3), loss.gradient(theta))


def test_the_kl_weight_is_that_of_the_posterior(rng):
    """exp(-loss / kl_weight) is the likelihood up to a constant."""
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    net = Network(2, (3,))
    loss, theta = NetworkLoss(net, X, y), net.prior().sample(2)
    f = net.predict(theta, X)
    log_likelihood = -0.5 * np.sum((y - f) ** 2, axis=1) / 0.05
    assert np.diff(-loss.value(theta) / loss.kl_weight(noise_variance=0.05)) == pytest.approx(np.diff(log_likelihood))
    assert loss.kl_weight(0.05) == pytest.approx(2 * 0.05 / 30)
    labels = (y > 0).astype(float)
    assert NetworkLoss(net, X, labels, "logistic").kl_weight() == pytest.approx(1 / 30)
    refuse(lambda: loss.kl_weight(), "noise_variance must be")


def test_predictions_and_their_pull_back(rng):
    net = Network(2, (4, 3), outputs=2, activation="sine")
    theta, X = net.prior().sample(3), rng.standard_normal((7, 2))
    f = net.predict(theta, X)
    assert f.shape == (3, 7, 2)
    assert np.array_equal(net.predict(theta[0], X), f[0])
    weights = rng.standard_normal(f.shape)
    found = net.pull_back(theta, X, weights)
    weighted = lambda s: lambda t: np.sum(s * net.predict(t, X))
    expected = [slopes(weighted(s), t, 1e-6) for t, s in zip(theta, weights, strict=True)]
    assert found == pytest.approx(np.array(expected), rel=1e-6, abs=1e-7)


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
    (lambda: Network(2, (5,) * 5), "hidden must be"),
    (lambda: Network(4096, (4096, 4096)), "parameters"),
    (lambda: NET.prior(weights=[1.0, -1.0]), "weights must be"),
    (lambda: NET.predict(np.zeros((2, 5)), X), "particles must be"),
    (lambda: NET.predict(np.zeros(NET.dim), X[0]), "X must be"),
    (lambda: NetworkLoss(NET, X, [np.nan, *Y[1:]]), "y must be"),
    (lambda: NetworkLoss(NET, X[:, 0], Y), "X must be"),
    (lambda: NetworkLoss(NET, X, Y > 2, "softmax"), "outputs must be 2 or more"),
    (lambda: NetworkLoss(NET, X, Y, "heteroscedastic"), "outputs must be 2"),
    (lambda: NetworkLoss(NET, X, Y).gradient_at(np.zeros((1, NET.dim)), -1, 0), "step must be"),
    (lambda: pg.kernels.OnOutputs(pg.kernels.SquaredExponential(), "new"), 'or "fresh"'),
    (
        lambda: lengthscale(pg.kernels.SquaredExponential("median"), None, SimpleNamespace(prior=pg.priors.Flat(2))),
        'lengthscale must be a number, not the rule "median"',
    ),
)
