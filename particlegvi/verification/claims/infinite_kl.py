"""Laws over functions between which KL is infinite, bounds that are void for them, and KL of weights beside it."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace import (
    ExactGaussianProcess,
    SubsetOfRegressors,
    covariances,
    divergences,
    residuals,
)
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification.chance import ERRORS
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import divergence, normal_kl
from particlegvi.verification.regressions import regressions, within


@claim(
    "Burt et al. (2020), Propositions 4 and 8; not Huggins et al. (2019), Figure 4",
    wrong="the process that keeps the residual",
)
def sor_singular(
    seed: int,
    wrong: bool,
    *,
    numbers: tuple[int, ...] = (20, 30, 40),
    nuggets: tuple[float, ...] = (1e-4, 1e-6, 1e-8, 1e-10),
) -> Checks:
    """KL of a process of rank k to its Gaussian process is infinite at more than k inputs.

    A Matern-1/2 process and its subset of regressors of rank 10, at 20, 30 and 40 inputs, with a nugget on both
    covariances: for each factor 1/10 on the nugget, KL grows by ln(10)/2 for each input beyond the rank.
    """
    k = covariances.Matern12(float(np.random.default_rng(seed).uniform(0.8, 1.2)), 1.0)
    basis = Nystroem(k, np.arange(0.5, 10.0)[:, None])
    table = []
    for number in numbers:
        A = ((np.arange(number) + 0.25) * 10.0 / number)[:, None]
        e = basis.features(A)
        own = e @ e.T + (residuals.get("gp", basis).covariance(A) if wrong else 0.0)
        zero, one = np.zeros(number), np.eye(number)
        table.append([normal_kl(zero, own + d * one, k(A) + d * one) for d in nuggets])
    kl = np.array(table)
    growth = (kl[:, 2] - kl[:, 1]) / (2.0 * (np.array(numbers) - basis.size))
    worst = float(np.max(np.abs(growth / (0.5 * math.log(10.0)) - 1.0)))
    return Check("distance of the growth per decade and input to ln(10)/2, relative", worst, 0.01)


@claim("Burt et al. (2020), Propositions 7 and 9", wrong="widths 3 and 3")
def relu_kinks(seed: int, wrong: bool, *, draws: int = 400_000, points: int = 65_537, reach: float = 1000.0) -> Checks:
    """ReLU networks of widths 3 and 5 are told apart by their kinks on a wide fine grid.

    The number of cells of a grid in which a random network of one hidden layer bends, for 3 and 5 ReLU units with
    standard normal weights: exactly 3 nearly always with 3, and nearly never with 5, on a wide and fine grid.
    """
    random = np.random.default_rng(seed)
    slopes, offsets = random.normal(size=(2, draws, 5))
    kinks = -offsets / slopes  # where the unit begins: Cauchy
    narrow, wide = kinks[:, :3], kinks[:, 2:] if wrong else kinks
    three, other = (float(np.mean(_bent(of, points, reach) == 3)) for of in (narrow, wide))
    return (
        Check("share of width 3 with three kinks", three, 0.97, ">="),
        Check("share of the other width with three", other, 1e-3 + ERRORS * math.sqrt(1e-3 / draws)),
    )


@claim("Burt et al. (2020), Propositions 3 and 6", wrong="one unit tanh, the other sin")
def data_processing(seed: int, wrong: bool, *, cells: int = 400) -> Checks:
    """KL of functions is at most KL of weights; exchanging like units changes the latter only.

    tanh(a x) + tanh(b x) with (a, b) ~ N((1, -1), I), and with the means exchanged: KL of the values at x = 1 in 400
    cells, by quadrature. KL of the weights is 4, and of the functions 0: they have one law.
    """
    places = np.linspace(-9.0, 9.0, 1001)
    a, b = np.meshgrid(places, places, indexing="ij")
    first = np.exp(-0.5 * ((a - 1.0) ** 2 + (b + 1.0) ** 2))
    second = np.exp(-0.5 * ((a + 1.0) ** 2 + (b - 1.0) ** 2))
    first, second = first / first.sum(), second / second.sum()
    of_weights = divergence(first, second)
    values = np.tanh(a) + (np.sin(b) if wrong else np.tanh(b))
    laws = [np.histogram(values, cells, (-2.0, 2.0), weights=law)[0] for law in (first, second)]
    of_functions = divergence(*laws)
    return (
        Check("KL of the values, nats", of_functions, 1e-12),
        Check("KL of the values over that of the weights", of_functions / of_weights, 1.0),
    )


def _bent(kinks: np.ndarray, points: int, reach: float) -> np.ndarray:
    """The number of cells of the grid that contain kinks (draws, units), (draws,)."""
    cells = np.floor((np.clip(kinks, -1e9, 1e9) + reach) / (2.0 * reach) * (points - 1))
    cells[np.abs(kinks) >= reach] = -1.0
    cells.sort(axis=1)
    new = np.column_stack([cells[:, :1] >= 0.0, (cells[:, 1:] >= 0.0) & (np.diff(cells, axis=1) > 0.0)])
    return np.asarray(new.sum(axis=1))


@claim("Huggins et al. (2019), Theorem 4.3, section 6; docs/sparse.md", wrong="nu the exact process of some rows")
def degenerate_nu(
    seed: int,
    wrong: bool,
    *,
    numbers: tuple[int, ...] = (16, 24, 32),
    nuggets: tuple[float, ...] = (1e-5, 1e-6, 1e-7, 1e-8),
) -> Checks:
    """With nu of finite rank sup dp/dnu is infinite, and the theorem on pF bounds nothing.

    12 rows of a Matern-1/2 process, nu a subset of 6 regressors, and the mean over functions from p of log dp/dnu at
    16, 24 and 32 inputs, with a nugget on both covariances: for each factor 1/10 on the nugget, the mean is ten times
    as large. The supremum is larger still.
    """
    random = np.random.default_rng(seed)
    X = np.linspace(0.0, 10.0, 12)[:, None]
    y = np.sin(X[:, 0]) + 0.3 * random.normal(size=12)
    k, noise = covariances.Matern12(1.0, 1.0), 0.1
    p = ExactGaussianProcess(k, noise).fit(X, y)
    nu: ExactGaussianProcess | SubsetOfRegressors = SubsetOfRegressors(k, noise, X[::2]).fit(X, y)
    if wrong:
        nu = ExactGaussianProcess(k, noise).fit(X[::2], y[::2])
    table = []
    for number in numbers:
        A = (np.arange(number)[:, None] + 0.3) * 10.0 / number
        mean, covariance = p.predict(A), p.posterior_covariance(A)
        centre, spread = _moments(nu, A)
        noisy = [(covariance + d * np.eye(number), spread + d * np.eye(number)) for d in nuggets]
        table.append([normal_kl(mean - centre, first, second) for first, second in noisy])
    ratios = np.array(table)
    growth = ratios[:, 1:] / ratios[:, :-1]
    return Check("growth per decade of the nugget, relative distance to 10", abs(growth / 10.0 - 1.0).max(), 0.01)


@claim("Huggins et al. (2019), Theorem 4.3 with smaller constants; docs/sparse.md", wrong="sqrt(6), 3 and 6 as printed")
def sharp_constants(seed: int, wrong: bool, *, problems: int = 100) -> Checks:
    """W2 bounds errors of mean, sd and variance at an input with constants 1, 2 and 1.

    One row and two noise variances: the error of the sd over sqrt(r) W2, and that of the variance over
    2 sqrt(r var) W2 + r W2^2 with var the smaller variance, are 1. In 100 random regressions both are below 1, and so
    are the errors of mean and sd together over sqrt(r) W2.

    Wrong: the constants as printed, sqrt(6), 3 and 6, which nothing reaches.
    """
    of_sd, of_root, of_square = (math.sqrt(6.0), 3.0, 6.0) if wrong else (1.0, 2.0, 1.0)

    def ratios(sd: np.ndarray, exact: np.ndarray, priors: np.ndarray, distance: float) -> tuple[float, float]:
        variance = np.minimum(sd, exact) ** 2
        bound = of_root * np.sqrt(priors * variance) * distance + of_square * priors * distance**2
        by_sd = np.abs(sd - exact) / (of_sd * np.sqrt(priors) * distance)
        return float(np.max(by_sd)), float(np.max(np.abs(sd**2 - exact**2) / bound))

    reached: list[float] = []
    x, k = np.random.default_rng(seed).normal(size=(1, 1)), covariances.SquaredExponential(0.7, 1.6)
    for pair in ((1.0, 0.1), (0.1, 0.01), (1.0, 0.01)):
        q, p = (ExactGaussianProcess(k, noise).fit(x, [0.0]) for noise in pair)
        sd, exact = (process.predict(x, True)[1] for process in (q, p))
        reached += ratios(sd, exact, k.diagonal(x), divergences.wasserstein(q, p))
    rows = []
    for fits in regressions(seed, problems):
        error, sd, exact, priors = fits.errors()
        distance = divergences.wasserstein(fits.sparse, fits.exact) + 1e-12
        together = np.max(np.hypot(error, sd - exact) / (np.sqrt(priors) * distance))
        rows.append((float(together), *ratios(sd, exact, priors, distance)))
    return (
        Check("largest distance of one row's errors over bounds to 1", abs(np.array(reached) - 1.0).max(), 1e-6),
        within("error over its bound", np.array(rows)),
    )


def _moments(process: ExactGaussianProcess | SubsetOfRegressors, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the values at inputs."""
    if isinstance(process, ExactGaussianProcess):
        return process.predict(A), process.posterior_covariance(A)
    e = process.basis.features(A)
    return process.predict(A), e @ np.linalg.solve(process.law.precision, e.T)
