"""DLE's density on the line against scipy's quadrature, closed forms, and wrong formulas that must fail."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import stats

import particlegvi as pg

from ..refusals import refuse, refused
from .references import integral, l1_between, line_loss, tilted

NORMAL = pg.priors.Normal(0.0, 1.0)


def gibbs_reference(loss, prior, kl_weight, low, high, points, power=1.0):
    """Normalised exp(-loss/kl_weight) p^power, by scipy."""
    top = max(-loss(t) / kl_weight + power * prior(t) for t in points)

    def weight(t):
        return math.exp(min(-loss(t) / kl_weight + power * prior(t) - top, 700.0))

    total = integral(weight, low, high, points)
    return (lambda x: np.exp(-loss(x) / kl_weight + power * prior(x) - top) / total), total


def log_normal(mean, sd):
    return lambda t: -0.5 * ((t - mean) / sd) ** 2 - math.log(sd * math.sqrt(2.0 * math.pi))


def test_figure_5_2():
    target = pg.target(pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0), prior=NORMAL)
    density, _ = gibbs_reference(tilted, log_normal(0.0, 1.0), 1.0, -9.0, 9.0, [-2.0, 0.0, 1.0])
    assert l1_between(target, density, -7.0, 7.0) < 1e-9
    assert target.mean == pytest.approx(-1.24042, abs=1e-5)
    assert target.variance == pytest.approx(0.82119, abs=1e-5)
    assert target.masses.sum() == pytest.approx(1.0, abs=1e-9)
    assert target.masses @ target.grid == pytest.approx(target.mean, abs=1e-9)
    assert target.cdf(0.0) == pytest.approx(integral(density, -9.0, 0.0, [-2.0]), abs=1e-10)
    # Negative control: the thesis's (2.4) raises the prior to the power of the weight.
    half = pg.target(pg.losses.get("tilted-double-well"), pg.methods.DLE(0.5), prior=NORMAL)
    right, _ = gibbs_reference(tilted, log_normal(0.0, 1.0), 0.5, -9.0, 9.0, [-2.0, 0.0, 1.0])
    wrong, _ = gibbs_reference(tilted, log_normal(0.0, 1.0), 0.5, -9.0, 9.0, [-2.0, 0.0, 1.0], power=0.5)
    assert l1_between(half, right, -7.0, 7.0) < 1e-9
    assert l1_between(half, wrong, -7.0, 7.0) > 2e-3


@pytest.mark.parametrize("kl_weight", [1e-3, 0.03, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.sample("0-*", "3-*")
def test_random_smooth_losses(seed, kl_weight):
    """Random quartic or sextic polynomials with sines, under random Gaussian priors."""
    draw = np.random.default_rng(100 + seed)
    degree = 4 if seed % 2 else 6
    coefficients = draw.normal(size=degree + 1)
    coefficients[-1] = 0.2 + abs(coefficients[-1])
    polynomial = Polynomial(coefficients)
    height, frequency, phase = draw.normal(), draw.uniform(1.0, 12.0), draw.uniform(0.0, 6.0)
    mean, sd = draw.normal(0.0, 4.0), float(np.exp(draw.normal(0.0, 1.5)))

    def loss(t):
        return polynomial(t) + height * np.sin(frequency * t + phase)

    target = pg.target(line_loss(loss), pg.methods.DLE(kl_weight), prior=pg.priors.Normal(mean, sd))
    # All local maxima of a fine grid are handed to scipy, which would miss narrow ones by itself.
    grid = np.linspace(-12.0, 12.0, 400_001)
    level = -loss(grid) / kl_weight + log_normal(mean, sd)(grid)
    peaks = grid[1:-1][(level[1:-1] > level[:-2]) & (level[1:-1] >= level[2:]) & (level[1:-1] > level.max() - 40.0)]
    near = [float(peak + shift) for peak in peaks for shift in (-0.05, 0.0, 0.05)]
    density, _ = gibbs_reference(loss, log_normal(mean, sd), kl_weight, -12.0, 12.0, near)
    bulk = grid[level > level.max() - 40.0]
    assert l1_between(target, density, bulk[0], bulk[-1], 100_001) < 1e-6
    assert target.residual < 1e-6
    assert target.cdf(target.quantile(np.array([0.02, 0.5, 0.9]))) == pytest.approx([0.02, 0.5, 0.9], abs=1e-9)


@pytest.mark.parametrize(
    ("curvature", "centre", "kl_weight", "mean", "sd"),
    [
        (1.0, 0.0, 1.0, 0.0, 1.0),
        (1e8, 1234.5, 1e-3, 0.0, 1.0),  # 3e-6 wide, a thousand standard deviations away
        (1e-6, -3.0, 10.0, 5e5, 1e-2),
        (2.0, 1e7, 0.1, -1e7, 1e6),
        (50.0, -40.0, 1e-3, 7.0, 1e4),
    ],
)
def test_quadratic_losses_of_all_scales_have_the_closed_form(curvature, centre, kl_weight, mean, sd):
    loss = line_loss(lambda t: 0.5 * curvature * (t - centre) ** 2, lambda t: curvature * (t - centre))
    target = pg.target(loss, pg.methods.DLE(kl_weight), prior=pg.priors.Normal(mean, sd))
    precision = curvature / kl_weight + sd**-2
    law = stats.norm((curvature * centre / kl_weight + mean / sd**2) / precision, precision**-0.5)
    # Rounding of the loss itself, of a size near centre^2 curvature / kl_weight, is all that may remain.
    assert target.mean == pytest.approx(law.mean(), rel=1e-12, abs=1e-6 * law.std())
    assert target.variance == pytest.approx(law.var(), rel=1e-6)
    x = law.ppf(np.linspace(1e-4, 1.0 - 1e-4, 101))
    assert target.pdf(x) * law.std() == pytest.approx(law.pdf(x) * law.std(), rel=1e-5)
    assert target.cdf(x) == pytest.approx(law.cdf(x), abs=1e-7)


def test_two_thousand_minima_in_a_box():
    """Every period of -|sin| carries the same mass; one of them by scipy."""
    box = pg.priors.Uniform(-1000.0 * math.pi, 1000.0 * math.pi)
    target = pg.target(pg.losses.get("abs-sine"), pg.methods.DLE(1e-3), prior=box)
    period = integral(lambda t: math.exp((math.sin(t) - 1.0) / 1e-3), 0.0, math.pi, [1.3, math.pi / 2, 1.8])
    x = np.linspace(700.0 * math.pi, 701.0 * math.pi, 2001)
    expected = np.exp((np.abs(np.sin(x)) - 1.0) / 1e-3) / (2000.0 * period)
    assert np.sum(np.abs(target.pdf(x) - expected)) * (x[1] - x[0]) * 2000.0 < 1e-6
    assert target.cdf(np.arange(-1000, 1001) * math.pi) == pytest.approx(np.arange(2001) / 2000.0, abs=1e-9)
    assert target.variance == pytest.approx((1000.0 * math.pi) ** 2 / 3.0, rel=1e-5)


FLAT = pg.priors.Flat(1)


@np.errstate(all="ignore")
def target_under(loss, prior):
    return pg.target(line_loss(loss), pg.methods.DLE(1.0), prior=prior)


LAWS = {
    "heavy tails": (lambda t: 3.0 * np.log1p(t**2 / 5.0), FLAT, stats.t(5)),
    "a bounded domain": (lambda t: t - np.log(t), FLAT, stats.gamma(2.0)),  # infinite or undefined for t <= 0
    "an end at the box": (lambda t: 4.0 * t, pg.priors.Uniform(-1.0, 3.0), stats.truncexpon(16.0, -1.0, 0.25)),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_with_tails_and_ends(name):
    loss, prior, law = LAWS[name]
    target = target_under(loss, prior)
    x = np.append(law.ppf([1e-9, 1e-3, 0.1, 0.5, 0.7, 0.99, 1.0 - 1e-9]), [-1.0001, 3.0001])
    with np.errstate(all="ignore"):
        assert target.pdf(x) == pytest.approx(law.pdf(x), rel=1e-9)
    assert target.cdf(x[:7]) == pytest.approx(law.cdf(x[:7]), abs=1e-9)
    assert (target.mean, target.variance) == pytest.approx((law.mean(), law.var()), rel=1e-8, abs=1e-9)
    assert target.quantile([0.0, 1.0]).tolist() == list(law.support()) or name == "a bounded domain"


def test_moments_that_do_not_exist():
    cauchy = target_under(lambda t: np.log1p(t**2), FLAT)
    assert cauchy.cdf(1.0) == pytest.approx(0.75, abs=1e-11)
    assert math.isnan(cauchy.mean) and cauchy.variance == math.inf


test_what_is_not_integrable_is_refused = refused(
    lambda loss, prior: target_under(loss, prior),
    *[
        (loss, prior, "not integrable")
        for loss, prior in (
            (lambda t: 0.0 * t, FLAT),
            (lambda t: np.sin(t), FLAT),
            (lambda t: t, FLAT),
            (lambda t: t**3, FLAT),
            (lambda t: -(t**8) + t**6, FLAT),
            (lambda t: 0.5 * np.log1p(t**2), FLAT),
            (lambda t: -np.exp(-(t**2)), FLAT),
            (lambda t: -(t**2), NORMAL),  # of which a quarter is not too much for the prior, as the next test says
        )
    ],
)


def test_a_gaussian_prior_may_make_a_hill_integrable():
    assert target_under(lambda t: -0.25 * t**2, NORMAL).variance == pytest.approx(2.0)


def test_shapes():
    target = pg.target(line_loss(lambda t: t**2), pg.methods.DLE(1.0), prior=NORMAL)
    x = np.linspace(-1.0, 1.0, 5)
    assert target.pdf(x).shape == (5,) and np.array_equal(target.pdf(x[:, None]), target.pdf(x))
    assert isinstance(target.pdf(0.3), float) and isinstance(target.cdf(0.3), float)
    assert target.quantile(x[3:].reshape(1, 2) * 0.5).shape == (1, 2)
    assert np.sum(np.diff(target.grid) > 0.0) == len(target.grid) - 1
    np.testing.assert_allclose(target.density, target.pdf(target.grid))
    refuse(lambda: target.pdf(np.zeros((2, 2))), "shape")
    refuse(lambda: target.quantile(1.5), "must be probabilities from 0 to 1")


def test_partial_means_give_the_mean():
    target = pg.target(line_loss(lambda t: (t**2 - 1.0) ** 2 + 0.3 * t), pg.methods.DLE(0.2), prior=NORMAL)
    at = np.array([-1.2, 0.1, 0.9])
    expected = [integral(lambda t: (t - target.mean) * target.pdf(t), -8.0, b, [-1.0, 0.0, 1.0]) for b in at]
    assert target.partial_mean(at) == pytest.approx(expected, abs=1e-10)
    assert target.partial_mean(50.0) == pytest.approx(0.0, abs=1e-14)
