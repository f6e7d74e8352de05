"""The best laws for other divergences than KL: closed forms under a uniform prior, limits, and what has no density."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import particlegvi as pg
from particlegvi.targets.divergences import Divergence, best_law

from ..refusals import refused

pytestmark = pytest.mark.thorough
UNIT, NORMAL = pg.priors.Uniform(0.0, 1.0), pg.priors.Normal(0.0, 1.0)
LINE, WELLS = pg.Loss.from_formula("x", variables=["x"]), pg.losses.get("tilted-double-well")
X, WEIGHT = np.linspace(0.0, 1.0, 11), 0.4


def hellinger(x):
    k = 0.5 * (math.sqrt(1.0 + 4.0 * WEIGHT**2) - 1.0)  # the mass of (w / (k + x))^2 is w^2 / (k (k + 1))
    return (WEIGHT / (k + x)) ** 2


@pytest.mark.parametrize(
    ("name", "density", "generator"),
    [
        ("kl", lambda x: np.exp(-x / WEIGHT) / (WEIGHT * (1.0 - math.exp(-1.0 / WEIGHT))), lambda r: r * np.log(r)),
        ("reverse-kl", lambda x: WEIGHT / (x + 1.0 / math.expm1(1.0 / WEIGHT)), lambda r: -np.log(r)),
        ("squared-hellinger", hellinger, lambda r: (np.sqrt(r) - 1.0) ** 2),
        ("chi-squared", lambda x: 1.0 + (0.5 - x) / (2.0 * WEIGHT), lambda r: (r - 1.0) ** 2),
    ],
)
def test_a_linear_loss_under_a_uniform_prior_has_closed_forms(name, density, generator):
    found = best_law(LINE, UNIT, WEIGHT, name)
    assert np.allclose(found.law.pdf(X), density(X), rtol=1e-9) and found.law.error < 1e-9
    assert found.expected_loss == pytest.approx(quad(lambda x: x * density(x), 0.0, 1.0)[0], rel=1e-9)
    assert found.divergence == pytest.approx(quad(lambda x: generator(density(x)), 0.0, 1.0)[0], rel=1e-8)
    other = best_law(LINE, UNIT, 1.1 * WEIGHT, name).law  # the control: another weight has another law
    assert not np.allclose(other.pdf(X), density(X), rtol=1e-2)


def test_chi_squared_leaves_out_where_the_loss_is_high():
    found = best_law(LINE, UNIT, 0.05, "chi-squared")  # (c - x)_+ / (2 w) has the mass c^2 / (4 w) for c below 1
    end = 2.0 * math.sqrt(0.05)
    assert np.allclose(found.law.pdf(X), np.maximum(end - X, 0.0) / 0.1, atol=1e-8)
    assert found.law.cdf(end) == pytest.approx(1.0, abs=1e-9)


def test_orders_near_one_are_near_kl_and_renyis_law_is_that_of_another_weight():
    gibbs = pg.target(WELLS, pg.methods.DLE(kl_weight=1.0), prior=NORMAL)
    at = np.linspace(-3.0, 3.0, 13)
    for order in (0.999, 1.001):
        for renyi in (False, True):
            assert np.allclose(best_law(WELLS, NORMAL, 1.0, Divergence(order, renyi=renyi)).law.pdf(at), gibbs.pdf(at),
                               atol=3e-3)  # fmt: skip
    renyi = best_law(WELLS, NORMAL, 1.0, Divergence(0.5, renyi=True))
    mean = math.exp(-0.5 * renyi.divergence)  # E_P (q/p)^a
    again = best_law(WELLS, NORMAL, 0.5 / mean, Divergence(0.5))
    assert np.allclose(again.law.pdf(at), renyi.law.pdf(at), atol=1e-9)
    assert again.divergence == pytest.approx((1.0 - mean) / 0.25, rel=1e-8)


test_other_laws_are_refused = refused(
    (lambda: best_law(WELLS, NORMAL, 0.3, Divergence(-2.0)), "an order below -1 asks for an atom there"),
    (lambda: best_law(WELLS, pg.priors.Flat(1), 1.0), "with a prior that is a probability"),
    (lambda: best_law(WELLS, NORMAL, 1.0, "hellinger"), "did you mean"),
    (lambda: best_law(WELLS, NORMAL, 1.0, Divergence(-0.5, renyi=True)), "order must be"),
)  # fmt: skip
