"""The passes of networks, their batches, and repulsion of weights and of outputs."""

from __future__ import annotations

import warnings

import numpy as np

import particlegvi as pg
from particlegvi.methods.repulsion import interaction
from particlegvi.verification.claim import Check, Checks, claim

HIDDEN = ((6,), (5, 4), (4, 5, 3), (3, 4, 4, 3))
OUTPUTS = {"squared": 2, "logistic": 1, "softmax": 3, "heteroscedastic": 2}
ROWS, WIDTH = 20, 1e-7


@claim("chain rule", wrong="a gradient without the first biases")
def network_gradient(seed: int, wrong: bool) -> Checks:
    """The backward pass of a network is the gradient of its loss.

    The gradient along random directions against differences of the value: every activation, cost and depth.
    """
    random = np.random.default_rng(seed)
    errors = []
    for activation in pg.networks.activations.names():
        for cost in pg.networks.costs.names():
            for hidden in HIDDEN:
                net = pg.networks.Network(3, hidden, OUTPUTS[cost], activation)
                shape = (ROWS, OUTPUTS[cost]) if cost == "squared" else (ROWS,)
                labels = {"logistic": 2, "softmax": 3}.get(cost)
                y = random.standard_normal(shape) if labels is None else random.integers(0, labels, ROWS)
                loss = pg.networks.NetworkLoss(net, random.standard_normal((ROWS, 3)), y, cost)
                errors.append(error(loss, net.prior().sample(1, seed=seed)[0], random, wrong))
    return Check("largest relative error", max(errors), 1e-7)


def error(loss: pg.networks.NetworkLoss, theta: np.ndarray, random: np.random.Generator, wrong: bool) -> float:
    """Error of the slope along one direction, in units of the gradient's length."""
    direction = random.standard_normal(loss.dim)
    direction /= np.linalg.norm(direction)
    gradient = loss.gradient(theta)
    if wrong:
        gradient[loss.network.layers[0][1]] = 0.0
    both = np.asarray(loss.value(np.stack([theta + WIDTH * direction, theta - WIDTH * direction])))
    slope = (both[0] - both[1]) / (2.0 * WIDTH)
    return float(abs(gradient @ direction - slope) / np.linalg.norm(gradient))


@claim("docs/networks.md", wrong="the last incomplete batch is dropped")
def network_batches(seed: int, wrong: bool, *, rows: int = 103, size: int = 25, epochs: int = 6) -> Checks:
    """The batches of an epoch contain each row of the data once.

    The gradients of an epoch's batches, weighted by their rows, add up to the gradient of the whole loss.
    """
    random = np.random.default_rng(seed)
    net = pg.networks.Network(3, (6,), activation="tanh")
    X, y = random.standard_normal((rows, 3)), random.standard_normal(rows)
    loss = pg.networks.NetworkLoss(net, X, y, batch_size=size)
    theta = net.prior().sample(3, seed=seed)
    whole, errors = loss.gradient(theta), []
    sizes = [size] * (rows // size) + [rows % size]
    for epoch in range(epochs):
        steps = [epoch * len(sizes) + step for step in range(len(sizes) - wrong)]
        mean = sum(n * loss.gradient_at(theta, k, seed) for n, k in zip(sizes, steps, strict=False)) / rows
        errors.append(float(np.abs(mean - whole).max() / np.abs(whole).max()))
    return Check("largest relative error", max(errors), 1e-12)


@claim("docs/networks.md", wrong="a lengthscale of the networks' distance")
def weight_repulsion_cancels(seed: int, wrong: bool, *, particles: int = 5, width: float = 10.0) -> Checks:
    """Repulsion between weights by a wide kernel pushes every network alike.

    With a kernel wider than the ensemble every network is pushed by one vector, lambda1 (mean - prior mean) / l^2.

    The relative distance of a push from it is of the order of r^2 / l^2, with r the distance of two networks: bound by
    twice that.
    """
    net = pg.networks.Network(8, (50,))
    random = np.random.default_rng(seed)
    loss = pg.networks.NetworkLoss(net, random.standard_normal((30, 8)), random.standard_normal(30))
    prior = net.prior("unit")
    theta = prior.sample(particles, seed=seed) + 0.2
    distance = float(np.sqrt(2.0 * net.dim))
    lengthscale = distance * (1.0 if wrong else width)
    method = pg.methods.DRE(0.5, pg.kernels.SquaredExponential(lengthscale))
    with warnings.catch_warnings():  # that this repulsion hardly moves a network, which is the claim
        warnings.filterwarnings("ignore", message="the repulsion of DRE between 501 weights")
        run = pg.simulate(loss, method, prior=prior, initial=theta, steps=1, step_size=1e-6, seed=seed)
    push = -interaction(method, run, theta)(theta)
    common = theta.mean(axis=0) / lengthscale**2
    apart = np.sqrt(((push - common) ** 2).sum(axis=1)) / np.linalg.norm(common)
    return Check("largest relative distance from the common push", float(apart.max()), 2.0 / width**2)


@claim("docs/networks.md; thesis (C.123)", wrong="the Jacobian of another network")
def output_kernel(
    seed: int, wrong: bool, *, particles: int = 3, weight: float = 0.4, lengthscale: float = 1.5
) -> Checks:
    """Repulsion between outputs is N times the gradient of their MMD to the prior.

    The force of a kernel on outputs is N times the slope of mmd_weight MMD^2 of the outputs, by differences.

    The prior's part is the mean over the draws that the run froze.
    """
    random = np.random.default_rng(seed)
    net = pg.networks.Network(2, (5,), activation="tanh")
    X, context = random.standard_normal((20, 2)), random.standard_normal((6, 2))
    loss = pg.networks.NetworkLoss(net, X, np.sin(X[:, 0]))
    prior = net.prior()
    theta = prior.sample(particles, seed=seed)
    outputs = net.predict(prior.sample(200, seed=seed, role="prior"), context)
    kernel = pg.kernels.OnOutputs(pg.kernels.SquaredExponential(lengthscale), context)
    method = pg.methods.DRE(weight, kernel)
    run = pg.simulate(loss, method, prior=prior, initial=theta, steps=1, step_size=1e-6, seed=seed)
    force = -interaction(method, run, theta)(theta)

    def kappa(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(axis=2) / lengthscale**2)

    def objective(all_weights: np.ndarray) -> float:
        f = net.predict(all_weights.reshape(theta.shape), context)
        return float(weight * (kappa(f, f).mean() - 2.0 * kappa(f, outputs).mean()))

    flat, width = theta.reshape(-1), 1e-5
    shifts = width * np.eye(flat.size)
    slopes = [(objective(flat + shift) - objective(flat - shift)) / (2.0 * width) for shift in shifts]
    expected = particles * np.reshape(slopes, theta.shape)
    if wrong:
        force = np.roll(force, 1, axis=0)
    error = float(np.abs(force - expected).max() / np.abs(expected).max())
    return Check("largest relative error of the force", error, 1e-6)


@claim("docs/networks.md", wrong="a kernel on the weights")
def hidden_unit_symmetry(seed: int, wrong: bool, *, units: int = 40) -> Checks:
    """Permuting hidden units changes no output, and no kernel on outputs.

    Hidden units may change places: outputs and a kernel on them stay as they are.
    """
    random = np.random.default_rng(seed)
    net = pg.networks.Network(2, (units,), activation="tanh")
    theta, order = net.prior().sample(1, seed=seed)[0], random.permutation(units)
    (w1, b1), (w2, _) = net.layers
    moved = theta.copy()
    moved[w1] = theta[w1].reshape(2, units)[:, order].reshape(-1)
    moved[b1], moved[w2] = theta[b1][order], theta[w2][order]
    context = random.standard_normal((9, 2))
    first, second = (theta, moved) if wrong else net.predict(np.stack([theta, moved]), context)
    scale = float(np.sqrt((first**2).sum()))
    change = 1.0 - float(np.exp(-0.5 * ((first - second) ** 2).sum() / scale**2))
    return Check("1 - kernel of a network and its permutation", change, 1e-12)
