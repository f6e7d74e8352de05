"""Models of NumPyro against the densities of scipy; mistakes in one sentence."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg

from ...refusals import refuse

pytestmark = pytest.mark.needs("numpyro")


@pytest.fixture(scope="module")
def numpyro():
    import numpyro

    numpyro.enable_x64()
    return numpyro


@pytest.fixture(scope="module")
def line(numpyro):
    """A regression as a function, and its data."""
    from numpyro import distributions as dist

    rng = np.random.default_rng(0)
    x = rng.normal(100.0, 15.0, 60)
    y = 20.0 + 0.6 * x + 18.0 * rng.standard_normal(60)

    def model(x, y=None):
        b = numpyro.sample("b", dist.Normal(0.0, 100.0).expand([2]))
        sigma = numpyro.sample("sigma", dist.HalfNormal(30.0))
        numpyro.deterministic("at 100", b[0] + 100.0 * b[1])
        numpyro.sample("y", dist.Normal(b[0] + b[1] * x, sigma), obs=y)

    return model, x, y


def test_the_loss_is_minus_the_log_density_with_the_jacobian(line, rng):
    model, x, y = line
    loss = pg.Loss.from_numpyro(model, x, y=y)
    assert loss.variables == ["b[0]", "b[1]", "sigma (unconstrained)"] and loss.names == ["b", "sigma", "at 100"]
    theta = np.column_stack([rng.normal(20.0, 5.0, 5), rng.normal(0.6, 0.1, 5), rng.normal(3.0, 0.2, 5)])
    sigma = np.exp(theta[:, 2])
    expected = stats.norm.logpdf(theta[:, :2], 0.0, 100.0).sum(axis=1) + stats.halfnorm(scale=30.0).logpdf(sigma)
    expected += [stats.norm.logpdf(y, t[0] + t[1] * x, s).sum() for t, s in zip(theta, sigma, strict=True)]
    assert np.allclose(loss.value(theta), -expected - theta[:, 2], rtol=1e-10)
    assert not np.allclose(loss.value(theta), -expected, rtol=1e-10)  # the control: without the Jacobian
    own = loss.constrain(theta)
    assert np.allclose(own["sigma"], sigma) and np.allclose(own["at 100"], theta @ [1.0, 100.0, 0.0])


def test_mistakes_are_one_sentence(numpyro, line):
    from numpyro import distributions as dist

    model, x, y = line
    of = pg.Loss.from_numpyro
    refuse(lambda: of(3), "model must be a function with numpyro.sample in it, not 3")
    refuse(lambda: of(model), "must run with the arguments after it, and fails: TypeError.*'x'")
    refuse(lambda: of(model, x), r"its argument y is None: hand in the data, as in from_numpyro\(model, y=")
    refuse(lambda: of(lambda: numpyro.sample("k", dist.Poisson(1.0), obs=2)), "not observed, and has none")
    with pytest.warns(UserWarning, match="observes nothing"):
        refuse(lambda: of(lambda data: numpyro.sample("k", dist.Poisson(1.0)), x), "k is discrete")
    normal = lambda: numpyro.sample("z", dist.Normal(0.0, 1.0))
    refuse(lambda: of(lambda: numpyro.factor("f", -np.inf + normal())), "positive density somewhere")
    # the gradient of the part that is not taken is not a number
    root = lambda: numpyro.factor("f", numpyro.util.jnp.where(True, 0.0, numpyro.util.jnp.sqrt(-1.0 - normal() ** 2)))
    refuse(lambda: of(root), r"gradient is not finite .* nan in coordinate 1 \(z\) at")
    with pytest.warns(UserWarning, match="observes nothing"):
        assert of(normal).dim == 1


def test_single_precision_is_refused(numpyro, line):
    numpyro.enable_x64(False)
    try:
        refuse(lambda: pg.Loss.from_numpyro(line[0], *line[1:]), "NumPyro must compute in float64")
    finally:
        numpyro.enable_x64()
