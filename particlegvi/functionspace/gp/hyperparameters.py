"""Covariance parameters and noise variance that make the targets most likely, and default covariances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.stationary import SquaredExponential
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters
from particlegvi.functionspace.gp.maximising import Regression, by_bound, by_name, maximise, noise_limits
from particlegvi.tools import arguments
from particlegvi.tools.arguments import points, scale, vector, whole
from particlegvi.tools.registry import one_of

BOUNDS = ("evidence", "elbo")
REGRESSION_ROWS = 1000
CLASSIFICATION_ROWS = 500


@one_blas_thread()
def fit_hyperparameters(
    kernel: KernelLike,
    X: ArrayLike,
    y: ArrayLike,
    noise_variance: float,
    threshold: int = 2000,
    subsets: int = 10,
    *,
    seed: int = 0,
    most_iterations: int = 200,
    bound: str = "evidence",
    inducing_points: int = 100,
) -> tuple[Covariance, float, Facts]:
    """Maximise the marginal likelihood of Gaussian process regression with mean zero, by L-BFGS with its gradient.

    With ``bound="elbo"`` the objective is the evidence lower bound of a sparse process on all rows, in O(n M^2) a step,
    and the inducing points are searched for, too. Two searches are made, from the start and from lengthscales of
    sqrt(dim) standard deviations with little noise, and the better result is taken: one search alone may explain all
    targets as noise.

    All rows are used if there are at most ``threshold``. Otherwise ``subsets`` subsets of ``threshold`` rows are used,
    each a random row and the rows nearest to it: the result is the arithmetic mean of the parameters fitted to each.
    The thesis uses this for classification as well: labels as targets, a threshold of 1000 and 5 subsets.

    Every parameter stays within a factor 1000 of its value in ``kernel``, and the noise variance between 1e-6 and 100
    times the mean square of y; the facts name parameters that ended at such a limit. The likelihood may have several
    maxima; the result then depends on the start. Targets that are all 0 are refused.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        The start; it determines the parameters (one lengthscale, or one for each input).
    X : array (n, dim)
    y : array (n,)
    noise_variance : float
        Noise variance at the start.
    threshold, subsets : int
        Number of rows of a subset, and number of subsets; see above.
    seed : int
        Seed of the random rows.
    most_iterations : int
        Largest number of L-BFGS iterations, for each subset or each start.
    bound : str
        "evidence", or "elbo", which does not use ``threshold`` and ``subsets``.
    inducing_points : int
        The number of inducing points of "elbo", whose search starts with greedy ones.

    Returns
    -------
    covariance : Covariance
    noise_variance : float
    facts : dict
        ``rows``, the number of rows used at a time, and ``fits``, for each set of rows: the parameters by name, the log
        marginal likelihood before and after, the number of iterations,
        ``converged``, ``at_bound`` (names). With "elbo" there is a fit for each of the two starts, with the ``elbo``
        before and after; ``chosen`` is the number of the better one, and ``points`` are its inducing points, for
        ``SparseGaussianProcess(..., inducing_points=facts["points"])``.

    Sources: thesis, D.14.1, after Lin et al. (2024); for "elbo" Titsias (2009), section 3.
    """
    start = covariances.of(kernel)
    x = points("X", X)
    t = vector("y", y, len(x))
    noise = scale("noise_variance", noise_variance)
    most, most_iterations = whole("threshold", threshold, 1), whole("most_iterations", most_iterations, 1)
    subsets, seed = whole("subsets", subsets, 1), arguments.seed(seed)
    asked = one_of("bound", bound, BOUNDS)
    if not np.any(t):
        raise ValueError("y must vary, so that hyperparameters can be found, not be 0 in every row")
    limits = noise_limits(float(np.mean(t**2)))
    if asked == "elbo":
        return by_bound(Regression(x, t, limits), start, noise, inducing_points, most_iterations, seed=seed)
    if len(x) <= most:
        choices = [np.arange(len(x))]
    else:
        centres = preprocessing.order(seed, "subsets", len(x))[:subsets]
        choices = [np.argsort(np.sum((x - x[i]) ** 2, axis=1), kind="stable")[:most] for i in centres]
    vectors, fits = [], []
    for rows in choices:
        logs, fit = _maximise(start, x[rows], t[rows], noise, limits, most_iterations)
        vectors.append(logs)
        fits.append(fit)
    average = np.mean(np.exp(vectors), axis=0)
    facts = {"rows": min(len(x), most), "seed": seed, "fits": fits}
    return start.with_log_parameters(np.log(average[:-1])), float(average[-1]), facts


def _maximise(
    start: Covariance, X: Array, y: Array, noise: float, limits: Array, most_iterations: int
) -> tuple[Array, Facts]:
    def objective(logs: Array) -> tuple[float, Array]:
        model = ExactGaussianProcess(start.with_log_parameters(logs[:-1]), float(np.exp(logs[-1]))).fit(X, y)
        return -model.log_marginal_likelihood(), -model.log_marginal_likelihood_gradient()

    end = maximise(objective, start, "log_marginal_likelihood", noise, limits, maxiter=most_iterations)
    return end.logs, {"parameters": by_name(start, end.logs), **end.facts}


def default_kernel(inputs: int, shared: bool = False) -> Covariance:
    """The start of a search: a squared exponential with a lengthscale for each input, or a shared one."""
    middle = math.sqrt(inputs)
    return SquaredExponential(middle, 4.0) if shared else SquaredExponential(np.full(inputs, middle), 1.0)


@one_blas_thread()
def regression_covariance(
    X: ArrayLike, y: ArrayLike, kernel: KernelLike | None = None, noise_variance: float = 0.1, seed: int = 0
) -> tuple[Covariance, float]:
    """Fit the covariance and the noise variance to targets (n,) of mean 0 and standard deviation 1.

    The start is ``kernel``, by default with a lengthscale for each input. Two searches are made, one with a tenth of
    the noise and one with shorter lengthscales, and the likelier result is taken: a search from long lengthscales and
    much noise may explain all targets as noise. If all targets are 0, the start is returned unchanged.
    """
    x, t = _some(X, y, REGRESSION_ROWS, seed)
    start = covariances.of(default_kernel(x.shape[1]) if kernel is None else kernel)
    if not np.any(t):
        return start, noise_variance
    short = ["lengthscale" in name for name in start.parameter_names()]
    shorter = start.with_log_parameters(start.log_parameters() + np.where(short, math.log(0.3), 0.0))
    begin = ((start, 0.1 * noise_variance), (shorter, noise_variance))
    ends = [fit_hyperparameters(k, x, t, noise) for k, noise in begin]
    covariance, noise, _ = max(ends, key=lambda fit: fit[2]["fits"][0]["log_marginal_likelihood"]["after"])
    return covariance, noise


@one_blas_thread()
def classification_covariance(
    X: ArrayLike, labels: ArrayLike, kernel: KernelLike | None = None, seed: int = 0
) -> Covariance:
    """Fit the covariance to labels (n,), 0, ..., J - 1, with the logistic link, each class against the others.

    The start is ``kernel``, by default with one lengthscale for all inputs: labels hold little information. With a
    lengthscale for each input the predictions of held-out rows were worse on most data sets of the thesis.
    """
    x, y = _some(X, labels, CLASSIFICATION_ROWS, seed)
    start = covariances.of(default_kernel(x.shape[1], shared=True) if kernel is None else kernel)
    present, sides = np.unique(y, return_inverse=True)  # the rows drawn at random may miss a rare class
    return start if len(present) < 2 else fit_classification_hyperparameters(start, x, sides)[0]


def _some(X: ArrayLike, y: ArrayLike, most: int, seed: int) -> tuple[Array, Array]:
    x = points("X", X)
    t = vector("y", y, len(x))
    distinct = np.sort(np.unique(np.column_stack([x, t]), axis=0, return_index=True)[1])
    rows = distinct[preprocessing.order(seed, "subsets", len(distinct))[:most]]
    return x[rows], t[rows]
