"""The law of Euler-Maruyama's steps on a page: closed forms, a dense eigenvector, and where there is none."""

import numpy as np
import pytest

import particlegvi as pg

LAW = """const problem = PG.problem({ ...PG.DEFAULTS, methods: "DLE", ...settings }, null);
const s = PG.method(problem, "DLE"), law = PG.biased(s, PG.truth(s));
return law && { mean: law.mean, sd: Math.sqrt(law.variance), x: Array.from(law.x), q: Array.from(law.q) };"""


@pytest.mark.parametrize(("kl_weight", "step_size"), [(1.0, 0.02), (1.0, 0.1), (1.0, 0.3), (0.2, 0.2)])
def test_on_a_quadratic_it_is_the_normal_law_of_the_recursion(engine, kl_weight, step_size):
    """Of 2 t^2 with the prior N(0.5, 1): the slope is a t - kl_weight/2 with a = 4 + kl_weight."""
    settings = {"loss": "2*t^2", "prior": "normal:0.5:1", "kl_weight": kl_weight, "step_size": step_size}
    law = engine(LAW, settings=settings)
    a = 4.0 + kl_weight
    assert law["mean"] == pytest.approx(0.5 * kl_weight / a, abs=1e-7)
    assert law["sd"] == pytest.approx(np.sqrt(kl_weight / (a * (1.0 - 0.5 * step_size * a))), rel=1e-6)
    exact = np.sqrt(kl_weight / a)
    assert law["sd"] > exact * (1.0 + 0.2 * step_size * a)  # the control: that of Q*


@pytest.mark.thorough
def test_on_two_wells_it_is_the_eigenvector_of_the_chain(engine):
    """Against a dense chain on other nodes, by powers: 2^12 steps of 0.05."""
    settings = {"loss": "tilted-double-well", "prior": "normal:0:1", "step_size": 0.05, "kl_weight": 1.0}
    law = engine(LAW, settings=settings)
    loss, h = pg.losses.get("tilted-double-well"), 0.05
    x = np.linspace(-4.5, 4.0, 301)
    mean = x - h * (loss.gradient(x[:, None])[:, 0] + x)
    chain = np.exp(-0.25 * (x[None] - mean[:, None]) ** 2 / h) / np.sqrt(4.0 * np.pi * h) * (x[1] - x[0])
    for _ in range(12):
        chain = chain @ chain
        chain /= chain.sum(axis=1, keepdims=True)
    q = chain[150] / (x[1] - x[0])
    inside = np.abs(np.array(law["x"])) < 3.5
    np.testing.assert_allclose(np.interp(np.array(law["x"])[inside], x, q), np.array(law["q"])[inside], atol=2e-3)
    assert law["mean"] == pytest.approx(np.sum(x * chain[150]), abs=1e-5)
    truth = pg.target(loss, pg.methods.DLE(1.0), prior=pg.priors.Normal(0.0, 1.0))
    assert abs(law["mean"] - float(np.squeeze(truth.mean))) > 0.02  # the control: Q* is another law


def test_there_is_none_where_it_is_not_seen_or_not_known(engine):
    """Among them steps beyond the stability limit 2 / a = 0.4, which have no law at all."""
    settings = {"loss": "2*t^2", "prior": "normal:0:1", "kl_weight": 1.0, "step_size": 0.1}
    assert engine(LAW, settings=settings) is not None
    for changes in (
        {"step_size": 1e-5}, {"integrator": "leimkuhler-matthews"}, {"prior": "uniform:-2:2"}, {"kl_weight": 0.0},
        {"step_size": 0.5}, {"loss": "t^4", "step_size": 0.9},
    ):  # fmt: skip
        assert engine(LAW, settings=settings | changes) is None, changes
