"""Scenarios over functions: refused in one sentence, the laws they must have, and the same bytes from the disk."""

import json

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.functionspace import GaussianWasserstein, ProjectedLangevinSampler, SparseGaussianProcess
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.covariances import Matern32, OnCoordinates
from particlegvi.scenario import catalogue, load
from particlegvi.scenario.kinds import build

from ....refusals import refused
from ....runs.interrupting import content
from ....small_scenarios import COUNTS

SMALL = {
    "kind": "function-space",
    "name": "small",
    "data": {"formula": "sin(2*x)", "count": 24, "gaps": [[0.0, 0.5]]},
    "kernel": {"name": "squared-exponential", "lengthscale": 0.9},
    "likelihood": {"name": "gaussian", "noise_variance": 0.1},
    "inducing_points": 8,
    "particles": 30,
    "methods": {"PLS": {"prior": "gp"}, "SVGP": {}, "GP": {}},
}
FOURIER = {"name": "fourier", "low": -3.0, "high": 3.0, "frequencies": 3}
EVERY = {
    **SMALL,
    "kernel": {"name": "matern-32", "lengthscale": 0.9},
    "methods": {
        "GWI-net": {"method": "GWI", "mean": "network", "hidden": [4], "epochs": 30},
        "GWI": {"w2_weight": "code", "estimate": [5, 10]},
        "learned": {"method": "GWI", "placement": "elbo", "inducing_points": 5},
        "Fourier": {"method": "SVGP", "features": FOURIER, "sizes": [2, 3]},
        "GP": {},
    },
}
PLANE = {
    **SMALL,
    "data": {"formula": "x1 + sin(2*x2)", "clusters": [[-1.0, -1.0], [1.0, 1.0]], "spread": 0.5, "count": 30},
    "kernel": {"name": "matern-32", "lengthscale": 0.9, "by_coordinate": "product"},
    "methods": {"SVGP": {"features": {**FOURIER, "ends": True}, "sizes": [1, 2]}, "GP": {}},
}
MEANS = {
    **SMALL,
    "data": {"formula": "sin(2*x)", "intervals": [[0.0, 1.0], [1.0, 1.5]], "slopes": [0.5]},
    "inducing_points": 1,
    "methods": {"GP": {}, "centres": {"method": "GP", "centres": True}},
}

test_bad_settings_are_answered_in_one_sentence = refused(
    lambda changes: build(load({**SMALL, **changes})),
    *[
        ({"loss": "double-well"}, "there is no key of the kind function-space"),
        ({"data": "yahct"}, 'did you mean "yacht"'),
        ({"data": {"formula": "sin(x)", "points": [[0.0, 1.0]]}}, "data must have exactly one of the keys"),
        ({"data": {"formula": "x", "low": 1.0, "high": 0.0}}, "data.low must be below data.high"),
        ({"data": {"points": [[0.0], [1.0]]}}, "whose last number is y"),
        ({"likelihood": "poison-square"}, 'did you mean "poisson-square"'),
        ({"likelihood": "gaussian"}, "noise_variance of the likelihood gaussian must be given"),
        ({"likelihood": "poisson-log", "data": {"points": [[0.0, 0.5]]}, "methods": {"PLS": {}}}, "data: y must"),
        ({"inducing_points": 25}, "inducing_points must be at most the number of data, which is 24"),
        ({"inducing_points": [[0.0, 1.0]]}, "inducing_points must have 1 coordinates"),
        ({"methods": {"PLS": {"moves": "mixed"}}}, 'methods.PLS: there is no kind of moves "mixed"'),
        ({"methods": {"PLS": {"kernel": {"name": "x"}}}}, "methods.PLS.kernel must be"),
        ({"likelihood": "poisson-log", "methods": {"GP": {}}}, "methods.GP: likelihood must be gaussian"),
        ({"likelihood": "poisson-square", "methods": {"SVGP": {}}}, "methods.SVGP: the likelihood poisson-square"),
        ({"data": {"formula": "x", "count": 1_000_000}, "inducing_points": 20_000}, "of memory"),
        ({"data": {"formula": "x", "intervals": [[1.0, 0.0]]}}, "data.intervals must be a list of intervals"),
        ({"data": {"formula": "x", "intervals": [[0.0, 1.0]], "count": 3}}, "data with intervals or slopes"),
        ({"data": {"formula": "x", "intervals": [[0.0, 1.0]]}, "inducing_points": 1}, "the method must be GP"),
        ({"data": {"formula": "x", "intervals": [[0.0, 1e-12]]}, "inducing_points": 1}, "at least 1e-3 lengthscales"),
        ({"kernel": "matern-12", "data": {"formula": "x", "slopes": [0.0]}}, "data: the covariance for slopes must"),
        ({"data": {"formula": "x1", "clusters": [[0.0, 1.0], [2.0]]}}, "data.clusters must be points of one dimension"),
        ({"methods": {"SVGP": {"features": FOURIER}}}, "methods.SVGP: the covariance for Fourier must be"),
        ({**PLANE, "kernel": "matern-32"}, "features fourier of 2 inputs need a kernel with by_coordinate"),
        ({**PLANE, "methods": {"SVGP": {"features": {**FOURIER, "frequencies": 80}}}}, "at most 20000 functionals"),
        ({"methods": {"SVGP": {"features": {"name": "fourier", "low": 0.0}}}}, "must have the key high"),
        ({"methods": {"SVGP": {"sizes": []}}}, "sizes must be a list of at least one whole number"),
        ({"methods": {"GWI": {"mean": "forest"}}}, 'mean must be "inducing" or "network", not "forest"'),
        ({"methods": {"GWI": {"w2_weight": "squared"}}}, 'w2_weight must be a number of at least 0, "unsquared" or'),
        ({"likelihood": "poisson-log", "methods": {"GWI": {}}}, "likelihood must be gaussian for this method"),
    ],
    plain=True,
)


def test_the_three_methods_have_the_laws_of_their_classes():
    """Against the classes themselves on the same data, and the exact process against linear algebra by hand."""
    results = pg.run(SMALL, seed=3)
    run = results["PLS"]
    X, y, k, likelihood = run.problem.X, run.problem.y, run.problem.kernel, run.problem.likelihood
    assert not np.any((X >= 0.0) & (X <= 0.5)) and len(X) == len(y) < 24
    grid = np.linspace(-2.5, 2.5, 7)
    sampler = ProjectedLangevinSampler(k, likelihood, 8, particles=30, prior="gp", seed=3).fit(X, y)
    np.testing.assert_array_equal(run.final, sampler.coefficients_)
    np.testing.assert_array_equal(run.sample(grid), sampler.sample(grid[:, None]))
    sparse = SparseGaussianProcess(k, likelihood, 8, seed=3).fit(X, y)
    np.testing.assert_allclose(results["SVGP"].predict(grid), sparse.predict(grid[:, None]), rtol=1e-12)
    inverse = np.linalg.inv(k(X) + 0.1 * np.eye(len(X)))
    cross = k(grid[:, None], X)
    mean, sd = results["GP"].predict(grid, return_std=True)
    np.testing.assert_allclose(mean, cross @ inverse @ y, atol=1e-10)
    np.testing.assert_allclose(sd**2, 1.0 - np.einsum("nm,mk,nk->n", cross, inverse, cross), atol=1e-10)


def test_learned_inducing_points_are_those_of_the_object():
    run, greedy = (pg.run({**EVERY, "methods": {"GWI": {"placement": rule, "inducing_points": 5}}}, seed=3)["GWI"]
                   for rule in ("elbo", "greedy"))  # fmt: skip
    problem, grid = run.problem, np.linspace(-2.5, 2.5, 7)
    own = GaussianWasserstein(problem.kernel, problem.likelihood, 5, placement="elbo", seed=3).fit(problem.X, problem.y)
    np.testing.assert_array_equal(run.predict(grid), own.predict(grid[:, None]))
    assert run.info["placement"] == own.info_["placement"] and run.info["objective"] == own.objective_
    assert run.info["objective"] < greedy.info["objective"]


def test_features_of_two_inputs_are_products_of_those_of_each_coordinate():
    """Against the objects themselves, with another lengthscale as control."""
    run = pg.run({**PLANE, "kernel": {**PLANE["kernel"], "by_coordinate": "product"}}, seed=3)["SVGP"]
    X, y, likelihood = run.problem.X, run.problem.y, run.problem.likelihood
    features, found = fl.TensorProduct(*[fl.Fourier(-3.0, 3.0, 3, ends=True)] * 2), []
    for lengthscale in (0.9, 1.0):
        one, two = (OnCoordinates(Matern32(lengthscale), number) for number in (0, 1))
        found.append(SparseGaussianProcess(one * two, likelihood, features, seed=3).fit(X, y).predict(X))
    np.testing.assert_allclose(run.predict(X), found[0], rtol=1e-12)
    assert not np.allclose(run.predict(X), found[1], rtol=1e-3) and run.final.shape[1] == len(features)


def test_the_data_are_draws_of_the_likelihood_and_belong_to_the_seed():
    many = {**SMALL, "data": {"formula": "sin(2*x)", "count": 4000}, "inducing_points": 2}
    problem = build(load(many)).problem(5)
    noise = problem.y - np.sin(2.0 * problem.X[:, 0])
    assert abs(noise.mean()) < 5.0 * np.sqrt(0.1 / 4000)
    assert abs(noise.var() - 0.1) < 5.0 * 0.1 * np.sqrt(2.0 / 4000)
    np.testing.assert_array_equal(problem.y, build(load(many)).problem(5).y)
    assert np.any(problem.y != build(load(many)).problem(6).y)


def test_given_points_are_the_data():
    points = {"data": {"points": [[0.0, 1.5], [1.0, -0.5]]}, "inducing_points": [0.0, 0.5]}
    problem = build(load({**SMALL, **points})).problem(0)
    assert problem.X.tolist() == [[0.0], [1.0]] and problem.y.tolist() == [1.5, -0.5]
    assert problem.inducing_points.tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize("scenario", [SMALL, COUNTS, EVERY, MEANS, PLANE],
                         ids=["curve", "counts", "every", "means", "plane"])  # fmt: skip
@pytest.mark.sample("counts", "plane", "curve", "means")
def test_what_was_written_comes_back_bit_for_bit(scenario, tmp_path):
    results = pg.run(scenario, seed=2, out=tmp_path / "run")
    loaded = pg.load(tmp_path / "run")
    assert loaded.summary == results.summary == json.loads((tmp_path / "run" / "summary.json").read_text())
    assert loaded.describe() == results.describe()
    inputs = next(iter(results.values())).data.inputs
    grid = np.linspace(-3.0, 3.0, 11 * inputs).reshape(11, inputs)
    for label, run in results.items():
        assert loaded[label].final.tobytes() == run.final.tobytes()
        assert loaded[label].sample(grid).tobytes() == run.sample(grid).tobytes()
        assert loaded[label].info == {**run.info, "seconds": loaded[label].info["seconds"]}
    results.save(tmp_path / "copy")
    assert content(tmp_path / "copy") == content(tmp_path / "run")
    assert pg.run(scenario, seed=2).summary == results.summary


def test_mixing_finds_both_halves_and_plain_sampling_keeps_its_signs():
    settings = {**COUNTS, "data": {"formula": "3*sin(1.5*x) + x/2", "count": 150}, "inducing_points": 12}
    summary = pg.run(settings, particles=100, **{"methods.plain.steps": 400}).summary["methods"]
    assert summary["mixing"]["signs"]["mixed"] == 0.0
    # half of 100 fair coins, within four standard errors
    assert 0.3 <= summary["mixing"]["signs"]["as_truth"] <= 0.7
    assert summary["mixing"]["equilibrium"]["reached"]
    assert summary["plain"]["signs"]["mixed"] > 0.5 and not summary["plain"]["equilibrium"]["reached"]


SLOW = ("wasserstein-", "window-", "fourier-", "in-between", "blr-", "kl-", "sparse-nine-points-code")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name.startswith(SLOW) else name
     for name in catalogue.names("function-space")],
)  # fmt: skip
@pytest.mark.thorough
@pytest.mark.often("sparse-certificate", "prior-draws", "error-budget")
def test_every_scenario_runs_from_the_command_line(name, capsys, tmp_path, elsewhere):
    short = ["--set", "particles=20", *(["--set", "data.count=60"] if name.startswith("poisson") else [])]
    assert cli.main(["run", name, *short, "--out", "run"]) == 0
    out = capsys.readouterr().out
    picture = f"{load(name)['figures'][0]['kind']}.png"
    assert load(name)["title"] in out and picture in out
    before = (tmp_path / "run" / picture).read_bytes()
    assert cli.main(["plot", "run"]) == 0
    assert (tmp_path / "run" / picture).read_bytes() == before
    assert cli.main(["resume", "run"]) == 0
