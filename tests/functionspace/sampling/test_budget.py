"""The error budget of projected Langevin sampling: its laws by dense matrices, its limits, its advice, its refusals."""

import numpy as np
import pytest
from scipy import linalg

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.sampling.budget import PARTS, error_budget

from ...refusals import refuse

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.5, variance=1.0)
NOISE = 0.1


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    return X, np.sin(3.0 * X[:, 0]) + np.sqrt(NOISE) * rng.normal(size=60)


def fitted(data, points, likelihood=None, **settings):
    likelihood = likelihoods.Gaussian(NOISE) if likelihood is None else likelihood
    return ProjectedLangevinSampler(KERNEL, likelihood, points, **{"prior": "gp", **settings}).fit(*data)


def dense(basis, X, y, step_size=0.0):
    """Mean and sd at the data, with the stationary covariance of the recursion from its Lyapunov equation."""
    e = basis.features(X)
    A = np.eye(e.shape[1]) + e.T @ e / NOISE
    covariance = linalg.inv(A)
    if step_size:
        decay = np.eye(len(A)) - step_size * A
        covariance = linalg.solve_discrete_lyapunov(decay, 2.0 * step_size * np.eye(len(A)))
    left = basis.covariance.diagonal(X) - np.sum(e**2, axis=1)
    return np.stack([e @ np.linalg.solve(A, e.T @ y) / NOISE, np.sqrt(np.diag(e @ covariance @ e.T) + left)])


def distance(a, b):
    return np.sqrt(np.mean(np.sum((a - b) ** 2, axis=0)))


def test_the_parts_are_distances_of_laws_by_dense_matrices(data):
    X, y = data
    pls = fitted(data, 9, integrator="euler-maruyama", step_size=4e-3, steps=50, particles=30)
    k = pls.basis_.covariance(X)
    gain = k @ linalg.inv(k + NOISE * np.eye(len(X)))
    laws = [np.stack([gain @ y, np.sqrt(np.diag(k - gain @ k))])]
    laws.append(dense(Mercer(KERNEL, X.mean(axis=0), X.std(axis=0), 9), X, y))
    laws += [dense(pls.basis_, X, y), dense(pls.basis_, X, y, 4e-3)]
    values = pls.coefficients_ @ pls.basis(X).T
    laws.append(np.stack([values.mean(axis=0), np.sqrt(values.var(axis=0) + pls.residual_.variance(X))]))
    found = error_budget(pls, X, y)
    names = ("truncation", "nystroem", "step", "sampling")
    for name, near, far in zip(names, laws, laws[1:], strict=False):
        assert found[name] == pytest.approx(distance(near, far), rel=1e-5), name
    assert found["total"] == pytest.approx(distance(laws[0], laws[-1]), rel=1e-6)
    assert found["total"] <= sum(found[name] for name in names)
    draws = np.random.default_rng(1).normal(size=(20_000, 30))
    lucky = np.mean(draws.mean(axis=1) ** 2 + (draws.std(axis=1) - 1.0) ** 2)
    assert found["draws"] == pytest.approx(np.sqrt(lucky * np.mean(laws[3][1] ** 2)), rel=0.02)


def test_each_part_falls_with_its_own_setting(data):
    X, y = data
    euler = {"integrator": "euler-maruyama", "particles": 50, "steps": 20}
    few, many = (error_budget(fitted(data, M, **euler, step_size=1e-3), X, y) for M in (6, 16))
    assert few["truncation"] > 20.0 * many["truncation"] and few["turn"] == "inducing_points"
    large, small = (error_budget(fitted(data, 16, **euler, step_size=size), X, y)["step"] for size in (4e-3, 4e-4))
    assert large > 8.0 * small > 0.0
    exact = [error_budget(fitted(data, 16, particles=J, seed=3), X, y) for J in (20, 2000)]
    assert exact[0]["step"] == exact[1]["step"] == 0.0 and exact[1]["sampling"] < 2.0 * exact[1]["draws"]
    assert exact[0]["sampling"] > 3.0 * exact[1]["sampling"] and exact[0]["turn"] == "particles"
    short = error_budget(fitted(data, 16, **euler, step_size=1e-4), X, y)
    assert short["turn"] == "steps" and short["sampling"] > 2.0 * short["draws"]
    own = error_budget(fitted(data, Mercer(KERNEL, X.mean(axis=0), X.std(axis=0), 9), particles=20), X, y)
    assert own["nystroem"] == 0.0 < own["truncation"]  # the eigenfunctions themselves


def test_what_has_no_budget(data):
    X, y = data
    labels = fitted((X, (y > 0.0).astype(float)), 3, likelihoods.Bernoulli(), steps=2, moves="none", particles=2)
    refuse(lambda: error_budget(labels, X, y), "the likelihood for an error budget must be Gaussian")
    refuse(lambda: error_budget(fitted(data, 3, prior="rkhs"), X, y), 'prior and residual must be "gp"')
    matern = pg.functionspace.covariances.Matern52()
    rough = ProjectedLangevinSampler(matern, likelihoods.Gaussian(NOISE), 3, prior="gp")
    refuse(lambda: error_budget(rough.fit(X, y), X, y), "covariance must be")


@pytest.mark.thorough
def test_the_scenario_advises(tmp_path):
    shorter = {"particles": 60, "data.count": 50}
    results = pg.run("error-budget", out=tmp_path / "run", **shorter)
    parts = {label: facts["run"]["budget"] for label, facts in results.summary["methods"].items()}
    assert parts["exact 20"]["turn"] == "particles" and parts["exact 14"]["step"] == 0.0
    assert parts["Euler 11"]["truncation"] > 3.0 * parts["exact 20"]["truncation"]
    (axes,) = results.plot("budget").axes
    drawn = [bar.get_width() for bar in axes.patches]
    assert drawn == pytest.approx([each[name] for name in PARTS for each in parts.values()])
    refuse(lambda: pg.run("regression-curve", particles=2).plot("budget"), "whose parameter budget is true")
    refuse(lambda: pg.run("error-budget", particles=2, **{"methods.exact 14.prior": "rkhs"}), 'must be "gp"')
