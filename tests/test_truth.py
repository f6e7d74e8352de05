"""Particles against the measure that theory says they sample, and wrong engines that must fail."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.methods import repulsion
from particlegvi.methods.free_energy import FreeEnergy

SE = pg.kernels.SquaredExponential
PROBLEMS = {
    "figure 5.2, DLE": (pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0), pg.methods.DLE(1.0)),
    "figure 5.2, DRLE": (
        pg.losses.get("tilted-double-well"),
        pg.priors.Normal(0.0, 1.0),
        pg.methods.DRLE(1.0, 0.5, SE(1.0)),
    ),
    "shifted prior": (
        pg.losses.get("tilted-double-well"),
        pg.priors.Normal(0.4, 1.3),
        pg.methods.DRLE(0.8, 1.5, SE(0.6)),
    ),
    "another kernel": (
        pg.losses.get("quadratic", curvature=[1.0], centre=[0.3]),
        pg.priors.Normal(-0.5, 1.0),
        pg.methods.DRLE(0.5, 2.0, pg.kernels.Matern52(0.8)),
    ),
    "a formula": (
        pg.Loss.from_formula("t**2/2 + cos(3*t)/2 + log(1 + exp(t))", ["t"]),
        pg.priors.Normal(0.0, 1.5),
        pg.methods.DRLE(0.7, 0.6, SE(0.5)),
    ),
    "in a box": (
        pg.Loss.from_formula("sin(2*x)/3 + x/4", ["x"]),
        pg.priors.Uniform(-2.0, 3.0),
        pg.methods.DRLE(0.6, 0.8, SE(0.7)),
    ),
    "flat prior": (pg.losses.get("double-well"), pg.priors.Flat(1), pg.methods.DLE(2.0)),
}
N = 2000


def final(loss, method, prior, seed=0, steps=4000, step_size=2.5e-3, particles=N):
    initial = prior if prior.name != "flat" else pg.priors.Normal(0.0, 1.0)
    return pg.simulate(
        loss,
        method,
        prior=prior,
        initial=initial,
        particles=particles,
        steps=steps,
        step_size=step_size,
        seed=seed,
        integrator="leimkuhler-matthews",
        record_every=0,
    ).final


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.sample("figure 5.2, D*", "shifted prior")
@pytest.mark.often("in a box", "a formula", "flat prior*")
def test_particles_are_as_close_to_the_truth_as_exact_draws(name):
    loss, prior, method = PROBLEMS[name]
    target = pg.target(loss, method, prior=prior)
    particles = 500 if name == "another kernel" else N  # the direct sum is quadratic
    floor = pg.diagnostics.wasserstein1_floor(target, particles, (0.99,))[0]
    x = final(loss, method, prior, particles=particles, steps=2000, step_size=5e-3)
    assert pg.diagnostics.wasserstein1(x, target) < 1.5 * floor


def test_a_wrong_sign_of_the_embedding_is_seen(monkeypatch):
    loss, prior, method = PROBLEMS["figure 5.2, DRLE"]
    target = pg.target(loss, method, prior=prior)
    right = repulsion.embedding

    def flipped(*problem, **options):
        embedding = right(*problem, **options)
        return type(embedding)(embedding.term._replace(heights=-embedding.term.heights), "flipped", 0.0)

    monkeypatch.setattr(repulsion, "embedding", flipped)
    floor = pg.diagnostics.wasserstein1_floor(target, N, (0.99,))[0]
    assert pg.diagnostics.wasserstein1(final(loss, method, prior), target) > 1.5 * floor


def test_two_dimensions_have_the_right_marginals():
    """A correlated Gaussian loss and a Normal prior: Q* of DLE is Gaussian with a known covariance."""
    loss = pg.Loss.from_formula("x**2 + x*y + y**2 - x", ["x", "y"])
    prior, weight = pg.priors.Normal([0.5, 0.0], [1.0, 2.0]), 0.7
    precision = np.array([[2.0, 1.0], [1.0, 2.0]]) / weight + np.diag([1.0, 0.25])
    covariance = np.linalg.inv(precision)
    mean = covariance @ (np.array([1.0, 0.0]) / weight + np.array([0.5, 0.0]))
    x = final(loss, pg.methods.DLE(weight), prior, steps=3000, step_size=5e-3)
    standard_error = np.sqrt(np.diag(covariance) / N)
    assert np.all(np.abs(x.mean(axis=0) - mean) < 4.5 * standard_error)
    scale = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / N)
    assert np.all(np.abs(np.cov(x.T) - covariance) < 4.5 * scale)


WRONG = {
    "weights swapped": FreeEnergy(kl_weight=0.5, mmd_weight=1.0, kernel=SE(1.0)),
    "sqrt 2 missing": FreeEnergy(kl_weight=0.5, mmd_weight=0.5, kernel=SE(1.0)),
    "half the repulsion": FreeEnergy(kl_weight=1.0, mmd_weight=0.25, kernel=SE(1.0)),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.thorough
def test_wrong_weights_are_seen(name):
    """Negative controls: particles of a wrong engine are farther from the right target than 1.5 times the floor."""
    loss, prior, method = PROBLEMS["figure 5.2, DRLE"]
    target = pg.target(loss, method, prior=prior)
    particles = 20_000 if name == "half the repulsion" else N
    floor = pg.diagnostics.wasserstein1_floor(target, particles, (0.99,))[0]
    wrong = final(loss, WRONG[name], prior, particles=particles, steps=1500, step_size=5e-3)
    assert pg.diagnostics.wasserstein1(wrong, target) > 1.5 * floor
