"""Huggins et al. (2019) beyond Gaussian processes: Propositions 3.1 and 4.5, and Theorem D.2 for laws on the line."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.functionspace.basis import Mercer
from particlegvi.functionspace.covariances import Matern12, SquaredExponential

pytestmark = pytest.mark.thorough
FLAT = pg.priors.Uniform(-12.0, 12.0)
LEVELS = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize("delta", [0.01, 1.0, 5.0])
def test_proposition_3_1(delta):
    """Two Gaussians with KL delta whose means are sqrt(exp(2 delta) - 1) standard deviations of the first apart."""
    sd = np.exp(-delta)
    law = pg.priors.Normal(sd * np.sqrt(np.expm1(2.0 * delta)), sd)
    x = law.sample(200_000, seed=1)
    logs = law.log_density(x) - pg.priors.Normal(0.0, 1.0).log_density(x)
    assert abs(logs.mean() - delta) < 4.0 * logs.std() / np.sqrt(len(x))


def quantiles(formula):
    """The loss of a formula in x, and quantiles of exp(-loss) at `LEVELS`."""
    loss = pg.Loss.from_formula(formula, ["x"])
    return loss, pg.target(loss, pg.methods.DLE(1.0), FLAT).quantile(LEVELS)


# The first law is alpha-strongly log-concave; the second may have two modes.
PAIRS = {
    "two modes": ("x^2/2 + x^4/4", "(x^2 - 1)^2", 1.0),
    "tilted": ("x^2 + 0.3*cos(x)", "0.2*x^4 - 0.5*x^2 + 0.4*x", 1.7),
    "shifted": ("x^2/2", "(x - 1.5)^2/2", 1.0),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_theorem_d_2_needs_no_gaussian(pair):
    """W2 is at most the L2 distance of the drifts under the second law over alpha; of a shift it is this distance."""
    first, second, alpha = PAIRS[pair]
    (one, of_one), (other, of_other) = quantiles(first), quantiles(second)
    distance = np.sqrt(np.mean((of_one - of_other) ** 2))
    drifts = np.sqrt(np.mean((one.gradient(of_other[:, None]) - other.gradient(of_other[:, None])) ** 2))
    assert distance <= drifts / alpha + 1e-9
    if pair == "shifted":  # the control: no larger alpha would do
        assert distance > drifts / (1.001 * alpha)


POINTS = np.linspace(-1.4, 1.4, 5)[:, None]


def test_proposition_4_5():
    """A covariance that dominates k, in whose space functions of the process lie, and that is k at a few points."""
    e = np.abs(Mercer(SquaredExponential(0.7, 2.0), 0.0, 1.0, 80).features(POINTS))
    largest = (e[:, None] * e[None]).max(axis=(0, 1))  # over pairs of points, for each function of the basis
    for epsilon in (1e-2, 1e-8):
        first = next(j for j in range(80) if np.sqrt(largest[j:]).sum() < epsilon)
        factors = np.where(np.arange(80) < first, 1.0, 1.0 + 1.0 / np.sqrt(np.maximum(largest, 1e-300)))
        assert ((factors - 1.0) * largest).sum() < epsilon  # so much the covariances differ at these points
        assert (1.0 / factors[first:]).sum() < epsilon  # a finite sum: the second covariance dominates the first


def test_the_condition_of_proposition_4_5_fails_for_one_matern_covariance():
    """It asks for |e_j(x)| = o(1/j). In the eigenbasis of Matern-1/2 on an interval j |e_j(x)| does not fall."""
    size = 4000
    e = np.abs(Mercer(Matern12(0.5, 2.0), 0.0, 1.0, size).features(POINTS)).max(axis=0) * np.arange(1, size + 1)
    assert e[size // 2 :].max() > 0.95 * e[size // 20 : size // 10].max()
    smooth = np.abs(Mercer(SquaredExponential(0.7, 2.0), 0.0, 1.0, 60).features(POINTS)).max(axis=0)
    assert smooth[30:].max() * 60 < 1e-3 * smooth[0]
