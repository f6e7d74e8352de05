"""Flows under priors of half-lines: their laws against quadrature, without the wall as control; folders and pages."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import integrate, stats

import particlegvi as pg
from particlegvi import priors

from .expectations import gradients, values

pytestmark = pytest.mark.thorough

GRID = np.linspace(0.0, 30.0, 300_001)[1:]
LOSS = pg.losses.get("quadratic", curvature=[1.0], centre=[1.0])
HALF_LINES = {
    "exponential": priors.Exponential(1.5),
    "half-normal": priors.HalfNormal(2.0),
    "gamma": priors.Gamma(2.5, 0.6),
    "log-normal": priors.LogNormal(0.2, 0.6),
    "formula": pg.Prior.from_formula("exp(-t/1.5)", low=0.0),
}


def law(log_density):
    """Distribution function on the grid of a density whose logarithm there is given up to a constant."""
    mass = np.cumsum(np.exp(log_density - log_density.max()))
    return mass / mass[-1]


def kolmogorov(x, cdf):
    """Kolmogorov's distance times sqrt(n): above 2.2 with probability 1e-4."""
    found = stats.ks_1samp(np.ravel(x), lambda t: np.interp(t, GRID, cdf, left=0.0))
    return np.sqrt(np.size(x)) * found.statistic


def run(method, prior, steps=3000):
    return pg.simulate(LOSS, method, prior, particles=2000, steps=steps, step_size=2e-3, seed=3).final


@pytest.mark.parametrize("name", HALF_LINES)
@pytest.mark.sample("gamma")
def test_dle_has_the_law_of_quadrature(name):
    prior = HALF_LINES[name]
    final = run(pg.methods.DLE(1.0), prior)
    exact = law(prior.log_density(GRID[:, None]) - 0.5 * (GRID - 1.0) ** 2)
    assert final.min() >= 0.0 and kolmogorov(final, exact) < 2.2
    if name == "exponential":  # control: the same slope without the wall
        assert kolmogorov(run(pg.methods.DLE(1.0), priors.Laplace(0.0, 1.5)), exact) > 4.0


@pytest.mark.parametrize("kernel", [pg.kernels.SquaredExponential(0.7), pg.kernels.Matern32(1.1)], ids=repr)
@pytest.mark.often("Squared*")
def test_the_embedding_of_a_wide_log_normal_law_is_a_table(kernel):
    """Against scipy over the logarithm; nodes that stand for every place at once are the control."""
    prior, x = priors.LogNormal(0.0, 2.5), np.array([-1.0, 0.01, 1.0, 12.0, 300.0])
    made = priors.embedding(prior, kernel)
    assert "in a table" in made.description and made.error < 1e-11

    def mean(function, place):
        weighed = lambda u: stats.norm.pdf(u, scale=2.5) * function(place - math.exp(u))
        cuts = np.unique(np.clip(np.log(np.maximum(place + np.linspace(-40.0, 40.0, 81), 1e-12)), -25.0, 25.0))
        return sum(integrate.quad(weighed, *ends, epsabs=1e-14)[0] for ends in itertools.pairwise([-25.0, *cuts, 25.0]))

    expected = [mean(lambda gap: kernel.value(gap * gap), place) for place in x]
    slopes = [mean(lambda gap: 2.0 * gap * kernel.slope(gap * gap), place) for place in x]
    np.testing.assert_allclose(values(made.term, x[:, None]), expected, atol=1e-11)
    np.testing.assert_allclose(gradients(made.term, x[:, None])[:, 0], slopes, atol=1e-8)
    if kernel.name == "squared-exponential":
        nodes = priors.embedding(prior, kernel, how="quadrature")
        assert np.abs(values(nodes.term, x[:, None]) - expected).max() > 1e-7


@pytest.mark.parametrize("wall", [0.25, 0.3, 0.7, -1.9, 33.3])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_target_reaches_its_wall(wall, side):
    """The law of an exponential number beyond any wall, to rounding; a wall that is 1e-6 farther is the control."""
    ends = {"low": wall} if side > 0.0 else {"high": wall}
    prior = pg.Prior.from_formula(f"exp({-2.0 * side}*(t - {wall}))", ["t"], **ends)
    target = pg.target(pg.Loss.from_formula(f"{side}*t", ["t"]), pg.methods.DLE(1.0), prior)
    assert side * (target.mean - wall) == pytest.approx(1.0 / 3.0, abs=1e-10)
    assert side * (target.mean - wall - 1e-6 * side) != pytest.approx(1.0 / 3.0, abs=1e-10)
    assert target.cdf(np.array([wall + side * math.log(2.0) / 3.0]))[0] == pytest.approx(0.5, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half-normal", "log-normal"])
def test_drle_has_the_law_of_its_fixed_point(name):
    prior, method = HALF_LINES[name], pg.methods.DRLE(1.0, 1.0, kernel=pg.kernels.SquaredExponential(0.7))
    target = pg.target(LOSS, method, prior)
    cells = np.linspace(0.0, 15.0, 3001)[1:] - 0.0025
    width = cells[1] - cells[0]
    density, reference = np.diff(target.cdf(np.append(cells - 0.0025, 15.0))), np.exp(prior.log_density(cells[:, None]))
    nearby = np.exp(-0.5 * ((cells[:, None] - cells) / 0.7) ** 2)
    pull = nearby @ (density - reference * width / (reference.sum() * width))
    fixed = np.exp(-0.5 * (cells - 1.0) ** 2 - 2.0 * pull) * reference
    np.testing.assert_allclose(density, fixed / fixed.sum(), atol=2e-5)
    control = np.exp(-0.5 * (cells - 1.0) ** 2) * reference  # without the repulsion
    assert np.abs(density - control / control.sum()).max() > 2e-4
    assert kolmogorov(run(method, prior), target.cdf(GRID)) < 2.2


@pytest.mark.parametrize(
    ("prior", "loss"),
    [
        (priors.Exponential(1.5), LOSS),
        (pg.Prior.from_formula("exp(-t)", low=0.0), pg.Loss.from_formula("t^2/2", ["t"])),
        (
            pg.Prior.from_formula("exp(-x - y^2)", low=[0.0, -np.inf]),
            pg.Loss.from_formula("x^2 + y^2", ["x", "y"]),
        ),
    ],
    ids=str,
)
@pytest.mark.often("Exponential*")
def test_a_folder_has_the_prior(tmp_path, prior, loss):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # too few steps to arrive
        out = tmp_path / "run"
        run = pg.simulate(loss, pg.methods.DLE(1.0), prior, particles=20, steps=40, step_size=0.01, out=out)
        loaded = pg.load(out)
        run_again = pg.resume(out)
    assert repr(loaded.parts.prior) == repr(prior) and (prior.name == "exponential" or "low=" in repr(prior))
    np.testing.assert_array_equal(loaded["DLE"].final, run.final)
    np.testing.assert_array_equal(loaded.parts.prior.low, prior.low)
    assert run_again.scenario == loaded.scenario
    assert loaded.plot("histograms" if prior.dim == 1 else "particles").axes
    assert "<html" in loaded.page().html
