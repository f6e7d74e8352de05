"""The backward pass of networks, and the batches whose gradients it makes."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

HIDDEN = ((6,), (5, 4), (4, 5, 3), (3, 4, 4, 3))
OUTPUTS = {"squared": 2, "logistic": 1, "softmax": 3, "heteroscedastic": 2}
ROWS, WIDTH = 20, 1e-7


class NetworkGradient(Claim):
    """The gradient along random directions against differences of the value: every activation, cost and depth.

    Wrong: the biases of the first layer are left out of the gradient.
    """

    name = "network-gradient"
    claim = "The backward pass of a network is the gradient of its loss"
    source = "chain rule"
    wrong = "a gradient without the first biases"

    def measure(self, seed: int, wrong: bool) -> Experiment:
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
                    errors.append(self.error(loss, net.prior().sample(1, seed=seed)[0], random, wrong))
        return Experiment((Check("largest relative error", max(errors), 1e-7),), {"errors": np.array(errors)})

    def error(
        self, loss: pg.networks.NetworkLoss, theta: np.ndarray, random: np.random.Generator, wrong: bool
    ) -> float:
        """Error of the slope along one direction, in units of the gradient's length."""
        direction = random.standard_normal(loss.dim)
        direction /= np.linalg.norm(direction)
        gradient = loss.gradient(theta)
        if wrong:
            gradient[loss.network.layers[0][1]] = 0.0
        both = np.asarray(loss.value(np.stack([theta + WIDTH * direction, theta - WIDTH * direction])))
        slope = (both[0] - both[1]) / (2.0 * WIDTH)
        return float(abs(gradient @ direction - slope) / np.linalg.norm(gradient))

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(range(len(data["errors"])), np.maximum(data["errors"], 1e-16), markersize=4)
        picture.frame("network: activation, cost and depth", "relative error of the slope", log="y")


class NetworkBatches(Claim):
    """The gradients of an epoch's batches, weighted by their rows, add up to the gradient of the whole loss.

    Wrong: the last batch of the epoch, which is smaller, is dropped.
    """

    name = "network-batches"
    claim = "The batches of an epoch are all of the data, each row once"
    source = "docs/networks.md"
    wrong = "the last incomplete batch is dropped"
    rows, size, epochs = 103, 25, 6

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        net = pg.networks.Network(3, (6,), activation="tanh")
        X, y = random.standard_normal((self.rows, 3)), random.standard_normal(self.rows)
        loss = pg.networks.NetworkLoss(net, X, y, batch_size=self.size)
        theta = net.prior().sample(3, seed=seed)
        whole, errors = loss.gradient(theta), []
        sizes = [self.size] * (self.rows // self.size) + [self.rows % self.size]
        for epoch in range(self.epochs):
            steps = [epoch * len(sizes) + step for step in range(len(sizes) - wrong)]
            mean = sum(n * loss.gradient_at(theta, k, seed) for n, k in zip(sizes, steps, strict=False)) / self.rows
            errors.append(float(np.abs(mean - whole).max() / np.abs(whole).max()))
        return Experiment((Check("largest relative error", max(errors), 1e-12),), {"errors": np.array(errors)})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.dots(range(1, self.epochs + 1), np.maximum(data["errors"], 1e-17))
        picture.frame("epoch", "mean of the batches - gradient", log="y")
