"""Projected Langevin sampling, the thesis's method."""

from __future__ import annotations

from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.scenario.tables.functions.models.hyperparameters import hyperparameters
from particlegvi.scenario.tables.functions.models.model import table_model
from particlegvi.scenario.tables.functions.protocols import PROTOCOLS, most_points
from particlegvi.scenario.tables.functions.settings import MOST, ProjectedSettings
from particlegvi.scenario.tables.problem import Classes, Numbers, Problem
from particlegvi.settings import checks


@table_model("pls", inducing_points=checks.whole(1, MOST), particles=checks.whole(2, MOST))
def pls(
    problem: Problem, settings: ProjectedSettings, *, inducing_points: int | None = None, particles: int | None = None
) -> Numbers | Classes:
    """The sampler with its default steps; its prior is the Gaussian process, or the thesis's N(0, Lambda).

    A classification uses accepted and refused steps: for nearly separable classes, plain steps without bias would be
    thousands. If ``inducing_points`` or ``particles`` is None, the table's number is used.
    """
    k, noise = hyperparameters(problem, settings)
    classes = problem.task == "classification"
    sampler = ProjectedLangevinSampler(
        kernel=k,
        likelihood=likelihoods.Bernoulli() if classes else likelihoods.Gaussian(noise_variance=noise),
        inducing_points=most_points(problem, inducing_points or settings.inducing_points),
        particles=particles or settings.particles,
        prior=PROTOCOLS[problem.protocol].prior,
        moves="mix" if classes else None,
        seed=settings.seed,
    ).fit(*problem.train)
    if classes:
        return Classes(sampler.predict_probability(problem.test.X))
    test, validation = (
        sampler.predict(part.X, return_std=True, of="target") for part in (problem.test, problem.validation)
    )
    return Numbers(*test, *validation)
