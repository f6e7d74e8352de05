"""The stability limit: exact on quadratics for every scheme, with a repulsion, and what the warning says."""

import inspect
import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.simulation import stability
from particlegvi.simulation.problem import Settings, check_problem

from ..differences import slopes
from ..flows import printed_drift


def limit(loss, method, integrator="euler-maruyama", prior=None, initial=None, step_size=1e-3):
    dim = loss.dim
    initial = np.zeros((1, dim)) if initial is None else initial
    settings = Settings(steps=10, step_size=step_size, integrator=integrator)
    problem = check_problem(loss, method, prior, initial, settings)
    return stability.stability_limit(problem, method)


def bowl(*curvature):
    return pg.losses.get("quadratic", curvature=list(curvature), centre=[0.0] * len(curvature))


@pytest.mark.parametrize("curvature", [1e-170, 1e160])
def test_the_limit_of_an_extreme_curvature_is_found(curvature):
    """Its square is 0 or infinite in double precision, and the search once went on for ever."""
    loss = pg.Loss.from_numpy(lambda X: 0.5 * curvature * X[:, 0] ** 2, lambda X: curvature * X, 1)
    assert limit(loss, pg.methods.DE()) == pytest.approx(2.0 / curvature, rel=1e-5)


@pytest.mark.parametrize("integrator", ["euler-maruyama", "leimkuhler-matthews", "heun", "exponential-euler"])
@pytest.mark.parametrize("curvature, sd", [(6.0, 0.5), (1.0, 0.5)])
@pytest.mark.sample("*-euler-maruyama", "*-leimkuhler-matthews", "*-exponential-euler")
def test_runs_stay_below_the_limit_and_explode_above(integrator, curvature, sd):
    """The flow of a bowl and a Normal prior at temperature 1: at 0.9 and 1.1 times the limit, without a truth."""
    loss, prior, method = bowl(curvature), pg.priors.Normal(0.0, sd), pg.methods.DLE(1.0)
    found = limit(loss, method, integrator, prior)
    stiffness = 1.0 / sd**2
    if integrator != "exponential-euler":
        assert found == pytest.approx(2.0 / (curvature + stiffness), rel=1e-5)
    elif curvature <= stiffness:
        assert found == np.inf  # solving the prior's part exactly damps the rest, too
        found = 100.0
    else:
        assert found == pytest.approx(np.log((curvature + stiffness) / (curvature - stiffness)) / stiffness, rel=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        below, above = (
            np.abs(pg.simulate(loss, method, prior=prior, initial=[[1.0]], steps=300, step_size=factor * found,
                               integrator=integrator, record_every=0).final).max()
            for factor in (0.9, 1.1)
        )  # fmt: skip
    assert below < 20.0
    assert above > 1e6 or curvature <= stiffness


def test_a_narrow_valley_across_the_axes_counts():
    """(x + y)^2 / 2 * 20: curvature 40 along the diagonal, 20 along either axis."""
    loss = pg.Loss.from_numpy(
        lambda x: 10.0 * x.sum(axis=1) ** 2, lambda x: 20.0 * np.repeat(x.sum(axis=1)[:, None], 2, axis=1), 2
    )
    assert limit(loss, pg.methods.DE()) == pytest.approx(2.0 / 40.0, rel=1e-4)


@pytest.mark.parametrize("name", ["squared-exponential", "matern-52", "inverse-multiquadric"])
def test_a_repulsion_adds_its_curvature(name):
    """The Jacobian of the whole drift of 20 particles, by differences."""
    loss, prior = bowl(0.5), pg.priors.Normal(0.0, 1.0)
    kernel = pg.kernels.get(name, lengthscale=0.3)
    method = pg.methods.DRE(5.0, kernel)
    start = prior.sample(20, seed=3)
    jacobian = slopes(lambda x: printed_drift(loss.gradient(x[:, None]), method, prior, x[:, None])[:, 0], start[:, 0])
    exact = 2.0 / np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))[-1]
    found = limit(loss, method, prior=prior, initial=start)
    assert found == pytest.approx(exact, rel=0.1)  # mu_P is an average over 1,000 draws here
    assert limit(loss, pg.methods.DE(), initial=start) > 1.5 * exact  # control: the repulsion matters


@pytest.mark.slow
def test_mala_has_no_limit_and_never_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pg.simulate(bowl(100.0), pg.methods.DLE(1.0), initial=[[0.1]], steps=3, step_size=5.0, integrator="mala")


def test_the_warning_names_the_limit_and_the_largest_step():
    with pytest.warns(UserWarning, match="^step_size 0.25 is beyond the stability limit of about 0.2 at the"):
        run = pg.simulate(bowl(10.0), pg.methods.DE(), initial=[[1.0]], steps=3, step_size=0.25)
    np.testing.assert_allclose(run.final, [[(1.0 - 0.25 * 10.0) ** 3]])  # it runs all the same
    rising = pg.schedules.Linear(0.01, 0.25, 5.0)
    with pytest.warns(UserWarning, match="^the largest step_size 0.25 is beyond the stability limit of about 0.2"):
        pg.simulate(bowl(10.0), pg.methods.DE(), initial=[[1.0]], steps=9, step_size=rising)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pg.simulate(bowl(10.0), pg.methods.DE(), initial=[[1.0]], steps=3, step_size=rising)  # 0.106 at most


@pytest.mark.parametrize("depth", ["simulate", "run"])
def test_a_warning_shows_the_line_of_the_program(depth, tmp_path):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        if depth == "simulate":
            pg.simulate(
                pg.losses.get("double-well"), pg.methods.DLE(), prior=pg.priors.Normal(), steps=2, step_size=3.0
            )
        else:
            pg.run("global-minimiser", out=tmp_path / "run", particles=4, steps=2, step_size=3.0, figures=[])
    places = {(each.filename, str(each.message)[:9]) for each in seen}
    assert (inspect.getsourcefile(test_a_warning_shows_the_line_of_the_program), "step_size") in places, places
