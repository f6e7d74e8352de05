"""Inference over functions: Gaussian Wasserstein inference, Fourier features and sparse processes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import (
    GaussianWasserstein,
    SparseGaussianProcess,
    covariances,
    fit_hyperparameters,
    likelihoods,
    means,
)
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.functionspace.selection.objectives import CollapsedBound, Scratch

from .timing import Contender

ROWS, HELD, INPUTS, POINTS, EPOCHS = 404, 51, 13, 30, 1000  # sizes of the data set boston in the thesis's Table 4.1
NOISE = 0.1
BLOCK = 20_000  # rows of a block, in products of matrices
CALLS = 10  # bounds in one measurement


class Data(NamedTuple):
    """Training and validation rows, and inducing points among them."""

    X: Array
    y: Array
    held: tuple[Array, Array]
    Z: Array


def data() -> Data:
    """A regression of the size of boston."""
    random = np.random.default_rng(0)
    X = random.standard_normal((ROWS + HELD, INPUTS))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.3 * random.standard_normal(len(X))
    y = (y - y.mean()) / y.std()
    return Data(X[:ROWS], y[:ROWS], (X[ROWS:], y[ROWS:]), X[:POINTS])


def gwi_net(quick: bool) -> list[Contender]:
    """GWI-net with its kernel, 404 rows, 13 inputs, 30 inducing points, 1000 epochs, one thread"""
    given = data()
    start = covariances.SquaredExponential(np.full(INPUTS, np.sqrt(INPUTS)), 1.0)

    def ours() -> float:
        k, noise, _ = fit_hyperparameters(start, given.Z, given.y[:POINTS], NOISE)
        model = GaussianWasserstein(
            k, likelihoods.Gaussian(noise_variance=noise), given.Z, means.MeanNetwork((10, 10), EPOCHS)
        )
        return model.fit(given.X, given.y, given.held).objective_

    return [Contender("particlegvi, objective too", ours)]


def gwi_network(quick: bool) -> list[Contender]:
    """the network of GWI-net alone, 404 rows, all in a batch, 1000 epochs with validation rows, one thread"""
    given = data()

    def ours() -> None:
        means.MeanNetwork((10, 10), EPOCHS).fit(given.X, given.y, given.held, None, 0)

    return [Contender("particlegvi", ours)]


def sparse_process(quick: bool) -> list[Contender]:
    """a sparse variational process with its hyperparameters, 404 rows, 13 inputs, 100 inducing points"""
    given = data()

    def ours() -> None:
        k, noise = regression_covariance(given.X, given.y)
        SparseGaussianProcess(k, likelihoods.Gaussian(noise_variance=noise), 100).fit(given.X, given.y)

    return [Contender("particlegvi", ours)]


def gwi_large(quick: bool) -> list[Contender]:
    """GWI-net, 8000 rows, 8 inputs, 100 inducing points, 300 epochs in batches of 1000, one thread"""
    random = np.random.default_rng(0)
    X = random.standard_normal((8500, 8))
    y = np.sin(X[:, 0]) + 0.3 * random.standard_normal(len(X))
    held, k, gaussian = (X[8000:], y[8000:]), covariances.SquaredExponential(3.0, 1.0), likelihoods.Gaussian(0.1)

    def ours() -> None:
        network = means.MeanNetwork((10, 10), 300, batch_size=1000)
        GaussianWasserstein(k, gaussian, X[:100], network).fit(X[:8000], y[:8000], held)

    return [Contender("particlegvi", ours)]


def bound_data() -> tuple[Array, Array, Array]:
    """Inputs (3000, 8), targets, and 100 inducing points."""
    X, y = smooth(3000)
    return X, y, X[:100].copy()


def smooth(rows: int) -> tuple[Array, Array]:
    """Inputs (rows, 8) and targets of a smooth function with noise."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 8))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.3 * random.normal(size=rows)


def elbo_gradient(quick: bool) -> list[Contender]:
    """the ELBO and all its gradients, 3000 rows, 100 inducing points, 8 inputs, all threads"""
    X, y, Z = bound_data()
    bound = CollapsedBound(covariances.SquaredExponential(np.full(8, 2.0), 1.0), X, y, NOISE, Scratch())

    @one_blas_thread()
    def ours() -> None:
        for _ in range(CALLS):
            bound.everywhere(Z)

    return [Contender("particlegvi", ours, CALLS)]


def certificate(quick: bool) -> list[Contender]:
    """one certificate of 200 inducing points and 8 inputs, 10,000 rows, all threads"""
    k = covariances.SquaredExponential(np.full(8, 3.0), 1.0)
    model = SparseGaussianProcess(k, likelihoods.Gaussian(NOISE), 200).fit(*smooth(10_000))
    return [Contender("particlegvi", model.certify)]


ALL = (
    gwi_net, gwi_network, gwi_large, sparse_process, elbo_gradient, certificate,
)  # fmt: skip
