"""MALA against a chain in numpy, its exactness against closed forms, and where it is refused."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import stationary_law
from particlegvi.engine.numerics import noise

from ..flows import printed_drift
from ..refusals import refused


def numpy_chain(loss, prior, temperature, x, steps, h, seed):
    """Textbook MALA with densities written out; the chain and the share of accepted proposals."""

    def potential(x):
        return loss.value(x) - temperature * prior.log_density(x)

    def mean(x):
        return x - h * (loss.gradient(x) - temperature * prior.gradient(x))

    def log_q(y, x):
        return -((y - mean(x)) ** 2).sum(axis=1) / (4.0 * h * temperature)

    accepted = 0.0
    for step in range(steps):
        y = mean(x) + np.sqrt(2.0 * h * temperature) * noise.normals(seed, "noise", *x.shape, step)
        log_ratio = (potential(x) - potential(y)) / temperature + log_q(x, y) - log_q(y, x)
        accept = np.log(noise.uniforms(seed, "acceptance", len(x), 1, step)[:, 0]) < log_ratio
        x = np.where(accept[:, None], y, x)
        accepted += accept.mean() / steps
    return x, accepted


@pytest.mark.parametrize("prior", [pg.priors.Normal([0.3, 0.0], 1.5), pg.priors.Uniform([-0.8, -0.7], [0.9, 1.0])])
@pytest.mark.often("prior0")
def test_the_chain_is_the_textbook_one(prior):
    """Outside a Uniform's box the log density is minus infinity, so that the textbook rejects there."""
    loss, start = pg.losses.get("four-gaussians"), pg.priors.Uniform([-0.8, -0.7], [0.9, 1.0]).sample(70, seed=1)
    expected, rate = numpy_chain(loss, prior, 0.4, start, 9, 0.3, 6)
    for each in (loss, pg.Loss.from_numpy(loss.value, loss.gradient, 2)):
        run = pg.simulate(
            each, pg.methods.DLE(0.4), prior=prior, initial=start, steps=9, step_size=0.3, integrator="mala", seed=6
        )
        np.testing.assert_allclose(run.final, expected, rtol=0, atol=1e-12)
    assert run.info["acceptance_rate"] == pytest.approx(rate, abs=1e-12) and 0.05 < rate < 0.95
    moved = (np.diff(run.positions, axis=0) != 0.0).any(axis=2)
    assert moved.mean() == pytest.approx(rate, abs=1e-12)


WELL = pg.losses.get("tilted-double-well")
test_other_methods_are_refused_in_one_sentence = refused(
    lambda method: pg.simulate(WELL, method, pg.priors.Normal(), 10, 5, 0.01, integrator="mala"),
    (pg.methods.DE(), '^integrator must be one of .*, not "mala": DE has no noise'),
    (pg.methods.DRE(0.5), '^integrator must be one of .*, not "mala": DRE has no noise'),
    (pg.methods.DRLE(1.0, 0.5), '^integrator must be one of .*, not "mala": DRLE has a repulsion'),
)


TEMPERATURE, CURVATURE, FRICTION = 0.7, 4.0, 1.5
QUADRATIC = pg.losses.get("quadratic", curvature=CURVATURE, dim=1)
KERNEL = pg.kernels.SquaredExponential(1.0)
BAOAB = {"name": "baoab", "friction": FRICTION}


def textbook(drift, x, sizes, seed, order="BAOAB"):
    """Places after steps of these sizes, by half kicks at both ends of a step; the velocity makes up for the first."""
    v = -0.5 * sizes[0] * drift(x)
    for step, h in enumerate(sizes):
        c = np.exp(-FRICTION * h)
        z = noise.normals(seed, "noise", *x.shape, step)
        v = v - 0.5 * h * drift(x)
        if order == "BAOAB":
            x = x + 0.5 * h * v
            v = c * v + np.sqrt(TEMPERATURE * (1.0 - c * c)) * z
            x = x + 0.5 * h * v
            v = v - 0.5 * h * drift(x)
        else:  # the whole drift after the whole kick and the noise: first order
            v = v - 0.5 * h * drift(x)
            v = c * v + np.sqrt(TEMPERATURE * (1.0 - c * c)) * z
            x = x + h * v
    return x


@pytest.mark.parametrize("method, kind", [
    (pg.methods.DLE(TEMPERATURE), "compiled"), (pg.methods.DLE(TEMPERATURE), "numpy"),
    (pg.methods.DRLE(TEMPERATURE, 0.5, KERNEL), "compiled"),
])  # fmt: skip
@pytest.mark.sample("method0-*", "method1-*")
def test_the_path_is_that_of_the_textbook(method, kind):
    """In compiled code, and in Python for a loss in numpy or with a repulsion."""
    loss, prior, start = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0), np.linspace(-2.0, 1.5, 37)

    def drift(x):
        return printed_drift(loss.gradient(x), method, prior, x)

    given = loss if kind == "compiled" else pg.Loss.from_numpy(loss.value, loss.gradient, 1)
    start = start[:, None]
    run = pg.simulate(given, method, prior, None, 40, 0.1, initial=start, seed=3, integrator=BAOAB, record_every=0)
    np.testing.assert_allclose(run.final, textbook(drift, start, [0.1] * 40, 3), rtol=0, atol=1e-9)
    assert np.abs(run.final - textbook(drift, start, [0.1] * 40, 3, "first order")).max() > 0.05
    assert run.info["friction"] == FRICTION and run.info["integrator"] == "baoab"


@pytest.mark.parametrize("prior", [pg.priors.Normal(0.0, 1.0), pg.priors.Uniform(-1.0, 1.0)], ids=["normal", "box"])
@pytest.mark.slow
def test_particles_become_draws_also_between_walls_and_with_jumps(prior):
    loss, method = pg.losses.get("tilted-double-well"), pg.methods.DLE(0.5, jumps=True)
    target = pg.target(loss, method, prior=prior)
    run = pg.simulate(loss, method, prior, 5000, 1000, 0.02, integrator="baoab", record_every=0)
    floor = pg.diagnostics.wasserstein1_floor(target, 5000, (0.999,))[0]
    assert pg.diagnostics.wasserstein1(run.final, target) < floor + 0.02**2
    assert np.all((run.final >= prior.low) & (run.final <= prior.high))


@pytest.mark.parametrize(
    ("integrator", "step_size", "steps"),
    [pytest.param("euler-maruyama", 0.01, 459, marks=pytest.mark.slow), ({"name": "baoab", "friction": 2.0}, 0.1, 66)],
)
@pytest.mark.thorough
def test_the_slow_coordinate_falls_to_a_hundredth(integrator, step_size, steps):
    loss = pg.Loss.from_formula("x^2/2 + 50*y^2", variables=["x", "y"])
    run = pg.simulate(
        loss, pg.methods.DLE(1e-20), pg.priors.Flat(2), initial=[[1.0, 0.0]], steps=500, step_size=step_size,
        record_every=1, integrator=integrator,
    )  # fmt: skip
    assert np.argmax(run.positions[:, 0, 0] < 0.01) == steps


DLE = pg.methods.DLE(1.0)


def simulated(method=DLE, integrator="baoab", steps=2, step_size=0.1):
    start = np.ones((4, 1))
    return pg.simulate(QUADRATIC, method, initial=start, steps=steps, step_size=step_size, integrator=integrator).final


def test_friction_is_part_of_the_run():
    one, two = (simulated(integrator={"name": "baoab", "friction": friction}) for friction in (1.0, 2.0))
    assert np.array_equal(simulated(), one) and not np.array_equal(one, two)


def test_a_step_beyond_the_limit_is_warned_of():
    with pytest.warns(UserWarning, match="beyond the stability limit of about 1 "):
        simulated(step_size=1.1)


test_what_is_wrong_is_said_in_a_sentence = refused(
    (lambda: simulated(DLE, {"name": "baoab", "friction": 0.0}), "friction must be a positive finite number, not 0"),
    (lambda: simulated(DLE, {"name": "heun", "friction": 1.0}), 'must be left out for the integrator "heun"'),
    (lambda: simulated(DLE, {"friction": 1.0}), "integrator must be a name, a function .*, or a table"),
    (lambda: simulated(pg.methods.DE(), "baoab"), 'not "baoab": DE has no noise'),
    (lambda: stationary_law(lambda x: x, 0.1, 1.0, "baoab"), "that keeps nothing from step to step"),
    (lambda: stationary_law(lambda x: x, 0.1, 1.0, "aldi"), "keeps nothing from step to step"),
)
