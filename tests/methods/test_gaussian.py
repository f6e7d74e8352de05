"""FD-GVI against closed forms, differences of its own objective, and the optima found by quadrature."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals
from particlegvi.methods.gaussian import renyi_slopes

from ..flows import problem
from ..refusals import refuse


@pytest.mark.thorough
@pytest.mark.parametrize("prior", [pg.priors.Normal([0.5, -1.0], [0.7, 2.0]), pg.priors.Flat(2)])
def test_finds_the_closed_form_on_a_quadratic(prior):
    """With loss sum a (x - c)^2 / 2 the optimum has precision a / kl_weight + 1 / sd^2 in every coordinate."""
    a, c, weight = np.array([1.0, 3.0]), np.array([1.0, 2.0]), 0.6
    loss = pg.losses.get("quadratic", curvature=a, centre=c)
    start = np.zeros((50, 2))
    run = pg.simulate(loss, pg.methods.FDGVI(weight), prior=prior, initial=start, steps=4000, step_size=0.05)
    tau = 1.0 / prior.sd**2 if hasattr(prior, "sd") else np.zeros(2)
    precision = a / weight + tau
    mean = (a * c / weight + tau * (prior.mean if hasattr(prior, "mean") else 0.0)) / precision
    # the noise of a step's mean slope is sd(slope)/sqrt(200); averaged over 2000 correlated iterates it is below 2e-3
    np.testing.assert_allclose(run.info["mean"], mean, atol=5e-3)
    np.testing.assert_allclose(run.info["sd"], precision**-0.5, rtol=5e-3)
    assert np.abs(np.array(run.info["sd"]) - (a + tau) ** -0.5).max() > 0.05  # control: the weight matters
    standard = (run.final - run.info["mean"]) / run.info["sd"]
    assert np.all(np.abs(standard.mean(axis=0)) < 4.5 / np.sqrt(50))


def test_the_average_of_the_second_half_counts_at_the_end_alone():
    flow = pg.methods.FDGVI(0.5, draws=3).flow(problem(pg.losses.get("quadratic"), pg.priors.Flat(1), [[1.0]], 8))
    flow.advance(0, 7)
    assert flow.facts()["mean"] == [flow.state[0, 0]]
    flow.advance(7, 1)
    assert flow.facts()["mean"] == [flow.state[2, 0] / 4] != [flow.state[0, 0]]


def test_gradient_by_hand_is_that_of_the_objective():
    """One step equals descent on (C.138) with the same draws, differentiated numerically."""
    loss, prior, weight, h = pg.losses.get("four-gaussians"), pg.priors.Normal([0.3, 0.0], 2.0), 0.5, 1e-3
    flow = pg.methods.FDGVI(weight, draws=20).flow(problem(loss, prior, [[1.0, -0.5]], step_size=h))
    flow.state[1] = [0.4, -0.3]
    before = flow.state[:2].copy()
    z = normals(0, "draws", 20, 2, 0)

    def objective(nu):
        points = nu[0] + np.exp(0.5 * nu[1]) * z
        return np.mean(loss.value(points) - weight * prior.log_density(points)) - 0.5 * weight * nu[1].sum()

    flow.advance(0, 1)
    for row in range(2):
        for i in range(2):
            shift = np.zeros((2, 2))
            shift[row, i] = 1e-5
            slope = (objective(before + shift) - objective(before - shift)) / 2e-5
            np.testing.assert_allclose((before[row, i] - flow.state[row, i]) / h, slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("order", [0.2, 0.7, 0.999999])
def test_slopes_of_renyis_divergence_are_its_differences(order):
    """Of log(E_P[(q/p)^a]) / (a - 1) by sums; near order 1 they are those of KL."""
    prior, mu, beta, x = pg.priors.Normal(0.3, 1.4), 0.9, -0.6, np.linspace(-12.0, 12.0, 4001)
    normal = lambda m, v: np.exp(-0.5 * (x - m) ** 2 / v) / np.sqrt(2.0 * np.pi * v)

    def divergence(m, b):
        return np.log(np.sum(normal(m, np.exp(b)) ** order * normal(0.3, 1.96) ** (1 - order)) * 0.006) / (order - 1)

    in_mu, in_beta = renyi_slopes(np.array([mu]), np.exp([beta]), prior, order)
    h = 1e-4 if order < 0.9 else 1e-2  # log(1 + small) / small loses digits
    both = (divergence(mu + h, beta) - divergence(mu - h, beta), divergence(mu, beta + h) - divergence(mu, beta - h))
    np.testing.assert_allclose([in_mu[0], in_beta[0] - 0.5], np.array(both) / (2.0 * h), rtol=1e-3)


def test_what_it_cannot_have_is_refused():
    for order in (0.0, 1.1, "half"):
        refuse(lambda order=order: pg.methods.FDGVI(renyi_order=order), "renyi_order must be")
    method, loss = pg.methods.FDGVI(renyi_order=0.5), pg.losses.get("quadratic")
    refuse(lambda: method.flow(problem(loss, pg.priors.Flat(1), [[0.0]], step_size=0.1)), "prior must be Normal")
    refuse(lambda: pg.target(loss, method, prior=pg.priors.Normal(0.0, 1.0)), "no minimiser of its objective is known")
    refuse(lambda: pg.simulate(loss, pg.methods.FDGVI(0.5), prior=pg.priors.Uniform(-3.0, 3.0), steps=5),
           "prior must be one without walls for FD-?GVI, not Uniform.*under which ever")  # fmt: skip
