"""Projected Langevin sampling as a method of a scenario."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Facts, Likelihood, StepProgress, Storage
from particlegvi.functionspace.basis.finding import packed, unpacked
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.sampling.budget import check_budget, error_budget
from particlegvi.functionspace.sampling.lipschitz import certificate_of, check_certified
from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler, check_choices
from particlegvi.scenario.kinds.functions.features import features_of
from particlegvi.scenario.kinds.functions.problem import Fit, FunctionProblem
from particlegvi.settings.keys import ABOVE_ZERO
from particlegvi.tools.arguments import flag, whole
from particlegvi.tools.quoting import refuse


class PLS:
    """Particles of coefficients; see `particlegvi.functionspace.ProjectedLangevinSampler` for the parameters.

    By default, ``steps``, ``step_size`` and ``inducing_points`` (their number) are taken from the scenario.
    ``features``, a table as for SVGP, stand in the place of its inducing points. With ``certificate`` the summary has
    the certificate's bounds, which take O(n^3), and the figure can draw its band; with ``budget`` it has the parts of
    the error.
    """

    name = "PLS"

    def __init__(
        self,
        moves: str | None = None,
        steps: int | None = None,
        step_size: float | None = None,
        prior: str = "rkhs",
        residual: str = "gp",
        integrator: str = "exponential-euler",
        *,
        features: Facts | None = None,
        inducing_points: int | None = None,
        certificate: bool = False,
        budget: bool = False,
    ) -> None:
        check_choices(moves, prior, residual, integrator)
        for key, number in (("steps", steps), ("inducing_points", inducing_points)):
            if number is not None:
                whole(key, number, 1)
        if step_size is not None:
            ABOVE_ZERO(step_size, "step_size")
        self.moves, self.steps, self.step_size = moves, steps, step_size
        self.prior, self.residual, self.integrator = prior, residual, integrator
        self.features = features
        self.inducing_points, self.certificate = inducing_points, flag("certificate", certificate)
        self.budget = flag("budget", budget)

    def check(self, likelihood: Likelihood) -> None:
        """Accept any likelihood; for a certificate and for a budget, one that has one."""
        if self.certificate:
            check_certified(likelihood, self.prior, self.residual)
        if self.budget:
            check_budget(likelihood, self.prior, self.residual)

    def fits(self, kernel: Covariance, inputs: int) -> None:
        """Refuse features that the covariance, the number of inputs or the prior does not allow."""
        if self.features is not None:
            of = features_of(self.features, kernel, inputs)
            if isinstance(of, Functionals) and self.prior != "gp":
                raise refuse("prior", self.prior, '"gp" for functionals that are no points')

    def fit(self, problem: FunctionProblem, progress: StepProgress | None, storage: Storage | None) -> Fit:
        sampler = self._sampler(problem).fit(problem.X, problem.y, progress, storage)
        return Fit(
            sampler.coefficients_[None],
            np.array([sampler.steps_]),
            sampler.info_ | self._judged(sampler, problem),
            packed(sampler.basis_),
        )

    def _judged(self, sampler: ProjectedLangevinSampler, problem: FunctionProblem) -> Facts:
        budget = {"budget": error_budget(sampler, problem.X, problem.y)} if self.budget else {}
        if not self.certificate:
            return budget
        certificate = sampler.certificate()
        likelihood = sampler.likelihood
        estimate = {"estimate": certificate.estimate()} if likelihood.convex else {}
        return {"certificate": {**certificate.facts, **estimate}, **budget}

    def guaranteed(self, problem: FunctionProblem, fit: Fit, X: Array) -> tuple[Array, Array] | None:
        """The ends of a band at inputs (n, dim) within which the 95% band of the exact posterior lies, (n,) each."""
        if not self.certificate:
            return None
        posterior = self.restore(problem, fit)
        return certificate_of(posterior, problem.X, problem.y, self.prior).band(X)

    def follow(self, problem: FunctionProblem, progress: StepProgress | None = None) -> Fit:
        """Fit again with records on the way; `fit` keeps the end only."""
        records: dict[int, Array] = {}
        sampler = self._sampler(problem).fit(problem.X, problem.y, progress, watch=records.__setitem__)
        return Fit(np.array(list(records.values())), np.array(list(records)), sampler.info_, packed(sampler.basis_))

    def restore(self, problem: FunctionProblem, fit: Fit) -> ProjectedLangevinSampler:
        """The sampler as it was after its fit, with the stored basis."""
        sampler = self._sampler(problem)
        return sampler.restored(unpacked(problem.kernel, sampler.inducing_points, fit.arrays), fit.positions[-1])

    def _sampler(self, problem: FunctionProblem) -> ProjectedLangevinSampler:
        return ProjectedLangevinSampler(
            problem.kernel,
            problem.likelihood,
            problem.chosen_points(self.inducing_points)
            if self.features is None
            else features_of(self.features, problem.kernel, problem.X.shape[1]),
            particles=problem.particles,
            steps=self.steps if self.steps is not None else problem.steps,
            step_size=self.step_size if self.step_size is not None else problem.step_size,
            prior=self.prior,
            residual=self.residual,
            seed=problem.seed,
            integrator=self.integrator,
            moves=self.moves,
        )
