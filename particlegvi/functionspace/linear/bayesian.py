"""Bayesian linear regression, exact, or with KL between function values at finitely many inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.linalg import root
from particlegvi.functionspace.linear.problem import LinearProblem, LinearSolution, at_one_set, exact
from particlegvi.functionspace.linear.searching import best, descend, in_values, in_values_of_draws
from particlegvi.functionspace.linear.sets import kl_at_set, row_space, sets_of
from particlegvi.integrators import schedules
from particlegvi.integrators.schedules import Schedule
from particlegvi.tools import arguments
from particlegvi.tools.arguments import points as inputs
from particlegvi.tools.arguments import scale, vector, whole
from particlegvi.tools.html import Card
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import one_of

KL_TERMS = ("exact", "fixed-points", "random-points", "spectral")
FAMILIES = ("full", "factorised")
ADAM = "adam"
OPTIMISERS = ("optimum", ADAM)
DRAWS = 18  # random stream for the draws of functions
STEPS = 5_000  # default number of steps of Adam, from the source
ITERATIONS = 2_000  # default largest number of iterations of L-BFGS


@runtime_checkable
class HasFeatures(Protocol):
    """An object with features: any basis."""

    def features(self, X: Array, /) -> ArrayLike: ...  # (n, k), of inputs (n, dim)


class BayesianLinearRegression(Card):
    """``y = w . features(x) + noise`` with w ~ N(0, I), and a Gaussian distribution Q of w that minimises

        KL term - E_Q log p(y | w).

    With ``kl="exact"`` the term is KL(Q, prior), and the full family finds the posterior. The other terms compare the
    function values at sets A of inputs: KL(Q_A, P_A) <= KL(Q, P), with equality if the features at A have rank k.

    Parameters
    ----------
    features : Basis or function
        An object with the method ``features(X)``, (n, k), for inputs (n, dim); or a function that returns the features.
    noise_variance : float
        Noise variance of an observation, positive.
    family : str
        "full", or "factorised" (independent weights).
    kl : str
        "exact"; "fixed-points", KL at one set A; "random-points", the mean of KL over random sets; "spectral", this
        mean with the entropy of Q_A from the spectral Stein estimator.
    points : int or array (points, dim)
        The number of inputs in a random set, of which half are rows of the data and half are uniform in their box; or
        the only set.
    optimiser : str
        "optimum" solves the convex problem, over ``sets`` drawn sets if they are random. "adam" starts at N(0, I) and
        draws a new set at each step. "spectral" always uses Adam, since there is no optimum to compute.
    steps : int, optional
        Largest number of iterations; 5000 steps of Adam if not given.
    step_size : float or Schedule
        Step size of Adam.
    sets : int
        Number of random sets for the optimum and for ``objective``; the sets depend on the seed only.
    draws : int
        Number of function draws for "spectral", at least 2.
    batch_size : int, optional
        Number of rows of the data in a step of Adam, others at each step; all rows if not given, or if there are fewer.
    seed : int

    Attributes
    ----------
    mean, covariance : array (k,), array (k, k)
        Mean and covariance of Q.
    objective : float
        The minimised value over the sets, in nats; minus log p(y) for the exact full family. It is infinite if the
        values at a set have a singular covariance. For "spectral" it uses the exact entropy.
    averaged : tuple of arrays, or None
        Mean and covariance from the average of the last tenth of Adam's states, beside the last state.
    facts : dict
        ``features`` (k), ``rank`` of the covariance, ``points``, ``sets``, ``method``, ``iterations``, ``converged``.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), (5), (6), section 4.
    """

    def __init__(
        self,
        features: HasFeatures | Callable[[Array], ArrayLike],
        noise_variance: float = 0.01,
        family: str = "full",
        kl: str = "random-points",
        points: ArrayLike = 10,
        *,
        optimiser: str = "optimum",
        steps: int | None = None,
        step_size: float | Schedule = 0.01,
        sets: int = 200,
        draws: int = 100,
        batch_size: int | None = None,
        seed: int = 0,
    ) -> None:
        self.features = features
        if isinstance(features, type) or not (isinstance(features, HasFeatures) or callable(features)):
            raise refuse("features", features, "a basis with features(X), or a function of inputs (n, dim)")
        self.noise_variance = scale("noise_variance", noise_variance)
        self.family = one_of("family", family, FAMILIES)
        self.kl = one_of("kl", kl, KL_TERMS)
        self.optimiser = one_of("optimiser", optimiser, OPTIMISERS)
        if kl == "spectral":
            self.optimiser = ADAM
        usual = STEPS if self.optimiser == ADAM else ITERATIONS
        self.steps = usual if steps is None else whole("steps", steps, 1)
        self.step_size = schedules.step_size_from(step_size)
        self.sets, self.draws = whole("sets", sets, 1), whole("draws", draws, 2)
        self.batch_size = 0 if batch_size is None else whole("batch_size", batch_size, 1)
        if self.batch_size and self.optimiser != ADAM:
            raise refuse("batch_size", batch_size, f'left out where the optimiser is "{self.optimiser}"')
        allowed = "a whole number of 1 or more, or an array (points, dim)"
        sets_of = arguments.array("points", points, allowed, booleans=True)
        self.points: Array | int = sets_of if sets_of.ndim else whole("points", points, 1)
        self.seed = arguments.seed(seed)

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim), whose features must be finite and not all 0, and targets (n,)."""
        x = inputs("X", X).copy()  # the caller may change its arrays
        t = vector("y", y, len(x)).copy()
        self._inputs = x.shape[1]
        phi = self._of(x)
        if not np.any(phi):
            raise ValueError("features(X) must have a rank of at least 1, not be 0 at every row")
        schedules.largest(self.step_size, self.steps)
        self._problem = LinearProblem(phi, t, self.noise_variance)
        known, another = np.empty((0, 0, 0)), lambda: phi
        if self.kl != "exact":
            fixed = self.kl == "fixed-points"
            known, another = sets_of(x, self._of, self.points, self.sets, fixed=fixed, seed=self.seed)
        solution = self._solution(known, another)
        self.mean, self.covariance = solution.mean, solution.covariance
        self.averaged, self._rank = solution.averaged, solution.rank
        self.objective = self._value(known)
        self.facts: Facts = {
            "family": self.family, "kl": self.kl, "features": self._problem.size, "rank": solution.rank,
            "points": known.shape[1], "sets": len(known), **solution.facts,
        }  # fmt: skip
        if self.averaged is not None:
            self.facts["kl_to_posterior_averaged"] = self._problem.divergence(*self.averaged)
        return self

    def _solution(self, known: Array, another: Callable[[], Array]) -> LinearSolution:
        """The best distribution, for features (sets, points, k) at all sets, and a function of those at another one."""
        problem = self._problem
        if self.kl == "exact":
            return exact(problem, self.family)
        if self.optimiser == ADAM:
            random = np.random.default_rng([DRAWS, self.seed])

            def gradient(mean: Array, L: Array) -> tuple[Array, Array]:
                if self.kl == "spectral":
                    return in_values_of_draws(another(), mean, L, random.normal(size=(self.draws, problem.size)))
                return in_values(row_space(another()), mean, L)

            batch = problem.batches(self.batch_size, self.seed)
            settings: dict[str, Any] = {"family": self.family, "steps": self.steps, "step_size": self.step_size}
            return descend(gradient, batch, problem.size, **settings)
        bases = [row_space(features) for features in known]
        if len(bases) == 1 and self.family == "full":
            return at_one_set(problem, bases[0])
        return best(problem, bases, self.family, self.steps)

    def _of(self, x: Array) -> Array:
        values = self.features.features(x) if isinstance(self.features, HasFeatures) else self.features(x)
        allowed = f"an array ({len(x)}, k) of finite numbers with k of at least 1"
        phi = arguments.array("features(X)", values, allowed)
        if phi.ndim != 2 or len(phi) != len(x) or not phi.shape[1]:
            raise arguments.shaped("features(X)", phi, allowed)
        return arguments.finite("features(X)", phi, allowed)

    def _value(self, known: Array) -> float:
        likelihood = self._problem.expected_log_likelihood(self.mean, self.covariance)
        if not len(known):
            return self.kl_to_prior() - likelihood
        return float(np.mean([kl_at_set(self.mean, self.covariance, phi) for phi in known])) - likelihood

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of w . features(x), (n,), and with ``return_std`` its standard deviation, without the noise."""
        phi = self._of(inputs("X", X, self._inputs))
        mean = phi @ self.mean
        if not return_std:
            return mean
        return mean, np.sqrt(np.maximum(np.einsum("nk,kl,nl->n", phi, self.covariance, phi, optimize=True), 0.0))

    @one_blas_thread()
    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of the function at X, (draws, n), from standard normals (draws, k)."""
        phi = self._of(inputs("X", X, self._inputs))
        half = root(self.covariance, float(self.covariance.diagonal().max()))
        return (self.mean + arguments.matrix("normals", normals, len(half)) @ half.T) @ phi.T

    @one_blas_thread()
    def kl_to_posterior(self) -> float:
        """KL(Q, posterior) of the weights, in nats; infinite if the covariance of Q is singular."""
        if self._rank < self._problem.size:
            return math.inf
        return self._problem.divergence(self.mean, self.covariance)

    @one_blas_thread()
    def kl_to_prior(self, X: ArrayLike | None = None) -> float:
        """KL(Q, prior) of the weights, in nats; with inputs (n, dim), KL of the function values there.

        KL of the values at X is at most KL of the weights, and equal if the features at X have rank k.
        """
        if X is None:
            singular = self._rank < self._problem.size
            return math.inf if singular else kl_at_set(self.mean, self.covariance, np.eye(self._problem.size))
        phi = self._of(inputs("X", X, self._inputs))
        return kl_at_set(self.mean, self.covariance, phi)

    def log_marginal_likelihood(self) -> float:
        """log p(y)."""
        return self._problem.log_marginal_likelihood()
