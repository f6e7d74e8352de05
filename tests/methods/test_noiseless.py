"""Flows without noise: SVGD, the implicit step and the MMD flow, against numpy, closed forms and their ends."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals

from ..flows import problem
from ..refusals import refuse, refused

KERNEL = pg.kernels.SquaredExponential(0.8)
WELL, NORMAL = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
ZERO = pg.Loss.from_numpy(lambda x: np.zeros(len(x)), np.zeros_like, 1)


@pytest.mark.thorough
def test_svgd_comes_close_to_the_truth_and_closer_than_chance():
    """A fixed point of SVGD is a better set of points than as many draws: its distance lies below their 5% quantile.

    The test of Adam compares its steps with the paper.
    """
    method = pg.methods.SVGD(1.0)
    run = pg.simulate(WELL, method, prior=NORMAL, particles=100, steps=5000, step_size=0.05, record_every=0)
    target = pg.target(WELL, method, prior=NORMAL)
    low, high = pg.diagnostics.wasserstein1_floor(target, 100)
    assert pg.diagnostics.wasserstein1(run.final, target) < low
    other = pg.target(WELL, pg.methods.SVGD(0.3), prior=NORMAL)
    assert pg.diagnostics.wasserstein1(run.final, other) > high  # control: it is not the target of another weight


def test_without_weights_each_particle_takes_the_proximal_step():
    start = np.array([[2.0], [-1.0], [0.5]])  # (5.2) on V = t^2/2: theta / (1 + eta)
    run = pg.simulate(pg.losses.get("quadratic"), pg.methods.JKO(0.0), initial=start, steps=2, step_size=3.0)
    np.testing.assert_allclose(run.final, start / 16.0, atol=1e-10)


def test_the_implicit_step_ends_at_q_star_at_any_step_size():
    """200 quantiles: W1 to Q* far below that of 200 draws, with steps far beyond the limit of Euler."""
    method = pg.methods.JKO(1.0, 0.5, KERNEL)
    target = pg.target(WELL, pg.methods.DRLE(1.0, 0.5, KERNEL), prior=NORMAL)
    run = pg.simulate(WELL, method, prior=NORMAL, particles=200, steps=8, step_size=20.0, seed=1)
    assert pg.diagnostics.wasserstein1(run.final[:, 0], target) < 0.02
    other = pg.target(WELL, pg.methods.DRLE(1.0, 0.25, KERNEL), prior=NORMAL)
    assert pg.diagnostics.wasserstein1(run.final[:, 0], other) > 0.03


test_what_the_implicit_step_cannot_do_is_refused = refused(
    lambda loss, settings: pg.simulate(loss, pg.methods.JKO(1.0), steps=1, step_size=0.1, **settings),
    (pg.losses.get("four-gaussians"), {"initial": np.arange(6.0).reshape(3, 2)}, "JKO needs a loss on the line"),
    (WELL, {"prior": NORMAL, "initial": np.zeros((3, 1))}, "initial must be distinct points for JKO"),
    (WELL, {"prior": pg.priors.Uniform(-3.0, 3.0), "particles": 5}, "prior must be one without walls for JKO"),
    (WELL, {"prior": pg.Prior.from_formula("exp(t)", high=0.0), "particles": 5}, "prior must be one without walls"),
)


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


@pytest.mark.thorough
def test_to_the_prior_it_is_dre_with_a_loss_of_zero():
    prior = pg.priors.Normal(0.5, 1.2)
    how = {"prior": prior, "initial": np.linspace(-1.0, 1.0, 9), "steps": 200, "step_size": 0.05, "record_every": 0}
    flow = pg.simulate(ZERO, pg.methods.MMDFlow(prior, kernel=KERNEL), **how)
    dre = pg.simulate(ZERO, pg.methods.DRE(0.5, KERNEL), **how)
    np.testing.assert_allclose(flow.final, dre.final, rtol=1e-10, atol=1e-11)
    assert np.abs(flow.final - pg.simulate(ZERO, pg.methods.DRE(1.0, KERNEL), **how).final).max() > 1e-2  # control


@pytest.mark.slow
def test_reaches_the_gibbs_measure_through_weighted_draws_and_through_the_target():
    """Both ends have the moments of Q*; with fewer particles than draws MMD points are quieter than draws."""
    target = pg.target(WELL, pg.methods.DLE(1.0), prior=NORMAL)
    how = {"prior": NORMAL, "particles": 60, "steps": 2000, "step_size": 0.5, "record_every": 0}
    weighted = pg.methods.MMDFlow(kl_weight=1.0, kernel=KERNEL, samples=4000)
    exact = np.asarray(target.quantile((np.arange(2000) + 0.5) / 2000))
    for method in (weighted, pg.methods.MMDFlow(exact, kernel=KERNEL)):
        run = pg.simulate(WELL, method, **how)
        # draws worth about a sixth of 4000 leave 0.9/sqrt(670) = 0.035 on the mean
        assert abs(run.final.mean() - target.mean) < 4 * 0.035
        assert pg.diagnostics.wasserstein1(run.final, target) < pg.diagnostics.wasserstein1_floor(target, 60)[1]
    assert abs(run.final.mean() - NORMAL.mean[0]) > 0.5  # control: where it started
    assert pg.target(WELL, weighted, prior=NORMAL).mean == pytest.approx(target.mean, abs=1e-9)
    refuse(lambda: pg.target(WELL, method, prior=NORMAL), "MMD flow goes to the reference that it was given")


test_what_does_not_fit_the_problem_gets_one_sentence = refused(
    lambda *reference: pg.methods.MMDFlow(*reference).flow(problem(ZERO, pg.priors.Flat(1), [[0.0]])),
    ("reference must be given under a flat prior, which has no draws to weigh",),
    (np.zeros((3, 2)), "reference must be of dimension 1, as the loss is, not 2"),
    (pg.priors.Normal([0.0, 0.0], 1.0), "reference must be of dimension 1, as the loss is, not 2"),
)
