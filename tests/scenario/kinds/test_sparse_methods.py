"""Sparse processes, regressors and linear models as methods of scenarios."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.functionspace import ExactGaussianProcess
from particlegvi.functionspace.likelihoods import PoissonSquare
from particlegvi.scenario.kinds.functions.methods.svgp import SVGP

from ...refusals import refused

SPARSE = {"particles": 5, "data.count": 60, "inducing_points": 7}


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sparse") / "run"
    pg.run("sparse-nine-points", out=folder, **SPARSE)
    return pg.load(folder)


def test_sparse_methods_say_how_far_they_are_from_the_exact_process(sparse):
    found = {label: facts["run"].get("exact") for label, facts in sparse.summary["methods"].items()}
    assert found["GP"] is None and found["SoR random"]["kl"] == found["SoR elbo"]["kl"] == "infinity"
    assert 0.0 < found["SVGP elbo"]["kl"] < found["SVGP greedy"]["kl"]
    assert found["SoR elbo"]["mean_error"] == pytest.approx(found["SVGP elbo"]["mean_error"], rel=1e-9)
    problem = sparse["GP"].problem
    exact = ExactGaussianProcess(problem.kernel, 0.05).fit(problem.X, problem.y)
    grid = np.linspace(problem.X.min(), problem.X.max(), 1000)[:, None]
    error = sparse["SVGP elbo"].predict(grid) - exact.predict(grid)
    assert found["SVGP elbo"]["mean_error"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-6)
    assert "KL to the exact process infinity" in sparse.describe()


def test_nothing_is_guaranteed_without_inducing_points_or_gaussian_noise(sparse):
    grid = np.zeros((1, 1))
    assert sparse["SoR elbo"].guaranteed(grid) is None and sparse["SVGP elbo"].guaranteed(grid) is not None
    run = sparse["SVGP elbo"]
    counts = run.problem._replace(likelihood=PoissonSquare())
    assert run.method.guaranteed(counts, run.fit, grid) is None
    windows = SVGP(features={"name": "fourier", "low": -2.0, "high": 2.0, "frequencies": 5})
    assert windows.guaranteed(run.problem, run.fit, grid) is None


def test_regressors_are_loaded_as_they_were(sparse):
    grid = np.linspace(-1.0, 1.0, 7)
    mean, sd = sparse["SoR elbo"].predict(grid, return_std=True)
    np.testing.assert_allclose(mean, sparse["SVGP elbo"].predict(grid), atol=1e-8)
    assert np.all(sd < sparse["SVGP elbo"].predict(grid, return_std=True)[1])
    drawn = sparse["SoR elbo"].sample(grid)
    assert drawn.shape == (5, 7) and np.linalg.matrix_rank(drawn - mean) == 5


def test_linear_models_say_their_divergence(tmp_path):
    results = pg.run("blr-function-space", particles=5, out=tmp_path / "run", **{"methods.SSGE.steps": 20})
    runs = {label: facts["run"] for label, facts in results.summary["methods"].items()}
    assert runs["Exact"]["log_marginal_likelihood"] == pytest.approx(8.1859887, rel=1e-7)
    assert runs["Exact"]["kl_to_prior"] == pytest.approx(28.035284, rel=1e-7)
    assert runs["FixedA"]["kl_to_posterior"] == "infinity" and runs["FixedA"]["rank"] == 10
    assert runs["Factorised"]["kl_to_posterior"] == pytest.approx(14.824977, rel=1e-6)
    again = pg.load(tmp_path / "run")
    grid = np.linspace(-2.0, 2.0, 9)
    np.testing.assert_array_equal(again["RandA"].predict(grid, True), results["RandA"].predict(grid, True))
    np.testing.assert_array_equal(again["RandA"].sample(grid), results["RandA"].sample(grid))


test_bad_settings_are_refused = refused(
    lambda settings: pg.run("sparse-nine-points", **{**SPARSE, **settings}),
    ({"methods.SVGP elbo.placement": "best"}, 'methods.SVGP elbo: there is no selection "best"'),
    ({"methods.SoR elbo.inducing_points": 0}, "inducing_points must be a whole number of 1 or more, not 0"),
    ({"methods.SVGP elbo.compare": 1}, "compare must be True or False"),
    ({"likelihood": "bernoulli-logistic"}, "likelihood must be gaussian for this method"),
)
