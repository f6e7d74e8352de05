"""References for claims: laws of section 6.6 by sums and closed forms, and the grid's flow to Q*."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.targets.fokker_planck import FokkerPlanck
from particlegvi.verification import problems
from particlegvi.verification.optimum import Leading, Projection, divergence, probabilities

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.8, variance=2.0)
X = np.linspace(-1.0, 1.0, 5)[:, None]
Y = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
LOGISTIC = likelihoods.Bernoulli()


def matrix(a, b):
    return 2.0 * np.exp(-0.5 * (a - b.T) ** 2 / 0.64)


def test_what_is_left_is_the_variance_of_the_process_given_its_coefficients():
    """Sigma of (6.23) from the eigenpairs of k(X, X), with r of (6.10) under the uniform law on X."""
    values, vectors = np.linalg.eigh(matrix(X, X) / 5.0)
    problem = Projection(KERNEL, LOGISTIC, X, Y, 2)
    np.testing.assert_allclose(problem.eigenvalues, values[::-1][:2], rtol=1e-12)
    sigma = 5.0 * (vectors[:, :3] * values[:3] ** 2) @ vectors[:, :3].T
    np.testing.assert_allclose(problem.left, sigma.diagonal(), atol=1e-13)
    assert problem.bound() == pytest.approx(0.5 * 5.0 * np.trace(sigma), rel=1e-10)


def test_potentials():
    problem = Projection(KERNEL, LOGISTIC, X, Y, 2)
    u = np.array([[0.4, -0.3], [1.0, 2.0]])
    prior = 0.5 * np.sum(u**2 / problem.eigenvalues, axis=1)
    for row, expected in zip(u, problem.potential(u, 40) - prior, strict=True):
        cost = sum(
            integrate.quad(lambda f, m=m, s=s, y=y: stats.norm.pdf(f, m, s) * (np.log1p(np.exp(f)) - y * f),
                           m - 9 * s, m + 9 * s)[0]
            for m, s, y in zip(problem.features @ row, np.sqrt(problem.left), Y, strict=True)
        )  # fmt: skip
        assert expected == pytest.approx(cost, abs=1e-7)
    f = u @ problem.features.T
    np.testing.assert_allclose(problem.potential(u), prior + np.sum(np.log1p(np.exp(f)) - Y * f, axis=1), rtol=1e-12)


def test_gaussian_noise_adds_a_constant_and_no_more():
    """tr Sigma / (2 sigma^2); (D.181) leaves the denominator out."""
    problem = Projection(KERNEL, likelihoods.Gaussian(0.3), X, Y, 2)
    grid = problem.grid(9)
    np.testing.assert_allclose(
        problem.potential(grid, 20) - problem.potential(grid), problem.left.sum() / 0.6, rtol=1e-9
    )


def test_the_leading_part_has_the_leading_pairs_and_no_other():
    whole = Nystroem(KERNEL, X)
    some = Nystroem(Leading(whole, 2), X)
    assert some.size == 2
    np.testing.assert_allclose(some.eigenvalues, whole.eigenvalues[:2], rtol=1e-12)
    other = np.array([[-1.7], [0.3]])
    np.testing.assert_allclose(some.features(other), whole.features(other)[:, :2], atol=1e-10)
    np.testing.assert_allclose(Leading(whole, 2)(other).diagonal(), Leading(whole, 2).diagonal(other), rtol=1e-12)


def test_divergence_is_that_of_normals():
    u = np.linspace(-20.0, 20.0, 8001)
    p, q = probabilities(0.5 * (u - 1.0) ** 2), probabilities(0.5 * u**2 / 4.0)
    assert divergence(p, q) == pytest.approx(0.5 * (0.25 + 0.25 - 1.0 + np.log(4.0)), abs=1e-9)
    assert divergence(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(np.log(2.0))


A, T, START, SD, END = 2.0, 0.5, 1.0, 0.4, 0.6  # drift a x at temperature T, from N(START, SD^2), until END


def cells(low, high, number):
    edges = np.linspace(low, high, number + 1)
    return edges, 0.5 * (edges[1:] + edges[:-1])


def ornstein_uhlenbeck_errors(number, steps):
    """Errors of the masses of the cells at the end."""
    edges, centres = cells(-4.0, 4.0, number)
    masses = np.diff(ndtr((edges - START) / SD))
    flow = FokkerPlanck(0.5 * A * centres**2, centres, T)
    for _ in range(steps):
        masses = flow.step(masses, END / steps)
    shrink = np.exp(-A * END)
    sd = np.sqrt(shrink**2 * SD**2 + T / A * (1.0 - shrink**2))
    assert masses.sum() == pytest.approx(1.0, abs=1e-12) and np.all(masses >= 0.0)
    return masses - np.diff(ndtr((edges - shrink * START) / sd))


def test_ornstein_uhlenbeck_at_first_order_in_time():
    errors = [np.abs(ornstein_uhlenbeck_errors(800, steps)).sum() for steps in (50, 100, 200)]
    assert errors[-1] < 0.01
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.15)


def test_ornstein_uhlenbeck_at_second_order_in_space():
    """With errors of the time steps removed by extrapolation."""
    errors = []
    for number in (20, 40):
        coarse, fine = (ornstein_uhlenbeck_errors(number, steps) for steps in (400, 800))
        errors.append(np.abs(2.0 * fine - coarse).sum())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_the_flow_ends_at_the_target():
    """The flow with interaction and the target's fixed point share no code."""
    method = problems.STRONG
    _, centres = cells(-4.5, 3.5, 150)
    flow = FokkerPlanck(
        problems.potential(centres, method), centres, method.kl_weight, method.lambda1, lambda r2: np.exp(-0.5 * r2)
    )
    masses = np.full(150, 1.0 / 150)
    for _ in range(400):
        masses = flow.step(masses, 0.5)
    assert np.abs(masses - problems.target(method).pdf(centres) * flow.width).sum() < 1e-10


def test_the_free_energy_is_that_of_a_gaussian():
    _, centres = cells(-8.0, 8.0, 2000)
    masses = np.exp(-0.5 * centres**2)
    masses /= masses.sum()
    flow = FokkerPlanck(0.5 * centres**2, centres, 0.3, 0.7, lambda r2: np.exp(-0.5 * r2))
    entropy = 0.5 * np.log(2.0 * np.pi * np.e)
    assert flow.free_energy(masses) == pytest.approx(0.5 + 0.35 / np.sqrt(3.0) - 0.3 * entropy, abs=1e-6)
