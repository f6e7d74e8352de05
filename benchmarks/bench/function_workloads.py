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
    functionals,
    likelihoods,
    means,
    process_w2_squared,
)
from particlegvi.functionspace.gp.fourier_evidence import FourierSums, evidence_bound
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.functionspace.selection.objectives import CollapsedBound, Scratch

from .timing import Contender, Work

ROWS, HELD, INPUTS, POINTS, EPOCHS = 404, 51, 13, 30, 1000  # sizes of the data set boston in the thesis's Table 4.1
NOISE = 0.1
MANY, FREQUENCIES, SHARE = 1_000_000, 50, 0.1  # rows of the line, waves, and the part of the rows for rivals
BLOCK = 20_000  # rows of a block, in products of matrices
CALLS = 10  # bounds in one measurement
WAVES = functionals.Fourier(-0.5, 1.5, FREQUENCIES)


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


def line() -> tuple[Array, Array]:
    """A million rows of one input."""
    random = np.random.default_rng(0)
    x = random.uniform(0.0, 1.0, (MANY, 1))
    return x, np.sin(12.0 * x[:, 0]) + 0.3 * random.standard_normal(MANY)


def part_of_line() -> tuple[Array, Array, Array, int]:
    """The rows for rivals: inputs from the left end of the waves, targets, angular frequencies, and ``FREQUENCIES``."""
    x, y = line()
    part = slice(0, int(SHARE * MANY))
    return x[part, 0] + 0.5, y[part], WAVES.angles(), FREQUENCIES


def fourier_statistics(quick: bool) -> list[Contender]:
    """E^T E and E^T y of 101 Fourier functions of 10^6 rows, all threads"""
    x, y = line()
    k = covariances.Matern32(0.2, 1.0)
    return [
        Contender("particlegvi", lambda: FourierSums(WAVES, x, y).products(k)),
        Contender("numpy, products of matrices", numpy_products(*part_of_line()), SHARE),
    ]


def fourier_hyperparameters(quick: bool) -> list[Contender]:
    """sums of 10^6 rows, one bound after that, and hyperparameters of 10^6 rows, 101 Fourier functions"""
    x, y = line()
    start, k = covariances.Matern32(0.5, 0.5), covariances.Matern32(0.2, 1.0)
    sums, noises = FourierSums(WAVES, x, y), np.linspace(0.08, 0.1, 20)
    return [
        Contender("sums", lambda: FourierSums(WAVES, x, y)),
        Contender("one bound", lambda: [evidence_bound(sums, k, float(noise)) for noise in noises], len(noises)),
        Contender("hyperparameters", lambda: fit_hyperparameters(start, x, y, 0.3, functionals=WAVES)),
    ]


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


def process_distance(quick: bool) -> list[Contender]:
    """W2 of a process with 15 inducing points and its prior: 20,000 rows of the line by low rank; 1000 rows densely"""
    x, k = np.linspace(-1.0, 1.0, 20_000)[:, None], covariances.SquaredExponential(0.1, 1.0)
    model = GaussianWasserstein(k, likelihoods.Gaussian(0.25), x[::1400]).fit(x, np.sin(3.0 * x[:, 0]))
    return [
        Contender("particlegvi, 20,000 rows", lambda: process_w2_squared(k, model.covariance, x, method="low-rank")),
        Contender("numpy, dense, 1000 rows", dense_distance(k(x[::20]), model.covariance(x[::20]))),
    ]


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


def numpy_products(x: Array, y: Array, w: Array, M: int) -> Work:
    """Cosines and sines of blocks of rows, and products of these matrices."""

    def work() -> object:
        gram, projected = np.zeros((len(w), len(w))), np.zeros(len(w))
        for first in range(0, len(x), BLOCK):
            angle = x[first : first + BLOCK, None] * w
            table = np.concatenate([np.cos(angle[:, : M + 1]), np.sin(angle[:, M + 1 :])], axis=1)
            gram += table.T @ table
            projected += table.T @ y[first : first + BLOCK]
        return gram, projected

    return work


def dense_distance(K: Array, R: Array) -> Work:
    """Gelbrich's formula with eigenvalues of dense matrices."""

    def work() -> float:
        values, vectors = np.linalg.eigh(K)
        half = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        roots = np.sqrt(np.maximum(np.linalg.eigvalsh(half @ R @ half), 0.0))
        return float(np.trace(K) + np.trace(R) - 2.0 * roots.sum()) / len(K)

    return work


ALL = (
    gwi_net, gwi_network, fourier_statistics, fourier_hyperparameters, gwi_large, process_distance, sparse_process,
    elbo_gradient, certificate,
)  # fmt: skip
