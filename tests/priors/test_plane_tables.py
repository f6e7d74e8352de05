"""Tables in the plane, against nodes of an independent quadrature; and what has no table."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from particlegvi import kernels, priors
from particlegvi.engine.terms import evaluate
from particlegvi.priors import tabulating_plane
from particlegvi.priors.embedding_table import EmbeddingTable
from particlegvi.priors.plane_table import PlaneTable
from particlegvi.priors.weighted_points import quadrature

UNIT, SHARES = np.polynomial.legendre.leggauss(160)


class Bell(NamedTuple):
    """The squared exponential as the kernel of a user, of which the package knows no closed form."""

    lengthscale: float = 1.0
    name = "bell"

    def value(self, r2):
        return math.exp(-0.5 * r2 / self.lengthscale**2)

    def slope(self, r2):
        return -0.5 / self.lengthscale**2 * math.exp(-0.5 * r2 / self.lengthscale**2)


class Cusp(NamedTuple):
    """exp(-r): the sum over nodes has a cusp at each of them."""

    lengthscale: float = 1.0
    name = "cusp"

    def value(self, r2):
        return math.exp(-math.sqrt(r2) / self.lengthscale)

    def slope(self, r2):
        return -0.5 / self.lengthscale * math.exp(-math.sqrt(r2) / self.lengthscale) / math.sqrt(max(r2, 1e-300))


def points(rng):
    return np.concatenate([scale * rng.normal(size=(200, 2)) for scale in (0.3, 2.0, 10.0, 1e3)])


@pytest.mark.thorough
def test_the_kernel_of_a_user_has_the_closed_form_of_the_same_kernel(rng):
    """Under a Normal prior, whose mean embedding is known; the gradient too, and beyond the whole square."""
    prior, x = priors.Normal([0.3, -0.2], 0.8), points(rng)
    found = priors.embedding(prior, Bell(0.9))
    exact = priors.embedding(prior, kernels.SquaredExponential(0.9))
    assert isinstance(found.term, PlaneTable) and found.error < 1e-7
    assert f"in a table with a further error of {found.term.error:.1e}" in found.description
    values, gradients = evaluate.values(exact.term, x), evaluate.gradients(exact.term, x)
    miss = np.abs(evaluate.values(found.term, x) - values).max()
    slope_miss = np.abs(evaluate.gradients(found.term, x) - gradients).max()
    assert miss <= found.error and slope_miss <= found.term.slope_error + 1e-8
    assert np.abs(values).max() > 1e5 * found.error  # the control: the errors are no excuse for a zero
    assert found.term.value(x[0]) == evaluate.values(found.term, x[:1])[0]
    far = np.full((1, 2), 1e9)
    assert abs(evaluate.values(found.term, far)[0]) <= found.term.error
    assert np.all(evaluate.gradients(found.term, far) == 0.0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("formula", "kernel"),
    [
        ("exp(-(abs(x)^3 + y^4)/8)", kernels.SquaredExponential(0.7)),
        ("1/(1 + x^2 + y^2)^3", Bell(1.3)),
        ("exp(-abs(x) - abs(y))", kernels.Matern32(0.8)),
        ("exp(-(x^2 - 2)^2 - y^2)", kernels.InverseMultiquadric(1.0)),
    ],
)
def test_a_formula_errs_by_less_than_is_stated(formula, kernel, rng):
    """Against a product rule of 160 by 160 nodes in each quarter, which knows nothing of the prior's own nodes."""
    prior, x = priors.Prior.from_formula(formula, ["x", "y"]), rng.normal(size=(12, 2)) * 1.5
    found = priors.embedding(prior, kernel)
    assert isinstance(found.term, PlaneTable)
    reach = 30.0 if "exp" in formula else 4e3
    side = reach * np.sinh(4.0 * (UNIT + 1.0)) / np.sinh(8.0)
    share = SHARES * reach * 4.0 * np.cosh(4.0 * (UNIT + 1.0)) / np.sinh(8.0)
    axis, weights = np.concatenate([-side[::-1], side]), np.concatenate([share[::-1], share])
    nodes = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    masses = np.exp(prior.log_density(nodes)) * np.outer(weights, weights).ravel()
    assert masses.sum() == pytest.approx(1.0, abs=1e-6)
    r2 = ((x[:, None] - nodes) ** 2).sum(axis=2)
    exact = evaluate.profile_values(kernel, r2) @ masses
    assert np.abs(evaluate.values(found.term, x) - exact).max() <= found.error + 1e-6


@pytest.mark.thorough
def test_a_rough_table_says_so_and_is_seen(monkeypatch, rng):
    """The control: squares that are too large state their error, and it is there."""
    prior, kernel, x = priors.Uniform([-2.0, -2.0], [2.0, 2.0]), Bell(0.5), rng.normal(size=(500, 2))
    direct, error = quadrature(prior, kernel)
    for key, number in (("FIT", 0.05), ("WIDE", 4.0), ("WORST_SLOPE", np.inf)):
        monkeypatch.setattr(tabulating_plane, key, number)
    rough = tabulating_plane.tabulated_in_plane(direct, error)
    miss = np.abs(evaluate.values(rough, x) - evaluate.values(direct, x)).max()
    slope_miss = np.abs(evaluate.gradients(rough, x) - evaluate.gradients(direct, x)).max()
    assert 1e-4 < miss <= rough.error and 1e-3 < slope_miss <= rough.slope_error


@pytest.mark.thorough
def test_a_kernel_with_a_cusp_keeps_the_sum():
    prior = priors.Prior.from_formula("exp(-x^2 - y^2)", ["x", "y"])
    found = priors.embedding(prior, Cusp(1.0))
    assert not isinstance(found.term, PlaneTable) and "in a table" not in found.description


@pytest.mark.thorough
def test_heavy_tails_on_the_line_have_a_table_under_the_kernel_of_a_user():
    """Some thousand nodes, a panel for each of which was too many."""
    found = priors.embedding(priors.StudentT(3.9, 0.0, 2.0), Bell(1.0)).term
    exact = priors.embedding(priors.StudentT(3.9, 0.0, 2.0), kernels.SquaredExponential(1.0)).term
    x = np.linspace(-40.0, 40.0, 401)[:, None]
    assert isinstance(found, EmbeddingTable)
    assert np.abs(evaluate.values(found, x) - evaluate.values(exact, x)).max() < 1e-9


@pytest.mark.thorough
def test_the_table_of_a_users_prior_is_made_once_for_the_same_numbers():
    class Own:
        name, dim = "mine", 2

        def __init__(self, sd):
            self.base = priors.Normal([0.0, 0.0], sd)
            self.low, self.high, self.mean, self.sd = self.base.low, self.base.high, self.base.mean, self.base.sd

        def log_density(self, x):
            return self.base.log_density(x)

        def sample(self, particles, seed=0, role="start"):
            return self.base.sample(particles, seed, role)

    first = priors.embedding(Own(0.8), Bell(0.9)).term
    assert isinstance(first, PlaneTable)
    assert priors.embedding(Own(0.8), Bell(0.9)).term is first
    assert priors.embedding(Own(0.9), Bell(0.9)).term is not first  # the controls: other numbers
    assert priors.embedding(Own(0.8), Bell(0.8)).term is not first
