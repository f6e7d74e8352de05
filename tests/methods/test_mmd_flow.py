"""The MMD flow against numpy, against DRE, which it is for a loss of zero, and against the truth it flows to."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals

from ..flows import problem

KERNEL = pg.kernels.SquaredExponential(0.8)
ZERO = pg.Loss.from_numpy(lambda x: np.zeros(len(x)), np.zeros_like, 1)


def pull(at, points, weights):
    """Gradient of sum_m weights_m kappa(., points_m), by hand."""
    gap = at[:, None, :] - points[None, :, :]
    kappa = np.exp(-0.5 * (gap**2).sum(axis=-1) / KERNEL.lengthscale**2)
    return -(weights[None, :, None] * kappa[..., None] * gap).sum(axis=1) / KERNEL.lengthscale**2


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_steps_are_those_of_the_paper(dim, noise):
    random = np.random.default_rng(4)
    points, x = random.normal(1.0, 1.0, size=(23, dim)), random.normal(size=(15, dim))
    loss = pg.losses.get("quadratic", curvature=[1.0] * dim, centre=[0.0] * dim)
    given = problem(loss, pg.priors.Flat(dim), x, step_size=0.1, seed=9)
    flow = pg.methods.MMDFlow(points, kernel=KERNEL, noise=noise).flow(given)
    for step in range(3):
        at = x + noise * normals(9, "noise", 15, dim, step)
        slope = pull(at, x, np.full(15, 1 / 15)) - pull(at, points, np.full(23, 1 / 23))
        unpaired = pull(at, x, np.full(15, 1 / 15))
        flow.advance(step, 1)
        np.testing.assert_allclose(flow.particles(), x - 0.1 * slope, rtol=1e-10, atol=1e-12)
        assert np.abs(flow.particles() - (x - 0.1 * unpaired)).max() > 1e-3  # control: without the reference
        x = flow.particles().copy()


def test_to_the_prior_it_is_dre_with_a_loss_of_zero():
    prior = pg.priors.Normal(0.5, 1.2)
    how = {"prior": prior, "initial": np.linspace(-1.0, 1.0, 9), "steps": 200, "step_size": 0.05, "record_every": 0}
    flow = pg.simulate(ZERO, pg.methods.MMDFlow(prior, kernel=KERNEL), **how)
    dre = pg.simulate(ZERO, pg.methods.DRE(0.5, KERNEL), **how)
    np.testing.assert_allclose(flow.final, dre.final, rtol=1e-10, atol=1e-11)
    assert np.abs(flow.final - pg.simulate(ZERO, pg.methods.DRE(1.0, KERNEL), **how).final).max() > 1e-2  # control


@pytest.mark.thorough
def test_reaches_the_gibbs_measure_through_weighted_draws_and_through_the_target():
    """Both ends have the moments of Q*; with fewer particles than draws MMD points are quieter than draws."""
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    target = pg.target(loss, pg.methods.DLE(1.0), prior=prior)
    how = {"prior": prior, "particles": 60, "steps": 2000, "step_size": 0.5, "record_every": 0}
    weighted = pg.methods.MMDFlow(kl_weight=1.0, kernel=KERNEL, samples=4000)
    exact = np.asarray(target.quantile((np.arange(2000) + 0.5) / 2000))
    for method in (weighted, pg.methods.MMDFlow(exact, kernel=KERNEL)):
        run = pg.simulate(loss, method, **how)
        # draws worth about a sixth of 4000 leave 0.9/sqrt(670) = 0.035 on the mean
        assert abs(run.final.mean() - target.mean) < 4 * 0.035
        assert pg.diagnostics.wasserstein1(run.final, target) < pg.diagnostics.wasserstein1_floor(target, 60)[1]
    assert abs(run.final.mean() - prior.mean[0]) > 0.5  # control: where it started
    assert pg.target(loss, weighted, prior=prior).mean == pytest.approx(target.mean, abs=1e-9)
    with pytest.raises(ValueError, match="MMD flow goes to the reference that it was given"):
        pg.target(loss, method, prior=prior)


def test_what_does_not_fit_the_problem_gets_one_sentence():
    flat = problem(ZERO, pg.priors.Flat(1), [[0.0]])
    with pytest.raises(ValueError, match="reference must be given under a flat prior, which has no draws to weigh"):
        pg.methods.MMDFlow().flow(flat)
    with pytest.raises(ValueError, match="reference must be of dimension 1, as the loss is, not 2"):
        pg.methods.MMDFlow(np.zeros((3, 2))).flow(flat)
    with pytest.raises(ValueError, match="reference must be of dimension 1, as the loss is, not 2"):
        pg.methods.MMDFlow(pg.priors.Normal([0.0, 0.0], 1.0)).flow(flat)
