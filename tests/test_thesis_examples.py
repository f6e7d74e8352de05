"""Statements and examples of the sources that no claim tests: Lemma C.1.4, the network of (C.24) to (C.29), and
Propositions 4 and 8 of Burt et al. (2020) for processes that are nonlinear in their parameters."""

import numpy as np
import pytest

import particlegvi as pg

SE = lambda a, b: np.exp(-0.5 * (a[:, None] - b) ** 2)
KERNELS = {  # and whether Lemma C.1.4 applies
    "squared exponential": (SE, True),
    "Matern 1/2": (lambda a, b: np.exp(-np.abs(a[:, None] - b)), True),
    "unbounded": (lambda a, b: (1.0 + a[:, None] * b) ** 2, False),
    "discontinuous": (lambda a, b: 1.0 * (a[:, None] == b), False),
}
NODES, MASSES = np.polynomial.hermite_e.hermegauss(40)  # of P = N(0, 1)


def squared_mmd(kernel, places, masses):
    """MMD^2 of a discrete law to P."""
    p = MASSES / MASSES.sum()
    return (
        masses @ kernel(places, places) @ masses
        - 2.0 * masses @ kernel(places, NODES) @ p
        + p @ kernel(NODES, NODES) @ p
    )


@pytest.mark.parametrize("name", KERNELS)
def test_mmd_is_weakly_continuous_where_the_kernel_is_bounded_and_continuous(name):
    """Two sequences with the weak limit delta_0: half of the mass at either of +-1/n, and 1/n of it at n^2."""
    kernel, continuous = KERNELS[name]
    limit = squared_mmd(kernel, np.zeros(1), np.ones(1))
    gaps = []
    for n in (10, 100, 1000):
        split = squared_mmd(kernel, np.array([-1.0, 1.0]) / n, np.full(2, 0.5))
        escaping = squared_mmd(kernel, np.array([0.0, n**2]), np.array([1.0 - 1.0 / n, 1.0 / n]))
        gaps.append(max(abs(split - limit), abs(escaping - limit)))
    assert (gaps[-1] < 0.01 and gaps[-1] < 0.2 * gaps[1] < 0.04 * gaps[0]) == continuous
    assert (gaps[-1] > 0.4) != continuous


def test_the_loss_of_a_network_is_not_coercive_and_weight_decay_makes_it_so(rng):
    """(C.24) to (C.29): the weights of the last layer grow without bound and those of the first layer are zero."""
    network = pg.networks.Network(2, (5,), activation="tanh")
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    loss = pg.networks.NetworkLoss(network, X, y)
    ways = np.array([1.0, 10.0, 1e3, 1e6])
    theta = np.zeros((len(ways), network.dim))
    theta[:, network.layers[1][0]] = ways[:, None]
    assert np.array_equal(loss.value(theta), np.full(len(ways), loss.value(theta[:1])[0]))
    assert loss.value(theta[:1])[0] == pytest.approx(np.mean(y**2), rel=1e-12)
    decayed = loss.value(theta) - 0.1 * network.prior("unit").log_density(theta)
    assert np.all(np.diff(decayed) > 0.0) and decayed[-1] > 1e11
    theta[:, network.layers[0][1]] = 0.5  # the first layer does not vanish, as with an activation that has s(0) != 0
    assert loss.value(theta)[-1] > 1e10


def waves(random, draws, inputs):
    """a sin(b x + c): a process with three parameters, locally Lipschitz in them, at evenly spaced inputs."""
    a, b, c = random.standard_normal((3, draws, 1))
    return a * np.sin((0.5 + 0.2 * b) * np.arange(inputs) + c)


def curved(f):
    """0 for every wave, as f(x+1) + f(x-1) = 2 cos(b) f(x) has one factor for all x; needs four inputs."""
    return np.abs((f[:, 0] + f[:, 2]) * f[:, 2] - (f[:, 1] + f[:, 3]) * f[:, 1])


def test_a_nonlinear_process_of_three_parameters_is_singular_to_a_gaussian_process(rng):
    """On the event |curved| < eps the law of waves has mass 1 and that of the Gaussian process c eps, so that by data
    processing KL is at least log(1/(c eps)), and D_f of any f at least that of two coins. Both D_f are their largest
    value f(0) + f'(infinity): for Hellinger's f(z) = (sqrt z - 1)^2 that is 2, where Proposition 8
    has f'(infinity) = 1.
    """
    draws, sizes = 400_000, np.array([1e-1, 1e-2, 1e-3])
    covariance = np.exp(-0.5 * (np.arange(4)[:, None] - np.arange(4)) ** 2 / 0.7**2)
    process = rng.standard_normal((draws, 4)) @ np.linalg.cholesky(covariance).T
    assert curved(waves(rng, draws, 4)).max() < 1e-12
    shares = np.array([np.mean(curved(process) < size) for size in sizes])
    kl, hellinger = -np.log(shares), 2.0 - 2.0 * np.sqrt(shares)
    error = np.sqrt(1.0 / (draws * shares))
    assert np.all(np.abs(np.diff(kl) - np.log(10.0)) < 5.0 * error[1:] + 0.4)  # a decade each, but for log(1/eps)
    assert np.all(np.diff(kl) > 1.7) and hellinger[-1] > 1.9
    # control: a fourth parameter, an offset of each wave, and the event has not all of the mass of waves
    moved = waves(rng, draws, 4) + rng.standard_normal((draws, 1))
    assert np.mean(curved(moved) < sizes[-1]) < 0.2
