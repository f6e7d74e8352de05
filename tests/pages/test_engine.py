"""The engine in JavaScript against the engine: random numbers, particles, formulas, targets and distances."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics.distances import sliced_wasserstein_floor
from particlegvi.engine.numerics import noise
from particlegvi.pages.content import NotLive, known_losses, loss_of

from ..engine.numerics.test_noise import KNOWN
from .conftest import MOVE

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.8, variance=1.3)
METHODS = {
    "DE": pg.methods.DE(), "DLE": pg.methods.DLE(0.7), "DRE": pg.methods.DRE(0.4, kernel=KERNEL),
    "DRLE": pg.methods.DRLE(0.7, 0.4, kernel=KERNEL),
}  # fmt: skip
TRUTH = 'const q = PG.truth(PG.method(PG.problem({ ...PG.DEFAULTS, ...settings }, null), "DRLE"));'
SETTINGS = {"kl_weight": 0.7, "mmd_weight": 0.4, "lengthscale": 0.8, "variance": 1.3, "step_size": 2e-3}
SETTINGS |= {"methods": "DE,DLE,DRE,DRLE"}
AGREE = 1e-11
INTEGRATORS = ("euler-maruyama", "leimkuhler-matthews")
FORMULA = "t^2/2 + cos(3*t) + exp(-t^2)*tanh(t)/3 - log(1 + t^2)"
PROBLEMS = [  # a loss with its variables, a prior, and the same prior of the package
    ("tilted-double-well", None, "normal:0:1", pg.priors.Normal(0.0, 1.0)),
    (FORMULA, "t", "normal:0.5:1.5", pg.priors.Normal(0.5, 1.5)),
    ("abs-sine", None, "uniform:-2:3", pg.priors.Uniform(-2.0, 3.0)),
    ("four-gaussians", None, "normal:0,1:1,2", pg.priors.Normal([0.0, 1.0], [1.0, 2.0])),
    ("banana", None, "uniform:-2,-2:2,3", pg.priors.Uniform([-2.0, -2.0], [2.0, 3.0])),
    ("(x^2 - 1)^2 + sinh(y/2)^2 + sqrt(1 + (x*y)^2)", "x,y", "normal:0:1", pg.priors.Normal([0.0, 0.0], 1.0)),
]


def ours(name: str, variables: str | None) -> pg.Loss:
    return pg.losses.get(name) if variables is None else pg.Loss.from_formula(name, variables)


def test_philox_has_the_known_answers(engine):
    for counter, key, answer in KNOWN:
        assert engine("return Array.from(PG.philox(...counter, ...key));", counter=counter, key=key) == [*answer]


@pytest.mark.parametrize(("seed", "half"), [(0, 0), (7, 3), (2**64 - 1, 2**31), (2**40 + 5, 2**32 + 9)])
def test_normals_are_those_of_the_engine(engine, seed, half):
    body = """const even = new Float64Array(2500), odd = new Float64Array(2500);
    PG.normals(PG.key(seed), PG.roles[role], coordinate, half, even, odd);
    return [Array.from(even), Array.from(odd)];"""
    for role, coordinate in (("noise", 0), ("start", 1)):
        expected = [noise.normals(seed, role, 2500, 1, 2 * half + odd, coordinate)[:, 0] for odd in (0, 1)]
        given = {"seed": str(seed), "role": role, "coordinate": coordinate, "half": half}
        np.testing.assert_allclose(engine(body, **given), expected, rtol=0.0, atol=1e-14)


slow = pytest.mark.slow
CASES = [  # loss, integrator, particles, steps
    (0, "euler-maruyama", 300, 1000), (0, "leimkuhler-matthews", 1, 201), (0, "euler-maruyama", 2, 201),
    (1, "leimkuhler-matthews", 40, 201), (2, "euler-maruyama", 40, 201), (3, "euler-maruyama", 40, 201),
    *[pytest.param(case, integrator, 300, 1000, marks=slow) for case in range(6) for integrator in INTEGRATORS],
]  # fmt: skip


@pytest.mark.parametrize(("case", "integrator", "number", "steps"), CASES)
@pytest.mark.sample("0-euler-maruyama-300-1000_0")
@pytest.mark.often("0-*-2-201")
def test_particles_are_those_of_the_engine(engine, case, integrator, number, steps):
    name, variables, prior, ours_prior = PROBLEMS[case]
    settings = SETTINGS | {"loss": name, "prior": prior, "integrator": integrator, "particles": number}
    settings |= {"seed": str(2**40 + 7)}
    if variables is not None:
        settings |= {"loss": "own", "own": loss_of(ours(name, variables))}
    found = engine(MOVE, settings=settings, pieces=[steps - 101, 101])
    how = {"seed": 2**40 + 7, "integrator": integrator, "record_every": 0}
    for k, (label, method) in enumerate(METHODS.items()):
        run = pg.simulate(ours(name, variables), method, ours_prior, number, steps, 2e-3, **how)
        np.testing.assert_allclose(np.array(found[k]).T, run.final, rtol=0.0, atol=AGREE, err_msg=label)


@pytest.mark.slow
def test_a_flat_prior_and_points_to_start_from(engine):
    points = [[-1.0], [0.25], [2.0]]
    settings = SETTINGS | {"prior": "flat", "initial": {"name": "points", "points": points}, "particles": 3}
    found = engine(MOVE, settings=settings, pieces=[500])
    for k, method in enumerate(METHODS.values()):
        run = pg.simulate(pg.losses.get("tilted-double-well"), method, None, 3, 500, 2e-3, initial=np.array(points))
        np.testing.assert_allclose(np.array(found[k]).T, run.final, rtol=0.0, atol=AGREE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("angle = 2 * Math.PI * uniform", "angle = 0.5 * Math.PI - 2 * Math.PI * uniform"),
        ("at[i] -= h * a[i] - spread * z[i];", "(at[i] += spread * z[i]), (at[i] -= h * a[i] * (1 + 1e-9));"),
        ("slopes();\n        move();", "move();\n        slopes();"),
        ("M1 = 0xcd9e8d57", "M1 = 0xcd9e8d59"),
        ("out[i] = a[i] * b[i];", "out[i] = a[i] * b[i] * (1 + 1e-9);"),
        ("lambda1 = 2 * s.mmd_weight", "lambda1 = s.mmd_weight"),
    ],
)
def test_a_wrong_engine_is_noticed(changed, old, new):
    """Swapped Box-Muller outputs, a drift after the noise, a changed constant, half the repulsion."""
    settings = SETTINGS | {"methods": "DRLE", "particles": 20}
    found = changed(old, new)(MOVE, settings=settings, pieces=[1000])
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    run = pg.simulate(loss, METHODS["DRLE"], prior, 20, 1000, 2e-3, record_every=0)
    assert np.max(np.abs(np.array(found[0]).T - run.final)) > 100 * AGREE


@pytest.mark.parametrize("prior", ["normal", "uniform", "flat"])
@pytest.mark.parametrize(
    ("kl_weight", "mmd_weight", "lengthscale"), [(1.0, 0.0, 1.0), (0.1, 0.0, 1.0), (1.0, 0.5, 1.0), (0.2, 3.0, 0.3)]
)
@pytest.mark.sample("0.2-*-flat", "0.1-*-normal")
@pytest.mark.often("1.0-0.0-*", "0.1-*", "0.2-3.0-0.3-normal")
def test_the_target_and_w1_are_the_packages(engine, prior, kl_weight, mmd_weight, lengthscale, rng):
    priors = {"normal": pg.priors.Normal(0.2, 1.3), "uniform": pg.priors.Uniform(-2.0, 2.5), "flat": pg.priors.Flat(1)}
    ours_prior = priors[prior]
    loss = pg.Loss.from_formula("t^4/3 - t^2 + abs(t)/2 + cos(4*t)/5", "t")
    kernel = pg.kernels.SquaredExponential(lengthscale=lengthscale)
    method = pg.methods.DRLE(kl_weight, mmd_weight, kernel=kernel)
    target = pg.target(loss, method, ours_prior)
    x = rng.normal(scale=1.2, size=70)
    settings = {"loss": loss.formula, "kl_weight": kl_weight, "mmd_weight": mmd_weight, "lengthscale": lengthscale}
    settings |= {"prior": {"normal": "normal:0.2:1.3", "uniform": "uniform:-2:2.5", "flat": "flat"}[prior]}
    settings |= {"initial": "normal:0:1"} if prior == "flat" else {}
    body = """const s = PG.method(PG.problem({ ...PG.DEFAULTS, ...settings }, null), "DRLE"), q = PG.line_target(s);
    return [q.mean, q.variance, PG.w1(x, q), PG.w1_floor(q, 70, 400)];"""
    mean, variance, w1, floor = engine(body, settings=settings, x=x.tolist())
    assert mean == pytest.approx(target.mean, abs=1e-6) and variance == pytest.approx(target.variance, abs=1e-6)
    assert w1 == pytest.approx(pg.diagnostics.wasserstein1(x, target), abs=1e-6)
    # 400 simulated samples on either side: the 5% and 95% quantiles have errors of a few per cent
    *exact, highest = pg.diagnostics.wasserstein1_floor(target, 70, (0.05, 0.95, 0.99))
    assert floor[:2] == pytest.approx(exact, rel=0.2) and floor[2] == pytest.approx(highest, rel=0.4)


PARAMETERS = [
    ("abs-sine", {"depth": 1.5}), ("banana", {}), ("double-well", {"height": 2.0}), ("four-gaussians", {"sd": 0.8}),
    ("funnel", {"sd": 2.0}), ("ring", {}),
    ("quadratic", {"curvature": [1.0, 3.0], "centre": 0.5}), ("quadratic", {}), ("tilted-double-well", {"scale": 0.7}),
]  # fmt: skip


@pytest.mark.sample("four-gaussians-*", "abs-sine-*", "funnel-*")
@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_losses_are_those_of_the_package(engine, rng, name, parameters):
    loss = pg.losses.get(name, **parameters)
    x = rng.normal(scale=2.0, size=(200, loss.dim))
    body = """const loss = PG.read_loss({ loss: "own" }, own), p = x.map(row => Float64Array.from(row));
    const v = new Float64Array(p[0].length), s = p.map(row => new Float64Array(row.length));
    loss.values(p, v); loss.slopes(p, s);
    return [Array.from(v), s.map(row => Array.from(row)), loss.window];"""
    value, slopes, window = engine(body, own=loss_of(loss), x=x.T.tolist())
    np.testing.assert_allclose(value, loss.value(x), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(np.array(slopes).T, loss.gradient(x), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(window, loss.plot_window)


class Quartic(NamedTuple):
    """A loss of a user, which needs no JavaScript."""

    steepness: float = 2.0

    def value(self, x: np.ndarray) -> float:
        return 0.25 * self.steepness * x[0] * x[0] * x[0] * x[0] + math.log1p(x[0] * x[0])

    def gradient(self, x: np.ndarray, out: np.ndarray) -> None:
        out[0] = self.steepness * x[0] * x[0] * x[0] + 2.0 * x[0] / (1.0 + x[0] * x[0])


def test_a_loss_of_a_user_runs_in_the_browser_unless_it_decides_by_its_numbers(engine, rng):
    loss = pg.Loss.from_term(Quartic(), dim=1)
    x = rng.normal(scale=2.0, size=(200, 1))
    body = """const s = [new Float64Array(x.length)];
    PG.loss(own).slopes([Float64Array.from(x)], s);
    return Array.from(s[0]);"""
    np.testing.assert_allclose(engine(body, own=loss_of(loss), x=x[:, 0].tolist()), loss.gradient(x)[:, 0], rtol=1e-14)
    assert {name for name, _ in PARAMETERS} == set(known_losses())
    with pytest.raises(NotLive):
        loss_of(pg.losses.get("gaussian-mixture"))


def test_atoms_of_a_deep_ensemble(engine):
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    target = pg.target(loss, pg.methods.DE(), prior, initial=prior)
    atoms = engine('return PG.truth(PG.method(PG.problem(PG.DEFAULTS, null), "DE")).atoms;')
    np.testing.assert_allclose(atoms, np.column_stack([target.atoms[:, 0], target.weights]), atol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("mmd_weight", [0.0, pytest.param(0.4, marks=slow)])
def test_the_target_and_sliced_w1_in_the_plane(engine, mmd_weight, rng):
    loss, prior = pg.losses.get("four-gaussians"), pg.priors.Normal([0.0, 1.0], [1.0, 2.0])
    method = pg.methods.DRLE(0.4, mmd_weight, kernel=pg.kernels.SquaredExponential(lengthscale=1.0))
    target = pg.target(loss, method, prior)
    settings = {"loss": "four-gaussians", "prior": "normal:0,1:1,2", "kl_weight": 0.4, "mmd_weight": mmd_weight}
    clouds = {"broad": rng.normal([0.5, 1.0], [2.5, 1.5], size=(90, 2)), "exact": target.sample(300, seed=3)}
    w1 = "clouds.map(x => PG.distance(x.map(row => Float64Array.from(row)), q)[0])"
    body = f"{TRUTH} return [q.mean, q.variance, {w1}, PG.floor_of(q, 90)[0], PG.floor_of(q, 500)[0]];"
    given = [cloud.T.tolist() for cloud in clouds.values()]
    mean, variance, w1, *floors = engine(body, settings=settings, clouds=given)
    np.testing.assert_allclose(mean, target.mean, atol=1e-6)
    np.testing.assert_allclose(variance, target.variance, atol=1e-6)
    # both put the mass of Q* on nodes, which are not the same ones
    expected = [pg.diagnostics.sliced_wasserstein(cloud, target) for cloud in clouds.values()]
    np.testing.assert_allclose(w1, expected, atol=2e-3)
    # from 200 samples here and 400 there, the 95% quantiles have standard errors of 4% and 3%; 0.2 is four of both
    for floor, number in zip(floors, (90, 500), strict=True):
        np.testing.assert_allclose(floor[:2], sliced_wasserstein_floor(target, number, (0.05, 0.95), 0), rtol=0.2)


@pytest.mark.thorough
def test_other_directions_are_noticed(changed, rng):
    """The control of sliced W1: directions from the axis on, not half a spacing off it."""
    x = rng.normal([3.0, -2.0], [0.5, 2.0], size=(60, 2))
    settings = {"loss": "four-gaussians", "mmd_weight": 0.0}
    body = TRUTH.replace("DRLE", "DLE") + "return PG.distance(x.map(row => Float64Array.from(row)), q)[0];"
    moved = changed("Math.cos((Math.PI * (k + 0.5)) / 16)", "Math.cos((Math.PI * k) / 16)")
    target = pg.target(pg.losses.get("four-gaussians"), pg.methods.DLE(1.0), pg.priors.Normal([0.0, 0.0], 1.0))
    ours = pg.diagnostics.sliced_wasserstein(x, target)
    assert abs(moved(body, settings=settings, x=x.T.tolist()) - ours) > 5e-3


MANY = {"loss": "abs-sine", "prior": "uniform:-3000:3000", "kl_weight": 0.1, "mmd_weight": 0.0}


@pytest.mark.thorough
def test_a_law_with_thousands_of_modes_is_the_packages(engine):
    prior = pg.priors.Uniform(-3000.0, 3000.0)
    target = pg.target(pg.losses.get("abs-sine"), pg.methods.DLE(0.1), prior)
    places = np.linspace(-2999.0, 2999.0, 13)
    body = TRUTH + "return [places.map(q.cdf), q.variance];"
    found, variance = engine(body, settings=MANY, places=places.tolist())
    np.testing.assert_allclose(found, target.cdf(places), atol=1e-6)
    assert variance == pytest.approx(target.variance, rel=1e-6)


@pytest.mark.parametrize(
    "settings",
    [MANY | {"prior": "uniform:-3000000:3000000"}, {"loss": "banana", "prior": "flat", "initial": "normal:0:1"}],
    ids=["more modes than nodes", "too narrow for the grid"],
)
def test_there_is_no_truth_rather_than_a_wrong_one(engine, settings):
    assert engine(TRUTH + "return q;", settings=settings) is None
