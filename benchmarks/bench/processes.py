"""Gaussian processes: products of Fourier functions in PyTorch and JAX, and the bounds of GPyTorch and GPflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads

from . import function_workloads as functions
from .timing import Contender, Work

Traced = Any  # an array of JAX, PyTorch or TensorFlow
SIZE = 1e-2  # of the steps of Adam


def torch_products(x: Array, y: Array, w: Array, M: int) -> Work:
    """Products of matrices, as `numpy_products` takes them, in PyTorch."""
    import torch

    at, t, angles = (torch.as_tensor(each) for each in (x, y, w))

    def work() -> object:
        gram, projected = angles.new_zeros((len(w), len(w))), angles.new_zeros(len(w))
        for first in range(0, len(x), functions.BLOCK):
            angle = at[first : first + functions.BLOCK, None] * angles
            table = torch.cat([torch.cos(angle[:, : M + 1]), torch.sin(angle[:, M + 1 :])], dim=1)
            gram += table.T @ table
            projected += table.T @ t[first : first + functions.BLOCK]
        return gram, projected

    return work


def jax_products(x: Array, y: Array, w: Array, M: int) -> Work:
    """Products of matrices in JAX, a jitted scan over blocks of rows."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    blocks = len(x) // functions.BLOCK
    at, t = (jnp.asarray(each[: blocks * functions.BLOCK]).reshape(blocks, functions.BLOCK) for each in (x, y))
    angles = jnp.asarray(w)

    @jax.jit
    def run() -> Traced:
        def add(carry: Traced, block: Traced) -> Traced:
            angle = block[0][:, None] * angles
            table = jnp.concatenate([jnp.cos(angle[:, : M + 1]), jnp.sin(angle[:, M + 1 :])], axis=1)
            return (carry[0] + table.T @ table, carry[1] + table.T @ block[1]), None

        return jax.lax.scan(add, (jnp.zeros((len(w), len(w))), jnp.zeros(len(w))), (at, t))[0]

    return lambda: jax.block_until_ready(run())


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


def products(name: str, make: Callable[..., Work]) -> Callable[[bool], Contender]:
    """A function that makes the contender which takes the products of a part of the rows."""

    def made(quick: bool) -> Contender:
        return Contender(name, make(*functions.part_of_line()), functions.SHARE)

    return made


def sparse_process(quick: bool) -> Contender:
    """Some of a thousand steps of GPyTorch's process."""
    given, steps = functions.data(), 10 if quick else 30
    return Contender("GPyTorch, 1000 steps", gpytorch_svgp(given.X, given.y, 100, steps), steps / 1000)


def elbo_gradient(quick: bool) -> Contender:
    """As many bounds of GPflow as of the engine."""
    return Contender("GPflow, traced", gpflow_bound(*functions.bound_data()), functions.CALLS)


RIVALS = {
    "fourier-statistics": [
        ("torch", products("PyTorch, products", torch_products)),
        ("jax", products("JAX, products", jax_products)),
    ],
    "sparse-process": [("gpytorch", sparse_process)],
    "elbo-gradient": [("gpflow", elbo_gradient)],
}
