"""Losses whose values or gradients come from elsewhere: JAX, PyTorch, differences, and batches of the rows of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.losses.generalised_linear import LinearModel
from particlegvi.losses.loss import Loss
from particlegvi.tools import arguments
from particlegvi.tools.errors import needed

Function: TypeAlias = Callable[..., Any]
THIRD = np.finfo(np.float64).eps ** (1.0 / 3.0)  # of the size of a coordinate: rounding and curvature cost as much
MOST_AT_ONCE = 2_000_000  # numbers in the points of one call of a value
BATCHED = ("epochs", "fresh")


def by_differences(value: Function) -> Function:
    """The gradient of ``value(X)`` by central differences, in a few calls of many points.

    The step of a coordinate is 6e-6 times its size, or 6e-6 where it is below 1; the error is about 4e-11 of the third
    derivative, and 2e-11 of the value.
    """

    def gradient(X: Array) -> Array:
        n, dim = X.shape
        found = np.empty((n, dim))
        each = max(1, MOST_AT_ONCE // (2 * dim * dim))
        for first in range(0, n, each):
            points = np.array(X[first : first + each])
            steps = THIRD * np.maximum(np.abs(points), 1.0)
            above, below = points + steps, points - steps  # as rounded: their difference is the step that is taken
            moved = np.repeat(points[None, None], 2, axis=0).repeat(dim, axis=1)  # (2, dim, points, dim)
            for i in range(dim):
                moved[0, i, :, i], moved[1, i, :, i] = above[:, i], below[:, i]
            values = np.asarray(value(moved.reshape(-1, dim))).reshape(2, dim, len(points))
            found[first : first + each] = ((values[0] - values[1]) / (above - below).T).T
        return found

    return gradient


def jax_functions(f: Function, batched: bool) -> tuple[Function, Function]:
    """``f`` and its gradient at many points, compiled by JAX."""
    needed("a loss in JAX", "jax", "jax")
    import jax

    if not jax.config.jax_enable_x64:
        raise ValueError('JAX must compute in float64: call jax.config.update("jax_enable_x64", True) before this')
    if batched:
        return _numpy(jax.jit(f)), _numpy(jax.jit(jax.grad(lambda X: f(X).sum())))
    return _numpy(jax.jit(jax.vmap(f))), _numpy(jax.jit(jax.vmap(jax.grad(f))))


def torch_functions(f: Function, batched: bool) -> tuple[Function, Function]:
    """``f`` and its gradient at many points, by PyTorch, in float64 on the processor."""
    needed("a loss in PyTorch", "torch", "torch")
    import torch

    many = f if batched else torch.vmap(f)

    def value(X: Array) -> Array:
        with torch.no_grad():
            return _checked(many(torch.from_numpy(X.copy())))

    def gradient(X: Array) -> Array:
        points = torch.from_numpy(X.copy()).requires_grad_(True)
        return _checked(torch.autograd.grad(many(points).sum(), points)[0])

    def _checked(tensor: Any) -> Array:
        if tensor.dtype != torch.float64:
            raise ValueError(f"f must return float64, not {tensor.dtype}: give its constants dtype=torch.float64")
        return tensor.detach().numpy()

    return value, gradient


def _numpy(function: Function) -> Function:
    return lambda X: np.asarray(function(X))


def linear_model(
    X: ArrayLike,
    y: ArrayLike,
    family: str = "bernoulli",
    *,
    noise_variance: float = 1.0,
    batch_size: int | None = None,
    batches: str = "epochs",
) -> Loss:
    """Minus the log likelihood of a linear model, compiled: with ``kl_weight`` 1 the minimiser of DLE is the posterior.

    Parameters
    ----------
    X : array (n, dim)
        Inputs; a column of ones is the intercept. Inputs of one scale make the posterior rounder.
    y : array (n,)
        Labels 0 and 1 ("bernoulli"), numbers ("gaussian"), or counts ("poisson").
    family : str
        "bernoulli" (logit), "gaussian" (identity) or "poisson" (log).
    noise_variance : float
        Noise variance of an observation, for "gaussian" alone.
    batch_size : int, optional
        Rows of a minibatch, whose gradient times n / batch_size takes the place of the gradient. By default all rows.
    batches : str
        "epochs": each epoch visits every row once, in a new order. "fresh": each step draws rows anew.

    Returns
    -------
    Loss
        Of the dim coefficients. All particles of a step have the same minibatch.
    """
    term = LinearModel(X, y, family, noise_variance)
    label = f"linear model, {family}"
    loss = Loss.from_term(term, name=label)
    if batch_size is None:
        return loss
    from particlegvi.engine.networks.batches import Batches
    from particlegvi.engine.terms.evaluate import gradients

    rows = len(term.y)
    size = arguments.whole("batch_size", batch_size, 1, rows)
    if batches not in BATCHED:
        raise arguments.refuse("batches", batches, 'one of "epochs" and "fresh"')
    drawn = Batches(rows, size, batches)

    def gradient_at(points: Array, step: int, seed: int) -> Array:
        numbers, begin, count = drawn.of(seed, step, 1, 1)
        chosen = numbers[0, begin[0] : begin[0] + count[0]]
        part = term._replace(X=np.ascontiguousarray(term.X[chosen]), y=np.ascontiguousarray(term.y[chosen]))
        return gradients(part, points) * (rows / len(chosen))

    return Loss(None, term.dim, label, functions=(loss.value, loss.gradient), gradient_at=gradient_at)
