"""SVGD against numpy, and against what is known of its finite ensembles on Gaussian targets in closed form."""

import numpy as np
import pytest

import particlegvi as pg

from ..flows import problem

PRIOR = pg.priors.Normal(0.3, 1.5)
BOWL = pg.losses.get("quadratic", curvature=[1.0], centre=[0.0])


def liu_and_wang(x, score, kernel, epsilon):
    """One update as Liu and Wang (2016, (8)) write it, without weights of ours."""
    moved = x.copy()
    for i in range(len(x)):
        phi = np.zeros(x.shape[1])
        for j in range(len(x)):
            gap = x[j] - x[i]
            phi += kernel.value(gap @ gap) * score[j] + 2.0 * kernel.slope(gap @ gap) * gap
        moved[i] += epsilon * phi / len(x)
    return moved


@pytest.mark.parametrize("name", ["four-gaussians", "tilted-double-well"])
def test_steps_are_those_of_the_paper_in_the_time_of_dle(name):
    loss, weight, h = pg.losses.get(name), 0.6, 0.05
    kernel = pg.kernels.SquaredExponential(0.8)
    prior = pg.priors.Normal([0.3] * loss.dim, 1.5)
    x = np.random.default_rng(2).normal(size=(17, loss.dim))
    flow = pg.methods.SVGD(weight, kernel).flow(problem(loss, prior, x, step_size=h))
    for step in range(3):
        score = -loss.gradient(x) / weight + prior.gradient(x)
        expected = liu_and_wang(x, score, kernel, h * weight)
        flow.advance(step, 1)
        np.testing.assert_allclose(flow.particles(), expected, rtol=1e-12, atol=1e-12)
        other = liu_and_wang(x, score, kernel, h)  # control: the paper's own unit of time
        assert np.abs(flow.particles() - other).max() > 1e-3
        x = expected


def test_comes_close_to_the_truth_and_closer_than_chance():
    """A fixed point of SVGD is a better set of points than as many draws: its distance lies below their 5% quantile."""
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    method = pg.methods.SVGD(1.0)
    run = pg.simulate(loss, method, prior=prior, particles=100, steps=5000, step_size=0.05, record_every=0)
    target = pg.target(loss, method, prior=prior)
    low, high = pg.diagnostics.wasserstein1_floor(target, 100)
    assert pg.diagnostics.wasserstein1(run.final, target) < low
    other = pg.target(loss, pg.methods.SVGD(0.3), prior=prior)
    assert pg.diagnostics.wasserstein1(run.final, other) > high  # control: it is not the target of another weight
