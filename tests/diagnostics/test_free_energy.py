"""The free energy of exact draws and of targets, against closed forms for Gaussians and plain double sums."""

import numpy as np
import pytest
from scipy import integrate, stats

import particlegvi as pg
from particlegvi import diagnostics
from particlegvi.diagnostics.free_energy import mmd_squared_to_prior, prior_self_energy

SE = pg.kernels.SquaredExponential
LINE = pg.losses.get("quadratic", curvature=[2.0], centre=[1.0])
PRIOR = pg.priors.Normal(0.5, 1.5)


def test_the_parts_of_a_gaussian():
    """Q = N(m, s^2): mean loss, KL and MMD^2 to a Gaussian prior are known."""
    m, s, lengthscale = -0.3, 0.7, 0.8
    method = pg.methods.DRLE(0.6, 0.9, SE(lengthscale))
    x = m + s * np.random.default_rng(0).normal(size=(40, 1000))
    parts = [diagnostics.free_energy(draws, LINE, method, PRIOR) for draws in x]

    def overlap(variance, gap):  # E kappa for a difference of this mean and variance
        total = lengthscale**2 + variance
        return lengthscale / np.sqrt(total) * np.exp(-0.5 * gap**2 / total)

    mean, sd = 0.5, 1.5
    exact = {
        "mean_loss": (m - 1.0) ** 2 + s**2,
        "mmd_squared": overlap(2 * s**2, 0) - 2 * overlap(s**2 + sd**2, m - mean) + overlap(2 * sd**2, 0),
        "kl_divergence": np.log(sd / s) + (s**2 + (m - mean) ** 2) / (2 * sd**2) - 0.5,
    }
    exact["total"] = exact["mean_loss"] + 0.9 * exact["mmd_squared"] + 0.6 * exact["kl_divergence"]
    for name, value in exact.items():
        found = np.array([getattr(each, name) for each in parts])
        error = found.std(ddof=1) / np.sqrt(len(found))
        assert abs(found.mean() - value) < 4.0 * error + 0.2 * found.std(), name
        assert abs(found.mean() - 1.05 * value - 0.02) > 4.0 * error + 0.2 * found.std(), name  # negative control
    assert {each.entropy_estimator for each in parts} == {"spacings"}


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.sample("2", "4")
def test_mmd_to_the_prior_is_the_plain_double_sum(dim):
    prior, kernel = pg.priors.Normal(np.zeros(dim), np.full(dim, 0.8)), pg.kernels.Matern32(1.1)
    x, t = np.random.default_rng(dim).normal(size=(7, dim)), prior.sample(300_000, seed=1)

    def kappa(a, b):
        r = np.sqrt(3.0) * np.linalg.norm(a - b, axis=-1) / 1.1
        return (1.0 + r) * np.exp(-r)

    between = kappa(x[:, None], x)[~np.eye(7, dtype=bool)].mean()
    attraction = np.array([kappa(point, t) for point in x])
    pairs = kappa(t[::2], t[1::2])
    expected = between - 2.0 * attraction.mean() + pairs.mean()
    error = np.hypot(2.0 * attraction.mean(axis=0).std(), pairs.std() * np.sqrt(2.0)) / np.sqrt(len(t))
    assert abs(mmd_squared_to_prior(x, kernel, prior) - expected) < 4.0 * error + 1e-8


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (pg.priors.Normal(2.0, 0.7), stats.norm(2.0, 0.7)),
        (pg.priors.Uniform(-1.0, 4.0), stats.uniform(-1.0, 5.0)),
        (pg.priors.Uniform(0.0, 1e-5), stats.uniform(0.0, 1e-5)),
    ],
)
@pytest.mark.parametrize("kernel", [SE(0.9, 2.0), pg.kernels.Matern52(0.5)])
def test_the_prior_with_itself_by_quadrature(prior, law, kernel):
    low, high = law.ppf([1e-12, 1 - 1e-12])

    def integrand(x, y):
        return law.pdf(x) * law.pdf(y) * kernel.value((x - y) ** 2)

    # twice the half below the diagonal, where Matern kernels are smooth
    exact = 2.0 * integrate.dblquad(integrand, low, high, low, lambda y: y, epsabs=1e-10, epsrel=1e-8)[0]
    assert prior_self_energy(prior, kernel) == pytest.approx(exact, rel=1e-6)


@pytest.mark.thorough
def test_the_target_of_a_langevin_ensemble_has_minus_the_log_normaliser():
    """L(Q*) = -kl_weight log Z, since E loss + kl_weight KL is constant along log q* (2.4 put right)."""
    for loss, prior in ((LINE, PRIOR), (pg.losses.get("banana"), pg.priors.Normal([0.0, 0.0], [1.0, 1.0]))):
        method = pg.methods.DLE(0.4)
        target = pg.target(loss, method, prior=prior)
        found = diagnostics.target_free_energy(target, loss, method, prior)
        assert found.total == pytest.approx(-0.4 * target.log_normaliser, abs=1e-7)
        assert found.mmd_part == 0.0


@pytest.mark.thorough
def test_the_target_of_a_repulsive_ensemble_by_quadrature_of_the_interaction():
    method = pg.methods.DRLE(0.6, 0.9, SE(0.8))
    target = pg.target(LINE, method, prior=PRIOR)
    found = diagnostics.target_free_energy(target, LINE, method, PRIOR)
    x = np.linspace(*target.support, 2001)
    mass = target.pdf(x) * (x[1] - x[0])
    prior = stats.norm(0.5, 1.5).pdf(x) * (x[1] - x[0])
    tail = np.linspace(-9.0, 10.0, 4001)
    kernel = np.exp(-0.5 * (tail[:, None] - tail) ** 2 / 0.8**2)
    on = np.interp(tail, x, target.pdf(x), 0.0, 0.0) - stats.norm(0.5, 1.5).pdf(tail)
    squared = on @ kernel @ on * (tail[1] - tail[0]) ** 2
    assert found.mmd_squared == pytest.approx(squared, abs=1e-5)
    assert found.mean_loss == pytest.approx(mass @ (x - 1.0) ** 2, abs=1e-6)
    assert found.kl_divergence == pytest.approx(mass @ np.log(mass / prior), abs=1e-6)


def test_without_a_prior_and_without_weights():
    x = np.random.default_rng(5).normal(size=(50, 1))
    assert diagnostics.free_energy(x[:1], LINE, pg.methods.DE()).total == LINE.value(x[:1])[0]
    flat = diagnostics.free_energy(x, LINE, pg.methods.DRLE(0.5, 0.5, SE(1.0)))
    gaps = x - x.T
    assert flat.kl_divergence == -diagnostics.entropy(x)[0]
    assert flat.mmd_squared == pytest.approx((np.exp(-0.5 * gaps**2).sum() - 50) / (50 * 49), rel=1e-12)
    with pytest.raises(ValueError, match="particles must be at least two for a free energy with kl_wei.*, not one"):
        diagnostics.free_energy(x[:1], LINE, pg.methods.DLE(1.0))
    with pytest.raises(ValueError, match="atoms"):
        atoms = pg.target(LINE, pg.methods.DE(), initial=PRIOR)
        diagnostics.target_free_energy(atoms, LINE, pg.methods.DE())
