"""The loss of networks against plain numpy and against differences, and its batches."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.networks import Network, NetworkLoss, activations, costs

from . import oracle

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
    expected = [oracle.cost(cost, oracle.outputs(net.widths, activation, each, X), np.asarray(y)) for each in theta]
    assert loss.value(theta) == pytest.approx(np.array(expected), rel=1e-12)
    assert loss.value(theta[1]) == loss.value(theta)[1]
    gradient = loss.gradient(theta)
    for each, found in zip(theta, gradient, strict=True):
        assert found == pytest.approx(oracle.slope(loss.value, each), abs=1e-7 * np.abs(gradient).max(), rel=1e-6)
    assert np.array_equal(loss.gradient(theta[1]), gradient[1])


@pytest.mark.parametrize("activation", activations.names())
@pytest.mark.parametrize("parameterisation", ["standard", "ntk"])
def test_every_activation_and_parameterisation(rng, activation, parameterisation):
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    net = Network(2, (11, 6), 1, activation, parameterisation)
    loss = NetworkLoss(net, X, y)
    theta = net.prior("unit").sample(2)
    f = np.array([oracle.outputs(net.widths, activation, each, X, net.scales)[:, 0] for each in theta])
    assert net.predict(theta, X) == pytest.approx(f, rel=1e-11, abs=1e-11)
    gradient = loss.gradient(theta)
    assert gradient[0] == pytest.approx(oracle.slope(loss.value, theta[0]), rel=1e-6, abs=1e-6 * np.abs(gradient).max())
    assert not np.allclose(gradient[0], gradient[1])


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize(("inputs", "hidden"), [(8, 50), (9, 7), (21, 16)])
def test_one_hidden_layer_behind_eight_inputs_or_more(rng, activation, inputs, hidden):
    """The shape of Table 5.1, whose two layers share one loop, over several blocks of rows."""
    X, y = rng.standard_normal((150, inputs)), rng.standard_normal(150)
    net = Network(inputs, (hidden,), activation=activation)
    loss, theta = NetworkLoss(net, X, y), net.prior().sample(2)
    value = lambda t: oracle.cost("squared", oracle.outputs(net.widths, activation, t, X), y)
    gradient = loss.gradient(theta)
    assert gradient[1] == pytest.approx(oracle.slope(value, theta[1]), rel=1e-6, abs=1e-7 * np.abs(gradient).max())
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
    with pytest.raises(ValueError, match="noise_variance must be"):
        loss.kl_weight()


def test_predictions_and_their_pull_back(rng):
    net = Network(2, (4, 3), outputs=2, activation="sine")
    theta, X = net.prior().sample(3), rng.standard_normal((7, 2))
    f = net.predict(theta, X)
    assert f.shape == (3, 7, 2)
    assert np.array_equal(net.predict(theta[0], X), f[0])
    slopes = rng.standard_normal(f.shape)
    found = net.pull_back(theta, X, slopes)
    weighted = lambda s: lambda t: np.sum(s * net.predict(t, X))
    expected = [oracle.slope(weighted(s), t) for t, s in zip(theta, slopes, strict=True)]
    assert found == pytest.approx(np.array(expected), rel=1e-6, abs=1e-7)


def test_a_network_has_no_target(rng):
    net = Network(2, (4,))
    loss = NetworkLoss(net, rng.standard_normal((9, 2)), rng.standard_normal(9))
    with pytest.raises(ValueError, match=r"predict"):
        pg.target(loss, pg.methods.DLE(0.1), prior=net.prior())
