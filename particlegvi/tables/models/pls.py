"""Projected Langevin sampling, the thesis's method."""

from __future__ import annotations

from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.settings import checks
from particlegvi.tables.models.hyperparameters import hyperparameters
from particlegvi.tables.models.model import table_model
from particlegvi.tables.models.predictions import Classes, Numbers
from particlegvi.tables.problems import Problem
from particlegvi.tables.settings import MOST, Settings


@table_model("pls", inducing_points=checks.whole(1, MOST), particles=checks.whole(2, MOST))
def pls(
    problem: Problem, settings: Settings, *, inducing_points: int | None = None, particles: int | None = None
) -> Numbers | Classes:
    """The sampler with its own choice of steps; as a prior the Gaussian process, or the thesis's N(0, Lambda).

    A classification takes accepted steps: where classes are nearly separable, steps small enough to have no bias are
    thousands. ``inducing_points`` and ``particles`` are those of the table where they are None.
    """
    k, noise = hyperparameters(problem, settings)
    classes = problem.task == "classification"
    sampler = ProjectedLangevinSampler(
        kernel=k,
        likelihood=likelihoods.Bernoulli() if classes else likelihoods.Gaussian(noise_variance=noise),
        inducing_points=problem.inducing_points(inducing_points or settings.inducing_points),
        particles=particles or settings.particles,
        prior=problem.protocol.prior,
        moves="mix" if classes else None,
        seed=settings.seed,
    ).fit(*problem.train)
    if classes:
        return Classes(sampler.predict_probability(problem.test.X))
    test, validation = (
        sampler.predict(part.X, return_std=True, of="target") for part in (problem.test, problem.validation)
    )
    return Numbers(*test, *validation)
