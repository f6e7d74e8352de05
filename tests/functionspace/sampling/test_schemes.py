"""The four vectors of a step: exact laws of linear problems, the bias rule, and how few steps a stiff basis takes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

import particlegvi as pg
from particlegvi.engine.numerics import noise
from particlegvi.engine.steps.projected import log_ratios, move
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.sampling import langevin


def propagation(scheme, gram):
    """The matrix and the noise covariance of one step for the force ``gram z``."""
    matrix = np.diag(scheme.decay) - scheme.gain[:, None] * (gram + np.diag(scheme.leftover))
    return matrix, np.diag(scheme.spread**2)


def bias(scheme, gram, hessian):
    """The largest relative error of the stationary covariance, over all directions."""
    covariance = linalg.solve_discrete_lyapunov(*propagation(scheme, gram))
    root = np.linalg.cholesky(hessian)
    return np.abs(np.linalg.eigvalsh(root.T @ covariance @ root) - 1.0).max()


def stiff(rows=1000):
    """Features of a squared-exponential basis whose eigenvalues fall to 1e-10, and the eigenvalues."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (rows, 1))
    basis = Nystroem(pg.kernels.SquaredExponential(1.0, 1.0), np.linspace(-2.0, 2.0, 12)[:, None])
    kept = basis.eigenvalues > 1e-10 * basis.eigenvalues[0]
    return basis.features(X)[:, kept], basis.eigenvalues[kept], rng


def test_the_exponential_step_is_exact_for_the_linear_part():
    rate = np.array([1e-3, 0.5, 40.0, 1e9])
    mobility, reference = np.array([2.0, 1.0, 0.1, 1.0]), rate / [2.0, 1.0, 0.1, 1.0]
    for step_size in (1e-6, 0.1, 50.0):
        scheme = langevin.exponential_euler(step_size, mobility, reference, np.zeros(4))
        np.testing.assert_allclose(scheme.decay, np.exp(-rate * step_size), rtol=1e-12, atol=1e-15)
        variance = (1.0 - np.exp(-2.0 * rate * step_size)) / reference
        np.testing.assert_allclose(scheme.spread**2, variance, rtol=1e-7)
        # a constant force moves the mean to where it balances
        np.testing.assert_allclose(scheme.gain, (1.0 - scheme.decay) / reference, rtol=1e-7)


def test_both_schemes_agree_as_the_step_shrinks():
    precision = np.array([1.0, 30.0])
    for step_size in (1e-3, 1e-5):
        euler = langevin.euler_maruyama(step_size, precision)
        exact = langevin.exponential_euler(step_size, np.ones(2), precision, np.zeros(2))
        gram = np.array([[5.0, 1.0], [1.0, 3.0]])
        difference = propagation(euler, gram)[0] - propagation(exact, gram)[0]
        assert np.abs(difference).max() < 0.6 * (30.0 * step_size) ** 2 + 10 * 30.0 * step_size**2


def test_the_step_rule_keeps_the_bias_at_a_few_per_cent():
    features, eigenvalues, rng = stiff()
    for scale in (0.01, 1.0, 100.0):
        gram = scale * features.T @ features
        step_size = langevin.BIAS / np.linalg.eigvalsh(gram)[-1]
        one = np.ones(len(eigenvalues))
        scheme = langevin.exponential_euler(step_size, one, 1.0 / eigenvalues, 0.0 * one)
        hessian = gram + np.diag(1.0 / eigenvalues)
        assert bias(scheme, gram, hessian) < 0.06
        coarse = langevin.exponential_euler(10.0 * step_size, one, 1.0 / eigenvalues, 0.0 * one)
        assert bias(coarse, gram, hessian) > 0.2


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_stiff_basis_takes_a_thousand_times_fewer_steps(scale):
    """Steps to 5% of the start and 5% of bias. The curvature differs from the one that the mobility was made for."""
    features, eigenvalues, rng = stiff()
    gram = scale * features.T @ (rng.uniform(0.5, 1.0, (1000, 1)) * features)
    hessian = gram + np.diag(1.0 / eigenvalues)
    curvatures = np.linalg.eigvalsh(hessian)
    assert curvatures[-1] / curvatures[0] > 1e6
    step_size = 2.0 * (1.0 - 1.0 / 1.05) / curvatures[-1]  # (1 - h a/2)^-1 = 1.05 for the largest a
    euler = np.log(20.0) / (step_size * curvatures[0])
    roots = np.sqrt(eigenvalues)
    stiffness, rotation = np.linalg.eigh(scale * 0.75 * roots[:, None] * (features.T @ features) * roots)
    map_ = roots[:, None] * rotation
    moved = map_.T @ gram @ map_
    reference = 1.0 + np.maximum(stiffness, 0.0)
    rule = langevin.BIAS / np.linalg.eigvalsh(moved / np.sqrt(np.outer(reference, reference)))[-1]
    scheme = langevin.exponential_euler(rule, 1.0 / reference, reference, 1.0 - reference)
    assert bias(scheme, moved, moved + np.eye(len(roots))) < 0.05
    ours = np.log(20.0) / -np.log(np.abs(np.linalg.eigvals(propagation(scheme, moved)[0])).max())
    assert euler / ours > 1000.0


def test_the_compiled_step_is_the_formula():
    rng = np.random.default_rng(1)
    z, force = rng.normal(size=(2, 70, 3))
    scheme = langevin.Scheme(*rng.uniform(0.5, 1.0, (4, 3)))
    for step in (0, 1, 6):
        out = np.empty_like(z)
        move(z, force, *scheme, noise.key_words(9), noise.role_word("noise"), step, out)
        mean = scheme.decay * z - scheme.gain * (force + scheme.leftover * z)
        np.testing.assert_allclose(out, mean + scheme.spread * noise.normals(9, "noise", 70, 3, step), rtol=1e-13)
    there, force_there = rng.normal(size=(2, 70, 3))
    ratio = np.empty(70)
    log_ratios(z, force, there, force_there, *scheme, ratio)
    back = scheme.decay * there - scheme.gain * (force_there + scheme.leftover * there)
    forth = scheme.decay * z - scheme.gain * (force + scheme.leftover * z)
    expected = np.sum(((there - forth) ** 2 - (z - back) ** 2) / (2.0 * scheme.spread**2), axis=1)
    np.testing.assert_allclose(ratio, expected, rtol=1e-10)


def test_a_default_run_takes_few_steps_on_a_stiff_basis():
    X = np.random.default_rng(2).uniform(-2.0, 2.0, (500, 1))
    y = (X[:, 0] > 0.3).astype(float)
    pls = ProjectedLangevinSampler(pg.kernels.SquaredExponential(1.0, 1.0), likelihoods.Bernoulli(), 12).fit(X, y)
    assert pls.eigenvalues_[-1] < 1e-8
    assert pls.steps_ < 2000
    assert pls.info_["equilibrium"]["reached"]
