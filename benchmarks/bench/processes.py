"""Gaussian processes: the bounds of GPyTorch and GPflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads

from . import function_workloads as functions
from .timing import Contender, Work

Traced = Any  # an array of JAX, PyTorch or TensorFlow
SIZE = 1e-2  # of the steps of Adam


def gpytorch_svgp(X: Array, y: Array, count: int, steps: int) -> Work:
    """GPyTorch's variational process with learned inducing points and hyperparameters, Adam, all rows at each step."""
    import gpytorch
    import torch

    x, t = torch.as_tensor(X), torch.as_tensor(y)

    class Model(gpytorch.models.ApproximateGP):  # type: ignore[misc]
        def __init__(self) -> None:
            law = gpytorch.variational.CholeskyVariationalDistribution(count)
            strategy = gpytorch.variational.VariationalStrategy(self, x[:count].clone(), law)
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1]))

        def forward(self, at: Traced) -> Traced:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(at), self.covar_module(at))

    def work() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        model, likelihood = Model().double(), gpytorch.likelihoods.GaussianLikelihood().double()
        model.train()
        elbo = gpytorch.mlls.VariationalELBO(likelihood, model, len(t))
        adam = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=SIZE)
        for _ in range(steps):
            adam.zero_grad()
            (-elbo(model(x), t)).backward()
            adam.step()
        torch.set_num_threads(before)

    return work


def gpflow_bound(X: Array, y: Array, Z: Array) -> Work:
    """GPflow's SGPR: the compiled loss and its gradient in all variables, as its own optimisers take them."""
    import gpflow
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads.count())
    tf.config.threading.set_inter_op_parallelism_threads(threads.count())
    kernel = gpflow.kernels.SquaredExponential(lengthscales=np.full(X.shape[1], 2.0))
    model = gpflow.models.SGPR((X, y[:, None]), kernel, Z.copy(), noise_variance=functions.NOISE)

    @tf.function
    def both() -> Traced:
        with tf.GradientTape() as tape:
            loss = model.training_loss()
        return loss, tape.gradient(loss, model.trainable_variables)

    def work() -> float:
        for _ in range(functions.CALLS):
            value = float(both()[0])
        return value

    return work


def sparse_process(quick: bool) -> Contender:
    """Some of a thousand steps of GPyTorch's process."""
    given, steps = functions.data(), 10 if quick else 30
    return Contender("GPyTorch, 1000 steps", gpytorch_svgp(given.X, given.y, 100, steps), steps / 1000)


def elbo_gradient(quick: bool) -> Contender:
    """As many bounds of GPflow as of the engine."""
    return Contender("GPflow, traced", gpflow_bound(*functions.bound_data()), functions.CALLS)


RIVALS = {
    "sparse-process": [("gpytorch", sparse_process)],
    "elbo-gradient": [("gpflow", elbo_gradient)],
}
