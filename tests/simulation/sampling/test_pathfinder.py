"""The normal that a path finds: exact for a normal law, and the bound is its log normaliser."""

import numpy as np
import pytest

from particlegvi.simulation.sampling.pathfinder import best_gaussian, descent

from .posteriors import gaussian, posterior


def normal_of(law, start, rng):
    return best_gaussian(law, descent(law, start), rng)


@pytest.fixture
def law(rng):
    matrix = rng.standard_normal((4, 4)) * np.array([1.0, 10.0, 0.1, 1.0])
    return rng.standard_normal(4), matrix @ matrix.T


def test_a_normal_law_is_found(law, rng):
    mean, covariance = law
    best = normal_of(gaussian(mean, covariance), np.array([1.0, -2.0, 0.5, 2.0]), rng)
    sd = np.sqrt(np.diag(covariance))
    assert np.all(np.abs(best.mean - mean) < 1e-3 * sd)
    found = best.root @ best.root.T
    assert np.all(np.abs(found - covariance) < 0.1 * np.outer(sd, sd))  # an estimate from the steps of a path
    assert np.any(np.abs(np.eye(4) - covariance) > 0.1 * np.outer(sd, sd))  # the control: that of the first step
    # E[log p / q] of q = p is the logarithm of the integral of exp(-V)
    assert best.bound == pytest.approx(0.5 * np.linalg.slogdet(2.0 * np.pi * covariance)[1], abs=0.05)


def test_the_energy_falls_along_a_path_and_its_end_is_the_minimum(law):
    mean, covariance = law
    path = descent(gaussian(mean, covariance), np.full(4, 2.0))
    energies = [step.energy for step in path]
    assert energies == sorted(energies, reverse=True)
    assert np.allclose(path[-1].point, mean, atol=1e-3 * np.sqrt(np.diag(covariance)))


def test_the_log_density_is_that_of_scipy(law, rng):
    from scipy.stats import multivariate_normal

    mean, covariance = law
    best = normal_of(gaussian(mean, covariance), np.zeros(4), rng)
    points = rng.standard_normal((5, 4))
    exact = multivariate_normal(best.mean, best.root @ best.root.T).logpdf(points)
    assert np.allclose(best.log_density(points) - 2.0 * np.log(2.0 * np.pi), exact)


def test_a_path_without_curvature_has_no_normal(rng):
    assert normal_of(posterior(2, lambda x: x[:, 0] * 0.0, np.zeros_like), np.ones(2), rng) is None


def test_a_path_may_start_where_the_loss_is_nearly_infinite(rng):
    """Steps of the line search that overflow are refused, not followed."""
    steep = posterior(1, lambda x: np.exp(5.0 * x[:, 0]) - x[:, 0], lambda x: 5.0 * np.exp(5.0 * x) - 1.0)
    best = normal_of(steep, np.array([2.0]), rng)
    assert abs(best.mean[0] - np.log(0.2) / 5.0) < 0.1
