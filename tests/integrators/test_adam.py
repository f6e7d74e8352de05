"""Adam against the printed formulas in numpy, and where it is refused."""

import numpy as np
import pytest

import particlegvi as pg

from ..flows import printed_drift
from ..refusals import refused

LOSS = pg.losses.get("four-gaussians")
PRIOR = pg.priors.Normal([0.1, 0.0], 0.7)
KERNEL = pg.kernels.SquaredExponential(0.8)


def by_the_book(drift, x, sizes, decay=0.999):
    """Kingma and Ba (2015), algorithm 1, as it is printed."""
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t, h in enumerate(sizes, start=1):
        d = drift(x)
        m, v = 0.9 * m + 0.1 * d, decay * v + (1.0 - decay) * d**2
        x = x - h * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - decay**t)) + 1e-8)
    return x


def gap(x):
    return x[:, None] - x[None]


def repulsive(x):
    return printed_drift(LOSS.gradient(x), pg.methods.DRE(0.5, KERNEL), PRIOR, x)


def stein(x, lengthscale=0.8):
    """The drift of SVGD at temperature 0.3: equation (8) of Liu and Wang, times -0.3."""
    score = -LOSS.gradient(x) / 0.3 - (x - [0.1, 0.0]) / 0.7**2
    near = np.exp(-0.5 * (gap(x) ** 2).sum(axis=2) / lengthscale**2)
    apart = (gap(x) / lengthscale**2 * near[:, :, None]).mean(axis=1)
    return -0.3 * (near @ score / len(x) + apart)


def liu_and_wang(x):
    """SVGD with exp(-|x - y|^2 / h), h = median^2 / log(n + 1), that is lengthscale^2 = h / 2."""
    squares = (gap(x) ** 2).sum(axis=2)
    return stein(x, np.sqrt(0.5 * np.median(squares) / np.log(len(x) + 1.0)))


METHODS = {
    "DE": (pg.methods.DE(), LOSS.gradient),
    "DRE": (pg.methods.DRE(0.5, KERNEL), repulsive),
    "SVGD": (pg.methods.SVGD(0.3, KERNEL), stein),
    "SVGD anew": (pg.methods.SVGD(0.3, bandwidth="every-step"), liu_and_wang),
}


@pytest.mark.parametrize("method", METHODS)
def test_the_steps_are_those_of_the_book(method):
    made, drift = METHODS[method]
    start, schedule = PRIOR.sample(9, seed=1), pg.schedules.Geometric(0.1, 0.02, 30.0)
    run = pg.simulate(LOSS, made, prior=PRIOR, initial=start, steps=30, step_size=schedule, integrator="adam")
    sizes = schedule.at(np.arange(30))
    np.testing.assert_allclose(run.final, by_the_book(drift, start, sizes), rtol=0, atol=1e-11)
    other = by_the_book(drift, start, sizes, 0.99)
    assert run.info["integrator"] == "adam" and np.abs(run.final - other).max() > 1e-3


@pytest.mark.parametrize("method", ["SVGD", "SVGD anew"])
def test_svgd_takes_the_steps_of_the_paper_in_the_time_of_dle(method):
    made, drift = METHODS[method]
    start = PRIOR.sample(9, seed=1)
    run = pg.simulate(LOSS, made, prior=PRIOR, initial=start, steps=20, step_size=0.05)
    x, fixed = start, start
    once = np.sqrt(0.5 * np.median((gap(start) ** 2).sum(axis=2)) / np.log(10.0))
    for _ in range(20):
        x, fixed = x - 0.05 * drift(x), fixed - 0.05 * stein(fixed, once)
    np.testing.assert_allclose(run.final, x, rtol=0, atol=1e-12)
    anew = "anew" in method
    assert np.abs(x - fixed).max() > 1e-3 and ("anew" in run.info["lengthscale_rule"]) == anew
    assert run.info["lengthscale"] == pytest.approx(once if anew else 0.8, rel=1e-12)


def test_networks_train_by_it_with_batches(rng):
    X, numbers = rng.uniform(-2.0, 2.0, (40, 1)), iter(range(300))
    net = pg.networks.Network(inputs=1, hidden=(10,), activation="tanh")
    loss = pg.networks.NetworkLoss(net, X, np.sin(2.0 * X[:, 0]), batch_size=10)
    run = pg.simulate(
        loss, pg.methods.DE(), prior=net.prior("he"), particles=3, steps=300, step_size=0.02, integrator="adam"
    )
    book = by_the_book(lambda x: loss.gradient_at(x, next(numbers), 0), run.initial, [0.02] * 300)
    np.testing.assert_allclose(run.final, book, rtol=0, atol=1e-9)
    assert loss.value(run.final).mean() < 0.5 * loss.value(run.initial).mean()


def simulated(method, integrator="adam"):
    return pg.simulate(LOSS, method, prior=PRIOR, particles=3, steps=2, step_size=0.01, integrator=integrator)


test_noise_does_not_go_with_it = refused(
    lambda method: simulated(method),
    (pg.methods.DLE(0.3), 'not "adam": DLE has noise, as kl_weight is not 0'),
    (pg.methods.DRLE(0.3, 0.5), "DRLE has noise"),
    (pg.methods.DLE(0.3, jumps=True), "DLE has noise"),
)
