"""Inference over functions: Gaussian Wasserstein inference, Fourier features and sparse processes, with rivals."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlegvi.bench import function_rivals as others
from particlegvi.bench import rivals
from particlegvi.bench.timing import Contender
from particlegvi.functionspace import (
    GaussianWasserstein,
    SparseGaussianProcess,
    covariances,
    fit_hyperparameters,
    functionals,
    likelihoods,
    means,
    process_w2,
)
from particlegvi.functionspace.basis.fourier_sums import FourierSums
from particlegvi.functionspace.gp.automatic import regression_covariance

ROWS, HELD, INPUTS, POINTS, EPOCHS = 404, 51, 13, 30, 1000  # as the set boston of the thesis's Table 4.1
NOISE = 0.1
MANY, FREQUENCIES = 1_000_000, 50


class Data(NamedTuple):
    """Training and validation rows, and inducing points among them."""

    X: np.ndarray
    y: np.ndarray
    held: tuple[np.ndarray, np.ndarray]
    Z: np.ndarray


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
            k, likelihoods.Gaussian(noise_variance=noise), given.Z, means.Network((10, 10), EPOCHS)
        )
        return model.fit(given.X, given.y, given.held).objective_

    found = [Contender("particlegvi, objective too", ours)]
    if rivals.installed("torch"):
        steps = 10 if quick else 30
        work = others.torch_published(given.X, given.y, given.Z, steps)
        found.append(Contender("PyTorch, published loop", work, steps / EPOCHS))
    if rivals.installed("jax"):
        steps = 10 if quick else 30
        found.append(
            Contender("JAX scan of it", others.jax_published(given.X, given.y, given.Z, steps), steps / EPOCHS)
        )
    return found


def gwi_network(quick: bool) -> list[Contender]:
    """the network of GWI-net alone, 404 rows, all in a batch, 1000 epochs with validation rows, one thread"""
    given = data()

    def ours() -> None:
        means.Network((10, 10), EPOCHS).train(given.X, given.y, given.held, 0)

    found = [Contender("particlegvi", ours)]
    if rivals.installed("torch"):
        epochs = 100 if quick else 300
        found.append(
            Contender("PyTorch loop", others.torch_network(given.X, given.y, given.held, epochs), epochs / EPOCHS)
        )
    if rivals.installed("jax"):
        found.append(Contender("JAX scan", others.jax_network(given.X, given.y, given.held, EPOCHS)))
    if rivals.installed("sklearn"):
        found.append(Contender("MLPRegressor", others.sklearn_network(given.X, given.y, 200), 200 / EPOCHS))
    return found


def line() -> tuple[np.ndarray, np.ndarray]:
    """A million rows of one input."""
    random = np.random.default_rng(0)
    x = random.uniform(0.0, 1.0, (MANY, 1))
    return x, np.sin(12.0 * x[:, 0]) + 0.3 * random.standard_normal(MANY)


def fourier_statistics(quick: bool) -> list[Contender]:
    """E^T E and E^T y of 101 Fourier functions of 10^6 rows, all threads"""
    x, y = line()
    some, k = functionals.Fourier(-0.5, 1.5, FREQUENCIES), covariances.Matern32(0.2, 1.0)
    w, share = some.angles(), 0.1
    part = slice(0, int(share * MANY))
    arrays = x[part, 0] + 0.5, y[part], w, FREQUENCIES
    found = [
        Contender("particlegvi", lambda: FourierSums(some, x, y).products(k)),
        Contender("numpy, products of matrices", others.numpy_products(*arrays), share),
    ]
    if rivals.installed("torch"):
        found.append(Contender("PyTorch, products", others.torch_products(*arrays), share))
    if rivals.installed("jax"):
        found.append(Contender("JAX, products", others.jax_products(*arrays), share))
    return found


def fourier_hyperparameters(quick: bool) -> list[Contender]:
    """sums of 10^6 rows, one bound after that, and hyperparameters of 10^6 rows, 101 Fourier functions"""
    x, y = line()
    some, start = functionals.Fourier(-0.5, 1.5, FREQUENCIES), covariances.Matern32(0.5, 0.5)
    sums = FourierSums(some, x, y)
    return [
        Contender("sums", lambda: FourierSums(some, x, y)),
        Contender("one bound", others.bounds(sums, 20), 20.0),
        Contender("hyperparameters", lambda: fit_hyperparameters(start, x, y, 0.3, functionals=some)),
    ]


def sparse_process(quick: bool) -> list[Contender]:
    """a sparse variational process with its hyperparameters, 404 rows, 13 inputs, 100 inducing points"""
    given = data()

    def ours() -> None:
        k, noise = regression_covariance(given.X, given.y)
        SparseGaussianProcess(k, likelihoods.Gaussian(noise_variance=noise), 100).fit(given.X, given.y)

    found = [Contender("particlegvi", ours)]
    if rivals.installed("gpytorch"):
        steps = 10 if quick else 30
        found.append(
            Contender("GPyTorch, 1000 steps", others.gpytorch_svgp(given.X, given.y, 100, steps), steps / 1000)
        )
    return found


def gwi_large(quick: bool) -> list[Contender]:
    """GWI-net, 8000 rows, 8 inputs, 100 inducing points, 300 epochs in batches of 1000, one thread"""
    random = np.random.default_rng(0)
    X = random.standard_normal((8500, 8))
    y = np.sin(X[:, 0]) + 0.3 * random.standard_normal(len(X))
    held, k, gaussian = (X[8000:], y[8000:]), covariances.SquaredExponential(3.0, 1.0), likelihoods.Gaussian(0.1)

    def ours() -> None:
        network = means.Network((10, 10), 300, batch_size=1000)
        GaussianWasserstein(k, gaussian, X[:100], network).fit(X[:8000], y[:8000], held)

    return [Contender("particlegvi", ours)]


def process_distance(quick: bool) -> list[Contender]:
    """W2 of a process with 15 inducing points and its prior: 20,000 rows of the line by low rank; 1000 rows densely"""
    x, k = np.linspace(-1.0, 1.0, 20_000)[:, None], covariances.SquaredExponential(0.1, 1.0)
    model = GaussianWasserstein(k, likelihoods.Gaussian(0.25), x[::1400]).fit(x, np.sin(3.0 * x[:, 0]))
    return [
        Contender("particlegvi, 20,000 rows", lambda: process_w2(k, model.covariance, x, method="low-rank")),
        Contender("numpy, dense, 1000 rows", others.dense_distance(k(x[::20]), model.covariance(x[::20]))),
    ]


WORKLOADS: dict[str, Callable[[bool], list[Contender]]] = {
    "gwi-net": gwi_net,
    "gwi-network": gwi_network,
    "fourier-statistics": fourier_statistics,
    "fourier-hyperparameters": fourier_hyperparameters,
    "gwi-large": gwi_large,
    "process-distance": process_distance,
    "sparse-process": sparse_process,
}
