"""Which likelihoods may enter the cache of compiled code, and the sentences for those that cannot be compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from particlegvi.engine.numerics.compiled import is_ours
from particlegvi.engine.steps import projected
from particlegvi.functionspace import SparseGaussianProcess, likelihoods
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, observations
from particlegvi.functionspace.sampling.cost import DataCost


class _Fields(NamedTuple):
    weight: float = 2.0


class Absolute(_Fields, likelihoods.Likelihood):
    """A user's likelihood."""

    __slots__ = ()

    def cost_at(self, f, y):
        return self.weight * abs(f - y)

    def slope_at(self, f, y):
        return self.weight * (1.0 if f > y else -1.0)

    def curvature_at(self, f, y):
        return 0.0 * f


def test_the_packages_own_are_covered_by_the_digest():
    assert all(is_ours(each) for each in (likelihoods.Gaussian(1.0), likelihoods.Poisson(), likelihoods.Bernoulli()))
    assert not is_ours(Absolute())


def test_one_from_outside_is_compiled_but_never_cached_on_disk():
    assert projected.add_costs.for_terms(Absolute()) is not projected.add_costs.cached
    assert projected.add_costs.for_terms(likelihoods.Gaussian(1.0)) is projected.add_costs.cached
    features, y, z = np.eye(3), np.array([1.0, -1.0, 0.5]), np.array([[0.0, 0.0, 1.0]])
    forces, costs = DataCost(Absolute(3.0), features, y).forces(z)
    np.testing.assert_array_equal(forces, [[-3.0, 3.0, 3.0]])
    np.testing.assert_array_equal(costs, [7.5])
    np.testing.assert_array_equal(Absolute().curvature(z, y), np.zeros((1, 3)))


class Numbers(NamedTuple):
    width: float = 0.3


class Whole(Numbers, Likelihood):
    """A user's likelihood; the classes below lack or spoil a method each."""

    name = "own"

    def cost_at(self, f, y):
        return 0.5 * (f - y) * (f - y) / self.width

    def slope_at(self, f, y):
        return (f - y) / self.width

    def curvature_at(self, f, y):
        return 1.0 / self.width

    def log_density(self, y, f):
        return -self.cost(f, y)

    def information(self, f):
        return np.full(np.shape(f), 1.0 / self.width)


class NoSlope(Numbers, Likelihood):
    cost_at, curvature_at = Whole.cost_at, Whole.curvature_at


class NoInformation(Whole):
    information = Likelihood.information


class NoTuple(Likelihood):
    cost_at, slope_at, curvature_at = Whole.cost_at, Whole.slope_at, Whole.curvature_at
    log_density, information = Whole.log_density, Whole.information


def half(value):
    return 0.5 * value


class PlainHelper(Whole):
    def slope_at(self, f, y):
        return 2.0 * half(f - y) / self.width


class Uncompiled(Whole):
    def slope_at(self, f, y):
        return np.linalg.norm([f - y]) / self.width


@pytest.mark.parametrize(
    ("likelihood", "sentence"),
    [
        (NoSlope(), "must have the methods cost_at, slope_at, curvature_at and log_density; NoSlope has no slope_at"),
        (NoTuple(), "likelihood must be a NamedTuple of numbers"),
        pytest.param(Uncompiled(), "Uncompiled cannot be compiled by numba", marks=pytest.mark.thorough),
    ],
)
def test_a_likelihood_that_cannot_work_is_refused_in_one_sentence(likelihood, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        observations(likelihood, [0.0, 1.0], 2, "information")
    assert "\n" not in str(error.value)


def test_an_object_without_methods_is_refused_and_a_missing_method_named():
    for other in (object(), "gaussian", Whole):
        with pytest.raises(ValueError, match="likelihood must"):
            SparseGaussianProcess(SquaredExponential(), other, [[0.0]]).fit([[0.0]], [0.0])
    with pytest.raises(NotImplementedError, match=r"the class Whole of a likelihood must define mean\(f\)"):
        Whole().mean(0.0)


@pytest.mark.thorough
def test_only_what_is_needed_is_asked_for():
    assert observations(Whole(), [0.0, 1.0], 2, "information").tolist() == [0.0, 1.0]
    assert observations(NoInformation(), [0.0, 1.0], 2).tolist() == [0.0, 1.0]
    assert observations(PlainHelper(), [0.0, 1.0], 2).tolist() == [0.0, 1.0]
