"""Pages about functions: the processes of the browser against Python's, what is on a page, and what is refused."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import noise
from particlegvi.functionspace import covariances
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.pages.functions import COVARIANCES

from ..refusals import refused
from .test_pages import assert_closed, data_of

GRID = np.linspace(-3.2, 3.2, 33)
Z = np.linspace(-2.8, 2.8, 9)
SETTINGS = {"noise_variance": 0.09, "inducing": Z.tolist(), "particles": 6, "seed": "11"}
EXACT = """const p = PG.exact_process(given, points, grid);
return p && { mean: Array.from(p.mean), sd: Array.from(p.sd), evidence: p.evidence,
  draws: p.sample([Array(grid.length).fill(0), Array(grid.length).fill(1)]).map(each => Array.from(each)) };"""
PLS = """const pls = PG.projected(given, points, grid);
const start = pls.u.map(row => Array.from(row));
for (const h of steps) pls.advance(1, h);
const { mean, sd } = pls.law(), rows = list => list.map(row => Array.from(row));
return { start, u: rows(pls.u), functions: rows(pls.functions()), mean: Array.from(mean), sd: Array.from(sd) };"""


KERNEL = {"lengthscale": 0.7, "variance": 1.3}


def kernel_of(name: str) -> dict:
    return {"name": name, **KERNEL}


def covariance_of(name: str):
    return covariances.get(name, **KERNEL)


@pytest.fixture
def points(rng) -> np.ndarray:
    x = np.sort(rng.uniform(-3.0, 3.0, 25))
    return np.column_stack([x, np.sin(2.0 * x) + 0.3 * rng.standard_normal(25)])


def law(name: str, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sd at the grid of the process on the features of Z, by its dense formulas."""
    k, s2 = covariance_of(name), SETTINGS["noise_variance"]
    a, b, g = Z[:, None], points[:, :1], GRID[:, None]
    inverse = np.linalg.inv(k(a, a) + k(a, b) @ k(b, a) / s2)
    mean = k(g, a) @ inverse @ k(a, b) @ points[:, 1] / s2
    nystroem = k(g, a) @ np.linalg.solve(k(a, a), k(a, g))
    variance = np.diag(k(g, g) - nystroem + k(g, a) @ inverse @ k(a, g))
    return mean, np.sqrt(variance)


@pytest.mark.parametrize("name", COVARIANCES)
def test_the_exact_process_is_that_of_the_package(engine, points, name):
    given = {"kernel": kernel_of(name), "noise_variance": 0.09}
    found = engine(EXACT, given=given, points=points.tolist(), grid=GRID.tolist())
    exact = ExactGaussianProcess(covariance_of(name), 0.09).fit(points[:, :1], points[:, 1])
    mean, sd = exact.predict(GRID[:, None], return_std=True)
    np.testing.assert_allclose(found["mean"], mean, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found["sd"], sd, rtol=0.0, atol=1e-9)
    assert found["evidence"] == pytest.approx(exact.log_marginal_likelihood(), abs=1e-9)
    np.testing.assert_allclose(found["draws"][0], mean, rtol=0.0, atol=1e-10)
    other = engine(EXACT, given=given | {"noise_variance": 0.1}, points=points.tolist(), grid=GRID.tolist())
    assert np.abs(np.array(other["mean"]) - mean).max() > 1e-3  # the control


def test_without_data_the_process_is_the_prior(engine):
    given = {"kernel": kernel_of("matern-52"), "noise_variance": 0.09}
    found = engine(EXACT, given=given, points=[], grid=GRID.tolist())
    np.testing.assert_allclose(found["sd"], np.sqrt(1.3))
    assert not np.any(found["mean"]) and found["evidence"] == 0.0
    twice = [[0.0, 1.0], [0.0, 1.0]]
    assert engine(EXACT, given=given | {"noise_variance": 0.0}, points=twice, grid=GRID.tolist()) is None


@pytest.mark.parametrize("name", ["squared-exponential", "matern-32"])
def test_pls_goes_to_the_law_of_its_features(engine, points, name):
    """And its particles take the steps of the package's formula, with the package's normals."""
    given, steps = SETTINGS | {"kernel": kernel_of(name)}, [0.1, 0.1, 0.5]
    found = engine(PLS, given=given, points=points.tolist(), grid=GRID.tolist(), steps=steps)
    mean, sd = law(name, points)
    np.testing.assert_allclose(found["mean"], mean, rtol=0.0, atol=1e-5)  # a jitter of 1e-9 on k(Z, Z)
    np.testing.assert_allclose(found["sd"], sd, rtol=0.0, atol=1e-5)
    k = covariance_of(name)
    root = np.linalg.cholesky(k(Z[:, None], Z[:, None]) + 1e-9 * 1.3 * np.eye(len(Z)))
    phi = np.linalg.solve(root, k(Z[:, None], points[:, :1])).T
    A = np.eye(len(Z)) + phi.T @ phi / 0.09
    m = np.linalg.solve(A, phi.T @ points[:, 1] / 0.09)
    u = noise.normals(11, "start", 6, len(Z))
    np.testing.assert_allclose(found["start"], u, rtol=0.0, atol=1e-13)
    for step, h in enumerate(steps):
        z = noise.normals(11, "noise", 6, len(Z), step)
        spread = np.sqrt(1.0 - np.exp(-2.0 * h))
        u = m + np.exp(-h) * (u - m) + spread * np.linalg.solve(np.linalg.cholesky(A).T, z.T).T
    np.testing.assert_allclose(found["u"], u, rtol=0.0, atol=1e-6)


def test_settled_functions_have_the_law(engine, points):
    """300 functions after 12 units of time: means within 5 standard errors, sds within 5 of theirs."""
    given = SETTINGS | {"kernel": kernel_of("squared-exponential"), "particles": 300}
    found = engine(PLS, given=given, points=points.tolist(), grid=GRID.tolist(), steps=[4.0, 4.0, 4.0])
    mean, sd = law("squared-exponential", points)
    functions = np.array(found["functions"])
    assert np.all(np.abs(functions.mean(axis=0) - mean) < 5.0 * sd / np.sqrt(300.0))
    assert np.all(np.abs(functions.std(axis=0) / sd - 1.0) < 5.0 / np.sqrt(600.0))
    early = engine(PLS, given=given, points=points.tolist(), grid=GRID.tolist(), steps=[0.1])  # the control
    assert np.any(np.abs(np.array(early["functions"]).mean(axis=0) - mean) > 5.0 * sd / np.sqrt(300.0))


@pytest.mark.thorough
def test_the_page_of_a_scenario_is_small_and_has_its_data():
    page = pg.page("regression-curve", seed=4)
    assert len(page.html.encode()) < 80_000 and page.html == pg.page("regression-curve", seed=4).html
    assert_closed(page.html)
    data = data_of(page.html)
    found = data["functions"]
    settings = found["settings"]
    run = pg.run("regression-curve", seed=4, methods={"GP": {}})["GP"]
    np.testing.assert_allclose(found["data"], np.column_stack([run.problem.X[:, 0], run.problem.y]), rtol=1e-5)
    assert settings["noise"] == pytest.approx(0.06**0.5, rel=1e-5) and settings["lengthscale"] == 0.8
    assert len(found["truth"]) == found["grid"][2] and data["live"]
    assert data["watch"].endswith("Dotted: the true function.")
    without = data_of(pg.page("prior-draws").html)
    assert "Dotted" not in without["watch"]
    wide = without["functions"]  # its figure has a window
    assert wide["grid"][:2] == [-5.0, 10.0] and wide["settings"]["inducing_points"] == round(3 * 15.0 / 1.08)
    assert "The run has 3 inducing points" in without["watch"] and "The page has 42" in without["watch"]
    assert "inducing points" not in data["watch"]


@pytest.mark.slow
def test_the_page_of_a_run_shows_its_functions():
    results = pg.run("classification-curve", particles=8, steps=20)
    data = data_of(results.page().html)
    shown = {each["label"]: each for each in data["functions"]["runs"]}
    low, high, count = data["functions"]["grid"]
    grid = np.linspace(low, high, count)[:, None]
    assert list(shown) == ["PLS", "SVGP"] and not data["live"] and "Gaussian" in data["why"]
    for label, run in results.items():
        np.testing.assert_allclose(shown[label]["mean"], run.marginals(grid).mean(), atol=1e-3)
        assert len(shown[label]["draws"]) == 8
    counts = pg.run("poisson-bimodal", particles=4, steps=5)
    found = data_of(counts.page().html)["functions"]
    x, y = np.array(found["data"]).T
    highest = np.argmin(np.abs(np.linspace(*found["grid"]) - x[np.argmax(y)]))
    for each in found["runs"]:
        assert each["signs"] == [draw[highest] > 0.0 for draw in each["draws"]]
    assert "signs" not in shown["PLS"]
    seen = np.sqrt(counts["plain"].problem.y)  # f and -f explain a count, so that it has two places
    np.testing.assert_allclose(y, np.concatenate([seen, -seen]), rtol=1e-5)
    np.testing.assert_allclose(x, np.tile(counts["plain"].problem.X[:, 0], 2), rtol=1e-5, atol=1e-9)
    regression = pg.run("regression-curve", methods={"GP": {}})
    page = regression.page()
    assert data_of(page.html)["live"] and len(page.html.encode()) < 500_000
    assert not data_of(regression.page(live=False).html)["live"]


test_functions_that_a_browser_cannot_compute_are_refused = refused(
    pg.page,
    ("classification-curve", "classification-curve: .*not Gaussian. Run it, and give the folder"),
    ("in-between", "a page of functions must be of functions of one input, not of 2"),
    ("interval-means", "of values at points, not of means over intervals"),
)


OWN = {"points": "0,1;1,2", "kernel": "matern-32", "lengthscale": 1, "variance": 1, "noise": 0.1, "inducing_points": 5,
       "particles": 10, "step_size": 0.1, "place": 0, "seed": "0"}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("points", "0,1;x,2"), ("points", "0,1,2"), ("points", "0,1e9"), ("points", ";".join(["0,1"] * 701)),
        ("kernel", "__proto__"), ("kernel", "periodic"), ("noise", "0"), ("lengthscale", "-1"), ("variance", "x"),
        ("inducing_points", "61"), ("particles", "301"), ("seed", "-1"), ("step_size", "NaN"), ("place", ""),
    ],
)  # fmt: skip
def test_a_bad_setting_of_functions_is_named(engine, key, value):
    tried = "try { PG.function_problem(given, [-1, 1]); return null; } catch (e) { return [e.key, e.value]; }"
    assert engine(tried, given=OWN) is None
    assert engine(tried, given=OWN | {key: value})[0] == key
