"""Repulsion between networks: of the weights, which cancels, and of the outputs, which is the gradient of an MMD."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.methods.repulsion import interaction
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class WeightRepulsionCancels(Claim):
    """With a kernel wider than the ensemble every network is pushed by one vector, lambda1 (mean - prior mean) / l^2.

    The relative distance of a push from it is of the order of r^2 / l^2, with r the distance of two networks: bound by
    twice that. Wrong: a lengthscale of r.
    """

    name = "weight-repulsion-cancels"
    claim = "Repulsion between weights by a wide kernel pushes every network alike"
    source = "docs/networks.md"
    wrong = "a lengthscale of the networks' distance"
    particles, width = 5, 10.0  # the right lengthscale in units of the distance

    def measure(self, seed: int, wrong: bool) -> Experiment:
        net = pg.networks.Network(8, (50,))
        random = np.random.default_rng(seed)
        loss = pg.networks.NetworkLoss(net, random.standard_normal((30, 8)), random.standard_normal(30))
        prior = net.prior("unit")
        theta = prior.sample(self.particles, seed=seed) + 0.2
        distance = float(np.sqrt(2.0 * net.dim))
        lengthscale = distance * (1.0 if wrong else self.width)
        method = pg.methods.DRE(0.5, pg.kernels.SquaredExponential(lengthscale))
        run = pg.simulate(loss, method, prior=prior, initial=theta, steps=1, step_size=1e-6, seed=seed)
        push = -interaction(method, run, theta)(theta)
        common = theta.mean(axis=0) / lengthscale**2
        apart = np.sqrt(((push - common) ** 2).sum(axis=1)) / np.linalg.norm(common)
        bound = 2.0 / self.width**2
        return Experiment((Check("largest relative distance from the common push", float(apart.max()), bound),),
                          {"apart": apart})  # fmt: skip

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(range(1, self.particles + 1), data["apart"])
        picture.frame("network", "distance from the common push", log="y", ylim=(1e-3, 10.0))


class OutputKernel(Claim):
    """The force of a kernel on outputs is N times the slope of mmd_weight MMD^2 of the outputs, by differences.

    The prior's part is the mean over the draws that the run froze. Wrong: each force is pulled back by the Jacobian of
    the next network.
    """

    name = "output-kernel"
    claim = "Repulsion between outputs is N times the gradient of their MMD to the prior"
    source = "docs/networks.md; thesis (C.123)"
    wrong = "the Jacobian of another network"
    particles, weight, lengthscale = 3, 0.4, 1.5

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        net = pg.networks.Network(2, (5,), activation="tanh")
        X, context = random.standard_normal((20, 2)), random.standard_normal((6, 2))
        loss = pg.networks.NetworkLoss(net, X, np.sin(X[:, 0]))
        prior = net.prior()
        theta = prior.sample(self.particles, seed=seed)
        outputs = net.predict(prior.sample(200, seed=seed, role="prior"), context)
        kernel = pg.kernels.OnOutputs(pg.kernels.SquaredExponential(self.lengthscale), context)
        method = pg.methods.DRE(self.weight, kernel)
        run = pg.simulate(loss, method, prior=prior, initial=theta, steps=1, step_size=1e-6, seed=seed)
        force = -interaction(method, run, theta)(theta)

        def objective(all_weights: np.ndarray) -> float:
            f = net.predict(all_weights.reshape(theta.shape), context)
            return self.weight * (self.kernel(f, f).mean() - 2.0 * self.kernel(f, outputs).mean())

        flat, width = theta.reshape(-1), 1e-5
        shifts = width * np.eye(flat.size)
        slopes = [(objective(flat + shift) - objective(flat - shift)) / (2.0 * width) for shift in shifts]
        expected = self.particles * np.reshape(slopes, theta.shape)
        if wrong:
            force = np.roll(force, 1, axis=0)
        error = float(np.abs(force - expected).max() / np.abs(expected).max())
        return Experiment((Check("largest relative error of the force", error, 1e-6),),
                          {"force": force.reshape(-1), "expected": expected.reshape(-1)})  # fmt: skip

    def kernel(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The squared exponential between the rows of two arrays."""
        return np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(axis=2) / self.lengthscale**2)

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(data["expected"], data["force"], "weights", markersize=4)
        picture.diagonal((data["expected"].min(), data["expected"].max()))
        picture.frame("slope of the objective, by differences", "force on a weight")


class HiddenUnitSymmetry(Claim):
    """Hidden units may change places: outputs and a kernel on them stay as they are. Wrong: a kernel on the weights."""

    name = "hidden-unit-symmetry"
    claim = "Permuting hidden units changes no output, and no kernel on outputs"
    source = "docs/networks.md"
    wrong = "a kernel on the weights"
    units = 40

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        net = pg.networks.Network(2, (self.units,), activation="tanh")
        theta, order = net.prior().sample(1, seed=seed)[0], random.permutation(self.units)
        (w1, b1), (w2, _) = net.layers
        moved = theta.copy()
        moved[w1] = theta[w1].reshape(2, self.units)[:, order].reshape(-1)
        moved[b1], moved[w2] = theta[b1][order], theta[w2][order]
        context = random.standard_normal((9, 2))
        first, second = (theta, moved) if wrong else net.predict(np.stack([theta, moved]), context)
        scale = float(np.sqrt((first**2).sum()))
        change = 1.0 - float(np.exp(-0.5 * ((first - second) ** 2).sum() / scale**2))
        outputs = net.predict(np.stack([theta, moved]), context)
        return Experiment((Check("1 - kernel of a network and its permutation", change, 1e-12),), {"outputs": outputs})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(*data["outputs"][:2]).frame("output of a network", "of its permutation")
