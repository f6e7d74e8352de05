"""Losses of statistical models and data."""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.networks.linear_model import LinearModel, padded
from particlegvi.losses.loss import Loss
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls


@explains_bad_calls
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
        A loss of the dim coefficients. All particles of a step have the same minibatch.
    """
    from particlegvi.engine.networks.batches import WAYS, Batches

    if not isinstance(batches, str) or batches not in WAYS:
        raise arguments.refuse("batches", batches, 'one of "epochs" and "fresh"')
    term = LinearModel(X, y, family, noise_variance)
    label = f"linear model, {family}"
    loss = Loss.from_term(term, name=label)
    if batch_size is None:
        return loss
    from particlegvi.engine.terms.evaluate import gradients

    rows = len(term.y)
    size = arguments.whole("batch_size", batch_size, 1, rows)
    drawn = Batches(rows, size, batches)

    def gradient_at(points: Array, step: int, seed: int) -> Array:
        numbers, begin, count = drawn.of(seed, step, 1, 1)
        chosen = numbers[0, begin[0] : begin[0] + count[0]]
        part = term._replace(X=padded(term.X[chosen]), y=term.y[chosen])
        return gradients(part, points) * (rows / len(chosen))

    return Loss(None, term.dim, label, functions=(loss.value, loss.gradient), gradient_at=gradient_at)
