"""Models of PyMC against the densities of scipy; mistakes in one sentence. PyTensor compiles for some ten seconds."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg

from ...refusals import refuse

pytestmark = [pytest.mark.needs("pymc"), pytest.mark.slow]


def test_the_loss_is_minus_the_log_density_with_the_jacobian(rng):
    import pymc

    y = np.array([1.0, 2.0, 4.0])
    with pymc.Model() as model:
        mean = pymc.Normal("mean", 0.0, 10.0, shape=2)
        sigma = pymc.HalfNormal("sigma", 3.0)
        pymc.Deterministic("ratio", mean[0] / sigma)
        pymc.Normal("y", mean[0] + mean[1], sigma, observed=y)
    loss = pg.Loss.from_pymc(model)
    assert loss.variables == ["mean[0]", "mean[1]", "sigma (unconstrained)"]
    assert loss.names == ["mean", "sigma", "ratio"]
    theta = rng.standard_normal((5, 3))
    sigma = np.exp(theta[:, 2])
    expected = stats.norm.logpdf(theta[:, :2], 0.0, 10.0).sum(axis=1) + stats.halfnorm(scale=3.0).logpdf(sigma)
    expected += [stats.norm.logpdf(y, t[0] + t[1], s).sum() for t, s in zip(theta, sigma, strict=True)]
    gap = loss.value(theta) + expected + theta[:, 2]
    assert np.ptp(gap) < 1e-9 and abs(gap[0]) < 1e-6  # PyMC has a constant in fewer digits
    assert np.ptp(gap - theta[:, 2]) > 0.1  # the control: without the Jacobian
    assert np.allclose(loss.constrain(theta)["ratio"], theta[:, 0] / sigma)
    run = pg.sample(loss, progress=None)
    assert run.arrived and run.draws()["mean"].shape == (200, 2) and np.all(run.draws()["sigma"] > 0.0)


def test_mistakes_are_one_sentence():
    pytensor = pytest.importorskip("pytensor")
    import pymc

    with pymc.Model() as counts:
        pymc.Poisson("k", 1.0)
    with pymc.Model() as known:
        pymc.Normal("x", 0.0, 1.0, observed=2.0)
    with pymc.Model() as nowhere:
        pymc.Potential("f", -np.inf + pymc.Normal("x", 0.0, 1.0))
    refuse(lambda: pg.Loss.from_pymc(3), "model must be a pymc.Model, not 3")
    refuse(lambda: pg.Loss.from_pymc(known), "not observed, and has none")
    refuse(lambda: pg.Loss.from_pymc(nowhere), "value is not finite at any of 106 trial points")
    with pytest.warns(UserWarning, match="observes nothing"):
        refuse(lambda: pg.Loss.from_pymc(counts), "k is discrete")
    with pytensor.config.change_flags(floatX="float32"):
        refuse(lambda: pg.Loss.from_pymc(known), "PyMC must compute in float64, not float32")
