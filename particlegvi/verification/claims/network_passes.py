"""The passes of networks, their batches, and repulsion of weights and of outputs."""

from __future__ import annotations

import warnings

import numpy as np

import particlegvi as pg
from particlegvi.methods.repulsion import interaction_velocity
from particlegvi.verification.claim import Check, Checks, claim


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
    push = -interaction_velocity(method, run, theta)(theta)
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
    force = -interaction_velocity(method, run, theta)(theta)

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
