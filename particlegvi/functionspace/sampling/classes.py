"""Projected Langevin sampling of one function for each of several classes, with the softmax likelihood.

The functions F_j = sum_m u_jm e_m + G_j of the J classes have independent priors with one covariance. The law of all
coefficients has the potential (D.125) with a cost that is convex in the values of the J functions at a row:

    c(y, f) = log sum_j exp(f_j) - f_y,      P(y | f) = exp(f_y) / sum_j exp(f_j).

The robust-max likelihood of B.6 has no slope in f: its functions are Gaussian processes in `wasserstein.classes`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize
from scipy.special import softmax

from particlegvi.contracts import Array, Facts, StepProgress
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.placement import chosen_basis
from particlegvi.functionspace.likelihoods.labels import BernoulliLogistic
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.linalg import directions
from particlegvi.functionspace.preprocessing import class_labels
from particlegvi.functionspace.residuals import Residual
from particlegvi.functionspace.sampling.cost import ROWS, Coordinates, DataCost, weighted_gram
from particlegvi.functionspace.sampling.mixing import MixingFlow, anneal
from particlegvi.functionspace.sampling.plans import MIXING_STEPS, Plan
from particlegvi.functionspace.sampling.trace import Trace
from particlegvi.simulation.journal import Journal
from particlegvi.tools import objects
from particlegvi.tools.arguments import points, scale, seed, whole
from particlegvi.tools.html import Card

DRAWS = 32  # draws of the residual for each particle in a probability


class SoftmaxCost(DataCost):
    """The cost of the labels for particles z (particles, J size), with u = `Coordinates` of z, class by class."""

    def __init__(self, features: Array, labels: NDArray[np.intp], where: Coordinates) -> None:
        super().__init__(BernoulliLogistic(), features, np.zeros(len(labels)))  # of the same traits: convex, not even
        self.labels, self.where = labels, where

    def values(self, z: Array, block: slice) -> Array:
        """The functions at rows, (particles, J, rows)."""
        u = self.where.coefficients(z).reshape(len(z), -1, self.features.shape[1])
        return np.asarray(u @ self.features[block].T)

    def _sweep(self, z: Array, slope: Likelihood | None, count: bool = True) -> tuple[Array, Array]:
        costs, total = np.zeros(len(z)), np.zeros((len(z), z.shape[1])).reshape(len(z), -1, self.features.shape[1])
        for low in range(0, len(self.labels), ROWS):
            block = slice(low, low + ROWS)
            own = self.labels[block], np.arange(len(self.labels[block]))
            f = self.values(z, block)
            top = f.max(axis=1, keepdims=True)
            costs -= f[:, *own].sum(axis=1)
            np.exp(f - top, out=f)
            sums = f.sum(axis=1, keepdims=True)
            costs += (np.log(sums) + top).sum(axis=(1, 2))
            if slope is not None:
                f /= sums
                f[:, *own] -= 1.0
                total += f @ self.features[block]
        return (total.reshape(z.shape) * self.where.scales) @ self.where.rotation, costs

    def curvature(self, z: Array) -> Array:
        """The second derivatives in the coefficients at a particle (J size,): (J size, J size)."""
        p = softmax(self.values(z[None], slice(None))[0], axis=0)
        blocks = [[weighted_gram(self.features, a * ((i == j) - b)) for j, b in enumerate(p)] for i, a in enumerate(p)]
        return np.block(blocks)


@dataclass(eq=False, repr=False)
class ClassSampler(Card):
    """Posterior samples of J functions, one for each class, by projected Langevin sampling with the softmax likelihood.

    Steps are accepted or refused, so that the law of the particles has no bias, from a start by annealing; see
    ``moves="mix"`` of `ProjectedLangevinSampler`. Two classes with covariance k are logistic classification with 2 k.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k, the prior covariance of every function; the prior means are 0.
    inducing_points : array (M, inputs), int, Functionals or Mercer
        Z, which the classes share, or the number of rows of X to select greedily, or other functionals, or a basis.
    particles : int
        Number of posterior samples.
    steps : int, optional
        Number of steps after the start; by default about ten relaxation times, doubled while the energies drift.
    step_size : float, optional
        In units of the relaxation time; by default the size that annealing has found.
    prior : str
        Prior of the coefficients: "gp", N(0, I), or "rkhs", the thesis's N(0, Lambda).
    seed : int

    Attributes
    ----------
    coefficients_ : array (particles, J, size)
    basis_ : Basis
    info_ : dict
        Facts about the run; "equilibrium" holds the test for the stationary distribution.
    """

    kernel: KernelLike
    inducing_points: ArrayLike | int | Functionals | Mercer
    particles: int = 100
    steps: int | None = None
    step_size: float | None = None
    _: KW_ONLY
    prior: str = "gp"
    seed: int = 0

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, progress: StepProgress | None = None) -> Self:
        """Sample the coefficients for inputs (n, inputs) and labels 0, ..., J - 1, (n,), each of which occurs.

        ``progress(steps_done, steps)`` is called a few times a second.
        """
        objects.progress(progress)
        particles, covariance = whole("particles", self.particles, 1), covariances.of(self.kernel)
        steps = None if self.steps is None else whole("steps", self.steps, 1)
        step_size = None if self.step_size is None else scale("step_size", self.step_size)
        x = points("X", X, least=2)
        labels, classes = class_labels(y, len(x))
        basis, chosen = chosen_basis(covariance, self.inducing_points, x, seed(self.seed))
        self.basis_, self._residual = basis, Residual(basis)
        scales = np.tile(np.sqrt(basis.prior_variances(self.prior)), classes)
        cost, stiffness = _whitened(basis.features(x), labels, scales)
        journal = Journal(None)
        start, found_size, facts, taken = anneal(cost, stiffness, particles, self.seed, [], journal)
        size = step_size or found_size
        flow = MixingFlow(cost, stiffness, size, start.copy(), self.seed, [])
        length = steps or int(np.clip(10.0 / size, *MIXING_STEPS))
        plan = Plan("mixing", flow, cost.where, cost, length, size, facts, taken)

        def energies(u: Array) -> Array:
            z = cost.where.of(u)
            return cost.costs(z) + 0.5 * np.sum(z * z, axis=1)

        trace = Trace(plan, energies, None, journal, progress)
        trace.run(length)
        if steps is None and trace.drift().matters:
            trace.run(length)
        self.coefficients_ = cost.where.coefficients(flow.state).reshape(particles, classes, -1)
        lowest = min(float(each.min()) for each in trace.energies)
        self.info_: Facts = {
            "plan": plan.name, "classes": classes, "steps": trace.steps, "step_size": size, **facts, **flow.facts(),
            "basis": basis.facts(), "selection": chosen, "equilibrium": trace.verdict(lowest),
        }  # fmt: skip
        return self

    @one_blas_thread()
    def sample(self, X: ArrayLike) -> Array:
        """Joint posterior samples of the functions at these inputs, (particles, n, J); equal inputs give equal ones."""
        x, e = points("X", X, self.basis_.inputs), self.basis_.features(X)
        count, classes, _ = self.coefficients_.shape
        residuals = self._residual.sample(x, noise.normals(self.seed, "draws", count * classes, len(x)))
        functions = self.coefficients_ @ e.T + residuals.reshape(count, classes, len(x))
        return np.ascontiguousarray(np.moveaxis(functions, 1, 2))

    @one_blas_thread()
    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each class, (n, J), averaged over the particles and 32 draws of each one's residual."""
        e = self.basis_.features(X)
        sd = np.sqrt(self._residual.variance(X, e))
        count, classes, _ = self.coefficients_.shape
        normals = noise.normals(self.seed, "draws", DRAWS * count, classes).reshape(DRAWS, count, classes, 1)
        found = np.zeros((len(e), classes))
        for low in range(0, len(e), ROWS):
            block = slice(low, low + ROWS)
            centres = self.coefficients_ @ e[block].T  # (particles, J, rows)
            for each in normals:
                found[block] += softmax(centres + sd[block] * each, axis=1).mean(axis=0).T / DRAWS
        return found


def _whitened(features: Array, labels: NDArray[np.intp], scales: Array) -> tuple[SoftmaxCost, Array]:
    """The cost in coordinates with the prior N(0, I) and a diagonal curvature at the mode, and this diagonal."""
    cost = SoftmaxCost(features, labels, Coordinates(scales, np.eye(len(scales))))

    def potential(z: Array) -> tuple[float, Array]:
        forces, costs = cost.forces(z[None])
        return float(costs[0]) + 0.5 * float(z @ z), forces[0] + z

    mode = optimize.minimize(potential, np.zeros(len(scales)), jac=True, method="L-BFGS-B").x
    curvature = scales[:, None] * cost.curvature(mode) * scales
    stiffness, rotation = directions(curvature)
    cost.where = Coordinates(scales, rotation)
    return cost, np.maximum(stiffness, 0.0)
